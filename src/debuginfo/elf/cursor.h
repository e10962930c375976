/*
 * cursor.h - reading bytes that cannot be trusted
 *
 * A cursor is a position (`at`) in a block of bytes that stops at `end`. A
 * cursor never leaves these bytes. A read past the end yields 0 and marks the
 * cursor as failed for good. A parser may therefore read a whole record and
 * check `failed` once at the end. Numbers are little-endian.
 */
#ifndef PERFTOOL_DEBUGINFO_CURSOR_H
#define PERFTOOL_DEBUGINFO_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes of a section. The image that they came from owns them. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

struct cursor {
	const uint8_t *at, *end;
	bool failed;
};

/* A cursor over the bytes from `offset` on. If `offset` is beyond the end of
 * the bytes, the cursor is marked as failed. */
struct cursor cursor_at(struct bytes bytes, uint64_t offset);

/* Make a cursor of the next `size` bytes, and move `cursor` past them. */
struct cursor cursor_take(struct cursor *cursor, uint64_t size);

void cursor_skip(struct cursor *cursor, uint64_t size);

static inline size_t cursor_left(const struct cursor *cursor)
{
	return (size_t)(cursor->end - cursor->at);
}

static inline void cursor_fail(struct cursor *cursor)
{
	cursor->at = cursor->end;
	cursor->failed = true;
}

/* These functions are inline because the reader calls them for a hundred
 * million numbers while it makes the index of a large file. */

/* Read a number of 1, 2, 3, 4 or 8 bytes. If the size is another one, the
 * cursor is marked as failed. */
static inline uint64_t cursor_unsigned(struct cursor *cursor, unsigned size)
{
	uint64_t value = 0;

	if ((size > 4 && size != 8) || size == 0 ||
	    size > cursor_left(cursor)) {
		cursor_fail(cursor);
		return 0;
	}
	memcpy(&value, cursor->at, size);
	cursor->at += size;
	return value;
}

static inline uint8_t cursor_u8(struct cursor *cursor)
{
	if (cursor->at == cursor->end) {
		cursor->failed = true;
		return 0;
	}
	return *cursor->at++;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	return (uint16_t)cursor_unsigned(cursor, 2);
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	return (uint32_t)cursor_unsigned(cursor, 4);
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	return cursor_unsigned(cursor, 8);
}

/* Read a LEB128 number. If the number has more than 64 bits, the result is its
 * low 64 bits. */
uint64_t cursor_long_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);

static inline uint64_t cursor_uleb(struct cursor *cursor)
{
	if (cursor->at != cursor->end && *cursor->at < 0x80)
		return *cursor->at++;
	return cursor_long_uleb(cursor);
}

/* Read a string that a zero byte terminates. If there is no zero byte, the
 * result is "" and the cursor is marked as failed. */
const char *cursor_string(struct cursor *cursor);

/* Read a DWARF unit_length. The result is the length in bytes; `*offset_size`
 * gets the size of the unit's section offsets: 4 or 8 bytes. */
uint64_t cursor_unit_length(struct cursor *cursor, unsigned *offset_size);

/* The string at `offset` of a string section, or NULL if no terminated string
 * is there. */
const char *bytes_string(struct bytes bytes, uint64_t offset);

#endif
