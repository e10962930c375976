/*
 * test_profile_containment.c - the figures, parents and disjoint sets of the
 * procedures in recorded stacks: examples, and random stacks against
 * computations that follow the rules word by word
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/profile/containment.h"
#include "perftool/profile/disjoint_sets.h"
#include "random_stacks.h"

#define MOST 16 /* procedures of a random set of stacks */

static bool is_wait(const struct call_stacks *stacks, uint32_t procedure)
{
	return stacks->procedures.list.data[procedure].is_wait;
}

/* All procedures that are in a sample, except for waits. */
static void show_all(const struct call_stacks *stacks,
		     const struct stack_figures *figures, bool *is_shown)
{
	for (uint32_t i = 0; i < stacks->procedures.list.count; i++)
		is_shown[i] = figures->procedures[i].weight.total &&
			      !is_wait(stacks, i);
}

/* ---- examples ------------------------------------------------------------ */

/* Checks that a procedure's parent is the one of this name; NULL: the procedure
 * is at the top level. */
static void check_parent(struct call_stacks *stacks, const char *name,
			 const char *parent)
{
	struct stack_figures figures;
	uint32_t parents[MOST];
	bool is_shown[MOST];
	uint32_t wanted =
		parent ? stacks_procedure(stacks, parent) : NO_PROCEDURE;
	uint32_t procedure = stacks_procedure(stacks, name);

	stack_figures_compute(stacks, &figures);
	show_all(stacks, &figures, is_shown);
	containment_find(stacks, &figures, is_shown, parents);
	if (parents[procedure] != wanted)
		fail_msg("the parent of %s is not %s", name,
			 parent ? parent : "(none)");
	stack_figures_deinit(&figures);
}

/* Adds stacks up to NULL, each of weight 1. */
static void add_stacks(struct call_stacks *stacks, const char *const *texts)
{
	for (; *texts; texts++)
		stacks_add_text(stacks, *texts, 1, SAMPLE_TICK);
}

static void parents_are_decided_by_stacks_not_by_the_merged_graph(void **state)
{
	static const char *const texts[] = {"main P U C", "main P V C",
					    "main Q U D", NULL};
	struct call_stacks stacks = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "C", "P");
	check_parent(&stacks, "D", "U");
	check_parent(&stacks, "U", "main");
	check_parent(&stacks, "P", "main");
	check_parent(&stacks, "main", NULL);
	call_stacks_deinit(&stacks);
}

static void what_two_procedures_call_is_under_what_calls_both(void **state)
{
	static const char *const texts[] = {"main A B C", "main A D C", NULL};
	struct call_stacks stacks = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "C", "A");
	check_parent(&stacks, "B", "A");
	call_stacks_deinit(&stacks);
}

static void procedures_that_change_places_are_passed_over(void **state)
{
	static const char *const texts[] = {"main A B X", "main B A X", NULL};
	struct call_stacks stacks = {0}, rootless = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "X", "main");
	check_parent(&stacks, "A", "main");
	call_stacks_deinit(&stacks);
	stacks_add_text(&rootless, "A B X", 1, SAMPLE_TICK);
	stacks_add_text(&rootless, "B A X", 1, SAMPLE_TICK);
	check_parent(&rootless, "X", NULL);
	call_stacks_deinit(&rootless);
}

static void
a_candidate_below_those_that_change_places_is_the_parent(void **state)
{
	static const char *const texts[] = {"main A B P X", "main B A P X",
					    "main B A P Q X", NULL};
	struct call_stacks stacks = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "X", "P");
	check_parent(&stacks, "P", "main");
	call_stacks_deinit(&stacks);
}

/* What is above a recursive procedure is above its outermost frame. */
static void recursion_does_not_hide_the_parent(void **state)
{
	static const char *const texts[] = {"main R R R X", "main R X R",
					    "main R S R", NULL};
	struct call_stacks stacks = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "R", "main");
	check_parent(&stacks, "X", "R");
	check_parent(&stacks, "S", "R");
	call_stacks_deinit(&stacks);
}

