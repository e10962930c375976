/*
 * test_measure_fast.c - measure_fast_hit() does the same as measure_hit()
 * followed by measure_hold()
 *
 * Two tables get the same random events, one of them through
 * measure_fast_hit(). Every number in the two tables must be the same, to the
 * last bit.
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/split.h"

#define NODES 4
#define THREADS 4

struct pair {
	struct measure *whole, *fast;
	unsigned short random[3];
	uint64_t now;
	uint32_t legs;
	uint32_t serials[THREADS], last_serial;
};

static unsigned pick(struct pair *pair, unsigned below)
{
	return (unsigned)nrand48(pair->random) % below;
}

/* ---- what happens --------------------------------------------------- */

static struct value random_value(struct pair *pair)
{
	switch (pick(pair, 5)) {
	case 0:
		return (struct value){.kind = VALUE_NONE};
	case 1:
		return value_float(pick(pair, 3));
	case 2:
		return value_signed((int64_t)pick(pair, 5) - 2);
	default:
		return value_unsigned(pick(pair, 4));
	}
}

/* Make a hit of a fast node, or of a node that holds its thread for a time. */
static void hit_step(struct pair *pair)
{
	unsigned thread = pick(pair, THREADS);
	const struct value keys[] = {random_value(pair), random_value(pair)};
	const struct label label = {.value = random_value(pair)};
	bool is_fast = pick(pair, 4) > 0;
	struct hit hit = {
		.node = 1 + pick(pair, NODES),
		.thread = pair->serials[thread],
		.pid = thread < 2 ? 10 : 20,
		.tid = 100 + (int32_t)thread,
		/* the tool learns of some hits late */
		.time = pair->now - (pick(pair, 9) ? 0 : pick(pair, 500)),
		.mechanism = is_fast ? HIT_FAST : HIT_INT3,
		/* so that breaks overlap, touch, or have time between them */
		.cost_before = pick(pair, 3) * 17.3 + pick(pair, 2) * 0.1,
		.frame = pick(pair, 9) ? 0x1000 + 16 * pick(pair, 4) : 0,
		.stack = pick(pair, 9) ? 1 + pick(pair, 9) / 8 : 0,
		.value = random_value(pair),
		.keys = keys,
		.key_count = pick(pair, 9) ? 2 : 1,
		.labels = &label,
		.label_count = pick(pair, 9) ? 1 : 0,
	};
	uint64_t resume = hit.time + (is_fast ? 0 : pick(pair, 300));

	/* several nodes have the same place; the last hit ends the break */
	for (unsigned more = pick(pair, 3); more > 1; more--) {
		measure_hit(pair->whole, &hit);
		measure_hit(pair->fast, &hit);
		hit.node = 1 + pick(pair, NODES);
	}
	measure_hit(pair->whole, &hit);
	measure_hold(pair->whole, hit.thread, hit.pid, hit.tid, hit.time,
		     resume, hit.cost_before, hit.cost_before);
	if (is_fast) {
		measure_fast_hit(pair->fast, &hit);
		return;
	}
	measure_hit(pair->fast, &hit);
	measure_hold(pair->fast, hit.thread, hit.pid, hit.tid, hit.time, resume,
		     hit.cost_before, hit.cost_before);
}

static void add_leg(struct pair *pair)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR},
				    log = {.class = HISTOGRAM_LOG, .scale = -1};
	const struct split_spec split = {.at_to = pick(pair, 2)};
	const struct leg_spec spec = {
		.from = 1 + pick(pair, NODES),
		.to = 1 + pick(pair, NODES),
		.owner = (enum leg_owner)pick(pair, 3),
		.match = (enum leg_match)pick(pair, 4),
		.by_frame = pick(pair, 3) > 0,
		.from_enters = pick(pair, 2),
		.whole_frame = pick(pair, 2),
		.adapts = pick(pair, 2),
		.key_from = pick(pair, 2),
		.key_to = pick(pair, 2),
	};
	struct measure *both[] = {pair->whole, pair->fast};
	unsigned histogram = pick(pair, 3), is_split = pick(pair, 3);
	bool existed = false;
	uint32_t id = 0;

	for (size_t i = 0; i < 2; i++) {
		assert_null(measure_add_leg(both[i], &spec, &id, &existed));
		if (existed)
			continue;
		if (histogram)
			assert_null(measure_leg_add_histogram(
				both[i], id, histogram == 1 ? &hdr : &log));
		if (!is_split)
			assert_null(measure_split_leg(both[i], id, &split));
	}
	pair->legs += !existed;
}

