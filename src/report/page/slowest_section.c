/*
 * slowest_section.c - the slowest executions of the report page: when they
 * were, and a table of the first of them
 */
#include <inttypes.h>
#include <stdlib.h>

#include "page.h"
#include "perftool/base/alloc.h"
#include "perftool/base/origin.h"
#include "perftool/base/path.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/pictures/pictures.h"
#include "report/records/records.h"

enum {
	MOST_SPANS = 100, /* in the time line */
	MOST_ROWS = 12,   /* legs in it */
	TABLE_ROWS = 20,
	CALLERS = 3, /* that a row of the table names */
};

static const char *leg_name(const struct tables *tables, uint32_t id)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		if (tables->legs[i].stats->id == id)
			return tables->legs[i].name ? tables->legs[i].name : "";
	return "";
}

/* ---- the time line --------------------------------------------------------
 */

struct time_line {
	struct picture_span spans[MOST_SPANS];
	char *titles[MOST_SPANS];
	size_t count;
	uint32_t legs[MOST_ROWS];
	const char *names[MOST_ROWS];
	size_t rows;
};

/* Finds the row of a leg, or adds it. Returns false if there is no room. */
static bool find_row(const struct tables *tables, struct time_line *line,
		     uint32_t leg, size_t *row)
{
	for (size_t i = 0; i < line->rows; i++) {
		if (line->legs[i] == leg) {
			*row = i;
			return true;
		}
	}
	if (line->rows == MOST_ROWS)
		return false;
	line->legs[line->rows] = leg;
	line->names[line->rows] = leg_name(tables, leg);
	*row = line->rows++;
	return true;
}

static char *span_title(const char *name, const struct execution *at)
{
	struct str text = {0};

	str_append(&text, name);
	str_append(&text, ": ");
	picture_time((double)at->duration, &text);
	str_append(&text, " at ");
	picture_time((double)at->start, &text);
	str_printf(&text, ", thread %" PRId32, at->tid);
	return str_take(&text);
}

static void collect(const struct report_page *page, struct time_line *line)
{
	for (size_t i = 0; i < page->slowest_count && line->count < MOST_SPANS;
	     i++) {
		const struct execution *at = &page->slowest[i];
		size_t row;

		if (!find_row(page->tables, line, at->leg, &row))
			continue;
		line->titles[line->count] = span_title(line->names[row], at);
		line->spans[line->count] = (struct picture_span){
			.start = at->start,
			.duration = at->duration,
			.row = row,
			.cpu = at->has_cpu ? (at->cpu > 0 ? at->cpu : 0) : -1,
			.title = line->titles[line->count]};
		line->count++;
	}
}

static void put_time_line(const struct report_page *page, struct str *out)
{
	struct time_line *line = xcalloc(1, sizeof(*line));
	uint64_t measured = page->tables->summary.elapsed;

	collect(page, line);
	/* (The clock of the tables may have been read before the last one
	 * ended.) */
	for (size_t i = 0; i < line->count; i++) {
		const struct picture_span *at = &line->spans[i];

		if (at->duration > 0 &&
		    at->start + (uint64_t)at->duration > measured)
			measured = at->start + (uint64_t)at->duration;
	}
	str_append(out, "<p class=\"hint\">The ");
	html_count(line->count, "slowest execution", out);
	str_append(out, " of ");
	html_count(line->rows, "leg", out);
	str_append(out, ", over the measured time. Blue is time on a CPU, "
			"grey is waiting, where that is known.</p>\n"
			"<figure class=\"wide\">");
	picture_time_line(line->spans, line->count, line->names, line->rows,
			  measured, out);
	str_append(out, "</figure>\n");
	for (size_t i = 0; i < line->count; i++)
		free(line->titles[i]);
	free(line);
}

/* ---- the table ------------------------------------------------------------
 */

