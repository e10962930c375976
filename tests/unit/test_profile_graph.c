/*
 * test_profile_graph.c - the call graph against sums over the slices of random
 * programs, from calls and from ticks
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/profile/call_graph.h"
#include "profile_model.h"

#define SEEDS 4000

/* What the slices say of a set of procedures. */
struct truth {
	/* does procedure i lead to procedure j? */
	bool leads[MODEL_MOST][MODEL_MOST];
	uint32_t unit[MODEL_MOST]; /* a bit for each procedure of the unit */
	int64_t self[MODEL_MOST];
};

static uint32_t bit(uint32_t procedure)
{
	return (uint32_t)1 << procedure;
}

/* The units by reachability, as the definition has it: Warshall's algorithm. */
static void truth_init(struct truth *truth, const struct model *model)
{
	const size_t count = model->procedures;

	*truth = (struct truth){0};
	for (size_t i = 0; i < model->slices.count; i++) {
		const struct model_slice *slice = &model->slices.data[i];

		for (size_t j = 1; j < slice->depth; j++)
			truth->leads[slice->stack[j - 1]][slice->stack[j]] =
				true;
		truth->self[slice->stack[slice->depth - 1]] += slice->time;
	}
	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < count; i++)
			for (size_t j = 0; j < count; j++)
				truth->leads[i][j] |= truth->leads[i][k] &&
						      truth->leads[k][j];
	for (uint32_t i = 0; i < count; i++) {
		truth->unit[i] = bit(i);
		for (uint32_t j = 0; j < count; j++)
			if (truth->leads[i][j] && truth->leads[j][i])
				truth->unit[i] |= bit(j);
	}
}

/* How far below a unit a slice is: the place in its stack where the unit is
 * entered, or the depth. */
static size_t entered(const struct model_slice *slice, uint32_t unit)
{
	size_t at = 0;

	while (at < slice->depth && !(unit & bit(slice->stack[at])))
		at++;
	return at;
}

/* The time below a unit, as far as `parent` called it (NO_PROCEDURE: nobody
 * did; MODEL_MOST: whoever did), and as far as it entered at `child`
 * (MODEL_MOST: wherever). */
static int64_t time_in(const struct model *model, uint32_t unit,
		       uint32_t parent, uint32_t child)
{
	int64_t time = 0;

	for (size_t i = 0; i < model->slices.count; i++) {
		const struct model_slice *slice = &model->slices.data[i];
		size_t at = entered(slice, unit);

		if (at == slice->depth)
			continue;
		if (child != MODEL_MOST && slice->stack[at] != child)
			continue;
		if (parent == MODEL_MOST ||
		    (at ? slice->stack[at - 1] : NO_PROCEDURE) == parent)
			time += slice->time;
	}
	return time;
}

/* The time of slices that are in `procedure` and then, below it, next in
 * procedures outside its unit. */
static int64_t time_outside(const struct model *model, uint32_t procedure,
			    uint32_t unit)
{
	int64_t time = 0;

	for (size_t i = 0; i < model->slices.count; i++) {
		const struct model_slice *slice = &model->slices.data[i];

		for (size_t j = 1; j < slice->depth; j++) {
			if (slice->stack[j - 1] == procedure &&
			    !(unit & bit(slice->stack[j])))
				time += slice->time;
		}
	}
	return time;
}

static const struct graph_line *line_at(const struct call_graph *graph,
					const struct graph_entry *entry,
					size_t index)
{
	return &graph->lines.data[entry->first_line + index];
}

/* The unit of an entry, as a set of procedures. */
static uint32_t unit_of(const struct call_graph *graph,
			const struct graph_entry *entry)
{
	uint32_t unit = 0;

	if (!entry->cycle)
		return bit(entry->procedure);
	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *other = &graph->entries.data[i];

		if (other->kind == GRAPH_PROCEDURE &&
		    other->cycle == entry->cycle)
			unit |= bit(other->procedure);
	}
	return unit;
}

/* The parents of an entry add up to it, and its children to its descendants.
 * Lines inside a cycle have no times. */
