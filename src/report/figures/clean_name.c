/* clean_name.c - see clean_name.h */
#include "clean_name.h"

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/utf8.h"

/* A name that has a character that turns the direction of writing would be
 * shown in another order than it has, and the text behind it, too. U+FFFE and
 * U+FFFF are no characters. */
static bool is_printable(uint32_t code)
{
	return !utf8_is_control(code) && (code & 0xfffe) != 0xfffe;
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