static void put_arguments(const struct origin *origin, struct str *out)
{
	for (size_t i = 0; i < origin->arguments.count; i++) {
		str_append(out, i ? ", " : "");
		html_name(origin->arguments.data[i].name, 30, out);
		str_append_char(out, '=');
		html_name(origin->arguments.data[i].value, 60, out);
	}
	if (origin->arguments.count)
		str_append(out, "<br/>");
}

static void put_callers(const struct origin *origin, struct str *out)
{
	for (size_t i = 1; i < origin->frames.count && i <= CALLERS; i++) {
		const struct origin_frame *frame = &origin->frames.data[i];

		str_append(out, i > 1 ? " \xe2\x86\x90 " : "from ");
		html_name(frame->function, 60, out);
		if (frame->file && frame->line) {
			str_append(out, " (");
			html_name(path_file_name(frame->file), 40, out);
			str_printf(out, ":%u)", frame->line);
		}
	}
}

static void put_value(const char *what, struct value value,
		      const char *separator, struct str *out)
{
	char digits[32];

	str_printf(out, "%s%s ", separator, what);
	html_text(value_format(value, digits), out);
}

/* What is known of the execution besides its times. */
static void put_details(const struct execution *at, struct str *out)
{
	char *row = row_name(at->row);
	const char *separator = "";

	if (at->origin)
		put_arguments(at->origin, out);
	if (at->key.kind != VALUE_NONE) {
		put_value("key", at->key, separator, out);
		separator = "; ";
	}
	if (at->value.kind != VALUE_NONE) {
		put_value("value", at->value, separator, out);
		separator = "; ";
	}
	if (row) {
		str_append(out, separator);
		html_name(row, 80, out);
		separator = "; ";
	}
	if (at->origin && at->origin->frames.count > 1) {
		str_append(out, separator);
		put_callers(at->origin, out);
	}
	free(row);
}

static void put_row(const struct tables *tables, const struct execution *at,
		    bool has_details, struct str *out)
{
	str_append(out, "<tr><td>");
	picture_time((double)at->duration, out);
	str_append(out, at->interrupted ? "~</td><td class=\"text\">"
					: "</td><td class=\"text\">");
	html_name(leg_name(tables, at->leg), 80, out);
	str_append(out, "</td><td>");
	picture_time((double)at->start, out);
	str_append(out, "</td><td>");
	if (at->has_cpu)
		picture_time(at->cpu > 0 ? (double)at->cpu : 0, out);
	else
		str_append(out, "\xe2\x80\x93");
	str_printf(out, "</td><td>%" PRId32 "</td>", at->tid);
	if (has_details) {
		str_append(out, "<td class=\"text spare\">");
		put_details(at, out);
		str_append(out, "</td>");
	}
	str_append(out, "</tr>\n");
}

/* Is anything known of the executions besides their times? */
static bool is_any_known(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct execution *at = &executions[i];

		if (at->origin || at->row || at->key.kind != VALUE_NONE ||
		    at->value.kind != VALUE_NONE)
			return true;
	}
	return false;
}

void slowest_section(const struct report_page *page, struct str *out)
{
	size_t count = page->slowest_count < TABLE_ROWS ? page->slowest_count
							: TABLE_ROWS;
	bool has_details = is_any_known(page->slowest, count);

	if (!count)
		return;
	str_append(out,
		   "<section id=\"slowest\"><h2>The slowest executions</h2>\n");
	put_time_line(page, out);
	str_append(out, "<div class=\"wide\"><table class=\"narrow\"><thead>"
			"<tr><th>Time</th><th class=\"text\">Leg</th>"
			"<th>Began at</th><th>On a CPU</th><th>Thread</th>");
	if (has_details)
		str_append(out, "<th class=\"text spare\">What is known of "
				"it</th>");
	str_append(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < count; i++)
		put_row(page->tables, &page->slowest[i], has_details, out);
	str_append(out, "</tbody></table></div>\n");
	if (page->is_added_up)
		str_append(out, "<p class=\"hint\">Executions that took less "
				"than a microsecond were counted by the "
				"program\xe2\x80\x99s threads, and are known "
				"as sums only.</p>\n");
	str_append(out, "</section>\n");
}
