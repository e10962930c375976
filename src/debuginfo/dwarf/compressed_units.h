/*
 * compressed_units.h - the units of a .debug_info that is inflated piece by
 * piece
 *
 * What they are is told by their headers, each of which says where the next one
 * is; that is done as far as units are asked for, for to inflate all of it can
 * take the most of a second. Their bytes are inflated once more when something
 * in them is looked at.
 */
#ifndef PERFTOOL_DEBUGINFO_COMPRESSED_UNITS_H
#define PERFTOOL_DEBUGINFO_COMPRESSED_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source;
struct unit;

/* The longest header, of a type unit of 64-bit DWARF 5. */
#define UNIT_HEAD_MAX 40

/* The first bytes of a unit, which have been inflated, as the last ones. */
struct unit_head {
	uint8_t bytes[UNIT_HEAD_MAX];
	size_t count;
	uint64_t place, size; /* of the unit, in the section */
};

/* Inflate the head of the unit that is next. */
bool packed_unit_head(struct source *source, struct unit_head *head);

/* And what comes behind it; `out` gets the unit, with its head. */
bool packed_unit_rest(struct source *source, const struct unit_head *head,
		      uint8_t *out);

/* Read headers up to that of the unit that the byte at `offset` is in. */
void packed_units_to(struct source *source, uint64_t offset);

/* Inflate a unit once more; it owns its bytes then. */
bool packed_unit_load(struct unit *unit);

#endif
