/*
 * program_commands.c - commands that choose the program, control its run, and
 * set which processes and threads are measured
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/base/monotonic.h"
#include "perftool/base/path.h"
#include "perftool/session/user_interface.h"

#include "command/arguments.h"
#include "command/interpreter.h"

VEC_STRUCT(id_list, uint32_t);

static struct error *run_file(struct call *call)
{
	CLEANUP(free_pointer) char *path = path_of_user(call_word(call, 0));

	return session_set_program(call->session, path);
}

static struct error *run_args(struct call *call)
{
	struct tokens tokens;

	TRY(tokenize(call->rest, TOKEN_SHELL, &tokens));
	session_set_args(call->session, (const char *const *)tokens.words.data,
			 tokens.words.count);
	tokens_deinit(&tokens);
	return NULL;
}

static struct error *run_env(struct call *call)
{
	char *equals = strchr(call->rest, '='), *value;
	size_t length;

	if (!equals || equals == call->rest)
		return call_usage(call, "a name and `=' are missing");
	for (const char *at = call->rest; at < equals; at++)
		if (isspace((unsigned char)*at))
			return call_usage(
				call, "a blank before the `=' is not allowed");
	*equals = '\0';
	value = equals + 1;
	length = strlen(value);
	if (length >= 2 && (*value == '"' || *value == '\'') &&
	    strchr(value + 1, *value) == value + length - 1) {
		value[length - 1] = '\0';
		value++;
	}
	session_set_env(call->session, call->rest, value);
	return NULL;
}

static struct error *run_directory(struct call *call)
{
	CLEANUP(free_pointer) char *path = path_of_user(call_word(call, 0));

	session_add_directory(call->session, path);
	return NULL;
}

static struct error *run_debuginfo(struct call *call)
{
	CLEANUP(free_pointer) char *path = path_of_user(call_word(call, 0));

	return session_add_debug_directory(call->session, path);
}

/* ---- run control --------------------------------------------------------- */

static bool allows(struct interpreter *interpreter, uint64_t asked,
		   uint64_t *duration)
{
	/* The time is read first: however short the limit is, it is not over
	 * when it begins. */
	uint64_t at = monotonic_now();
	uint64_t end = interpreter_begin_limit(interpreter);

	*duration = asked;
	if (end == UINT64_MAX)
		return true;
	if (at >= end)
		return false;
	if (!asked || asked > end - at)
		*duration = end - at;
	return true;
}

/* The time limit is reached, or the user has interrupted a run. The program
 * ends or is let go at once, so that it is measured for no longer than the user
 * has said. The commands that follow then print and save what was measured,
 * unless the user interrupts this, too. */
static struct error *end_measurement(struct call *call)
{
	struct session_stop stop = {0};

	if (!session_has_process(call->session))
		return NULL;
	if (session_is_attached(call->session))
		return session_detach(call->session, &call->said);
	TRY(session_end_program(call->session, &stop));
	return stop.is_asked ? error_create(ERROR_INTERRUPTED, "interrupted")
			     : NULL;
}

struct error *interpreter_may_run(struct call *call, uint64_t asked,
				  uint64_t *duration, bool *may_run)
{
	struct interpreter *interpreter = call->interpreter;

	*may_run = !interpreter->is_ended_by_user &&
		   allows(interpreter, asked, duration);
	if (*may_run)
		return NULL;
	if (!interpreter->is_ended_by_user && !interpreter->is_time_over) {
		interpreter->is_time_over = true;
		TRY(end_measurement(call));
	}
	str_printf(&call->said, "%s; `%s' was left out.\n",
		   interpreter->is_ended_by_user
			   ? "You have ended the measurement"
			   : "The time of --for is over",
		   call->command->words);
	return NULL;
}

static bool limit_is_over(const struct interpreter *interpreter)
{
	return interpreter->deadline &&
	       monotonic_now() >= interpreter->deadline;
}

/* Has the user ended the measurement, so that only the commands that print and
 * save are left? At a prompt an interruption ends nothing but the run. */
static bool is_ended(const struct interpreter *interpreter,
		     const struct session_stop *stop)
{
	if (interpreter->options.interactive)
		return false;
	/* The terminal sends Ctrl-C to the program, too. The program may end so
	 * quickly that the tool has not looked for the user's request yet. */
	return stop->reason == STOP_INTERRUPTED || stop->is_asked ||
	       interpreter_is_interrupted(interpreter);
}

/* Tells the user about a stop of the program. In a script at a prompt, a stop
 * by interruption also ends the script. */
static struct error *stopped(struct call *call, const struct session_stop *stop)
{
	struct interpreter *interpreter = call->interpreter;
	bool over = stop->reason == STOP_DURATION && limit_is_over(interpreter);

