/*
 * leg_articles.c - one part of the report page for each of the legs that matter
 * most: the figure of its times, the source text at its ends, its values
 */
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "perftool/base/path.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/pictures/pictures.h"
#include "report/records/records.h"

/* The source lines around a node: so many before it, and all of them. */
#define LINES_BEFORE 2
#define LINES 5
/* So many legs show the text; the others, its file and line. */
#define LEGS_WITH_TEXT 50
#define LINE_LENGTH 90 /* characters of a line */

/* ---- source ---------------------------------------------------------------
 */

static const struct report_node *find_node(const struct tables *tables,
					   uint32_t id)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == id)
			return &tables->nodes[i];
	return NULL;
}

static bool has_source(const struct report_node *node)
{
	return node && node->file && node->line;
}

/* One line of source, cut and with its number. */
static void put_line(const char *line, size_t length, uint32_t number,
		     bool is_here, struct str *out)
{
	struct str text = {0};
	size_t column = 0;

	for (size_t i = 0; i < length && column < LINE_LENGTH; i++) {
		if (line[i] == '\t') {
			do
				str_append_char(&text, ' ');
			while (++column % 4);
			continue;
		}
		/* a character that is cut in the middle would be no UTF-8 */
		if (((unsigned char)line[i] & 0xc0) != 0x80)
			column++;
		str_append_char(&text, line[i]);
	}
	str_printf(out, is_here ? "<b>%6u  " : "%6u  ", number);
	html_block(str_text(&text), out);
	str_append(out, is_here ? "</b>\n" : "\n");
	str_deinit(&text);
}

static void put_lines(const char *text, uint32_t first, uint32_t here,
		      struct str *out)
{
	for (; *text; first++) {
		size_t length = strcspn(text, "\n");

		put_line(text, length, first, first == here, out);
		text += length + (text[length] != '\0');
	}
}

/* The place of a node, and the source text around it if it can be read. */
static void put_source(const struct report_page *page, const char *what,
		       const struct report_node *node, bool has_text,
		       struct str *out)
{
	uint32_t first =
		node->line > LINES_BEFORE ? node->line - LINES_BEFORE : 1;
	struct str text = {0};

	str_printf(out, "<figcaption>%s: ", what);
	html_name(path_file_name(node->file), 80, out);
	str_printf(out, ":%u</figcaption>\n", node->line);
	if (has_text && page->read_source &&
	    page->read_source(page->context, node->file, first, LINES, &text)) {
		str_append(out, "<pre>");
		put_lines(str_text(&text), first, node->line, out);
		str_append(out, "</pre>\n");
	}
	str_deinit(&text);
}

static bool is_same_place(const struct report_node *a,
			  const struct report_node *b)
{
	return has_source(a) && has_source(b) && a->line == b->line &&
	       str_equal(a->file, b->file);
}

static void put_sources(const struct report_page *page,
			const struct report_leg *leg, bool has_text,
			struct str *out)
{
	const struct report_node *from =
		find_node(page->tables, leg->stats->spec.from);
	const struct report_node *to =
		find_node(page->tables, leg->stats->spec.to);

	if (!has_source(from) && !has_source(to))
		return;
	str_append(out, "<figure class=\"source\">");
	if (is_same_place(from, to)) {
		put_source(page, "Source", from, has_text, out);
	} else {
		if (has_source(from))
			put_source(page, "From", from, has_text, out);
		if (has_source(to))
			put_source(page, "To", to, has_text, out);
	}
	str_append(out, "</figure>\n");
}

/* ---- words ----------------------------------------------------------------
 */

/* What became of arrivals that began or ended no execution. */
static void put_lost(const struct measure_leg *leg, struct str *out)
{
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{leg->open, "Not ended yet"},
		{leg->ignored_from, "Beginnings without an execution"},
		{leg->ignored_to, "Ends without an execution"},
		{leg->unwound, "Left without reaching the end"},
		{leg->discarded, "Discarded"},
		{leg->interrupted, "Interrupted by a stop of the program"},
	};
	const char *separator = " ";

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!parts[i].count)
			continue;
		str_printf(out, "%s%s: ", separator, parts[i].what);
		report_number(parts[i].count, out);
		separator = "; ";
	}
	if (*separator == ';')
		str_append_char(out, '.');
}

static void put_cpu(const struct report_leg *leg, struct str *out)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	if (cpu.count) {
		str_append(out, " On a CPU ");
		picture_time(cpu.cpu > 0 ? (double)cpu.cpu : 0, out);
		str_append(out, ", waiting ");
		picture_time(cpu.waiting > 0 ? (double)cpu.waiting : 0, out);
		str_append_char(out, '.');
	}
}

static void put_words(const struct tables *tables, const struct report_leg *leg,
		      struct str *out)
{
	const struct measure_leg *stats = leg->stats;
	__int128 total = stats->total;
	struct str share = {0};
	double bound;
	bool is_bound = leg_total_is_bound(leg, &bound);

