/*
 * saved_tables.c - tables that were read: making, freeing, looking up
 */
#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/saved.h"
#include "saved_buckets.h"
#include "saved_histogram.h"
#include "saved_parts.h"

struct saved_tables *saved_create(void)
{
	struct saved_tables *tables = xcalloc(1, sizeof(*tables));

	tables->rank = -1;
	tables->exit_status = -1;
	tables->clock_resolution = NAN;
	return tables;
}

static void destroy_index(struct saved_tables *tables)
{
	struct saved_namesakes *same;
	size_t cursor = 0;
	const char *name;

	while ((same = strmap_next(&tables->by_name, &cursor, &name))) {
		vec_free(same);
		free(same);
	}
	strmap_deinit(&tables->by_name);
}

/* NULL is allowed. */
static void destroy_split(struct saved_split *split)
{
	if (!split)
		return;
	for (size_t i = 0; i < split->rows.count; i++) {
		free(split->rows.data[i].text);
		vec_free(&split->rows.data[i].buckets);
	}
	vec_free(&split->rows);
	free(split->expression);
	free(split);
}

void saved_leg_deinit(struct saved_leg *leg)
{
	for (size_t i = 0; i < leg->shares.count; i++) {
		struct saved_share *share = &leg->shares.data[i];

		free(share->comm);
		free(share->command);
		saved_leg_deinit(&share->figures);
	}
	vec_free(&leg->shares);
	destroy_split(leg->split);
	free(leg->name);
	free(leg->from_place);
	free(leg->to_place);
	free(leg->owner);
	free(leg->match);
	free(leg->counted);
	vec_free(&leg->buckets);
}

void saved_node_deinit(struct saved_node *node)
{
	destroy_split(node->split);
	free(node->kind);
	free(node->location);
	free(node->function);
	free(node->file);
	free(node->module);
	free(node->condition);
	free(node->mechanism);
}

void saved_destroy(struct saved_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->runs.count; i++)
		saved_destroy(tables->runs.data[i]);
	vec_free(&tables->runs);
	destroy_index(tables);
	for (size_t i = 0; i < tables->legs.count; i++)
		saved_leg_deinit(&tables->legs.data[i]);
	vec_free(&tables->legs);
	for (size_t i = 0; i < tables->nodes.count; i++)
		saved_node_deinit(&tables->nodes.data[i]);
	vec_free(&tables->nodes);
	for (size_t i = 0; i < tables->histograms.count; i++)
		histogram_row_deinit(&tables->histograms.data[i]);
	vec_free(&tables->histograms);
	vec_free(&tables->merged_ranks);
	string_list_deinit(&tables->merged_hosts);
	string_list_deinit(&tables->merged_programs);
	free(tables->path);
	free(tables->version);
	free(tables->at);
	free(tables->started);
	free(tables->ended);
	free(tables->host);
	free(tables->kernel);
	free(tables->cpu);
	free(tables->clock);
	free(tables->program);
	free(tables->build_id);
	string_list_deinit(&tables->arguments);
	free(tables->state);
	free(tables);
}

void saved_index(struct saved_tables *tables)
{
	destroy_index(tables);
	for (size_t i = 0; i < tables->legs.count; i++) {
		struct saved_leg *leg = &tables->legs.data[i];
		struct saved_namesakes *same =
			strmap_get(&tables->by_name, leg->name);

		if (!same) {
			same = xcalloc(1, sizeof(*same));
			strmap_set(&tables->by_name, leg->name, same);
		}
		leg->nth = (uint32_t)same->count;
		vec_push(same, i);
	}
}

struct saved_leg *saved_find(const struct saved_tables *tables,
			     const char *name, uint32_t nth)
{
	const struct saved_namesakes *same = strmap_get(&tables->by_name, name);

	if (!same || nth >= same->count)
		return NULL;
	return &tables->legs.data[same->data[nth]];
}

bool saved_quantile(const struct saved_leg *leg, double q, double *result)
{
	uint64_t count = 0, rank, before = 0;
	size_t i;

	for (i = 0; i < leg->buckets.count; i++)
		count += leg->buckets.data[i].count;
	if (!count)
		return false;
	rank = (uint64_t)ceil(q * (double)count);
	rank = rank < 1 ? 1 : rank > count ? count : rank;
	for (i = 0; i + 1 < leg->buckets.count; i++) {
		before += leg->buckets.data[i].count;
		if (rank <= before)
			break;
	}
	*result = bucket_middle(&leg->buckets.data[i]);
	if (*result < leg->min)
		*result = leg->min;
	if (*result > leg->max)
		*result = leg->max;
	return true;
}
