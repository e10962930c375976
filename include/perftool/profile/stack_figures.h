/*
 * stack_figures.h - what the Spy's display says of each procedure: in how many
 * samples it was, from how many places it was called, and what it called
 *
 * The sources are the Cedar Spy's "Breakdown of interesting procedures" and
 * doc/RULES.md, "The Spy's display".
 */
#ifndef PERFTOOL_PROFILE_STACK_FIGURES_H
#define PERFTOOL_PROFILE_STACK_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "perftool/profile/call_stacks.h"

/* The weight of some samples. */
struct sample_weight {
	uint64_t total;
	uint64_t by_reason[SAMPLE_REASONS];
	/* Mappings that were created and not deleted. The sample of a deletion
	 * has the stack that created the mapping. If the mapping was older than
	 * the measurement, the sample has the stack that deleted it, and does
	 * not count here. */
	uint64_t left;
};

void sample_weight_add(struct sample_weight *to,
		       const struct sample_weight *weight);

/*
 * A place in a procedure from which another procedure, or a wait, was entered.
 * A call has the address of its instruction. An inlined call, and a call in an
 * inlined copy of the caller, have many addresses. They are one call site if
 * they are on one line.
 */
struct call_site {
	uint32_t caller, callee; /* numbers of procedures */
	uint32_t place; /* the place of the call; of several, that of the lowest
			   address */
	struct sample_weight weight; /* each stack counts once */
};

struct procedure_figures {
	/* of the stacks that the procedure is in; recursion counts once */
	struct sample_weight weight;
	/* of the stacks of which the procedure is the innermost frame; a wait
	 * is a frame of its own */
	uint64_t own;
	/* how many call sites led to the procedure */
	size_t refs;
	/* the procedure's call sites, in the order of their addresses */
	const struct call_site *sites;
	size_t site_count;
};

/* All zero is what stack_figures_deinit() leaves. */
struct stack_figures {
	struct sample_weight all;
	/* the part of `all` whose stacks have no procedure */
	uint64_t without_procedure;
	struct sample_weight *stacks;         /* by the number of the stack */
	struct procedure_figures *procedures; /* by number */
	VEC(struct call_site) sites;
};

/* Compute the figures. They do not change with `stacks`. */
void stack_figures_compute(const struct call_stacks *stacks,
			   struct stack_figures *figures);
void stack_figures_deinit(struct stack_figures *figures);

#endif
