/*
 * tables_sum.c - adds up the tables of several runs or processes
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "saved_histogram.h"
#include "sum_state.h"

struct saved_sum *saved_sum_create(void)
{
	return xcalloc(1, sizeof(struct saved_sum));
}

static void destroy_process(struct sum_process *process)
{
	free(process->is.comm);
	free(process->is.command);
	free(process);
}

void saved_sum_destroy(struct saved_sum *sum)
{
	if (!sum)
		return;
	for (size_t i = 0; i < sum->legs.count; i++)
		sum_leg_destroy(sum->legs.data[i]);
	for (size_t i = 0; i < sum->nodes.count; i++)
		sum_node_destroy(sum->nodes.data[i]);
	for (size_t i = 0; i < sum->processes.count; i++)
		destroy_process(sum->processes.data[i]);
	for (size_t i = 0; i < COMMON_COUNT; i++)
		free(sum->common[i].text);
	sum_figures_deinit(&sum->scratch);
	free(sum->first);
	free(sum->last);
	free(sum->at);
	string_list_deinit(&sum->arguments);
	strmap_deinit(&sum->leg_of);
	strmap_deinit(&sum->node_of);
	strmap_deinit(&sum->process_of);
	vec_free(&sum->legs);
	vec_free(&sum->nodes);
	vec_free(&sum->processes);
	vec_free(&sum->report_legs);
	vec_free(&sum->report_shares);
	vec_free(&sum->report_nodes);
	free(sum);
}

char *sum_copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* ---- the head ------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && str_equal(a, b));
}

static void add_common(struct common *common, const char *text)
{
	if (!common->is_known) {
		common->text = sum_copy(text);
		common->is_known = true;
	} else if (!same_text(common->text, text)) {
		free(common->text);
		common->text = NULL;
	}
}

/* Keeps the earlier, or the later, of two times of day. They are compared as
 * texts: their zone is most often the same. */
static void keep_if(char **kept, const char *text, bool later)
{
	if (!text || (*kept && (strcmp(text, *kept) > 0) != later))
		return;
	free(*kept);
	*kept = xstrdup(text);
}

static bool same_arguments(const struct saved_sum *sum,
			   const struct saved_tables *from)
{
	if (!from->has_arguments ||
	    sum->arguments.count != from->arguments.count + 1)
		return false;
	for (size_t i = 0; i < from->arguments.count; i++)
		if (!str_equal(sum->arguments.data[i], from->arguments.data[i]))
			return false;
	return true;
}

static void add_arguments(struct saved_sum *sum,
			  const struct saved_tables *from)
{
	if (sum->count) {
		sum->has_arguments =
			sum->has_arguments && same_arguments(sum, from);
		return;
	}
	for (size_t i = 0; i < from->arguments.count; i++)
		vec_push(&sum->arguments, xstrdup(from->arguments.data[i]));
	vec_push(&sum->arguments, NULL);
	sum->has_arguments = from->has_arguments;
}

static void add_head(struct saved_sum *sum, const struct saved_tables *from)
{
	struct measure_summary *summary = &sum->tables.summary;
	const char *const texts[COMMON_COUNT] = {
		[COMMON_VERSION] = from->version,
		[COMMON_HOST] = from->host,
		[COMMON_KERNEL] = from->kernel,
		[COMMON_CPU] = from->cpu,
		[COMMON_CLOCK] = from->clock,
		[COMMON_PROGRAM] = from->program,
		[COMMON_BUILD_ID] = from->build_id,
		[COMMON_STATE] = from->state};

	for (size_t i = 0; i < COMMON_COUNT; i++)
		add_common(&sum->common[i], texts[i]);
	add_arguments(sum, from);
	keep_if(&sum->first, from->started, false);
	keep_if(&sum->last, from->ended, true);
	keep_if(&sum->at, from->at, true);
	if (!sum->count)
		sum->exit_status = from->exit_status;
	else if (sum->exit_status != from->exit_status)
		sum->exit_status = -1;
	if (!isnan(from->clock_resolution) &&
	    from->clock_resolution > sum->clock_resolution)
		sum->clock_resolution = from->clock_resolution;
	summary->elapsed += from->elapsed;
	summary->overhead += from->overhead;
	summary->added_overhead += from->added_overhead;
	summary->breaks += from->breaks;
	summary->passed += from->passed;
	summary->followed += from->followed;
	summary->followed_int3 += from->followed_int3;
}

/* ---- histograms ---------------------------------------------------------- */

/* Adds a histogram that a command has made. One that does not have the buckets
 * of those before it is left out. */
static void add_histogram(struct saved_sum *sum, struct histogram **into,
			  const struct saved_histogram *from, const char *name)
{
	if (!histogram_row_add(from, into))
		sum->left_out = name;
}

static void add_histograms(struct saved_sum *sum,
			   const struct saved_tables *from,
			   const struct map *ids)
{
	for (size_t i = 0; i < from->histograms.count; i++) {
		const struct saved_histogram *at = &from->histograms.data[i];
		struct sum_leg *leg =
			at->of_leg ? sum_leg_of(sum, from, at->id) : NULL;
		size_t node =
			at->of_leg ? 0 : (size_t)map_get_number(ids, at->id);

		if (leg) {
			add_histogram(sum, &leg->made, at, leg->name);
		} else if (node) {
			struct sum_node *of = sum->nodes.data[node - 1];

			add_histogram(sum, &of->stats.histogram, at, of->place);
		}
	}
}

const char *saved_sum_left_out(const struct saved_sum *sum)
{
	return sum->left_out;
}

const char *saved_sum_unsplit(const struct saved_sum *sum)
{
	return sum->unsplit;
}

void saved_sum_add(struct saved_sum *sum, const struct saved_tables *tables)
{
	struct map ids = {0};

	add_head(sum, tables);
	sum_add_nodes(sum, tables, &ids);
	sum_begin_shares(sum, tables);
	sum_add_legs(sum, tables, &ids);
	sum_add_shares(sum, tables);
	add_histograms(sum, tables, &ids);
	map_deinit(&ids);
	sum->count++;
}

/* ---- the tables ---------------------------------------------------------- */

static void fill_head(struct saved_sum *sum)
{
	const struct common *common = sum->common;
	struct measure_summary *summary = &sum->tables.summary;
	struct tables *tables = &sum->tables;

	summary->average_overhead =
		summary->breaks
			? (double)summary->overhead / (double)summary->breaks
			: 0;
	summary->overhead_percent = summary->elapsed
					    ? 100 * (double)summary->overhead /
						      (double)summary->elapsed
					    : 0;
	tables->is_sum = true;
	tables->version = common[COMMON_VERSION].text;
	tables->at = sum->at;
	tables->started = sum->first;
	tables->ended = sum->last;
	tables->host = common[COMMON_HOST].text;
	tables->kernel = common[COMMON_KERNEL].text;
	tables->cpu = common[COMMON_CPU].text;
	tables->clock_source = common[COMMON_CLOCK].text;
	tables->clock_resolution = sum->clock_resolution;
	tables->program = (struct report_program){
		.path = common[COMMON_PROGRAM].text,
		.build_id = common[COMMON_BUILD_ID].text,
		.args = sum->has_arguments
				? (const char *const *)sum->arguments.data
				: NULL,
		.state = common[COMMON_STATE].text,
		.exit_status = (int)sum->exit_status};
}

const struct tables *saved_sum_tables(struct saved_sum *sum)
{
	fill_head(sum);
	sum_fill_nodes(sum);
	sum_fill_legs(sum);
	return &sum->tables;
}
