/* report_stream.c - see report_stream.h */
#include "report_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/base/output_name.h"
#include "perftool/base/path.h"
#include "perftool/base/rank.h"
#include "perftool/base/replaced_file.h"

#include "ui.h"

/* Makes the name of the file, if the process has the number `pid`. The rank is
 * that of the tool, or of the process that the tool attaches to. */
static struct error *expand(const struct ui *ui, const char *name, pid_t pid,
			    char **out)
{
	struct name_parts parts = {.pid = pid};
	struct error *error;
	struct host host;

	host_read(&host);
	parts.host = host.name;
	parts.rank = ui->options.pids.count
			     ? rank_of_process(ui->options.pids.data[0])
			     : rank_of_tool();
	error = output_name_expand(name, &parts, out);
	host_deinit(&host);
	return error ? error_prefix(error, "-o") : NULL;
}

/* Lets what the user interface writes go to the file that was claimed. */
static struct error *open_claimed(struct ui *ui)
{
	/* The stream has a descriptor of its own: it is closed before the file
	 * is removed or given to other tools. */
	int fd = fcntl(ui->claimed.fd, F_DUPFD_CLOEXEC, 0);
	struct error *error;

	ui->output = fd < 0 ? NULL : fdopen(fd, "w");
	if (ui->output)
		return NULL;
	error = error_system(errno, "cannot write %s", ui->claimed.path);
	if (fd >= 0)
		close(fd);
	claimed_file_give_up(&ui->claimed);
	return error;
}

/* The commands are read before the report is written in their place. */
static struct error *check_scripts(const struct ui *ui, const char *path)
{
	for (size_t i = 0; i < ui->options.tasks.count; i++) {
		const struct task *task = &ui->options.tasks.data[i];

		if (task->kind == TASK_SCRIPT && is_same_file(task->text, path))
			return error_create(
				ERROR_USAGE,
				"-o %s: this file has the commands of -x, and "
				"the report would take their place",
				path);
	}
	return NULL;
}

static struct error *open_named(struct ui *ui, const char *path)
{
	TRY(check_scripts(ui, path));
	TRY(claimed_file_open(&ui->claimed, path));
	return open_claimed(ui);
}

/* ---- a file whose name is not known yet ---------------------------------- */

/* The length of the folder's name in a path, with the slash behind it. */
static size_t folder_length(const char *path)
{
	return (size_t)(path_file_name(path) - path);
}

/* `path` is the name that the file would have with another number. */
static struct error *open_unnamed(struct ui *ui, const char *path)
{
	const char *name = ui->options.output;
	size_t length = folder_length(path);
	CLEANUP(free_pointer)
	char *folder = xasprintf("%.*s", (int)folder_length(name), name);
	struct error *error;

	if (output_name_has_pid(folder))
		return error_create(ERROR_USAGE,
				    "-o %s: the folder must be there before "
				    "the process has a number; use `%%p' in "
				    "the name of the file only",
				    name);
	for (unsigned number = 0;; number++) {
		CLEANUP(free_pointer)
		char *unnamed = xasprintf("%.*s.perftool-o-%d-%u", (int)length,
					  path, (int)getpid(), number);

		error = claimed_file_open(&ui->claimed, unnamed);
		if (error)
			return error_prefix(error, "-o %s", name);
		if (ui->claimed.is_new)
			return open_claimed(ui);
		claimed_file_close(&ui->claimed);
	}
}

/* Lets `path` be the name of the file. The user interface takes it over. */
static void have_name(struct ui *ui, char *path)
{
	free(ui->output_name);
	ui->output_name = path;
	ui->options.output = path;
	ui->awaits_name = false;
}

static struct error *open_csv(struct ui *ui)
{
	return perftool_report_check_csv(ui->options.output, &ui->claim);
}

/* Are the tables written to a file each? */
static bool is_csv(const struct ui *ui)
{
	return ui->options.format == PERFTOOL_FORMAT_CSV &&
	       ui->options.subcommand != SUBCOMMAND_TOP;
}

struct error *report_stream_open(struct ui *ui)
{
	const char *name = ui->options.output;
	char *path;
	pid_t pid;

