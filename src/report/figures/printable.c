/* printable.c - see printable.h */
#include "printable.h"

#include <stdint.h>

/* Reads one character of UTF-8, and returns the number of its bytes; 0: the
 * bytes are not UTF-8 (RFC 3629). */
static size_t read_character(const char *text, uint32_t *character)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)*text;
	size_t length = first < 0x80   ? 1
			: first < 0xc0 ? 0
			: first < 0xe0 ? 2
			: first < 0xf0 ? 3
			: first < 0xf8 ? 4
				       : 0;

	*character = length < 2 ? first : first & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (next & 0x3f);
	}
	if (length > 1 &&
	    (*character < least[length] || *character > 0x10ffff ||
	     (*character >= 0xd800 && *character <= 0xdfff)))
		return 0;
	return length;
}

/* Does the character change how others are shown, or begin a new line? */
static bool is_disturbing(uint32_t character)
{
	return character < ' ' || (character >= 0x7f && character < 0xa0) ||
	       character == 0x061c || character == 0x200e ||
	       character == 0x200f ||
	       (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2066 && character <= 0x2069);
}

void printable(const char *text, struct str *out)
{
	while (*text) {
		uint32_t character;
		size_t length = read_character(text, &character);

		if (!length || is_disturbing(character))
			str_append_char(out, '?');
		else
			str_append_n(out, text, length);
		text += length ? length : 1;
	}
}

static size_t characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Returns where character `index` begins. */
static const char *character_at(const char *text, size_t index)
{
	for (; *text; text++) {
		if (((unsigned char)*text & 0xc0) != 0x80 && !index--)
			break;
	}
	return text;
}

void printable_cut(const char *text, size_t width, struct str *out)
{
	struct str whole = {0};
	size_t count, tail;
	const char *clean;

	printable(text, &whole);
	clean = str_text(&whole);
	count = characters(clean);
	if (width && width < 8)
		width = 8;
	if (!width || count <= width) {
		str_append(out, clean);
	} else {
		const char *end;

		tail = (width - 2) / 3;
		end = character_at(clean, width - 2 - tail);
		str_append_n(out, clean, (size_t)(end - clean));
		str_append(out, "..");
		str_append(out, character_at(clean, count - tail));
	}
	str_deinit(&whole);
}
