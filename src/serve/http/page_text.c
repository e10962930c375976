/*
 * page_text.c - see page_text.h
 *
 * page/page.html has marks in places where the style, the scripts and the nonce
 * belong: @STYLE@, @SCRIPT@, @NONCE@ and so on.
 */
#include "page_text.h"

#include <string.h>

#include "perftool/web.h"

/* in page_files.S */
extern const char page_html[], live_style[], live_script[];

void page_text(const char *nonce, struct str *out)
{
	const struct {
		const char *mark, *text;
	} parts[] = {
		{"@STYLE@", page_style},      {"@FIGURE_STYLE@", figure_style},
		{"@LIVE_STYLE@", live_style}, {"@SORTING@", sorting_script},
		{"@SCRIPT@", live_script},    {"@NONCE@", nonce}};
	const char *at = page_html, *mark;

	while ((mark = strchr(at, '@'))) {
		size_t i = 0, count = sizeof(parts) / sizeof(*parts);

		str_append_n(out, at, (size_t)(mark - at));
		while (i < count && !str_starts(mark, parts[i].mark))
			i++;
		if (i < count)
			str_append(out, parts[i].text);
		else
			str_append_char(out, '@');
		at = mark + (i < count ? strlen(parts[i].mark) : 1);
	}
	str_append(out, at);
}
