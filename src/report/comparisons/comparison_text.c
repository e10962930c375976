/*
 * comparison_text.c - comparisons, and the spread of runs, as tables for people
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/report/comparisons.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

/* ---- cells --------------------------------------------------------------- */

/* A percentage with its sign and about three digits. */
static void append_percent(double percent, struct str *out)
{
	double size = fabs(percent);

	if (!isfinite(percent))
		str_append(out, "-");
	else if (size < 0.005)
		str_append(out, "0");
	else if (size >= 1e6)
		str_printf(out, "%+.1e", percent);
	else
		str_printf(out, "%+.*f",
			   size < 9.995   ? 2
			   : size < 99.95 ? 1
					  : 0,
			   percent);
}

static char *value_cell(double value, enum compare_figure figure)
{
	struct str text = {0};

	if (isnan(value))
		str_append(&text, "-");
	else if (figure != FIGURE_COUNT)
		report_duration(value, &text);
	else if (value == floor(value) && fabs(value) < 0x1p120)
		report_number((__int128)value, &text);
	else
		str_printf(&text, "%.1f", value);
	return str_take(&text);
}

static char *difference_cell(const struct estimate *estimate)
{
	struct str text = {0};

	append_percent(
		estimate_percent(estimate, estimate_difference(estimate)),
		&text);
	return str_take(&text);
}

static char *interval_cell(const struct estimate *estimate)
{
	struct str text = {0};

	if (!estimate->has_interval || !(estimate->before > 0) ||
	    isnan(estimate->low_percent))
		return xstrdup("-");
	append_percent(estimate->low_percent, &text);
	str_append(&text, " .. ");
	append_percent(estimate->high_percent, &text);
	return str_take(&text);
}

static char *more_cell(const struct estimate *estimate)
{
	if (estimate->verdict != VERDICT_NONE || !estimate->more_runs)
		return xstrdup("");
	return xasprintf("%zu", estimate->more_runs);
}

/* ---- what is compared ---------------------------------------------------- */

static void append_file(const char *title, const struct compared_file *file,
			struct str *out)
{
	str_append(out, title);
	printable_cut(file->path, 40, out);
	if (file->runs)
		str_printf(out, ": %zu run%s", file->runs,
			   file->runs == 1 ? "" : "s");
	else if (file->merged_files)
		str_printf(out, ": a merge of %" PRIu64 " file%s",
			   file->merged_files,
			   file->merged_files == 1 ? "" : "s");
	else
		str_append(out, ": one run");
	if (file->program) {
		const char *name = strrchr(file->program, '/');

		str_append(out, " of ");
		printable_cut(name && name[1] ? name + 1 : file->program, 20,
			      out);
	}
	str_append_char(out, '\n');
	if (file->failed_runs)
		str_printf(out,
			   "        %" PRIu64 " more failed and are left "
			   "out\n",
			   file->failed_runs);
}

/* ---- which legs are shown ------------------------------------------------ */

/* Text is for people, who read no more legs. */
#define SHOWN_MAX 200

struct shown {
	struct leg_comparison_list legs;
	size_t empty; /* legs without executions in both files */
	size_t other; /* legs that have executions, and are not shown */
	bool runs, executions; /* what the intervals are drawn from */
};

/* A leg that may be shown. */
struct candidate {
	size_t index;
	double total; /* the larger one of the two */
};
VEC_STRUCT(candidate_list, struct candidate);

/* Was the leg executed in neither file? */
static bool is_empty(const struct leg_comparison *leg)
{
	const struct estimate *count = &leg->figures[FIGURE_COUNT];

	return count->before == 0 && count->after == 0;
}

static double larger_total(const struct leg_comparison *leg)
{
	const struct estimate *total = &leg->figures[FIGURE_TOTAL];

	return total->before > total->after ? total->before : total->after;
}

