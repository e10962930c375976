/* top_table.c - see perftool/report/top_table.h */
#include "perftool/report/top_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "procedure_labels.h"

/* The columns before the function's name. */
#define BEFORE 29
/* Names get at least this many columns, whatever the terminal. */
#define LEAST_NAME 20
/* Commands are proposed for so many functions. */
#define MOST_COMMANDS 10

#define TO_TIME "To time one of them:\n"
/* The commands that count stop the program unless the monitor is on. */
#define TO_COUNT                                                               \
	"To count how often code is executed that the compiler has inlined "   \
	"(it cannot\nbe timed): these commands, then `run' or `continue for "  \
	"10s', then `print nodes'\n    monitor on\n"

static void append_calls(const struct top_row *row, struct str *out)
{
	const char *sign = row->calls_are_least ? ">" : "";
	struct str number = {0};

	if (row->calls < 0)
		str_append(&number, "-");
	else if (row->calls >= 1e6)
		str_printf(&number, "%s%.1fM", sign, row->calls / 1e6);
	else if (row->calls >= 1e4)
		str_printf(&number, "%s%.1fk", sign, row->calls / 1e3);
	else
		str_printf(&number, "%s%.0f", sign, row->calls);
	str_printf(out, "%11s", str_text(&number));
	str_deinit(&number);
}

/* Returns for how many characters of a name the terminal has room; 0: for all.
 */
static size_t room_for_names(const struct report_options *options)
{
	if (!options->columns)
		return 0;
	return options->columns > BEFORE + LEAST_NAME
		       ? (size_t)(options->columns - BEFORE)
		       : LEAST_NAME;
}

static void append_head(const struct top_report *report,
			const struct report_options *options, struct str *out)
{
	str_printf(out,
		   "%" PRIu64 " tick%s in %.1f s, %.2f CPUs in use; %zu "
		   "function%s",
		   report->ticks, report->ticks == 1 ? "" : "s",
		   report->seconds, report->cpus, report->functions,
		   report->functions == 1 ? "" : "s");
	if (report->to_come > 0)
		str_printf(out, "; %.0f s to come", report->to_come);
	str_append_char(out, '\n');
	if (report->broken >= 0.05)
		str_printf(out, "%.1f %% of the stacks have no outer end.\n",
			   report->broken);
	if (report->remark)
		str_printf(out, "%s\n", report->remark);
	str_printf(out, "%s  Own %%  Stack %%     Calls/s  Function%s\n",
		   options->color ? "\033[1m" : "",
		   options->color ? "\033[0m" : "");
}

/* Returns how many rows have the first ten commands. Code in no file has none.
 */
static size_t rows_with_commands(const struct top_report *report)
{
	size_t count = 0, i;

	for (i = 0; i < report->row_count && count < MOST_COMMANDS; i++)
		count += report->rows[i].command != NULL;
	return i;
}

/* How many of the first ten commands time a function, or only count it. */
static size_t count_commands(const struct top_report *report, bool only_count)
{
	const size_t rows = rows_with_commands(report);
	size_t count = 0;

	for (size_t i = 0; i < rows; i++)
		count += report->rows[i].command &&
			 report->rows[i].only_counts == only_count;
	return count;
}

static size_t count_lines(const char *text)
{
	size_t count = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		count++;
	}
	return count;
}

/* Append the commands for the first ten functions: those that time, or those
 * that only count; in so many lines at most, heading included. */
static void append_commands(const struct top_report *report, bool only_count,
			    const char *heading, size_t *lines, struct str *out)
{
	const size_t rows = rows_with_commands(report);
	const size_t above = count_lines(heading);

	if (*lines <= above || !count_commands(report, only_count))
		return;
	str_append(out, heading);
	*lines -= above;
	for (size_t i = 0; i < rows; i++) {
		const struct top_row *row = &report->rows[i];

		if (!row->command || row->only_counts != only_count || !*lines)
			continue;
		--*lines;
		str_printf(out, "    %s\n", row->command);
	}
}

static void append_row(const struct top_row *row, char *label, size_t room,
		       struct str *out)
{
	str_printf(out, "%7.1f %8.1f ", row->own, row->total);
	append_calls(row, out);
	str_append(out, "  ");
	label_append(label, room, out);
	str_append_char(out, '\n');
}

static bool has_least(const struct top_report *report)
{
	for (size_t i = 0; i < report->row_count; i++)
		if (report->rows[i].calls_are_least)
			return true;
	return false;
}

/* Divides the lines that the screen has below the heading: the commands get
 * what they need, but at most a fourth; the functions get the rest. The last
 * line of the screen is the cursor's. */
static void divide_lines(const struct top_report *report, size_t lines,
			 size_t *rows, size_t *below)
{
	size_t commands = count_commands(report, false);
	/* with one command */
	size_t least = count_lines(commands ? TO_TIME : TO_COUNT) + 1;

	*rows = report->row_count;
	*below = SIZE_MAX;
	if (!lines)
		return;
	if (!commands)
		commands = count_commands(report, true);
	*below = commands && lines >= 2 * least ? commands - 1 + least : 0;
	if (*below > lines / 4)
		*below = lines / 4 < least ? least : lines / 4;
	if (*rows > lines - *below)
		*rows = lines - *below;
	*below = lines - *rows;
}

void report_top_text(const struct top_report *report,
		     const struct report_options *options, struct str *out)
{
	const size_t room = room_for_names(options);
	struct procedure_labels labels;
	struct str head = {0};
	size_t lines = 0, rows, below;

	append_head(report, options, &head);
	if (options->lines > 0) {
		lines = (size_t)options->lines;
		lines = lines > count_lines(str_text(&head)) + 2
				? lines - count_lines(str_text(&head)) - 1
				: 1;
	}
	divide_lines(report, lines, &rows, &below);
	str_append(out, str_text(&head));
	str_deinit(&head);
	procedure_labels_init(&labels, report->procedures);
	for (size_t i = 0; i < rows; i++) {
		const struct top_row *row = &report->rows[i];
		char *label = procedure_label(&labels, row->procedure);

		append_row(row, label, room, out);
		free(label);
	}
	procedure_labels_deinit(&labels);
	if (!report->row_count)
		str_append(out, "No thread has used a CPU.\n");
	else if (report->calls_remark)
		str_printf(out, "%s\n", report->calls_remark);
	if (has_least(report))
		str_append(out, "> The program alone makes more calls than "
				"this: counting them took most of\nits time, "
				"and how much it left is not known.\n");
	append_commands(report, false, TO_TIME, &below, out);
	append_commands(report, true, TO_COUNT, &below, out);
}
