/*
 * golden.h - compare a text with a file under tests/golden, byte for byte
 */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static inline char *golden_read(const char *path)
{
	FILE *file = fopen(path, "re");
	struct str text = {0};
	char block[4096];
	size_t length;

	if (!file)
		fail_msg("%s cannot be read (tests run in the repository's "
			 "root)",
			 path);
	while ((length = fread(block, 1, sizeof(block), file)) > 0)
		str_append_n(&text, block, length);
	fclose(file);
	return str_take(&text);
}

/* Remove the white space in empty lists and objects of JSON: json-c writes a
 * newline there before version 0.18. */
static inline char *golden_join_brackets(const char *text)
{
	struct str out = {0};
	bool is_string = false;

	for (; *text; text++) {
		size_t blank = strspn(text + 1, " \n");

		str_append_char(&out, *text);
		if (*text == '"')
			is_string = !is_string;
		else if (is_string && *text == '\\' && text[1])
			str_append_char(&out, *++text);
		else if (!is_string &&
			 ((*text == '[' && text[1 + blank] == ']') ||
			  (*text == '{' && text[1 + blank] == '}')))
			text += blank;
	}
	return str_take(&out);
}

/*
 * Fails at the first line that differs. With PERFTOOL_GOLDEN_DIR set, what was
 * got is also written there, to be looked at and taken over by hand.
 */
static inline void golden_check(const char *name, const char *text)
{
	const char *directory = getenv("PERFTOOL_GOLDEN_DIR");
	bool is_json = strstr(name, ".json");
	char path[512];
	char *wanted, *got;
	size_t line = 1, at = 0;

	if (directory) {
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", directory, name);
		file = fopen(path, "we");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
	}
	snprintf(path, sizeof(path), "tests/golden/%s", name);
	wanted = golden_read(path);
	got = is_json ? golden_join_brackets(text) : xstrdup(text);
	if (is_json) {
		char *joined = golden_join_brackets(wanted);

		free(wanted);
		wanted = joined;
	}
	while (got[at] && got[at] == wanted[at])
		line += got[at++] == '\n';
	if (got[at] != wanted[at]) {
		print_error("%s, line %zu, is not as expected; got:\n%s", name,
			    line, text);
		free(wanted);
		free(got);
		fail();
	}
	free(wanted);
	free(got);
}

#endif
