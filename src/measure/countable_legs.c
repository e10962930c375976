/*
 * countable_legs.c - which legs the threads of the program could count by
 * themselves, as far as the tables are concerned
 */
#include "measure_state.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

static bool has_tables(const struct node *node)
{
	return node->public.histogram || node->public.split;
}

static bool is_by_order(const struct leg *leg)
{
	const struct leg_spec *spec = &leg->public.spec;

	return spec->owner == OWNER_THREAD &&
	       (spec->match == MATCH_LAST || spec->match == MATCH_FIRST);
}

/* Can a thread match the leg by itself? `from` and `to` are its nodes. A leg by
 * order may begin where another one ends. */
static bool is_matched_by_threads(const struct leg *leg,
				  const struct node *from,
				  const struct node *to)
{
	const struct leg_spec *spec = &leg->public.spec;

	if (is_by_order(leg))
		return !from->ending.count ||
		       (from->ending.count == 1 &&
			is_by_order(from->ending.data[0]));
	return spec->owner == OWNER_THREAD && spec->match == MATCH_NESTED &&
	       spec->whole_frame && spec->from != spec->to &&
	       !from->ending.count && !to->starting.count;
}

/* Could threads count all hits of the leg by themselves, as far as the leg and
 * its nodes are concerned? */
static bool is_countable(const struct measure *measure, const struct leg *leg)
{
	const struct leg_spec *spec = &leg->public.spec;
	const struct histogram *histogram = leg->public.histogram;
	const struct node *from = find_node(measure, spec->from);
	const struct node *to = find_node(measure, spec->to);

	return is_matched_by_threads(leg, from, to) && !leg->public.split &&
	       (!histogram ||
		histogram_spec(histogram)->class == HISTOGRAM_HDR) &&
	       from->starting.count == 1 && to->ending.count == 1 &&
	       !has_tables(from) && !has_tables(to);
}

/* Returns how many activations of the leg threads have open by their own
 * count. */
static uint64_t counted_open(const struct measure *measure, uint32_t leg)
{
	const struct thread *thread;
	uint64_t open = 0;
	size_t cursor = 0;

	while ((thread = map_next(&measure->threads, &cursor, NULL)))
		if (leg < thread->counted_open.count)
			open += (uint64_t)thread->counted_open.data[leg];
	return open;
}

bool measure_is_countable(const struct measure *measure, uint32_t id,
			  struct measure_countable *out)
{
	const struct node *node = find_node(measure, id);
	const struct leg *leg;

	if (!node || node->public.deleted || measure->observe ||
	    measure->inside || measure->track != TRACK_ALL ||
	    measure->add_successor || !measure->compensation ||
	    !measure->monitor || !node->starting.count)
		return false;
	leg = node->starting.data[0];
	if (!is_countable(measure, leg))
		return false;
	*out = (struct measure_countable){
		.leg = leg->public.id,
		.from = leg->public.spec.from,
		.to = leg->public.spec.to,
		.is_open = leg->public.open !=
			   counted_open(measure, leg->public.id),
		.by_order = is_by_order(leg),
		.keeps_first = leg->public.spec.match == MATCH_FIRST,
		.from_ends = node->ending.count,
		.to_begins = find_node(measure, leg->public.spec.to)
				     ->starting.count};
	return true;
}
