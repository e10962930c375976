/* leg_sum.c - adds up legs */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/split.h"
#include "sum_state.h"

static const char *const owners[] = {[OWNER_THREAD] = "thread",
				     [OWNER_LEG] = "leg",
				     [OWNER_KEY] = "key",
				     [OWNER_GOROUTINE] = "goroutine"};
static const char *const matches[] = {[MATCH_LAST] = "last",
				      [MATCH_FIRST] = "first",
				      [MATCH_NESTED] = "nested",
				      [MATCH_OUTERMOST] = "outermost"};

static unsigned index_of(const char *text, const char *const *names,
			 unsigned count)
{
	for (unsigned i = 0; text && i < count; i++)
		if (str_starts(text, names[i]))
			return i;
	return 0;
}

static struct sum_leg *create(const struct saved_leg *leg, uint32_t id)
{
	struct sum_leg *out = xcalloc(1, sizeof(*out));
	struct leg_spec *spec = &out->figures.stats.spec;

	sum_figures_init(&out->figures);
	out->figures.stats.id = id;
	out->name = xstrdup(leg->name);
	out->from_place = sum_copy(leg->from_place);
	out->to_place = sum_copy(leg->to_place);
	spec->owner = (enum leg_owner)index_of(
		leg->owner, owners, sizeof(owners) / sizeof(*owners));
	spec->match = (enum leg_match)index_of(
		leg->match, matches, sizeof(matches) / sizeof(*matches));
	if (spec->owner == OWNER_KEY && str_starts(leg->owner, "key="))
		out->key = xstrdup(leg->owner + strlen("key="));
	return out;
}

static void add_leg(struct saved_sum *sum, const struct saved_leg *from,
		    const struct map *ids)
{
	CLEANUP(free_pointer)
	char *key = xasprintf("%u\n%s", from->nth, from->name);
	struct sum_leg *leg = strmap_get(&sum->leg_of, key);

	if (!leg) {
		leg = create(from, (uint32_t)sum->legs.count);
		leg->figures.stats.spec.from =
			(uint32_t)map_get_number(ids, from->from);
		leg->figures.stats.spec.to =
			(uint32_t)map_get_number(ids, from->to);
		vec_push(&sum->legs, leg);
		strmap_set(&sum->leg_of, key, leg);
	}
	leg->is_users |= from->made_by == MADE_BY_USER;
	sum_figures_add(&leg->figures, from);
	if (!sum_add_split(&leg->by, &leg->figures.stats.split, from->split,
			   true))
		sum->unsplit = leg->name;
}

void sum_add_legs(struct saved_sum *sum, const struct saved_tables *from,
		  const struct map *ids)
{
	for (size_t i = 0; i < from->legs.count; i++)
		add_leg(sum, &from->legs.data[i], ids);
}

struct sum_leg *sum_leg_named(const struct saved_sum *sum,
			      const struct saved_leg *leg)
{
	CLEANUP(free_pointer)
	char *key = xasprintf("%u\n%s", leg->nth, leg->name);

	return strmap_get(&sum->leg_of, key);
}

struct sum_leg *sum_leg_of(const struct saved_sum *sum,
			   const struct saved_tables *from, uint64_t id)
{
	for (size_t i = 0; i < from->legs.count; i++)
		if (from->legs.data[i].id == id)
			return sum_leg_named(sum, &from->legs.data[i]);
	return NULL;
}

/* ---- the tables ---------------------------------------------------------- */

/* Appends the shares of a leg. */
static void fill_shares(struct saved_sum *sum, const struct sum_leg *leg)
{
	for (size_t i = 0; i < leg->shares.count; i++) {
		struct sum_share *share = leg->shares.data[i];
		const struct sum_process *process = share->process;
		struct report_leg row = {.name = leg->name,
					 .from_place = leg->from_place,
					 .to_place = leg->to_place,
					 .is_share = true,
					 .process =
						 process ? &process->is : NULL};

		sum_figures_finish(&share->figures, &row);
		vec_push(&sum->report_shares, row);
	}
}

/* Lets the legs point to their shares, which have their place now. */
static void point_to_shares(struct saved_sum *sum)
{
	size_t at = 0;

	for (size_t i = 0; i < sum->legs.count; i++) {
		struct report_leg *leg = &sum->report_legs.data[i];

		leg->shares = sum->report_shares.data + at;
		leg->share_count = sum->legs.data[i]->shares.count;
		at += leg->share_count;
	}
}

static void fill_leg(struct saved_sum *sum, struct sum_leg *leg)
{
	struct measure_leg *stats = &leg->figures.stats;
	struct report_leg row = {.name = leg->name,
				 .from_place = leg->from_place,
				 .to_place = leg->to_place,
				 .key_text = leg->key,
				 .by_text = leg->by,
				 .made_by = leg->is_users ? NULL : "detail"};

	stats->histogram = leg->made ? leg->made : stats->record;
	sum_figures_finish(&leg->figures, &row);
	vec_push(&sum->report_legs, row);
}

void sum_fill_legs(struct saved_sum *sum)
{
	vec_clear(&sum->report_legs);
	vec_clear(&sum->report_shares);
	for (size_t i = 0; i < sum->legs.count; i++) {
		fill_leg(sum, sum->legs.data[i]);
		fill_shares(sum, sum->legs.data[i]);
	}
	point_to_shares(sum);
	sum->tables.legs = sum->report_legs.data;
	sum->tables.leg_count = sum->report_legs.count;
	/* the rest is a row, too */
	sum->tables.process_count =
		sum->has_shares ? sum->processes.count + 1 : 0;
}

void sum_leg_destroy(struct sum_leg *leg)
{
	sum_leg_destroy_shares(leg);
	sum_leg_destroy_parts(leg);
	measure_split_destroy(leg->figures.stats.split);
	sum_figures_deinit(&leg->figures);
	histogram_destroy(leg->made);
	free(leg->name);
	free(leg->from_place);
	free(leg->to_place);
	free(leg->key);
	free(leg->by);
	free(leg);
}
