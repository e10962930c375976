/*
 * session_commands.c - commands that act on the session itself: scripts,
 * transcript, settings, help, and leaving the tool
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/child.h"
#include "perftool/base/path.h"
#include "perftool/session/calls.h"
#include "perftool/session/session_settings.h"
#include "perftool/session/spy.h"

#include "command/arguments.h"
#include "command/help/help.h"
#include "command/interpreter.h"
#include "command/output.h"

static struct error *run_source(struct call *call)
{
	CLEANUP(free_pointer) char *path = path_of_user(call_word(call, 0));

	return interpreter_script(call->interpreter, path);
}

static struct error *run_log(struct call *call)
{
	CLEANUP(free_pointer) char *path = NULL;

	if (strcasecmp(call_word(call, 0), "off") == 0)
		return output_log_stop(call->interpreter);
	TRY(output_path(call->session, call_word(call, 0), &path));
	return output_log_start(call->interpreter, path);
}

/* ---- settings ------------------------------------------------------------ */

static const char *setting_name(size_t index)
{
	const struct session_setting *setting = session_setting_at(index);

	return setting ? setting->name : NULL;
}

/* Finds the setting that a word means. The word must be equal to the name of a
 * setting, or be the prefix of exactly one name. */
static struct error *find_setting(const char *word,
				  const struct session_setting **setting)
{
	CLEANUP(free_pointer) const char **names = NULL;
	size_t count = 0, index = 0;

	while (setting_name(count))
		count++;
	names = xcalloc(count + 1, sizeof(*names));
	for (size_t i = 0; i < count; i++)
		names[i] = setting_name(i);
	TRY(command_choose(word, "setting", names, &index));
	*setting = session_setting_at(index);
	return NULL;
}

/* Returns the words from index `from` on, with one blank between two words. The
 * caller frees the result. */
static char *join(const struct call *call, size_t from)
{
	struct str text = {0};

	for (size_t i = from; i < call_count(call); i++) {
		if (text.length)
			str_append_char(&text, ' ');
		str_append(&text, call_word(call, i));
	}
	return str_take(&text);
}

static struct error *run_set(struct call *call)
{
	const struct session_setting *setting;
	CLEANUP(free_pointer) char *value = NULL;

	TRY(find_setting(call_word(call, 0), &setting));
	if (call_count(call) == 1)
		return error_create(ERROR_USAGE, "no value; usage: set %s %s",
				    setting->name, setting->values);
	value = join(call, 1);
	return session_set(call->session, setting->name, value);
}

static struct error *run_show(struct call *call)
{
	CLEANUP(free_pointer) char *words = join(call, 0);
	const char *name = *words ? words : NULL;

	if (name && str_equal(name, "fields")) {
		fields_show(&call->interpreter->fields, &call->printed);
		return NULL;
	}
	if (name && str_equal(name, "spy")) {
		session_spy_show(call->session, &call->printed);
		return NULL;
	}
	if (name && str_equal(name, "profile")) {
		session_profile_show(call->session, &call->printed);
		return NULL;
	}
	if (name) {
		const struct session_setting *setting;
		struct error *error = find_setting(name, &setting);

		if (!error)
			name = setting->name;
		/* No setting has this name, but session_show() also knows
		 * values that are no settings. */
		error_destroy(error);
	}
	return session_show(call->session, name, &call->printed);
}

/* ---- help, history, shell, quit ------------------------------------------ */

static struct error *run_help(struct call *call)
{
	CLEANUP(free_pointer) char *topic = join(call, 0);

	return help_write(topic, &call->printed);
}

static struct error *run_history(struct call *call)
{
	struct interpreter *interpreter = call->interpreter;

	if (!interpreter->print_history)
		return error_create(ERROR_USAGE,
				    "there is a history only at the prompt");
	interpreter->print_history(interpreter->history_context,
				   &call->printed);
	return NULL;
}

static bool is_readable(void *context)
{
	struct pollfd ready = {.fd = *(int *)context, .events = POLLIN};

	return poll(&ready, 1, 0) > 0;
}

