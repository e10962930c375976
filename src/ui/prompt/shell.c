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
#include "ui/user_callbacks.h"

/* ---- what the editor needs of the session -------------------------------- */

static struct error *complete(void *context, const char *line, size_t *start,
			      char ***words)
{
	const struct ui *ui = context;

	return perftool_error_cause(
		perftool_session_complete(ui->session, line, start, words));
}

static struct error *serve(void *context, bool (*enough)(void *editor),
			   void *editor, struct str *told)
{
	const struct ui *ui = context;

	return perftool_session_serve(ui->session, enough, editor, told);
}

static bool runs_on(void *context)
{
	return ui_state(context).runs_on;
}

static struct error *print_tables(void *context)
{
	const struct ui *ui = context;

	return perftool_session_print_tables(ui->session);
}

static struct editor_party party_of(struct ui *ui)
{
	return (struct editor_party){.context = ui,
				     .complete = complete,
				     .serve = serve,
				     .runs_on = runs_on,
				     .print_tables = print_tables,
				     .fd = -1};
}

/* ---- lines --------------------------------------------------------------- */

/* Handles the end of the input. Ctrl-D does the same as the command `quit`,
 * which may ask the user. */
static void leave(struct ui *ui)
{
	struct error *error;

	if (signals_peek())
		user_forget_interruption(ui);
	message_write(&ui->writer, stdout, "\n");
	if (ui->ended_by)
		return;
	error = ui_line(ui, "quit");
	if (error)
		ui_report_error(ui, "", error);
}

static struct error *run_line(struct ui *ui, const char *line)
{
	const struct editor_party party = party_of(ui);
	CLEANUP(free_pointer) char *whole = NULL;

	TRY(perftool_session_ask(ui->session, line, &whole));
	if (!whole)
		return NULL;
	return pager_is_for(whole) ? pager_line(ui, &party, whole)
				   : ui_line(ui, whole);
}

static void prompt(struct ui *ui, struct editor *editor)
{
	/* How often the input has ended without a line in between. The second
	 * time ends the prompt: a terminal that is gone gives only ends of the
	 * input, and nobody there can answer the question of `quit`. */
	unsigned ends = 0;

	while (!ui_state(ui).is_done && !ui->ended_by && ends < 2) {
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
		user_forget_interruption(ui);
	}
}

static void run_before_prompt(struct ui *ui)
{
	struct error *error = ui_run_startup_file(ui);
	bool script;

	if (error)
		ui_report_error(ui, "", error);
	if (ui_state(ui).is_done)
		return;
	error = ui_run_tasks(ui, &script);
	if (error)
		ui_report_error(ui, "", error);
	user_forget_interruption(ui);
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
	const struct editor_party party = party_of(ui);
	struct editor *editor;

	run_before_prompt(ui);
	if (!ui_state(ui).is_done && !ui->ended_by) {
		editor = editor_create(&party, &ui->writer);
		perftool_session_set_history(ui->session, editor_print_history,
					     editor);
		ui->editor = editor;
		prompt(ui, editor);
		ui->editor = NULL;
		perftool_session_set_history(ui->session, NULL, NULL);
		editor_destroy(editor);
	}
	return ui->ended_by ? EXIT_SIGNAL + ui->ended_by : 0;
}