/* X is always called by V. Which of V and E is entered first varies. */
static void recursion_of_two_does_not_hide_the_caller(void **state)
{
	static const char *const texts[] = {"main V E V X", "main E V X",
					    "main E V E V X", NULL};
	static const char *const always[] = {"main V E V X", NULL};
	static const char *const both[] = {"main V E X", "main V E V X", NULL};
	struct call_stacks stacks = {0}, alike = {0}, called_by_both = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "X", "V");
	check_parent(&stacks, "V", "main");
	check_parent(&stacks, "E", "main");
	call_stacks_deinit(&stacks);
	add_stacks(&alike, always);
	check_parent(&alike, "X", "V");
	call_stacks_deinit(&alike);
	/* the innermost places change, the outermost do not */
	add_stacks(&called_by_both, both);
	check_parent(&called_by_both, "X", "E");
	check_parent(&called_by_both, "E", "V");
	call_stacks_deinit(&called_by_both);
}

static void broken_stacks_do_not_move_procedures_to_the_top(void **state)
{
	static const char *const texts[] = {"main P X", "? X", "? Y Z", NULL};
	struct call_stacks stacks = {0};

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "X", "P");
	check_parent(&stacks, "Z", "Y");
	check_parent(&stacks, "Y", NULL);
	call_stacks_deinit(&stacks);
}

static void waits_are_not_parents_and_have_none(void **state)
{
	static const char *const texts[] = {"main P waiting.read",
					    "waiting.read", NULL};
	struct call_stacks stacks = {0};
	struct stack_figures figures;

	(void)state;
	add_stacks(&stacks, texts);
	check_parent(&stacks, "P", "main");
	check_parent(&stacks, "waiting.read", NULL);
	stack_figures_compute(&stacks, &figures);
	assert_int_equal(figures.without_procedure, 1);
	assert_int_equal(figures.all.total, 2);
	stack_figures_deinit(&figures);
	call_stacks_deinit(&stacks);
}

static void figures_of_a_recursive_procedure_count_once(void **state)
{
	struct call_stacks stacks = {0};
	struct stack_figures figures;
	const struct procedure_figures *r;

	(void)state;
	stacks_add_text(&stacks, "main:1 R:5 R:5 R:6", 7, SAMPLE_TICK);
	stacks_add_text(&stacks, "main:1 R:5 R:5 f:9", 3, SAMPLE_TICK);
	stacks_add_text(&stacks, "main:2 R:7 waiting.read", 2, SAMPLE_TICK);
	stack_figures_compute(&stacks, &figures);
	r = &figures.procedures[stacks_procedure(&stacks, "R")];
	assert_int_equal(r->weight.total, 12);
	assert_int_equal(r->own, 7);
	assert_int_equal(r->refs, 3);
	assert_int_equal(r->site_count, 3);
	/* at line 5 both R and f are called */
	assert_int_equal(r->sites[0].callee, stacks_procedure(&stacks, "R"));
	assert_int_equal(r->sites[0].weight.total, 10);
	assert_int_equal(r->sites[1].callee, stacks_procedure(&stacks, "f"));
	assert_int_equal(r->sites[1].weight.total, 3);
	assert_int_equal(r->sites[2].callee,
			 stacks_procedure(&stacks, "waiting.read"));
	assert_int_equal(r->sites[2].weight.total, 2);
	assert_int_equal(
		figures.procedures[stacks_procedure(&stacks, "main")].refs, 0);
	stack_figures_deinit(&figures);
	call_stacks_deinit(&stacks);
}

/* The place of an inlined call in `f`, at an address that has code of it. */
static uint32_t inlining_place(struct call_stacks *stacks, uint32_t line,
			       uint64_t address)
{
	const struct call_place place = {.procedure =
						 stacks_procedure(stacks, "f"),
					 .file = "prog.c",
					 .line = line,
					 .address = address};

	return call_stacks_place(stacks, &place);
}

