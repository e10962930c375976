/*
 * debugfile.h - what a struct debugfile holds
 *
 * The parts of the layer hang off it. Each is made by its folder when it is
 * first needed, and freed when file.c closes the file:
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
 * What is known of a file at once (its images, its facts) is there as soon as
 * it is open.
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
	/* The separate file of debug information, or one with no sections at
	 * all. */
	struct separate debug;
	struct debug_directories directories; /* more of them */
	struct debugfile_facts facts;
	char *soname, *interpreter, *build_id;

	struct bytes sections[SECTION_COUNT];
	bool section_known[SECTION_COUNT];

	struct dynamic *dynamic; /* NULL: not needed yet; so are the others */
	struct symbols *symbols;
	struct names *names;
	struct dwarf *dwarf;
	struct index *index;
	/* Whose calls the index is asked for, while it is made; or NULL. */
	const struct expected_names *expected;
	/* A compressed .debug_info is read whole only by the index, which needs
	 * every byte of it: this reads it, and makes the units known. */
	void (*read_compressed_units)(struct debugfile *file);
	struct frames *frames;
	struct globals *globals;
	struct debugtypes *types;
	struct call_sites *call_sites;
	struct tls_module *tls;
	struct plt *plt;
	struct go_file *go;

	struct range_list sequences;
	bool sequences_known;
};

/* Is there code at `address`? */
bool file_is_code(const struct debugfile *file, uint64_t address);

#endif
