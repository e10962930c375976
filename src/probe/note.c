/*
 * note.c - remarks for the user
 *
 * A remark about a file would be repeated for each process that has the file,
 * so a remark is made only once. But a remark that a command causes which adds
 * a breakpoint is made again when the command is given again.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "probe_state.h"

/* When many functions are added together, for example those of a pattern, the
 * user is told at most this many remarks on them. */
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

		/* This line is told even if the same number was told before,
		 * because it is about other functions. */
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_NOTE,
						 .text = text});
	}
}

/* How many places are worked at before it is told how many they are. */
#define TOLD_EACH 64

void probe_working(const struct probe *probe, const char *what, size_t done,
		   size_t count)
{
	if (probe->client.working && count > TOLD_EACH &&
	    (done % TOLD_EACH == 0 || done == count))
		probe->client.working(probe->client.context, what, done, count);
}

void note_error(struct probe *probe, struct error *error)
{
	error = error_unless(error, ERROR_GONE);
	if (error)
		note(probe, "%s", error_message(error));
	error_destroy(error);
}
