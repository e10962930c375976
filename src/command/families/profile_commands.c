/*
 * profile_commands.c - commands of profiles: which calls are counted, and the
 * tables of them
 */
#include <strings.h>

#include "command/arguments.h"
#include "command/interpreter.h"
#include "perftool/session/profiling.h"

static const char *const *patterns_of(struct call *call, size_t *count)
{
	argument_unquote(&call->tokens.words);
	*count = call_count(call);
	return (const char *const *)call->tokens.words.data;
}

static struct error *run_functions(struct call *call)
{
	size_t count;
	const char *const *patterns = patterns_of(call, &count);

	return session_profile_functions(call->session, patterns, count,
					 &call->said);
}

static struct error *run_calls(struct call *call)
{
	size_t count;
	const char *const *patterns = patterns_of(call, &count);

	if (count == 1 && strcasecmp(patterns[0], "off") == 0)
		return session_profile_calls_off(call->session, &call->said);
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

static struct error *run_flush(struct call *call)
{
	return session_profile_flush(call->session);
}

static struct error *run_initialize(struct call *call)
{
	return session_initialize_profile(call->session);
}

static struct error *run_print_functions(struct call *call)
{
	bool verbose = call_count(call) == 1;

	if (verbose && strcasecmp(call_word(call, 0), "-v") != 0)
		return call_usage(call, "unexpected `%s'", call_word(call, 0));
	return session_print_functions(call->session, verbose, &call->printed);
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
	 .summary = "set what the profile has counted to zero",
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
	{.words = "print functions",
	 .arguments = "[-v] [> FILE]",
	 .summary = "print calls and times by function",
	 .help = "For each function that was called: the number of calls, the "
		 "time of the function itself, that with the functions that "
		 "it calls (recursion counts once), and the share of the "
		 "measured time. ~ marks functions of which calls ended "
		 "without a return: by longjmp, by an exception, or with the "
		 "thread. -v: also for each thread. It may be asked for while "
		 "the program runs: a call that is open counts with its time "
		 "until now.\n"
		 "    print functions\n    print functions -v",
	 .complete = "-v",
	 .flags = COMMAND_PRINTS | COMMAND_TWO_LETTERS,
	 .most = 1,
	 .run = run_print_functions},
	{.words = NULL},
};