static void lines_add_up(const struct call_graph *graph,
			 const struct graph_entry *entry)
{
	int64_t self = 0, descendants = 0, children = 0;
	uint64_t called = 0, inner = 0;
	const bool is_member = entry->cycle && entry->kind == GRAPH_PROCEDURE;

	for (size_t i = 0; i < entry->parents; i++) {
		const struct graph_line *line = line_at(graph, entry, i);

		self += line->self;
		descendants += line->descendants;
		called += line->kind != GRAPH_INNER_CALL ? line->count : 0;
		inner += line->kind == GRAPH_INNER_CALL ? line->count : 0;
		if (line->kind == GRAPH_INNER_CALL)
			assert_true(!line->self && !line->descendants);
	}
	for (size_t i = 0; i < entry->children; i++) {
		const struct graph_line *line =
			line_at(graph, entry, entry->parents + i);

		children += line->descendants;
		if (entry->kind != GRAPH_CYCLE)
			children += line->self;
	}
	assert_int_equal(children, entry->descendants);
	if (is_member) {
		assert_int_equal(called + inner,
				 entry->called + entry->recursive);
		return;
	}
	assert_int_equal(self, entry->self);
	assert_int_equal(descendants, entry->descendants);
	assert_int_equal(called, entry->called);
}

static void entry_is_true(const struct model *model, const struct truth *truth,
			  const struct call_graph *graph,
			  const struct graph_entry *entry)
{
	const uint32_t unit = truth->unit[entry->procedure];
	const bool is_alone = !(unit & (unit - 1));
	int64_t self = 0;

	assert_int_equal(unit_of(graph, entry), unit);
	assert_int_equal(entry->cycle == 0, is_alone);
	for (uint32_t i = 0; i < model->procedures; i++) {
		if (entry->kind == GRAPH_CYCLE ? (unit & bit(i)) != 0
					       : i == entry->procedure)
			self += truth->self[i];
	}
	assert_int_equal(entry->self, self);
	if (entry->kind == GRAPH_CYCLE || is_alone)
		assert_int_equal(graph_entry_time(entry),
				 time_in(model, unit, MODEL_MOST, MODEL_MOST));
	else
		assert_int_equal(entry->descendants,
				 time_outside(model, entry->procedure, unit));
}

/* A parent's line has the time of the unit while that parent had called it.
 * The part of it that is the procedure's own time is exact without recursion.
 */
static void parents_are_true(const struct model *model,
			     const struct truth *truth,
			     const struct call_graph *graph,
			     const struct graph_entry *entry)
{
	const uint32_t unit = truth->unit[entry->procedure];
	const uint32_t child =
		entry->kind == GRAPH_CYCLE ? MODEL_MOST : entry->procedure;

	for (size_t i = 0; i < entry->parents; i++) {
		const struct graph_line *line = line_at(graph, entry, i);
		uint32_t parent = NO_PROCEDURE;

		if (line->kind == GRAPH_INNER_CALL)
			continue;
		if (line->kind == GRAPH_CALL)
			parent = graph->entries.data[line->entry].procedure;
		assert_int_equal(line->self + line->descendants,
				 time_in(model, unit, parent, child));
		assert_true(line->self >= 0);
		assert_true(line->descendants >= 0);
	}
}

static void counts_are_true(const struct model *model,
			    const struct call_graph *graph,
			    const struct graph_entry *entry)
{
	const uint32_t procedure = entry->procedure;

	if (entry->kind == GRAPH_CYCLE)
		return;
	assert_int_equal(entry->called + entry->recursive,
			 model->calls[procedure]);
	assert_int_equal(entry->recursive, model->counts[procedure][procedure]);
	for (size_t i = 0; i < entry->parents; i++) {
		const struct graph_line *line = line_at(graph, entry, i);
		uint32_t parent = MODEL_MOST;

		if (line->kind == GRAPH_OPEN) {
			assert_int_equal(line->count, 0);
			continue;
		}
		if (line->kind != GRAPH_SPONTANEOUS)
			parent = graph->entries.data[line->entry].procedure;
		assert_int_equal(line->count, model->counts[parent][procedure]);
	}
}

static void graph_is_ordered(const struct call_graph *graph)
{
	int64_t total = 0;

	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind != GRAPH_CYCLE)
			total += entry->self;
		if (i)
			assert_true(graph_entry_time(entry - 1) >=
				    graph_entry_time(entry));
	}
	assert_int_equal(graph->total, total);
}

/* Each procedure that was executed has an entry, and each cycle has one. */
static void nothing_is_missing(const struct model *model,
			       const struct truth *truth,
			       const struct call_graph *graph)
{
	uint32_t executed = 0, entries = 0, cycles = 0;

	for (size_t i = 0; i < model->slices.count; i++)
		executed |=
			bit(model->slices.data[i]
				    .stack[model->slices.data[i].depth - 1]);
	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		if (entry->kind == GRAPH_PROCEDURE) {
			assert_false(entries & bit(entry->procedure));
			entries |= bit(entry->procedure);
			continue;
		}
		assert_int_equal(entry->kind, GRAPH_CYCLE);
		assert_false(cycles & truth->unit[entry->procedure]);
		cycles |= truth->unit[entry->procedure];
	}
	assert_int_equal(entries, executed);
	for (uint32_t i = 0; i < model->procedures; i++) {
		if (truth->unit[i] & (truth->unit[i] - 1))
			assert_int_equal(cycles & truth->unit[i],
					 truth->unit[i]);
	}
}

