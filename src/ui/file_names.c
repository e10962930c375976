/* file_names.c - see file_names.h */
#include "file_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* A list that is longer is not a list of names. */
#define MOST_BYTES (256u << 20)

static struct error *read_all(FILE *file, const char *name, struct str *out)
{
	char bytes[65536];
	size_t count;

	while ((count = fread(bytes, 1, sizeof(bytes), file)) > 0) {
		str_append_n(out, bytes, count);
		if (out->length > MOST_BYTES)
			return error_create(ERROR_BAD_FILE,
					    "%s is too long for a list of "
					    "names of files",
					    name);
	}
	return ferror(file) ? error_system(errno, "cannot read %s", name)
			    : NULL;
}

static struct error *read_list(const char *path, struct str *out)
{
	struct error *error;
	FILE *file;

	if (str_equal(path, "-"))
		return read_all(stdin, "standard input", out);
	file = fopen(path, "re");
	if (!file)
		return error_system(errno,
				    "cannot read %s, the list of names that @ "
				    "stands before",
				    path);
	error = read_all(file, path, out);
	fclose(file);
	return error;
}

struct error *file_names_read(const char *path, struct string_list *names)
{
	CLEANUP(str_deinit) struct str text = {0};
	const char *at, *end;
	char separator;

	TRY(read_list(path, &text));
	at = str_text(&text);
	end = at + text.length;
	separator = memchr(at, '\0', text.length) ? '\0' : '\n';
	while (at < end) {
		const char *next = memchr(at, separator, (size_t)(end - at));
		size_t length = (size_t)((next ? next : end) - at);

		if (length)
			vec_push(names, xstrndup(at, length));
		at += length + 1;
	}
	return NULL;
}
