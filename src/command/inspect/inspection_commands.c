/*
 * inspection_commands.c - commands that show the state of the program: its
 * threads, frames, variables and source
 */
#include <string.h>

#include "command/arguments.h"
#include "command/interpreter.h"

static struct error *run_list_processes(struct call *call)
{
	return session_list_processes(call->session, &call->printed);
}

static struct error *run_list_threads(struct call *call)
{
	return session_list_threads(call->session, &call->printed);
}

static struct error *run_list_modules(struct call *call)
{
	session_list_modules(call->session, &call->printed);
	return NULL;
}

static struct error *run_list_functions(struct call *call)
{
	return session_list_functions(
		call->session, call_count(call) ? call_word(call, 0) : NULL,
		&call->printed);
}

static struct error *run_list_probes(struct call *call)
{
	return session_list_probes(call->session,
				   call_count(call) ? call_word(call, 0) : NULL,
				   &call->printed);
}

static struct error *run_where(struct call *call)
{
	return session_where(call->session, &call->printed);
}

static struct error *run_frame(struct call *call)
{
	uint32_t number;

	if (!call_count(call))
		return session_frame(call->session, NULL, &call->printed);
	TRY(argument_id(call_word(call, 0), "frame", &number));
	return session_frame(call->session, &number, &call->printed);
}

static struct error *run_list_locals(struct call *call)
{
	return session_list_locals(call->session, &call->printed);
}

static struct error *run_thread(struct call *call)
{
	uint32_t tid;

	TRY(argument_id(call_word(call, 0), "thread", &tid));
	return session_select_thread(call->session, (pid_t)tid);
}

static struct error *run_list_source(struct call *call)
{
	return session_list_source(call->session,
				   call_count(call) ? call_word(call, 0) : NULL,
				   &call->printed);
}

static struct error *call_evaluate(struct call *call)
{
	TRY(session_evaluate(call->session, call->rest, &call->printed));
	if (call->printed.length &&
	    call->printed.data[call->printed.length - 1] != '\n')
		str_append_char(&call->printed, '\n');
	return NULL;
}

static struct error *run_evaluate(struct call *call)
{
	if (!*call->rest)
		return call_usage(call, "an expression is missing");
	return call_evaluate(call);
}

/* May the user have meant this word after `print'? It is misspelt, as in `print
 * tabels', or shortened too much, as in `print g'. */
static bool may_mean(const char *typed, const char *word)
{
	size_t most = strlen(typed) > 4 ? 2 : 1;

	return strlen(typed) > 1 ? str_starts_nocase(word, typed) ||
					   str_distance(typed, word) <= most
				 : str_starts_nocase(word, typed);
}

/* If an expression cannot be evaluated and it is like words that may follow
 * `print', adds these as a suggestion to the error. The function takes `error`
 * and returns the error to use. */
static struct error *suggest_noun(const char *typed, struct error *error)
{
	const struct command *command;
	struct error *better = error;
	struct str names = {0};

	for (size_t i = 0; (command = command_at(i)); i++) {
		struct str name = {0};

		command_name(command, &name);
		if (str_starts(str_text(&name), "print ") &&
		    may_mean(typed, str_text(&name) + strlen("print ")))
			str_printf(&names, "%s`%s'", names.length ? " or " : "",
				   str_text(&name));
		str_deinit(&name);
	}
	if (names.length) {
		better = error_create(error_code(error), "%s; did you mean %s?",
				      error_message(error), str_text(&names));
		error_destroy(error);
	}
	str_deinit(&names);
	return better;
}

static struct error *run_print(struct call *call)
{
	struct error *error;

	if (!*call->rest)
		return call_usage(call, "print tables, nodes, legs, histogram, "
					"slowest, or an expression");
	error = call_evaluate(call);
	return error ? suggest_noun(call->rest, error) : NULL;
}

