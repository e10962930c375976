/*
 * repeat_run.c - `perftool --repeat N`: measures several runs of a program, and
 * writes one report about all of them
 *
 * Each run is a use of perftool of its own, which leaves its tables as JSON. A
 * run whose program fails is left out, and so is one that the user interrupts,
 * after which the report is written.
 */
#include "repeat_run.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch_report.h"
#include "one_run.h"
#include "perftool/base/alloc.h"
#include "perftool/base/file_claim.h"
#include "perftool/base/host.h"
#include "perftool/base/output_name.h"
#include "perftool/base/path.h"
#include "perftool/base/rank.h"
#include "perftool/base/whole_file.h"
#include "perftool/report/comparisons.h"
#include "perftool/saved.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

static const struct writer forever = {0};

struct repetition {
	const struct options *options;
	char *output; /* the file of -o; NULL: standard error, or output */
	struct whole_file file;
	/* keeps other tools from the file, and from those of -f csv */
	struct claimed_file claimed;
	int claim;
	/* what the table of the spread needs of each run, and (in the report)
	 * of the sum, which has the runs then; and the names of their legs */
	VEC(struct compared_tables *) kept;
	struct compared_tables *all;
	struct compared_names *names;
	size_t measured; /* runs that were kept */
	struct saved_sum *sum;
	struct str runs; /* the objects of all runs, with commas between */
	size_t failed;
	int status;         /* of the first run that has failed */
	off_t stdin_offset; /* where standard input was; -1: no file */
	bool is_reported;
	bool is_over; /* the user, or a failure of the tool, has ended it
		       */
};

static void say(const char *text)
{
	CLEANUP(free_pointer) char *line = xasprintf("perftool: %s\n", text);

	message_write(&forever, stderr, line);
}

/* ---- the file of -o ------------------------------------------------------ */

static bool is_csv(const struct repetition *repetition)
{
	return repetition->options->format == PERFTOOL_FORMAT_CSV;
}

static struct error *expand(const char *name, char **out)
{
	struct name_parts parts = {.rank = rank_of_tool()};
	struct error *error;
	struct host host;

	if (output_name_has_pid(name))
		return error_create(ERROR_USAGE,
				    "-o %s: `%%p' is the number of one "
				    "process, and --repeat has one in each "
				    "run; leave it out",
				    name);
	host_read(&host);
	parts.host = host.name;
	error = output_name_expand(name, &parts, out);
	host_deinit(&host);
	return error ? error_prefix(error, "-o") : NULL;
}

/* Learns before the first run whether the report can be written after the last
 * one, and keeps other tools from writing it meanwhile. */
static struct error *begin_output(struct repetition *repetition)
{
	const char *name = repetition->options->output;

	if (!name || str_equal(name, "-"))
		return NULL;
	TRY(expand(name, &repetition->output));
	if (is_csv(repetition))
		return perftool_report_check_csv(repetition->output,
						 &repetition->claim);
	TRY(claimed_file_open(&repetition->claimed, repetition->output));
	return whole_file_begin(&repetition->file, &forever,
				repetition->output);
}

/* Ends the use of the files. `is_written`: they have the report. */
static void end_output(struct repetition *repetition, bool is_written)
{
	whole_file_give_up(&repetition->file);
	if (!is_written)
		claimed_file_give_up(&repetition->claimed);
	claimed_file_close(&repetition->claimed);
	if (repetition->claim)
		close(repetition->claim);
	free(repetition->output);
}

/* ---- runs ---------------------------------------------------------------- */

/* The program of each run reads the same standard input, if it is a file. */
static off_t stdin_offset(void)
{
	struct stat status;

	if (fstat(STDIN_FILENO, &status) != 0 || !S_ISREG(status.st_mode))
		return -1;
	return lseek(STDIN_FILENO, 0, SEEK_CUR);
}

/* What a run does not do by itself: write the report. What it remarks is the
 * same in all runs. */
static struct options options_of_run(const struct options *options,
				     size_t index)
{
	struct options run = *options;

	run.quiet |= index > 0;
	run.output = NULL;
	run.format = PERFTOOL_FORMAT_AS_SET;
	run.format_by_name = false;
	return run;
}

static void tell_of_failure(struct repetition *repetition, const char *which,
			    int status)
{
	CLEANUP(free_pointer)
	char *how = status > EXIT_SIGNAL
			    ? xasprintf("was ended by signal %d",
					status - EXIT_SIGNAL)
			    : xasprintf("has failed with status %d", status);
	CLEANUP(free_pointer)
	char *text = xasprintf("%s %s, and is left out", which, how);

	say(text);
	if (!repetition->status)
		repetition->status = status;
}

