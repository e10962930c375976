/*
 * text.c - the tables in the form of the sample session in the Mesa memo
 *
 * The memo's lines and columns come first, in the memo's order and words. What
 * the tool knows beyond them stands below the memo's lines, and to the right of
 * the memo's columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"
#include "report/figures/figures.h"
#include "text.h"

static void line_time(const char *label, __int128 ns, struct str *out)
{
	str_printf(out, "%s = ", label);
	report_memo_time(ns, out);
	str_append_char(out, '\n');
}

/* Has a calibration found the cost of a hit? */
static bool is_known(const struct measure_calibration *calibration)
{
	return calibration->cost > 0 || calibration->spread > 0;
}

static void calibration_line(const char *what,
			     const struct measure_calibration *calibration,
			     bool compensated, struct str *out)
{
	str_printf(out, "Calibrated Cost per %s = ", what);
	if (is_known(calibration)) {
		report_duration(calibration->cost, out);
		str_append(out, ", spread ");
		report_duration(calibration->spread, out);
	} else {
		str_append(out, "none");
	}
	if (!compensated)
		str_append(out, " (compensation is off: times are raw)");
	str_append_char(out, '\n');
}

/* Append what hits at jumps have cost in the run. */
static void cost_line(const struct tables *tables, struct str *out)
{
	if (!tables->cost_samples)
		return;
	str_printf(out, "Cost of Fast Hits in this Run = %.2f x calibrated, ",
		   tables->cost_factor);
	report_number(tables->cost_samples, out);
	str_append(out, " samples\n");
}

/* Does any node have this mechanism ("fast", "int3" or "debug register")? */
static bool is_used(const struct tables *tables, const char *mechanism)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].mechanism &&
		    strstr(tables->nodes[i].mechanism, mechanism))
			return true;
	return false;
}

/* Append lines that explain figures of the memo's header, if these figures need
 * an explanation. */
static void overhead_lines(const struct measure_summary *summary,
			   struct str *out)
{
	/* a smaller difference than the memo's unit, 1 us, is not shown */
	if (summary->added_overhead >= summary->overhead + 1000)
		line_time("Overhead of all Threads added up",
			  summary->added_overhead, out);
	if (summary->passed) {
		str_append(out, "Hits whose Condition was false = ");
		report_number(summary->passed, out);
		str_append(out, " (they count as overhead, not as breaks)\n");
	}
	if (summary->followed) {
		str_append(out, "Hits that follow Tail Calls = ");
		report_number(summary->followed, out);
		str_append(out, " (they count as overhead, not as breaks)\n");
	}
}

/* Append the lines that the memo's header does not have. */
static void summary_additions(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;

	overhead_lines(summary, out);
	if (tables->clock_source) {
		str_printf(out, "Clock = %s", tables->clock_source);
		if (tables->clock_remark)
			str_printf(out, " (%s)", tables->clock_remark);
		str_append(out, ", resolution ");
		report_duration(tables->clock_resolution, out);
		str_append_char(out, '\n');
	}
	/* each process was calibrated by itself */
	if (!tables->is_sum &&
	    (!is_used(tables, "fast") || is_used(tables, "int3") ||
	     is_used(tables, "debug register")))
		calibration_line("Perf Break", &summary->calibration[HIT_INT3],
				 summary->compensated, out);
	if (!tables->is_sum && is_used(tables, "fast")) {
		calibration_line("Fast Hit", &summary->calibration[HIT_FAST],
				 summary->compensated, out);
		cost_line(tables, out);
	}
	if (tables->placement)
		str_printf(out, "Placement = %s\n", tables->placement);
	if (tables->detail) {
		str_append(out, "Detail = ");
		report_detail_text(tables->detail, out);
	}
}

static void summary_text(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;
	__int128 elapsed = summary->elapsed, overhead = summary->overhead;

	line_time("Total Elapsed Time of Measurements", elapsed, out);
	line_time("Elapsed Time less PerfMonitor Overhead", elapsed - overhead,
		  out);
	line_time("Total Overhead of PerfMonitor Breaks", overhead, out);
	str_append(out, "Total number of Perf Breaks handled = ");
	report_number(summary->breaks, out);
	str_append(out, "\nAverage Overhead per Perf Break = ");
	if (summary->breaks || !summary->overhead)
		report_memo_time((__int128)summary->average_overhead, out);
	else
		str_append_char(out, '-');
	if (summary->breaks) {
		/* a break can take less than the memo's unit, 1 us */
		str_append(out, " (");
		report_duration(summary->average_overhead, out);
		str_append_char(out, ')');
	}
	str_append(out, "\n% of Total Time spent in PerfMonitor = ");
	if (!percent_text(overhead, elapsed, out))
		str_append(out, "0.00");
	str_append_char(out, '\n');
	summary_additions(tables, out);
}

