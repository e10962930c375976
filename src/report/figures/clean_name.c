/* clean_name.c - see clean_name.h */
#include "clean_name.h"

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/utf8.h"

/* Does the character change the direction of writing? A name that has one would
 * be shown in another order than it has, and the text behind it, too. */
static bool is_direction(uint32_t code)
{
	return code == 0x061c || code == 0x200e || code == 0x200f ||
	       (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

static bool is_printable(uint32_t code)
{
	return code >= 0x20 && (code < 0x7f || code >= 0xa0) &&
	       code != 0x2028 && code != 0x2029 && (code & 0xfffe) != 0xfffe &&
	       !is_direction(code);
}

/* Append the name. `for_blank` and `for_semicolon` take the place of these
 * characters. */
static void write_name(const char *name, char for_blank, char for_semicolon,
		       struct str *out)
{
	size_t start = out->length, length;
	uint32_t code;

	for (; *name; name += length ? length : 1) {
		length = utf8_sequence(name, &code);
		if (!length || !is_printable(code))
			str_append(out, UTF8_REPLACEMENT);
		else if (code == ' ')
			str_append_char(out, for_blank);
		else if (code == ';')
			str_append_char(out, for_semicolon);
		else
			str_append_n(out, name, length);
	}
	if (out->length == start)
		str_append(out, "[unknown]");
}

void clean_name(const char *name, struct str *out)
{
	write_name(name, ' ', ';', out);
}

void folded_name(const char *name, struct str *out)
{
	write_name(name, '_', ':', out);
}
