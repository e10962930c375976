/*
 * disjoint_sets.c - see perftool/profile/disjoint_sets.h
 *
 * For each stack the sets that it has a member of are bits, 64 sets to a layer.
 * The sets that a procedure cannot join are those whose bits are set in one of
 * its stacks.
 */
#include "perftool/profile/disjoint_sets.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"

#define LAYER 64

struct disjoint_sets {
	/* The stacks of a procedure are `stacks[from[procedure]]` and those
	 * that follow, up to `from[procedure + 1]`. */
	size_t *from;
	uint32_t *stacks;
	size_t stack_count;
	VEC(uint64_t *) layers; /* of each layer the bits of each stack */
};

/* Calls `visit` for each procedure that is shown in a stack, once. */
static void visit_procedures(const struct call_stacks *stacks,
			     const struct stack_figures *figures,
			     const bool *is_shown, struct disjoint_sets *sets,
			     void (*visit)(struct disjoint_sets *sets,
					   uint32_t procedure, uint32_t stack))
{
	uint32_t *stamps =
		xcalloc(stacks->procedures.list.count + 1, sizeof(*stamps));

	for (uint32_t i = 0; i < stacks->stacks.count; i++) {
		const struct call_stack *stack = &stacks->stacks.data[i];

		if (!figures->stacks[i].total)
			continue;
		for (size_t frame = 0; frame < stack->depth; frame++) {
			uint32_t procedure =
				call_stack_procedure(stacks, stack, frame);

			if (!is_shown[procedure] || stamps[procedure] == i + 1)
				continue;
			stamps[procedure] = i + 1;
			visit(sets, procedure, i);
		}
	}
	free(stamps);
}

static void count_stack(struct disjoint_sets *sets, uint32_t procedure,
			uint32_t stack)
{
	(void)stack;
	sets->from[procedure]++;
}

/* Fills from behind, so that `from` is at the first stack when all are in. */
static void list_stack(struct disjoint_sets *sets, uint32_t procedure,
		       uint32_t stack)
{
	sets->stacks[--sets->from[procedure]] = stack;
}

struct disjoint_sets *disjoint_sets_create(const struct call_stacks *stacks,
					   const struct stack_figures *figures,
					   const bool *is_shown)
{
	size_t procedures = stacks->procedures.list.count, total = 0;
	struct disjoint_sets *sets = xcalloc(1, sizeof(*sets));

	sets->stack_count = stacks->stacks.count;
	sets->from = xcalloc(procedures + 1, sizeof(*sets->from));
	visit_procedures(stacks, figures, is_shown, sets, count_stack);
	for (size_t i = 0; i < procedures; i++) {
		total += sets->from[i];
		sets->from[i] = total;
	}
	sets->from[procedures] = total;
	sets->stacks = xcalloc(total + 1, sizeof(*sets->stacks));
	visit_procedures(stacks, figures, is_shown, sets, list_stack);
	return sets;
}

void disjoint_sets_destroy(struct disjoint_sets *sets)
{
	for (size_t i = 0; i < sets->layers.count; i++)
		free(sets->layers.data[i]);
	vec_free(&sets->layers);
	free(sets->from);
	free(sets->stacks);
	free(sets);
}

/* Returns the sets of a layer that have a member which is in a stack together
 * with the procedure. */
static uint64_t taken(const struct disjoint_sets *sets, const uint64_t *layer,
		      uint32_t procedure)
{
	uint64_t bits = 0;

	for (size_t i = sets->from[procedure];
	     i < sets->from[procedure + 1] && ~bits; i++)
		bits |= layer[sets->stacks[i]];
	return bits;
}

static uint32_t join(struct disjoint_sets *sets, uint32_t procedure)
{
	for (size_t i = 0;; i++) {
		uint64_t bits, set;

		if (i == sets->layers.count)
			vec_push(&sets->layers,
				 xcalloc(sets->stack_count + 1, sizeof(bits)));
		bits = taken(sets, sets->layers.data[i], procedure);
		if (!~bits)
			continue;
		/* sets are numbered without gaps: a bit that no set has yet is
		 * behind all that do */
		set = ~bits & -~bits;
		for (size_t at = sets->from[procedure];
		     at < sets->from[procedure + 1]; at++)
			sets->layers.data[i][sets->stacks[at]] |= set;
		return (uint32_t)(i * LAYER) + (uint32_t)__builtin_ctzll(set);
	}
}

void disjoint_sets_assign(struct disjoint_sets *sets, const uint32_t *members,
			  size_t count, uint32_t *numbers)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = join(sets, members[i]);
	for (size_t i = 0; i < count; i++) {
		uint64_t *layer = sets->layers.data[numbers[i] / LAYER];

		for (size_t at = sets->from[members[i]];
		     at < sets->from[members[i] + 1]; at++)
			layer[sets->stacks[at]] = 0;
	}
}
