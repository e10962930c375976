/*
 * tasks.c - the commands that perftool carries out before the prompt appears,
 * or instead of a prompt: those of the start-up file and of the options -x, -e
 * and -t
 */
#include <stdlib.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#include "ui.h"

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
	return path ? perftool_session_script(ui->session, path) : NULL;
}

static struct error *run_task(struct ui *ui, const struct task *task)
{
	struct error *error;

	switch (task->kind) {
	case TASK_SCRIPT:
		return perftool_session_script(ui->session, task->text);
	case TASK_TIME:
		error = perftool_session_time(ui->session, task->text);
		return error ? error_prefix(error, "-t %s", task->text) : NULL;
	case TASK_LINE:
		error = ui_line(ui, task->text);
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

		if (ui_state(ui).is_done)
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