/*
 * Starts a shell with the command, as system(3) does, but returns at once. The
 * shell's exit status, in the form of `$?`, comes through a pipe: `*status_end`
 * is the end to read, which the caller closes. The status does not come from
 * waitpid(2), because the tool waits for the program at the same time, and this
 * wait may also collect the end of the shell.
 */
static struct error *start_shell(char *command, pid_t *pid, int *status_end)
{
	char name[] = "sh", option[] = "-c",
	     script[] = "trap : INT QUIT; sh -c \"$1\" 9>&-; echo $? >&9";
	char *const argv[] = {name, option, script, name, command, NULL};
	int ends[2], result;
	sigset_t mask;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_system(errno, "cannot start a shell");
	/* the tool may block these signals while it is attached to a program;
	 * the shell must not inherit the blocked signals */
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigdelset(&mask, SIGTTIN);
	sigdelset(&mask, SIGTTOU);
	result = child_start(argv, ends[1], 9, &mask, pid);
	close(ends[1]);
	*status_end = ends[0];
	if (result == 0)
		return NULL;
	close(ends[0]);
	return error_system(result, "cannot start a shell");
}

/* Waits for the end of the shell command. An attached program runs during this
 * time. Ctrl-\ acts only on the command and not on the tool. */
static struct error *wait_for_shell(struct call *call, int *status)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	char text[16] = "";
	struct error *error;
	ssize_t count;
	pid_t pid;
	int end;

	sigaction(SIGQUIT, &ignore, &before);
	error = start_shell(call->rest, &pid, &end);
	if (!error) {
		error = interpreter_serve(call->interpreter, is_readable, &end,
					  &call->said);
		/* (After an error, nobody waits for the shell.) */
		do
			count = error ? 0 : read(end, text, sizeof(text) - 1);
		while (count < 0 && errno == EINTR);
		close(end);
		if (!error)
			session_reap(pid);
	}
	sigaction(SIGQUIT, &before, NULL);
	*status = atoi(text);
	return error;
}

/* A Ctrl-C ends the shell command and also the script that contains it. */
static struct error *run_shell(struct call *call)
{
	int status;

	if (!*call->rest)
		return call_usage(call, "a command is missing");
	fflush(NULL);
	TRY(wait_for_shell(call, &status));
	/* a shell adds 128 to the number of the signal that ended a command */
	if (status > 128 && status - 128 < NSIG)
		str_printf(&call->said, "The command was ended by signal %d\n",
			   status - 128);
	else if (status)
		str_printf(&call->said, "The command's exit status was %d\n",
			   status);
	if (interpreter_is_script(call->interpreter) &&
	    interpreter_is_interrupted(call->interpreter))
		return error_create(ERROR_INTERRUPTED, "interrupted");
	return NULL;
}

static struct error *run_quit(struct call *call)
{
	const struct interpreter_options *options = &call->interpreter->options;

	if (options->interactive && options->ui &&
	    options->ui->confirm_leaving &&
	    session_has_process(call->session) &&
	    !session_is_attached(call->session) &&
	    !options->ui->confirm_leaving(
		    options->ui->context,
		    "The program is running. Kill it and quit?"))
		return NULL;
	call->interpreter->done = true;
	return NULL;
}

static struct error *run_dyper(struct call *call)
{
	struct interpreter *interpreter = call->interpreter;
	CLEANUP(free_pointer) char *name = xstrdup(call_word(call, 0));

