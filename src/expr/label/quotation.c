/*
 * quotation.c - characters and strings in quotes; see quotation.h
 */
#include "quotation.h"

#include <string.h>

#include "perftool/base/alloc.h"

const char *text_prefix(const char *type)
{
	static const char *const prefixes[][2] = {
		{"wchar_t", "L"}, {"char16_t", "u"}, {"char32_t", "U"}};
	static const char *const qualifiers[] = {"const ", "volatile "};

	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
		if (str_starts(type, qualifiers[i]))
			type += strlen(qualifiers[i]);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (str_equal(type, prefixes[i][0]))
			return prefixes[i][1];
	return "";
}

void text_escape(struct str *out, uint32_t c, char quote)
{
	static const char from[] = "\a\b\f\n\r\t\v\\";
	static const char to[] = "abfnrtv\\";
	const char *found = c && c < 0x80 ? strchr(from, (int)c) : NULL;

	if (found)
		str_printf(out, "\\%c", to[found - from]);
	else if (quote && c == (unsigned char)quote)
		str_printf(out, "\\%c", quote);
	else if (c >= ' ' && c < 0x7f)
		str_append_char(out, (char)c);
	else
		str_printf(out, "\\%03o", c);
}

/*
 * The length of the sequence of UTF-8 at `bytes` if it can be printed; else 0.
 */
static size_t sequence(const uint8_t *bytes, size_t size)
{
	size_t length = bytes[0] >= 0xf0   ? 4
			: bytes[0] >= 0xe0 ? 3
			: bytes[0] >= 0xc2 ? 2
					   : 0;
	uint32_t c = length ? bytes[0] & (0x7fu >> length) : 0;

	if (!length || length > size || bytes[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	/*
	 * these cannot be printed: control characters, overlong forms,
	 * surrogates, and numbers beyond the last character
	 */
	if (c < 0xa0 || (length == 3 && c < 0x800) || c > 0x10ffff ||
	    (length == 4 && c < 0x10000) || (c >= 0xd800 && c < 0xe000))
		return 0;
	return length;
}

size_t print_character(struct str *out, const uint8_t *bytes, size_t size,
		       char quote)
{
	size_t length = sequence(bytes, size);

	if (length) {
		str_append_n(out, (const char *)bytes, length);
		return length;
	}
	text_escape(out, bytes[0], quote);
	return 1;
}

/* Append a character beyond ASCII, if it can be printed. */
static bool append_wide(struct str *out, uint32_t c)
{
	uint8_t bytes[4];
	size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (c < 0xa0 || c > 0x10ffff)
		return false;
	for (size_t i = length; --i;) {
		bytes[i] = (uint8_t)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	bytes[0] = (uint8_t)((0xf00u >> length) | c);
	if (!sequence(bytes, length))
		return false;
	str_append_n(out, (const char *)bytes, length);
	return true;
}

static void append_one(struct str *out, uint32_t c, char quote, bool wide)
{
	if (!wide || !append_wide(out, c))
		text_escape(out, c, quote);
}

void text_append_character(struct str *out, uint32_t c, const char *prefix,
			   bool wide)
{
	str_append(out, prefix);
	str_append_char(out, '\'');
	append_one(out, c, '\'', wide);
	str_append_char(out, '\'');
}

static uint32_t character(const struct text *text, size_t i)
{
	uint32_t c = 0;

	memcpy(&c, text->bytes + i * text->width, text->width);
	return c;
}

static size_t repeats(const struct text *text, size_t from)
{
	size_t end = from + 1;

	while (end < text->count &&
	       character(text, end) == character(text, from))
		end++;
	return end - from;
}

/*
 * A string is written as parts with commas between them: text in quotes, or a
 * character with its count. End the present part, so that another part can
 * follow.
 */
static void separate(struct str *out, bool *quoted, size_t start)
{
	if (*quoted)
		str_append_char(out, '"');
	if (out->length > start)
		str_append(out, ", ");
	*quoted = false;
}

void text_append(struct str *out, const struct text *text, bool more)
{
	size_t start = out->length, shown = 0, i = 0;
	bool quoted = false;

	while (i < text->count && shown < TEXT_MOST) {
		size_t count = repeats(text, i);

		if (count > TEXT_REPEATS) {
			separate(out, &quoted, start);
			text_append_character(out, character(text, i),
					      text->prefix, text->width > 1);
			str_printf(out, " <repeats %zu times>", count);
			i += count;
			shown += TEXT_REPEATS;
			continue;
		}
		if (!quoted) {
			separate(out, &quoted, start);
			str_printf(out, "%s\"", text->prefix);
			quoted = true;
		}
		count = 1;
		if (text->width == 1)
			count = print_character(out, text->bytes + i,
						text->count - i, '"');
		else
			append_one(out, character(text, i), '"', true);
		i += count;
		shown += count;
	}
	if (quoted)
		str_append_char(out, '"');
	else if (out->length == start)
		str_printf(out, "%s\"\"", text->prefix);
	if (more || i < text->count)
		str_append(out, "...");
}
