/*
 * top_commands.c - `top`: shows where the program spends its time
 *
 * The program runs in slices of a second. At a terminal the table is shown
 * after each of them, in the place of the last one; else it is written once, at
 * the end.
 */
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perftool/base/duration.h"
#include "perftool/base/monotonic.h"
#include "perftool/session/top.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "command/output.h"

#define DURATION 10000000000u /* ns */
#define SLICE 1000000000u
/* The last fifth of the duration is for the calls of so many functions. */
#define COUNTED 10

/* Goes to the beginning of the screen, and clears it. */
#define CLEAR "\033[H\033[J"

static struct error *read_duration(const struct call *call, uint64_t *out)
{
	*out = DURATION;
	if (!call_count(call))
		return NULL;
	if (strcasecmp(call_word(call, 0), "for") != 0)
		return call_usage(call, "unexpected `%s'", call_word(call, 0));
	if (call_count(call) == 1)
		return call_usage(call, "a duration is missing after `for' "
					"(500ms, 10s, 2m)");
	return duration_parse(call_word(call, 1), out);
}

static struct error *run_slice(struct call *call, uint64_t slice,
			       struct session_stop *stop)
{
	if (session_has_process(call->session))
		return session_continue(call->session, slice, stop);
	return session_run(call->session, NULL, 0, NULL, NULL, slice, stop);
}

/* Cuts an interim table off where the screen ends: a table that scrolls could
 * not be replaced by the next one. */
static void fit_screen(struct str *text, FILE *screen)
{
	struct str shown = {0};
	struct winsize size;
	size_t lines = 0;

	if (ioctl(fileno(screen), TIOCGWINSZ, &size) != 0 || size.ws_row < 2)
		return;
	for (size_t i = 0; i < text->length; i++) {
		if (str_text(text)[i] != '\n' || ++lines < size.ws_row - 1u)
			continue;
		str_append_n(&shown, str_text(text), i + 1);
		str_deinit(text);
		*text = shown;
		return;
	}
}

static struct error *show(struct call *call, double to_come, bool refreshes)
{
	struct report_options look = output_look(
		call->interpreter,
		call->tokens.output ? NULL : call->interpreter->options.output,
		false);

	if (refreshes)
		str_append(&call->printed, CLEAR);
	session_top_table(call->session, session_format(call->session), &look,
			  to_come, &call->printed);
	if (refreshes && to_come > 0)
		fit_screen(&call->printed, call->interpreter->options.output);
	return to_come > 0 ? call_flush(call) : NULL;
}

/* Counts the calls of the first functions of the table, one after the other,
 * for a moment each. */
static struct error *count_calls(struct call *call, uint64_t duration,
				 struct session_stop *stop)
{
	const uint64_t moment = duration / (5 * COUNTED);

	for (size_t row = 0; row < COUNTED && stop->reason == STOP_DURATION;
	     row++) {
		struct error *error;

		if (!session_top_count(call->session, row))
			continue;
		error = run_slice(call, moment, stop);
		session_top_counted(call->session);
		TRY(error);
	}
	return NULL;
}

/* Runs the program for so long, and shows the table now and then. */
static struct error *sample(struct call *call, uint64_t duration)
{
	const uint64_t end = monotonic_now() + duration - duration / 5;
	struct interpreter *interpreter = call->interpreter;
	bool refreshes = !call->tokens.output &&
			 session_format(call->session) == FORMAT_TEXT &&
			 isatty(fileno(interpreter->options.output)) == 1;
	struct session_stop stop = {.reason = STOP_DURATION};
	uint64_t now;

	while (stop.reason == STOP_DURATION && (now = monotonic_now()) < end) {
		TRY(run_slice(call, end - now < SLICE ? end - now : SLICE,
			      &stop));
		now = monotonic_now();
		if (refreshes && stop.reason == STOP_DURATION && now < end)
			TRY(show(call, (double)(end - now) / 1e9, true));
	}
	session_top_end(call->session);
	TRY(count_calls(call, duration, &stop));
	TRY(show(call, 0, refreshes));
	if (stop.reason != STOP_DURATION)
		call_stop(interpreter, &stop, &call->said);
	return NULL;
}

static struct error *run_top(struct call *call)
{
	struct error *error;
	uint64_t duration;
	bool may_run;

	TRY(read_duration(call, &duration));
	TRY(interpreter_may_run(call, duration, &duration, &may_run));
	if (!may_run)
		return NULL;
	TRY(session_top_begin(call->session));
	error = sample(call, duration);
	if (error)
		session_top_end(call->session);
	return error;
}

const struct command top_commands[] = {
	{.words = "top",
	 .arguments = "[for DURATION] [> FILE]",
	 .summary = "the functions in which the program spends its time",
	 .help = "Runs the program, or lets it go on, for DURATION (10s), and "
		 "samples its threads while they use CPUs. Own %: the function "
		 "itself; Stack %: the function, or what it called. Below the "
		 "table are commands that time the first ten. At a terminal "
		 "the table is shown anew each second. Ctrl-C ends it.\n"
		 "    top\n    top for 3s > where.txt",
	 .complete = "for @none",
	 .flags = COMMAND_PRINTS,
	 .most = 2,
	 .run = run_top},
	{.words = NULL},
};
