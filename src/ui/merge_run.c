/*
 * merge_run.c - `perftool merge`
 *
 * Nothing is written unless all files could be read: a sum that silently lacks
 * a process would be believed.
 */
#include "merge_run.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch_report.h"
#include "exit_status.h"
#include "file_names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/path.h"
#include "perftool/base/replaced_file.h"
#include "perftool/merge.h"
#include "perftool/saved.h"

#include "streamed_output.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

/* Of the files that cannot be merged, so many are named. */
#define MOST_NAMED 10

static void say(const char *text)
{
	const struct writer forever = {0};
	CLEANUP(free_pointer) char *line = xasprintf("perftool: %s\n", text);

	fflush(stdout);
	message_write(&forever, stderr, line);
}

/* Says each line by itself. */
static void say_lines(struct str *text)
{
	char *rest = NULL, *line;

	for (line = text->length ? strtok_r(text->data, "\n", &rest) : NULL;
	     line; line = strtok_r(NULL, "\n", &rest))
		say(line);
}

static int fail(struct error *error)
{
	say(error_message(error));
	error_destroy(error);
	return EXIT_TOOL_FAILED;
}

/* ---- reading ------------------------------------------------------------- */

/* Fails if a file was named twice, by whatever names. */
static struct error *check_file(struct strmap *known, const char *path)
{
	CLEANUP(free_pointer) char *key = NULL;
	struct stat status;
	const char *before;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	key = xasprintf("%llu %llu", (unsigned long long)status.st_dev,
			(unsigned long long)status.st_ino);
	before = strmap_get(known, key);
	if (before)
		return error_create(ERROR_USAGE,
				    "%s: this file was given already, as %s, "
				    "and its counts would be there twice; give "
				    "each file once",
				    path, before);
	strmap_set(known, key, (void *)path);
	return NULL;
}

static struct error *add_next(struct merge *merge, struct strmap *known,
			      struct read_ahead *files, const char *path)
{
	struct saved_tables *tables;
	struct error *error;

	TRY(read_ahead_next(files, &tables));
	error = check_file(known, path);
	if (!error)
		error = merge_add(merge, tables);
	saved_destroy(tables);
	return error;
}

/* Adds all files, and names those that cannot be merged. Returns how many these
 * are. A signal that ends the tool ends the reading, too. */
static size_t add_files(struct merge *merge, const struct string_list *names,
			struct status *status)
{
	const struct saved_watch watch = ended_reading();
	struct read_ahead *files =
		read_ahead_create(names->data, names->count, &watch);
	struct strmap known = {0};
	size_t failed = 0;

	for (size_t i = 0; i < names->count && !signals_peek(); i++) {
		struct error *error;

		status_work(status, "merging", i, names->count, "files");
		error = add_next(merge, &known, files, names->data[i]);
		if (error && !signals_peek() && failed++ < MOST_NAMED) {
			status_erase(status);
			say(error_message(error));
		}
		error_destroy(error);
	}
	status_erase(status);
	if (failed > MOST_NAMED && !signals_peek()) {
		CLEANUP(free_pointer)
		char *more = xasprintf("%zu files more cannot be merged",
				       failed - MOST_NAMED);

		say(more);
	}
	strmap_deinit(&known);
	read_ahead_destroy(files);
	return failed;
}

/* ---- writing ------------------------------------------------------------- */

static struct error *write_csv(struct merge *merge, const char *path,
			       struct status *status)
{
	const char *name;

	for (size_t i = 0; (name = merge_csv_name(merge, i)); i++) {
		CLEANUP(free_pointer)
		char *file = path_of_table(path, name);
		CLEANUP(str_deinit) struct str text = {0};
		struct streamed_output output =
			streamed_output(file, "writing", "rows", status);
		const struct report_sink sink = streamed_output_sink(&output);
		struct error *error;

		signals_release_ends();
		error = merge_csv(merge, i, &sink, &text);
		if (!error)
			error = streamed_output_finish(&output, &text);
		streamed_output_give_up(&output);
		TRY(error);
	}
	return NULL;
}

/* How text is to look: as wide as the terminal, if it goes to one. */
static struct report_options look_of(const struct options *options)
{
	bool to_stdout = !options->output || str_equal(options->output, "-");
	struct report_options look = {
		.ascii = !str_equal(nl_langinfo(CODESET), "UTF-8"),
		.all_columns_by = "-o FILE"};
	size_t rows, columns;