static void mode_step(struct pair *pair)
{
	struct measure *both[] = {pair->whole, pair->fast};
	unsigned what = pick(pair, 9), thread = pick(pair, THREADS);
	unsigned how = pick(pair, 3);

	for (size_t i = 0; i < 2; i++) {
		switch (what) {
		case 0:
			measure_set_running(both[i], how > 0, pair->now);
			break;
		case 1:
			measure_set_monitor(both[i], how > 0, pair->now);
			break;
		case 2:
			measure_set_track(both[i],
					  how ? TRACK_ALL : TRACK_SUCCESSOR);
			break;
		case 3:
			measure_set_track(both[i],
					  how ? TRACK_ALL : TRACK_NONE);
			break;
		case 4:
			measure_set_add_successor(both[i], !how);
			break;
		case 5:
			measure_set_compensation(both[i], how > 0);
			break;
		case 6:
			measure_set_tracked(both[i], how ? 0 : 10, 0);
			break;
		case 7:
			measure_thread_gone(both[i], pair->serials[thread]);
			break;
		default:
			if (!how)
				measure_zero(both[i], pair->now);
		}
	}
	if (what == 7)
		pair->serials[thread] = ++pair->last_serial;
}

/* ---- the same ------------------------------------------------------- */

static void same_histogram(const struct histogram *a, const struct histogram *b)
{
	struct bucket x = {0}, y = {0};
	size_t i = 0, j = 0;
	bool more;

	assert_int_equal(a != NULL, b != NULL);
	if (!a)
		return;
	assert_int_equal(histogram_references(a), histogram_references(b));
	assert_int_equal(histogram_underflow(a), histogram_underflow(b));
	assert_int_equal(histogram_overflow(a), histogram_overflow(b));
	assert_true(histogram_sum(a) == histogram_sum(b));
	do {
		more = histogram_next(a, &i, &x);
		assert_int_equal(more, histogram_next(b, &j, &y));
		assert_true(x.from == y.from && x.to == y.to);
		assert_int_equal(x.count, y.count);
	} while (more);
}

static void same_split(const struct measure_split *a,
		       const struct measure_split *b)
{
	struct measure_row_list x = {0}, y = {0};

	assert_int_equal(a != NULL, b != NULL);
	if (!a)
		return;
	measure_split_rows(a, &(struct split_view){0}, &x);
	measure_split_rows(b, &(struct split_view){0}, &y);
	assert_int_equal(x.count, y.count);
	for (size_t i = 0; i < x.count; i++) {
		assert_int_equal(x.data[i].count, y.data[i].count);
		assert_true(x.data[i].total == y.data[i].total);
		same_histogram(x.data[i].record, y.data[i].record);
	}
	measure_rows_deinit(&x);
	measure_rows_deinit(&y);
}

static void same_leg(const struct measure_leg *a, const struct measure_leg *b)
{
	assert_int_equal(a->from_hits, b->from_hits);
	assert_int_equal(a->to_hits, b->to_hits);
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->ignored_from, b->ignored_from);
	assert_int_equal(a->ignored_to, b->ignored_to);
	assert_int_equal(a->unwound, b->unwound);
	assert_int_equal(a->discarded, b->discarded);
	assert_int_equal(a->open, b->open);
	assert_int_equal(a->self_first, b->self_first);
	assert_memory_equal(a->by_mechanisms, b->by_mechanisms,
			    sizeof(a->by_mechanisms));
	assert_true(a->total == b->total && a->min == b->min &&
		    a->max == b->max);
	assert_true(a->mean == b->mean && a->m2 == b->m2);
	assert_int_equal(a->slowest.count, b->slowest.count);
	for (size_t i = 0; i < a->slowest.count; i++) {
		const struct execution *x = &a->slowest.data[i];
		const struct execution *y = &b->slowest.data[i];

		assert_int_equal(x->start, y->start);
		assert_int_equal(x->duration, y->duration);
		assert_int_equal(x->tid, y->tid);
		assert_int_equal(x->key.kind, y->key.kind);
	}
	same_histogram(a->record, b->record);
	same_histogram(a->histogram, b->histogram);
	same_split(a->split, b->split);
}

