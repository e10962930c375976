/*
 * shell.c - the prompt: reads a line, runs it, and tells the user if it has
 * failed
 */
#include <signal.h>
#include <stdio.h>

#include "perftool/base/alloc.h"

#include "editor.h"
#include "pager.h"
#include "ui/terminal/terminal.h"
#include "ui/ui.h"

/* Forgets a Ctrl-C that no part of the tool has acted on. The user meant it for
 * the command that is over now. */
static void forget_interruption(struct ui *ui)
{
	ui->callbacks.interrupted(ui);
}

/* Handles the end of the input. Ctrl-D does the same as the command `quit`,
 * which may ask the user. */
static void leave(struct ui *ui)
{
	struct error *error;

	if (signals_peek())
		forget_interruption(ui);
	putchar('\n');
	if (ui->ended_by)
		return;
	error = interpreter_line(ui->interpreter, "quit");
	if (error)
		ui_report_error(ui, "", error);
}

static struct error *run_line(struct ui *ui, const char *line)
{
	CLEANUP(free_pointer) char *whole = NULL;

	TRY(interpreter_ask(ui->interpreter, line, &whole));
	if (!whole)
		return NULL;
	return pager_is_for(whole) ? pager_line(ui, whole)
				   : interpreter_line(ui->interpreter, whole);
}

static void prompt(struct ui *ui, struct editor *editor)
{
	/* How often the input has ended without a line in between. The second
	 * time ends the prompt: a terminal that is gone gives only ends of the
	 * input, and nobody there can answer the question of `quit`. */
	unsigned ends = 0;

	while (!interpreter_is_done(ui->interpreter) && !ui->ended_by &&
	       ends < 2) {
		struct error *error = NULL;
		const char *line;

		switch (editor_read(editor, &line)) {
		case EDITOR_LINE:
			ends = 0;
			error = run_line(ui, line);
			break;
		case EDITOR_DROPPED:
			ends = 0;
			continue;
		case EDITOR_END:
			ends++;
			leave(ui);
			break;
		}
		if (error)
			ui_report_error(ui, "", error);
		forget_interruption(ui);
	}
}

static void run_before_prompt(struct ui *ui)
{
	struct error *error = ui_run_startup_file(ui);
	bool script;

	if (error)
		ui_report_error(ui, "", error);
	if (interpreter_is_done(ui->interpreter))
		return;
	error = ui_run_tasks(ui, &script);
	if (error)
		ui_report_error(ui, "", error);
	forget_interruption(ui);
}

void shell_greet(const struct ui *ui)
{
	if (ui->options.quiet)
		return;
	message_write(&ui->writer, stdout,
		      "perftool " PERFTOOL_VERSION
		      ". `help' lists the commands.\n");
}

int shell_main(struct ui *ui)
{
	struct editor *editor;

	run_before_prompt(ui);
	if (!interpreter_is_done(ui->interpreter) && !ui->ended_by) {
		editor = editor_create(ui->interpreter, &ui->writer);
		interpreter_set_history(ui->interpreter, editor_print_history,
					editor);
		ui->editor = editor;
		prompt(ui, editor);
		ui->editor = NULL;
		interpreter_set_history(ui->interpreter, NULL, NULL);
		editor_destroy(editor);
	}
	return ui->ended_by ? EXIT_SIGNAL + ui->ended_by : 0;
}
