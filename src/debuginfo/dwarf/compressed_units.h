/*
 * compressed_units.h - the units of a .debug_info that is inflated piece by
 * piece
 *
 * To inflate all of a large section can take the most of a second. Each unit's
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

/* The size in bytes of the longest header: that of a type unit of 64-bit
 * DWARF 5. */
#define UNIT_HEAD_MAX 40

/* The first bytes of a unit. They are the bytes that were inflated last, so the
 * current place of the section is directly behind them. */
struct unit_head {
	uint8_t bytes[UNIT_HEAD_MAX];
	size_t count;         /* how many of the bytes are there */
	uint64_t place, size; /* of the whole unit, in the section */
};

/* Inflate the head of the unit that begins at the current place of the section.
 * Save a mark there, so that the reader can come back. False: no unit is there,
 * or its bytes cannot be inflated. */
bool packed_unit_head(struct source *source, struct unit_head *head);

/* Inflate the bytes of the unit that are behind its head. Copy the whole unit,
 * with its head, to `out`, which has `head->size` bytes. False: the bytes
 * cannot be inflated. */
bool packed_unit_rest(struct source *source, const struct unit_head *head,
		      uint8_t *out);

/* Read the headers that are not known yet, up to the header of the unit that
 * contains the byte at `offset`. If a header cannot be read, no more units are
 * sought in this way: source_complete() is called. */
void packed_units_to(struct source *source, uint64_t offset);

/* Inflate a unit once more, to memory that the unit owns (`owns_data`). False:
 * the unit cannot be inflated, or there is no memory. */
bool packed_unit_load(struct unit *unit);

#endif
