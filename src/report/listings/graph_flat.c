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
#include "report/text/text.h"

VEC_STRUCT(entry_list, uint32_t);

/* The widths that gprof's columns have, unless a figure is wider. */
#define CUMULATIVE_WIDTH 10
#define FIGURE_WIDTH 8

struct flat_form {
	struct time_unit per_call;
	int cumulative, self, calls, each;
};

static uint64_t calls_of(const struct graph_entry *entry)
{
	return entry->called + entry->recursive;
}

/* ns */
static double self_per_call(const struct graph_entry *entry)
{
	return (double)entry->self / (double)calls_of(entry);
}

static double total_per_call(const struct graph_entry *entry)
{
	return (double)entry->elapsed / (double)calls_of(entry);
}

static bool is_listed(const struct graph_entry *entry)
{
	return entry->kind != GRAPH_CYCLE && (entry->self || calls_of(entry));
}

static int own_time_order(const void *a, const void *b, void *graph)
{
	const struct graph_entry *entries =
		((const struct call_graph *)graph)->entries.data;
	const uint32_t at = *(const uint32_t *)a, other = *(const uint32_t *)b;
	const struct graph_entry *left = &entries[at], *right = &entries[other];

	if (left->self != right->self)
		return left->self > right->self ? -1 : 1;
	if (calls_of(left) != calls_of(right))
		return calls_of(left) > calls_of(right) ? -1 : 1;
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

		if (is_listed(entry) && calls_of(entry) && entry->self > 0 &&
		    entry->self >= graph->total / 100 &&
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

/* Returns the time of a call in the unit, which the caller frees. */
static char *call_cell(double ns, const struct time_unit *unit)
{
	const double time = ns / unit->size;
	const int decimals = decimals_of(time);
	char *text = xasprintf("%.*f", decimals, time);

	/* A time that is rounded to 0 has no sign. */
	if (strtod(text, NULL) == 0) {
		free(text);
		text = xasprintf("%.*f", 2, 0.);
	}
	return text;
}

static void widen(int *width, int needed)
{
	if (needed > *width)
		*width = needed;
}

static void widen_for(struct flat_form *form, double ns)
{
	CLEANUP(free_pointer) char *cell = call_cell(ns, &form->per_call);

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

		if (!is_listed(entry) || !calls_of(entry))
			continue;
		widen(&form.calls,
		      snprintf(NULL, 0, "%" PRIu64, calls_of(entry)));
		widen_for(&form, self_per_call(entry));
		widen_for(&form, total_per_call(entry));
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

static void put_calls(const struct graph_entry *entry,
		      const struct flat_form *form, struct str *out)
{
	CLEANUP(free_pointer)
	char *self = call_cell(self_per_call(entry), &form->per_call);
	CLEANUP(free_pointer)
	char *total = call_cell(total_per_call(entry), &form->per_call);

	str_printf(out, " %*" PRIu64 " %*s %*s  ", form->calls, calls_of(entry),
		   form->each, self, form->each, total);
}

static void put_row(struct graph_page *page, const struct flat_form *form,
		    uint32_t index, int64_t cumulative, struct str *out)
{
	const struct call_graph *graph = page->report->graph;
	const struct graph_entry *entry = &graph->entries.data[index];
	const double part = graph->total > 0 ? 100 * (double)entry->self /
						       (double)graph->total
					     : 0;
	const size_t before =
		(size_t)(5 + 1 + form->cumulative + 1 + form->self + 1 +
			 form->calls + 1 + form->each + 1 + form->each + 2);

	str_printf(out, "%5.1f %*.2f %*.2f",
		   part > -0.05 && part < 0 ? 0 : part, form->cumulative,
		   in_unit(cumulative, &page->unit), form->self,
		   in_unit(entry->self, &page->unit));
	if (calls_of(entry))
		put_calls(entry, form, out);
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
		cumulative += graph->entries.data[list.data[i]].self;
		put_row(page, &form, list.data[i], cumulative, out);
	}
	vec_free(&list);
}