static void an_inlined_call_is_one_site_at_all_its_addresses(void **state)
{
	struct call_stacks stacks = {0};
	struct stack_figures figures;
	const struct procedure_figures *f, *inlined;

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		const struct call_place inner = {
			.procedure = stacks_procedure(&stacks, "inlined"),
			.file = "prog.h",
			.line = 3,
			.address = 0x2000 - i,
			.is_inlined = true};
		uint32_t places[2] = {
			call_stacks_place(&stacks, &inner),
			inlining_place(&stacks, i < 4 ? 10 : 20, 0x2000 - i)};

		call_stacks_add(&stacks,
				&(struct call_sample){
					.stack = call_stacks_stack(
						&stacks, places, 2, false),
					.weight = 1});
	}
	stack_figures_compute(&stacks, &figures);
	f = &figures.procedures[stacks_procedure(&stacks, "f")];
	inlined = &figures.procedures[stacks_procedure(&stacks, "inlined")];
	assert_int_equal(inlined->refs, 2);
	assert_int_equal(f->site_count, 2);
	assert_int_equal(f->sites[0].weight.total, 2); /* lower addresses */
	assert_int_equal(f->sites[1].weight.total, 4);
	assert_int_equal(stacks.places.data[f->sites[1].place].address,
			 0x2000 - 3);
	stack_figures_deinit(&figures);
	call_stacks_deinit(&stacks);
}

static void mappings_that_are_left_are_those_not_deleted(void **state)
{
	struct call_stacks stacks = {0};
	struct stack_figures figures;
	const struct procedure_figures *pool, *release;

	(void)state;
	stacks_add_text(&stacks, "main pool mmap", 60, SAMPLE_CREATED);
	stacks_add_text(&stacks, "main pool mmap", 33, SAMPLE_DELETED);
	/* deletes what was there before */
	stacks_add_text(&stacks, "main release munmap", 5, SAMPLE_DELETED);
	stack_figures_compute(&stacks, &figures);
	pool = &figures.procedures[stacks_procedure(&stacks, "pool")];
	release = &figures.procedures[stacks_procedure(&stacks, "release")];
	assert_int_equal(pool->weight.left, 27);
	assert_int_equal(pool->weight.by_reason[SAMPLE_DELETED], 33);
	assert_int_equal(release->weight.left, 0);
	assert_int_equal(figures.all.left, 27);
	assert_int_equal(figures.all.total, 98);
	stack_figures_deinit(&figures);
	call_stacks_deinit(&stacks);
}

/* ---- random stacks against the rules ------------------------------------- */

/* The position of the outermost frame of a procedure, counted from the
 * outermost frame of the stack; -1: it is not in the stack. */
static int position(const struct call_stacks *stacks, size_t stack,
		    uint32_t procedure)
{
	const struct call_stack *at = &stacks->stacks.data[stack];

	for (size_t i = at->depth; i-- > 0;) {
		if (call_stack_procedure(stacks, at, i) == procedure)
			return (int)(at->depth - 1 - i);
	}
	return -1;
}

/* The numbers of the stacks that decide for a procedure. */
static size_t deciding(const struct call_stacks *stacks, uint32_t procedure,
		       size_t *numbers)
{
	size_t count = 0;

	for (int broken = 0; broken < 2 && !count; broken++) {
		for (size_t i = 0; i < stacks->stacks.count; i++) {
			if (stacks->stacks.data[i].is_broken == broken &&
			    position(stacks, i, procedure) >= 0)
				numbers[count++] = i;
		}
	}
	return count;
}

static bool is_common(const struct call_stacks *stacks, uint32_t x, uint32_t y,
		      const size_t *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int at = position(stacks, numbers[i], y);

		if (at < 0 || at >= position(stacks, numbers[i], x))
			return false;
	}
	return true;
}

/* The position of a candidate above the outermost frame of X: its outermost
 * place, or its innermost one. */
static int place_above(const struct call_stacks *stacks, size_t stack,
		       uint32_t x, uint32_t candidate, bool is_innermost)
{
	const struct call_stack *at = &stacks->stacks.data[stack];
	int place = position(stacks, stack, candidate);

	for (int i = place; is_innermost && i < position(stacks, stack, x);
	     i++) {
		if (call_stack_procedure(
			    stacks, at, at->depth - 1 - (size_t)i) == candidate)
			place = i;
	}
	return place;
}

/* What decides for one procedure X. */
struct question {
	const struct call_stacks *stacks;
	uint32_t x;
	size_t numbers[64], count; /* of the stacks */
	uint32_t candidates[MOST];
	size_t found;
};

