/*
 * legs_section.c - the table of legs of the report page
 */
#include <math.h>
#include <stdlib.h>

#include "page.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/pictures/pictures.h"

/* A table of more legs scrolls by itself, so that the rest of the page is near.
 */
#define LONG_TABLE 60
#define LONGEST_NAME 120 /* characters of a name in a table */
/* So many names of legs are listed that were never executed. */
#define UNEXECUTED_NAMED 300

/* ---- the order ------------------------------------------------------------
 */

/* The largest total is first; what was never executed is last. */
static int compare_legs(const void *a_, const void *b_)
{
	const struct measure_leg *a =
		(*(const struct report_leg *const *)a_)->stats;
	const struct measure_leg *b =
		(*(const struct report_leg *const *)b_)->stats;

	if (!a->count != !b->count)
		return a->count ? -1 : 1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

void rank_legs(const struct tables *tables, struct ranked_legs *out)
{
	*out = (struct ranked_legs){
		.list = xcalloc(tables->leg_count + 1, sizeof(*out->list))};
	for (size_t i = 0; i < tables->leg_count; i++) {
		out->list[i] = &tables->legs[i];
		if (tables->legs[i].stats->count)
			out->count++;
		else
			out->unexecuted++;
	}
	if (tables->leg_count)
		qsort(out->list, tables->leg_count, sizeof(*out->list),
		      compare_legs);
}

void ranked_legs_deinit(struct ranked_legs *legs)
{
	free(legs->list);
}

/* ---- cells ----------------------------------------------------------------
 */

static void time_cell(double ns, struct str *out)
{
	struct str text = {0};

	picture_time(ns, &text);
	html_cell(ns, str_text(&text), out);
	str_deinit(&text);
}

static void bound_cell(double ns, struct str *out)
{
	struct str text = {0};

	str_append(&text, "&lt; ");
	picture_time(ns, &text);
	html_cell(ns, str_text(&text), out);
	str_deinit(&text);
}

static void empty_cell(struct str *out)
{
	html_cell(NAN, "\xe2\x80\x93", out);
}

static void total_cells(const struct tables *tables,
			const struct report_leg *leg, struct str *out)
{
	const double elapsed = (double)tables->summary.elapsed;
	double bound, total = (double)leg->stats->total;
	struct str text = {0};

	if (leg_total_is_bound(leg, &bound)) {
		bound_cell(bound, out);
		total = bound;
		str_append(&text, "&lt; ");
	} else {
		time_cell(total, out);
	}
	str_printf(&text, "%.1f", elapsed > 0 ? 100 * total / elapsed : 0);
	html_cell(elapsed > 0 ? total / elapsed : NAN, str_text(&text), out);
	str_deinit(&text);
}

static void mean_cell(const struct report_leg *leg, struct str *out)
{
	if (leg->below_resolution)
		bound_cell(leg->resolution, out);
	else
		time_cell(leg->stats->mean, out);
}

static void quantile_cell(const struct measure_leg *leg, double q,
			  struct str *out)
{
	double value;

	if (measure_leg_quantile(leg, q, &value))
		time_cell(value, out);
	else
		empty_cell(out);
}

static void max_cell(const struct measure_leg *leg, struct str *out)
{
	if (leg->count > leg->interrupted)
		time_cell((double)leg->max, out);
	else
		empty_cell(out);
}

/* Which part of the leg's time its thread was on no CPU. */
static void waiting_cell(const struct report_leg *leg, struct str *out)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);
	double all = (double)cpu.cpu + (double)cpu.waiting;
	double part = all > 0 ? 100 * (double)cpu.waiting / all : 0;
	struct str text = {0};

	if (!cpu.count) {
		empty_cell(out);
		return;
	}
	part = fmin(fmax(part, 0), 100);
	str_printf(&text, "%.0f", part);
	html_cell(part, str_text(&text), out);
	str_deinit(&text);
}

/* ---- the table ------------------------------------------------------------
 */

static bool is_any_made(const struct tables *tables)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		if (tables->legs[i].made_by)
			return true;
	return false;
}

static void put_head(bool made, struct str *out)
{
	str_append(out,
		   "<thead><tr><th scope=\"col\" class=\"text\">Leg</th>"
		   "<th scope=\"col\">Count</th><th scope=\"col\">Total</th>"
		   "<th scope=\"col\">% of time</th>"
		   "<th scope=\"col\">Mean</th>"
		   "<th scope=\"col\">p50</th>"
		   "<th scope=\"col\">p90</th>"
		   "<th scope=\"col\">p99</th>"
		   "<th scope=\"col\">Longest</th>"
		   "<th scope=\"col\">Waiting %</th>");
	if (made)
		str_append(out, "<th scope=\"col\" class=\"text\">"
				"Made by</th>");
	str_append(out, "</tr></thead>\n");
}

