/*
 * ui.c - sets up what batch mode and the prompt both need, and has the
 * callbacks by which the session talks to the user
 */
#include "ui.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"

#include "ui/prompt/prompt.h"
#include "ui/terminal/terminal.h"

/* How long, in ns, the tool waits for the processes that read its output when
 * the user wants the tool to end. */
#define LAST_PATIENCE 1000000000u

void ui_say(struct ui *ui, struct str *text)
{
	if (text->length && !ui->options.quiet) {
		if (text->data[text->length - 1] != '\n')
			str_append_char(text, '\n');
		message_write(&ui->writer, stderr, str_text(text));
	}
	str_deinit(text);
}

/* MESSAGE_MAX, in bytes, is long enough for every message of the tool. Only a
 * message that repeats a very long word of the user can be longer. Of such a
 * message, the MESSAGE_END bytes at the end are kept. */
enum { MESSAGE_MAX = 1000, MESSAGE_END = 300 };

static bool continues_character(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Appends the message. Leaves out the middle of a very long message. */
static void append_message(struct str *out, const char *message)
{
	size_t length = strlen(message), begin = MESSAGE_MAX - MESSAGE_END;
	const char *end = message + length - MESSAGE_END;

	if (length <= MESSAGE_MAX) {
		str_append(out, message);
		return;
	}
	while (continues_character(message[begin]))
		begin--;
	while (continues_character(*end))
		end++;
	str_append_n(out, message, begin);
	str_append(out, " [...] ");
	str_append(out, end);
}

void ui_report_error(const struct ui *ui, const char *prefix,
		     struct error *error)
{
	const struct writer forever = {0};
	struct str text = {0};

	fflush(stdout);
	str_append(&text, prefix);
	append_message(&text, error_message(error));
	str_append_char(&text, '\n');
	message_write(ui ? &ui->writer : &forever, stderr, str_text(&text));
	str_deinit(&text);
	error_destroy(error);
}

/* ---- the callbacks of the session ---------------------------------------- */

static void note(void *context, const char *text)
{
	struct ui *ui = context;
	struct str line = {0};

	str_printf(&line, "%s\n", text);
	if (ui->interpreter)
		interpreter_log(ui->interpreter, text);
	if (ui->paging) {
		str_append(&ui->held, str_text(&line));
	} else {
		status_erase(&ui->status);
		fflush(stdout);
		if (ui->editor)
			editor_above(ui->editor);
		message_write(&ui->writer, stderr, str_text(&line));
	}
	str_deinit(&line);
}

static void program_runs(void *context, pid_t group)
{
	struct ui *ui = context;

	fflush(NULL);
	if (group)
		terminal_give(&ui->terminal, group);
	status_begin(&ui->status);
}

static void program_stopped(void *context)
{
	struct ui *ui = context;

	status_erase(&ui->status);
	terminal_take(&ui->terminal);
}

static void progress(void *context, const struct session_progress *state)
{
	struct ui *ui = context;

	status_update(&ui->status, state);
}

/* Has the user asked to interrupt since the last call? SIGTERM and the other
 * signals that end the tool interrupt as Ctrl-C does, and then the tool ends.
 * If such a signal comes a second time, it does not interrupt what the tool
 * does before its end, for example the report. timeout(1) sends its signal
 * twice. */
static bool interrupted(void *context)
{
	struct ui *ui = context;
	int number = signals_take();

	if (number && number == ui->ended_by)
		return false;
	if (number && number != SIGINT)
		ui->ended_by = number;
	if (number)
		ui->interrupted_by = number;
	return number != 0;
}

static bool interrupting(void *context)
{
	const struct ui *ui = context;
	int number = signals_peek();

	return number && number != ui->ended_by;
}

static bool suspended(void *context)
{
	(void)context;
	return signals_take_suspend();
}

/* Suspends the tool. The shell that has the terminal meanwhile finds the
 * terminal as it was before the tool was started. */
static void suspend(void *context)
{
	struct ui *ui = context;

	status_erase(&ui->status);
	terminal_take(&ui->terminal);
	signals_suspend();
}

/* Waits for an event of a file or a signal. If SIGUSR1 has asked for tables,
 * prints or writes the tables and waits again. While a question waits for its
 * answer, the tables are not printed. */
static void await(void *context, int fd, short events)
{
	struct ui *ui = context;

	signals_await_report(fd, events);
	while (signals_peek_report() && !ui->asks) {
		unattended_look(ui, false);
		signals_await_report(fd, events);
	}
}

/* Does the user want the tool to end? At a prompt, Ctrl-C does not ask for
 * that. */
static bool is_to_end(const struct ui *ui)
{
	int number = signals_peek();

	if (ui->interactive)
		return ui->ended_by || (number && number != SIGINT);
	return number || ui->ended_by || ui->interrupted_by;
}

/* Waits until a file has room, for a writer (struct writer). As long as the
 * user does not want the tool to end, the process that reads the file may take
 * its time. When the user wants the end, the tool waits LAST_PATIENCE for a
 * reader that does not read, and after that it waits for no reader any more. */
static bool await_room(void *context, int fd, int milliseconds)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	struct ui *ui = context;
	uint64_t end;

	if (!is_to_end(ui)) {
		signals_await_room(fd, milliseconds);
		return true;
	}
	end = monotonic_now() + (ui->is_unread ? 0 : LAST_PATIENCE);
	for (;;) {
		uint64_t now = monotonic_now();
		uint64_t left = now < end ? end - now : 0;

		/* A signal may interrupt poll(2), so the loop computes the time
		 * that is left. */
		if (poll(&room, 1, (int)((left + 999999) / 1000000)) > 0)
			return true;
		if (!left)
			break;
	}
	ui->is_unread = true;
	return false;
}

