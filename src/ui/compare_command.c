/*
 * compare_command.c - `perftool compare`: reads files of tables, compares the
 * first one with each other one, and writes what differs
 */
#include "compare_command.h"

#include <unistd.h>

#include "exit_status.h"
#include "perftool/base/replaced_file.h"
#include "perftool/base/whole_file.h"
#include "perftool/report/comparisons.h"
#include "perftool/saved.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

/* What a condition that holds makes of the exit status. */
#define EXIT_CONDITION_HOLDS 1

struct comparing {
	const struct options *options;
	VEC(struct saved_tables *) files;
	VEC(struct comparison) comparisons;
	VEC(struct compare_condition) conditions;
	struct held_condition_list held;
};

static void comparing_deinit(struct comparing *comparing)
{
	for (size_t i = 0; i < comparing->files.count; i++)
		saved_destroy(comparing->files.data[i]);
	for (size_t i = 0; i < comparing->comparisons.count; i++)
		comparison_deinit(&comparing->comparisons.data[i]);
	for (size_t i = 0; i < comparing->conditions.count; i++)
		compare_condition_deinit(&comparing->conditions.data[i]);
	vec_free(&comparing->files);
	vec_free(&comparing->comparisons);
	vec_free(&comparing->conditions);
	vec_free(&comparing->held);
}

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
	for (int i = 0; i < comparing->options->program_count; i++) {
		struct saved_tables *tables;

		TRY(saved_read(comparing->options->program[i], &tables));
		vec_push(&comparing->files, tables);
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

/* Notes the legs of which the condition holds. It is an error if it is about no
 * leg of a comparison: a misspelt name must not let a bad change pass. */
static struct error *check_condition(struct comparing *comparing,
				     const struct compare_condition *condition,
				     const struct comparison *comparison)
{
	bool concerns = false;

	for (size_t i = 0; i < comparison->legs.count; i++) {
		const struct leg_comparison *leg = &comparison->legs.data[i];

		if (!compare_condition_concerns(condition, leg))
			continue;
		concerns = true;
		if (compare_condition_holds(condition, leg))
			vec_push(&comparing->held,
				 (struct held_condition){condition, comparison,
							 leg});
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

static void append_text(const struct comparing *comparing, struct str *out)
{
	struct report_options how = {.columns = 80, .all_columns_by = "-f csv"};
	size_t rows, columns;

	if (is_to_stdout(comparing->options) &&
	    terminal_size(STDOUT_FILENO, &rows, &columns))
		how.columns = (int)columns;
	for (size_t i = 0; i < comparing->comparisons.count; i++) {
		if (i)
			str_append_char(out, '\n');
		report_comparison_text(&comparing->comparisons.data[i], &how,
				       out);
	}
}

static void append_report(const struct comparing *comparing, struct str *out)
{
	switch (comparing->options->format) {
	case PERFTOOL_FORMAT_JSON:
		report_comparisons_json(comparing->comparisons.data,
					comparing->comparisons.count,
					&comparing->held, out);
		break;
	case PERFTOOL_FORMAT_CSV:
		report_comparisons_csv(comparing->comparisons.data,
				       comparing->comparisons.count, out);
		break;
	case PERFTOOL_FORMAT_AS_SET:
	case PERFTOOL_FORMAT_TEXT:
		append_text(comparing, out);
		break;
	}
}

static struct error *write_report(const struct comparing *comparing)
{
	const struct writer forever = {0};
	struct whole_file file = {0};
	struct str text = {0};
	struct error *error = NULL;

	append_report(comparing, &text);
	if (is_to_stdout(comparing->options)) {
		int failure = writer_write(&forever, STDOUT_FILENO,
					   str_text(&text), text.length);

		if (failure)
			error = writer_error(failure, "standard output");
	} else {
		error = whole_file_begin(&file, &forever,
					 comparing->options->output);
		if (!error)
			error = whole_file_write(&file, str_text(&text),
						 text.length);
		if (!error)
			error = whole_file_finish(&file);
		whole_file_give_up(&file);
	}
	str_deinit(&text);
	return error;
}

static void tell_of_conditions(const struct comparing *comparing)
{
	const struct writer forever = {0};
	struct str text = {0};

	for (size_t i = 0; i < comparing->held.count; i++) {
		str_append(&text, "perftool: ");
		report_held_condition(&comparing->held.data[i], &text);
	}
	if (text.length)
		message_write(&forever, stderr, str_text(&text));
	str_deinit(&text);
}

/* The comparison would take the place of a file that it is about. */
static struct error *check_output(const struct options *options)
{
	for (int i = 0; options->output && i < options->program_count; i++)
		if (is_same_file(options->program[i], options->output))
			return error_create(
				ERROR_USAGE,
				"%s is among the files to be compared, and is "
				"where the comparison would be written (-o); "
				"write to another file",
				options->program[i]);
	return NULL;
}

static struct error *compare(struct comparing *comparing)
{
	TRY(parse_conditions(comparing));
	TRY(check_output(comparing->options));
	TRY(read_files(comparing));
	compare_files(comparing);
	TRY(check_conditions(comparing));
	return write_report(comparing);
}

int compare_main(const struct options *options)
{
	struct comparing comparing = {.options = options};
	struct error *error = compare(&comparing);
	int status = comparing.held.count ? EXIT_CONDITION_HOLDS : 0;

	if (error) {
		ui_report_error(NULL, "perftool: ", error);
		status = EXIT_TOOL_FAILED;
	} else {
		tell_of_conditions(&comparing);
	}
	comparing_deinit(&comparing);
	return status;
}
