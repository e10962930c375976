/*
 * profile_commands.c - commands of profiles: which calls are counted, and the
 * tables of them
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/profile_reports.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/source.h"
#include "perftool/session/ticks.h"

#include "command/arguments.h"
#include "command/interpreter.h"
#include "command/output.h"

static const char *const *patterns_of(struct call *call, size_t *count)
{
	argument_unquote(&call->tokens.words);
	*count = call_count(call);
	return (const char *const *)call->tokens.words.data;
}

/* Tells the user at once what the command is about to do to the program. */
static struct error *preview(struct call *call, const char *const *patterns,
			     size_t count)
{
	TRY(session_preview_calls(call->session, patterns, count, &call->said));
	return call_flush(call);
}

static struct error *run_functions(struct call *call)
{
	size_t count;
	const char *const *patterns = patterns_of(call, &count);

	TRY(preview(call, patterns, count));
	return session_profile_functions(call->session, patterns, count,
					 &call->said);
}

static struct error *run_calls(struct call *call)
{
	size_t count;
	const char *const *patterns = patterns_of(call, &count);

	if (count == 1 && strcasecmp(patterns[0], "off") == 0)
		return session_profile_calls_off(call->session);
	TRY(preview(call, patterns, count));
	return session_profile_calls(call->session, patterns, count,
				     &call->said);
}

static struct error *run_arcs(struct call *call)
{
	int64_t limit;

	TRY(argument_number(call_word(call, 0), "limit of arcs", 0, INT32_MAX,
			    &limit));
	session_profile_limit_arcs(call->session, (size_t)limit);
	return NULL;
}

/* ---- ticks --------------------------------------------------------------- */

static struct error *run_on(struct call *call)
{
	return session_ticks_on(call->session, &call->said);
}

static struct error *run_off(struct call *call)
{
	return session_ticks_off(call->session);
}

/* Reads a period (1ms) or a rate (1000hz). */
static struct error *run_rate(struct call *call)
{
	const char *word = call_word(call, 0);
	double hz;
	char *end;
	uint64_t period;

	hz = strtod(word, &end);
	if (end == word || strcasecmp(end, "hz") != 0) {
		struct error *error = duration_parse(word, &period);

		if (error) {
			error_destroy(error);
			return call_usage(call,
					  "`%s' is neither a period (1ms) nor "
					  "a rate (1000hz)",
					  word);
		}
		hz = 1e9 / (double)period;
	}
	return session_ticks_rate(call->session, hz);
}

/* Any other word after `profile' is a command of the language: the ticks are on
 * while it is carried out. */
static struct error *run_command(struct call *call)
{
	struct str unsaid = {0};
	struct error *error;

	if (!*call->rest || token_is_comment(call->rest)) {
		session_profile_show(call->session, &call->printed);
		return NULL;
	}
	TRY(call_flush(call));
	error = session_ticks_on(call->session, &unsaid);
	str_deinit(&unsaid);
	TRY(error);
	error = interpreter_line(call->interpreter, call->rest);
	return error_first(error, session_ticks_off(call->session));
}

static struct report_options look_of(const struct call *call)
{
	return output_look(
		call->interpreter,
		call->tokens.output ? NULL : call->interpreter->options.output,
		false);
}

static struct error *run_print_flat(struct call *call)
{
	const struct report_options look = look_of(call);

	return session_print_flat(call->session, session_format(call->session),
				  &look, &call->printed);
}

/* Reads by=time or by=cpu, and -v if the command has it. */
/* `is_table`: the command prints the table of functions, which has -v and top=,
 * too. */
static struct error *read_clock(struct call *call, bool is_table,
				struct report_options *out)
{
	static const char *const clocks[] = {"time", "cpu", NULL};

	*out = look_of(call);
	for (size_t i = 0; i < call_count(call); i++) {
		const char *word = call_word(call, i);
		const char *value = argument_value(word, "by");
		const char *top = argument_value(word, "top");
		int64_t number;
		size_t index;

		if (value) {
			TRY(command_choose(value, "kind of time", clocks,
					   &index));
			out->by_cpu = index == 1;
		} else if (is_table && top) {
			TRY(argument_number(top, "top", 1, UINT32_MAX,
					    &number));
			out->top = (size_t)number;
		} else if (is_table && strcasecmp(word, "-v") == 0) {
			out->verbose = true;
		} else {
			return call_usage(call, "unexpected `%s'", word);
		}
	}
	return NULL;
}

static struct error *run_print_graph(struct call *call)
{
	struct report_options look;