	if (!name)
		return NULL;
	if (str_equal(name, "-")) {
		ui->output = stdout;
		return NULL;
	}
	pid = ui->options.pids.count ? ui->options.pids.data[0] : 0;
	ui->awaits_name = !pid && output_name_has_pid(name);
	/* If the number is not known yet, any number shows whether the other
	 * parts of the name are right. */
	TRY(expand(ui, name, ui->awaits_name ? 1 : pid, &path));
	if (ui->awaits_name) {
		struct error *error =
			is_csv(ui) ? NULL : open_unnamed(ui, path);

		free(path);
		return error;
	}
	have_name(ui, path);
	if (is_csv(ui))
		return open_csv(ui);
	return open_named(ui, path);
}

/* Gives the file that has a temporary name its own. */
static struct error *rename_file(struct ui *ui, const char *path)
{
	TRY(replaced_file_check(path));
	if (rename(ui->claimed.path, path) != 0)
		return error_system(errno, "cannot write %s", path);
	free(ui->claimed.path);
	ui->claimed.path = xstrdup(path);
	return NULL;
}

struct error *report_stream_name(struct ui *ui)
{
	pid_t pid = ui->awaits_name ? ui_state(ui).pid : 0;
	struct error *error = NULL;
	char *path;

	if (!pid)
		return NULL;
	TRY(expand(ui, ui->options.output, pid, &path));
	if (!is_csv(ui))
		error = rename_file(ui, path);
	if (error) {
		free(path);
		return error;
	}
	have_name(ui, path);
	return is_csv(ui) ? open_csv(ui) : NULL;
}

struct error *report_stream_begin(struct ui *ui)
{
	if (!ui->claimed.path || ui->has_written)
		return NULL;
	ui->has_written = true;
	return claimed_file_empty(&ui->claimed);
}

/* Is there an old report, beside which the new one can be made? */
static bool replaces_file(const struct ui *ui)
{
	struct stat status;

	return ui->claimed.path && !ui->claimed.is_new && !ui->has_written &&
	       fstat(ui->claimed.fd, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size > 0;
}

struct error *report_stream_begin_whole(struct ui *ui)
{
	const struct writer writer = {0};
	int fd = -1;

	if (!replaces_file(ui))
		return report_stream_begin(ui);
	TRY(whole_file_begin(&ui->whole, &writer, ui->claimed.path));
	/* The folder takes no other file. */
	if (!ui->whole.temporary) {
		whole_file_give_up(&ui->whole);
		return report_stream_begin(ui);
	}
	fflush(ui->output);
	fd = dup3(ui->whole.fd, fileno(ui->output), O_CLOEXEC);
	if (fd < 0) {
		whole_file_give_up(&ui->whole);
		return error_system(errno, "cannot write %s", ui->claimed.path);
	}
	ui->has_written = true;
	return NULL;
}

void report_stream_spoil(struct ui *ui)
{
	ui->is_spoiled = true;
}

/* The report that was made beside the old one takes its place. */
static struct error *close_whole(struct ui *ui)
{
	if (!ui->whole.path)
		return NULL;
	if (!ui->is_spoiled)
		return whole_file_finish(&ui->whole);
	whole_file_give_up(&ui->whole);
	return NULL;
}

/* Removes a file that has got no name. That is an error if there is something
 * in it, which is lost. */
static struct error *remove_unnamed(struct ui *ui)
{
	claimed_file_give_up(&ui->claimed);
	if (!ui->has_written)
		return NULL;
	return error_create(ERROR_OTHER,
			    "%s was not written: `%%p' is the number of the "
			    "program's process, and no program was started",
			    ui->options.output);
}

/* The file of a tool that has failed before it wrote anything is not touched.
 */
static struct error *close_claimed(struct ui *ui, bool has_failed)
{
	struct error *error = NULL;

	if (!ui->claimed.path)
		return NULL;
	if (ui->awaits_name)
		return remove_unnamed(ui);
	if (ui->has_written || !has_failed)
		error = report_stream_begin(ui);
	else
		claimed_file_give_up(&ui->claimed);
	claimed_file_close(&ui->claimed);
	return error;
}

struct error *report_stream_close(struct ui *ui, bool has_failed)
{
	struct error *error = NULL;

	if (ui->output && ui->output != stdout && fclose(ui->output) != 0) {
		error = error_system(errno, "cannot write %s",
				     ui->options.output);
		report_stream_spoil(ui);
	}
	ui->output = NULL;
	error = error_first(error, close_whole(ui));
	if (ui->claim)
		close(ui->claim);
	error = error_first(error, close_claimed(ui, has_failed));
	free(ui->output_name);
	ui->output_name = NULL;
	return error;
}