static void check_graph(const struct model *model,
			const struct call_graph *graph, bool is_counted)
{
	struct truth truth;

	truth_init(&truth, model);
	assert_int_equal(graph->is_counted,
			 is_counted && model->slices.count != 0);
	assert_int_equal(graph->total, model->total);
	graph_is_ordered(graph);
	nothing_is_missing(model, &truth, graph);
	for (size_t i = 0; i < graph->entries.count; i++) {
		const struct graph_entry *entry = &graph->entries.data[i];

		lines_add_up(graph, entry);
		entry_is_true(model, &truth, graph, entry);
		parents_are_true(model, &truth, graph, entry);
		if (is_counted)
			counts_are_true(model, graph, entry);
		assert_int_equal(entry->is_counted, is_counted);
	}
}

/* The graph of the model's procedures, of these arcs (NULL: of none), and of
 * its ticks of so many ns; 0: without its ticks. */
static void graph_of(const struct model *model, const struct call_arcs *arcs,
		     uint64_t tick, struct call_graph *out)
{
	call_graph_make(
		&(struct call_graph_source){
			.procedures = &model->stacks.procedures,
			.stacks = tick ? &model->stacks : NULL,
			.arcs = arcs,
			.tick = tick},
		out);
}

static void calls_give_the_graph_of_their_times(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct call_graph graph = {0};
		struct model model;

		model_init(&model, seed, true, 0);
		graph_of(&model, &model.arcs, 0, &graph);
		check_graph(&model, &graph, true);
		call_graph_deinit(&graph);
		model_deinit(&model);
	}
}

static void ticks_give_the_same_graph_without_counts(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct call_graph graph = {0};
		struct model model;

		model_init(&model, seed, true, 1);
		model_ticks(&model);
		graph_of(&model, NULL, 1, &graph);
		check_graph(&model, &graph, false);
		assert_int_equal(graph.ticks, model.total);
		call_graph_deinit(&graph);
		model_deinit(&model);
	}
}

/* Ticks in counted procedures add nothing to the times of these. */
static void ticks_below_counted_calls_change_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS / 10; seed++) {
		struct call_graph graph = {0};
		struct model model;

		model_init(&model, seed, true, 1);
		model_ticks(&model);
		graph_of(&model, &model.arcs, 7, &graph);
		check_graph(&model, &graph, true);
		assert_int_equal(graph.ticks_below, model.total);
		assert_int_equal(graph.ticks_uncounted, 0);
		call_graph_deinit(&graph);
		model_deinit(&model);
	}
}

/* While calls are open, their own time is not known, but what they have called
 * is. The lines add up nevertheless. */
static void open_calls_have_a_line(void **state)
{
	size_t open = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct call_graph graph = {0};
		struct model model;

		model_init(&model, seed, false, 0);
		graph_of(&model, &model.arcs, 0, &graph);
		graph_is_ordered(&graph);
		for (size_t i = 0; i < graph.entries.count; i++)
			lines_add_up(&graph, &graph.entries.data[i]);
		for (size_t i = 0; i < graph.lines.count; i++) {
			const struct graph_line *line = &graph.lines.data[i];

			assert_true(line->self >= 0);
			assert_true(line->descendants >= 0);
			open += line->kind == GRAPH_OPEN;
		}
		call_graph_deinit(&graph);
		model_deinit(&model);
	}
	assert_true(open > SEEDS / 10);
}

/* Times are rounded when they become nanoseconds, and what is subtracted for
 * hits can be too much. The sums hold nevertheless. */
