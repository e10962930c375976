/*
 * graph_listing.c - see perftool/report/graph_listing.h
 *
 * This file has the entries, each with its parents above and its children
 * below.
 */
#include "perftool/report/graph_listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "graph_page.h"
#include "perftool/base/alloc.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

static const char description[] =
	"Each entry is about the procedure whose line begins with a number in "
	"brackets.\n"
	"The lines above it are its parents, which called it. Those below are "
	"its\n"
	"children, which it called. Entries are in the order of their time, "
	"which is\n"
	"that of the procedure itself and of its descendants. Times of calls "
	"are\n"
	"measured, from the entry of each call to its end, waits included; "
	"with by=cpu\n"
	"without them. <0.05 is a time of which no more is known.\n"
	"\n"
	"index        the number of the entry, which follows each name\n"
	"%time        the entry's part of the whole time, descendants "
	"included\n"
	"%cpu         which part of the entry's time the threads were on a "
	"CPU, "
	"where\n"
	"             that is known and times are the elapsed ones\n"
	"self         the time in the procedure itself. Of a parent: as far as "
	"that\n"
	"             parent called it. Of a child: the child's own time, as "
	"far as\n"
	"             this procedure called it\n"
	"descendents  the time in what it called; of parents and children "
	"likewise\n"
	"called       how often it was called; after a +, how often by itself. "
	"Of a\n"
	"             parent: how often by that one, of all calls by others. "
	"Of "
	"a\n"
	"             child: how often by this procedure, of all calls by "
	"others\n"
	"\n"
	"Procedures that call each other in a circle are a cycle. A cycle has "
	"an entry\n"
	"as a whole, below which its members are. Calls inside it have a count "
	"only.\n"
	"<spontaneous> stands for callers that are not known. The flat profile "
	"that\n"
	"follows has the procedures in the order of their own time, and the "
	"index has\n"
	"them by name.\n"
	"\n";

/* ---- one line ------------------------------------------------------------ */

/* Where the name of a parent or child begins. */
static size_t indentation(const struct graph_page *page)
{
	return (size_t)(page->index + 1 + 5 + page->cpu + 1 + page->time + 1 +
			page->descendants + 1 + page->count + 1 + page->count +
			5);
}

static const struct graph_entry *entry_at(const struct graph_page *page,
					  uint32_t index)
{
	return &page->report->graph->entries.data[index];
}

/* The calls of an entry from outside, which the counts of its parents add up
 * to: for a member of a cycle those of the cycle. */
static uint64_t calls_from_outside(const struct graph_page *page,
				   const struct graph_entry *entry)
{
	if (entry->cycle)
		entry = entry_at(page, page->cycles[entry->cycle - 1]);
	return entry->called;
}

static bool is_from_outside(const struct graph_line *line)
{
	return line->kind == GRAPH_CALL || line->kind == GRAPH_SPONTANEOUS;
}

/* `callee` is the entry whose times they are. */
static void put_times(const struct graph_page *page,
		      const struct graph_line *line,
		      const struct graph_entry *callee, struct str *out)
{
	struct call_bound bound = {0};

	if (callee && is_from_outside(line))
		bound = graph_bound_from_outside(
			page, callee, line->count,
			calls_from_outside(page, callee));
	else if (callee)
		bound = graph_bound(page, callee, line->count);
	str_printf(out, "%*s %5s%*s ", page->index, "", "", page->cpu, "");
	if (line->kind == GRAPH_INNER_CALL) {
		str_printf(out, "%*s %*s", page->time, "", page->descendants,
			   "");
		return;
	}
	graph_put_time(page, line->self, &bound.self, page->time, out);
	str_append_char(out, ' ');
	graph_put_time(page, line->descendants, &bound.total, page->descendants,
		       out);
}

/* Append the count of a line about calls of `callee`. */
static void put_calls(const struct graph_page *page,
		      const struct graph_line *line,
		      const struct graph_entry *callee, struct str *out)
{
	const bool has_total = is_from_outside(line);

	if (!callee || !callee->is_counted)
		str_printf(out, " %*s %*s     ", page->count, "", page->count,
			   "");
	else if (has_total)
		str_printf(out, " %*" PRIu64 "/%-*" PRIu64 "     ", page->count,
			   line->count, page->count,
			   calls_from_outside(page, callee));
	else
		str_printf(out, " %*" PRIu64 " %*s     ", page->count,
			   line->count, page->count, "");
}

