/*
 * spy_commands.c - commands of the Spy, which records call stacks and displays
 * where the program spends its time, its page faults or its memory
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/spy.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "command/output.h"
#include "condition.h"

static struct error *run_show(struct call *call)
{
	session_spy_show(call->session, &call->printed);
	return NULL;
}

static struct error *run_watch(struct call *call)
{
	static const char *const words[] = {
		"cpu",    "pagefaults", "allocations", "words",
		"spaces", "breaks",     NULL};
	size_t index;

	TRY(command_choose(call_word(call, 0), "source of samples", words,
			   &index));
	return session_spy_watch(call->session, (enum spy_watch)index);
}

static struct error *run_rate(struct call *call)
{
	const char *word = call_word(call, 0);
	double rate;
	char *end;

	rate = strtod(word, &end);
	if (end == word || (*end && strcasecmp(end, "hz") != 0))
		return call_usage(call, "`%s' is no number of ticks a second",
				  word);
	return session_spy_rate(call->session, rate);
}

static struct error *run_process(struct call *call)
{
	const char *word = call_word(call, 0);
	int64_t tid;

	if (strcasecmp(word, "all") == 0)
		return session_spy_process(call->session, 0);
	if (strcasecmp(word, "break") == 0)
		return session_spy_process_break(call->session);
	if (!isdigit((unsigned char)*word))
		return call_usage(call,
				  "`%s' is no thread; `list threads' shows "
				  "their numbers",
				  word);
	TRY(argument_number(word, "thread", 1, INT32_MAX, &tid));
	return session_spy_process(call->session, (pid_t)tid);
}

/* ---- breaks -------------------------------------------------------------- */

/* Ends the text before a comment, and removes quotes around the whole of it.
 * Returns where it begins. */
static char *without_quotes(char *text)
{
	size_t length = token_without_comment(text);

	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (length >= 2 && (*text == '"' || *text == '\'') &&
	    text[length - 1] == *text) {
		text++;
		length -= 2;
	}
	text[length] = '\0';
	return text;
}

/* Splits the rest of the line, "LOC if COND". */
static struct error *set_break(struct call *call, enum spy_break_kind kind)
{
	char *if_word = (char *)condition_find(call->rest);
	const char *condition = NULL, *location;

	if (if_word) {
		condition = token_skip_blanks(if_word + strlen("if"));
		*if_word = '\0';
		if (!*condition)
			return call_usage(call, "no condition after `if'");
	}
	location = without_quotes(call->rest);
	if (!*location)
		return call_usage(call, "a place is missing");
	return session_spy_break(call->session, kind, location, condition,
				 &call->said);
}

static struct error *run_break(struct call *call)
{
	return set_break(call, SPY_BREAK_SAMPLE);
}

static struct error *run_start(struct call *call)
{
	return set_break(call, SPY_BREAK_START);
}

static struct error *run_stop(struct call *call)
{
	return set_break(call, SPY_BREAK_STOP);
}

static struct error *run_clear(struct call *call)
{
	static const char *const words[] = {"starts", "breaks", NULL};
	size_t index;

	TRY(command_choose(call_word(call, 0), "kind of breaks", words,
			   &index));
	return session_spy_clear(call->session, index == 1);
}

/* ---- recording and display ----------------------------------------------- */

static struct error *run_on(struct call *call)
{
	return session_spy_on(call->session, &call->said);
}

static struct error *run_resume(struct call *call)
{
	return session_spy_resume(call->session, &call->said);
}

static struct error *run_off(struct call *call)
{
	return session_spy_off(call->session);
}

static struct error *run_flush(struct call *call)
{
	return session_spy_flush(call->session);
}

static struct error *run_starts(struct call *call)
{
	static const char *const words[] = {"on", "off", NULL};
	size_t index;

	TRY(command_choose(call_word(call, 0), "switch", words, &index));
	return session_spy_starts(call->session, index == 0, &call->said);
}