	call_stop(call->interpreter, stop, &call->said);
	interpreter->is_time_over |= over;
	interpreter->is_ended_by_user |= is_ended(interpreter, stop);
	if (over || interpreter->is_ended_by_user)
		return end_measurement(call);
	if (stop->reason == STOP_INTERRUPTED &&
	    interpreter_is_script(interpreter))
		return error_create(ERROR_INTERRUPTED, "interrupted");
	return NULL;
}

static struct error *run_words(struct call *call, const struct tokens *tokens)
{
	struct session_stop stop;
	uint64_t duration;
	bool may_run;

	TRY(interpreter_may_run(call, 0, &duration, &may_run));
	if (!may_run)
		return NULL;
	TRY(session_run(call->session,
			tokens->words.count
				? (const char *const *)tokens->words.data
				: NULL,
			tokens->words.count, tokens->input, tokens->output,
			duration, &stop));
	return stopped(call, &stop);
}

static struct error *run_run(struct call *call)
{
	struct tokens tokens;
	struct error *error;

	TRY(tokenize(call->rest, TOKEN_SHELL | TOKEN_INPUT | TOKEN_OUTPUT,
		     &tokens));
	error = run_words(call, &tokens);
	tokens_deinit(&tokens);
	return error;
}

/* Reads the arguments `for DURATION'. `*asked` is the duration in ns, or 0 if
 * there are no arguments. */
static struct error *read_for(const struct call *call, uint64_t *asked)
{
	*asked = 0;
	if (call_count(call) == 1 && strcasecmp(call_word(call, 0), "for") == 0)
		return call_usage(call,
				  "a duration is missing after `for' (500ms, "
				  "10s, 2m)");
	if (call_count(call) == 1 ||
	    (call_count(call) == 2 &&
	     strcasecmp(call_word(call, 0), "for") != 0))
		return call_usage(call, "unexpected `%s'", call_word(call, 0));
	return call_count(call) ? duration_parse(call_word(call, 1), asked)
				: NULL;
}

static struct error *run_continue(struct call *call)
{
	struct session_stop stop;
	uint64_t asked, duration;
	bool may_run;

	TRY(read_for(call, &asked));
	TRY(interpreter_may_run(call, asked, &duration, &may_run));
	if (!may_run)
		return NULL;
	TRY(session_continue(call->session, duration, &stop));
	return stopped(call, &stop);
}

/* In the memo, a program is always there and has begun already. `proceed'
 * therefore starts the program if it has not been started. */
static struct error *run_proceed(struct call *call)
{
	struct session_stop stop;
	uint64_t asked, duration;
	bool may_run;

	if (session_has_process(call->session))
		return run_continue(call);
	TRY(read_for(call, &asked));
	TRY(interpreter_may_run(call, asked, &duration, &may_run));
	if (!may_run)
		return NULL;
	TRY(session_run(call->session, NULL, 0, NULL, NULL, duration, &stop));
	return stopped(call, &stop);
}

/* Parses a list "PID,PID" into `out`. */
static struct error *parse_pids(const char *list, struct id_list *out)
{
	size_t length;

	for (const char *at = list;; at += length + 1) {
		CLEANUP(free_pointer) char *word = NULL;
		uint32_t pid;

		length = strcspn(at, ",");
		word = xstrndup(at, length);
		TRY(argument_id(word, "process", &pid));
		if (pid == 0 || pid > INT32_MAX)
			return error_create(ERROR_USAGE, "no process %s", word);
		vec_push(out, pid);
		if (!at[length])
			return NULL;
	}
}

static struct error *attach_each(struct call *call, const struct id_list *pids,
				 bool children)
{
	for (size_t i = 0; i < pids->count; i++)
		TRY(session_attach(call->session, (pid_t)pids->data[i],
				   &call->said));
	for (size_t i = 0; i < pids->count; i++) {
		pid_t pid = (pid_t)pids->data[i];

		if (children)
			TRY(session_attach_children(call->session, pid,
						    &call->said));
		else
			session_note_children(call->session, pid);
	}
	return NULL;
}

static struct error *run_attach(struct call *call)
{
	size_t last = call_count(call) - 1;
	bool children = strcasecmp(call_word(call, last), "children") == 0;
	struct id_list pids = {0};
	struct error *error;

	if (children && last == 0)
		return session_attach_children(call->session, 0, &call->said);
	if (!children && last > 0)
		return call_usage(call, "unexpected `%s'", call_word(call, 1));
	error = parse_pids(call_word(call, 0), &pids);
	if (!error)
		error = attach_each(call, &pids, children);
	vec_free(&pids);
	return error;
}

static struct error *run_detach(struct call *call)
{
	return session_detach(call->session, &call->said);
}

