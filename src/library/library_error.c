/*
 * library_error.c - errors and texts as the callers of the library see them
 *
 * A struct perftool_error is the struct error that the layers below have made.
 */
#include <string.h>

#include "library_state.h"
#include "perftool/base/utf8.h"

_Static_assert((int)PERFTOOL_ERROR_INTERRUPTED == (int)ERROR_INTERRUPTED,
	       "the codes are the same, in the same order");

struct perftool_error *library_error(struct error *error)
{
	return (struct perftool_error *)error;
}

struct error *perftool_error_cause(struct perftool_error *error)
{
	return (struct error *)error;
}

struct perftool_error *library_null(const char *function, const char *name)
{
	return library_error(error_create(ERROR_USAGE,
					  "%s(): the argument `%s' is NULL",
					  function, name));
}

enum perftool_error_code perftool_error_code(const struct perftool_error *error)
{
	return (enum perftool_error_code)error_code(
		(const struct error *)error);
}

const char *perftool_error_message(const struct perftool_error *error)
{
	return error ? error_message((const struct error *)error) : "no error";
}

void perftool_error_destroy(struct perftool_error *error)
{
	error_destroy((struct error *)error);
}

char *perftool_printable(const char *text)
{
	struct str out = {0};

	if (!text)
		return NULL;
	utf8_append_harmless(text, strlen(text), "\n\t", &out);
	return str_take(&out);
}

const char *perftool_version(void)
{
	return PERFTOOL_VERSION;
}
