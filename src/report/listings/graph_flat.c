/*
 * graph_flat.c - the flat profile that follows a call graph: procedures in the
 * order of their own time
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_page.h"
#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

VEC_STRUCT(entry_list, uint32_t);

/* The widths that gprof's columns have, unless a figure is wider. */
#define CUMULATIVE_WIDTH 10
#define FIGURE_WIDTH 8

struct flat_form {
	struct time_unit per_call;
	int cumulative, self, calls, each;
};

/* ns */
static double self_per_call(const struct graph_entry *entry)
{
	return (double)entry->self / (double)graph_calls(entry);
}

static bool is_listed(const struct graph_entry *entry)
{
	return entry->kind != GRAPH_CYCLE &&
	       (entry->self || graph_calls(entry));
}

static int own_time_order(const void *a, const void *b, void *graph)
{
	const struct graph_entry *entries =
		((const struct call_graph *)graph)->entries.data;
	const uint32_t at = *(const uint32_t *)a, other = *(const uint32_t *)b;
	const struct graph_entry *left = &entries[at], *right = &entries[other];

	if (left->self != right->self)
		return left->self > right->self ? -1 : 1;
	if (graph_calls(left) != graph_calls(right))
		return graph_calls(left) > graph_calls(right) ? -1 : 1;
	return (at > other) - (at < other);
}

static void find_entries(const struct call_graph *graph,
			 struct entry_list *list)
{
	for (uint32_t i = 0; i < graph->entries.count; i++) {
		if (is_listed(&graph->entries.data[i]))
			vec_push(list, i);
	}
	if (list->count)
		qsort_r(list->data, list->count, sizeof(*list->data),
			own_time_order, (void *)graph);
}

/* The unit in which the shortest call has two digits or more. Procedures with
 * less than a hundredth of the time are not asked. */
static struct time_unit per_call_unit(const struct call_graph *graph)
{
	double least = 1e6;

	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (is_listed(entry) && graph_calls(entry) && entry->self > 0 &&
		    entry->self >= graph->whole / 100 &&
		    self_per_call(entry) < least)
			least = self_per_call(entry);
	}
	if (least >= 1e5)
		return (struct time_unit){.size = 1e6, .name = "ms/call"};
	if (least >= 1e2)
		return (struct time_unit){.size = 1e3, .name = "us/call"};
	return (struct time_unit){.size = 1, .name = "ns/call"};
}

/* The digits behind the point: two, as gprof has; or of a time that would have
 * less than two digits then, as many as it takes to show three. */
static int decimals_of(double time)
{
	int decimals = 2;

	time = fabs(time);
	if (time >= 0.095 || time < 1e-6)
		return decimals;
	while (time < 0.9995) {
		time *= 10;
		decimals++;
	}
	return decimals;
}

/* Returns the time of a call in the unit, or an upper bound of it, which the
 * caller frees. */
static char *call_cell(const struct graph_page *page,
		       const struct graph_entry *entry, bool with_children,
		       const struct time_unit *unit)
{
	const double calls = (double)graph_calls(entry);
	const struct call_bound bound =
		graph_bound(page, entry, graph_calls(entry));
	const struct time_error *error =
		with_children ? &bound.total : &bound.self;
	const int64_t all = with_children ? entry->elapsed : entry->self;
	const double most = time_bound((double)all, error->bound);
	const bool is_bound = is_below_bound(all, most, error->inside);
	const double time =
		(is_bound ? most : (double)all) / calls / unit->size;

	/* A time that is rounded to 0 has two digits, too. */
	return xasprintf("%s%.*f", is_bound ? "<" : "",
			 time < 5e-7 ? 2 : decimals_of(time), time);
}

static void widen(int *width, int needed)
{
	if (needed > *width)
		*width = needed;
}

static void widen_for(const struct graph_page *page, struct flat_form *form,
		      const struct graph_entry *entry, bool with_children)
{
	CLEANUP(free_pointer)
	char *cell = call_cell(page, entry, with_children, &form->per_call);

	widen(&form->each, (int)strlen(cell));
}

static struct flat_form form_of(const struct graph_page *page)
{
	const struct call_graph *graph = page->report->graph;
	struct flat_form form = {.per_call = per_call_unit(graph),
				 .cumulative = CUMULATIVE_WIDTH,
				 .self = FIGURE_WIDTH,
				 .calls = FIGURE_WIDTH,
				 .each = FIGURE_WIDTH};

	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (!is_listed(entry) || !graph_calls(entry))
			continue;
		widen(&form.calls,
		      snprintf(NULL, 0, "%" PRIu64, graph_calls(entry)));
		widen_for(page, &form, entry, false);
		widen_for(page, &form, entry, true);
	}
	return form;
}

static void put_heading(const struct graph_page *page,
			const struct flat_form *form, struct str *out)
{
	const int each = form->each;

	/* As in gprof, the words are a little to the left of the ends of their
	 * columns. */
	str_printf(out, "  %%%*s%*s%*s%*s\n", form->cumulative + 3,
		   "cumulative", form->self - 1, "self", form->calls + each + 2,
		   "self", each + 2, "total");
	str_printf(out, " time%*s%*s%*s%*s%*s  name\n", form->cumulative,
		   page->unit.name, form->self + 2, page->unit.name,
		   form->calls + 1, "calls", each + 1, form->per_call.name,
		   each + 1, form->per_call.name);
}

static void put_calls(const struct graph_page *page,
		      const struct graph_entry *entry,
		      const struct flat_form *form, struct str *out)
{
	CLEANUP(free_pointer)
	char *self = call_cell(page, entry, false, &form->per_call);
	CLEANUP(free_pointer)
	char *total = call_cell(page, entry, true, &form->per_call);

	str_printf(out, " %*" PRIu64 " %*s %*s  ", form->calls,
		   graph_calls(entry), form->each, self, form->each, total);
}

static void put_row(struct graph_page *page, const struct flat_form *form,
		    uint32_t index, int64_t cumulative, struct str *out)
{
	const struct call_graph *graph = page->report->graph;
	const struct graph_entry *entry = &graph->entries.data[index];
	const struct call_bound bound =
		graph_bound(page, entry, graph_calls(entry));
	const double part =
		graph->whole > 0 && entry->self > 0
			? 100 * (double)entry->self / (double)graph->whole
			: 0;
	const size_t before =
		(size_t)(5 + 1 + form->cumulative + 1 + form->self + 1 +
			 form->calls + 1 + form->each + 1 + form->each + 2);

	str_printf(out, "%5.1f %*.2f ", part, form->cumulative,
		   in_unit(cumulative, &page->unit));
	graph_put_time(page, entry->self, &bound.self, form->self, out);
	if (graph_calls(entry))
		put_calls(page, entry, form, out);
	else
		str_printf(out, " %*s %*s %*s  ", form->calls, "", form->each,
			   "", form->each, "");
	graph_put_name(page, index, before, out);
}

void graph_put_flat(struct graph_page *page, struct str *out)
{
	const struct call_graph *graph = page->report->graph;
	const struct flat_form form = form_of(page);
	struct entry_list list = {0};
	int64_t cumulative = 0;

	text_title("Flat profile", page->options->color, out);
	str_append_char(out, '\n');
	graph_put_granularity(page, out);
	str_append_char(out, '\n');
	put_heading(page, &form, out);
	find_entries(graph, &list);
	for (size_t i = 0; i < list.count; i++) {
		const int64_t self = graph->entries.data[list.data[i]].self;

		cumulative += self > 0 ? self : 0;
		put_row(page, &form, list.data[i], cumulative, out);
	}
	vec_free(&list);
}
