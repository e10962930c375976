/* error.c - see error.h. An error is one allocation, which owns its message. */
#include "perftool/base/error.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/base/utf8.h"

/* `errno_value` is 0 if the error is no ERROR_SYSTEM. */
struct error {
	enum error_code code;
	int errno_value;
	char *message;
};

/* Returns the message as a terminal may get it: names of the measured program
 * can be in it. */
static char *make_message(const char *format, va_list ap)
{
	CLEANUP(free_pointer) char *text = xvasprintf(format, ap);
	struct str message = {0};

	utf8_append_harmless(text, strlen(text), "\n\t", &message);
	return str_take(&message);
}

static struct error *create(enum error_code code, int errno_value,
			    const char *format, va_list ap)
{
	struct error *error = xcalloc(1, sizeof(*error));

	error->code = code;
	error->errno_value = errno_value;
	error->message = make_message(format, ap);
	return error;
}

struct error *error_create(enum error_code code, const char *format, ...)
{
	struct error *error;
	va_list ap;

	va_start(ap, format);
	error = create(code, 0, format, ap);
	va_end(ap);
	return error;
}

struct error *error_system(int errno_value, const char *format, ...)
{
	struct error *error;
	char *text;
	va_list ap;

	va_start(ap, format);
	error = create(ERROR_SYSTEM, errno_value, format, ap);
	va_end(ap);
	text = xasprintf("%s: %s", error->message, strerror(errno_value));
	free(error->message);
	error->message = text;
	return error;
}

struct error *error_prefix(struct error *error, const char *format, ...)
{
	char *prefix, *text;
	va_list ap;

	va_start(ap, format);
	prefix = make_message(format, ap);
	va_end(ap);
	text = xasprintf("%s: %s", prefix, error->message);
	free(prefix);
	free(error->message);
	error->message = text;
	return error;
}

void error_destroy(struct error *error)
{
	if (!error)
		return;
	free(error->message);
	free(error);
}

struct error *error_unless(struct error *error, enum error_code code)
{
	if (!error || error->code != code)
		return error;
	error_destroy(error);
	return NULL;
}

struct error *error_only(struct error *error, enum error_code code)
{
	if (!error || error->code == code)
		return error;
	error_destroy(error);
	return NULL;
}

struct error *error_first(struct error *first, struct error *next)
{
	if (!first)
		return next;
	error_destroy(next);
	return first;
}

enum error_code error_code(const struct error *error)
{
	return error->code;
}

int error_errno(const struct error *error)
{
	return error->errno_value;
}

const char *error_message(const struct error *error)
{
	return error->message;
}
