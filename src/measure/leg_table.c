/*
 * leg_table.c - the legs, and figures that follow from what is counted of them
 *
 * Invariant: the number of a leg is not used again until the command
 * `initialize tables` removes all legs, except after measure_take_back_leg().
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/measure/measured_legs.h"

static uint64_t pair(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

struct leg *find_leg(const struct measure *measure, uint32_t from, uint32_t to)
{
	return map_get(&measure->legs_by_nodes, pair(from, to));
}

/* Returns the index of leg `id`, or the number of legs if there is no such
 * leg. */
static size_t leg_index(const struct measure *measure, uint32_t id)
{
	size_t low;

	SEARCH_FIRST(low, measure->legs.count,
		     measure->legs.data[low]->public.id >= id);
	if (low < measure->legs.count &&
	    measure->legs.data[low]->public.id == id)
		return low;
	return measure->legs.count;
}

/* Returns the spec, in which members that do not apply are cleared. Legs
 * with keys match by order alone, and so do those that match by `last` or
 * `first`. */
static struct leg_spec normal_spec(const struct leg_spec *spec)
{
	struct leg_spec normal = *spec;

	if (spec->owner == OWNER_KEY || spec->match == MATCH_LAST ||
	    spec->match == MATCH_FIRST)
		normal.by_frame = false;
	normal.whole_frame &= normal.by_frame && spec->from_enters &&
			      spec->adapts && spec->owner == OWNER_THREAD &&
			      spec->match == MATCH_NESTED;
	return normal;
}

void leg_resume(struct measure *measure, struct leg *leg)
{
	vec_push(&find_node(measure, leg->public.spec.from)->starting, leg);
	vec_push(&find_node(measure, leg->public.spec.to)->ending, leg);
}

struct leg *enter_leg(struct measure *measure, const struct leg_spec *spec)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct leg *leg = xcalloc(1, sizeof(*leg));

	/* An hdr histogram has no parameters, so its creation cannot fail. */
	error_destroy(histogram_create(&hdr, true, &leg->public.record));
	leg->public.id = measure->next_leg++;
	leg->public.spec = normal_spec(spec);
	vec_push(&measure->legs, leg);
	map_set(&measure->legs_by_nodes, pair(spec->from, spec->to), leg);
	leg_resume(measure, leg);
	if (spec->owner == OWNER_LEG)
		measure->legs_owning++;
	return leg;
}

static struct error *need_live_node(const struct measure *measure, uint32_t id)
{
	const struct node *node = find_node(measure, id);

	if (!node)
		return error_create(ERROR_NOT_FOUND,
				    "there is no node %" PRIu32, id);
	if (node->public.deleted)
		return error_create(ERROR_NOT_FOUND,
				    "node %" PRIu32 " is deleted", id);
	return NULL;
}

struct error *measure_add_leg(struct measure *measure,
			      const struct leg_spec *spec, uint32_t *id,
			      bool *existed)
{
	struct leg *leg;

	TRY(need_live_node(measure, spec->from));
	TRY(need_live_node(measure, spec->to));
	leg = find_leg(measure, spec->from, spec->to);
	*existed = leg != NULL;
	if (!leg)
		leg = enter_leg(measure, spec);
	*id = leg->public.id;
	return NULL;
}

static void leave_nodes(struct measure *measure, const struct leg *leg)
{
	struct node *from = find_node(measure, leg->public.spec.from);
	struct node *to = find_node(measure, leg->public.spec.to);

	for (size_t i = from->starting.count; i-- > 0;)
		if (from->starting.data[i] == leg)
			vec_remove(&from->starting, i);
	for (size_t i = to->ending.count; i-- > 0;)
		if (to->ending.data[i] == leg)
			vec_remove(&to->ending, i);
}

void leg_stop(struct measure *measure, struct leg *leg)
{
	leave_nodes(measure, leg);
	discard_leg(measure, leg);
}

static void leg_destroy(struct measure *measure, struct leg *leg)
{
	forget_past(&leg->past);
	forget_shares(measure, leg);
	histogram_destroy(leg->public.record);
	histogram_destroy(leg->public.histogram);
	split_destroy(split_of(leg->public.split));
	clear_slowest(&leg->public.slowest);
	vec_free(&leg->public.slowest);
	map_deinit(&leg->processes);
	free(leg);
}

struct leg *leg_of_id(const struct measure *measure, uint32_t id)
{
	size_t index = leg_index(measure, id);

	return index < measure->legs.count ? measure->legs.data[index] : NULL;
}

static struct error *need_leg(const struct measure *measure, uint32_t id,
			      struct leg **out)
{
	size_t index = leg_index(measure, id);

	if (index == measure->legs.count)
		return error_create(ERROR_NOT_FOUND, "there is no leg %" PRIu32,
				    id);
	*out = measure->legs.data[index];
	return NULL;
}

