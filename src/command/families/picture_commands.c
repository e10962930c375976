/*
 * picture_commands.c - commands that write what was measured for people: a
 * report as HTML, and one leg's times as a figure
 */
#include <stdlib.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/report/plot.h"
#include "perftool/session/measurements.h"
#include "perftool/session/report_of_session.h"

#include "appended_profiles.h"
#include "command/arguments.h"
#include "command/output.h"
#include "save.h"
#include "written_tables.h"

/* ---- save report ----------------------------------------------------------
 */

/* Appends what lies inside the slowest executions, if that was kept. */
static void collect_inside(struct session *session, struct page_listings *out)
{
	const struct report_options look = {0};
	const struct tables *tables = session_tables(session);
	struct execution_list list = {0};
	struct str text = {0};

	/* (The error says only that nothing was kept.) */
	error_destroy(session_slowest_inside(session, -1, 5, &list));
	if (list.count) {
		report_inside_text(list.data, list.count, tables, &look, &text);
		vec_push(out,
			 (struct page_listing){"Inside the slowest executions",
					       str_take(&text)});
	}
	vec_free(&list);
}

/* Appends the histograms that the user asked for of nodes, whose values are no
 * times. */
static void collect_histograms(struct session *session,
			       struct page_listings *out)
{
	const struct tables *tables = session_tables(session);
	const struct report_options look = {0};
	struct str text = {0};

	for (size_t i = 0; i < tables->node_count; i++) {
		const struct report_node *node = &tables->nodes[i];
		struct report_histogram at = report_node_histogram(node);

		if (!at.histogram)
			continue;
		if (text.length)
			str_append_char(&text, '\n');
		if (at.name)
			str_printf(&text, "%s\n", at.name);
		report_histogram_text(&at, &look, &text);
	}
	if (text.length)
		vec_push(out, (struct page_listing){"Histograms of nodes",
						    str_take(&text)});
}

static struct error *run_save_report(struct call *call)
{
	CLEANUP(free_pointer) char *path = NULL;
	struct page_listings listings = {0};
	struct str text = {0};
	struct error *error;

	TRY(output_path(call->session, call_word(call, 0), &path));
	if (!path_has_ending(path, ".html") && !path_has_ending(path, ".htm"))
		return error_create(ERROR_USAGE,
				    "`%s' does not end in .html, the form of a "
				    "report; `save tables' writes .json, .csv "
				    "and .txt",
				    path);
	collect_listings(call->session, &listings);
	collect_inside(call->session, &listings);
	collect_histograms(call->session, &listings);
	session_report_page(call->session, listings.data, listings.count,
			    &text);
	error = output_file(call->interpreter->options.ui, path, &text);
	if (!error)
		str_printf(&call->said, "Report saved in %s\n", path);
	for (size_t i = 0; i < listings.count; i++)
		free(listings.data[i].text);
	vec_free(&listings);
	str_deinit(&text);
	return error;
}

/* ---- save plot ------------------------------------------------------------
 */

static const struct report_leg *largest_leg(const struct tables *tables)
{
	const struct report_leg *largest = NULL;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *leg = &tables->legs[i];

		if (leg->stats->count &&
		    (!largest || leg->stats->total > largest->stats->total))
			largest = leg;
	}
	return largest;
}

static struct error *chosen_leg(struct call *call, const struct tables *tables,
				const struct report_leg **out)
{
	uint32_t id;

	if (call_count(call) == 1) {
		*out = largest_leg(tables);
		if (*out)
			return NULL;
		return error_create(ERROR_NOT_FOUND,
				    tables->leg_count
					    ? "no leg was executed, so there "
					      "is nothing to plot"
					    : "there are no legs to plot; "
					      "`time FUNC' before `run' makes "
					      "one");
	}
	if (call_count(call) != 3 || strcasecmp(call_word(call, 1), "leg") != 0)
		return call_usage(call, "unexpected `%s'", call_word(call, 1));
	TRY(argument_id(call_word(call, 2), "leg", &id));
	for (size_t i = 0; i < tables->leg_count; i++) {
		*out = &tables->legs[i];
		if ((*out)->stats->id == id)
			return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "there is no leg %u", id);
}

static struct error *run_save_plot(struct call *call)
{
	CLEANUP(free_pointer) char *path = NULL;
	const struct report_leg *leg = NULL;
	struct str text = {0};
	struct error *error;

	TRY(output_path(call->session, call_word(call, 0), &path));
	if (!path_has_ending(path, ".svg"))
		return error_create(ERROR_USAGE,
				    "`%s' does not end in .svg, the form of a "
				    "plot",
				    path);
	TRY(chosen_leg(call, session_tables(call->session), &leg));
	report_plot_svg(leg, &text);
	str_printf(&call->said, "Times of leg %u (%s) plotted in %s\n",
		   leg->stats->id, leg->name ? leg->name : "-", path);
	error = output_file(call->interpreter->options.ui, path, &text);
	if (error)
		str_deinit(&call->said);
	str_deinit(&text);
	return error;
}

const struct command picture_commands[] = {
	{.words = "save report",
	 .arguments = "FILE.html",
	 .summary = "everything that was measured as a page, for people",
	 .help = "One HTML file, which needs no network and no other file: "
		 "what was measured, and what that cost, in words; the legs, "
		 "which a browser sorts; a figure for each of the 100 legs "
		 "with the largest totals, with the source lines at its ends "
		 "where the source can be read; splits as bars; a time line of "
		 "the slowest executions; a flame graph, if samples were "
		 "taken; other profiles; nodes, settings, and the command "
		 "line. It can be printed.\n"
		 "    save report monday.html",
	 .complete = "@file",
	 .least = 1,
	 .most = 1,
	 .asks = "file (.html)",
	 .run = run_save_report},
	{.words = "save plot",
	 .arguments = "FILE.svg [leg N]",
	 .summary = "how the times of a leg are distributed, as a figure",
	 .help = "SVG, which browsers and word processors show. Without a leg "
		 "it is the one with the largest total. The axis of time is "
		 "logarithmic; marks have the percentiles, the mean, and how "
		 "far it may be off.\n"
		 "    save plot merge.svg\n    save plot merge.svg leg 2",
	 .complete = "@file leg @leg",
	 .least = 1,
	 .most = 3,
	 .asks = "file (.svg)",
	 .run = run_save_plot},
	{.words = NULL},
};
