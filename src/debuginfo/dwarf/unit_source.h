/*
 * unit_source.h - the files that have the units of a program's debug
 * information
 *
 * These files are the program itself (or its separate debug file), the file
 * that dwz lets several programs share, a package of split units (.dwp), and
 * .dwo files. Each file is a source. A source has its own sections and its own
 * range of offsets:
 *
 *	offset = (source number << SOURCE_SHIFT) + offset in .debug_info
 *
 * One number therefore says which DIE is meant, in whatever file the DIE is.
 * The offsets of .debug_types continue those of .debug_info, as if both were
 * one section.
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_SOURCE_H
#define PERFTOOL_DEBUGINFO_UNIT_SOURCE_H

#include "compressed_units.h"
#include "debuginfo/elf/elf.h"
#include "perftool/base/map.h"

/* Offsets of source N begin at N << SOURCE_SHIFT. */
#define SOURCE_SHIFT 40
#define SOURCE_MAX_SIZE (1ULL << SOURCE_SHIFT)

enum source_number {
	SOURCE_MAIN,
	SOURCE_SHARED,
	SOURCE_PACKAGE,
	/* This number and those after it: the .dwo file that was opened for the
	 * main source's first unit, second unit, ... */
	SOURCE_SPLIT,
};

struct unit;

struct source {
	struct debugfile *file;
	/* The file of the source. The main source has none: its sections are
	 * those of `file`. */
	struct separate separate;
	bool is_main;
	bool split;         /* sections are called .debug_info.dwo and so on */
	uint64_t base;      /* the offset of the first byte of .debug_info */
	uint64_t info_size; /* of .debug_info; .debug_types follows it */
	/* .debug_info if it is inflated piece by piece (compressed_units.h);
	 * else NULL */
	struct packed *packed;
	struct unit_head head; /* the head that was inflated last */

	struct bytes sections[SECTION_COUNT];
	bool known[SECTION_COUNT];
	/* The bytes of .debug_info and .debug_types, if the file has several
	 * sections with this name. They are one behind the other here. */
	uint8_t *joined[2];

	/* Sorted by offset. Until the source is `complete`, there are only the
	 * units of the packed section up to the last one that was needed. */
	VEC(struct unit *) units;
	bool complete;
	struct map abbrev_tables; /* by offset in .debug_abbrev */
	struct map line_tables;   /* by offset in .debug_line */
	struct map types;         /* type units by signature */
	bool types_known;         /* `types` has been made */
	struct map split_units;   /* units of split files by dwo_id */
};

/* Make a source for a file of `file`. The source takes over `*separate`, which
 * is NULL for the main source. The caller frees the source with
 * source_destroy(). */
struct source *source_create(struct debugfile *file, uint64_t number,
			     bool split, const struct separate *separate);
/* Free a source; NULL is allowed. */
void source_destroy(struct source *source);

/* Do image_take_failure() for the file of the source; NULL is allowed. */
int source_take_failure(const struct source *source);

/* The bytes of a section; empty if the source has no such section. They are
 * read when they are first needed, and stay until the source is freed. */
struct bytes source_section(struct source *source, enum section_id id);

/* Read all sections that units need, and close the file. */
void source_read_all(struct source *source);

/* Read the headers of all units. If .debug_info is packed, read none now: the
 * headers are read as far as units are needed. */
void source_read_units(struct source *source);

/* Make sure that the headers of all units have been read. The roots of the
 * units of a packed section are read, too; this takes long if the section is
 * large. */
void source_complete(struct source *source);

/* Append a copy of the unit to the units of the source, which owns the copy.
 * Units must be appended in the order of their offsets. */
struct unit *source_add_unit(struct source *source, const struct unit *unit);

/* The bytes of a unit, from its header on. NULL: the bytes are packed. */
const uint8_t *source_unit_bytes(const struct unit *unit);

/* The unit that contains the byte at `offset`, or NULL. */
struct unit *source_unit(struct source *source, uint64_t offset);

/* The index of the unit whose header is at `offset`. SIZE_MAX: none of the
 * units that are known so far begins there. */
size_t source_unit_number(const struct source *source, uint64_t offset);

/* The type unit of the source with this signature, or NULL. */
struct unit *source_type_unit(struct source *source, uint64_t signature);

/* The section that the values of a unit refer to. Some sections of a split unit
 * are in the linked file. */
struct bytes unit_section(const struct unit *unit, enum section_id id);

/* The source of the file that the program's debug information shares with that
 * of other programs (dwz). NULL: there is none, or it cannot be found. The
 * first call opens the file. */
struct source *file_shared_source(struct debugfile *file);

/* The source whose range of offsets contains `offset`, or NULL. */
struct source *file_source(struct debugfile *file, uint64_t offset);

#endif