	str_append(out, "<p class=\"hint\">");
	html_count(stats->count, "execution", out);
	str_append(out, stats->count > 1 ? ", in all " : " of ");
	if (stats->count == 1 && leg->below_resolution) {
		is_bound = true;
		bound = leg->resolution;
	}
	if (is_bound) {
		str_append(out, "less than ");
		total = (__int128)bound;
	}
	picture_time(is_bound ? bound : (double)total, out);
	if (percent_text(total, tables->summary.elapsed, &share))
		str_printf(out, " (%s%s\xe2\x80\xaf%% of the time)",
			   is_bound ? "&lt; " : "", str_text(&share));
	str_deinit(&share);
	if (stats->count > stats->interrupted && stats->count > 1) {
		str_append(out, "; the shortest ");
		picture_time((double)stats->min, out);
		str_append(out, ", the longest ");
		picture_time((double)stats->max, out);
	}
	str_append_char(out, '.');
	put_cpu(leg, out);
	put_lost(leg->stats, out);
	str_append(out, "</p>\n");
}

/* ---- values ---------------------------------------------------------------
 */

/* What a row of a split has the largest bar for: time, or counts of a node. */
static double weight(const struct split_subject *subject,
		     const struct measure_row *row)
{
	return subject->of_leg ? (double)row->total : (double)row->count;
}

static void put_value(const struct split_subject *subject,
		      const struct measure_row *row, double largest,
		      struct str *out)
{
	char *name = row_name(row);
	double value;

	str_append(out, "<tr><td class=\"text\">");
	html_name(name, 100, out);
	free(name);
	str_append(out, "</td><td class=\"bars\">");
	picture_bar(largest > 0 ? weight(subject, row) / largest : 0, out);
	str_append(out, "</td><td>");
	report_number(row->count, out);
	str_append(out, "</td>");
	if (subject->of_leg) {
		str_append(out, "<td>");
		/* A sum is below 0 only if the times are below the
		 * resolution. */
		if (row->total < 0)
			str_append(out, "\xe2\x80\x93");
		else
			picture_time((double)row->total, out);
		str_append(out, "</td><td>");
		if (measure_row_below_resolution(row, subject->spread)) {
			str_append(out, "&lt; ");
			picture_time(subject->spread, out);
		} else {
			picture_time((double)row->total / (double)row->count,
				     out);
		}
		str_append(out, "</td><td>");
		if (measure_row_quantile(row, 0.99, &value))
			picture_time(value, out);
		str_append(out, "</td>");
	}
	str_append(out, "</tr>\n");
}

void split_table(const struct report_leg *leg, const struct report_node *node,
		 struct str *out)
{
	const struct split_subject subject =
		leg ? subject_leg(leg) : subject_node(node);
	const struct split_view view = {.rows = 0};
	struct measure_row_list rows = {0};
	double largest = 0;

	if (!subject.split)
		return;
	measure_split_rows(subject.split, &view, &rows);
	for (size_t i = 0; i < rows.count; i++)
		if (weight(&subject, &rows.data[i]) > largest)
			largest = weight(&subject, &rows.data[i]);
	str_append(out, "<h4>By ");
	html_name(subject.expression ? subject.expression : "value", 100, out);
	str_append(out, subject.of_leg
				? "</h4><div class=\"wide\"><table><thead><tr>"
				  "<th class=\"text\">Value</th>"
				  "<th class=\"text\">Part of the time</th>"
				  "<th>Count</th><th>Total</th><th>Mean</th>"
				  "<th>p99</th></tr></thead><tbody>\n"
				: "</h4><div class=\"wide\"><table><thead><tr>"
				  "<th class=\"text\">Value</th>"
				  "<th class=\"text\">Part of the count</th>"
				  "<th>Count</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < rows.count; i++)
		put_value(&subject, &rows.data[i], largest, out);
	str_append(out, "</tbody></table></div>\n");
	measure_rows_deinit(&rows);
}

/* ---- all of it ------------------------------------------------------------
 */

static void put_leg(const struct report_page *page,
		    const struct report_leg *leg, bool has_text,
		    struct str *out)
{
	str_printf(out, "<article id=\"leg%u\"><h3>", leg->stats->id);
	html_name(leg->name ? leg->name : "", 1000, out);
	str_append(out, "</h3>\n");
	put_words(page->tables, leg, out);
	str_append(out, "<div class=\"pair\">");
	/* one time is no distribution */
	if (leg->stats->count - leg->stats->interrupted > 1) {
		str_append(out, "<figure class=\"times\">");
		picture_histogram(leg, false, out);
		str_append(out, "</figure>\n");
	}
	put_sources(page, leg, has_text, out);
	str_append(out, "</div>\n");
	split_table(leg, NULL, out);
	str_append(out, "</article>\n");
}

void leg_articles(const struct report_page *page,
		  const struct ranked_legs *legs, struct str *out)
{
	size_t count = legs->count < PAGE_LEGS ? legs->count : PAGE_LEGS;

	if (!count)
		return;
	str_append(
		out,
		"<section id=\"times\"><h2>How long executions took</h2>\n"
		"<p class=\"hint\">Each figure has the time of one execution "
		"on a logarithmic axis. All bars of a figure cover the same "
		"factor of it, and the height of a bar is the part of the "
		"executions that took so long. Dashed lines have the time "
		"that 50, 90 and 99\xe2\x80\xaf% of the executions did not "
		"exceed; the line with two ends has the mean and how far it "
		"may be off. A grey range has times that are smaller than "
		"their uncertainty.</p>\n");
	for (size_t i = 0; i < count; i++)
		put_leg(page, legs->list[i], i < LEGS_WITH_TEXT, out);
	str_append(out, "</section>\n");
}
