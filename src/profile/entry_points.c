/*
 * entry_points.c - where threads begin, as far as their stacks show it
 *
 * A thread may have samples from before its start routine: those of the
 * run-time linker, and of what the C library does before it calls main. So a
 * stack in which the caller of start routines is seen has precedence over one
 * that shows only that the C library has begun, and that over one that shows
 * neither. Among equals, the one that has most of the samples counts.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/profile/call_stacks.h"

/* How sure it is that a function is a thread's start routine. */
enum certainty { OUTERMOST, BELOW_LIBRARY, BELOW_CALLER };

struct beginning {
	const char *name;
	enum certainty certainty;
};

/* The functions from which C libraries begin a program or a thread. */
static const struct beginning beginnings[] = {
	{"_start", OUTERMOST},
	{"_start_c", OUTERMOST},
	{"clone", OUTERMOST},
	{"__clone", OUTERMOST},
	{"clone3", OUTERMOST},
	{"__clone3", OUTERMOST},
	{"__libc_start_main", BELOW_LIBRARY},
	{"__libc_start_main_impl", BELOW_LIBRARY},
	{"__libc_start_call_main", BELOW_CALLER},
	{"libc_start_main_stage2", BELOW_CALLER},
	{"start_thread", BELOW_CALLER},
	/* what a function of a C library without symbols is called */
	{"libc.so.6+0x", BELOW_LIBRARY},
};

static const struct beginning *beginning_at(const struct call_stacks *stacks,
					    const struct call_stack *stack,
					    size_t frame)
{
	const uint32_t number = call_stack_procedure(stacks, stack, frame);
	const char *name = stacks->procedures.list.data[number].name;

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++) {
		const struct beginning *at = &beginnings[i];

		if (str_equal(name, at->name) ||
		    (strchr(at->name, '+') && str_starts(name, at->name)))
			return at;
	}
	return NULL;
}

/* Returns the procedure at which this stack shows that the thread begins. */
static uint32_t entry_of(const struct call_stacks *stacks,
			 const struct call_stack *stack,
			 enum certainty *certainty)
{
	const size_t innermost = call_stack_innermost(stacks, stack);
	const struct beginning *beginning = NULL;
	size_t end = stack->depth;

	*certainty = OUTERMOST;
	if (end <= innermost)
		return NO_PROCEDURE;
	/* The _start of a program without symbols has another name. */
	if (end - innermost > 1 && !beginning_at(stacks, stack, end - 1))
		beginning = beginning_at(stacks, stack, end - 2);
	if (beginning && beginning->certainty != OUTERMOST)
		end--;
	while (end > innermost &&
	       (beginning = beginning_at(stacks, stack, end - 1))) {
		*certainty = beginning->certainty;
		end--;
	}
	return end > innermost ? call_stack_procedure(stacks, stack, end - 1)
			       : NO_PROCEDURE;
}

/* The samples of a thread that show the same entry point. */
struct vote {
	uint32_t thread, entry;
	enum certainty certainty;
	uint64_t weight;
};

VEC_STRUCT(vote_list, struct vote);

static int compare_votes(const void *first, const void *second)
{
	const struct vote *a = first, *b = second;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->certainty != b->certainty)
		return a->certainty > b->certainty ? -1 : 1;
	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	return 0;
}

/* Add up the votes that are equal but for their weights, and have each thread
 * take what is best. */
static void count_votes(struct call_stacks *stacks, struct vote_list *votes)
{
	const struct vote *best = NULL;

	if (votes->count)
		qsort(votes->data, votes->count, sizeof(*votes->data),
		      compare_votes);
	for (size_t i = 0; i < votes->count; i++) {
		struct vote *vote = &votes->data[i];

		if (i && compare_votes(vote - 1, vote) == 0)
			vote->weight += vote[-1].weight;
		if (best && best->thread == vote->thread &&
		    (best->certainty > vote->certainty ||
		     best->weight >= vote->weight))
			continue;
		best = vote;
		stacks->threads.data[vote->thread].entry = vote->entry;
	}
}

void call_stacks_find_entries(struct call_stacks *stacks)
{
	struct vote_list votes = {0};

	for (size_t i = 0; i < stacks->samples.count; i++) {
		const struct call_sample *sample = &stacks->samples.data[i];
		const struct call_stack *stack =
			&stacks->stacks.data[sample->stack];
		struct vote vote = {.thread = sample->thread,
				    .weight = sample->weight};

		if (stack->is_broken)
			continue;
		vote.entry = entry_of(stacks, stack, &vote.certainty);
		if (vote.entry != NO_PROCEDURE)
			vec_push(&votes, vote);
	}
	count_votes(stacks, &votes);
	vec_free(&votes);
}
