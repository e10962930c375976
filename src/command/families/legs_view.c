/* legs_view.c - see legs_view.h */
#include "legs_view.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command/arguments.h"
#include "perftool/base/alloc.h"

/* ---- what is asked for ----------------------------------------------------
 */

static struct error *parse_by(const struct call *call, const char *value,
			      struct legs_request *out)
{
	if (out->view.by_process)
		return call_usage(call, "`by=' is given twice");
	if (!*value || strncasecmp(value, "process", strlen(value)) != 0)
		return call_usage(
			call,
			"`by=%s': only by=process is possible here; `split leg "
			"N by=EXPR' counts by the value of an expression",
			value);
	out->view.by_process = true;
	return NULL;
}

/* Parses the value of `columns=`. The words `auto' and `memo' may be shortened.
 */
static struct error *parse_columns(const char *value, struct legs_request *out)
{
	static const char *const words[] = {"auto", "memo"};

	for (size_t i = 0; *value && i < sizeof(words) / sizeof(*words); i++) {
		if (!str_starts_nocase(words[i], value))
			continue;
		out->columns = words[i];
		return NULL;
	}
	TRY(report_check_columns(value));
	out->columns = value;
	return NULL;
}

static struct error *parse_option(const struct call *call, const char *word,
				  struct legs_request *out, bool *found)
{
	static const char *const sorts[] = {"id",  "total", "mean", "count",
					    "max", "p99",   "name", NULL};
	const char *value;
	int64_t number;
	size_t choice;

	*found = true;
	value = argument_value(word, "by");
	if (value)
		return parse_by(call, value, out);
	value = argument_value(word, "sort");
	if (value) {
		TRY(command_choose(value, "order", sorts, &choice));
		out->is_sorted = true;
		out->view.sort = (enum legs_sort)choice;
		return NULL;
	}
	value = argument_value(word, "top");
	if (value) {
		TRY(argument_number(value, "top", 1, UINT32_MAX, &number));
		out->view.top = (uint32_t)number;
		return NULL;
	}
	value = argument_value(word, "columns");
	if (value)
		return parse_columns(value, out);
	*found = false;
	if (strchr(word, '=') || (word[0] == '-' && !str_equal(word, "-v")))
		return call_usage(call, "unexpected `%s'", word);
	return NULL;
}

struct error *legs_request_parse(const struct call *call,
				 struct legs_request *out)
{
	bool found, all = false;

	*out = (struct legs_request){0};
	for (size_t i = 0; i < call_count(call); i++) {
		const char *word = call_word(call, i);

		TRY(parse_option(call, word, out, &found));
		if (found)
			continue;
		if (str_equal(word, "-v"))
			out->verbose = true;
		else if (str_equal(word, "all"))
			all = true;
		else if (!out->view.glob)
			out->view.glob = word;
		else
			return call_usage(call, "unexpected `%s'", word);
	}
	if (out->verbose && out->view.by_process)
		return call_usage(call, "-v shows figures of a whole leg, and "
					"cannot be used with by=process");
	/* a user who gives a pattern, or asks for the first few legs, looks for
	 * the legs that took the longest */
	if (!out->is_sorted && (out->view.top || (out->view.glob && !all)))
		out->view.sort = LEGS_BY_TOTAL;
	out->view.only_executed =
		!all && (out->view.glob || out->view.sort || out->view.top ||
			 out->view.by_process);
	return NULL;
}

/* ---- those legs ------------------------------------------------------------
 */

static int by_size(double a, double b)
{
	return a > b ? -1 : a < b;
}

static double p99_of(const struct measure_leg *leg)
{
	double value;

	return measure_leg_quantile(leg, 0.99, &value) ? value : -1;
}

/* Returns the number of the process that the share (the part of a leg that one
 * process has executed) belongs to. Processes that have no share of their own
 * have one share together, which comes last. */
static uint32_t number_of(const struct report_leg *share)
{
	return share->process ? share->process->number : UINT32_MAX;
}

/* Returns the figure by which the user has asked to sort. A leg that was never
 * executed has none and comes last. It must come behind a leg whose figure is
 * below 0, which is possible because the tool subtracts what nodes cost. */
