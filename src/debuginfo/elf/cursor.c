/* cursor.c - see cursor.h */
#include "cursor.h"

#include <string.h>

struct cursor cursor_at(struct bytes bytes, uint64_t offset)
{
	/* The pointers of an empty cursor point to a real byte, because C does
	 * not allow arithmetic with null pointers. */
	static const uint8_t nothing;
	struct cursor cursor = {&nothing, &nothing, true};

	if (!bytes.data || offset > bytes.size)
		return cursor;
	cursor.failed = false;
	cursor.at = bytes.data + offset;
	cursor.end = bytes.data + bytes.size;
	return cursor;
}

struct cursor cursor_take(struct cursor *cursor, uint64_t size)
{
	struct cursor taken = *cursor;

	if (size > cursor_left(cursor)) {
		cursor_fail(cursor);
		return *cursor;
	}
	cursor->at += size;
	taken.end = cursor->at;
	return taken;
}

void cursor_skip(struct cursor *cursor, uint64_t size)
{
	if (size > cursor_left(cursor))
		cursor_fail(cursor);
	else
		cursor->at += size;
}

/* Read the bits of a LEB128 number. *sign gets the sign bit of the number's
 * last byte, *shift the number of bits that were read. The caller extends the
 * sign. */
static uint64_t leb(struct cursor *cursor, bool *sign, unsigned *shift)
{
	uint64_t value = 0;
	uint8_t byte;

	*shift = 0;
	do {
		if (cursor->at == cursor->end) {
			cursor_fail(cursor);
			return 0;
		}
		byte = *cursor->at++;
		if (*shift < 64) {
			value |= (uint64_t)(byte & 0x7f) << *shift;
			*shift += 7;
		}
	} while (byte & 0x80);
	*sign = byte & 0x40;
	return value;
}

uint64_t cursor_long_uleb(struct cursor *cursor)
{
	unsigned shift;
	bool sign;

	return leb(cursor, &sign, &shift);
}

int64_t cursor_sleb(struct cursor *cursor)
{
	unsigned shift;
	bool sign = false;
	uint64_t value = leb(cursor, &sign, &shift);

	if (sign && shift < 64)
		value |= UINT64_MAX << shift;
	return (int64_t)value;
}

const char *cursor_string(struct cursor *cursor)
{
	const char *string = (const char *)cursor->at;
	const uint8_t *end;

	end = cursor->at == cursor->end
		      ? NULL
		      : memchr(cursor->at, '\0', cursor_left(cursor));
	if (!end) {
		cursor_fail(cursor);
		return "";
	}
	cursor->at = end + 1;
	return string;
}

uint64_t cursor_unit_length(struct cursor *cursor, unsigned *offset_size)
{
	uint64_t length = cursor_u32(cursor);

	*offset_size = 4;
	if (length == 0xffffffff) {
		*offset_size = 8;
		length = cursor_u64(cursor);
	} else if (length >= 0xfffffff0) {
		cursor_fail(cursor); /* DWARF reserves these values. */
	}
	return length;
}

const char *bytes_string(struct bytes bytes, uint64_t offset)
{
	struct cursor cursor;
	const char *string;

	/* String sections of correct files end with a zero byte. Every string
	 * in such a section is terminated, so no search for its end is
	 * needed. */
	if (offset < bytes.size && bytes.data[bytes.size - 1] == '\0')
		return (const char *)bytes.data + offset;
	cursor = cursor_at(bytes, offset);
	string = cursor_string(&cursor);
	return cursor.failed ? NULL : string;
}
