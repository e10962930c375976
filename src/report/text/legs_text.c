/*
 * legs_text.c - the leg table as text, and the notes below it
 */
#include <inttypes.h>
#include <stdlib.h>

#include "legs_grid.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "text.h"

/* ---- the tables --------------------------------------------------------- */

static struct legs_form form_of(const struct tables *tables,
				const struct report_options *options)
{
	return (struct legs_form){.tables = tables,
				  .memo = options->memo,
				  .chosen = options->chosen,
				  .by_process = options->by_process,
				  .names = options->by_process
						   ? process_names_of(tables)
						   : PROCESS_PIDS};
}

/* Which columns the tables show. The notes below the tables depend on it. */
struct fit {
	bool hidden; /* columns were left out */
	bool shares; /* `% of Time' is shown */
	bool cpu; /* columns about the time on a CPU are shown, or were left out
		   */
};

static void put_grid(struct grid *grid, const struct report_options *options,
		     struct fit *fit, struct str *out)
{
	fit->shares |= grid_shows(grid, LEGS_SHARE_TITLE);
	grid_print(grid, options->color, out);
	grid_deinit(grid);
}

/* Write all columns, in as many tables below each other as the terminal needs.
 */
static void put_folded(const struct legs_form *form,
		       const struct leg_columns *columns, size_t keys,
		       const struct report_options *options, struct fit *fit,
		       struct str *out)
{
	struct grid grid = {0};

	legs_grid(&grid, form, columns);
	fit->shares |= grid_shows(&grid, LEGS_SHARE_TITLE);
	grid_print_folded(&grid, keys, options->columns, options->color, out);
	grid_deinit(&grid);
}

/* With `-v', write one table with all columns if there is room. Returns whether
 * the table was written. The memo's columns never share a row with the others,
 * because the times in one row have one form. */
static bool put_wide(const struct legs_form *form,
		     const struct report_options *options, struct fit *fit,
		     struct str *out)
{
	struct leg_columns all = {0}, rest = {0};
	struct grid grid = {0};
	bool fits;

	if (!options->verbose || form->memo)
		return false;
	leg_columns_first(form, &all);
	leg_columns_rest(&all, &rest);
	for (size_t i = LEG_COLUMNS_KEY; i < rest.count; i++)
		vec_push(&all, rest.data[i]);
	legs_grid(&grid, form, &all);
	fits = grid_fits(&grid, options->columns);
	if (fits) {
		grid_fit(&grid, options->columns);
		put_grid(&grid, options, fit, out);
	} else {
		grid_deinit(&grid);
	}
	vec_free(&rest);
	vec_free(&all);
	return fits;
}

/* Write the columns for which there is room, and append them to `shown'. */
static void put_fitted(const struct legs_form *form,
		       const struct leg_columns *columns,
		       const struct report_options *options, struct fit *fit,
		       struct leg_columns *shown, struct str *out)
{
	struct grid grid = {0};

	legs_grid(&grid, form, columns);
	fit->hidden = grid_fit(&grid, options->columns);
	for (size_t i = 0; i < columns->count; i++)
		if (!grid.columns.data[i].hidden)
			vec_push(shown, columns->data[i]);
	put_grid(&grid, options, fit, out);
}

/* Write the columns that the first table does not show, in further tables below
 * it. All tables together have all columns. */
static void put_rest(const struct legs_form *form,
		     const struct leg_columns *shown,
		     const struct report_options *options, struct fit *fit,
		     struct str *out)
{
	struct leg_columns rest = {0};

	leg_columns_rest(shown, &rest);
	str_append_char(out, '\n');
	put_folded(form, &rest, LEG_COLUMNS_KEY, options, fit, out);
	vec_free(&rest);
	fit->hidden = false;
}

static void put_tables(const struct tables *tables,
		       const struct report_options *options, struct fit *fit,
		       struct str *out)
{
	struct legs_form form = form_of(tables, options);
	struct leg_columns columns = {0}, shown = {0};

	fit->cpu = true;
	if (put_wide(&form, options, fit, out))
		return;
	leg_columns_first(&form, &columns);
	fit->cpu = options->verbose || leg_columns_have_cpu(&columns);
	if (form.chosen && !form.memo) {
		put_folded(&form, &columns, leg_columns_leading(&columns),
			   options, fit, out);
		for (size_t i = 0; i < columns.count; i++)
			vec_push(&shown, columns.data[i]);
	} else {
		put_fitted(&form, &columns, options, fit, &shown, out);
	}
	if (options->verbose)
		put_rest(&form, &shown, options, fit, out);
	vec_free(&shown);
	vec_free(&columns);
}

/* ---- the notes below the tables ----------------------------------------- */

/* Does the node have a condition that leaves out hits? */
static bool has_condition(const struct tables *tables, uint32_t node)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == node)
			return tables->nodes[i].condition &&
			       !tables->nodes[i].only_names &&
			       !str_equal(tables->nodes[i].condition, "1");
	return false;
}

/* Append a figure of a list, such as "2 unwound", if it is not 0. `*any`: the
 * list has a figure already. */
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

/* If the sums of a note are longer than this, the rest of the note does not fit
 * into 80 columns and goes into the next line. */
#define LONG_NOTE 47

/* Append the end of a note that began at `begin' and gave sums over all legs:
 * it says where the user finds the figures of each leg. */
static void where_each_is(const struct tables *tables, bool verbose,
			  size_t begin, struct str *out)
{
	if (!verbose)
		str_printf(out, ";%s%s each leg's",
			   out->length - begin > LONG_NOTE ? "\n  " : " ",
			   tables->is_sum ? "JSON and CSV have"
					  : "`print legs -v' has");
	str_append(out, ".\n");
}

