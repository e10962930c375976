/* html_text.c - texts as HTML */
#include <math.h>
#include <string.h>

#include "page.h"
#include "report/figures/figures.h"

static size_t count_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Returns where character `index` begins. */
static const char *character(const char *text, size_t index)
{
	for (; *text; text++)
		if (((unsigned char)*text & 0xc0) != 0x80 && !index--)
			break;
	return text;
}

void html_name(const char *text, size_t most, struct str *out)
{
	struct str clean = {0};
	size_t count;

	clean_name(text, &clean);
	count = count_characters(str_text(&clean));
	str_append(out, "<bdi>");
	if (count <= most) {
		svg_escape(str_text(&clean), clean.length, out);
	} else {
		/* the beginning of a name has its namespace, the end its own
		 * name and its parameters */
		const char *begin = str_text(&clean);
		const char *middle = character(begin, most - 1 - most / 3);
		const char *end = character(begin, count - most / 3);

		svg_escape(begin, (size_t)(middle - begin), out);
		str_append(out, "\xe2\x80\xa6");
		svg_escape(end, strlen(end), out);
	}
	str_append(out, "</bdi>");
	str_deinit(&clean);
}

void html_text(const char *text, struct str *out)
{
	svg_escape_name(text, out);
}

void html_block(const char *text, struct str *out)
{
	struct str part = {0};

	while (*text) {
		size_t length = strcspn(text, "\n\t");

		if (length) {
			str_append_n(&part, text, length);
			svg_escape_name(str_text(&part), out);
			str_deinit(&part);
		}
		text += length;
		if (*text)
			str_append_char(out, *text++);
	}
}

void html_cell(double value, const char *text, struct str *out)
{
	str_append(out, "<td");
	if (isfinite(value))
		str_printf(out, " data-v=\"%.7g\"", value);
	str_printf(out, ">%s</td>", text);
}

void html_count(uint64_t count, const char *what, struct str *out)
{
	report_number((__int128)count, out);
	str_printf(out, " %s%s", what, count == 1 ? "" : "s");
}
