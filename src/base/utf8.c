/* utf8.c - see utf8.h */
#include "perftool/base/utf8.h"

#include <string.h>

/* As utf8_sequence(), and reads no more than `left` bytes, which is at least 1.
 */
static size_t sequence(const char *text, size_t left, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least; /* smaller codes must use a shorter form */
	} forms[] = {{0x80, 0x00, 0},
		     {0xe0, 0xc0, 0x80},
		     {0xf0, 0xe0, 0x800},
		     {0xf8, 0xf0, 0x10000}};
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t n = 0; n < 4; n++) {
		uint32_t value;

		if ((bytes[0] & forms[n].mask) != forms[n].lead)
			continue;
		value = bytes[0] & (unsigned char)~forms[n].mask;
		for (size_t i = 1; i <= n; i++) {
			if (i >= left || (bytes[i] & 0xc0) != 0x80)
				return 0;
			value = value << 6 | (bytes[i] & 0x3f);
		}
		if (value < forms[n].least || value > 0x10ffff ||
		    (value >= 0xd800 && value <= 0xdfff))
			return 0;
		if (code)
			*code = value;
		return n + 1;
	}
	return 0;
}

size_t utf8_sequence(const char *text, uint32_t *code)
{
	return sequence(text, SIZE_MAX, code);
}

bool utf8_is_control(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x061c ||
	       code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void utf8_append_harmless(const char *text, size_t length, const char *kept,
			  struct str *out)
{
	size_t step;

	for (; length; text += step, length -= step) {
		unsigned char first = (unsigned char)*text;
		uint32_t code = first;

		step = sequence(text, length, &code);
		if (!step)
			code = first;
		step = step ? step : 1;
		if (utf8_is_control(code) && !(first && strchr(kept, first)))
			str_append_char(out, '?');
		else
			str_append_n(out, text, step);
	}
}

bool utf8_is_valid(const char *text)
{
	while (*text) {
		size_t length = utf8_sequence(text, NULL);

		if (!length)
			return false;
		text += length;
	}
	return true;
}

void utf8_append(const char *text, struct str *out)
{
	while (*text) {
		size_t length = utf8_sequence(text, NULL);

		if (length)
			str_append_n(out, text, length);
		else
			str_append(out, UTF8_REPLACEMENT);
		text += length ? length : 1;
	}
}
