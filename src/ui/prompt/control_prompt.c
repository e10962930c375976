/*
 * control_prompt.c - the prompt of `perftool ctl`: the same editor as that of
 * perftool, with the same history, questions and pager, but the lines are
 * carried out, and completed, by a perftool that serves
 *
 * While the user types, the editor also waits for what the server sends: the
 * prompt ends when the server ends. Ctrl-C while a line is being carried out
 * returns to the prompt; the server goes on with the line.
 */
#include "control_prompt.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#include "editor.h"
#include "pager.h"
#include "ui/exit_status.h"
#include "ui/terminal/terminal.h"

#define FAREWELL                                                               \
	"The program has ended, or perftool has: it is served no longer.\n"

/* How long the tool waits for a terminal that takes no output when a signal has
 * asked the tool to end. */
enum { LAST_PATIENCE_MS = 1000 };

struct conversation {
	struct control *control;
	struct writer writer;
	struct editor *editor;
	bool has_ended; /* the server has closed the connection */
	bool is_left;   /* the user leaves the prompt */
};

/* ---- what the editor needs of the server --------------------------------- */

static struct error *complete(void *context, const char *line, size_t *start,
			      char ***words)
{
	const struct conversation *conversation = context;
	struct string_list found = {0};
	struct error *error =
		control_complete(conversation->control, line, start, &found);

	if (error) {
		string_list_deinit(&found);
		return error;
	}
	vec_push(&found, NULL);
	*words = found.data;
	return NULL;
}

/* While the user reads in the pager. */
static struct error *listen_to(void *context, bool (*enough)(void *pager),
			       void *pager, struct str *told)
{
	struct conversation *conversation = context;

	(void)enough;
	(void)pager;
	(void)told;
	if (conversation->has_ended)
		return NULL;
	return control_listen(conversation->control, &conversation->has_ended);
}

/* While the user types. */
static struct error *serve(void *context, bool (*enough)(void *editor),
			   void *editor, struct str *told)
{
	struct conversation *conversation = context;

	if (conversation->has_ended)
		return NULL;
	TRY(listen_to(conversation, enough, editor, told));
	if (conversation->has_ended)
		str_append(told, FAREWELL);
	return NULL;
}

static bool runs_on(void *context)
{
	(void)context;
	return false;
}

static bool is_over(void *context)
{
	const struct conversation *conversation = context;

	return conversation->has_ended;
}

static void print(const struct conversation *conversation,
		  const struct str *output)
{
	struct str text = {0};

	str_append(&text, str_text(output));
	if (text.length && text.data[text.length - 1] != '\n')
		str_append_char(&text, '\n');
	message_write(&conversation->writer, stdout, str_text(&text));
	str_deinit(&text);
}

/* Shows what a line has printed, in the pager if that is for it. */
static void show(struct conversation *conversation, const char *line,
		 const struct str *output)
{
	const struct editor_party party = {.context = conversation,
					   .serve = listen_to,
					   .runs_on = runs_on};
	struct str told = {0};

	if (pager_is_for(line))
		pager_text(&party, &conversation->writer, output, &told);
	else
		print(conversation, output);
	str_deinit(&told);
}

static struct error *send_line(struct conversation *conversation,
			       const char *line)
{
	struct str output = {0};
	size_t rows, columns;
	struct error *error;

	if (!terminal_size(STDOUT_FILENO, &rows, &columns))
		columns = 0;
	error = control_line(conversation->control, line, columns, &output,
			     &conversation->has_ended);
	show(conversation, line, &output);
	str_deinit(&output);
	return error;
}

static struct error *print_tables(void *context)
{
	return send_line(context, "print tables");
}

/* ---- lines --------------------------------------------------------------- */

/* Waits until the file can be read. Returns false if a signal asks to
 * interrupt.
 */
static bool await(void *context, int fd)
{
	struct pollfd file = {.fd = fd, .events = POLLIN};

	(void)context;
	while (!signals_peek()) {
		signals_await_data(fd);
		if (poll(&file, 1, 0) > 0)
			return true;
		if (signals_take_suspend())
			signals_suspend();
	}
	return false;
}

static bool is_word(const char *line, const char *word, size_t least)
{
	size_t length;

	line += strspn(line, " \t");
	length = strcspn(line, " \t");
	return length >= least && length <= strlen(word) &&
	       strncmp(line, word, length) == 0 &&
	       line[length + strspn(line + length, " \t")] == '\0';
}