void text_title(const char *text, bool color, struct str *out)
{
	str_printf(out, "%s%s%s\n", color ? "\033[1m" : "", text,
		   color ? "\033[0m" : "");
}

static void seconds(uint64_t ns, struct str *out)
{
	str_printf(out, "%.3f s", (double)ns / 1e9);
}

void report_heading(const struct tables *tables, bool color, struct str *out)
{
	const struct report_interval *interval = tables->interval;
	struct str text = {0};

	str_printf(&text, "- - - %s, ", tables->at ? tables->at : "-");
	if (interval && interval->from) {
		str_append(&text, "the last ");
		seconds(interval->to - interval->from, &text);
		str_append(&text, " of ");
	}
	seconds(interval ? interval->to : tables->summary.elapsed, &text);
	str_printf(&text, " measured %s - - -", interval ? "so far" : "in all");
	text_title(str_text(&text), color, out);
	str_deinit(&text);
}

/* The most letters of a name in the node table. */
#define MOST_MODULE 40
#define MOST_PLACE 80

/* ---- nodes -------------------------------------------------------------- */

/* Replace the middle of a long name by dots. Names of C++ can have thousands of
 * letters; JSON and `list breaks' have all of them. The beginning of a name has
 * its namespace or class, the end has its own name. The caller frees the
 * result.
 */
static char *shortened(const char *name, size_t most)
{
	size_t length = strlen(name), end = most / 2;

	if (length <= most)
		return xstrdup(name);
	return xasprintf("%.*s...%s", (int)(most - end - 3), name,
			 name + length - end);
}

/* The memo's Module Name: the source file without its directory and its ending;
 * the function if the file is not known. The caller frees the result. */
static char *module_name(const struct report_node *node)
{
	const char *base, *end;

	if (!node->file)
		return shortened(node->function ? node->function : "-",
				 MOST_MODULE);
	base = strrchr(node->file, '/');
	base = base ? base + 1 : node->file;
	end = strrchr(base, '.');
	return xstrndup(base, end && end > base ? (size_t)(end - base)
						: strlen(base));
}

/* Return the node's location in readable form. The location contains the
 * linker's (mangled) name of a function if characters of the demangled name
 * have a meaning in patterns. In this case the result has the demangled name
 * instead. The caller frees the result. */
static char *readable_location(const struct report_node *node)
{
	const char *location = node->location ? node->location : "-";
	const char *module = strchr(location, '@');
	CLEANUP(free_pointer) char *whole = NULL;

	if (strncmp(location, "_Z", 2) != 0 || !node->function)
		return shortened(location, MOST_PLACE);
	whole = xasprintf("%s%s", node->function, module ? module : "");
	return shortened(whole, MOST_PLACE);
}

static char *place(const struct report_node *node)
{
	CLEANUP(free_pointer) char *location = NULL;
	struct str text = {0};

	if (node->kind &&
	    (str_equal(node->kind, "entry") || str_equal(node->kind, "exit") ||
	     str_equal(node->kind, "return")))
		str_printf(&text, "%s ", node->kind);
	else if (node->kind && (str_equal(node->kind, "block") ||
				str_equal(node->kind, "call")))
		str_printf(&text, "%ss ", node->kind);
	else if (node->kind && str_equal(node->kind, "watch"))
		str_append(&text, "watch ");
	location = readable_location(node);
	str_append(&text, location);
	if (node->address_count > 1)
		str_printf(&text, ", %zu addresses", node->address_count);
	if (node->stats->deleted)
		str_append(&text, " (deleted)");
	else if (node->is_out)
		str_append(&text, " (taken out)");
	else if (!node->address_count && !node->module)
		str_append(&text, " (pending)");
	if (node->made_by)
		str_printf(&text, " (by %s)", node->made_by);
	return str_take(&text);
}

static void address_cell(struct grid *grid, bool known, uint64_t address)
{
	if (known)
		grid_printf(grid, "0x%" PRIx64, address);
	else
		grid_text(grid, "-");
}