/* In how many of the stacks is Y above Z? */
static size_t times_above(const struct question *of, uint32_t y, uint32_t z,
			  bool is_innermost)
{
	size_t times = 0;

	for (size_t i = 0; i < of->count; i++)
		times += place_above(of->stacks, of->numbers[i], of->x, y,
				     is_innermost) <
			 place_above(of->stacks, of->numbers[i], of->x, z,
				     is_innermost);
	return times;
}

/* The lowest candidate that changes places with none, and how many candidates
 * are below it. */
static uint32_t lowest(const struct question *of, bool is_innermost,
		       size_t *below)
{
	uint32_t parent = NO_PROCEDURE;

	*below = of->found;
	for (size_t i = 0; i < of->found; i++) {
		bool passed = false;
		size_t lower = 0;

		for (size_t j = 0; j < of->found; j++) {
			size_t times =
				times_above(of, of->candidates[i],
					    of->candidates[j], is_innermost);

			passed |= times && times != of->count;
			lower += times != 0;
		}
		if (!passed && lower < *below) {
			*below = lower;
			parent = of->candidates[i];
		}
	}
	return parent;
}

static uint32_t parent_by_rule(const struct call_stacks *stacks,
			       const bool *is_shown, uint32_t x)
{
	struct question of = {.stacks = stacks, .x = x};
	size_t outermost_below, innermost_below;
	uint32_t outermost, innermost;

	of.count = deciding(stacks, x, of.numbers);
	for (uint32_t y = 0; y < stacks->procedures.list.count; y++) {
		if (y != x && is_shown[y] &&
		    is_common(stacks, x, y, of.numbers, of.count))
			of.candidates[of.found++] = y;
	}
	outermost = lowest(&of, false, &outermost_below);
	innermost = lowest(&of, true, &innermost_below);
	return innermost_below <= outermost_below ? innermost : outermost;
}

static void check_parents(const struct call_stacks *stacks,
			  const struct stack_figures *figures,
			  const bool *is_shown)
{
	uint32_t parents[MOST];

	containment_find(stacks, figures, is_shown, parents);
	for (uint32_t i = 0; i < stacks->procedures.list.count; i++) {
		uint32_t at = i;

		assert_int_equal(parents[i],
				 is_shown[i]
					 ? parent_by_rule(stacks, is_shown, i)
					 : NO_PROCEDURE);
		for (size_t steps = 0; at != NO_PROCEDURE; steps++) {
			assert_true(steps < MOST); /* no cycle */
			at = parents[at];
		}
	}
}

static bool are_together(const struct call_stacks *stacks, uint32_t a,
			 uint32_t b)
{
	for (size_t i = 0; i < stacks->stacks.count; i++) {
		if (position(stacks, i, a) >= 0 && position(stacks, i, b) >= 0)
			return true;
	}
	return false;
}

/* Is a procedure together with one of the first `count` members that have this
 * number? */
static bool is_taken(const struct call_stacks *stacks, uint32_t procedure,
		     const uint32_t *members, const uint32_t *numbers,
		     size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++) {
		if (numbers[i] == number &&
		    are_together(stacks, members[i], procedure))
			return true;
	}
	return false;
}

static void check_sets(const struct call_stacks *stacks,
		       const struct stack_figures *figures,
		       const bool *is_shown)
{
	struct disjoint_sets *sets =
		disjoint_sets_create(stacks, figures, is_shown);

	/* twice: a level leaves nothing behind */
	for (size_t round = 0; round < 2; round++) {
		uint32_t members[MOST], numbers[MOST];
		size_t count = 0;

		for (uint32_t i = 0; i < stacks->procedures.list.count; i++) {
			if (is_shown[i] && (round || i % 2))
				members[count++] = i;
		}
		disjoint_sets_assign(sets, members, count, numbers);
		for (size_t i = 0; i < count; i++) {
			uint32_t wanted = 0;

			while (is_taken(stacks, members[i], members, numbers, i,
					wanted))
				wanted++;
			assert_int_equal(numbers[i], wanted);
		}
	}
	disjoint_sets_destroy(sets);
}

static uint64_t weight_of(const struct call_stacks *stacks, size_t stack)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < stacks->samples.count; i++) {
		if (stacks->samples.data[i].stack == stack)
			weight += stacks->samples.data[i].weight;
	}
	return weight;
}