/* Keeps what a run has measured. */
static struct error *keep(struct repetition *repetition,
			  struct run_record *record, const char *which)
{
	struct saved_tables *tables;

	if (!record->json.length)
		return error_create(ERROR_USAGE,
				    "--repeat: %s did not run the program",
				    which);
	TRY(saved_parse(str_text(&record->json), record->json.length, which,
			&tables));
	vec_push(&repetition->kept, compared_of(tables, repetition->names));
	repetition->measured++;
	saved_sum_add(repetition->sum, tables);
	saved_destroy(tables);
	if (repetition->runs.length)
		str_append(&repetition->runs, ",\n    ");
	str_append_n(&repetition->runs, str_text(&record->json),
		     record->json.length - 1);
	return NULL;
}

/* Decides what becomes of a run that has ended with this status. */
static struct error *judge(struct repetition *repetition,
			   struct run_record *record, int status,
			   const char *which, bool is_kept)
{
	if (record->is_interrupted) {
		repetition->is_over = true;
		repetition->status = status;
		return NULL;
	}
	if (record->is_tool_failure) {
		repetition->is_over = true;
		repetition->status = status;
		return NULL;
	}
	if (status != 0 && status != EXIT_NOT_EXPECTED) {
		repetition->failed += is_kept;
		tell_of_failure(repetition, which, status);
		return NULL;
	}
	if (status && !repetition->status)
		repetition->status = status;
	return is_kept ? keep(repetition, record, which) : NULL;
}

static struct error *run_once(struct repetition *repetition, size_t index,
			      int *signal)
{
	const struct options *options = repetition->options;
	const struct options of_run = options_of_run(options, index);
	bool is_kept = index >= options->warmups;
	struct run_record record = {.is_quiet = index > 0};
	CLEANUP(free_pointer)
	char *which =
		is_kept ? xasprintf("run %zu of %zu",
				    index - options->warmups + 1, options->runs)
			: xasprintf("warm-up %zu of %zu", index + 1,
				    options->warmups);
	struct error *error;
	int status;

	if (repetition->stdin_offset >= 0)
		lseek(STDIN_FILENO, repetition->stdin_offset, SEEK_SET);
	status = one_run(&of_run, &record, signal);
	error = judge(repetition, &record, status, which, is_kept);
	if (*signal)
		repetition->is_over = true;
	if (*signal && !repetition->status)
		repetition->status = EXIT_SIGNAL + *signal;
	str_deinit(&record.json);
	return error;
}

/* ---- the report ---------------------------------------------------------- */

/* The legs of the sum and of all runs, for the table of the spread. */
static struct error *sum_again(struct repetition *repetition,
			       const struct str *json)
{
	TRY(compared_parse(str_text(json), json->length, "the sum",
			   repetition->names, &repetition->all));
	for (size_t i = 0; i < repetition->kept.count; i++)
		compared_take_run(repetition->all, repetition->kept.data[i]);
	vec_clear(&repetition->kept);
	return NULL;
}