static void put_row(const struct tables *tables, const struct report_leg *leg,
		    bool has_section, bool made, struct str *out)
{
	const struct measure_leg *stats = leg->stats;
	struct str text = {0};

	str_append(out, "<tr><td class=\"text\">");
	if (has_section)
		str_printf(out, "<a href=\"#leg%u\">", stats->id);
	html_name(leg->name ? leg->name : "", LONGEST_NAME, out);
	str_append(out, has_section ? "</a></td>" : "</td>");
	report_number(stats->count, &text);
	if (measure_leg_is_marked(stats))
		str_append(&text, "~");
	html_cell((double)stats->count, str_text(&text), out);
	str_deinit(&text);
	total_cells(tables, leg, out);
	mean_cell(leg, out);
	quantile_cell(stats, 0.5, out);
	quantile_cell(stats, 0.9, out);
	quantile_cell(stats, 0.99, out);
	max_cell(stats, out);
	waiting_cell(leg, out);
	if (made)
		str_printf(out, "<td class=\"text\">%s</td>",
			   leg->made_by ? leg->made_by : "user");
	str_append(out, "</tr>\n");
}

/* What the marks in the table mean, if there are any. */
static void put_notes(const struct tables *tables,
		      const struct ranked_legs *legs, struct str *out)
{
	bool marked = false, bounded = false;
	struct str cpu = {0};

	for (size_t i = 0; i < legs->count; i++) {
		marked |= measure_leg_is_marked(legs->list[i]->stats);
		bounded |= legs->list[i]->below_resolution;
	}
	if (marked)
		str_append(out,
			   "<p class=\"hint\">~ Some arrivals at the ends "
			   "of the leg belong to no execution, or the "
			   "program was stopped during some executions; "
			   "the leg\xe2\x80\x99s own part says which.</p>\n");
	if (bounded)
		str_append(out, "<p class=\"hint\">&lt; The time is smaller "
				"than the uncertainty of the cost that was "
				"subtracted, so that only this bound is "
				"known.</p>\n");
	cpu_notes(tables, &cpu);
	if (cpu.length) {
		str_append(out, "<p class=\"hint\">");
		html_block(str_text(&cpu), out);
		str_append(out, "</p>\n");
	}
	str_deinit(&cpu);
	if (legs->count > PAGE_LEGS) {
		str_printf(out,
			   "<p class=\"hint\">The %d legs with the "
			   "largest totals have a figure below; ",
			   PAGE_LEGS);
		report_number((__int128)(legs->count - PAGE_LEGS), out);
		str_append(out, " others are in this table only.</p>\n");
	}
}

static void put_unexecuted(const struct ranked_legs *legs, struct str *out)
{
	size_t named = legs->unexecuted < UNEXECUTED_NAMED ? legs->unexecuted
							   : UNEXECUTED_NAMED;

	if (!legs->unexecuted)
		return;
	str_append(out, "<details><summary>");
	html_count(legs->unexecuted, "leg", out);
	str_printf(out, " %s never executed</summary><p class=\"names\">",
		   legs->unexecuted == 1 ? "was" : "were");
	for (size_t i = 0; i < named; i++) {
		str_append(out, i ? ", " : "");
		html_name(legs->list[legs->count + i]->name
				  ? legs->list[legs->count + i]->name
				  : "",
			  60, out);
	}
	if (named < legs->unexecuted) {
		str_append(out, " and ");
		report_number((__int128)(legs->unexecuted - named), out);
		str_append(out, " more");
	}
	str_append(out, "</p></details>\n");
}

void legs_section(const struct report_page *page,
		  const struct ranked_legs *legs, struct str *out)
{
	const struct tables *tables = page->tables;
	bool made = is_any_made(tables);

	str_append(out, "<section id=\"all-legs\"><h2>Legs</h2>\n");
	if (!tables->leg_count) {
		str_append(out, "<p>No legs were measured. A leg is the code "
				"between two places; <code>time FUNCTION"
				"</code> makes one of a function.</p>\n"
				"</section>\n");
		return;
	}
	str_append(out, "<p class=\"hint\">A leg is the code between two "
			"places in the program. Times of legs that lie inside "
			"one another overlap.</p>\n");
	if (legs->count) {
		str_append(out, "<p class=\"filter\" hidden=\"hidden\">"
				"<label for=\"filter\">Only names with</label> "
				"<input id=\"filter\" type=\"search\" "
				"spellcheck=\"false\"/> "
				"<span id=\"found\" role=\"status\"></span>"
				"</p>\n");
		str_append(out, legs->count > LONG_TABLE
					? "<div class=\"wide long\">"
					: "<div class=\"wide\">");
		str_append(out, "<table id=\"legs\">");
		put_head(made, out);
		str_append(out, "<tbody>\n");
		for (size_t i = 0; i < legs->count; i++)
			put_row(tables, legs->list[i], i < PAGE_LEGS, made,
				out);
		str_append(out, "</tbody></table></div>\n");
		put_notes(tables, legs, out);
	}
	put_unexecuted(legs, out);
	str_append(out, "</section>\n");
}
