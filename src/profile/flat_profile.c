/* flat_profile.c - see perftool/profile/flat_profile.h */
#include "perftool/profile/flat_profile.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "procedure_order.h"

void flat_profile_deinit(struct flat_profile *profile)
{
	vec_free(&profile->all.rows);
	vec_free(&profile->on_time.rows);
	vec_free(&profile->delayed.rows);
}

/* The procedure for which a tick counts. A wait is no procedure: the procedure
 * that waits is meant. A delayed tick of a stack that has no caller counts for
 * the procedure that was found. */
static uint32_t charged(const struct call_stacks *stacks,
			const struct call_sample *sample)
{
	const struct call_stack *stack = &stacks->stacks.data[sample->stack];
	size_t frame = call_stack_innermost(stacks, stack);

	if (frame == stack->depth)
		return NO_PROCEDURE;
	if (sample->is_delayed && frame + 1 < stack->depth)
		frame++;
	return call_stack_procedure(stacks, stack, frame);
}

static int most_first(const void *a, const void *b, void *procedures)
{
	const struct flat_row *left = a, *right = b;

	if (left->ticks != right->ticks)
		return left->ticks > right->ticks ? -1 : 1;
	return procedure_order(procedures, left->procedure, right->procedure);
}

/* Turn the ticks of each procedure, with those of no procedure last, into a
 * listing. */
static void list(const uint64_t *ticks, const struct procedures *procedures,
		 struct flat_listing *listing)
{
	const size_t count = procedures->list.count;

	for (size_t i = 0; i <= count; i++) {
		const struct flat_row row = {
			.procedure = i < count ? (uint32_t)i : NO_PROCEDURE,
			.ticks = ticks[i]};

		if (!row.ticks)
			continue;
		vec_push(&listing->rows, row);
		listing->ticks += row.ticks;
	}
	if (listing->rows.count)
		qsort_r(listing->rows.data, listing->rows.count,
			sizeof(*listing->rows.data), most_first,
			(void *)procedures);
}

void flat_profile_make(const struct call_stacks *stacks,
		       struct flat_profile *profile)
{
	const struct procedures *procedures = &stacks->procedures;
	const size_t size = procedures->list.count + 1;
	CLEANUP(free_pointer)
	uint64_t *all = xcalloc(size, sizeof(*all));
	CLEANUP(free_pointer)
	uint64_t *on_time = xcalloc(size, sizeof(*on_time));
	CLEANUP(free_pointer)
	uint64_t *delayed = xcalloc(size, sizeof(*delayed));

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		uint32_t procedure;
		size_t at;

		if (sample->reason != SAMPLE_TICK)
			continue;
		procedure = charged(stacks, sample);
		at = procedure == NO_PROCEDURE ? size - 1 : procedure;
		all[at] += sample->weight;
		(sample->is_delayed ? delayed : on_time)[at] += sample->weight;
	}
	list(all, procedures, &profile->all);
	list(on_time, procedures, &profile->on_time);
	list(delayed, procedures, &profile->delayed);
}
