/*
 * file.h - what a struct debugfile holds
 *
 * The layer's parts hang off it, each made when it is first needed and freed
 * with the file:
 *
 *	file.c		the ELF images and what is known of them at once
 *	relocations.c	what the run-time linker fills in; slots.c asks it
 *	separate.c	the separate file of debug information; describe.c
 *			tells of it, package.c which package has it
 *	symbols.c	functions by the symbol tables; versions.c theirs;
 *			dynamic.c finds the run-time linker's
 *	names.c		functions by the names people use; patterns.c matches
 *			them, signature.c takes them apart, overloads.c and
 *			aliases.c read what is written for something else,
 *			qualified.c is for those that have no linked name
 *	written.c	the source file of a function
 *	source.c	the files that units are in: split.c and split_package.c
 *			those of split ones
 *	unit.c, die.c	units and DIEs; values.c, abbrev.c and ranges.c for
 *			them
 *	imports.c	units that are parts of others
 *	index.c		one look at all DIEs, on all processors
 *			(index_threads.c); scan.c at those of a unit, by
 *			scan_program.c, of which scan_found.c keeps some
 *	packed.c	compressed sections, piece by piece; packed_units.c
 *			their units
 *	unit_map.c	which unit an address belongs to
 *	scopes.c	functions and inlined calls of a unit
 *	inlined.c	inlined calls of the file
 *	line_table.c	bytes to rows; lines.c, source_lines.c and prologue.c
 *			ask it
 *	cfi.c		bytes to unwinding rules; frames.c applies them
 *	location.c	DWARF expressions, with location_compute.c and
 *			location_operands.c; location_list.c chooses one,
 *			number.c computes, entry_value.c asks the caller,
 *			tls.c the thread; location_value.c and place.c put
 *			together what is there
 *	debugtype.c	types as values have them, which debugtype_make.c
 *			makes; members.c, variants.c,
 *			type_names.c, by spelling.c; naming.c writes them
 *	go.c		the runtime of a Go program
 *	objects.c	what symbol has an address; data.c the other way round
 *	needed.c	what the run-time linker is asked for
 *	frame_variables.c  the variables of one frame; function_value.c what
 *			its function returns
 *	variables.c	what a name means at an address: visible.c in its
 *			function, globals.c outside, entry.c at its entry, by
 *			the rules of abi.c and abi_trivial.c; declared.c
 *			what is only declared
 */
#ifndef PERFTOOL_DEBUGINFO_FILE_H
#define PERFTOOL_DEBUGINFO_FILE_H

#include "image.h"
#include "perftool/debuginfo.h"
#include "sections.h"
#include "separate.h"

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
