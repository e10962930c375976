/*
 * compare_command.c - `perftool compare`: reads files of tables, compares the
 * first one with each other one, and writes what differs
 */
#include "compare_command.h"

#include <unistd.h>

#include "batch_report.h"
#include "exit_status.h"
#include "perftool/base/alloc.h"
#include "perftool/base/replaced_file.h"
#include "perftool/report/comparisons.h"
#include "perftool/saved.h"
#include "streamed_output.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

/* What a condition that holds makes of the exit status. */
#define EXIT_CONDITION_HOLDS 1

struct comparing {
	const struct options *options;
	struct status status;
	struct compared_names *names; /* of all files */
	VEC(struct compared_tables *) files;
	VEC(struct comparison) comparisons;
	VEC(struct compare_condition) conditions;
	struct held_condition_list held;
	struct streamed_output output;
};

static void comparing_deinit(struct comparing *comparing)
{
	for (size_t i = 0; i < comparing->files.count; i++)
		compared_destroy(comparing->files.data[i]);
	for (size_t i = 0; i < comparing->comparisons.count; i++)
		comparison_deinit(&comparing->comparisons.data[i]);
	for (size_t i = 0; i < comparing->conditions.count; i++)
		compare_condition_deinit(&comparing->conditions.data[i]);
	vec_free(&comparing->files);
	vec_free(&comparing->comparisons);
	vec_free(&comparing->conditions);
	vec_free(&comparing->held);
	compared_names_destroy(comparing->names);
}

/* ---- long work ----------------------------------------------------------- */

/* For struct saved_watch. */
static bool goes_on_reading(void *context, const char *path, uint64_t done,
			    uint64_t size)
{
	struct comparing *comparing = context;
	CLEANUP(str_deinit) struct str what = {0};

	(void)path;
	str_printf(&what, "reading file %zu of %d", comparing->files.count + 1,
		   comparing->options->program_count);
	status_work(&comparing->status, str_text(&what), (size_t)(done >> 20),
		    (size_t)(size >> 20), "MB");
	return !signals_peek();
}

/* ---- comparing ----------------------------------------------------------- */

static struct error *parse_conditions(struct comparing *comparing)
{
	const struct options *options = comparing->options;

	for (size_t i = 0; i < options->conditions.count; i++) {
		struct compare_condition condition;

		TRY(compare_condition_parse(options->conditions.data[i],
					    &condition));
		vec_push(&comparing->conditions, condition);
	}
	return NULL;
}

static struct error *read_files(struct comparing *comparing)
{
	struct saved_watch watch = ended_reading();

	watch.goes_on = goes_on_reading;
	watch.context = comparing;
	for (int i = 0; i < comparing->options->program_count; i++) {
		struct compared_tables *tables;

		TRY(compared_read(comparing->options->program[i],
				  comparing->names, &watch, &tables));
		vec_push(&comparing->files, tables);
		status_erase(&comparing->status);
	}
	return NULL;
}

static void compare_files(struct comparing *comparing)
{
	for (size_t i = 1; i < comparing->files.count; i++) {
		struct comparison comparison;

		saved_compare(comparing->files.data[0],
			      comparing->files.data[i], &comparison);
		vec_push(&comparing->comparisons, comparison);
	}
}

/* Does the condition hold of the leg? Intervals take long, and are made only if
 * it may hold. */
static bool holds(const struct compare_condition *condition,
		  const struct comparison *comparison, size_t index,
		  struct leg_comparison *leg)
{
	if (!compare_condition_may_hold(condition, leg))
		return false;
	comparison_leg(comparison, index, leg);
	return compare_condition_holds(condition, leg);
}

/* Notes the legs of which the condition holds. It is an error if it is about no
 * leg of a comparison: a misspelt name must not let a bad change pass. */
static struct error *check_condition(struct comparing *comparing,
				     const struct compare_condition *condition,
				     const struct comparison *comparison)
{
	enum compare_figure figure = condition->figure;
	bool concerns = false;

	for (size_t i = 0; i < comparison->legs.count; i++) {
		struct leg_comparison leg;

		TRY(streamed_output_tell(&comparing->output, i + 1,
					 comparison->legs.count));
		comparison_values(comparison, i, &leg);
		if (!compare_condition_concerns(condition, &leg))
			continue;
		concerns = true;
		if (holds(condition, comparison, i, &leg))
			vec_push(&comparing->held,
				 (struct held_condition){
					 condition, comparison, leg.name,
					 leg.figures[figure].before,
					 leg.figures[figure].after});
	}
	if (concerns)
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "--fail-if `%s': %s%s is in both %s and %s; "
			    "`perftool compare' without it shows the legs",
			    condition->text,
			    condition->leg ? "no leg " : "no leg",
			    condition->leg ? condition->leg : "",
			    comparison->before.path, comparison->after.path);
}