static int by_total(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static struct error *find_candidates(const struct comparison *comparison,
				     const struct report_sink *sink,
				     struct str *text, struct shown *shown,
				     struct candidate_list *out)
{
	size_t count = comparison->legs.count;

	for (size_t i = 0; i < count; i++) {
		struct leg_comparison leg;

		comparison_values(comparison, i, &leg);
		shown->runs |= leg.basis == BASIS_RUNS;
		shown->executions |= leg.basis == BASIS_EXECUTIONS;
		if (is_empty(&leg))
			shown->empty++;
		else
			vec_push(out,
				 (struct candidate){i, larger_total(&leg)});
		TRY(sink->take(sink->context, text, i + 1, count));
	}
	return NULL;
}

/* Chooses the legs that are shown: all in the order of the first file, or of
 * very many those with the largest totals, in the order of these. */
static struct error *choose(const struct comparison *comparison,
			    const struct report_sink *sink, struct str *text,
			    struct shown *shown)
{
	struct candidate_list candidates = {0};
	struct error *error =
		find_candidates(comparison, sink, text, shown, &candidates);
	size_t count = candidates.count;

	if (count > SHOWN_MAX) {
		qsort(candidates.data, count, sizeof(*candidates.data),
		      by_total);
		shown->other = count - SHOWN_MAX;
		count = SHOWN_MAX;
	}
	for (size_t i = 0; !error && i < count; i++) {
		struct leg_comparison leg;

		comparison_leg(comparison, candidates.data[i].index, &leg);
		vec_push(&shown->legs, leg);
		error = sink->take(sink->context, text, i + 1, count);
	}
	vec_free(&candidates);
	return error;
}

/* Says what the intervals are drawn from. */
static void append_basis(const struct comparison *comparison,
			 const struct shown *shown, struct str *out)
{
	bool per_run = comparison->before.runs || comparison->after.runs;

	if (shown->runs)
		str_append(out, "Medians of the runs; 95 % intervals by "
				"bootstrap over the runs.\n");
	if (shown->executions)
		str_append(out, "* 95 % intervals by bootstrap over the "
				"executions of one run, or of one merge:\n"
				"  how runs differ is not in them; -r 10 "
				"measures that.\n");
	if (shown->executions && per_run)
		str_append(out, "  Counts and totals are the averages of a "
				"run.\n");
}

/* ---- the table ----------------------------------------------------------- */

static void comparison_columns(struct grid *grid)
{
	static const struct column columns[] = {
		{.bottom = "Leg", .key = true, .minimum = 8, .shrinks_to = 8},
		{.bottom = "Figure", .key = true},
		{.bottom = "Before", .right = true, .key = true},
		{.bottom = "After", .right = true, .key = true},
		{.top = "Differ-",
		 .bottom = "ence %",
		 .right = true,
		 .key = true},
		{.top = "95 %",
		 .bottom = "Interval",
		 .right = true,
		 .expendable = 1},
		{.bottom = "Verdict", .key = true},
		{.top = "More",
		 .bottom = "Runs",
		 .right = true,
		 .expendable = 2},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		grid_column(grid, columns[i]);
}

static void leg_rows(const struct leg_comparison *leg, struct grid *grid)
{
	for (unsigned i = 0; i < FIGURES; i++) {
		const struct estimate *estimate = &leg->figures[i];
		struct str name = {0};

		if (i == 0) {
			printable(leg->name, &name);
			if (leg->nth)
				str_printf(&name, " (%" PRIu32 ")",
					   leg->nth + 1);
			if (leg->basis == BASIS_EXECUTIONS)
				str_append(&name, " *");
		}
		grid_take(grid, xstrdup(str_text(&name)));
		str_deinit(&name);
		grid_text(grid, compare_figure_names[i]);
		grid_take(grid, value_cell(estimate->before, i));
		grid_take(grid, value_cell(estimate->after, i));
		grid_take(grid, difference_cell(estimate));
		grid_take(grid, interval_cell(estimate));
		grid_text(grid, verdict_word(estimate->verdict, i));
		grid_take(grid, more_cell(estimate));
	}
}

static void append_legs(const struct comparison *comparison,
			const struct shown *shown,
			const struct report_options *options, struct str *out)
{
	size_t count = shown->legs.count, empty = shown->empty;
	struct grid grid = {0};

	comparison_columns(&grid);
	for (size_t i = 0; i < count; i++)
		leg_rows(&shown->legs.data[i], &grid);
	if (count) {
		grid_fit(&grid, options->columns);
		grid_print(&grid, options->color, out);
	}
	grid_deinit(&grid);
	if (!comparison->legs.count)
		str_append(out, "No leg is in both files.\n");
	if (shown->other)
		str_printf(out,
			   "These are the %zu legs with the largest totals, of "
			   "%zu, the largest first;\n`-f csv' has all.\n",
			   count, count + shown->other);
	if (empty)
		str_printf(out,
			   "%zu leg%s left out, without executions in both "
			   "files.\n",
			   empty, empty == 1 ? " is" : "s are");
}

/* Appends the names in lines of at most 80 columns. */
static void append_names(const struct compared_file *file,
			 const struct compare_name_list *names, struct str *out)
{
	size_t shown = names->count < 10 ? names->count : 10, width = 80;

	if (!names->count)
		return;
	str_append(out, "Only in ");
	printable_cut(file->path, 40, out);
	str_printf(out, ", %zu leg%s:", names->count,
		   names->count == 1 ? "" : "s");
	for (size_t i = 0; i < shown; i++) {
		struct str name = {0};

		printable_cut(names->data[i], 60, &name);
		width += text_width(str_text(&name)) + 2;
		if (width > 78) {
			str_append(out, "\n ");
			width = text_width(str_text(&name)) + 4;
		}
		str_printf(out, " %s%s", str_text(&name),
			   i + 1 < shown ? "," : "");
		str_deinit(&name);
	}
	if (names->count > shown)
		str_printf(out, ",\n  and %zu more", names->count - shown);
	str_append_char(out, '\n');
}

/* What the words of the table mean, as far as they are in it. */
static void append_legend(const struct shown *shown, struct str *out)
{
	bool none = false, unknown = false, more = false;

	for (size_t i = 0; i < shown->legs.count * FIGURES; i++) {
		const struct estimate *at =
			&shown->legs.data[i / FIGURES].figures[i % FIGURES];

		none |= at->verdict == VERDICT_NONE;
		unknown |= at->verdict == VERDICT_UNKNOWN;
		more |= at->more_runs > 0;
	}
	if (none)
		str_append(out, "none: no difference that these runs can "
				"show.\n");
	if (more)
		str_append(out, "More Runs: about so many more, before and "
				"after, would show this difference.\n");
	if (unknown)
		str_append(out, "unknown: there are too few values for an "
				"interval; measure with -r 10.\n");
}

struct error *report_comparison_text(const struct comparison *comparison,
				     const struct report_options *options,
				     const struct report_sink *sink,
				     struct str *text)
{
	struct shown shown = {0};
	struct error *error = choose(comparison, sink, text, &shown);

	if (!error) {
		append_file("before: ", &comparison->before, text);
		append_file("after:  ", &comparison->after, text);
		append_basis(comparison, &shown, text);
		str_append_char(text, '\n');
		append_legs(comparison, &shown, options, text);
		append_legend(&shown, text);
		append_names(&comparison->before, &comparison->only_before,
			     text);
		append_names(&comparison->after, &comparison->only_after, text);
	}
	vec_free(&shown.legs);
	return error;
}

void report_held_condition(const struct held_condition *held, struct str *out)
{
	enum compare_figure figure = held->condition->figure;
	const struct estimate estimate = {.before = held->before,
					  .after = held->after};
	CLEANUP(free_pointer)
	char *before = value_cell(held->before, figure);
	CLEANUP(free_pointer)
	char *after = value_cell(held->after, figure);

	str_printf(out, "`%s' holds of ", held->condition->text);
	printable_cut(held->leg, 60, out);
	str_printf(out, ": %s before, %s after (", before, after);
	append_percent(
		estimate_percent(&estimate, estimate_difference(&estimate)),
		out);
	str_append(out, " %)\n");
}

/* ---- the spread of runs -------------------------------------------------- */

static void spread_columns(struct grid *grid)
{
	static const struct column columns[] = {
		{.bottom = "Leg", .key = true, .minimum = 8, .shrinks_to = 8},
		{.bottom = "Figure", .key = true},
		{.bottom = "Median", .right = true, .key = true},
		{.bottom = "Lowest", .right = true, .key = true},
		{.bottom = "Highest", .right = true, .key = true},
		{.top = "Standard",
		 .bottom = "Deviation",
		 .right = true,
		 .expendable = 2},
		{.bottom = "%", .right = true, .expendable = 1},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		grid_column(grid, columns[i]);
}

static void spread_rows(const struct leg_spread *leg, struct grid *grid)
{
	for (unsigned i = 0; i < FIGURES; i++) {
		const struct run_spread *at = &leg->figures[i];
		struct str name = {0};

		if (i == 0)
			printable(leg->name, &name);
		grid_take(grid, xstrdup(str_text(&name)));
		str_deinit(&name);
		grid_text(grid, compare_figure_names[i]);
		grid_take(grid, value_cell(at->median, i));
		grid_take(grid, value_cell(at->low, i));
		grid_take(grid, value_cell(at->high, i));
		grid_take(grid, value_cell(at->deviation, i));
		if (isnan(at->deviation) || !(at->median > 0))
			grid_text(grid, "-");
		else
			grid_printf(grid, "%.2f",
				    100 * at->deviation / at->median);
	}
}

void report_spread_text(const struct leg_spread_list *legs, size_t runs,
			size_t failed, const struct report_options *options,
			struct str *out)
{
	struct grid grid = {0};
	struct str title = {0};

	str_printf(&title, "Spread of %zu run%s", runs, runs == 1 ? "" : "s");
	text_title(str_text(&title), options->color, out);
	str_deinit(&title);
	if (failed)
		str_printf(out, "%zu more run%s failed and %s left out.\n",
			   failed, failed == 1 ? "" : "s",
			   failed == 1 ? "is" : "are");
	if (!legs->count) {
		str_append(out, "There are no legs.\n");
		return;
	}
	spread_columns(&grid);
	for (size_t i = 0; i < legs->count; i++)
		spread_rows(&legs->data[i], &grid);
	grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	grid_deinit(&grid);
}
