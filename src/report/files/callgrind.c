/*
 * callgrind.c - a profile in the format of callgrind's files
 *
 * Rule: the format description in the manual of Valgrind ("Callgrind Format
 * Specification"). A name is written once, with a number in parentheses, and
 * later by its number.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "call_costs.h"
#include "perftool/base/alloc.h"
#include "profile_names.h"
#include "profile_writers.h"
#include "report/figures/figures.h"

/* What callgrind itself writes for a name that is not known. */
#define UNKNOWN "???"

struct callgrind {
	const struct profile *profile;
	const struct profile_functions *functions;
	const struct call_costs *costs;
	/* by function, and by file: it has been written before */
	bool *function_known, *file_known;
	/* the numbers of the objects, by the module's name */
	struct strmap objects;
	uint32_t file; /* in which the costs now are; as in cost_place */
	struct str *out;
};

/* ---- names ----------------------------------------------------------------
 */

static void name_file(struct callgrind *work, const char *key, uint32_t file)
{
	/* number 1 is the file that is not known */
	str_printf(work->out, "%s=(%" PRIu32 ")", key, file + 1);
	if (!work->file_known[file]) {
		work->file_known[file] = true;
		str_append_char(work->out, ' ');
		if (file)
			clean_name(work->costs->files.data[file - 1],
				   work->out);
		else
			str_append(work->out, UNKNOWN);
	}
	str_append_char(work->out, '\n');
}

static void name_function(struct callgrind *work, const char *key,
			  uint32_t function)
{
	str_printf(work->out, "%s=(%" PRIu32 ")", key, function + 1);
	if (!work->function_known[function]) {
		work->function_known[function] = true;
		str_append_char(work->out, ' ');
		clean_name(work->functions->table.list.data[function].name,
			   work->out);
	}
	str_append_char(work->out, '\n');
}

static void name_object(struct callgrind *work, const char *key,
			uint32_t function)
{
	const char *name = work->functions->table.list.data[function].module;
	const struct profile_module *module;
	uintptr_t number;

	if (!name)
		name = "";
	number = (uintptr_t)strmap_get(&work->objects, name);
	if (number) {
		str_printf(work->out, "%s=(%zu)\n", key, (size_t)number);
		return;
	}
	number = work->objects.count + 1;
	strmap_set(&work->objects, name, (void *)number);
	str_printf(work->out, "%s=(%zu) ", key, (size_t)number);
	module = profile_module_of_name(work->profile, name);
	if (*name)
		clean_name(module && module->path ? module->path : name,
			   work->out);
	else
		str_append(work->out, UNKNOWN);
	str_append_char(work->out, '\n');
}

/* ---- costs ----------------------------------------------------------------
 */

static void write_costs(struct callgrind *work, const uint64_t *costs)
{
	for (size_t i = 0; i < work->costs->columns.count; i++)
		str_printf(work->out, " %" PRIu64, costs[i]);
	str_append_char(work->out, '\n');
}

/* Costs of a function may be in several files. */
static void change_file(struct callgrind *work, uint32_t file)
{
	if (file != work->file)
		name_file(work, "fi", file);
	work->file = file;
}

/* Is the callee in the caller's file? As in callgrind's own files, it is not
 * named again then: callgrind_annotate takes the working directory off the
 * names of files, but not off those of callees, and would find no callers. */
static bool is_in_same_file(const struct callgrind *work,
			    const struct cost_row *row)
{
	const struct cost_place *homes = work->costs->homes;
	const uint32_t file = homes[row->callee].file;

	return file == homes[row->at.function].file && file == work->file;
}

static void write_row(struct callgrind *work, const struct cost_row *row)
{
	change_file(work, row->at.file);
	if (row->callee != NO_PROCEDURE) {
		const struct cost_place *callee =
			&work->costs->homes[row->callee];

		name_object(work, "cob", row->callee);
		if (!is_in_same_file(work, row))
			name_file(work, "cfi", callee->file);
		name_function(work, "cfn", row->callee);
		str_printf(work->out, "calls=%" PRIu64 " %" PRIu32 "\n",
			   row->count, callee->line);
	}
	str_printf(work->out, "%" PRIu32, row->at.line);
	write_costs(work, row->cost);
}

