/*
 * text.c - the tables in the form of the Mesa memo's sample session
 *
 * The memo's lines and columns come first, in its order and its words; what
 * we know beyond them stands below its lines and to the right of its columns.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "perftool/report.h"
#include "units.h"

static void line_time(const char *label, __int128 ns, struct str *out)
{
	str_printf(out, "%s = ", label);
	report_memo_time(ns, out);
	str_append_char(out, '\n');
}

/* What the memo's header had no need of. */
static void summary_additions(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;

	if (tables->clock_source) {
		str_printf(out, "Clock = %s, resolution ",
			   tables->clock_source);
		report_duration(tables->clock_resolution, out);
		str_append_char(out, '\n');
	}
	str_append(out, "Calibrated Cost per Perf Break = ");
	if (summary->cost > 0 || summary->spread > 0) {
		report_duration(summary->cost, out);
		str_append(out, ", spread ");
		report_duration(summary->spread, out);
	} else {
		str_append(out, "none");
	}
	if (!summary->compensated)
		str_append(out, " (compensation is off: times are raw)");
	str_append_char(out, '\n');
	if (tables->placement)
		str_printf(out, "Placement = %s\n", tables->placement);
}

static void summary_text(const struct tables *tables, struct str *out)
{
	const struct measure_summary *summary = &tables->summary;
	__int128 elapsed = summary->elapsed, overhead = summary->overhead;

	line_time("Total Elapsed Time of Measurements", elapsed, out);
	line_time("Elapsed Time less PerfTool Overhead", elapsed - overhead,
		  out);
	line_time("Total Overhead of PerfTool Breaks", overhead, out);
	str_append(out, "Total number of Perf Breaks handled = ");
	report_number(summary->breaks, out);
	str_append(out, "\nAverage Overhead per Perf Break = ");
	report_memo_time((__int128)summary->average_overhead, out);
	if (summary->breaks) {
		/* a break can take less than the memo's microsecond */
		str_append(out, " (");
		report_duration(summary->average_overhead, out);
		str_append_char(out, ')');
	}
	str_append(out, "\n% of Total Time spent in PerfTool = ");
	if (!percent_text(overhead, elapsed, out))
		str_append(out, "0.00");
	str_append_char(out, '\n');
	summary_additions(tables, out);
}

static void title(const char *text, bool color, struct str *out)
{
	str_printf(out, "%s%s%s\n", color ? "\033[1m" : "", text,
		   color ? "\033[0m" : "");
}

/* Letters of a name in the node table. */
#define MOST_MODULE 40
#define MOST_PLACE 80

/* ---- nodes ---------------------------------------------------------- */

/* Names of C++ can have thousands of letters; JSON and `list breaks' have all
 * of them. The beginning says whose it is, the end what it is. */
static char *shortened(const char *name, size_t most)
{
	size_t length = strlen(name), end = most / 2;

	if (length <= most)
		return xstrdup(name);
	return xasprintf("%.*s...%s", (int)(most - end - 3), name,
			 name + length - end);
}

/* The memo's Module Name: the source file without path and ending. */
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

/* A name as linked stands where the one for people has signs of patterns. */
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
	    (str_equal(node->kind, "entry") || str_equal(node->kind, "exit")))
		str_printf(&text, "%s ", node->kind);
	location = readable_location(node);
	str_append(&text, location);
	if (node->address_count > 1)
		str_printf(&text, ", %zu addresses", node->address_count);
	if (node->stats->deleted)
		str_append(&text, " (deleted)");
	else if (!node->address_count)
		str_append(&text, " (pending)");
	return str_take(&text);
}

static void address_cell(struct grid *grid, bool known, uint64_t address)
{
	if (known)
		grid_printf(grid, "0x%" PRIx64, address);
	else
		grid_text(grid, "-");
}