	if (!to_stdout)
		return look;
	look.color = ui_wants_color(options, stdout);
	if (terminal_size(STDOUT_FILENO, &rows, &columns))
		look.width = look.columns = (int)columns;
	return look;
}

/* Until there is something to write, which takes a minute of a million legs as
 * text, a signal may end the tool at once. */
static struct error *write_merged(struct merge *merge,
				  const struct options *options,
				  struct status *status)
{
	const struct report_options look = look_of(options);
	struct streamed_output output =
		streamed_output(options->output, "writing", "rows", status);
	const struct report_sink sink = streamed_output_sink(&output);
	CLEANUP(str_deinit) struct str text = {0};
	struct error *error = NULL;

	signals_release_ends();
	if (options->format == PERFTOOL_FORMAT_CSV)
		return write_csv(merge, options->output, status);
	if (options->format == PERFTOOL_FORMAT_JSON)
		error = merge_json(merge, &sink, &text);
	else
		merge_text(merge, &look, &text);
	if (!error)
		error = streamed_output_finish(&output, &text);
	streamed_output_give_up(&output);
	return error;
}

/* ---- the subcommand ------------------------------------------------------ */

/* Standard input can be read once. */
static bool is_second_input(const char *word, const struct string_list *names)
{
	for (size_t i = 0; str_equal(word, "-") && i < names->count; i++)
		if (str_equal(names->data[i], word))
			return true;
	return false;
}

static struct error *read_words(const struct options *options, bool *by_rank,
				struct string_list *names)
{
	for (int i = 0; i < options->program_count; i++) {
		const char *word = options->program[i];

		if (str_equal(word, "by=rank"))
			*by_rank = true;
		else if (str_starts(word, "by="))
			return error_create(ERROR_USAGE,
					    "merge: `%s' is not by=rank; a "
					    "file of that name is ./%s",
					    word, word);
		else if (is_second_input(word, names))
			return error_create(ERROR_USAGE,
					    "merge: - is standard input, which "
					    "can be read once only");
		else if (*word == '@')
			TRY(file_names_read(word + 1, names));
		else
			vec_push(names, xstrdup(word));
	}
	if (!names->count)
		return error_create(ERROR_USAGE,
				    "merge: no file was named; usage: perftool "
				    "merge FILE.json... [by=rank] [-f FORMAT] "
				    "[-o FILE]");
	/* A merge of a folder's files, made a second time, would add the first
	 * merge. */
	return replaced_file_check_inputs(options->output, names->data,
					  names->count, "the merge");
}

static int merge_files(const struct options *options,
		       const struct string_list *names, bool by_rank,
		       int *signal)
{
	bool has_line = !options->quiet && isatty(STDERR_FILENO) == 1;
	struct merge *merge = merge_create(by_rank);
	const struct writer forever = {0};
	struct str remarks = {0};
	struct error *error = NULL;
	struct status line;
	size_t failed;
	int status = 0;

	report_tell_of_picture(options, &forever);
	status_init(&line, -1, has_line ? STDERR_FILENO : -1);
	/* While files are read, a signal has to wait until the line is erased.
	 */
	signals_install_ends();
	failed = add_files(merge, names, &line);
	if (!signals_peek() && failed) {
		say("nothing was merged, because the sum would lack these "
		    "files; leave them out to merge the others");
		status = EXIT_TOOL_FAILED;
	} else if (!signals_peek()) {
		merge_remarks(merge, &remarks);
		error = write_merged(merge, options, &line);
	}
	merge_destroy(merge);
	if (signals_peek()) {
		error_destroy(error);
		*signal = signals_take();
		status = EXIT_SIGNAL + *signal;
	} else {
		if (!options->quiet)
			say_lines(&remarks);
		if (error)
			status = fail(error);
	}
	str_deinit(&remarks);
	return status;
}

int merge_main(const struct options *options, int *signal)
{
	struct string_list names = {0};
	bool by_rank = false;
	struct error *error = read_words(options, &by_rank, &names);
	int status = error ? fail(error)
			   : merge_files(options, &names, by_rank, signal);

	string_list_deinit(&names);
	return status;
}