static void append_json(struct repetition *repetition,
			const struct leg_spread_list *spread, struct str *out)
{
	CLEANUP(free_pointer)
	char *failed = xasprintf("%zu", repetition->failed);
	struct str runs = {0}, text = {0};

	report_spread_json(spread, &text);
	str_printf(&runs, "[\n    %s\n  ]", str_text(&repetition->runs));
	if (text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	report_json_member("failed_runs", failed, out);
	report_json_member("spread", str_text(&text), out);
	report_json_member("runs", str_text(&runs), out);
	str_deinit(&runs);
	str_deinit(&text);
}

/* How text is to look, where it is written to. */
static struct report_options look_of(const struct repetition *repetition)
{
	bool to_file = repetition->output != NULL;
	bool to_stdout = repetition->options->output && !to_file;
	struct report_options look = {
		.ascii = !str_equal(nl_langinfo(CODESET), "UTF-8"),
		.all_columns_by = "-o FILE"};
	size_t rows, columns;

	if (to_file)
		return look;
	look.color = ui_wants_color(repetition->options,
				    to_stdout ? stdout : stderr);
	if (terminal_size(to_stdout ? STDOUT_FILENO : STDERR_FILENO, &rows,
			  &columns))
		look.width = look.columns = (int)columns;
	return look;
}

static void append_text(struct repetition *repetition,
			const struct leg_spread_list *spread, struct str *out)
{
	const struct report_options look = look_of(repetition);

	report_text(saved_sum_tables(repetition->sum), PART_ALL, &look, out);
	str_append_char(out, '\n');
	report_spread_text(spread, repetition->measured, repetition->failed,
			   &look, out);
}

static struct error *write_csv(struct repetition *repetition,
			       const struct leg_spread_list *spread)
{
	static const struct {
		const char *name;
		enum report_part part; /* 0: the spread */
	} parts[] = {{"nodes", PART_NODES},
		     {"legs", PART_LEGS},
		     {"histograms", PART_HISTOGRAMS},
		     {"by", PART_SPLITS},
		     {"spread", 0},
		     {"processes", PART_PROCESSES}};
	const struct tables *tables = saved_sum_tables(repetition->sum);
	size_t count = sizeof(parts) / sizeof(*parts);

	/* the last one is there if several processes have executed legs */
	count -= tables->process_count < 2;
	for (size_t i = 0; i < count; i++) {
		CLEANUP(free_pointer)
		char *name = path_of_table(repetition->output, parts[i].name);
		CLEANUP(str_deinit) struct str text = {0};

		if (parts[i].part)
			report_csv(tables, parts[i].part, &text);
		else
			report_spread_csv(spread, &text);
		TRY(whole_file_begin(&repetition->file, &forever, name));
		TRY(whole_file_write(&repetition->file, str_text(&text),
				     text.length));
		TRY(whole_file_finish(&repetition->file));
	}
	return NULL;
}

static struct error *write_out(struct repetition *repetition,
			       const struct str *text)
{
	bool to_stdout = repetition->options->output != NULL;
	int failure;

	if (repetition->output) {
		TRY(whole_file_write(&repetition->file, str_text(text),
				     text->length));
		return whole_file_finish(&repetition->file);
	}
	fflush(stdout);
	failure = writer_write(&forever,
			       to_stdout ? STDOUT_FILENO : STDERR_FILENO,
			       str_text(text), text->length);
	return failure ? writer_error(failure, to_stdout ? "standard output"
							 : "standard error")
		       : NULL;
}

static struct error *report(struct repetition *repetition)
{
	CLEANUP(str_deinit) struct str text = {0};
	struct leg_spread_list spread = {0};
	struct error *error;

	report_json(saved_sum_tables(repetition->sum), &text);
	TRY(sum_again(repetition, &text));
	saved_spread(repetition->all, &spread);
	if (repetition->options->format == PERFTOOL_FORMAT_JSON) {
		append_json(repetition, &spread, &text);
	} else {
		str_deinit(&text);
		append_text(repetition, &spread, &text);
	}
	error = is_csv(repetition) ? write_csv(repetition, &spread)
				   : write_out(repetition, &text);
	vec_free(&spread);
	return error;
}

/* ---- all of it ----------------------------------------------------------- */

static struct error *repeat(struct repetition *repetition, int *signal)
{
	const struct options *options = repetition->options;
	size_t all = options->warmups + options->runs;
	size_t measured;

	TRY(begin_output(repetition));
	repetition->stdin_offset = stdin_offset();
	for (size_t i = 0; i < all && !repetition->is_over; i++)
		TRY(run_once(repetition, i, signal));
	measured = repetition->measured;
	if (repetition->is_over && measured) {
		CLEANUP(free_pointer)
		char *text = xasprintf("ended early: the report is about the "
				       "%zu run%s before",
				       measured, measured == 1 ? "" : "s");

		say(text);
	}
	if (!measured) {
		if (repetition->failed)
			say("no run has succeeded, so that there is no report");
		return NULL;
	}
	TRY(report(repetition));
	repetition->is_reported = true;
	return NULL;
}

int repeat_main(const struct options *options, int *signal)
{
	struct repetition repetition = {.options = options,
					.names = compared_names_create(),
					.sum = saved_sum_create()};
	struct error *error;
	int status;

	*signal = 0;
	report_tell_of_picture(options, &forever);
	error = repeat(&repetition, signal);
	status = repetition.status;
	end_output(&repetition, repetition.is_reported);
	for (size_t i = 0; i < repetition.kept.count; i++)
		compared_destroy(repetition.kept.data[i]);
	vec_free(&repetition.kept);
	compared_destroy(repetition.all);
	compared_names_destroy(repetition.names);
	saved_sum_destroy(repetition.sum);
	str_deinit(&repetition.runs);
	if (error) {
		ui_report_error(NULL, "perftool: ", error);
		return EXIT_TOOL_FAILED;
	}
	return status;
}
