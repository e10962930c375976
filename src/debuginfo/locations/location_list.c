/* location_list.c - see location_list.h */
#include "location_list.h"

/* A kind of entry that GNU tools have added after the kinds of DWARF 5
 * (DW_LLE_...). It has two numbers, and no range. */
#define LLE_VIEW_PAIR 9

static struct bytes take_block(struct cursor *cursor, uint64_t size)
{
	struct cursor block = cursor_take(cursor, size);

	return (struct bytes){block.at, cursor_left(&block)};
}

/* Find the expression for `address` in the list of a split unit before DWARF 5.
 * GNU tools write such a list nearly in the form of DWARF 5. */
static bool find_split(const struct unit *unit, uint64_t offset,
		       uint64_t address, struct bytes *out)
{
	struct cursor cursor =
		cursor_at(unit_section(unit, SECTION_LOC), offset);
	uint64_t base = unit->low_pc, low = 0, high = 0;

	while (!cursor.failed) {
		struct bytes expression;
		bool known = true;

		switch (cursor_u8(&cursor)) {
		case DW_LLEX_base_address_selection_entry:
			if (!unit_address(unit, cursor_uleb(&cursor), &base))
				return false;
			continue;
		case DW_LLEX_start_end_entry:
			known = unit_address(unit, cursor_uleb(&cursor), &low);
			known &=
				unit_address(unit, cursor_uleb(&cursor), &high);
			break;
		case DW_LLEX_start_length_entry:
			known = unit_address(unit, cursor_uleb(&cursor), &low);
			high = low + cursor_u32(&cursor);
			break;
		case DW_LLEX_offset_pair_entry:
			low = base + cursor_u32(&cursor);
			high = base + cursor_u32(&cursor);
			break;
		default: /* the end, or an unknown kind */
			return false;
		}
		expression = take_block(&cursor, cursor_u16(&cursor));
		if (!cursor.failed && known && address >= low &&
		    address < high) {
			*out = expression;
			return true;
		}
	}
	return false;
}

static bool find_old(const struct unit *unit, uint64_t offset, uint64_t address,
		     struct bytes *out)
{
	struct cursor cursor =
		cursor_at(unit_section(unit, SECTION_LOC), offset);
	uint64_t base = unit->low_pc;

	while (!cursor.failed) {
		uint64_t low = cursor_u64(&cursor);
		uint64_t high = cursor_u64(&cursor);
		struct bytes expression;

		if (cursor.failed || (!low && !high))
			break;
		if (low == UINT64_MAX) {
			base = high;
			continue;
		}
		expression = take_block(&cursor, cursor_u16(&cursor));
		if (!cursor.failed && address >= base + low &&
		    address < base + high) {
			*out = expression;
			return true;
		}
	}
	return false;
}

/*
 * Translate the kind of an entry in a location list (DW_LLE_...) to the kind of
 * an entry with such bounds in a range list (DW_RLE_...), for
 * list_entry_read(). Range lists have no kind like DW_LLE_default_location, so
 * the kinds after it are one lower.
 */
static unsigned kind_of_bounds(unsigned kind)
{
	return kind > DW_LLE_default_location ? kind - 1 : kind;
}

static bool find_new(const struct unit *unit, uint64_t offset, uint64_t address,
		     struct bytes *out)
{
	struct cursor cursor =
		cursor_at(unit_section(unit, SECTION_LOCLISTS), offset);
	struct list_bounds bounds = {.base = unit->low_pc};
	struct bytes fallback = {0};

	while (!cursor.failed) {
		unsigned kind = cursor_u8(&cursor);
		enum list_entry entry = LIST_NOWHERE;
		struct bytes expression;

		if (kind == LLE_VIEW_PAIR) {
			cursor_uleb(&cursor);
			cursor_uleb(&cursor);
			continue;
		}
		if (kind != DW_LLE_default_location)
			entry = list_entry_read(unit, &cursor,
						kind_of_bounds(kind), &bounds);
		if (entry == LIST_BASE)
			continue;
		if (entry == LIST_END) {
			if (fallback.data)
				*out = fallback;
			return fallback.data != NULL;
		}
		expression = take_block(&cursor, cursor_uleb(&cursor));
		if (cursor.failed)
			break;
		if (kind == DW_LLE_default_location) {
			fallback = expression;
		} else if (entry == LIST_BOUNDS && address >= bounds.low &&
			   address < bounds.high) {
			*out = expression;
			return true;
		}
	}
	return false;
}

bool location_list_find(const struct unit *unit, const struct attribute *list,
			uint64_t address, struct bytes *out)
{
	struct cursor cursor;
	uint64_t offset = list->number;

	if (unit->version < 5) {
		offset += unit->parts.lists;
		return unit->source->split
			       ? find_split(unit, offset, address, out)
			       : find_old(unit, offset, address, out);
	}
	if (list->class == ATTRIBUTE_INDEX) {
		struct bytes lists = unit_section(unit, SECTION_LOCLISTS);

		if (offset > lists.size)
			return false;
		cursor = cursor_at(lists, unit->loclists_base);
		cursor_skip(&cursor, offset * unit->offset_size);
		offset = unit->loclists_base +
			 cursor_unsigned(&cursor, unit->offset_size);
		if (cursor.failed)
			return false;
	} else {
		offset += unit->parts.lists;
	}
	return find_new(unit, offset, address, out);
}

bool location_list_of(struct debugfile *file, const struct die *die,
		      unsigned name, uint64_t address, struct bytes *out,
		      bool *is_list)
{
	struct attribute attribute;

	*is_list = false;
	*out = (struct bytes){0};
	if (!die_attribute(file, die, name, &attribute))
		return false;
	if (attribute.class == ATTRIBUTE_BLOCK) {
		*out = attribute.block;
		return true;
	}
	if (attribute.class != ATTRIBUTE_OFFSET &&
	    attribute.class != ATTRIBUTE_INDEX &&
	    attribute.class != ATTRIBUTE_UNSIGNED)
		return false;
	*is_list = true;
	if (!location_list_find(die->unit, &attribute, address, out))
		*out = (struct bytes){0};
	return true;
}

bool location_is_static(struct bytes expression)
{
	const uint8_t *data = expression.data;

	return expression.size &&
	       (data[0] == DW_OP_addr || data[0] == DW_OP_addrx ||
		data[0] == DW_OP_GNU_addr_index ||
		data[expression.size - 1] == DW_OP_form_tls_address ||
		data[expression.size - 1] == DW_OP_GNU_push_tls_address);
}

bool location_is_address(struct bytes expression)
{
	struct cursor cursor = cursor_at(expression, 0);

	switch (cursor_u8(&cursor)) {
	case DW_OP_addr:
		cursor_unsigned(&cursor, 8);
		break;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		cursor_uleb(&cursor);
		break;
	default:
		return false;
	}
	return !cursor.failed && !cursor_left(&cursor);
}