/* Append what the mark `~' stands for: the hits and the executions that all
 * marked legs have left out. */
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
	where_each_is(tables, verbose, begin, out);
	if (filtered)
		str_append(out, "  A node's condition was false at some hits; "
				"the hits of the other node that\n"
				"  belong to them are ignored.\n");
}

/* Does the leg probably need a key? Such a leg belongs to threads, and has hits
 * of both nodes but no execution. Most likely one thread begins what another
 * thread ends. */
static bool lacks_key(const struct measure_leg *leg)
{
	return leg->spec.owner == OWNER_THREAD && !leg->count &&
	       leg->ignored_to &&
	       (leg->ignored_from || leg->open || measure_leg_lost(leg)) &&
	       leg->spec.from != leg->spec.to;
}

/* Append advice for the first leg that probably needs a key. */
static void key_note(const struct tables *tables, struct str *out)
{
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!lacks_key(leg))
			continue;
		str_printf(out,
			   "  Leg %u: in no thread did an end follow a start. "
			   "If one thread starts what\n"
			   "  another ends, `key=EXPR' tells which belong "
			   "together (`help keys').\n",
			   leg->id);
		/* other legs most likely have the same cause */
		return;
	}
}

/* Append what the mark `~' stands for if executions were interrupted. */
static void interrupted_note(const struct tables *tables, bool verbose,
			     struct str *out)
{
	uint64_t count = 0;
	size_t begin = out->length;

	for (size_t i = 0; i < tables->leg_count; i++)
		count += report_row(tables, i)->stats->interrupted;
	if (!count)
		return;
	str_append(out, "~ Interrupted by a stop of the program: ");
	report_number((__int128)count, out);
	str_append(out, count == 1 ? " execution" : " executions");
	where_each_is(tables, verbose, begin, out);
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
				? " row more is left out by `top='.\n"
				: " rows more are left out by `top='.\n");
}

static void unexecuted_note(const struct tables *tables,
			    const struct report_options *options,
			    struct str *out)
{
	const char *all = tables->is_sum        ? "; JSON and CSV have all.\n"
			  : options->by_process ? "; `all' shows them, too.\n"
						: "; `print legs' has all.\n";

	if (!options->unexecuted)
		return;
	report_number((__int128)options->unexecuted, out);
	str_append(out, options->unexecuted == 1
				? " leg that was never executed is left out"
				: " legs that were never executed are left "
				  "out");
	str_append(out, all);
}

/* Hits that only follow tail calls change what is measured if there are at
 * least MANY_FOLLOWED, and FOLLOWED_TO_COUNTED times as many as hits that
 * counted. */
#define MANY_FOLLOWED 100000
#define FOLLOWED_TO_COUNTED 5

/* Append by how much a time can be wrong for each hit of this mechanism: by
 * what such a hit costs, which is what the tool subtracts. */
static void append_bound(const struct tables *tables,
			 enum hit_mechanism mechanism, struct str *out)
{
	double cost = tables->summary.calibration[mechanism].cost;

	if (mechanism == HIT_FAST && tables->cost_samples &&
	    tables->cost_factor > 1)
		cost *= tables->cost_factor;
	report_duration(cost, out);
	str_append(out, " for each");
}

/* Is it known what the hits cost that have followed tail calls? */
static bool knows_costs(const struct tables *tables)
{
	const struct measure_summary *summary = &tables->summary;

	return !tables->is_sum && summary->compensated &&
	       (summary->followed_int3 == summary->followed ||
		summary->calibration[HIT_FAST].cost > 0) &&
	       (!summary->followed_int3 ||
		summary->calibration[HIT_INT3].cost > 0);
}

static void append_bounds(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;

	if (!knows_costs(tables)) {
		str_append(out, "as\n  much as they cost.");
		return;
	}
	str_append(out, "up to\n  ");
	if (summary->followed_int3 == summary->followed) {
		append_bound(tables, HIT_INT3, out);
	} else {
		append_bound(tables, HIT_FAST, out);
		if (summary->followed_int3) {
			str_append(out, ", and ");
			append_bound(tables, HIT_INT3, out);
			str_append(out, " of the ");
			report_number((__int128)summary->followed_int3, out);
			str_append(out, " at int3s");
		}
	}
	str_append_char(out, '.');
}

static void followed_note(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;

	if (summary->followed < MANY_FOLLOWED ||
	    summary->followed < FOLLOWED_TO_COUNTED * summary->breaks)
		return;
	report_number((__int128)summary->followed, out);
	str_append(out,
		   " hits only followed tail calls out of timed functions, "
		   "beside ");
	report_number((__int128)summary->breaks, out);
	str_append(out, "\n  that counted. They slow the program down, and a "
			"time can be wrong by ");
	append_bounds(tables, out);
	str_append(out, "\n  `add leg entry FUNC exit FUNC' ends where the "
			"function is left, and\n  follows no tail call.\n");
}

bool text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out)
{
	bool histogram = false, over = false;
	struct fit fit = {0};

	text_title(options->by_process && tables->by_rank
			   ? "- - - - - - - - L E G   T A B L E   B Y   "
			     "R A N K - - - - - - - - - -"
		   : options->by_process
			   ? "- - - - - - - L E G   T A B L E   B Y   "
			     "P R O C E S S - - - - - - - - -"
			   : "- - - - - - - L E G   T A B L E   "
			     "C O N T E N T S - - - - - - - - -",
		   options->color, out);
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = report_row(tables, i)->stats;

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
				"`track all' measures them.\n");
	interrupted_note(tables, options->verbose, out);
	if (fit.cpu)
		cpu_notes(tables, out);
	followed_note(tables, out);
	beyond_note(options, out);
	unexecuted_note(tables, options, out);
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