static struct error *read_percentage(const struct call *call, const char *text,
				     double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%") != 0) || !(*out >= 0) ||
	    *out > 100)
		return call_usage(call, "`%s' is no percentage from 0 to 100",
				  text);
	return NULL;
}

static struct error *run_display(struct call *call)
{
	double min = SPY_MIN, min_son = SPY_MINSON;
	struct report_options look;

	for (size_t i = 0; i < call_count(call); i++) {
		const char *word = call_word(call, i), *value;

		if ((value = argument_value(word, "min")))
			TRY(read_percentage(call, value, &min));
		else if ((value = argument_value(word, "minson")))
			TRY(read_percentage(call, value, &min_son));
		else
			return call_usage(call, "unexpected `%s'", word);
	}
	switch (session_format(call->session)) {
	case FORMAT_JSON:
		return session_spy_json(call->session, &call->printed);
	case FORMAT_CSV:
		return error_create(ERROR_USAGE,
				    "the display has no form as CSV; `set "
				    "format text' shows it, and `set format "
				    "json' its samples");
	case FORMAT_TEXT:
		break;
	}
	look = output_look(
		call->interpreter,
		call->tokens.output ? NULL : call->interpreter->options.output,
		false);
	return session_spy_display(call->session, min, min_son, look.columns,
				   &call->printed);
}