/* Does the user really want to kill the program? At a prompt, the tool asks if
 * it has not started the program itself, so that a typing mistake does not end
 * a program of somebody else. */
static bool is_kill_meant(const struct call *call)
{
	const struct interpreter *interpreter = call->interpreter;
	const struct session_ui *ui = interpreter->options.ui;
	CLEANUP(free_pointer) char *question = NULL;

	if (interpreter_is_script(interpreter) || !ui || !ui->confirm ||
	    !session_has_process(call->session) ||
	    !session_is_attached(call->session))
		return true;
	question = xasprintf("End process %d, which perftool did not start?",
			     session_pid(call->session));
	return ui->confirm(ui->context, question);
}

static struct error *run_kill(struct call *call)
{
	if (!is_kill_meant(call))
		return NULL;
	TRY(session_kill(call->session));
	str_append(&call->said, "Killed\n");
	return NULL;
}

/* ---- what is tracked ----------------------------------------------------- */

/* Parses the number of a process or of a thread that `set process` or `set
 * thread` tracks. `all` gives 0. No argument also gives 0, because in the memo
 * an empty field means all. */
static struct error *tracked(const struct call *call, const char *what,
			     pid_t *id)
{
	uint32_t number = 0;

	if (call_count(call) && strcasecmp(call_word(call, 0), "all") != 0) {
		TRY(argument_id(call_word(call, 0), what, &number));
		if (number == 0 || number > INT32_MAX)
			return error_create(ERROR_USAGE, "no %s %s", what,
					    call_word(call, 0));
	}
	*id = (pid_t)number;
	return NULL;
}

static struct error *run_set_process(struct call *call)
{
	pid_t pid;

	TRY(tracked(call, "process", &pid));
	return session_track_process(call->session, pid);
}

static struct error *run_set_thread(struct call *call)
{
	pid_t tid;

	TRY(tracked(call, "thread", &tid));
	return session_track_thread(call->session, tid);
}

static struct error *run_set_follow(struct call *call)
{
	static const char *const what[] = {"fork", "exec", NULL};
	static const char *const states[] = {"on", "off", NULL};
	size_t which = 0, state = 0;

	TRY(command_choose(call_word(call, 0), "thing to follow", what,
			   &which));
	TRY(command_choose(call_word(call, 1), "state", states, &state));
	(which == 0 ? session_set_follow_fork
		    : session_set_follow_exec)(call->session, state == 0);
	return NULL;
}