static void holds(void *context, bool on)
{
	(void)context;
	signals_hold(on);
}

/* Can the tool ask the user? It cannot while a pager has the screen, because
 * the pager reads what the user types. */
static bool can_ask(const struct ui *ui)
{
	return ui->interactive && !ui->paging;
}

static bool confirm(void *context, const char *question)
{
	struct ui *ui = context;

	return can_ask(ui) && ask_confirm(ui, question, false);
}

static bool confirm_leaving(void *context, const char *question)
{
	struct ui *ui = context;

	return can_ask(ui) && ask_confirm(ui, question, true);
}

/* Asks the user for a word that is missing after the command line `before`. */
static bool ask(void *context, const char *name, const char *before,
		char **answer)
{
	struct ui *ui = context;

	return ui->editor && editor_ask(ui->editor, name, before, answer);
}

/* ---- setting up ---------------------------------------------------------- */

/* Are commands read from standard input? */
static bool reads_stdin(const struct options *options)
{
	for (size_t i = 0; i < options->tasks.count; i++)
		if (options->tasks.data[i].kind == TASK_SCRIPT &&
		    str_equal(options->tasks.data[i].text, "-"))
			return true;
	return options->tasks.count == 0 && !options->top &&
	       !isatty(STDIN_FILENO);
}

static bool wants_color(const struct options *options, FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	if (!terminal || str_equal(terminal, "dumb"))
		return false;
	return isatty(fileno(file)) == 1;
}

static struct error *open_output(struct ui *ui)
{
	const char *path = ui->options.output;

	if (!path)
		return NULL;
	if (ui->options.format == FORMAT_CSV && !ui->options.top)
		return command_check_csv(path);
	if (str_equal(path, "-")) {
		ui->output = stdout;
		return NULL;
	}
	ui->output = fopen(path, "we");
	if (!ui->output)
		return error_system(errno, "cannot write %s", path);
	return NULL;
}

static void create_interpreter(struct ui *ui)
{
	FILE *output = ui->output ? ui->output : stdout;
	struct interpreter_options options = {
		.session = ui->session,
		.ui = &ui->callbacks,
		.output = output,
		.messages = stderr,
		.interactive = ui->interactive,
		.color = wants_color(&ui->options, output),
		.runs_later = ui->options.batch,
		.time_limit = ui->options.duration,
		.before_output = unattended_flush,
		.lay_out = message_lay_out,
	};

	if (ui->interactive)
		options.messages = stdout;
	else if (ui->options.quiet)
		options.messages = NULL;
	if (options.messages)
		ui->messages = message_stream(&ui->writer, options.messages);
	if (ui->messages)
		options.messages = ui->messages;
	ui->interpreter = interpreter_create(&options);
}

static struct error *check_modes(const struct ui *ui)
{
	const struct options *options = &ui->options;

	if (!options->batch && options->duration)
		return error_create(ERROR_USAGE,
				    "--for is for batch mode: give -b or -t");
	if (!options->batch && options->every)
		return error_create(ERROR_USAGE,
				    "--every is for batch mode: give -b or -t");
	if (!options->batch && options->format_given)
		return error_create(ERROR_USAGE,
				    "-f is for batch mode: give -b or -t");
	return NULL;
}

/* Is there a status line? There is none if a launched program writes to the
 * same terminal: the program's lines and the status line would overwrite each
 * other. */
static bool shows_status(const struct options *options)
{
	return !options->quiet && isatty(STDERR_FILENO) == 1 &&
	       (options->pids.count || isatty(STDOUT_FILENO) != 1);
}

struct error *ui_init(struct ui *ui, const struct options *options)
{
	bool terminal = isatty(STDIN_FILENO) == 1;