const struct command spy_commands[] = {
	{.words = "spy",
	 .arguments = "[> FILE]",
	 .summary = "is the Spy on, and what does it record",
	 .help = "`show spy' is the same.\n    spy",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_show},
	{.words = "spy watch",
	 .arguments = "cpu|pagefaults|allocations|words|spaces|breaks",
	 .summary = "what makes a sample of the call stack",
	 .help = "cpu: a tick of the clock, while a thread runs. pagefaults: "
		 "each fault, minor and major ones apart. allocations: each "
		 "call of malloc, calloc, realloc, new and their like; words: "
		 "the same, counted in words of 8 bytes. spaces: each mapping "
		 "that is made, deleted, grown or shrunk. breaks: each hit of "
		 "a "
		 "`spy break'.\n"
		 "A thread stops at each allocation, mapping and hit, for some "
		 "tens of microseconds: a program that allocates all the time "
		 "runs many times slower. `profile functions malloc@libc.so.6' "
		 "counts calls without stops.\n    spy watch pagefaults",
	 .complete = "cpu|pagefaults|allocations|words|spaces|breaks",
	 .least = 1,
	 .most = 1,
	 .asks = "what to watch",
	 .run = run_watch},
	{.words = "spy rate",
	 .arguments = "HZ",
	 .summary = "how many ticks a second `spy watch cpu' takes",
	 .help = "97 at first. Each tick comes up to a quarter of the period "
		 "too early or too late, so that the ticks do not keep step "
		 "with timers of the program.\n    spy rate 997",
	 .complete = "@none",
	 .least = 1,
	 .most = 1,
	 .asks = "ticks a second",
	 .run = run_rate},
	{.words = "spy process",
	 .arguments = "all|TID|break",
	 .summary = "which threads the Spy watches",
	 .help = "all: those that run. One thread: whatever it does, with what "
		 "it waits for: waiting.read, waiting.ML (a mutex), waiting.CV "
		 "(a condition variable), waiting.futex (a semaphore, the end "
		 "of "
		 "a thread, or another lock), waiting.pagefault, "
		 "waiting.preempted. break: the thread that meets the first "
		 "start break.\n    spy process 4711",
	 .complete = "all|break",
	 .least = 1,
	 .most = 1,
	 .asks = "thread, all, or break",
	 .run = run_process},
	{.words = "spy break",
	 .arguments = "LOC [if COND]",
	 .summary = "a place at which `spy watch breaks' takes a sample",
	 .help = "The break is armed while the Spy is on and watches breaks. "
		 "It "
		 "never stops the program for you.\n"
		 "    spy break malloc if $arg1 > 1000000",
	 .complete = "@place",
	 .flags = COMMAND_REST,
	 .asks = "place",
	 .run = run_break},
	{.words = "spy start",
	 .arguments = "LOC [if COND]",
	 .summary = "a place at which the Spy starts to record",
	 .help = "`spy starts on' arms the start and stop breaks. The Spy "
		 "records while it has met more starts than stops, so they may "
		 "be in recursive functions.\n"
		 "    spy start parse\n    spy stop parse\n    spy starts on",
	 .complete = "@place",
	 .flags = COMMAND_REST,
	 .asks = "place",
	 .run = run_start},
	{.words = "spy stop",
	 .arguments = "LOC [if COND]",
	 .summary = "a place at which the Spy stops to record",
	 .help = "At a function, the break acts when the function is left. At "
		 "FILE:LINE and other places it acts there.\n"
		 "    spy stop parse",
	 .complete = "@place",
	 .flags = COMMAND_REST,
	 .asks = "place",
	 .run = run_stop},
	{.words = "spy clear",
	 .arguments = "starts|breaks",
	 .summary = "remove the start and stop breaks, or the others",
	 .help = "starts: the start and stop breaks. breaks: those that make "
		 "samples. The Spy is off afterwards.\n    spy clear starts",
	 .complete = "starts|breaks",
	 .least = 1,
	 .most = 1,
	 .asks = "starts, or breaks",
	 .run = run_clear},
	{.words = "spy on",
	 .arguments = "",
	 .summary = "begin a new measurement of the Spy",
	 .help = "Samples that were displayed are forgotten then. If they were "
		 "not displayed, perftool asks, and a script fails. Running "
		 "the program again adds to the measurement.\n"
		 "    spy on\n    continue for 10s\n    spy display",
	 .complete = "",
	 .run = run_on},
	{.words = "spy resume",
	 .arguments = "",
	 .summary = "go on with the measurement that `spy off' has ended",
	 .help = "New samples are added to those of before. If there was no "
		 "measurement, it is the same as `spy on'.\n"
		 "    spy resume\n    continue for 10s\n    spy off",
	 .complete = "",
	 .run = run_resume},
	{.words = "spy off",
	 .arguments = "",
	 .summary = "end the measurement of the Spy; its samples stay",
	 .help = "`spy display' shows them.\n    spy off",
	 .complete = "",
	 .run = run_off},
	{.words = "spy flush",
	 .arguments = "",
	 .summary = "forget the samples of the Spy",
	 .help = "The Spy stays on if it is on. Its breaks stay.\n"
		 "    spy flush",
	 .complete = "",
	 .run = run_flush},
	{.words = "spy starts",
	 .arguments = "on|off",
	 .summary = "arm the start and stop breaks of the Spy",
	 .help = "The Spy records from the first start break on, while it "
		 "has met more starts than stops. off: the same as `spy off'; "
		 "the breaks stay and can be armed again.\n    spy starts on",
	 .complete = "on|off",
	 .least = 1,
	 .most = 1,
	 .asks = "on, or off",
	 .run = run_starts},
	{.words = "spy breaks",
	 .arguments = "on|off",
	 .summary = "the same as `spy starts'",
	 .help = "The manual of the Spy of 1982 calls the start and stop "
		 "breaks just breaks.\n    spy breaks on",
	 .complete = "on|off",
	 .least = 1,
	 .most = 1,
	 .asks = "on, or off",
	 .run = run_starts},
	{.words = "spy display",
	 .arguments = "[min=PERCENT] [minson=PERCENT] [> FILE]",
	 .summary = "turn the Spy off and show what it has recorded",
	 .help = "Three sections: what was measured, the processes, and the "
		 "procedures that are in more than min= (3.0) percent of the "
		 "stacks, with the calls below them that are in more than "
		 "minson= (1.0) percent. The samples stay, and can be "
		 "displayed again.\n    spy display\n    spy display min=1",
	 .complete = "min=|minson= min=|minson=",
	 .flags = COMMAND_PRINTS,
	 .most = 2,
	 .run = run_display},
	{.words = NULL},
};
