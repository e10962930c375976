/* compressed_units.c - inflates units one by one; see compressed_units.h */
#include "compressed_units.h"

#include <stdlib.h>
#include <string.h>

#include "debuginfo/elf/elf.h"
#include "unit.h"

/* Inflate `count` more bytes of the head. */
static bool read_more(struct source *source, struct unit_head *head,
		      size_t count)
{
	if (!packed_read(source->packed, head->bytes + head->count, count))
		return false;
	head->count += count;
	return true;
}

bool packed_unit_head(struct source *source, struct unit_head *head)
{
	struct packed *packed = source->packed;
	uint64_t left = packed_size(packed) - packed_place(packed), size = 0;
	size_t more;

	packed_mark(packed);
	head->count = 0;
	head->place = packed_place(packed);
	if (left < 12 || !read_more(source, head, 4))
		return false;
	memcpy(&size, head->bytes, 4);
	if (size == UINT32_MAX) {
		if (!read_more(source, head, 8))
			return false;
		memcpy(&size, head->bytes + 4, 8);
	}
	if (size > left - head->count)
		return false;
	more = UNIT_HEAD_MAX - head->count;
	head->size = head->count + size;
	return read_more(source, head, size < more ? (size_t)size : more);
}

bool packed_unit_rest(struct source *source, const struct unit_head *head,
		      uint8_t *out)
{
	memcpy(out, head->bytes, head->count);
	return packed_read(source->packed, out + head->count,
			   head->size - head->count);
}

/* Read the header of the first unit that is not known yet, and append the unit
 * to the source. */
static bool read_next(struct source *source)
{
	struct unit_head *head = &source->head;
	uint64_t offset = source->base;
	struct unit unit;

	if (source->units.count)
		offset = source->units.data[source->units.count - 1]->end;
	return packed_seek(source->packed, offset - source->base) &&
	       packed_unit_head(source, head) &&
	       unit_read_header(source,
				(struct bytes){head->bytes, head->count},
				head->size, offset, false, &unit) &&
	       source_add_unit(source, &unit);
}

void packed_units_to(struct source *source, uint64_t offset)
{
	uint64_t known;

	do {
		if (!read_next(source)) {
			/* There are no more units that can be read. */
			source_complete(source);
			return;
		}
		known = source->units.data[source->units.count - 1]->end;
	} while (known <= offset);
}

bool packed_unit_load(struct unit *unit)
{
	struct source *source = unit->source;
	struct unit_head *head = &source->head;
	uint64_t place = unit->offset - source->base;
	uint8_t *data = malloc(unit->end - unit->offset);
	/* If the head of this unit was inflated last, the other bytes of the
	 * unit are the next bytes of the section, and the reader need not seek.
	 * A seek backwards can mean that megabytes must be inflated again. */
	bool next = head->count && head->place == place &&
		    packed_place(source->packed) == place + head->count;

	if (!data ||
	    (!next && (!packed_seek(source->packed, place) ||
		       !packed_unit_head(source, head))) ||
	    head->size != unit->end - unit->offset ||
	    !packed_unit_rest(source, head, data)) {
		free(data);
		return false;
	}
	unit->data = data;
	unit->owns_data = true;
	return true;
}