const struct command program_commands[] = {
	{.words = "file",
	 .arguments = "PROGRAM",
	 .summary = "choose the program to measure",
	 .help = "PROGRAM is searched in PATH as a shell does. Its symbols and "
		 "debug information are read, so that breakpoints can be set "
		 "before it runs.\n"
		 "    file ./server",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "program",
	 .run = run_file},
	{.words = "args",
	 .arguments = "[WORD...]",
	 .summary = "arguments for the next run",
	 .help = "Words are split as a shell splits them: quotes group, a "
		 "backslash takes the next character as it is. Without words "
		 "the program gets no arguments. The whole line belongs to the "
		 "command: # starts no comment here.\n"
		 "    args --threads 4 \"a file\"",
	 .complete = "@file...",
	 .flags = COMMAND_REST,
	 .run = run_args},
	{.words = "env",
	 .arguments = "NAME=VALUE",
	 .summary = "an environment variable for the next run",
	 .help = "The rest of the line is the value; quotes around all of it "
		 "are taken off.\n"
		 "    env LANG=C",
	 .complete = "",
	 .flags = COMMAND_REST,
	 .asks = "NAME=VALUE",
	 .run = run_env},
	{.words = "directory",
	 .arguments = "DIR",
	 .summary = "look for source files in DIR, too",
	 .help = "Source files are looked for where the debug information says "
		 "they are, then in the directories given, in order, then "
		 "where perftool was started: there with the whole path, or "
		 "what is left of it without its first directories.\n"
		 "    directory ../src",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "directory",
	 .run = run_directory},
	{.words = "debuginfo",
	 .arguments = "DIR",
	 .summary = "look for separate debug information in DIR, too",
	 .help = "Debug information that a program or a library does not have "
		 "itself is looked for by its build id (DIR/.build-id/XX/...) "
		 "and by the name that the file knows it by (DIR/NAME), in the "
		 "directories given, in order, then in /usr/lib/debug, in "
		 "debuginfod's cache, and beside the file. `list modules' "
		 "shows what was found. --debuginfo on the command line is the "
		 "same.\n"
		 "    debuginfo ../symbols",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "directory",
	 .run = run_debuginfo},
	{.words = "run",
	 .arguments = "[ARG...] [<IN] [>OUT]",
	 .summary = "start the program",
	 .help = "Without ARG the words of `args' are used. The program's "
		 "input and output are perftool's own unless redirected; when "
		 "commands come from standard input, the program reads "
		 "/dev/null. A program that runs already is ended first (at a "
		 "prompt: after a question). Breakpoints stay, and the tables "
		 "keep their counts.\n"
		 "    run\n"
		 "    run -n 1000 <words.txt >/dev/null",
	 .complete = "@file...",
	 .flags = COMMAND_REST,
	 .run = run_run},
	{.words = "attach",
	 .arguments = "PID[,PID]... [children]",
	 .summary = "measure a program that is running already",
	 .help = "All its threads are measured, and the children it has from "
		 "now on. Several processes may be attached to, one after "
		 "another, and are measured together. `children' attaches also "
		 "to the children that the process has already, and to theirs, "
		 "as the workers of a server are; alone, to those of the "
		 "process that was attached to first. perftool reports a child "
		 "that it cannot attach to, and measures the others. The "
		 "process is stopped only while breakpoints are set or "
		 "removed, or while a command looks at it, and perftool says "
		 "for how long; the clock of the measurements stands then, "
		 "too. While commands are typed, and between the commands of a "
		 "script, the process runs; `continue' waits for it. A "
		 "breakpoint that stops the process leaves it stopped until "
		 "`continue'. At the prompt Ctrl-C ends the waiting, not the "
		 "measuring; `detach' ends the measuring. At the end perftool "
		 "lets the process go.\n"
		 "    attach 4711\n"
		 "    attach 4711 children\n"
		 "    time dictFind\n"
		 "    continue for 10s\n"
		 "    print tables\n"
		 "    detach",
	 .complete = "",
	 .least = 1,
	 .most = 2,
	 .asks = "process",
	 .run = run_attach},
	{.words = "detach",
	 .arguments = "",
	 .summary = "let go of the program: it goes on by itself",
	 .help = "Every byte it had is as it was before, no thread is left in "
		 "code of perftool's, and its children that are measured are "
		 "let go, too. Breakpoints and tables stay. A program that was "
		 "started with `run' can be let go as well.\n"
		 "    detach",
	 .complete = "",
	 .run = run_detach},
	{.words = "continue",
	 .arguments = "[for DURATION]",
	 .summary = "let the stopped program go on",
	 .help = "The program runs until a breakpoint stops it, it ends, you "
		 "press Ctrl-C, or DURATION is over. Ctrl-C and DURATION do "
		 "not stop a program that was attached to: they end the "
		 "waiting, and the program goes on.\n"
		 "    continue\n"
		 "    continue for 500ms",
	 .complete = "for",
	 .most = 2,
	 .run = run_continue},
	{.words = "proceed",
	 .arguments = "[for DURATION]",
	 .summary = "continue, or run when no program is being run",
	 .help = "The memo's word for both.\n"
		 "    proceed\n    Proceed",
	 .complete = "for",
	 .flags = COMMAND_MEMO,
	 .most = 2,
	 .run = run_proceed},
	{.words = "kill",
	 .arguments = "",
	 .summary = "end the program at once",
	 .help = "The program and its children that are measured get SIGKILL. "
		 "Breakpoints and tables stay. At a prompt perftool asks first "
		 "if the program was attached to.\n"
		 "    kill",
	 .complete = "",
	 .run = run_kill},
	{.words = "set process",
	 .arguments = "PID|all",
	 .summary = "measure only this process",
	 .help = "Hits by any other process do not count, as if the node did "
		 "not exist. `all' (or nothing) lifts the limit. A change "
		 "discards the executions that have not ended.\n"
		 "    set process 4711\n"
		 "    set process all\n"
		 "    Set Process! Process: 12343B",
	 .complete = "@process|all",
	 .labels = "process",
	 .flags = COMMAND_MEMO,
	 .most = 1,
	 .run = run_set_process},
	{.words = "set thread",
	 .arguments = "TID|all",
	 .summary = "measure only this thread",
	 .help = "As `set process', for one thread.\n    set thread 4712",
	 .complete = "@thread|all",
	 .labels = "process",
	 .flags = COMMAND_MEMO,
	 .most = 1,
	 .run = run_set_thread},
	{.words = "set follow",
	 .arguments = "fork|exec on|off",
	 .summary = "measure children, and what they execute",
	 .help = "Both are on at first. With fork off, perftool lets children "
		 "that are created from now on go before their first "
		 "instruction, with no breakpoints in them. With exec off, "
		 "perftool lets a process that executes another program go "
		 "before that program begins, also the first process. `show "
		 "follow' shows both.\n"
		 "    set follow fork off",
	 .complete = "fork|exec on|off",
	 .least = 2,
	 .most = 2,
	 .asks = "fork or exec|on or off",
	 .run = run_set_follow},
	{.words = NULL},
};
