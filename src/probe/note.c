/*
 * note.c - remarks for the user
 *
 * What is true of a file is true in each process that has it: it is said once.
 * An answer to a command is said again when the command is given again.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

void note(struct probe *probe, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	if (probe->adding || !strmap_get(&probe->noted, text)) {
		strmap_set(&probe->noted, text, probe);
		probe->ops.note(probe->ops.context, text);
	}
	free(text);
}

void note_error(struct probe *probe, struct error *error)
{
	error = error_unless(error, ERROR_GONE);
	if (error)
		note(probe, "%s", error_message(error));
	error_destroy(error);
}