/* Does a frame enter the next one at this call site? */
static bool is_site(const struct call_stacks *stacks,
		    const struct call_site *site, const struct call_stack *at,
		    size_t frame)
{
	return at->places[frame] == site->place &&
	       call_stack_procedure(stacks, at, frame - 1) == site->callee;
}

static void check_figures(const struct call_stacks *stacks,
			  const struct stack_figures *figures)
{
	size_t count = stacks->procedures.list.count, refs = 0;
	uint64_t own = 0, waits = 0;

	assert_int_equal(figures->all.total, call_stacks_weight(stacks));
	for (uint32_t i = 0; i < count; i++) {
		const struct procedure_figures *known = &figures->procedures[i];
		uint64_t weight = 0, innermost = 0;

		for (size_t s = 0; s < stacks->stacks.count; s++) {
			const struct call_stack *at = &stacks->stacks.data[s];
			uint64_t of_stack = weight_of(stacks, s);

			if (position(stacks, s, i) < 0)
				continue;
			weight += of_stack;
			if (call_stack_procedure(stacks, at, 0) == i)
				innermost += of_stack;
		}
		assert_int_equal(known->weight.total, weight);
		if (is_wait(stacks, i))
			waits += innermost;
		else
			assert_int_equal(known->own, innermost);
		own += known->own;
		refs += known->refs;
		for (size_t s = 0; s < known->site_count; s++)
			assert_int_equal(known->sites[s].caller, i);
	}
	assert_int_equal(refs, figures->sites.count);
	assert_true(own + waits + figures->without_procedure >=
		    figures->all.total);
}

/* The weight of each call site: that of the stacks that have it. Without
 * inlined calls each place is a call site. */
static void check_sites(const struct call_stacks *stacks,
			const struct stack_figures *figures)
{
	for (size_t i = 0; i < figures->sites.count; i++) {
		const struct call_site *site = &figures->sites.data[i];
		uint64_t weight = 0;

		for (size_t s = 0; s < stacks->stacks.count; s++) {
			const struct call_stack *at = &stacks->stacks.data[s];
			bool found = false;

			for (size_t frame = 1; frame < at->depth; frame++)
				found |= is_site(stacks, site, at, frame);
			weight += found ? weight_of(stacks, s) : 0;
		}
		assert_int_equal(site->weight.total, weight);
	}
}

static void random_stacks_follow_the_rules(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6000; seed++) {
		struct randomness random = {seed * 0x9e3779b97f4a7c15ULL};
		struct call_stacks stacks = {0};
		struct stack_figures figures;
		bool is_shown[MOST];

		if (seed % 3 == 0)
			stacks_add_permuted(&stacks, &random, 9);
		else
			stacks_add_random(
				&stacks, &random, 1 + random_below(&random, 12),
				1 + random_below(&random, 9),
				1 + random_below(&random, 8), seed % 2);
		stack_figures_compute(&stacks, &figures);
		check_figures(&stacks, &figures);
		if (seed % 2 == 0)
			check_sites(&stacks, &figures);
		show_all(&stacks, &figures, is_shown);
		check_parents(&stacks, &figures, is_shown);
		check_sets(&stacks, &figures, is_shown);
		/* some are below the threshold */
		for (size_t i = 0; i < stacks.procedures.list.count; i++)
			is_shown[i] &= random_below(&random, 3) != 0;
		check_parents(&stacks, &figures, is_shown);
		check_sets(&stacks, &figures, is_shown);
		stack_figures_deinit(&figures);
		call_stacks_deinit(&stacks);
	}
}

/* ---- large sets of stacks ------------------------------------------------ */

static void add_numbered(struct call_stacks *stacks, const uint32_t *numbers,
			 size_t depth)
{
	uint32_t *places = xcalloc(depth, sizeof(*places));

	for (size_t i = 0; i < depth; i++) {
		char name[16];
		struct call_place place = {.file = "large.c",
					   .line = numbers[i] + 1,
					   .address = numbers[i] + 1};

		snprintf(name, sizeof(name), "f%u", numbers[i]);
		place.procedure = stacks_procedure(stacks, name);
		places[depth - 1 - i] = call_stacks_place(stacks, &place);
	}
	call_stacks_add(stacks, &(struct call_sample){
					.stack = call_stacks_stack(
						stacks, places, depth, false),
					.weight = 1});
	free(places);
}

