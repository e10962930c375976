/*
 * legs_text.c - the leg table as text
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cpu.h"
#include "legs_grid.h"
#include "perftool/base/alloc.h"
#include "text.h"
#include "units.h"

/* ---- the tables -----------------------------------------------------------
 */

static struct legs_form form_of(const struct tables *tables,
				const struct report_options *options)
{
	return (struct legs_form){.memo = options->memo,
				  .by_process = options->by_process,
				  .names = options->by_process
						   ? process_names_of(tables)
						   : PROCESS_PIDS};
}

static void plain_table(const struct tables *tables,
			const struct report_options *options, struct grid *grid)
{
	struct legs_form form = form_of(tables, options);

	legs_columns(grid, tables, &form);
	for (size_t i = 0; i < tables->leg_count; i++)
		legs_cells(grid, tables, &tables->legs[i], &form);
}

/* Everything in one row. */
static void wide_table(const struct tables *tables,
		       const struct report_options *options, struct grid *grid)
{
	struct legs_form form = form_of(tables, options);

	legs_columns(grid, tables, &form);
	legs_verbose_columns(grid);
	for (size_t i = 0; i < tables->leg_count; i++) {
		legs_cells(grid, tables, &tables->legs[i], &form);
		legs_verbose_cells(grid, &tables->legs[i], options->memo);
	}
}

/* What the plain table has not, to stand below it. */
static void rest_table(const struct tables *tables,
		       const struct report_options *options, struct grid *grid)
{
	legs_key_columns(grid);
	legs_verbose_columns(grid);
	for (size_t i = 0; i < tables->leg_count; i++) {
		legs_key_cells(grid, &tables->legs[i]);
		legs_verbose_cells(grid, &tables->legs[i], options->memo);
	}
}

/* What of a table fits in the terminal. */
struct fit {
	bool hidden; /* columns were left out */
	bool shares; /* `% of Time' was not */
};

/* Print as much of it as fits and take it away. */
static void put_table(struct grid *grid, const struct report_options *options,
		      struct fit *fit, struct str *out)
{
	fit->hidden |= grid_fit(grid, options->columns);
	fit->shares |= grid_shows(grid, LEGS_SHARE_TITLE);
	grid_print(grid, options->color, out);
	grid_deinit(grid);
	*grid = (struct grid){0};
}

static void put_tables(const struct tables *tables,
		       const struct report_options *options, struct fit *fit,
		       struct str *out)
{
	struct grid grid = {0};

	if (options->verbose) {
		wide_table(tables, options, &grid);
		if (grid_fits(&grid, options->columns)) {
			put_table(&grid, options, fit, out);
			return;
		}
		grid_deinit(&grid);
		grid = (struct grid){0};
	}
	plain_table(tables, options, &grid);
	put_table(&grid, options, fit, out);
	if (!options->verbose)
		return;
	str_append_char(out, '\n');
	rest_table(tables, options, &grid);
	put_table(&grid, options, fit, out);
}

/* ---- what stands below them -----------------------------------------------
 */

static bool has_condition(const struct tables *tables, uint32_t node)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == node)
			return tables->nodes[i].condition &&
			       !tables->nodes[i].only_names &&
			       !str_equal(tables->nodes[i].condition, "1");
	return false;
}

/* "2 starts", if there are some, after what was left out else. */
static void add_figure(uint64_t count, const char *what, bool *any,
		       struct str *out)
{
	if (!count)
		return;
	if (*any)
		str_append(out, ", ");
	report_number(count, out);
	str_printf(out, " %s", what);
	*any = true;
}

/* So much of a line leaves no room for the rest of it in 80 columns. */
#define LONG_NOTE 47

/* The end of a note that began at `begin', and gave the sums of all legs. */
static void where_each_is(bool verbose, size_t begin, struct str *out)
{
	if (!verbose)
		str_printf(out, ";%s`print legs -v' has each leg's",
			   out->length - begin > LONG_NOTE ? "\n  " : " ");
	str_append(out, ".\n");
}

