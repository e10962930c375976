/* compared_tables.c - see compared_tables.h */
#include "compared_tables.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"

struct compared_tables *compared_create(struct compared_names *names)
{
	struct compared_tables *tables = xcalloc(1, sizeof(*tables));

	tables->head = saved_create();
	tables->names = names;
	return tables;
}

void compared_destroy(struct compared_tables *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; i < tables->runs.count; i++)
		compared_destroy(tables->runs.data[i]);
	vec_free(&tables->runs);
	vec_free(&tables->legs);
	vec_free(&tables->bytes);
	free(tables->first);
	free(tables->order);
	saved_destroy(tables->head);
	free(tables);
}

static void add_buckets(struct compared_tables *tables,
			struct compared_leg *leg,
			const struct saved_bucket_list *buckets)
{
	leg->has_buckets = buckets->count > 0;
	if (leg->has_buckets)
		leg->buckets = buckets_pack(&tables->bytes, buckets);
}

void compared_give_buckets(struct compared_tables *tables, uint64_t id,
			   const struct saved_bucket_list *buckets)
{
	size_t at;

	/* legs are in the order of their numbers */
	SEARCH_FIRST(at, tables->legs.count, tables->legs.data[at].id >= id);
	if (at < tables->legs.count && tables->legs.data[at].id == id &&
	    !tables->legs.data[at].has_buckets)
		add_buckets(tables, &tables->legs.data[at], buckets);
}

void compared_add(struct compared_tables *tables, const struct saved_leg *leg)
{
	struct compared_leg kept = {
		.name = compared_names_add(tables->names, leg->name),
		.id = leg->id,
		.count = leg->count,
		.total = (double)leg->total,
		.mean = leg->mean,
		.p50 = leg->p50,
		.p99 = leg->p99,
		.resolution = leg->resolution};

	add_buckets(tables, &kept, &leg->buckets);
	vec_push(&tables->legs, kept);
}

void compared_index(struct compared_tables *tables)
{
	size_t names = tables->names->texts.count, sum = 0;
	uint32_t *first = xcalloc(names + 1, sizeof(*first));

	free(tables->first);
	free(tables->order);
	tables->first = first;
	tables->name_count = names;
	tables->order = xcalloc(tables->legs.count, sizeof(*tables->order));
	for (size_t i = 0; i < tables->legs.count; i++) {
		struct compared_leg *leg = &tables->legs.data[i];

		leg->nth = first[leg->name]++;
	}
	for (size_t i = 0; i <= names; i++) {
		size_t count = first[i];

		first[i] = (uint32_t)sum;
		sum += count;
	}
	for (size_t i = 0; i < tables->legs.count; i++) {
		const struct compared_leg *leg = &tables->legs.data[i];

		tables->order[first[leg->name] + leg->nth] = (uint32_t)i;
	}
}

const struct compared_leg *compared_find(const struct compared_tables *tables,
					 uint32_t name, uint32_t nth)
{
	const uint32_t *first = tables->first;

	if (name >= tables->name_count || nth >= first[name + 1] - first[name])
		return NULL;
	return &tables->legs.data[tables->order[first[name] + nth]];
}

const char *compared_name(const struct compared_tables *tables,
			  const struct compared_leg *leg)
{
	return tables->names->texts.data[leg->name];
}

/* ---- of tables that are there -------------------------------------------- */

struct compared_tables *compared_of(const struct saved_tables *from,
				    struct compared_names *names)
{
	struct compared_tables *tables = compared_create(names);

	tables->head->clock_resolution = from->clock_resolution;
	for (size_t i = 0; i < from->legs.count; i++)
		compared_add(tables, &from->legs.data[i]);
	compared_index(tables);
	return tables;
}

void compared_take_run(struct compared_tables *tables,
		       struct compared_tables *run)
{
	vec_push(&tables->runs, run);
}