/* Checks what must hold for all stacks: a procedure is never in a stack without
 * its parent. */
static void check_large(const struct call_stacks *stacks)
{
	size_t count = stacks->procedures.list.count;
	bool *is_shown = xcalloc(count, sizeof(*is_shown));
	uint32_t *parents = xcalloc(count, sizeof(*parents));
	uint32_t *numbers = xcalloc(count, sizeof(*numbers));
	uint32_t *members = xcalloc(count, sizeof(*members));
	struct stack_figures figures;
	struct disjoint_sets *sets;

	stack_figures_compute(stacks, &figures);
	show_all(stacks, &figures, is_shown);
	containment_find(stacks, &figures, is_shown, parents);
	sets = disjoint_sets_create(stacks, &figures, is_shown);
	for (uint32_t i = 0; i < count; i++) {
		members[i] = i;
		if (parents[i] != NO_PROCEDURE)
			assert_true(
				figures.procedures[parents[i]].weight.total >=
				figures.procedures[i].weight.total);
	}
	disjoint_sets_assign(sets, members, count, numbers);
	disjoint_sets_destroy(sets);
	stack_figures_deinit(&figures);
	free(is_shown);
	free(parents);
	free(numbers);
	free(members);
}

static void deep_stacks_of_many_procedures_are_computed(void **state)
{
	struct randomness random = {7};
	struct call_stacks stacks = {0};
	uint32_t numbers[10000];

	(void)state;
	for (size_t stack = 0; stack < 100; stack++) {
		for (size_t i = 0; i < 10000; i++)
			numbers[i] = random_below(&random, 5000);
		add_numbered(&stacks, numbers, 10000);
	}
	check_large(&stacks);
	call_stacks_deinit(&stacks);
}

/* A chain of 5,000 procedures, whose roots differ, is not quadratic. */
static void long_chains_with_many_roots_are_computed(void **state)
{
	struct call_stacks stacks = {0};
	uint32_t numbers[5000];

	(void)state;
	for (uint32_t root = 0; root < 200; root++) {
		for (uint32_t i = 0; i < 5000; i++)
			numbers[i] = i;
		numbers[0] = 6000 + root;
		add_numbered(&stacks, numbers, 5000);
	}
	check_large(&stacks);
	call_stacks_deinit(&stacks);
}

static void a_hundred_thousand_stacks_are_computed(void **state)
{
	struct randomness random = {9};
	struct call_stacks stacks = {0};
	uint32_t numbers[60];

	(void)state;
	for (size_t stack = 0; stack < 100000; stack++) {
		size_t depth = 20 + random_below(&random, 40);

		/* near the root few procedures, near the leaves many */
		for (uint32_t i = 0; i < depth; i++)
			numbers[i] =
				i * 83 + random_below(&random, i < 5 ? 2 : 83);
		add_numbered(&stacks, numbers, depth);
	}
	check_large(&stacks);
	call_stacks_deinit(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			parents_are_decided_by_stacks_not_by_the_merged_graph),
		cmocka_unit_test(
			what_two_procedures_call_is_under_what_calls_both),
		cmocka_unit_test(procedures_that_change_places_are_passed_over),
		cmocka_unit_test(
			a_candidate_below_those_that_change_places_is_the_parent),
		cmocka_unit_test(recursion_does_not_hide_the_parent),
		cmocka_unit_test(recursion_of_two_does_not_hide_the_caller),
		cmocka_unit_test(
			broken_stacks_do_not_move_procedures_to_the_top),
		cmocka_unit_test(waits_are_not_parents_and_have_none),
		cmocka_unit_test(figures_of_a_recursive_procedure_count_once),
		cmocka_unit_test(
			an_inlined_call_is_one_site_at_all_its_addresses),
		cmocka_unit_test(mappings_that_are_left_are_those_not_deleted),
		cmocka_unit_test(random_stacks_follow_the_rules),
		cmocka_unit_test(deep_stacks_of_many_procedures_are_computed),
		cmocka_unit_test(long_chains_with_many_roots_are_computed),
		cmocka_unit_test(a_hundred_thousand_stacks_are_computed),
	};

	return cmocka_run_group_tests_name("profile_containment", tests, NULL,
					   NULL);
}