static void same(const struct pair *pair)
{
	struct measure_summary a, b;

	measure_get_summary(pair->whole, pair->now, &a);
	measure_get_summary(pair->fast, pair->now, &b);
	assert_int_equal(a.elapsed, b.elapsed);
	assert_int_equal(a.overhead, b.overhead);
	assert_int_equal(a.breaks, b.breaks);
	assert_true(a.average_overhead == b.average_overhead);
	for (size_t i = 0; measure_node_at(pair->whole, i); i++) {
		const struct measure_node *x = measure_node_at(pair->whole, i);
		const struct measure_node *y = measure_node_at(pair->fast, i);

		assert_int_equal(x->count, y->count);
		same_histogram(x->histogram, y->histogram);
		same_split(x->split, y->split);
	}
	for (size_t i = 0; measure_leg_at(pair->whole, i); i++) {
		assert_non_null(measure_leg_at(pair->fast, i));
		same_leg(measure_leg_at(pair->whole, i),
			 measure_leg_at(pair->fast, i));
	}
}

static void run(unsigned seed, unsigned *executions)
{
	const struct histogram_spec histogram = {.class = HISTOGRAM_LINEAR,
						 .scale = -1};
	struct pair pair = {.whole = measure_create(),
			    .fast = measure_create(),
			    .random = {0x330e, (unsigned short)seed, 11},
			    .now = 1000,
			    .serials = {1, 2, 3, 4},
			    .last_serial = THREADS};
	struct measure *both[] = {pair.whole, pair.fast};

	for (size_t i = 0; i < 2; i++) {
		for (uint32_t node = 1; node <= NODES; node++)
			measure_add_node(both[i], node);
		assert_null(measure_node_add_histogram(both[i], 1, &histogram));
		assert_null(measure_split_node(both[i], 2,
					       &(struct split_spec){0}));
		measure_set_running(both[i], true, pair.now);
		measure_set_monitor(both[i], true, pair.now);
	}
	for (unsigned i = 0; i < 6; i++)
		add_leg(&pair);
	for (unsigned i = 0; i < 4000; i++) {
		pair.now += pick(&pair, 60);
		if (pick(&pair, 100))
			hit_step(&pair);
		else
			mode_step(&pair);
		if (i % 200 == 0)
			same(&pair);
	}
	same(&pair);
	for (size_t i = 0; measure_leg_at(pair.fast, i); i++)
		*executions += measure_leg_at(pair.fast, i)->count > 0;
	measure_destroy(pair.whole);
	measure_destroy(pair.fast);
}

static void random_fast_hits_give_the_same_tables(void **state)
{
	unsigned executions = 0;

	(void)state;
	for (unsigned seed = 0; seed < 200; seed++)
		run(seed, &executions);
	/* the tables are not the same only because they are empty */
	assert_true(executions > 400);
}

/* A few fast hits, with every number checked by hand. */
static void fast_hits_give_figures_checked_by_hand(void **state)
{
	struct measure *measure = measure_create();
	const struct leg_spec spec = {.from = 1, .to = 2};
	struct hit hit = {.node = 1,
			  .thread = 7,
			  .pid = 1,
			  .tid = 1,
			  .time = 1000,
			  .mechanism = HIT_FAST,
			  .cost_before = 4};
	struct measure_summary summary;
	uint32_t id = 0;
	bool existed;

	(void)state;
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	measure_add_node(measure, 1);
	measure_add_node(measure, 2);
	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	measure_fast_hit(measure, &hit);
	hit.node = 3; /* this hit comes between the two, and costs 8 ns that do
			 not belong to the leg */
	hit.time = 1050;
	measure_fast_hit(measure, &hit);
	hit.node = 2;
	hit.time = 1100;
	measure_fast_hit(measure, &hit);
	assert_int_equal(measure_leg(measure, id)->count, 1);
	assert_true(measure_leg(measure, id)->total == 100 - 4 - 8 - 4);
	assert_int_equal(
		measure_leg(measure, id)->by_mechanisms[1U << HIT_FAST],
		measure_leg(measure, id)->count);
	measure_get_summary(measure, 2000, &summary);
	assert_int_equal(summary.breaks, 3);
	assert_int_equal(summary.overhead, 24);
	assert_true(summary.average_overhead == 8);
	measure_destroy(measure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fast_hits_give_figures_checked_by_hand),
		cmocka_unit_test(random_fast_hits_give_the_same_tables),
	};

	return cmocka_run_group_tests_name("measure_fast", tests, NULL, NULL);
}
