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
#include "perftool/session/session_settings.h"
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

/* Returns how many lines the screen has; 0: not known. */
static int lines_of(FILE *screen)
{
	struct winsize size;

	return ioctl(fileno(screen), TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

/* Makes an interim table. It must fit the screen, because one that scrolls
 * could not be replaced by the next one. A line that is wider than the screen
 * takes several; how many, only the layout tells. The table is therefore made
 * for fewer lines until it fits. */
static void make_fitting(struct call *call, double to_come,
			 struct report_options *look)
{
	const int screen = lines_of(call->interpreter->options.output);
	struct str table = {0};
	int above;

	look->lines = screen;
	for (;;) {
		session_top_table(call->session, session_format(call->session),
				  look, to_come, &table);
		/* The last line of the screen is the cursor's. */
		above = (int)output_lines(call->interpreter, &table,
					  (size_t)look->columns) -
			(screen - 1);
		if (!screen || above <= 0 || look->lines <= 1)
			break;
		/* A row less is often two or three lines less. */
		look->lines -= (above + 2) / 3;
		if (look->lines < 1)
			look->lines = 1;
		str_deinit(&table);
	}
	str_append(&call->printed, CLEAR);
	str_append_n(&call->printed, str_text(&table), table.length);
	str_deinit(&table);
}

static struct error *show(struct call *call, double to_come, bool refreshes)
{
	struct report_options look = output_look(
		call->interpreter,
		call->tokens.output ? NULL : call->interpreter->options.output,
		false);

	if (refreshes && to_come > 0) {
		make_fitting(call, to_come, &look);
		return call_flush(call);
	}
	if (refreshes)
		str_append(&call->printed, CLEAR);
	session_top_table(call->session, session_format(call->session), &look,
			  to_come, &call->printed);
	return NULL;
}

/* Counts the calls of the first functions of the table, for a fifth of the
 * duration. */
static struct error *count_calls(struct call *call, uint64_t duration,
				 struct session_stop *stop)
{
	const uint64_t moment = duration / (5 * 10);
	struct error *error;

	if (stop->reason != STOP_DURATION ||
	    !session_top_count(call->session, COUNTED))
		return NULL;
	error = run_slice(call, moment, stop);
	if (!error && stop->reason == STOP_DURATION &&
	    session_top_spare_threads(call->session))
		error = run_slice(call, duration / 10 - moment, stop);
	if (!error && stop->reason == STOP_DURATION &&
	    session_top_spare_dear(call->session))
		error = run_slice(call, duration / 10, stop);
	session_top_end_count(call->session);
	return error;
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
	session_top_leave(call->session);
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
