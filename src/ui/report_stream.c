/* report_stream.c - see report_stream.h */
#include "report_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/file_claim.h"
#include "perftool/base/host.h"
#include "perftool/base/output_name.h"
#include "perftool/base/path.h"
#include "perftool/base/rank.h"

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

/* Opens a file, and empties it if no other tool is writing it. */
static struct error *open_own(const char *path, int flags, FILE **out)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	struct error *error;

	if (fd < 0)
		return error_system(errno, "cannot write %s", path);
	error = file_claim(fd, path);
	if (error) {
		close(fd);
		return error;
	}
	/* What is no regular file (a FIFO, a terminal) cannot be emptied. */
	if (ftruncate(fd, 0) != 0 && errno != EINVAL) {
		error = error_system(errno, "cannot write %s", path);
		close(fd);
		return error;
	}
	*out = fdopen(fd, "w");
	if (*out)
		return NULL;
	error = error_system(errno, "cannot write %s", path);
	close(fd);
	return error;
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
		free(ui->unnamed);
		ui->unnamed = xasprintf("%.*s.perftool-o-%d-%u", (int)length,
					path, (int)getpid(), number);
		error = open_own(ui->unnamed, O_EXCL, &ui->output);
		if (!error)
			return NULL;
		if (error_errno(error) != EEXIST)
			break;
		error_destroy(error);
	}
	free(ui->unnamed);
	ui->unnamed = NULL;
	return error_prefix(error, "-o %s", name);
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
	return open_own(path, 0, &ui->output);
}

struct error *report_stream_name(struct ui *ui)
{
	pid_t pid = ui->awaits_name ? ui_state(ui).pid : 0;
	char *path;

	if (!pid)
		return NULL;
	TRY(expand(ui, ui->options.output, pid, &path));
	if (ui->unnamed && rename(ui->unnamed, path) != 0) {
		struct error *error =
			error_system(errno, "cannot write %s", path);

		free(path);
		return error;
	}
	free(ui->unnamed);
	ui->unnamed = NULL;
	have_name(ui, path);
	return is_csv(ui) ? open_csv(ui) : NULL;
}

/* Removes a file that has got no name. That is an error if there is something
 * in it, which is lost. */
static struct error *remove_unnamed(struct ui *ui, bool is_empty)
{
	unlink(ui->unnamed);
	free(ui->unnamed);
	ui->unnamed = NULL;
	if (is_empty)
		return NULL;
	return error_create(ERROR_OTHER,
			    "%s was not written: `%%p' is the number of the "
			    "program's process, and no program was started",
			    ui->options.output);
}

struct error *report_stream_close(struct ui *ui)
{
	bool is_empty = ui->unnamed && ftell(ui->output) <= 0;
	struct error *error = NULL;

	if (ui->output && ui->output != stdout && fclose(ui->output) != 0)
		error = error_system(errno, "cannot write %s",
				     ui->options.output);
	ui->output = NULL;
	if (ui->claim)
		close(ui->claim);
	if (ui->unnamed)
		error = error_first(error, remove_unnamed(ui, is_empty));
	free(ui->output_name);
	ui->output_name = NULL;
	return error;
}