static struct error *check_conditions(struct comparing *comparing)
{
	for (size_t i = 0; i < comparing->conditions.count; i++)
		for (size_t j = 0; j < comparing->comparisons.count; j++)
			TRY(check_condition(comparing,
					    &comparing->conditions.data[i],
					    &comparing->comparisons.data[j]));
	return NULL;
}

/* ---- output -------------------------------------------------------------- */

static bool is_to_stdout(const struct options *options)
{
	return !options->output || str_equal(options->output, "-");
}

static struct error *append_texts(const struct comparing *comparing,
				  const struct report_sink *sink,
				  struct str *out)
{
	struct report_options how = {.columns = 80, .all_columns_by = "-f csv"};
	size_t rows, columns;

	if (is_to_stdout(comparing->options) &&
	    terminal_size(STDOUT_FILENO, &rows, &columns))
		how.columns = (int)columns;
	for (size_t i = 0; i < comparing->comparisons.count; i++) {
		if (i)
			str_append_char(out, '\n');
		TRY(report_comparison_text(&comparing->comparisons.data[i],
					   &how, sink, out));
	}
	return NULL;
}

static struct error *append_report(struct comparing *comparing, struct str *out)
{
	const struct report_sink sink =
		streamed_output_sink(&comparing->output);

	switch (comparing->options->format) {
	case PERFTOOL_FORMAT_JSON:
		return report_comparisons_json(comparing->comparisons.data,
					       comparing->comparisons.count,
					       &comparing->held, &sink, out);
	case PERFTOOL_FORMAT_CSV:
		return report_comparisons_csv(comparing->comparisons.data,
					      comparing->comparisons.count,
					      &sink, out);
	case PERFTOOL_FORMAT_AS_SET:
	case PERFTOOL_FORMAT_TEXT:
		break;
	}
	return append_texts(comparing, &sink, out);
}

static struct error *write_report(struct comparing *comparing)
{
	CLEANUP(str_deinit) struct str text = {0};

	TRY(streamed_output_begin(&comparing->output));
	TRY(append_report(comparing, &text));
	return streamed_output_finish(&comparing->output, &text);
}

/* So many legs are named of which a condition holds. */
#define MOST_NAMED 200

static void tell_of_conditions(const struct comparing *comparing)
{
	const struct writer forever = {0};
	struct str text = {0};

	for (size_t i = 0; i < comparing->held.count && i < MOST_NAMED; i++) {
		str_append(&text, "perftool: ");
		report_held_condition(&comparing->held.data[i], &text);
	}
	if (comparing->held.count > MOST_NAMED)
		str_printf(&text,
			   "perftool: conditions hold of %zu legs more; `-f "
			   "json' has all\n",
			   comparing->held.count - MOST_NAMED);
	if (text.length)
		message_write(&forever, stderr, str_text(&text));
	str_deinit(&text);
}

static struct error *compare(struct comparing *comparing)
{
	const struct options *options = comparing->options;

	TRY(parse_conditions(comparing));
	TRY(replaced_file_check_inputs(options->output, options->program,
				       (size_t)options->program_count,
				       "the comparison"));
	TRY(read_files(comparing));
	compare_files(comparing);
	TRY(check_conditions(comparing));
	return write_report(comparing);
}

static int end(struct comparing *comparing, struct error *error, int *signal)
{
	status_erase(&comparing->status);
	if (signals_peek()) {
		*signal = signals_take();
		error_destroy(error);
		return EXIT_SIGNAL + *signal;
	}
	if (error) {
		ui_report_error(NULL, "perftool: ", error);
		return EXIT_TOOL_FAILED;
	}
	tell_of_conditions(comparing);
	return comparing->held.count ? EXIT_CONDITION_HOLDS : 0;
}

int compare_main(const struct options *options, int *signal)
{
	struct comparing comparing = {.options = options,
				      .names = compared_names_create()};
	bool has_status = !options->quiet && isatty(STDERR_FILENO) == 1;
	const struct writer forever = {0};
	int status;

	comparing.output = streamed_output(options->output, "comparing", "legs",
					   &comparing.status);
	status_init(&comparing.status, -1, has_status ? STDERR_FILENO : -1);
	report_tell_of_picture(options, &forever);
	signals_install_ends();
	status = end(&comparing, compare(&comparing), signal);
	streamed_output_give_up(&comparing.output);
	comparing_deinit(&comparing);
	return status;
}