static void node_row(struct grid *grid, const struct report_node *node)
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
	grid_take(grid, place(node));
	grid_text(grid, node->condition ? node->condition : "-");
	grid_text(grid, node->mechanism ? node->mechanism : "-");
	if (stats->errors && stats->first_error)
		grid_printf(grid, "%" PRIu64 ": %s", stats->errors,
			    stats->first_error);
	else
		grid_printf(grid, "%" PRIu64, stats->errors);
}

/* What the marks behind numbers and counts mean. */
static void legend(bool histogram, bool left_out, bool verbose, struct str *out)
{
	if (histogram)
		str_append(out, "* has a histogram.\n");
	if (left_out)
		str_printf(out, "~ Some executions were left out: %s.\n",
			   verbose ? "From Hits to Ignored To say which"
				   : "`print legs -v' says which");
}

#define NARROW                                                                 \
	"(The terminal is too narrow for all columns; > FILE has them.)\n"

static void nodes_text(const struct tables *tables,
		       const struct report_options *options, struct str *out)
{
	struct grid grid = {0};
	bool histogram = false, hidden;

	title("- - - - - - N O D E   T A B L E   C O N T E N T S "
	      "- - - - - - - - - -",
	      options->color, out);
	grid_column(
		&grid,
		(struct column){.top = "Node", .bottom = "Id", .minimum = 4});
	grid_column(&grid, (struct column){.top = "Global",
					   .bottom = "Frame",
					   .minimum = 6});
	grid_column(&grid,
		    (struct column){.top = "Program", .bottom = "Counter"});
	grid_column(&grid, (struct column){.top = "Number of",
					   .bottom = "References",
					   .right = true});
	grid_column(&grid, (struct column){.top = "Config",
					   .bottom = "Name",
					   .minimum = 8});
	grid_column(&grid, (struct column){.top = "Module",
					   .bottom = "Name",
					   .minimum = 8});
	grid_column(&grid, (struct column){.bottom = "Place", .expendable = 1});
	grid_column(&grid,
		    (struct column){.bottom = "Condition", .expendable = 2});
	grid_column(&grid,
		    (struct column){.bottom = "Mechanism", .expendable = 4});
	grid_column(&grid,
		    (struct column){.bottom = "Errors", .expendable = 3});
	for (size_t i = 0; i < tables->node_count; i++) {
		node_row(&grid, &tables->nodes[i]);
		histogram |= tables->nodes[i].stats->histogram != NULL;
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	legend(histogram, false, false, out);
	if (hidden)
		str_append(out, NARROW);
	grid_deinit(&grid);
	if (!tables->node_count)
		str_append(out, "No nodes.\n");
}

/* ---- legs ----------------------------------------------------------- */

static void quantile_cell(struct grid *grid, const struct measure_leg *leg,
			  double q)
{
	double value;

	if (measure_leg_quantile(leg, q, &value))
		grid_take(grid, duration_cell(value));
	else
		grid_text(grid, "-");
}

static void optional_duration(struct grid *grid, bool known, double ns)
{
	grid_take(grid, known ? duration_cell(ns) : xstrdup("-"));
}

static void below_cell(struct grid *grid, const struct tables *tables)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_duration(tables->summary.spread, &text);
	grid_take(grid, str_take(&text));
}

static void percent_cell(struct grid *grid, __int128 part, __int128 whole)
{
	struct str text = {0};

	if (!percent_text(part, whole, &text))
		str_append(&text, "-");
	grid_take(grid, str_take(&text));
}

/* The signed sum of a leg that is below the resolution may be below 0, when
 * breaks cost less than calibration found: no more is known of it than of the
 * mean. */
static void below_total_cells(struct grid *grid, const struct tables *tables,
			      const struct measure_leg *leg)
{
	__int128 bound =
		(__int128)(tables->summary.spread * (double)leg->count);
	struct str time = {0}, percent = {0};

	str_append(&time, "< ");
	report_memo_time(bound, &time);
	str_append(&percent, "< ");
	if (!percent_text(bound, tables->summary.elapsed, &percent)) {
		str_deinit(&percent);
		str_append(&percent, "-");
	}
	grid_take(grid, str_take(&time));
	below_cell(grid, tables);
	grid_take(grid, str_take(&percent));
}

