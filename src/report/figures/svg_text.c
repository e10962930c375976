/* svg_text.c - see svg_text.h */
#include "svg_text.h"

#include <inttypes.h>
#include <string.h>

#include "clean_name.h"
#include "perftool/base/utf8.h"

/* Of a name that is cut, fewer letters tell nothing. */
#define LEAST_LETTERS 3

void svg_escape(const char *text, size_t length, struct str *out)
{
	for (size_t i = 0; i < length && text[i]; i++) {
		switch (text[i]) {
		case '&':
			str_append(out, "&amp;");
			break;
		case '<':
			str_append(out, "&lt;");
			break;
		case '>':
			str_append(out, "&gt;");
			break;
		case '"':
			str_append(out, "&quot;");
			break;
		default:
			str_append_char(out, text[i]);
		}
	}
}

void svg_escape_name(const char *name, struct str *out)
{
	struct str clean = {0};

	clean_name(name, &clean);
	svg_escape(str_text(&clean), clean.length, out);
	str_deinit(&clean);
}

/* The number of columns that a character takes. Letters of other alphabets than
 * those before U+1100 may be as wide as two. */
static size_t columns_of(uint32_t code)
{
	return code < 0x1100 ? 1 : 2;
}

/* The columns of a clean text. `*fitting` becomes the number of bytes that fit
 * into `room` columns. */
static size_t measure_text(const char *text, size_t room, size_t *fitting)
{
	size_t columns = 0, at = 0;

	*fitting = 0;
	while (text[at]) {
		uint32_t code = 0;
		size_t length = utf8_sequence(text + at, &code);

		columns += columns_of(code);
		at += length ? length : 1;
		if (columns <= room)
			*fitting = at;
	}
	return columns;
}

/* Is the text MODULE+0xADDRESS, the name of a function without one? Functions
 * of a module differ at the end of such names, not at the beginning. */
static bool is_address(const char *text)
{
	const char *at = strrchr(text, '+');

	if (!at || at == text || strncmp(at, "+0x", 3) != 0)
		return false;
	for (at = text; *at; at++)
		if ((unsigned char)*at >= 0x80)
			return false;
	return true;
}

size_t svg_fit(const char *text, size_t room, struct str *out)
{
	size_t fitting, columns = measure_text(text, room, &fitting);

	if (columns <= room) {
		svg_escape(text, fitting, out);
		return columns;
	}
	if (room < LEAST_LETTERS + 2)
		return 0;
	if (is_address(text)) {
		str_append(out, "..");
		svg_escape(text + strlen(text) - (room - 2), room - 2, out);
		return room;
	}
	measure_text(text, room - 2, &fitting);
	svg_escape(text, fitting, out);
	str_append(out, "..");
	return room;
}

void svg_length(uint64_t hundredths, struct str *out)
{
	str_printf(out, "%" PRIu64, hundredths / 100);
	if (hundredths % 100)
		str_printf(out, ".%02u", (unsigned)(hundredths % 100));
}
