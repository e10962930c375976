/* graph_page.c - see graph_page.h */
#include "graph_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

/* The widths that gprof's columns have, unless a figure is wider. */
#define INDEX_WIDTH 6
#define TIME_WIDTH 7
#define DESCENDANTS_WIDTH 11
#define COUNT_WIDTH 7
/* of the column that gprof does not have */
#define CPU_WIDTH 6
/* The least number of characters to which names are cut. */
#define LEAST_NAME 12

/* Which unit gives the whole time at least five digits. */
static struct time_unit unit_for(int64_t total)
{
	if (total >= 10000000000)
		return (struct time_unit){.size = 1e9, .name = "seconds"};
	if (total >= 10000000)
		return (struct time_unit){.size = 1e6, .name = "ms"};
	return (struct time_unit){.size = 1e3, .name = "us"};
}

static void widen(int *width, int needed)
{
	if (needed > *width)
		*width = needed;
}

static int time_width(int64_t ns, const struct time_unit *unit)
{
	return snprintf(NULL, 0, "%.2f", in_unit(ns, unit));
}

static int count_width(uint64_t count)
{
	return snprintf(NULL, 0, "%" PRIu64, count);
}

static void find_widths(struct graph_page *page)
{
	const struct call_graph *graph = page->report->graph;

	page->time = TIME_WIDTH;
	page->descendants = DESCENDANTS_WIDTH;
	page->count = COUNT_WIDTH;
	page->index = INDEX_WIDTH;
	page->cpu = page->report->has_cpu ? CPU_WIDTH : 0;
	/* the brackets, and the blank behind them */
	widen(&page->index, count_width(graph->entries.count) + 3);
	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		widen(&page->time, time_width(entry->self, &page->unit));
		widen(&page->descendants,
		      time_width(entry->descendants, &page->unit));
		widen(&page->count, count_width(entry->called));
		widen(&page->count,
		      count_width(entry->recursive) + (entry->unreturned != 0));
	}
}

static void find_cycles(struct graph_page *page)
{
	const struct call_graph *graph = page->report->graph;

	page->cycles = xcalloc(graph->entries.count + 1, sizeof(*page->cycles));
	for (uint32_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind == GRAPH_CYCLE)
			page->cycles[entry->cycle - 1] = i;
	}
}

static char *name_of(const struct procedure_labels *labels,
		     const struct graph_entry *entry)
{
	char *label, *name;

	switch (entry->kind) {
	case GRAPH_CYCLE:
		return xasprintf("<cycle %" PRIu32 " as a whole>",
				 entry->cycle);
	case GRAPH_OTHER:
		return xstrdup("<other>");
	case GRAPH_UNKNOWN:
		return xstrdup("<unknown>");
	case GRAPH_PROCEDURE:
		break;
	}
	label = procedure_label(labels, entry->procedure);
	if (!entry->cycle)
		return label;
	name = xasprintf("%s <cycle %" PRIu32 ">", label, entry->cycle);
	free(label);
	return name;
}

static void find_names(struct graph_page *page)
{
	const struct call_graph *graph = page->report->graph;
	struct procedure_labels labels;

	procedure_labels_init(&labels, page->report->procedures);
	page->names = xcalloc(graph->entries.count + 1, sizeof(*page->names));
	for (size_t i = 0; i < graph->entries.count; i++)
		page->names[i] = name_of(&labels, &graph->entries.data[i]);
	procedure_labels_deinit(&labels);
}

void graph_page_init(struct graph_page *page, const struct graph_report *report,
		     const struct report_options *options)
{
	*page = (struct graph_page){.report = report, .options = options};
	page->unit = unit_for(report->graph->whole);
	find_names(page);
	find_widths(page);
	find_cycles(page);
}

void graph_page_deinit(struct graph_page *page)
{
	for (size_t i = 0; i < page->report->graph->entries.count; i++)
		free(page->names[i]);
	free(page->names);
	free(page->cycles);
}

double in_unit(int64_t ns, const struct time_unit *unit)
{
	const double time = (double)ns / unit->size;

	return time < 0.005 ? 0 : time;
}

struct call_bound graph_bound(const struct graph_page *page,
			      const struct graph_entry *entry, uint64_t calls)
{
	const struct call_bound *all = page->report->bounds;
	struct call_bound bound;

	if (!all || !entry->is_counted || entry->kind != GRAPH_PROCEDURE ||
	    !graph_calls(entry))
		return (struct call_bound){0};
	bound = all[entry->procedure];
	/* The descendants of a member of a cycle are functions outside the
	 * cycle. */
	if (entry->cycle)
		bound.total = bound.outside;
	return call_bound_share(&bound,
				(double)calls / (double)graph_calls(entry));
}

struct call_bound graph_bound_from_outside(const struct graph_page *page,
					   const struct graph_entry *entry,
					   uint64_t calls, uint64_t all)
{
	struct call_bound bound = graph_bound(page, entry, calls);

	if (entry->cycle && entry->is_counted && page->report->bounds && all)
		bound.total = call_bound_share(
				      &page->report->bounds[entry->procedure],
				      (double)calls / (double)all)
				      .total;
	return bound;
}

void graph_put_time(const struct graph_page *page, int64_t ns,
		    const struct time_error *bound, int width, struct str *out)
{
	const double most = time_bound((double)ns, bound->bound);
	CLEANUP(free_pointer) char *cell = NULL;

	if (!is_below_bound(ns, most, bound->inside) ||
	    most < page->unit.size / 200) {
		str_printf(out, "%*.2f", width, in_unit(ns, &page->unit));
		return;
	}
	/* rounded up, because it is a bound */
	cell = xasprintf("<%.2f", ceil(most / page->unit.size * 100) / 100);
	str_printf(out, "%*s", width, cell);
}

void graph_put_name(struct graph_page *page, uint32_t entry, size_t before,
		    struct str *out)
{
	const size_t taken = before + (size_t)count_width(entry + 1) + 3;
	size_t width = 0;

	if (page->options->columns > 0) {
		width = LEAST_NAME;
		if ((size_t)page->options->columns > taken + LEAST_NAME)
			width = (size_t)page->options->columns - taken;
	}
	page->is_cut |= label_append(page->names[entry], width, out);
	str_printf(out, " [%" PRIu32 "]\n", entry + 1);
}

void graph_put_granularity(const struct graph_page *page, struct str *out)
{
	const struct graph_report *report = page->report;
	const struct call_graph *graph = report->graph;
	struct str total = {0};

	str_printf(&total, "%.2f %s", in_unit(graph->whole, &page->unit),
		   page->unit.name);
	str_append(out, "granularity: each ");
	if (graph->is_counted) {
		str_append(out, "call was timed; ");
		report_number((__int128)graph->calls, out);
		str_printf(out, " calls, %s%s\n", str_text(&total),
			   report->by_cpu ? " on a CPU" : "");
	} else {
		str_append(out, "tick stands for ");
		report_duration((double)report->tick, out);
		str_append(out, ", ");
		str_printf(out, "%.2f%% of %s\n",
			   graph->whole > 0 ? 100 * (double)report->tick /
						      (double)graph->whole
					    : 0,
			   str_text(&total));
	}
	str_deinit(&total);
}
