/*
 * unit_source.h - the files that units of a program's debug information are in
 *
 * The program itself (or its separate debug file), the file that dwz lets
 * several programs share, a package of split units (.dwp), and .dwo files. Each
 * has its own sections, and its own range of offsets, so that a DIE is one
 * number wherever it is: the number of the source, and the offset in its
 * .debug_info, which .debug_types follows as if it were one section with it.
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
	SOURCE_SPLIT, /* and those after it: of the file's first unit, ... */
};

struct unit;

struct source {
	struct debugfile *file;
	struct separate separate; /* its file; none: it is the program's */
	bool is_main;
	bool split; /* sections are called .debug_info.dwo and so on */
	uint64_t base;
	uint64_t info_size;    /* .debug_types follows */
	struct packed *packed; /* .debug_info, if it is compressed */
	struct unit_head head; /* of it, read last: see compressed_units.h */

	struct bytes sections[SECTION_COUNT];
	bool known[SECTION_COUNT];
	uint8_t *joined[2]; /* sections that there are several of */

	/* By offset. Until it is `complete`, there are only those of a packed
	 * section that something has been looked for in or behind. */
	VEC(struct unit *) units;
	bool complete;
	struct map abbrev_tables; /* by offset; so are line tables */
	struct map line_tables;
	struct map types; /* type units by signature, when they are known */
	bool types_known;
	struct map split_units; /* by dwo_id */
};

/* A source of the file that is being opened; `separate` becomes its own. */
struct source *source_create(struct debugfile *file, uint64_t number,
			     bool split, const struct separate *separate);
void source_destroy(struct source *source);

/* As image_take_failure(); NULL is allowed. */
int source_take_failure(const struct source *source);

/* The bytes of a section; empty when there is none. */
struct bytes source_section(struct source *source, enum section_id id);

/* Have the sections that units need, and close the file. */
void source_read_all(struct source *source);

/* Read the headers of all units, unless .debug_info is packed: then it is done
 * as far as they are asked for. */
void source_read_units(struct source *source);

/* Have the headers of all units, and, of a packed section, their roots too:
 * that takes a while where it is large. */
void source_complete(struct source *source);

/* Have a copy of it, which is the last one. */
struct unit *source_add_unit(struct source *source, const struct unit *unit);

/* Where a unit's bytes are, unless they are packed. */
const uint8_t *source_unit_bytes(const struct unit *unit);

/* The unit that the byte at `offset` is in, or NULL. */
struct unit *source_unit(struct source *source, uint64_t offset);

/* The number of the unit whose header is at `offset`, or SIZE_MAX: there is
 * none, as far as they are known. */
size_t source_unit_number(const struct source *source, uint64_t offset);

/* The type unit with this signature, or NULL. */
struct unit *source_type_unit(struct source *source, uint64_t signature);

/* The section that the values of a unit refer to. */
struct bytes unit_section(const struct unit *unit, enum section_id id);

/* The file that the program shares with others, or NULL: there is none. */
struct source *file_shared_source(struct debugfile *file);

/* The source that offsets like this one are of, or NULL. */
struct source *file_source(struct debugfile *file, uint64_t offset);

#endif