/* What the `~' stands for, of all legs that have it. */
static void left_out(const struct tables *tables, bool verbose, struct str *out)
{
	uint64_t starts = 0, ends = 0, unwound = 0, discarded = 0;
	bool filtered = false, any = false;
	size_t begin = out->length;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!measure_leg_is_marked(leg))
			continue;
		starts += leg->ignored_from;
		ends += leg->ignored_to - leg->self_first;
		unwound += leg->unwound;
		discarded += measure_leg_lost(leg);
		filtered |= has_condition(tables, leg->spec.from) ||
			    has_condition(tables, leg->spec.to);
	}
	if (!starts && !ends && !unwound && !discarded)
		return;
	str_append(out, "~ Left out: ");
	add_figure(starts, "ignored From", &any, out);
	add_figure(ends, "ignored To", &any, out);
	add_figure(unwound, "unwound", &any, out);
	add_figure(discarded, "discarded", &any, out);
	where_each_is(verbose, begin, out);
	if (filtered)
		str_append(out,
			   "  A node's condition leaves hits out; those of "
			   "the other node that go with\n"
			   "  them are ignored.\n");
}

/* A thread's leg that has beginnings and ends, and no execution: most likely
 * one thread begins what another ends. */
static bool lacks_key(const struct measure_leg *leg)
{
	return leg->spec.owner == OWNER_THREAD && !leg->count &&
	       leg->ignored_to &&
	       (leg->ignored_from || leg->open || measure_leg_lost(leg)) &&
	       leg->spec.from != leg->spec.to;
}

static void key_note(const struct tables *tables, struct str *out)
{
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!lacks_key(leg))
			continue;
		str_printf(out,
			   "  Leg %u: in no thread an end came after a start. "
			   "If one thread starts what\n"
			   "  another ends, `key=EXPR' tells which belong "
			   "together (`help keys').\n",
			   leg->id);
		/* others are most likely the same again */
		return;
	}
}

/* What the `~' stands for where executions were interrupted. */
static void interrupted_note(const struct tables *tables, bool verbose,
			     struct str *out)
{
	uint64_t count = 0;
	size_t begin = out->length;

	for (size_t i = 0; i < tables->leg_count; i++)
		count += tables->legs[i].stats->interrupted;
	if (!count)
		return;
	str_append(out, "~ Interrupted by a stop of the program: ");
	report_number((__int128)count, out);
	str_append(out, count == 1 ? " execution" : " executions");
	where_each_is(verbose, begin, out);
	str_append(out, "  Total and Average count them with the time that the "
			"program ran; Min, Max,\n"
			"  percentiles and histograms leave them out.\n");
}

static void beyond_note(const struct report_options *options, struct str *out)
{
	if (!options->beyond)
		return;
	report_number((__int128)options->beyond, out);
	str_append(out, options->beyond == 1
				? " row more is below `top='.\n"
				: " rows more are below `top='.\n");
}

static void unexecuted_note(const struct report_options *options,
			    struct str *out)
{
	if (!options->unexecuted)
		return;
	report_number((__int128)options->unexecuted, out);
	str_append(out, options->unexecuted == 1
				? " leg that was never executed is left out"
				: " legs that were never executed are left "
				  "out");
	str_append(out, options->by_process ? "; `all' has all.\n"
					    : "; `print legs' has all.\n");
}

bool text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out)
{
	bool histogram = false, over = false;
	struct fit fit = {0};

	text_title(options->by_process
			   ? "- - - - - - - L E G   T A B L E   B Y   "
			     "P R O C E S S - - - - - - - - -"
			   : "- - - - - - - L E G   T A B L E   "
			     "C O N T E N T S - - - - - - - - -",
		   options->color, out);
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		histogram |= leg->histogram && !options->by_process;
		over |= leg->total > tables->summary.elapsed &&
			tables->summary.elapsed;
	}
	put_tables(tables, options, &fit, out);
	if (histogram)
		str_append(out, TEXT_HISTOGRAM);
	if (!options->by_process) {
		left_out(tables, options->verbose, out);
		key_note(tables, out);
	}
	if (tables->is_untracked && tables->leg_count)
		str_append(out, "Legs are not measured: `track none' is on; "
				"`track all' has them measured.\n");
	interrupted_note(tables, options->verbose, out);
	cpu_notes(tables, out);
	beyond_note(options, out);
	unexecuted_note(options, out);
	if (options->by_process)
		process_notes(tables, out);
	else
		processes_note(tables, out);
	if (!tables->leg_count && !options->unexecuted)
		str_append(out, "No legs.\n");
	if (over && fit.shares)
		str_append(out, "% of Time above 100: several executions of "
				"the leg were going on at once\n"
				"(threads, nested activations).\n");
	return fit.hidden;
}
