/*
 * merged_tables.c - the merged tables, as text, JSON and CSV
 */
#include <json-c/json.h>
#include <stdlib.h>

#include "merge_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/rank.h"
#include "perftool/document.h"

const struct tables *merge_tables(struct merge *merge)
{
	merge->tables = *saved_sum_tables(merge->sum);
	vec_clear(&merge->legs);
	for (size_t i = 0; i < merge->tables.leg_count; i++)
		vec_push(&merge->legs, merge->tables.legs[i]);
	merge_sort_ranks(merge);
	if (merge->by_rank)
		merge_fill_shares(merge, merge->legs.data, merge->legs.count);
	merge->tables.by_rank = merge->by_rank;
	merge->tables.legs = merge->legs.data;
	return &merge->tables;
}

/* ---- text ---------------------------------------------------------------- */

/* The most values that a line of the text lists. */
#define MOST_LISTED 4

static void append_set(const struct text_set *set, const char *what,
		       struct str *out)
{
	if (!set->texts.count)
		return;
	str_printf(out, "%s = ", what);
	for (size_t i = 0; i < set->texts.count && i < MOST_LISTED; i++)
		str_printf(out, "%s%s", i ? ", " : "", set->texts.data[i]);
	if (set->texts.count > MOST_LISTED) {
		str_append(out, " and ");
		report_number((__int128)(set->texts.count - MOST_LISTED), out);
		str_append(out, " more");
	}
	str_append_char(out, '\n');
}

/* Appends the ranks as ranges, such as "0-3, 5". */
static void append_ranks(const struct merge *merge, struct str *out)
{
	size_t listed = 0, at = 0;

	while (at < merge->ranks.count && listed < 2 * MOST_LISTED) {
		int64_t first = merge->ranks.data[at].rank, last = first;

		while (++at < merge->ranks.count &&
		       merge->ranks.data[at].rank == last + 1)
			last++;
		str_printf(out, "%s%lld", listed++ ? ", " : "",
			   (long long)first);
		if (last > first)
			str_printf(out, "-%lld", (long long)last);
	}
	if (at < merge->ranks.count)
		str_append(out, ", ...");
}

static void append_head(const struct merge *merge, struct str *out)
{
	str_append(out, "Merged Files = ");
	report_number((__int128)merge->file_count, out);
	str_append_char(out, '\n');
	append_set(&merge->programs, "Programs", out);
	append_set(&merge->hosts, "Machines", out);
	if (!merge->ranks.count)
		return;
	str_append(out, "Ranks = ");
	append_ranks(merge, out);
	str_append_char(out, '\n');
}

static int largest_first(const void *a, const void *b)
{
	const struct report_leg *x = a, *y = b;

	if (x->stats->total != y->stats->total)
		return x->stats->total > y->stats->total ? -1 : 1;
	return x->stats->id < y->stats->id ? -1 : x->stats->id > y->stats->id;
}

/* The legs that were executed, those with the largest total first; and the
 * nodes that were reached. */
struct chosen {
	struct tables tables;
	VEC(struct report_leg) legs;
	VEC(struct report_node) nodes;
	size_t unexecuted, unreached;
};

static void choose(const struct tables *tables, struct chosen *out)
{
	*out = (struct chosen){.tables = *tables};
	for (size_t i = 0; i < tables->leg_count; i++) {
		if (tables->legs[i].stats->count)
			vec_push(&out->legs, tables->legs[i]);
		else
			out->unexecuted++;
	}
	for (size_t i = 0; i < tables->node_count; i++) {
		const struct measure_node *stats = tables->nodes[i].stats;

		if (stats->count || stats->errors)
			vec_push(&out->nodes, tables->nodes[i]);
		else
			out->unreached++;
	}
	if (out->legs.count)
		qsort(out->legs.data, out->legs.count, sizeof(*out->legs.data),
		      largest_first);
	out->tables.legs = out->legs.data;
	out->tables.leg_count = out->legs.count;
	out->tables.nodes = out->nodes.data;
	out->tables.node_count = out->nodes.count;
}

