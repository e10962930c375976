/* top_table.c - see perftool/report/top_table.h */
#include "perftool/report/top_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "procedure_labels.h"

/* The columns before the function's name. */
#define BEFORE 29
/* Names get at least this many columns, whatever the terminal. */
#define LEAST_NAME 20

static void append_calls(double calls, struct str *out)
{
	if (calls < 0)
		str_printf(out, "%11s", "-");
	else if (calls >= 1e6)
		str_printf(out, "%10.1fM", calls / 1e6);
	else if (calls >= 1e4)
		str_printf(out, "%10.1fk", calls / 1e3);
	else
		str_printf(out, "%11.0f", calls);
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
	if (report->broken >= 0.05)
		str_printf(out, "; %.1f %% of the stacks have no outer end",
			   report->broken);
	if (report->to_come > 0)
		str_printf(out, "; %.0f s to come", report->to_come);
	str_append_char(out, '\n');
	if (report->remark)
		str_printf(out, "%s\n", report->remark);
	str_printf(out, "%s  Own %%  Stack %%     Calls/s  Function%s\n",
		   options->color ? "\033[1m" : "",
		   options->color ? "\033[0m" : "");
}

/* The commands for the first ten functions: those that time, or those that only
 * count. */
static void append_commands(const struct top_report *report, bool only_count,
			    const char *heading, struct str *out)
{
	bool any = false;

	for (size_t i = 0; i < report->row_count && i < 10; i++) {
		const struct top_row *row = &report->rows[i];

		if (!row->command || row->only_counts != only_count)
			continue;
		if (!any)
			str_append(out, heading);
		any = true;
		str_printf(out, "    %s\n", row->command);
	}
}

void report_top_text(const struct top_report *report,
		     const struct report_options *options, struct str *out)
{
	const size_t room = room_for_names(options);
	struct procedure_labels labels;

	procedure_labels_init(&labels, report->procedures);
	append_head(report, options, out);
	for (size_t i = 0; i < report->row_count; i++) {
		const struct top_row *row = &report->rows[i];
		char *label = procedure_label(&labels, row->procedure);

		str_printf(out, "%7.1f %8.1f ", row->own, row->total);
		append_calls(row->calls, out);
		str_append(out, "  ");
		label_append(label, room, out);
		str_append_char(out, '\n');
		free(label);
	}
	procedure_labels_deinit(&labels);
	if (!report->row_count)
		str_append(out, "No thread has used a CPU.\n");
	append_commands(report, false, "To time one of them:\n", out);
	append_commands(report, true,
			"To count one that is inlined, and so has no end:\n",
			out);
}