const struct command look_commands[] = {
	{.words = "list",
	 .arguments = "[LOC]",
	 .summary = "source lines: the same as `list source'",
	 .help = "    list\n    list main",
	 .complete = "@function",
	 .flags = COMMAND_PRINTS,
	 .most = 1,
	 .run = run_list_source},
	{.words = "list processes",
	 .arguments = "[> FILE]",
	 .summary = "the processes that are measured",
	 .help = "Number, name, state and program of each; the one of the "
		 "thread that `where' shows is marked. For one in a container, "
		 "also its number there.\n    list processes\n    List "
		 "Processes!",
	 .complete = "",
	 .flags = COMMAND_MEMO | COMMAND_PRINTS,
	 .run = run_list_processes},
	{.words = "list functions",
	 .arguments = "[GLOB] [> FILE]",
	 .summary = "functions, where they are, and their calls if counted",
	 .help = "GLOB is a name or a pattern, with or without @MODULE, as of "
		 "`time'; without it all functions of the program are listed. "
		 "Before the program runs, a name that it does not have is "
		 "looked for in the libraries that it is linked with. The "
		 "size is in bytes.\n"
		 "    list functions\n    list functions sqlite3_*\n"
		 "    list functions *alloc*@libc.so.6",
	 .complete = "@function",
	 .flags = COMMAND_PRINTS,
	 .most = 1,
	 .run = run_list_functions},
	{.words = "list probes",
	 .arguments = "[GLOB] [> FILE]",
	 .summary = "static probes, and where their arguments are",
	 .help = "A static probe is a place that the program's authors have "
		 "marked (PERFTOOL_MARK, or the macros of sys/sdt.h). Its "
		 "place is probe:PROVIDER:NAME, and $arg1, $arg2 and so on are "
		 "its "
		 "arguments. GLOB is PROVIDER:NAME or NAME. Before "
		 "the program runs, the list has the probes of the program and "
		 "of the libraries that it is linked with, at their addresses "
		 "in the files.\n"
		 "    list probes\n    list probes gc__*\n"
		 "    break probe:python:gc__start if $arg1 == 2",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .most = 1,
	 .run = run_list_probes},
	{.words = "list modules",
	 .arguments = "[> FILE]",
	 .summary = "program and libraries, and what is known of them",
	 .help = "Where each was loaded, and whether it has symbols and debug "
		 "information, perhaps in a file of its own; if it has none, "
		 "the Debian package that contains it.\n"
		 "    list modules",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_list_modules},
	{.words = "list threads",
	 .arguments = "[> FILE]",
	 .summary = "the threads that are measured",
	 .help = "Number, name, state, and the function each is in; the one "
		 "that `where' shows is marked. If the program runs while "
		 "commands are entered, perftool stops it for the moment of "
		 "this command.\n"
		 "    list threads",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_list_threads},
	{.words = "list source",
	 .arguments = "[LOC] [> FILE]",
	 .summary = "source lines around a place",
	 .help = "Lines with breakpoints are marked. Without LOC: around the "
		 "stop, then on from the last listing.\n"
		 "    list source\n    list source main\n    list source x.c:7",
	 .complete = "@function",
	 .flags = COMMAND_PRINTS,
	 .most = 1,
	 .run = run_list_source},
	{.words = "list locals",
	 .arguments = "[> FILE]",
	 .summary = "arguments and locals of the frame, with their values",
	 .help = "Of the innermost frame, or the one that `frame' has chosen: "
		 "its arguments, then its locals, those of the innermost block "
		 "first.\n    list locals",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_list_locals},
	{.words = "where",
	 .arguments = "[> FILE]",
	 .summary = "backtrace of the stopped thread",
	 .help = "Innermost frame first, inlined calls as frames of their own, "
		 "with the arguments that are numbers: `...' stands for a "
		 "structure, which `evaluate' shows. `thread' chooses another "
		 "thread, `frame' the frame to look at.\n"
		 "    where",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_where},
	{.words = "frame",
	 .arguments = "[N] [> FILE]",
	 .summary = "choose the frame to look at",
	 .help = "`evaluate', `list locals' and `list source' then look at the "
		 "frame that `where' shows as #N, until the program goes on; "
		 "without N, perftool shows which frame is chosen.\n"
		 "    frame 2",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .most = 1,
	 .run = run_frame},
	{.words = "thread",
	 .arguments = "N",
	 .summary = "choose the thread to look at",
	 .help = "`where', `list source' and `evaluate' then look at thread "
		 "N, a number that `list threads' shows.\n    thread 4711",
	 .complete = "@thread",
	 .least = 1,
	 .most = 1,
	 .asks = "thread",
	 .run = run_thread},
	{.words = "print",
	 .arguments = "EXPR",
	 .summary = "the value of an expression: the same as `evaluate'",
	 .help = "For an EXPR that begins with none of the words that may "
		 "follow print. These words may be shortened to two letters, "
		 "but not to one, so that `print n' prints the variable n. "
		 "`evaluate' prints a variable that has the name of such a "
		 "word.\n"
		 "    print *request\n"
		 "    print table[3].name == \"get\"",
	 .complete = "@expression",
	 .flags = COMMAND_REST,
	 .asks = "expression",
	 .run = run_print},
	{.words = "evaluate",
	 .arguments = "EXPR",
	 .summary = "the value of an expression",
	 .help = "The value is shown as gdb's `print' shows it, and is that of "
		 "the frame of the stopped thread (`frame' chooses another). "
		 "Expressions are C's, without side effects: variables with "
		 "their members and elements, casts to any type of C or of the "
		 "program, sizeof, all operators; in C++ `this', scopes and "
		 "references; in Rust tuples and the values in enumerations, "
		 "maybe.0. A string literal compares with what a char * points "
		 "to, and with std::string, &str and String. $arg1 to $arg6 "
		 "are arguments by the ABI, where a function begins; $ret is "
		 "what the function returns, at its exit; $rax is a register; "
		 "$pid and $tid are the process and the thread; $g is the "
		 "goroutine of a Go program; $caller is the function that has "
		 "called this one; $node(N) is how often node N was reached. "
		 "`print EXPR' is the same.\n"
		 "    evaluate list->head.name\n"
		 "    evaluate *(struct point (*)[2]) buffer\n"
		 "    evaluate 'file.c'::counter + $node(1)",
	 .complete = "@expression",
	 .flags = COMMAND_REST,
	 .asks = "expression",
	 .run = run_evaluate},
	{.words = NULL},
};
