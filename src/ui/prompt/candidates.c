/*
 * candidates.c - the text that all candidates of a completion have in common,
 * and the list of the candidates
 */
#include "candidates.h"

#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/utf8.h"

#include "ui/terminal/terminal.h"

enum { LIST_MAX = 200 };

char *candidates_common(char *const *words)
{
	const char *first = words[0];
	size_t length = strlen(first);

	for (size_t i = 1; words[i]; i++) {
		size_t same = 0;

		while (same < length && first[same] == words[i][same])
			same++;
		length = same;
	}
	/* The text must not end in the middle of a character of UTF-8. */
	while (length > 0 && ((unsigned char)first[length] & 0xc0) == 0x80)
		length--;
	return xstrndup(first, length);
}

void candidates_list(char *const *words, FILE *screen)
{
	size_t count = 0, shown, width = 1, columns, rows;

	while (words[count])
		count++;
	shown = count;
	if (shown > LIST_MAX)
		shown = LIST_MAX;
	for (size_t i = 0; i < shown; i++) {
		size_t length = strlen(words[i]);

		width = length > width ? length : width;
	}
	width += 2;
	columns = (size_t)terminal_columns(STDOUT_FILENO) / width;
	columns = columns ? columns : 1;
	rows = (shown + columns - 1) / columns;
	fputc('\n', screen);
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < shown; i += rows) {
			struct str word = {0};

			utf8_append_harmless(words[i], strlen(words[i]), "",
					     &word);
			if (i + rows < shown)
				fprintf(screen, "%-*s", (int)width,
					str_text(&word));
			else
				fputs(str_text(&word), screen);
			str_deinit(&word);
		}
		fputc('\n', screen);
	}
	if (shown < count)
		fprintf(screen, "... and %zu more\n", count - shown);
	fflush(screen);
}
