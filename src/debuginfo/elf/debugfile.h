/*
 * debugfile.h - struct debugfile, an open file and everything read from it
 *
 * Each folder of the layer keeps its part of the data in struct debugfile. The
 * folder makes its part when the part is first needed. file.c frees all parts
 * when it closes the file:
 *
 *	elf/		dynamic
 *	dwarf/		dwarf, frames
 *	index/		index
 *	types/		types
 *	symbols/	symbols, names, plt
 *	locations/	tls
 *	frames/		call_sites
 *	variables/	globals
 *	go.c		go
 *
 * The image of the file, that of its separate file of debug information, and
 * `facts` are known as soon as the file is open.
 */
#ifndef PERFTOOL_DEBUGINFO_DEBUGFILE_H
#define PERFTOOL_DEBUGINFO_DEBUGFILE_H

#include "image.h"
#include "perftool/debuginfo.h"
#include "sections.h"
#include "separate_file.h"

struct dynamic;
struct symbols;
struct names;
struct dwarf;
struct index;
struct expected_names;
struct frames;
struct globals;
struct debugtypes;
struct call_sites;
struct tls_module;
struct go_file;

struct debugfile {
	char *path;
	struct image image;
	/* The separate file of debug information. Its image has no sections if
	 * there is no such file. */
	struct separate debug;
	/* directories in which to look for separate files of debug information
	 * before the system's directory */
	struct debug_directories directories;
	struct debugfile_facts facts;
	char *soname, *interpreter, *build_id;

	/* debugfile_cache_index(): the folder, or NULL; and the size of
	 * .debug_info from which on the index is kept there */
	char *cache_folder;
	uint64_t cache_least;

	struct bytes sections[SECTION_COUNT];
	bool section_known[SECTION_COUNT];

	/* NULL: nobody has needed this part yet. The same holds for the
	 * pointers below. */
	struct dynamic *dynamic;
	struct symbols *symbols;
	struct names *names;
	struct dwarf *dwarf;
	struct index *index;
	/* While the index is made: the names of functions whose inlined calls
	 * the caller will ask for. Otherwise NULL. */
	const struct expected_names *expected;
	/*
	 * Read all of a compressed .debug_info, and enter its units in the
	 * file's list of units. The function is in index/, because only the
	 * index needs every byte of .debug_info. dwarf/ calls the function
	 * through this pointer, because dwarf/ must not depend on index/.
	 */
	void (*read_compressed_units)(struct debugfile *file);
	/* Enter in the file's list the units of a compressed .debug_info, as
	 * an earlier process has stored them. False: nothing was stored, and
	 * the list is as it was. */
	bool (*recall_units)(struct debugfile *file);
	struct frames *frames;
	struct globals *globals;
	struct debugtypes *types;
	struct call_sites *call_sites;
	struct tls_module *tls;
	struct plt *plt;
	struct go_file *go;

	struct range_list sequences;
	bool sequences_known;

	struct static_probe_list probes;
	bool probes_known;
};

/* Is `address` in an executable segment? */
bool file_is_code(const struct debugfile *file, uint64_t address);

#endif
