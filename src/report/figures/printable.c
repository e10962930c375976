/* printable.c - see printable.h */
#include "printable.h"

#include "perftool/base/utf8.h"

void printable(const char *text, struct str *out)
{
	while (*text) {
		uint32_t code;
		size_t length = utf8_sequence(text, &code);

		if (!length || utf8_is_control(code))
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
