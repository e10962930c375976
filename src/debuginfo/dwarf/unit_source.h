/*
 * unit_source.h - the files that have the units of a program's debug
 * information
 *
 * The main source is the program itself, or its separate debug file. The other
 * sources are the file that dwz lets several programs share, a package of split
 * units (.dwp), and .dwo files. A source has its own sections and its own range
 * of offsets:
 *
 *	offset = (source number << SOURCE_SHIFT) + offset in .debug_info
 *
 * One number therefore identifies a DIE among those of all sources. The offsets
 * of .debug_types continue those of .debug_info, as if both were one section.
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
	/* SOURCE_SPLIT + i: the .dwo file that was opened for unit number i
	 * (from 0) of the main source */
	SOURCE_SPLIT,
};

struct unit;

struct source {
	struct debugfile *file;
	/* The open file of the source. It is unused in the main source, whose
	 * sections are those of `file`. */
	struct separate separate;
	bool is_main;
	/* the file's sections are named .debug_info.dwo and so on */
	bool split;
	/* where the range of offsets begins: the offset of the first byte of
	 * .debug_info */
	uint64_t base;
	uint64_t info_size; /* size of .debug_info; .debug_types follows it */
	/* .debug_info if it is inflated piece by piece (compressed_units.h);
	 * else NULL */
	struct packed *packed;
	/* the first bytes of the unit that was inflated last */
	struct unit_head head;

	struct bytes sections[SECTION_COUNT];
	bool known[SECTION_COUNT];
	/* joined[0]: if the file has several sections .debug_info, their bytes,
	 * one behind the other; joined[1]: the same for .debug_types. */
	uint8_t *joined[2];

	/* Sorted by offset. If .debug_info is packed, then until the source is
	 * `complete` the list ends with the last unit that was needed so
	 * far. */
	VEC(struct unit *) units;
	bool complete;
	/* If .debug_info is packed: recall_units() of struct debugfile was
	 * asked for the units, and had them. */
	bool recall_tried, recalled;
	char *recalled_texts;     /* the names of recalled units; may be NULL */
	struct map abbrev_tables; /* by offset in .debug_abbrev */
	struct map line_tables;   /* by offset in .debug_line */
	struct map types;         /* the type units, by signature */
	bool types_known;         /* `types` has been made */
	/* of a package or .dwo file: its units by dwo_id */
	struct map split_units;
};

/* Make source number `number` of the debug information of `file`. `separate` is
 * the open file of the source, or NULL for the main source; the source takes
 * ownership of `*separate`. `split`: see struct source. The caller frees the
 * source with source_destroy(). */
struct source *source_create(struct debugfile *file, uint64_t number,
			     bool split, const struct separate *separate);
/* Free a source; NULL is allowed. */
void source_destroy(struct source *source);

/* Return the errno of a failed read of the source's file, or 0, as
 * image_take_failure() does. NULL is allowed. */
int source_take_failure(const struct source *source);

/* The bytes of a section; empty if the source has no such section. The function
 * reads them when they are first needed; the source owns them. */
struct bytes source_section(struct source *source, enum section_id id);

/* Read all sections that units need, and close the file. */
void source_read_all(struct source *source);

/* Read the headers of all units. If .debug_info is packed, the function reads
 * no header; headers are then read later, only as far as units are needed. */
void source_read_units(struct source *source);

/* Read the headers of all units that have not been read yet. If .debug_info is
 * packed, the function also reads the root DIEs of all units, which takes long
 * if the section is large. */
void source_complete(struct source *source);

/* Append a copy of the unit to the units of the source, which owns the copy.
 * Units must be appended in the order of their offsets. */
struct unit *source_add_unit(struct source *source, const struct unit *unit);

/* The bytes of a unit, from its header on. NULL: .debug_info is packed, so the
 * unit must be inflated first (packed_unit_load()). */
const uint8_t *source_unit_bytes(const struct unit *unit);

/* The unit that contains the byte at `offset`, or NULL. */
struct unit *source_unit(struct source *source, uint64_t offset);

/* The index in source->units of the unit whose header is at `offset`. SIZE_MAX:
 * none of the units that are known so far begins at `offset`. */
size_t source_unit_number(const struct source *source, uint64_t offset);

/* The type unit of the source with this signature, or NULL. */
struct unit *source_type_unit(struct source *source, uint64_t signature);

/* The section of this kind to which values in the unit's DIEs refer. For a
 * split unit, some of these sections are in the linked file and not in the file
 * of the split unit. */
struct bytes unit_section(const struct unit *unit, enum section_id id);

/* The source for the shared file, which has debug information that dwz has
 * moved out of several programs. NULL: the program has no shared file, or the
 * file cannot be found. The first call opens the file. */
struct source *file_shared_source(struct debugfile *file);

/* The source whose range of offsets contains `offset`, or NULL. */
struct source *file_source(struct debugfile *file, uint64_t offset);

#endif