	if (!interpreter->operate)
		return error_create(ERROR_OTHER,
				    "no operations of front ends are to be had "
				    "here");
	for (char *at = name; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return interpreter->operate(
		interpreter->operate_context, name,
		(const char *const *)call->tokens.words.data + 1,
		call_count(call) - 1, &call->printed);
}

const struct command session_commands[] = {
	{.words = "source",
	 .arguments = "FILE",
	 .summary = "run the commands of a file",
	 .help = "The first command that fails ends it; the message names the "
		 "file and the line.\n"
		 "    source setup.pt",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "file",
	 .run = run_source},
	{.words = "log",
	 .arguments = "FILE|off",
	 .summary = "keep a transcript of commands and output",
	 .help = "Each command stands after a >, followed by what it printed. "
		 "`log off' ends it.\n"
		 "    log Perf.log\n    log off",
	 .complete = "off|@file",
	 .least = 1,
	 .most = 1,
	 .asks = "file, or off",
	 .run = run_log},
	{.words = "dyper",
	 .arguments = "OPERATION [NAME=VALUE]...",
	 .summary = "carry out an operation of front ends",
	 .help = "The operations are those that `perftool serve' takes from "
		 "front ends: agent, calltree, classes, classmodel, clear, "
		 "directory, get, getclasses, instrument, model, modes, patch, "
		 "ping, report, set, setdetail, showstack, usethread, who, "
		 "whoru. doc/PROTOCOL.md describes them. NAME is the name of a "
		 "parameter, or names with dots between them where a parameter "
		 "has parts; a name that an element has already begins the "
		 "next one. The result is printed as JSON.\n"
		 "    dyper showstack\n"
		 "    dyper setdetail item=vdbe.c value=true\n"
		 "    dyper classes class.name=os_unix.c class.type=IO",
	 .complete = "agent|calltree|classes|classmodel|clear|directory|get|"
		     "getclasses|instrument|model|modes|patch|ping|report|set|"
		     "setdetail|showstack|usethread|who|whoru",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .flags = COMMAND_PRINTS,
	 .asks = "operation",
	 .run = run_dyper},
	{.words = "set",
	 .arguments = "NAME VALUE",
	 .summary = "change a setting",
	 .help = "`show' lists the settings and their possible values.\n"
		 "    set format json",
	 .complete = "@setting @value",
	 .least = 1,
	 .most = ANY_NUMBER,
	 .asks = "setting|value",
	 .run = run_set,
	 .nouns = setting_name},
	{.words = "show",
	 .arguments = "[NAME] [> FILE]",
	 .summary = "settings and their values",
	 .help = "`show fields' shows the fields of the Mesa memo's window, "
		 "`show module' where names are looked up, `show spy' and "
		 "`show profile' what is recorded.\n"
		 "    show\n"
		 "    show format\n"
		 "    show clock\n"
		 "    show fields",
	 .complete = "@setting|fields|clock|root|module|spy|profile",
	 .flags = COMMAND_PRINTS,
	 .most = 2,
	 .run = run_show},
	{.words = "help",
	 .arguments = "[COMMAND] [> FILE]",
	 .summary = "what commands there are, or all about one",
	 .help = "Words may be shortened; a word that begins several commands "
		 "lists them.\n"
		 "    help\n    help add leg\n    help print",
	 .complete = "@command|@topic...",
	 .flags = COMMAND_PRINTS,
	 .most = 4, /* a question: help where to look */
	 .run = run_help},
	{.words = "history",
	 .arguments = "[> FILE]",
	 .summary = "the lines entered at the prompt",
	 .help = "They are kept from session to session; Ctrl-R searches "
		 "them.\n"
		 "    history",
	 .complete = "",
	 .flags = COMMAND_PRINTS,
	 .run = run_history},
	{.words = "shell",
	 .arguments = "COMMAND",
	 .summary = "run a shell command",
	 .help = "The whole line belongs to it. Its output is not part of the "
		 "transcript.\n"
		 "    shell ls *.json",
	 .complete = "@file...",
	 .flags = COMMAND_REST,
	 .asks = "command",
	 .run = run_shell},
	{.words = "quit|exit",
	 .arguments = "",
	 .summary = "leave",
	 .help = "At a terminal perftool asks first if that kills a program "
		 "that is running. It lets a program that was attached to go "
		 "on.\n"
		 "    quit",
	 .complete = "",
	 .run = run_quit},
	{.words = NULL},
};