/* `was_sent`: the server has the command. */
static void tell(const struct conversation *conversation, struct error *error,
		 bool was_sent)
{
	struct str text = {0};

	if (error_code(error) == ERROR_INTERRUPTED)
		str_printf(&text, "interrupted%s\n",
			   was_sent ? "; the command itself goes on" : "");
	else
		str_printf(&text, "%s\n", error_message(error));
	message_write(&conversation->writer, stderr, str_text(&text));
	str_deinit(&text);
	error_destroy(error);
}

/* Asks the user for all that the line lacks. `*whole` gets the line to run, or
 * NULL if there is none; the caller frees it. */
static struct error *ask(struct conversation *conversation, const char *line,
			 char **whole)
{
	struct string_list answers = {0};
	struct error *error = NULL;
	bool goes_on = true;

	*whole = NULL;
	while (!error && goes_on) {
		struct control_question question;
		struct str output = {0};
		char *answer = NULL;

		error = control_ask(conversation->control, line, &answers,
				    &question, &output,
				    &conversation->has_ended);
		print(conversation, &output);
		str_deinit(&output);
		/* An answer `?` is answered once. */
		if (answers.count &&
		    is_word(answers.data[answers.count - 1], "?", 1))
			free(answers.data[--answers.count]);
		goes_on = !error && question.name && question.before &&
			  editor_ask(conversation->editor, question.name,
				     question.before, &answer);
		if (goes_on)
			vec_push(&answers, answer);
		if (!error && question.line)
			*whole = xstrdup(question.line);
		control_question_deinit(&question);
	}
	string_list_deinit(&answers);
	return error;
}

/* Carries out a line. `quit` leaves the prompt, as Ctrl-D does: what the server
 * measures concerns others, too. The history is that of this prompt. */
static void run_line(struct conversation *conversation, const char *line)
{
	CLEANUP(free_pointer) char *whole = NULL;
	struct str text = {0};
	struct error *error;

	if (is_word(line, "quit", 1)) {
		conversation->is_left = true;
		return;
	}
	if (is_word(line, "history", strlen("history"))) {
		editor_print_history(conversation->editor, &text);
		print(conversation, &text);
		str_deinit(&text);
		return;
	}
	error = ask(conversation, line, &whole);
	if (!error && whole && !conversation->has_ended)
		error = send_line(conversation, whole);
	if (error)
		tell(conversation, error, whole);
	if (signals_peek() == SIGINT)
		signals_take();
	if (conversation->has_ended)
		message_write(&conversation->writer, stdout, FAREWELL);
}

static void greet(const struct conversation *conversation)
{
	struct str text = {0};
	struct error *error;

	str_append(&text, "perftool serves ");
	error = control_describe(conversation->control, &text);
	str_append(&text, "`help' lists the commands. `quit' and Ctrl-D leave; "
			  "it is served on.\n");
	if (!error)
		message_write(&conversation->writer, stdout, str_text(&text));
	error_destroy(error);
	str_deinit(&text);
}

static void read_lines(struct conversation *conversation)
{
	while (!conversation->has_ended && !conversation->is_left) {
		const char *line;

		switch (editor_read(conversation->editor, &line)) {
		case EDITOR_LINE:
			run_line(conversation, line);
			break;
		case EDITOR_DROPPED:
			break;
		case EDITOR_END:
			if (!conversation->has_ended)
				message_write(&conversation->writer, stdout,
					      "\n");
			conversation->is_left = true;
			break;
		}
	}
}

/* Waits until the terminal takes more output. A signal that ends the tool ends
 * the wait, too, and the rest is not written then. */
static bool await_room(void *context, int fd, int milliseconds)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	int number = signals_peek();

	(void)context;
	if (!number)
		signals_await_room(fd, milliseconds);
	else
		return poll(&room, 1, LAST_PATIENCE_MS) > 0 || number == SIGINT;
	return true;
}

int control_prompt(struct control *control, bool greets)
{
	struct conversation conversation = {.control = control,
					    .writer = {.await = await_room}};
	const struct editor_party party = {.context = &conversation,
					   .complete = complete,
					   .serve = serve,
					   .runs_on = runs_on,
					   .print_tables = print_tables,
					   .is_over = is_over,
					   .fd = control_file(control)};
	struct terminal terminal;
	int number;

	signals_install();
	terminal_init(&terminal, STDIN_FILENO);
	control_set_await(control, await, NULL);
	if (greets)
		greet(&conversation);
	conversation.editor = editor_create(&party, &conversation.writer);
	read_lines(&conversation);
	editor_destroy(conversation.editor);
	terminal_deinit(&terminal);
	number = signals_take();
	return number && number != SIGINT ? EXIT_SIGNAL + number : 0;
}