/* Append the line of a procedure or a member: its own count of calls. The mark
 * of calls that have not returned is behind it. */
static void put_own_calls(const struct graph_page *page,
			  const struct graph_entry *entry, struct str *out)
{
	const char *mark = entry->unreturned ? "~" : "";
	CLEANUP(free_pointer) char *behind = NULL;

	if (!entry->is_counted) {
		str_printf(out, " %*s %*s ", page->count, "", page->count, "");
		return;
	}
	behind = entry->recursive
			 ? xasprintf("+%" PRIu64 "%s", entry->recursive, mark)
			 : xstrdup(mark);
	str_printf(out, " %*" PRIu64 "%-*s", page->count, entry->called,
		   page->count + 2, behind);
}

/* Is the line of open calls, or of what is beyond the limit, about nothing but
 * the rounding of times? */
static bool is_rounding(const struct graph_page *page,
			const struct graph_entry *entry,
			const struct graph_line *line, bool is_parent)
{
	const bool is_only = is_parent && entry->parents == 1;

	return (line->kind == GRAPH_OPEN || line->kind == GRAPH_BEYOND) &&
	       !is_only &&
	       in_unit(line->self + line->descendants, &page->unit) == 0;
}

static void put_line(struct graph_page *page, const struct graph_entry *entry,
		     const struct graph_line *line, bool is_parent,
		     struct str *out)
{
	const bool names = line->kind == GRAPH_CALL ||
			   line->kind == GRAPH_INNER_CALL ||
			   line->kind == GRAPH_MEMBER;
	const struct graph_entry *callee = is_parent ? entry : NULL;

	if (is_rounding(page, entry, line, is_parent))
		return;
	if (!is_parent && names)
		callee = entry_at(page, line->entry);
	put_times(page, line, callee, out);
	switch (line->kind) {
	case GRAPH_CALL:
	case GRAPH_INNER_CALL:
		put_calls(page, line, callee, out);
		graph_put_name(page, line->entry, indentation(page), out);
		break;
	case GRAPH_MEMBER:
		put_own_calls(page, entry_at(page, line->entry), out);
		str_append(out, "    ");
		graph_put_name(page, line->entry, indentation(page), out);
		break;
	case GRAPH_SPONTANEOUS:
		put_calls(page, line, callee, out);
		str_append(out, "<spontaneous>\n");
		break;
	case GRAPH_OPEN:
		put_calls(page, line, NULL, out);
		str_append(out, "<open>\n");
		break;
	case GRAPH_BEYOND:
		put_calls(page, line, NULL, out);
		str_append(out, "<other>\n");
		break;
	}
}

/* ---- entries ------------------------------------------------------------- */

/* A time below 0, of which nothing is known, is 0 percent. */
static double percentage(int64_t part, int64_t whole)
{
	return whole > 0 && part > 0 ? 100 * (double)part / (double)whole : 0;
}

/* Append which part of the entry's time was on a CPU, or its upper bound; or a
 * dash if nothing is known. */
static void put_cpu(const struct graph_page *page,
		    const struct graph_entry *entry,
		    const struct time_error *error, struct str *out)
{
	const double most = time_bound((double)entry->cpu, error->bound);
	const bool is_bound = is_below_bound(entry->cpu, most, error->inside);
	const double part = is_bound ? most : (double)entry->cpu;
	const int64_t whole = graph_entry_time(entry);
	CLEANUP(free_pointer) char *cell = NULL;

	if (!page->cpu)
		return;
	if (whole > 0 && part < (double)whole)
		cell = xasprintf("%s%.1f", is_bound ? "<" : "",
				 100 * part / (double)whole);
	else
		cell = xstrdup(is_bound || whole <= 0 ? "-" : "100.0");
	str_printf(out, "%*s", page->cpu, cell);
}

static void put_entry_line(struct graph_page *page, uint32_t index,
			   struct str *out)
{
	const struct graph_entry *entry = entry_at(page, index);
	const struct call_bound bound =
		graph_bound(page, entry, graph_calls(entry));
	CLEANUP(free_pointer)
	char *number = xasprintf("[%" PRIu32 "]", index + 1);