static void times_that_are_off_still_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct call_graph graph = {0};
		struct model model;
		int64_t self = 0;

		model_init(&model, seed, true, 1);
		for (size_t i = 0; i < model.arcs.list.count; i++) {
			struct call_times *times =
				&model.arcs.list.data[i].times;

			times->elapsed -= (int64_t)(model_random(&model) % 90);
			times->outermost -=
				(int64_t)(model_random(&model) % 90);
			times->self -= (int64_t)(model_random(&model) % 90);
			self += times->self;
		}
		graph_of(&model, &model.arcs, 0, &graph);
		assert_int_equal(graph.total, self);
		graph_is_ordered(&graph);
		for (size_t i = 0; i < graph.entries.count; i++) {
			const struct graph_entry *entry =
				&graph.entries.data[i];
			int64_t parents = 0;

			for (size_t j = 0; j < entry->parents; j++)
				parents +=
					line_at(&graph, entry, j)->self +
					line_at(&graph, entry, j)->descendants;
			if (entry->kind == GRAPH_CYCLE || !entry->cycle)
				assert_int_equal(parents,
						 graph_entry_time(entry));
			if (entry->kind == GRAPH_PROCEDURE)
				counts_are_true(&model, &graph, entry);
		}
		call_graph_deinit(&graph);
		model_deinit(&model);
	}
}

/* Arcs beyond the limit are one entry. Their callers have a line for what is
 * missing. */
static void arcs_beyond_the_limit_are_one_entry(void **state)
{
	size_t beyond = 0;

	(void)state;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct call_arcs few = {.limit = 1 + seed % 7};
		struct call_graph graph = {0};
		struct model model;
		size_t others = 0;
		uint64_t calls = 0;

		model_init(&model, seed, true, 1);
		for (size_t i = 0; i < model.arcs.list.count; i++) {
			call_arcs_add(&few, &model.arcs.list.data[i]);
			calls += model.arcs.list.data[i].times.count;
		}
		graph_of(&model, &few, 0, &graph);
		for (size_t i = 0; i < graph.entries.count; i++)
			others += graph.entries.data[i].kind == GRAPH_OTHER;
		for (size_t i = 0; i < graph.lines.count; i++)
			beyond += graph.lines.data[i].kind == GRAPH_BEYOND;
		assert_int_equal(others, few.others != 0);
		assert_int_equal(graph.total, model.total);
		assert_int_equal(graph.calls, calls);
		graph_is_ordered(&graph);
		call_graph_deinit(&graph);
		call_arcs_deinit(&few);
		model_deinit(&model);
	}
	assert_true(beyond > SEEDS / 10);
}

static void arcs_without_calls_and_times_are_left_out(void **state)
{
	struct call_graph graph = {0};
	struct model model = {0};

	(void)state;
	model_procedures(&model, 2);
	call_arcs_add(&model.arcs, &(struct call_arc){.caller = NO_PROCEDURE,
						      .callee = 0,
						      .times = {.count = 1}});
	call_arcs_add(&model.arcs,
		      &(struct call_arc){.caller = 0, .callee = 1});
	graph_of(&model, &model.arcs, 0, &graph);
	assert_int_equal(graph.entries.count, 1);
	assert_int_equal(graph.entries.data[0].called, 1);
	assert_int_equal(graph.entries.data[0].children, 0);
	call_graph_deinit(&graph);
	model_deinit(&model);
}

static void nothing_gives_nothing(void **state)
{
	struct call_stacks stacks = {0};
	struct call_arcs arcs = {0};
	struct call_graph graph = {0};

	(void)state;
	call_graph_make(
		&(struct call_graph_source){.procedures = &stacks.procedures,
					    .stacks = &stacks,
					    .arcs = &arcs},
		&graph);
	assert_int_equal(graph.entries.count, 0);
	assert_int_equal(graph.total, 0);
	assert_false(graph.is_counted);
	call_graph_deinit(&graph);
}

/* Ticks of stacks without a counted procedure are beside the measured times. A
 * stack without frames is of nobody. */
static void ticks_elsewhere_are_entries_of_their_own(void **state)
{
	struct call_graph graph = {0};
	struct model model = {0};
	uint32_t places[3];

	(void)state;
	model_procedures(&model, 3);
	call_arcs_add(&model.arcs,
		      &(struct call_arc){.caller = NO_PROCEDURE,
					 .callee = 0,
					 .times = {.count = 1,
						   .elapsed = 500,
						   .self = 500,
						   .outermost = 500}});
	for (uint32_t i = 0; i < 3; i++)
		places[i] = call_stacks_place(
			&model.stacks, &(struct call_place){.procedure = i});
	/* f1 called by f2; f1 called by f0, which is counted; nobody */
	for (size_t i = 0; i < 3; i++) {
		const uint32_t stack[3][2] = {{places[1], places[2]},
					      {places[1], places[0]}};

		call_stacks_add(
			&model.stacks,
			&(struct call_sample){.stack = call_stacks_stack(
						      &model.stacks, stack[i],
						      i < 2 ? 2 : 0, false),
					      .reason = SAMPLE_TICK,
					      .weight = 3});
	}
	graph_of(&model, &model.arcs, 10, &graph);
	assert_int_equal(graph.total, 560);
	assert_int_equal(graph.ticks, 9);
	assert_int_equal(graph.ticks_below, 3);
	assert_int_equal(graph.ticks_uncounted, 3);
	assert_int_equal(graph.entries.count, 4);
	assert_int_equal(graph.entries.data[0].procedure, 0);
	assert_true(graph.entries.data[0].is_counted);
	assert_int_equal(graph.entries.data[1].procedure, 1);
	assert_int_equal(graph.entries.data[1].self, 30);
	assert_false(graph.entries.data[1].is_counted);
	assert_int_equal(graph.entries.data[2].procedure, 2);
	assert_int_equal(graph.entries.data[2].descendants, 30);
	assert_int_equal(graph.entries.data[3].kind, GRAPH_UNKNOWN);
	call_graph_deinit(&graph);
	model_deinit(&model);
}