static void chosen_deinit(struct chosen *chosen)
{
	vec_free(&chosen->legs);
	vec_free(&chosen->nodes);
}

void merge_text(struct merge *merge, const struct report_options *look,
		struct str *out)
{
	struct report_options options = *look;
	struct chosen chosen;

	choose(merge_tables(merge), &chosen);
	options.unexecuted = chosen.unexecuted;
	options.unreached = chosen.unreached;
	append_head(merge, out);
	report_text(&chosen.tables, PART_ALL, &options, out);
	if (merge->by_rank) {
		options.by_process = true;
		options.unexecuted = 0;
		merge_fill_shares(merge, chosen.legs.data, chosen.legs.count);
		chosen.tables.legs = NULL;
		chosen.tables.leg_count = merge->shares.count;
		str_append_char(out, '\n');
		report_text(&chosen.tables, PART_LEGS, &options, out);
	}
	chosen_deinit(&chosen);
}

/* ---- JSON ---------------------------------------------------------------- */

static struct json_object *texts(const struct text_set *set)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < set->texts.count; i++)
		json_object_array_add(array, document_text(set->texts.data[i]));
	return array;
}

static struct json_object *merged_object(const struct merge *merge)
{
	struct json_object *object = json_object_new_object();
	struct json_object *ranks = json_object_new_array();

	for (size_t i = 0; i < merge->ranks.count; i++)
		json_object_array_add(
			ranks,
			json_object_new_int64(merge->ranks.data[i].rank));
	json_object_object_add(
		object, "files",
		json_object_new_int64((int64_t)merge->file_count));
	json_object_object_add(object, "programs", texts(&merge->programs));
	json_object_object_add(object, "versions", texts(&merge->versions));
	json_object_object_add(object, "clocks", texts(&merge->clocks));
	json_object_object_add(object, "hosts", texts(&merge->hosts));
	json_object_object_add(object, "ranks", ranks);
	return object;
}

struct error *merge_json(struct merge *merge, const struct report_sink *sink,
			 struct str *out)
{
	struct json_object *object;

	TRY(report_json_pieces(merge_tables(merge), sink, out));
	object = merged_object(merge);
	report_json_member(
		"merged",
		json_object_to_json_string_ext(
			object, JSON_C_TO_STRING_PRETTY |
					JSON_C_TO_STRING_SPACED |
					JSON_C_TO_STRING_NOSLASHESCAPE),
		out);
	json_object_put(object);
	return NULL;
}

/* ---- CSV ----------------------------------------------------------------- */

struct csv_table {
	const char *name;
	enum report_part part;
};

/* Returns table `index` of those that there are, or NULL after the last one. */
static const struct csv_table *csv_table(struct merge *merge, size_t index)
{
	static const struct csv_table tables[] = {
		{"nodes", PART_NODES},
		{"legs", PART_LEGS},
		{"histograms", PART_HISTOGRAMS},
		{"by", PART_SPLITS},
	};
	static const struct csv_table ranks = {"ranks", PART_PROCESSES},
				      processes = {"processes", PART_PROCESSES};
	const size_t count = sizeof(tables) / sizeof(*tables);

	if (index < count)
		return &tables[index];
	if (index > count)
		return NULL;
	if (merge->by_rank)
		return &ranks;
	return merge_tables(merge)->process_count > 1 ? &processes : NULL;
}

const char *merge_csv_name(struct merge *merge, size_t index)
{
	const struct csv_table *table = csv_table(merge, index);

	return table ? table->name : NULL;
}

struct error *merge_csv(struct merge *merge, size_t index,
			const struct report_sink *sink, struct str *out)
{
	return report_csv_pieces(merge_tables(merge),
				 csv_table(merge, index)->part, sink, out);
}