static void leg_memo_cells(struct grid *grid, const struct tables *tables,
			   const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	struct str count = {0};

	report_number(stats->count, &count);
	str_append_char(&count, measure_leg_is_marked(stats) ? '~' : ' ');
	grid_printf(grid, "%" PRIu32 "%s", stats->id,
		    stats->histogram ? "*" : "");
	grid_printf(grid, "%" PRIu32, stats->spec.from);
	grid_text(grid, "->");
	grid_printf(grid, "%" PRIu32, stats->spec.to);
	grid_take(grid, str_take(&count));
	if (leg->below_resolution && stats->total < 0) {
		below_total_cells(grid, tables, stats);
		return;
	}
	grid_take(grid, memo_time_cell(stats->total));
	if (leg->below_resolution)
		below_cell(grid, tables);
	else
		grid_take(grid,
			  memo_time_cell(stats->count
						 ? stats->total / stats->count
						 : 0));
	percent_cell(grid, stats->total, tables->summary.elapsed);
}

static void leg_addition_cells(struct grid *grid, const struct tables *tables,
			       const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	bool any = stats->count > 0;

	grid_text(grid, ""); /* no mechanism knows the time on the CPU */
	optional_duration(grid, any, (double)stats->min);
	if (leg->below_resolution)
		below_cell(grid, tables);
	else
		optional_duration(grid, any, stats->mean);
	quantile_cell(grid, stats, 0.5);
	quantile_cell(grid, stats, 0.9);
	quantile_cell(grid, stats, 0.99);
	optional_duration(grid, any, (double)stats->max);
}

static const char *const owner_names[] = {
	[OWNER_THREAD] = "thread", [OWNER_LEG] = "leg", [OWNER_KEY] = "key"};
static const char *const match_names[] = {[MATCH_LAST] = "last",
					  [MATCH_FIRST] = "first",
					  [MATCH_NESTED] = "nested",
					  [MATCH_OUTERMOST] = "outermost"};

static void leg_verbose_cells(struct grid *grid, const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	quantile_cell(grid, stats, 0.999);
	optional_duration(grid, stats->count > 1, measure_leg_stddev(stats));
	if (leg->key_text)
		grid_printf(grid, "key=%s", leg->key_text);
	else
		grid_text(grid, owner_names[stats->spec.owner]);
	grid_text(grid, match_names[stats->spec.match]);
	grid_take(grid, number_cell(stats->from_hits));
	grid_take(grid, number_cell(stats->ignored_from));
	grid_take(grid, number_cell(stats->unwound));
	grid_take(grid, number_cell(stats->discarded));
	grid_take(grid, number_cell(stats->open));
	grid_take(grid, number_cell(stats->to_hits));
	grid_take(grid, number_cell(stats->ignored_to));
}

static void leg_columns(struct grid *grid, bool verbose)
{
	static const struct column memo[] = {
		{.top = "Leg", .bottom = "Id", .minimum = 3},
		{.top = "From", .bottom = "Node", .right = true},
		{.bare = true, .tight = true, .minimum = 2},
		{.top = "To", .bottom = "Node", .tight = true, .minimum = 4},
		{.top = "# of Times", .bottom = "Referenced ", .right = true},
		{.top = "Total Time", .bottom = "sec.msec:usec", .right = true},
		{.top = "Average Time",
		 .bottom = "sec.msec:usec",
		 .right = true},
		{.top = "% of", .bottom = "Time", .right = true, .minimum = 5},
		{.top = "CPU",
		 .bottom = "Time",
		 .right = true,
		 .expendable = 6},
		{.bottom = "Min", .right = true, .expendable = 4},
		{.bottom = "Mean", .right = true, .expendable = 1},
		{.bottom = "p50", .right = true, .expendable = 2},
		{.bottom = "p90", .right = true, .expendable = 3},
		{.bottom = "p99", .right = true, .expendable = 2},
		{.bottom = "Max", .right = true, .expendable = 5},
	};
	static const struct column more[] = {
		{.bottom = "p99.9", .right = true},
		{.top = "Std.", .bottom = "Dev.", .right = true},
		{.bottom = "Owner"},
		{.bottom = "Match"},
		{.top = "From", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "From", .right = true},
		{.bottom = "Unwound", .right = true},
		{.bottom = "Discarded", .right = true},
		{.bottom = "Open", .right = true},
		{.top = "To", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "To", .right = true},
	};

	for (size_t i = 0; i < sizeof(memo) / sizeof(*memo); i++)
		grid_column(grid, memo[i]);
	for (size_t i = 0; verbose && i < sizeof(more) / sizeof(*more); i++)
		grid_column(grid, more[i]);
}

