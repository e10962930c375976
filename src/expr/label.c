/*
 * label.c - what a value is called as a row of a table
 *
 * A string is read no further than it is shown, and never beyond its zero's
 * page: what lies behind it need not be mapped.
 */
#include <stdio.h>
#include <string.h>

#include "code.h"

#define PAGE 4096u

static bool is_string(struct type type)
{
	return type.pointers == 1 && type.class == TYPE_INTEGER &&
	       type.size == 1;
}

bool bound_expr_is_number(const struct bound_expr *bound)
{
	return !is_string(bound->type);
}

/* Up to `size` bytes, less if there is a zero before, which makes it `whole`;
 * false: not even the first page can be read. */
static bool read_string(const struct frame_reader *reader, uint64_t address,
			char *buffer, size_t size, size_t *length, bool *whole)
{
	*length = 0;
	*whole = false;
	while (*length < size) {
		size_t part = PAGE - address % PAGE;
		const char *zero;

		if (part > size - *length)
			part = size - *length;
		if (!reader->read || !reader->read(reader->context, address,
						   buffer + *length, part))
			return *length > 0;
		zero = memchr(buffer + *length, 0, part);
		if (zero) {
			*length = (size_t)(zero - buffer);
			*whole = true;
			return true;
		}
		*length += part;
		address += part;
	}
	return true;
}

/* The bytes of a UTF-8 character, 1 to 4; 0: what is there is none, or one of
 * control. */
static size_t character_length(const unsigned char *at, size_t left)
{
	size_t length = *at < 0x80                   ? 1
			: *at >= 0xc2 && *at <= 0xdf ? 2
			: *at >= 0xe0 && *at <= 0xef ? 3
			: *at >= 0xf0 && *at <= 0xf4 ? 4
						     : 0;

	if (!length || length > left ||
	    (length == 1 && (*at < ' ' || *at == 0x7f)))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* forms that are too long, halves of pairs, C1 controls */
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
	    (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f) ||
	    (*at == 0xc2 && at[1] < 0xa0))
		return 0;
	return length;
}

/* One character as it is shown, into `out` of 5 or more; how many bytes of the
 * string it is. */
static size_t show(const char *at, size_t left, char out[static 5])
{
	static const char plain[] = "\a\b\t\n\v\f\r", names[] = "abtnvfr";
	unsigned char byte = (unsigned char)*at;
	size_t length = character_length((const unsigned char *)at, left);
	const char *found = byte ? strchr(plain, byte) : NULL;

	if (*at == '\\')
		snprintf(out, 5, "\\\\");
	else if (found)
		snprintf(out, 5, "\\%c", names[found - plain]);
	else if (!length)
		snprintf(out, 5, "\\%03o", byte);
	else
		snprintf(out, 5, "%.*s", (int)length, at);
	return length ? length : 1;
}

/* As much of the string as fits; "..." at its end tells that there is more. */
static void write_string(const char *string, size_t length, bool whole,
			 char *buffer, size_t size)
{
	size_t used = 0, last = 0; /* the end, and the last one before "..." */
	char shown[5];

	for (size_t at = 0; at < length;) {
		at += show(string + at, length - at, shown);
		if (used + strlen(shown) >= size) {
			whole = false;
			break;
		}
		memcpy(buffer + used, shown, strlen(shown));
		used += strlen(shown);
		if (used + 4 <= size)
			last = used;
	}
	if (!whole) {
		used = last;
		memcpy(buffer + used, "...", 3);
		used += 3;
	}
	buffer[used] = '\0';
}

static struct error *label_string(const struct expr_input *input,
				  uint64_t address, char *buffer, size_t size)
{
	char string[256];
	size_t wanted = size < sizeof(string) ? size : sizeof(string);
	size_t length;
	bool whole;

	if (!address) {
		snprintf(buffer, size, "NULL");
		return NULL;
	}
	if (!read_string(&input->reader, address, string, wanted, &length,
			 &whole))
		return error_create(ERROR_EVALUATE,
				    "cannot read the string at 0x%lx",
				    (unsigned long)address);
	write_string(string, length, whole, buffer, size);
	return NULL;
}

struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size)
{
	char digits[32];
	struct value value;

	TRY(bound_expr_evaluate(bound, input, &value));
	if (is_string(bound->type))
		return label_string(input, value.u, buffer, size);
	snprintf(buffer, size, "%s", value_format(value, digits));
	return NULL;
}