/* A caller that was not counted, and is known by the call site only, has what
 * it called below it, and no calls and no time of its own. */
static void callers_by_site_have_descendants_only(void **state)
{
	const uint32_t light = 1, heavy = 2;
	struct call_graph graph = {0};
	struct model model = {0};

	(void)state;
	model_procedures(&model, 3);
	for (uint32_t i = light; i <= heavy; i++)
		call_arcs_add(
			&model.arcs,
			&(struct call_arc){.caller = i,
					   .by_site = true,
					   .callee = 0,
					   .times = {.count = 80 / i,
						     .elapsed = 100 * i,
						     .self = 100 * i,
						     .outermost = 100 * i}});
	graph_of(&model, &model.arcs, 0, &graph);
	assert_int_equal(graph.total, 300);
	assert_int_equal(graph.calls, 120);
	assert_int_equal(graph.entries.count, 3);
	assert_int_equal(graph.entries.data[0].procedure, 0);
	assert_int_equal(graph.entries.data[0].called, 120);
	assert_int_equal(graph.entries.data[0].parents, 2);
	for (uint32_t i = light; i <= heavy; i++) {
		const struct graph_entry *entry = &graph.entries.data[3 - i];
		const struct graph_line *parent =
			&graph.lines.data[entry->first_line];

		assert_int_equal(entry->procedure, i);
		assert_false(entry->is_counted);
		assert_int_equal(entry->called, 0);
		assert_int_equal(entry->self, 0);
		assert_int_equal(entry->descendants, 100 * i);
		assert_int_equal(entry->parents, 1);
		assert_int_equal(parent->kind, GRAPH_SPONTANEOUS);
		assert_int_equal(parent->count, 0);
		assert_int_equal(parent->descendants, 100 * i);
		assert_int_equal(parent[1].kind, GRAPH_CALL);
		assert_int_equal(parent[1].count, 80 / i);
	}
	call_graph_deinit(&graph);
	model_deinit(&model);
}

/* A chain of 200,000 procedures whose last one calls the first is one cycle,
 * and the search for it does not use the thread's stack. */
static void a_long_cycle_is_found(void **state)
{
	const uint32_t count = 200000;
	struct call_graph graph = {0};
	struct model model = {0};

	(void)state;
	model_procedures(&model, count);
	for (uint32_t i = 0; i < count; i++)
		call_arcs_add(
			&model.arcs,
			&(struct call_arc){.caller = i,
					   .callee = (i + 1) % count,
					   .times = {.count = 1, .self = 1}});
	graph_of(&model, &model.arcs, 0, &graph);
	assert_int_equal(graph.entries.count, count + 1);
	assert_int_equal(graph.entries.data[0].kind, GRAPH_CYCLE);
	assert_int_equal(graph.entries.data[0].self, count);
	assert_int_equal(graph.entries.data[0].children, count);
	call_graph_deinit(&graph);
	model_deinit(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_give_the_graph_of_their_times),
		cmocka_unit_test(ticks_give_the_same_graph_without_counts),
		cmocka_unit_test(ticks_below_counted_calls_change_nothing),
		cmocka_unit_test(open_calls_have_a_line),
		cmocka_unit_test(times_that_are_off_still_add_up),
		cmocka_unit_test(arcs_beyond_the_limit_are_one_entry),
		cmocka_unit_test(arcs_without_calls_and_times_are_left_out),
		cmocka_unit_test(nothing_gives_nothing),
		cmocka_unit_test(ticks_elsewhere_are_entries_of_their_own),
		cmocka_unit_test(callers_by_site_have_descendants_only),
		cmocka_unit_test(a_long_cycle_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