static double figure_of(const struct measure_leg *leg, enum legs_sort sort)
{
	if (!leg->count)
		return -INFINITY;
	switch (sort) {
	case LEGS_BY_TOTAL:
		return (double)leg->total;
	case LEGS_BY_MEAN:
		return leg->mean;
	case LEGS_BY_COUNT:
		return (double)leg->count;
	case LEGS_BY_MAX:
		return (double)leg->max;
	case LEGS_BY_P99:
		return p99_of(leg);
	case LEGS_BY_ID:
	case LEGS_BY_NAME:
		break;
	}
	return 0;
}

static int compare_legs(const void *a, const void *b, void *context)
{
	const struct report_leg *x = a, *y = b;
	const struct legs_view *view = context;
	int order = 0;

	if (view->sort == LEGS_BY_NAME)
		order = strcmp(x->name, y->name);
	else if (view->sort != LEGS_BY_ID)
		order = by_size(figure_of(x->stats, view->sort),
				figure_of(y->stats, view->sort));
	if (order)
		return order;
	if (x->stats->id != y->stats->id)
		return x->stats->id < y->stats->id ? -1 : 1;
	return number_of(x) < number_of(y) ? -1 : 1;
}

/* Stores in `out` the row of the leg, or, if the view asks for that, the rows
 * of its shares, one for each process. Returns the number of rows. */
static size_t select_leg(const struct report_leg *leg,
			 const struct legs_view *view, struct report_leg *out)
{
	if (!view->by_process || !leg->share_count) {
		*out = *leg;
		return 1;
	}
	for (size_t i = 0; i < leg->share_count; i++)
		out[i] = leg->shares[i];
	return leg->share_count;
}

static bool is_meant(const struct report_leg *leg, const struct legs_view *view)
{
	return !view->glob || fnmatch(view->glob, leg->name, 0) == 0;
}

struct error *legs_check_glob(const struct tables *tables,
			      const struct legs_view *view)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		if (is_meant(&tables->legs[i], view))
			return NULL;
	return error_create(ERROR_NOT_FOUND,
			    tables->leg_count
				    ? "no leg is called `%s'; `print legs' has "
				      "all"
				    : "no leg is called `%s': there are no "
				      "legs",
			    view->glob);
}

static size_t count_rows(const struct tables *tables,
			 const struct legs_view *view)
{
	size_t count = tables->leg_count;

	for (size_t i = 0; view->by_process && i < tables->leg_count; i++)
		count += tables->legs[i].share_count;
	return count;
}

/* Leaves out the nodes that were never reached. A node whose condition could
 * not be evaluated stays, because its row tells the user about the errors. */
static void select_nodes(const struct tables *tables,
			 const struct legs_view *view,
			 struct legs_selection *out)
{
	size_t count = 0;

	if (!view->only_executed)
		return;
	out->nodes = xcalloc(tables->node_count + 1, sizeof(*out->nodes));
	for (size_t i = 0; i < tables->node_count; i++) {
		const struct measure_node *node = tables->nodes[i].stats;

		if (node->count || node->errors)
			out->nodes[count++] = tables->nodes[i];
	}
	out->unreached = tables->node_count - count;
	out->tables.nodes = out->nodes;
	out->tables.node_count = count;
}

void legs_select(const struct tables *tables, const struct legs_view *view,
		 struct legs_selection *out)
{
	size_t count = 0;

	*out = (struct legs_selection){.tables = *tables};
	out->legs = xcalloc(count_rows(tables, view) + 1, sizeof(*out->legs));
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *leg = &tables->legs[i];

		if (!is_meant(leg, view))
			continue;
		if (view->only_executed && !leg->stats->count)
			out->unexecuted++;
		else
			count += select_leg(leg, view, &out->legs[count]);
	}
	if (view->sort)
		qsort_r(out->legs, count, sizeof(*out->legs), compare_legs,
			(void *)view);
	out->tables.legs = out->legs;
	out->tables.leg_count =
		view->top && view->top < count ? view->top : count;
	out->beyond = count - out->tables.leg_count;
	select_nodes(tables, view, out);
}

void legs_selection_deinit(struct legs_selection *selection)
{
	free(selection->legs);
	free(selection->nodes);
	*selection = (struct legs_selection){0};
}