static void begin_function(struct callgrind *work, uint32_t function)
{
	str_append_char(work->out, '\n');
	name_object(work, "ob", function);
	work->file = work->costs->homes[function].file;
	name_file(work, "fl", work->file);
	name_function(work, "fn", function);
}

static void write_rows(struct callgrind *work, struct profile_sink *sink)
{
	uint32_t function = NO_PROCEDURE;

	for (size_t i = 0;
	     i < work->costs->rows.count && profile_sink_pass(sink); i++) {
		const struct cost_row *row = &work->costs->rows.data[i];

		if (row->at.function != function)
			begin_function(work, row->at.function);
		function = row->at.function;
		write_row(work, row);
	}
}

/* ---- the head -------------------------------------------------------------
 */

static void write_command(const struct tables *tables, struct str *out)
{
	const struct report_program *program = &tables->program;

	if (program->pid)
		str_printf(out, "pid: %" PRId32 "\n", program->pid);
	if (!program->path)
		return;
	str_append(out, "cmd: ");
	clean_name(program->path, out);
	for (size_t i = 0; program->args && program->args[i]; i++) {
		str_append_char(out, ' ');
		clean_name(program->args[i], out);
	}
	str_append_char(out, '\n');
}

/* A line about where the costs are from. */
static void write_description(const struct callgrind *work, bool is_counted)
{
	const struct profile_measurement *measurement =
		&work->profile->measurement;

	if (is_counted) {
		str_append(work->out,
			   "desc: Calls: counted, with elapsed times\n");
		return;
	}
	str_append(work->out, "desc: Samples: calls are numbers of samples");
	if (measurement->rate > 0) {
		str_append(work->out, "; ticks a second: ");
		shortest(measurement->rate, work->out);
	}
	str_append_char(work->out, '\n');
}

static void write_head(struct callgrind *work, bool is_counted)
{
	const struct weight_columns *columns = &work->costs->columns;

	str_append(work->out, "# callgrind format\nversion: 1\n"
			      "creator: perftool\n");
	if (work->profile->tables)
		write_command(work->profile->tables, work->out);
	str_append(work->out, "part: 1\n");
	write_description(work, is_counted);
	str_append(work->out, "positions: line\n");
	for (size_t i = 0; i < columns->count; i++)
		str_printf(work->out, "event: %s : %s\n", columns->list[i].name,
			   columns->list[i].title);
	str_append(work->out, "events:");
	for (size_t i = 0; i < columns->count; i++)
		str_printf(work->out, " %s", columns->list[i].name);
	str_append(work->out, "\nsummary:");
	write_costs(work, work->costs->total);
}

static void remark_what_is_missing(const struct profile *profile,
				   struct str *remarks)
{
	if (profile->arcs && profile->arcs->others)
		str_printf(remarks,
			   "Calls that are not in the file, because they were "
			   "counted together, beyond the limit of arcs: "
			   "%" PRIu64 "\n",
			   profile->arcs->other.count);
}

void write_callgrind(const struct profile *profile, struct profile_sink *sink,
		     struct str *remarks)
{
	struct profile_functions functions;
	struct call_costs costs;
	struct callgrind work = {.profile = profile,
				 .functions = &functions,
				 .costs = &costs,
				 .out = &sink->text};

	profile_functions_init(&functions, profile);
	call_costs_init(&costs, profile, &functions);
	work.function_known =
		xcalloc(functions.table.list.count + 1, sizeof(bool));
	work.file_known = xcalloc(costs.files.count + 1, sizeof(bool));
	write_head(&work, profile->arcs && profile->arcs->list.count);
	write_rows(&work, sink);
	str_append(&sink->text, "\ntotals:");
	write_costs(&work, costs.total);
	remark_what_is_missing(profile, remarks);
	free(work.function_known);
	free(work.file_known);
	strmap_deinit(&work.objects);
	call_costs_deinit(&costs);
	profile_functions_deinit(&functions);
}