	*ui = (struct ui){.options = *options};
	ui->commands_on_stdin = reads_stdin(options);
	ui->interactive = !options->batch && terminal && !ui->commands_on_stdin;
	terminal_init(&ui->terminal, -1);
	status_init(&ui->status, -1);
	TRY(check_modes(ui));
	TRY(open_output(ui));
	signals_install();
	if (ui->interactive)
		terminal_init(&ui->terminal, STDIN_FILENO);
	else if (shows_status(options))
		status_init(&ui->status, STDERR_FILENO);
	ui->callbacks = (struct session_ui){
		.context = ui,
		.note = note,
		.program_runs = program_runs,
		.program_stopped = program_stopped,
		.progress = progress,
		.report = unattended_look,
		.interrupted = interrupted,
		.interrupting = interrupting,
		.suspended = suspended,
		.suspend = suspend,
		.await = await,
		.await_room = await_room,
		.holds = holds,
		.confirm = confirm,
		.confirm_leaving = confirm_leaving,
		.ask = ask,
		.interactive = ui->interactive,
		.stdin_is_commands = ui->commands_on_stdin,
	};
	ui->writer = (struct writer){.await = await_room, .context = ui};
	ui->session = session_create(&ui->callbacks);
	create_interpreter(ui);
	unattended_begin(ui);
	return NULL;
}

void ui_detach(struct ui *ui)
{
	struct str text = {0};
	struct error *error;

	if (!session_has_process(ui->session) ||
	    !session_is_attached(ui->session))
		return;
	error = session_detach(ui->session, &text);
	ui_say(ui, &text);
	if (error)
		ui_report_error(ui, "perftool: ", error);
}

struct error *ui_deinit(struct ui *ui)
{
	struct error *error = NULL;

	if (ui->interpreter)
		error = interpreter_close(ui->interpreter);
	interpreter_destroy(ui->interpreter);
	if (ui->session)
		session_destroy(ui->session);
	if (ui->messages)
		fclose(ui->messages);
	str_deinit(&ui->held);
	unattended_deinit(ui);
	terminal_deinit(&ui->terminal);
	if (ui->output && ui->output != stdout && fclose(ui->output) != 0)
		error = error_first(error,
				    error_system(errno, "cannot write %s",
						 ui->options.output));
	return error_first(error, streams_flush());
}

/* ---- start-up file and tasks --------------------------------------------- */

static char *startup_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	char *path;

	if (config && *config) {
		path = xasprintf("%s/perftool/perftoolrc", config);
		if (access(path, F_OK) == 0)
			return path;
		free(path);
	}
	if (!home || !*home)
		return NULL;
	path = xasprintf("%s/.perftoolrc", home);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

struct error *ui_run_startup_file(struct ui *ui)
{
	CLEANUP(free_pointer) char *path = NULL;

	if (ui->options.no_rc)
		return NULL;
	path = startup_path();
	return path ? interpreter_script(ui->interpreter, path) : NULL;
}

/* Runs the command `time "FUNC" REST` for an option -t. The name of the
 * function is put in quotes, because it may have blanks. */
static struct error *run_time(struct ui *ui, const char *text)
{
	size_t length = command_time_function(text);
	struct str line = {0};
	struct error *error;

	str_append(&line, "time \"");
	for (size_t i = 0; i < length; i++) {
		if (strchr("\"\\", text[i]))
			str_append_char(&line, '\\');
		str_append_char(&line, text[i]);
	}
	str_printf(&line, "\"%s", text + length);
	error = interpreter_line(ui->interpreter, str_text(&line));
	str_deinit(&line);
	return error;
}

static struct error *run_task(struct ui *ui, const struct task *task)
{
	struct error *error;

	switch (task->kind) {
	case TASK_SCRIPT:
		return interpreter_script(ui->interpreter, task->text);
	case TASK_TIME:
		error = run_time(ui, task->text);
		return error ? error_prefix(error, "-t %s", task->text) : NULL;
	case TASK_LINE:
		error = interpreter_line(ui->interpreter, task->text);
		return error ? error_prefix(error, "-e `%s'", task->text)
			     : NULL;
	}
	return NULL;
}

struct error *ui_run_tasks(struct ui *ui, bool *script)
{
	*script = false;
	for (size_t i = 0; i < ui->options.tasks.count; i++) {
		const struct task *task = &ui->options.tasks.data[i];
		struct error *error;

		if (interpreter_is_done(ui->interpreter))
			break;
		error = run_task(ui, task);
		if (error) {
			*script = task->kind == TASK_SCRIPT;
			return error;
		}
	}
	return NULL;
}

void ui_tell_of_options(const struct ui *ui, struct str *out)
{
	const char *option = options_behind(&ui->options);

	if (option && ui->options.tasks.count == 0)
		str_printf(out,
			   "`%s' after %s is an argument of the program: "
			   "perftool's options come before the program\n",
			   option, ui->options.program[0]);
}
