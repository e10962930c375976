/*
 * report_page.c - the frame of the report page: its head, what was measured in
 * words, and the order of its sections
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "page.h"
#include "perftool/base/path.h"
#include "perftool/web.h"
#include "report/figures/figures.h"
#include "report/files/files.h"
#include "report/pictures/pictures.h"

/* in report_files.S */
extern const char report_style[], report_script[];

/* ---- what was measured ----------------------------------------------------
 */

static const char *program_name(const struct tables *tables)
{
	return tables->program.path ? path_file_name(tables->program.path)
				    : "no program";
}

/* The program and its arguments, as plain text. */
static void command_line(const struct tables *tables, struct str *out)
{
	str_append(out, program_name(tables));
	for (size_t i = 0; tables->program.args && tables->program.args[i]; i++)
		str_printf(out, " %s", tables->program.args[i]);
}

/* "2026-11-27T00:10:23.123+01:00" as "2026-11-27 00:10:23". */
static void put_moment(const char *moment, struct str *out)
{
	struct str text = {0};

	str_append_n(&text, moment, strnlen(moment, 19));
	for (size_t i = 0; i < text.length; i++)
		if (text.data[i] == 'T')
			text.data[i] = ' ';
	html_text(str_text(&text), out);
	str_deinit(&text);
}

/* How the program has ended. */
static void put_end(const struct report_program *program, struct str *out)
{
	if (!program->state)
		return;
	if (str_equal(program->state, "exited"))
		str_printf(out, " The program ended with the status %d.",
			   program->exit_status);
	else if (str_equal(program->state, "signaled"))
		str_printf(out, " The signal %d ended the program.",
			   program->exit_signal);
	else if (str_equal(program->state, "detached"))
		str_append(out, " perftool then let the program go on.");
	else
		str_append(out, " The program had not ended then.");
}

static void put_where(const struct tables *tables, struct str *out)
{
	if (tables->host) {
		str_append(out, " on the host ");
		html_name(tables->host, 60, out);
	}
	if (tables->cpu) {
		str_append(out, " (");
		html_name(tables->cpu, 80, out);
		str_append_char(out, ')');
	}
	if (tables->kernel) {
		str_append(out, " under Linux ");
		html_name(tables->kernel, 60, out);
	}
}

static void put_who(const struct tables *tables, struct str *out)
{
	str_append(out, "<p class=\"lead\">perftool measured ");
	if (tables->program.path) {
		str_append(out, "<code>");
		html_name(tables->program.path, 300, out);
		str_append(out, "</code>");
	} else {
		str_append(out, "nothing");
	}
	if (tables->program.pid)
		str_printf(out, ", process %" PRId32 ",", tables->program.pid);
	str_append(out, " for ");
	picture_time((double)tables->summary.elapsed, out);
	put_where(tables, out);
	if (tables->started) {
		str_append(out, ". The program began on ");
		put_moment(tables->started, out);
	}
	if (tables->at) {
		str_append(out, tables->started
					? ", and these are the figures of "
					: ". These are the figures of ");
		put_moment(tables->at, out);
	}
	str_append_char(out, '.');
	put_end(&tables->program, out);
	str_append(out, "</p>\n");
}

static bool uses(const struct tables *tables, const char *mechanism)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].mechanism &&
		    strstr(tables->nodes[i].mechanism, mechanism))
			return true;
	return false;
}

/* What was subtracted from times for one arrival. */
static void put_calibration(const struct tables *tables,
			    enum hit_mechanism mechanism, const char *word,
			    const char *what, struct str *out)
{
	const struct measure_calibration *calibration =
		&tables->summary.calibration[mechanism];

	if (!uses(tables, word) ||
	    (calibration->cost <= 0 && calibration->spread <= 0))
		return;
	str_printf(out, " Calibrated cost %s: ", what);
	picture_time(calibration->cost, out);
	if (calibration->spread > 0) {
		str_append(out, " \xc2\xb1 ");
		picture_time(calibration->spread, out);
	}
	str_append_char(out, '.');
}

static void put_cost(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;
	struct str share = {0};

	str_append(out, "<p class=\"lead\">Measuring took ");
	picture_time((double)summary->overhead, out);
	if (percent_text(summary->overhead, summary->elapsed, &share))
		str_printf(out, " of that, %s\xe2\x80\xaf%%", str_text(&share));
	str_deinit(&share);
	str_append(out, ", for ");
	html_count(summary->breaks, "arrival", out);
	str_append(out, " at nodes. ");
	str_append(out, summary->compensated
				? "Times of legs do not contain this cost."
				: "<b>Compensation was off: times contain this "
				  "cost.</b>");
	put_calibration(tables, HIT_FAST, "fast", "of an arrival at a jump",
			out);
	put_calibration(tables, HIT_INT3, "int3", "of an arrival at an int3",
			out);
	if (tables->clock_source) {
		str_append(out, " The clock is ");
		html_text(tables->clock_source, out);
		str_append(out, ", with a resolution of ");
		picture_time(tables->clock_resolution, out);
		str_append_char(out, '.');
	}
	if (tables->detail) {
		struct str detail = {0};

		str_append(out, " perftool chose functions by itself: ");
		report_detail_text(tables->detail, &detail);
		html_block(str_text(&detail), out);
		str_deinit(&detail);
	}
	str_append(out, "</p>\n");
}

/* ---- the most important figures -------------------------------------------
 */

static void put_card(const char *title, const struct str *text, struct str *out)
{
	str_printf(out, "<div><dt>%s</dt><dd>%s</dd></div>", title,
		   str_text(text));
}