static void node_row(struct grid *grid, const struct report_node *node,
		     bool memo)
{
	const struct measure_node *stats = node->stats;

	grid_printf(grid, "%" PRIu32 "%s", stats->id,
		    stats->histogram ? "*" : "");
	address_cell(grid, node->address_count > 0, node->load_bias);
	address_cell(grid, node->address_count > 0,
		     node->address_count ? node->addresses[0] : 0);
	grid_take(grid, number_cell(stats->count));
	grid_text(grid, node->module ? node->module : "-");
	grid_take(grid, module_name(node));
	if (memo)
		return;
	grid_take(grid, place(node));
	if (node->condition && node->only_names)
		grid_printf(grid, "names %s", node->condition);
	else
		grid_text(grid, node->condition ? node->condition : "-");
	grid_text(grid, node->mechanism ? node->mechanism : "-");
	if (stats->errors && stats->first_error)
		grid_printf(grid, "%" PRIu64 ": %s", stats->errors,
			    stats->first_error);
	else
		grid_printf(grid, "%" PRIu64, stats->errors);
}

/* The most nodes that a note names, if many nodes are int3s for the same
 * reason. */
#define MOST_NAMED 8

/* Append one line that says why node `first`, or some of its places, are int3s
 * and no jumps, and that names the nodes with the same reason, at most
 * MOST_NAMED of them. */
static void int3_note(const struct tables *tables, size_t first,
		      struct str *out)
{
	const char *reason = tables->nodes[first].int3_reason;
	struct str names = {0};
	size_t count = 0;

	for (size_t i = first; i < tables->node_count; i++) {
		if (!tables->nodes[i].int3_reason ||
		    !str_equal(tables->nodes[i].int3_reason, reason))
			continue;
		if (count++ < MOST_NAMED)
			str_printf(&names, "%s%" PRIu32, count > 1 ? ", " : "",
				   tables->nodes[i].stats->id);
	}
	if (count > MOST_NAMED)
		str_printf(&names, " and %zu more", count - MOST_NAMED);
	str_printf(out, "int3 at node%s %s: %s.\n", count > 1 ? "s" : "",
		   str_text(&names), reason);
	str_deinit(&names);
}

/* Append why nodes, or some places of nodes, are int3s and no jumps. There is
 * one line for each reason. */
static void int3_notes(const struct tables *tables, struct str *out)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		const char *reason = tables->nodes[i].int3_reason;
		bool was_said = !reason;

		for (size_t j = 0; !was_said && j < i; j++)
			was_said =
				tables->nodes[j].int3_reason &&
				str_equal(tables->nodes[j].int3_reason, reason);
		if (!was_said)
			int3_note(tables, i, out);
	}
}

/* The least width to which a place may be cut if there are many columns. */
#define LEAST_PLACE 24

/* The memo's columns, and to the right of them the other columns. If the
 * terminal is narrow, the memo's columns that say in numbers where the node is
 * are left out first. */
static const struct column node_columns[] = {
	{.top = "Node", .bottom = "Id", .minimum = 4, .key = true},
	{.top = "Global", .bottom = "Frame", .minimum = 6, .expendable = 9},
	{.top = "Program", .bottom = "Counter", .expendable = 8},
	{.top = "Number of",
	 .bottom = "References",
	 .right = true,
	 .key = true},
	{.top = "Config", .bottom = "Name", .minimum = 8, .expendable = 6},
	{.top = "Module", .bottom = "Name", .minimum = 8, .expendable = 5},
	{.bottom = "Place", .key = true, .shrinks_to = LEAST_PLACE},
	{.bottom = "Condition", .expendable = 4},
	{.bottom = "Mechanism", .expendable = 3},
	{.bottom = "Errors", .expendable = 7},
};
enum {
	NODE_COLUMNS = sizeof(node_columns) / sizeof(*node_columns),
	MEMO_NODE_COLUMNS = 6
};

static void unreached_note(const struct tables *tables,
			   const struct report_options *options,
			   struct str *out)
{
	if (!options->unreached)
		return;
	report_number((__int128)options->unreached, out);
	str_append(out, options->unreached == 1
				? " node that was never reached is left out"
				: " nodes that were never reached are left "
				  "out");
	str_append(out, tables->is_sum ? "; JSON and CSV have all.\n"
				       : "; `print nodes' has all.\n");
}

