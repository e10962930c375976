/*
 * note.c - remarks for the user
 *
 * What is true of a file is true in each process that has it: it is said once.
 * An answer to a command is said again when the command is given again.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "probe_state.h"

/* A pattern names many functions, of which the same is true. */
#define MOST_OF_MANY 10

void note(struct probe *probe, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	if ((probe->adding && !probe->remarks.is_unasked) ||
	    !strmap_get(&probe->remarks.noted, text)) {
		strmap_set(&probe->remarks.noted, text, probe);
		if (!probe->remarks.is_many ||
		    probe->remarks.many++ < MOST_OF_MANY)
			emit(probe,
			     (struct probe_event){.kind = PROBE_EVENT_NOTE,
						  .text = text});
	}
	free(text);
}

void probe_begin_many(struct probe *probe, bool asked)
{
	probe->remarks.is_many = true;
	probe->remarks.is_unasked = !asked;
	probe->remarks.many = 0;
}

void probe_end_many(struct probe *probe)
{
	size_t many = probe->remarks.many;

	probe->remarks.is_many = probe->remarks.is_unasked = false;
	if (many > MOST_OF_MANY) {
		CLEANUP(free_pointer)
		char *text =
			xasprintf("and %zu more remarks on these functions",
				  many - MOST_OF_MANY);

		/* of others than the last time, if they are as many */
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_NOTE,
						 .text = text});
	}
}

void note_error(struct probe *probe, struct error *error)
{
	error = error_unless(error, ERROR_GONE);
	if (error)
		note(probe, "%s", error_message(error));
	error_destroy(error);
}