static void put_cards(const struct tables *tables,
		      const struct ranked_legs *legs, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;
	struct str text = {0};
	uint64_t executions = 0;

	for (size_t i = 0; i < legs->count; i++)
		executions += legs->list[i]->stats->count;
	str_append(out, "<dl class=\"cards\">");
	picture_time((double)summary->elapsed, &text);
	put_card("Measured time", &text, out);
	str_deinit(&text);
	if (percent_text(summary->overhead, summary->elapsed, &text))
		str_append(&text, "\xe2\x80\xaf%");
	else
		str_append(&text, "\xe2\x80\x93");
	put_card("Cost of measuring", &text, out);
	str_deinit(&text);
	report_number((__int128)legs->count, &text);
	put_card("Legs executed", &text, out);
	str_deinit(&text);
	report_number((__int128)executions, &text);
	put_card("Executions", &text, out);
	str_deinit(&text);
	report_number((__int128)summary->breaks, &text);
	put_card("Arrivals at nodes", &text, out);
	str_deinit(&text);
	str_append(out, "</dl>\n");
}

static void put_link(const char *id, const char *title, struct str *out)
{
	str_printf(out, "<a href=\"#%s\">", id);
	html_text(title, out);
	str_append(out, "</a>\n");
}

/* Links to the sections. */
static void put_contents(const struct report_page *page,
			 const struct ranked_legs *legs, struct str *out)
{
	str_append(out, "<nav aria-label=\"Sections\">");
	put_link("all-legs", "Legs", out);
	if (page->slowest_count)
		put_link("slowest", "The slowest executions", out);
	if (legs->count)
		put_link("times", "How long executions took", out);
	if (page->profile && page->profile->stacks)
		put_link("samples", "Samples", out);
	for (size_t i = 0; i < page->listing_count; i++) {
		char id[32];

		snprintf(id, sizeof(id), "listing%zu", i);
		if (*page->listings[i].text)
			put_link(id, page->listings[i].title, out);
	}
	if (page->tables->node_count)
		put_link("all-nodes", "Nodes", out);
	if (page->tables->setting_count)
		put_link("settings", "Settings", out);
	str_append(out, "</nav>\n");
}

/* ---- the page -------------------------------------------------------------
 */

static void put_head(const struct tables *tables, struct str *out)
{
	str_append(out,
		   "<!DOCTYPE html>\n"
		   "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
		   "<head>\n<meta charset=\"utf-8\"/>\n"
		   "<meta name=\"viewport\" content=\"width=device-width, "
		   "initial-scale=1\"/>\n"
		   "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
		   /* Whatever gets into the page: it loads nothing. */
		   "<meta http-equiv=\"Content-Security-Policy\" content=\""
		   "default-src 'none'; style-src 'unsafe-inline'; "
		   "script-src 'unsafe-inline'; img-src data:; "
		   "form-action 'none'; base-uri 'none'\"/>\n"
		   "<link rel=\"icon\" href=\"data:,\"/>\n"
		   "<meta name=\"generator\" content=\"perftool ");
	html_text(tables->version ? tables->version : "", out);
	str_append(out, "\"/>\n<title>");
	html_text(program_name(tables), out);
	str_append(out, " - perftool</title>\n<style>\n");
	str_append(out, page_style);
	str_append(out, figure_style);
	str_append(out, report_style);
	str_append(out, "</style>\n</head>\n<body>\n");
}

static void put_header(const struct report_page *page,
		       const struct ranked_legs *legs, struct str *out)
{
	const struct tables *tables = page->tables;
	struct str command = {0};

	command_line(tables, &command);
	str_append(out, "<header>\n<p class=\"kicker\">Report of perftool");
	if (tables->at) {
		str_append(out, ", ");
		put_moment(tables->at, out);
	}
	str_append(out, "</p>\n<h1>");
	html_name(str_text(&command), 200, out);
	str_append(out, "</h1>\n");
	str_deinit(&command);
	put_cards(tables, legs, out);
	put_who(tables, out);
	put_cost(tables, out);
	put_contents(page, legs, out);
	str_append(out, "</header>\n");
}

static void put_flames(const struct report_page *page, struct str *out)
{
	if (!page->profile || !page->profile->stacks)
		return;
	str_append(out, "<section id=\"samples\"><h2>Samples</h2>\n"
			"<figure class=\"wide\">");
	flame_figure(page->profile, out);
	str_append(out, "</figure>\n</section>\n");
}

static void put_listings(const struct report_page *page, struct str *out)
{
	for (size_t i = 0; i < page->listing_count; i++) {
		if (!*page->listings[i].text)
			continue;
		str_printf(out, "<section id=\"listing%zu\"><h2>", i);
		html_text(page->listings[i].title, out);
		str_append(out, "</h2>\n<pre>");
		html_block(page->listings[i].text, out);
		str_append(out, "</pre></section>\n");
	}
}

void report_page_html(const struct report_page *page, struct str *out)
{
	const struct tables *tables = page->tables;
	struct ranked_legs legs;

	rank_legs(tables, &legs);
	put_head(tables, out);
	put_header(page, &legs, out);
	str_append(out, "<main>\n");
	legs_section(page, &legs, out);
	slowest_section(page, out);
	leg_articles(page, &legs, out);
	put_flames(page, out);
	put_listings(page, out);
	nodes_section(page, out);
	settings_section(page, out);
	str_append(out, "</main>\n<footer>Written by perftool ");
	html_text(tables->version ? tables->version : "", out);
	str_append(out, ". This file needs no network and no other "
			"file.</footer>\n<script>\n//<![CDATA[\n"
			"\"use strict\";\n");
	str_append(out, sorting_script);
	str_append(out, report_script);
	str_append(out, "//]]>\n</script>\n</body>\n</html>\n");
	ranked_legs_deinit(&legs);
}
