/* json_member.c - a member that is added to an object that was written */
#include <string.h>

#include "json.h"

void json_append_indented(const char *text, const char *blanks, struct str *out)
{
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "\n");
		str_append_n(out, text, length);
		if (!text[length])
			break;
		str_printf(out, "\n%s", blanks);
		length++;
	}
}

/* Append the text of a value without the line ends and blanks that only lay it
 * out. (In strings, line ends are written as \\n.) */
static void append_in_line(const char *text, struct str *out)
{
	size_t length;

	for (; *text; text += length) {
		length = strcspn(text, "\n");
		str_append_n(out, text, length);
		text += length;
		length = strspn(text, "\n ");
	}
}

void report_json_member(const char *name, const char *json, struct str *out)
{
	static const char pretty_end[] = "\n}\n", line_end[] = "}\n";
	const size_t length = out->length;
	struct str whole = {0};
	bool is_pretty = length >= strlen(pretty_end) &&
			 str_equal(str_text(out) + length - strlen(pretty_end),
				   pretty_end);
	const char *end = is_pretty ? pretty_end : line_end;

	str_append_n(&whole, str_text(out), length - strlen(end));
	str_printf(&whole, is_pretty ? ",\n  \"%s\": " : ",\"%s\":", name);
	if (is_pretty)
		json_append_indented(json, "  ", &whole);
	else
		append_in_line(json, &whole);
	str_append(&whole, end);
	str_deinit(out);
	*out = whole;
}