	TRY(read_clock(call, false, &look));
	return session_print_graph(call->session, session_format(call->session),
				   &look, &call->printed);
}

/* ---- both ---------------------------------------------------------------- */

static struct error *run_flush(struct call *call)
{
	TRY(session_ticks_flush(call->session));
	return session_profile_flush(call->session);
}

static struct error *run_initialize(struct call *call)
{
	TRY(session_ticks_flush(call->session));
	return session_initialize_profile(call->session);
}

static struct error *run_save(struct call *call)
{
	static const char *const origins[] = {"spy", "profile", NULL};
	enum profile_origin origin = PROFILE_LATEST;
	enum profile_format format;
	CLEANUP(free_pointer) char *path = NULL;
	const char *word, *value, *form = NULL;
	struct str remarks = {0};
	struct error *error;
	size_t index;

	TRY(output_path(call->session, call_word(call, 0), &path));
	for (size_t i = 1; i < call_count(call); i++) {
		word = call_word(call, i);
		if ((value = argument_value(word, "format"))) {
			form = value;
		} else if ((value = argument_value(word, "from"))) {
			TRY(command_choose(value, "source", origins, &index));
			origin = index == 0 ? PROFILE_OF_SPY
					    : PROFILE_OF_PROFILER;
		} else {
			return call_usage(call, "unexpected `%s'", word);
		}
	}
	if (form)
		TRY(profile_format_of_word(form, &format));
	else
		TRY(profile_format_of_path(path, &format));
	error = session_save_profile(call->session, path, format, origin,
				     &remarks);
	if (!error)
		str_append(&call->said, str_text(&remarks));
	str_deinit(&remarks);
	return error;
}

static struct error *run_print_functions(struct call *call)
{
	struct report_options look;

	TRY(read_clock(call, true, &look));
	return session_print_functions(call->session,
				       session_format(call->session), &look,
				       &call->printed);
}

static struct error *run_source(struct call *call)
{
	size_t count;

	return session_profile_source(
		call->session, patterns_of(call, &count)[0], &call->said);
}

static struct error *run_print_source(struct call *call)
{
	size_t count;
	const char *const *words = patterns_of(call, &count);

	return session_print_source(call->session, count ? words[0] : NULL,
				    session_format(call->session),
				    &call->printed);
}

static struct error *run_print_contention(struct call *call)
{
	struct report_options look = look_of(call);

	for (size_t i = 0; i < call_count(call); i++) {
		const char *top = argument_value(call_word(call, i), "top");
		int64_t number;

		if (!top)
			return call_usage(call, "unexpected `%s'",
					  call_word(call, i));
		TRY(argument_number(top, "top", 1, UINT32_MAX, &number));
		look.top = (size_t)number;
	}
	return session_print_contention(call->session,
					session_format(call->session), &look,
					&call->printed);
}

/* Finds the form of a file by the ending of its name. */
static struct error *form_of(const char *path, enum report_format *out)
{
	static const struct {
		const char *ending;
		enum report_format format;
	} forms[] = {{".json", FORMAT_JSON},
		     {".csv", FORMAT_CSV},
		     {".txt", FORMAT_TEXT}};
	const char *ending = strrchr(path, '.');

	for (size_t i = 0; ending && i < sizeof(forms) / sizeof(*forms); i++) {
		if (strcasecmp(ending, forms[i].ending) != 0)
			continue;
		*out = forms[i].format;
		return NULL;
	}
	return error_create(ERROR_USAGE,
			    "the name `%s' does not tell the form; call the "
			    "file *.json, *.csv or *.txt",
			    path);
}

static struct error *run_save_functions(struct call *call)
{
	CLEANUP(free_pointer) char *path = NULL;
	struct report_options look =
		output_look(call->interpreter, NULL, false);
	enum report_format format;
	struct str text = {0};
	struct error *error;

	TRY(output_path(call->session, call_word(call, 0), &path));
	TRY(form_of(path, &format));
	error = session_print_functions(call->session, format, &look, &text);
	if (!error)
		error = output_file(call->interpreter->options.ui, path, &text);
	str_deinit(&text);
	return error;
}