static void legs_text(const struct tables *tables,
		      const struct report_options *options, struct str *out)
{
	struct grid grid = {0};
	bool histogram = false, left_out = false, over = false, hidden;

	title("- - - - - - - L E G   T A B L E   C O N T E N T S "
	      "- - - - - - - - -",
	      options->color, out);
	leg_columns(&grid, options->verbose);
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *leg = &tables->legs[i];

		leg_memo_cells(&grid, tables, leg);
		leg_addition_cells(&grid, tables, leg);
		if (options->verbose)
			leg_verbose_cells(&grid, leg);
		histogram |= leg->stats->histogram != NULL;
		left_out |= measure_leg_is_marked(leg->stats);
		over |= leg->stats->total > tables->summary.elapsed &&
			tables->summary.elapsed;
	}
	/* all of it was asked for */
	hidden = !options->verbose && grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	legend(histogram, left_out, options->verbose, out);
	if (hidden)
		str_append(out, NARROW);
	grid_deinit(&grid);
	if (!tables->leg_count)
		str_append(out, "No legs.\n");
	if (over)
		str_append(out, "% of Time above 100: several executions of "
				"the leg were going on at once (threads,\n"
				"nested activations).\n");
}

/* ---- all ------------------------------------------------------------ */

static void histograms_text(const struct tables *tables,
			    const struct report_options *options,
			    struct str *out)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		const struct measure_node *node = tables->nodes[i].stats;

		if (!node->histogram)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_histogram_text(node->histogram, false, node->id, options,
				      out);
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!leg->histogram)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_histogram_text(leg->histogram, true, leg->id, options,
				      out);
	}
}

static void splits_text(const struct tables *tables,
			const struct report_options *options, struct str *out)
{
	for (size_t i = 0; i < tables->node_count; i++) {
		if (!tables->nodes[i].stats->split)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_node_split_text(&tables->nodes[i], options, out);
	}
	for (size_t i = 0; i < tables->leg_count; i++) {
		if (!tables->legs[i].stats->split)
			continue;
		if (out->length)
			str_append_char(out, '\n');
		report_leg_split_text(tables, &tables->legs[i], options, out);
	}
}

void report_text(const struct tables *tables, unsigned parts,
		 const struct report_options *options, struct str *out)
{
	struct str text = {0};

	if (parts & PART_SUMMARY)
		summary_text(tables, &text);
	if (parts & PART_NODES) {
		if (text.length)
			str_append_char(&text, '\n');
		nodes_text(tables, options, &text);
	}
	if (parts & PART_LEGS) {
		if (text.length)
			str_append_char(&text, '\n');
		legs_text(tables, options, &text);
	}
	if (parts & PART_SPLITS)
		splits_text(tables, options, &text);
	if (parts & PART_HISTOGRAMS)
		histograms_text(tables, options, &text);
	if (parts == PART_SPLITS && !text.length)
		str_append(&text, "Nothing is split.\n");
	if (parts == PART_HISTOGRAMS && !text.length)
		str_append(&text, "No histograms.\n");
	str_append(out, str_text(&text));
	str_deinit(&text);
}
