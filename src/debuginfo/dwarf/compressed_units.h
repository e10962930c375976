/*
 * compressed_units.h - the units of a .debug_info that is inflated piece by
 * piece
 *
 * To inflate all of a large section can take almost a second. Each unit's
 * header says where the next unit begins, so the reader inflates the section
 * only as far as it needs units, and keeps only their headers. When something
 * needs the contents of a unit, the reader inflates that unit once more.
 */
#ifndef PERFTOOL_DEBUGINFO_COMPRESSED_UNITS_H
#define PERFTOOL_DEBUGINFO_COMPRESSED_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;
struct unit;

/* The size in bytes of the longest header of a unit, which a type unit of
 * 64-bit DWARF 5 has. */
#define UNIT_HEAD_MAX 40

/* The first bytes of a unit, which have its header. They are the last bytes
 * that were inflated, so the current place in the section is directly behind
 * them. */
struct unit_head {
	uint8_t bytes[UNIT_HEAD_MAX];
	size_t count; /* how many bytes `bytes` has */
	/* of the whole unit: offset in the section, bytes */
	uint64_t place, size;
};

/* Inflate the head of the unit that begins at the current place of the section.
 * Save a mark there (compressed_section.h), so that the reader can come back.
 * False: no unit is there, or its bytes cannot be inflated. */
bool packed_unit_head(struct source *source, struct unit_head *head);

/* Inflate the bytes of the unit that are behind its head. Copy the whole unit,
 * with its head, to `out`, which has `head->size` bytes. False: the bytes
 * cannot be inflated. */
bool packed_unit_rest(struct source *source, const struct unit_head *head,
		      uint8_t *out);

/* Read headers of units, from the first header that is not known yet to that of
 * the unit that contains the byte at `offset`. If a header cannot be read, the
 * function calls source_complete(), which ends the search for units. */
void packed_units_to(struct source *source, uint64_t offset);

/* Inflate a whole unit, whose header is known, to memory that the unit owns
 * (`owns_data`). False: the unit cannot be inflated, or there is no memory. */
bool packed_unit_load(struct unit *unit);

#endif