/* Append the node table. Returns whether columns were left out. */
static bool nodes_text(const struct tables *tables,
		       const struct report_options *options, struct str *out)
{
	struct grid grid = {0};
	bool histogram = false, hidden;

	text_title("- - - - - - N O D E   T A B L E   C O N T E N T S "
		   "- - - - - - - - - -",
		   options->color, out);
	for (size_t i = 0;
	     i < (options->memo ? MEMO_NODE_COLUMNS : NODE_COLUMNS); i++)
		grid_column(&grid, node_columns[i]);
	for (size_t i = 0; i < tables->node_count; i++) {
		node_row(&grid, &tables->nodes[i], options->memo);
		histogram |= tables->nodes[i].stats->histogram != NULL;
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	if (histogram)
		str_append(out, TEXT_HISTOGRAM);
	int3_notes(tables, out);
	grid_deinit(&grid);
	unreached_note(tables, options, out);
	if (!tables->node_count && !options->unreached)
		str_append(out, "No nodes.\n");
	return hidden;
}

/* ---- all tables --------------------------------------------------------- */

/* Append the histograms for which the user asked. text_distribution() has those
 * that `time' made. */
static void histograms_text(const struct tables *tables,
			    const struct report_options *options,
			    struct str *out)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		struct report_histogram at =
			report_node_histogram(&tables->nodes[i]);

		if (!at.histogram)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_histogram_text(&at, options, out);
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		struct report_histogram at =
			report_leg_histogram(&tables->legs[i]);

		if (!at.histogram || histogram_spec(at.histogram)->is_implied)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_histogram_text(&at, options, out);
	}
}

/* Append the rows of all splits. Returns whether columns were left out. */
static bool splits_text(const struct tables *tables,
			const struct report_options *options, struct str *out)
{
	bool hidden = false;

	for (size_t i = 0; i < tables->node_count; i++) {
		if (!tables->nodes[i].stats->split)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		hidden |= text_node_split(&tables->nodes[i], options, out);
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		if (!tables->legs[i].stats->split)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		hidden |= text_leg_split(&tables->legs[i], options, out);
	}
	return hidden;
}

/* Append a line which says how the user can see the rows of split legs. */
static void splits_note(const struct tables *tables, struct str *out)
{
	const struct measure_leg *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!leg->split)
			continue;
		if (!count++)
			first = leg;
	}
	if (count == 1)
		str_printf(out,
			   "Leg %" PRIu32
			   " is split: `print split' has its rows.\n",
			   first->id);
	else if (count)
		str_printf(out,
			   "%zu legs are split: `print split' has their "
			   "rows.\n",
			   count);
}

void text_columns_left_out(const struct report_options *options,
			   struct str *out)
{
	str_printf(out,
		   "(The terminal is too narrow for all columns; add `%s' to "
		   "have them.)\n",
		   options->all_columns_by ? options->all_columns_by
					   : "> FILE");
}

void report_text(const struct tables *tables, unsigned parts,
		 const struct report_options *options, struct str *out)
{
	bool hidden = false, was_told;
	struct str text = {0};

	if (parts & PART_SUMMARY)
		summary_text(tables, &text);
	if (parts & PART_NODES) {
		if (text.length)
			str_append_char(&text, '\n');
		hidden = nodes_text(tables, options, &text);
	}
	if (parts & PART_LEGS) {
		if (text.length)
			str_append_char(&text, '\n');
		hidden |= text_legs(tables, options, &text);
		if (!(parts & PART_SPLITS) && !options->by_process)
			splits_note(tables, &text);
	}
	if (hidden)
		text_columns_left_out(options, &text);
	was_told = hidden;
	if (parts & PART_HISTOGRAMS)
		hidden |= text_distribution(tables, options, &text);
	if (parts & PART_SPLITS)
		hidden |= splits_text(tables, options, &text);
	if (hidden && !was_told)
		text_columns_left_out(options, &text);
	if (parts & PART_HISTOGRAMS)
		histograms_text(tables, options, &text);
	if (parts == PART_SPLITS && !text.length)
		str_append(&text, "Nothing is split.\n");
	if (parts == PART_HISTOGRAMS && !text.length)
		str_append(&text, "No histograms.\n");
	str_append(out, str_text(&text));
	str_deinit(&text);
}