	str_printf(out, "%-*s %5.1f", page->index, number,
		   percentage(graph_entry_time(entry),
			      page->report->graph->whole));
	put_cpu(page, entry, &bound.total, out);
	str_append_char(out, ' ');
	graph_put_time(page, entry->self, &bound.self, page->time, out);
	str_append_char(out, ' ');
	graph_put_time(page, entry->descendants, &bound.total,
		       page->descendants, out);
	put_own_calls(page, entry, out);
	graph_put_name(page, index, indentation(page) - 4, out);
}

static void put_dashes(struct str *out)
{
	str_append(out, "-----------------------------------------------\n");
}

static void put_entry(struct graph_page *page, uint32_t index, struct str *out)
{
	const struct graph_entry *entry = entry_at(page, index);
	const struct graph_line *lines =
		page->report->graph->lines.data + entry->first_line;

	for (size_t i = 0; i < entry->parents; i++)
		put_line(page, entry, &lines[i], true, out);
	if (!entry->parents)
		str_printf(out, "%*s<spontaneous>\n", (int)indentation(page),
			   "");
	put_entry_line(page, index, out);
	for (size_t i = 0; i < entry->children; i++)
		put_line(page, entry, &lines[entry->parents + i], false, out);
	put_dashes(out);
}

static void put_heading(struct graph_page *page, struct str *out)
{
	/* "called/total", whose slash is where that of the counts is */
	const int slash = page->index + 1 + 5 + page->cpu + 1 + page->time + 1 +
			  page->descendants + 1 + page->count;

	str_printf(out, "%*s/total%*sparents\n", slash, "called",
		   page->count - 5 + 5, "");
	str_printf(out, "%-*s %5s%*s %*s %*s %*s+self%*sname    index\n",
		   page->index, "index", "%time", page->cpu,
		   page->cpu ? "%cpu" : "", page->time, "self",
		   page->descendants, "descendents", page->count, "called",
		   page->count - 4 + 1, "");
	str_printf(out, "%*s/total%*schildren\n", slash, "called",
		   page->count - 5 + 5, "");
	put_dashes(out);
}

static bool is_any_unreturned(const struct call_graph *graph)
{
	for (size_t i = 0; i < graph->entries.count; i++)
		if (graph->entries.data[i].unreturned)
			return true;
	return false;
}

/* Say what the times do not have. */
static void put_remarks(const struct graph_page *page, struct str *out)
{
	const struct call_graph *graph = page->report->graph;

	if (!graph->is_counted) {
		str_append(out, "No calls were counted: times are those of "
				"ticks alone, and there are no counts\n"
				"(`profile calls` counts).\n");
		return;
	}
	if (graph->ticks_uncounted) {
		report_number((__int128)graph->ticks_uncounted, out);
		str_append(out, " of ");
		report_number((__int128)graph->ticks, out);
		str_append(out, " ticks were in functions whose calls were not "
				"counted. Their\ntime is that of the counted "
				"functions that called them; `print flat` has "
				"them.\n");
	}
	if (graph->ticks > graph->ticks_below) {
		str_append(out, "Procedures without counts have the times of "
				"their ticks, ");
		report_duration((double)page->report->tick, out);
		str_append(out, " each.\n");
	}
	if (is_any_unreturned(graph))
		str_append(out, "~ Some of the calls ended without a return: "
				"by longjmp, by an exception, with\n"
				"their thread.\n");
	if (graph->beyond_limit)
		str_append(out, "There were more arcs than `profile arcs` "
				"allows. The others are <other>, and\n"
				"counts of the procedures they belong to are "
				"too small.\n");
}

void report_graph_text(const struct graph_report *report,
		       const struct report_options *options, struct str *out)
{
	const struct call_graph *graph = report->graph;
	struct graph_page page;

	if (!graph->entries.count) {
		str_append(out, "No calls and no ticks.\n");
		return;
	}
	graph_page_init(&page, report, options);
	if (report->describes)
		str_append(out, description);
	text_title("Call graph", options->color, out);
	str_append_char(out, '\n');
	graph_put_granularity(&page, out);
	put_remarks(&page, out);
	str_append_char(out, '\n');
	put_heading(&page, out);
	for (uint32_t i = 0; i < graph->entries.count; i++)
		put_entry(&page, i, out);
	str_append_char(out, '\n');
	graph_put_flat(&page, out);
	str_append_char(out, '\n');
	graph_put_index(&page, out);
	if (page.is_cut)
		labels_cut_note(options, out);
	graph_page_deinit(&page);
}