const struct command profile_commands[] = {
	{.words = "profile functions",
	 .arguments = "GLOB...",
	 .summary = "count and time all calls of functions",
	 .help = "Counts each call of the functions that the patterns name, "
		 "with the time of the function itself and with that of the "
		 "functions that it calls (`print functions'), and by caller "
		 "and call site. It begins at once. A GLOB without @MODULE "
		 "means functions of the program, static ones too, however "
		 "many there are; a plain name may also be that of a function "
		 "in a library. Several commands add up. Copies of functions "
		 "that the compiler has inlined are not counted. The profile "
		 "has breakpoints of its own, which no table and no list "
		 "shows. In batch mode `print functions' is part of the "
		 "report.\n"
		 "    profile functions '*'\n"
		 "    profile functions 'json_*' main\n"
		 "    profile functions '*@libcrypto.so.3'",
	 .complete = "@function...",
	 .flags = COMMAND_NAMES,
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "pattern of functions",
	 .run = run_functions},
	{.words = "profile calls",
	 .arguments = "[GLOB...|off]",
	 .summary = "count calls by caller, function and call site",
	 .help = "The same as `profile functions'. Without a pattern: goes on "
		 "with the functions that were named before, or begins with "
		 "all functions of the program if none were. off: stops; "
		 "calls that are open end here, and what was counted stays.\n"
		 "    profile calls\n"
		 "    profile calls 'parse_*'\n"
		 "    profile calls off",
	 .complete = "@function|off @function...",
	 .flags = COMMAND_NAMES,
	 .most = ANY_NUMBER,
	 .run = run_calls},
	{.words = "profile on",
	 .arguments = "",
	 .summary = "take ticks: where the program spends its time",
	 .help = "Adds to the ticks that were taken before; `profile flush' "
		 "forgets those. A tick is charged to the procedure that runs. "
		 "`print flat' and `print graph' show them.\n"
		 "    profile on\n    continue for 10s\n    print flat",
	 .complete = "",
	 .run = run_on},
	{.words = "profile off",
	 .arguments = "",
	 .summary = "take no more ticks; those that were taken stay",
	 .help = "`profile on' adds to them, and `profile flush' forgets "
		 "them.\n"
		 "    profile off",
	 .complete = "",
	 .run = run_off},
	{.words = "profile rate",
	 .arguments = "PERIOD|HZ",
	 .summary = "how often `profile on' ticks",
	 .help = "1ms, or 1000hz, at first: each thread ticks once in a "
		 "millisecond of its time on CPUs. Each tick comes up to a "
		 "quarter of the period too early or too late.\n"
		 "    profile rate 10ms\n    profile rate 97hz",
	 .complete = "@none",
	 .least = 1,
	 .most = 1,
	 .asks = "period, or ticks a second",
	 .run = run_rate},
	{.words = "profile",
	 .arguments = "[COMMAND]",
	 .summary = "take ticks while a command is carried out",
	 .help = "The ticks are on just before the command, and off as it "
		 "ends. Without a command: says what is on (also `show "
		 "profile'). "
		 "A word that `profile' itself knows, or its beginning, is "
		 "that "
		 "word; any other is a command.\n"
		 "    profile run\n    profile continue for 5s",
	 .complete = "@none",
	 .flags = COMMAND_REST,
	 .run = run_command},
	{.words = "profile arcs",
	 .arguments = "N",
	 .summary = "limit the number of arcs that are told apart",
	 .help = "An arc is a caller, a function and the place of the call. "
		 "Calls of further arcs are added up as one, <other>, and "
		 "`profile calls off' says how many they are. 0: no limit, as "
		 "at first.\n"
		 "    profile arcs 5000",
	 .complete = "@none",
	 .least = 1,
	 .most = 1,
	 .run = run_arcs},
	{.words = "profile flush",
	 .arguments = "",
	 .summary = "forget the ticks and arcs of the profile",
	 .help = "The functions stay named, and calls that are open count from "
		 "now on.\n"
		 "    profile flush",
	 .complete = "",
	 .run = run_flush},
	{.words = "initialize profile",
	 .arguments = "",
	 .summary = "forget the profile and its functions",
	 .help = "Runs accumulate without it.\n"
		 "    initialize profile",
	 .complete = "",
	 .run = run_initialize},
	{.words = "print flat",
	 .arguments = "[> FILE]",
	 .summary = "print the ticks by procedure",
	 .help = "Three listings: all ticks, those that were taken where they "
		 "fell due, and those that were delayed, which count for the "
		 "caller of the procedure that was found.\n    print flat",
	 .complete = "",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .run = run_print_flat},
	{.words = "print graph",
	 .arguments = "[by=time|cpu] [> FILE]",
	 .summary = "print each procedure with its callers and callees",
	 .help = "The listing of gprof, of ticks (`profile on'), of counted "
		 "calls (`profile calls'), or of both: parents above, children "
		 "below, cycles, a flat profile and an index. Times of counted "
		 "calls are the elapsed ones, in which waits are, and %cpu is "
		 "the part on a CPU. by=cpu: they are those on a CPU.\n"
		 "    print graph > graph.txt\n    print graph by=cpu",
	 .complete = "by=time|by=cpu",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 1,
	 .run = run_print_graph},
	{.words = "save profile",
	 .arguments = "FILE [format=...] [from=spy|profile]",
	 .summary = "keep a profile in a file that other tools read",
	 .help = "The form goes by the name: gmon.out (gprof; libraries beside "
		 "it), callgrind.out* (kcachegrind, callgrind_annotate), "
		 "*.folded (flame graph tools), *.svg (a flame graph), *.pb.gz "
		 "(pprof), *.json (all of it); or by format=gmon, callgrind, "
		 "folded, svg, pprof, json. from= chooses whose samples it "
		 "gets, if both have some: otherwise those of what was on "
		 "last.\n"
		 "    save profile where.svg\n"
		 "    save profile callgrind.out.1 from=profile",
	 .complete = "@file format=|from=spy|from=profile "
		     "format=|from=spy|from=profile",
	 .least = 1,
	 .most = 3,
	 .asks = "file",
	 .run = run_save},
	{.words = "save functions",
	 .arguments = "FILE",
	 .summary = "keep calls and times by function in a file",
	 .help = "The form goes by FILE's ending: .json, .csv or .txt. JSON "
		 "has "
		 "the threads of each function, too.\n"
		 "    save functions monday.json",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "file (.json, .csv or .txt)",
	 .run = run_save_functions},
	{.words = "print functions",
	 .arguments = "[-v] [by=time|cpu] [top=N] [> FILE]",
	 .summary = "print calls and times by function",
	 .help = "For each function that was called: the number of calls, the "
		 "time of the function itself, that with the functions that "
		 "it calls (recursion counts once), its part of the time of "
		 "all calls, and how long of it the threads were on a CPU. ~ "
		 "marks functions of which calls ended without a return: by "
		 "longjmp, by an exception, or with the thread. by=cpu: times, "
		 "percentages and the order are by the time on a CPU, in which "
		 "no waits are. -v: also the waits, and each thread. top=N: "
		 "only the N functions with the most time. It may be "
		 "asked for while the program runs: a call that is open counts "
		 "with its time until now.\n"
		 "    print functions\n    print functions by=cpu\n"
		 "    print functions -v\n    print functions top=20",
	 .complete = "-v|by=time|by=cpu|top= -v|by=time|by=cpu|top= "
		     "-v|by=time|by=cpu|top=",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 3,
	 .run = run_print_functions},
	{.words = "profile source",
	 .arguments = "FUNC",
	 .summary = "count and time the source lines of a function",
	 .help = "From now on `print source' shows how often control has "
		 "entered each line of FUNC, as gcov counts, and how long it "
		 "was there. The program need not be compiled for it, but "
		 "needs debug information. Code that was inlined belongs to "
		 "the line that calls it. The monitor is turned on.\n"
		 "    profile source parse",
	 .complete = "@function",
	 .flags = COMMAND_NAMES,
	 .least = 1,
	 .most = 1,
	 .asks = "function",
	 .run = run_source},
	{.words = "print source",
	 .arguments = "[FUNC] [> FILE]",
	 .summary = "print source lines with their counts",
	 .help = "The lines of FUNC, or of all functions that were named to "
		 "`profile source': how often each was executed, the time of "
		 "its own code, and that with the functions it calls. ----- "
		 "stands for a line that was never executed, and - for one in "
		 "which the compiler has left no statement to count.\n"
		 "    print source parse",
	 .complete = "@function",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS | COMMAND_NAMES,
	 .most = 1,
	 .run = run_print_source},
	{.words = "print contention",
	 .arguments = "[top=N] [> FILE]",
	 .summary = "print who waited for which lock, and who held it",
	 .help = "For each lock for which threads have waited since `set "
		 "contention on': how often and how long, which threads have "
		 "waited and in which function, and which threads held the "
		 "lock meanwhile. A holder's function is the one that has "
		 "taken the lock, or if it has taken it before anybody waited, "
		 "the one that has released it. top=N: the N locks with the "
		 "longest waits, in place of 20.\n"
		 "    print contention\n    print contention top=5",
	 .complete = "top=",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 1,
	 .run = run_print_contention},
	{.words = NULL},
};