static void remove_leg(struct measure *measure, size_t index)
{
	struct leg *leg = measure->legs.data[index];

	leg_stop(measure, leg);
	vec_remove(&measure->legs, index);
	map_remove(&measure->legs_by_nodes,
		   pair(leg->public.spec.from, leg->public.spec.to));
	if (leg->public.spec.owner == OWNER_LEG)
		measure->legs_owning--;
	leg_destroy(measure, leg);
}

struct error *measure_delete_leg(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	remove_leg(measure, leg_index(measure, id));
	return NULL;
}

void measure_take_back_leg(struct measure *measure)
{
	size_t last = measure->legs.count - 1;

	measure->next_leg = measure->legs.data[last]->public.id;
	remove_leg(measure, last);
}

void clear_legs(struct measure *measure)
{
	for (size_t i = 0; i < measure->legs.count; i++)
		leg_destroy(measure, measure->legs.data[i]);
	vec_free(&measure->legs);
	map_deinit(&measure->legs_by_nodes);
	measure->legs_owning = 0;
	measure->next_leg = 0;
}

const struct measure_leg *measure_leg(const struct measure *measure,
				      uint32_t id)
{
	return measure_leg_at(measure, leg_index(measure, id));
}

const struct measure_leg *measure_leg_between(const struct measure *measure,
					      uint32_t from, uint32_t to)
{
	const struct leg *leg = find_leg(measure, from, to);

	return leg ? &leg->public : NULL;
}

const struct measure_leg *measure_leg_at(const struct measure *measure,
					 size_t index)
{
	return index < measure->legs.count ? &measure->legs.data[index]->public
					   : NULL;
}

struct error *measure_leg_add_histogram(struct measure *measure, uint32_t id,
					const struct histogram_spec *spec)
{
	struct histogram *histogram = NULL;
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(histogram_create(spec, true, &histogram));
	histogram_destroy(leg->public.histogram);
	leg->public.histogram = histogram;
	return NULL;
}

bool measure_leg_claim_histogram(struct measure *measure, uint32_t id)
{
	const struct measure_leg *leg = measure_leg(measure, id);

	return leg && leg->histogram && histogram_claim(leg->histogram);
}

struct error *measure_leg_delete_histogram(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	if (!leg->public.histogram)
		return error_create(ERROR_NOT_FOUND,
				    "leg %" PRIu32 " has no histogram", id);
	histogram_destroy(leg->public.histogram);
	leg->public.histogram = NULL;
	return NULL;
}

/* ---- splits --------------------------------------------------------- */

/* The rows of the split are freed, so no execution may point to one of them. */
static void forget_split(struct leg *leg)
{
	for (size_t i = 0; i < leg->public.slowest.count; i++)
		leg->public.slowest.data[i].row = NULL;
	split_destroy(split_of(leg->public.split));
	leg->public.split = NULL;
}

struct error *measure_split_leg(struct measure *measure, uint32_t id,
				const struct split_spec *spec)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	forget_split(leg);
	leg->public.split =
		&split_create(spec, ++measure->next_split, true)->public;
	return NULL;
}

static struct error *need_split(const struct leg *leg)
{
	if (leg->public.split)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "leg %" PRIu32 " is not split",
			    leg->public.id);
}

struct error *measure_unsplit_leg(struct measure *measure, uint32_t id)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(need_split(leg));
	forget_split(leg);
	return NULL;
}

struct error *measure_view_leg(struct measure *measure, uint32_t id,
			       const struct split_view *view)
{
	struct leg *leg = NULL;

	TRY(need_leg(measure, id, &leg));
	TRY(need_split(leg));
	split_set_view(split_of(leg->public.split), view);
	return NULL;
}

/* ---- figures -------------------------------------------------------- */

uint64_t measure_leg_lost(const struct measure_leg *leg)
{
	/* Each hit of a leg n->n opens an activation. The last hit does so,
	 * too, and no hit follows that could end it. */
	return leg->spec.from == leg->spec.to ? 0 : leg->discarded;
}

bool measure_leg_is_marked(const struct measure_leg *leg)
{
	return leg->ignored_from || leg->ignored_to > leg->self_first ||
	       leg->unwound || measure_leg_lost(leg) || leg->interrupted;
}

double measure_leg_stddev(const struct measure_leg *leg)
{
	if (leg->count < 2)
		return 0;
	return sqrt(leg->m2 / (double)(leg->count - 1));
}

bool measure_leg_quantile(const struct measure_leg *leg, double q,
			  double *result)
{
	return histogram_quantile_within(leg->record, leg->min, leg->max, q,
					 result);
}

struct measure_cpu measure_leg_cpu(const struct measure_leg *leg)
{
	return (struct measure_cpu){
		.count = leg->count - leg->cpu_unknown,
		.cpu = leg->total - leg->cpu_unknown_total - leg->waiting,
		.waiting = leg->waiting,
	};
}
