/*
 * test_measure_interval_random.c - random hits, counted by intervals
 *
 * The test finds in two other ways what an interval must have. It adds up the
 * executions that an observer was told of in the interval. And it adds up all
 * intervals, which must give what the tables have at the end.
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "measure_rig.h"
#include "perftool/histogram.h"
#include "perftool/interval.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/process_share.h"
#include "perftool/split.h"

static int begin(void **state)
{
	setup(state);
	measure_count_intervals(measure);
	return 0;
}

static struct measure_interval since_last(uint64_t now)
{
	struct measure_interval interval;

	measure_since_last(measure, now, &interval);
	return interval;
}

enum { LEGS = 4, LABELS = 5, STEPS = 4000, BUCKETS = 40, PROCESSES = 2 };

/* The executions of a leg that the observer was told of. */
struct seen {
	VEC(int64_t) durations; /* of executions that were not interrupted */
	VEC(int64_t) interrupted;
};

/* The sums of all intervals. */
struct sums {
	uint64_t count, ignored_from, ignored_to, unwound, discarded, to_hits,
		interrupted;
	__int128 total;
	uint64_t buckets[BUCKETS], references;
	uint64_t split, rows[LABELS], open;
};

struct world {
	unsigned short random[3];
	uint64_t now;
	uint32_t threads;
	struct seen seen[LEGS], shares[LEGS][PROCESSES];
	struct sums sums[LEGS], share_sums[LEGS][PROCESSES];
	/* hits of this interval; hits of all intervals */
	uint64_t node_hits[5], node_sums[5];
	uint64_t elapsed, overhead, breaks; /* sums of all intervals */
};

static unsigned pick(struct world *world, unsigned below)
{
	return (unsigned)nrand48(world->random) % below;
}

static void see(struct seen *seen, const struct execution *execution)
{
	if (execution->interrupted)
		vec_push(&seen->interrupted, execution->duration);
	else
		vec_push(&seen->durations, execution->duration);
}

static void observe(void *context, const struct execution *execution)
{
	struct world *world = context;

	see(&world->seen[execution->leg], execution);
	see(&world->shares[execution->leg][execution->pid - PID], execution);
}

/* The third thread belongs to another process. */
static int32_t pid_of(uint32_t thread)
{
	return thread < 3 ? PID : PID + 1;
}

static void random_hit(struct world *world)
{
	const struct label label = {.value = value_signed(pick(world, LABELS))};
	uint32_t thread = 1 + pick(world, world->threads);
	struct hit now = {.node = 1 + pick(world, 4),
			  .thread = thread,
			  .pid = pid_of(thread),
			  .tid = (int32_t)thread,
			  .time = world->now,
			  .value = value_signed(pick(world, 60)),
			  .cost_before = pick(world, 30),
			  .labels = &label,
			  .label_count = 1};

	measure_hit(measure, &now);
	measure_hold(measure, thread, now.pid, (int32_t)thread, world->now,
		     world->now + 5, now.cost_before, 3);
	world->node_hits[now.node]++;
}

static void random_step(struct world *world)
{
	unsigned what = pick(world, 100);

	/* the times between hits are of all magnitudes */
	world->now += 6 + pick(world, 1U << pick(world, 24));
	if (what < 95) {
		random_hit(world);
	} else if (what < 98) {
		measure_set_running(measure, false, world->now);
		world->now += pick(world, 1000);
		measure_set_running(measure, true, world->now);
	} else {
		measure_thread_gone(measure, 1 + pick(world, 3));
	}
}

/* Record the observer's values in a histogram of their own. It must be the same
 * as `got`. */
static void check_record(const struct histogram *got, const struct seen *seen)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct histogram *wanted = NULL;
	size_t one = 0, other = 0;
	struct bucket a, b;

	assert_null(histogram_create(&hdr, true, &wanted));
	for (size_t i = 0; i < seen->durations.count; i++)
		histogram_add_signed(wanted, seen->durations.data[i]);
	assert_int_equal(histogram_references(got), seen->durations.count);
	assert_true(histogram_sum(got) == histogram_sum(wanted));
	while (histogram_next(wanted, &one, &a)) {
		assert_true(histogram_next(got, &other, &b));
		assert_true(a.from == b.from && a.to == b.to);
		assert_int_equal(a.count, b.count);
	}
	assert_false(histogram_next(got, &other, &b));
	histogram_destroy(wanted);
}

static void check_times(const struct measure_leg *got, const struct seen *seen)
{
	size_t timed = seen->durations.count,
	       count = timed + seen->interrupted.count;
	long double sum = 0, squares = 0;
	__int128 total = 0;
	int64_t min = INT64_MAX, max = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t ns = i < timed ? seen->durations.data[i]
				       : seen->interrupted.data[i - timed];

		total += ns;
		sum += ns;
		if (i >= timed)
			continue;
		ns = ns < 0 ? 0 : ns;
		min = ns < min ? ns : min;
		max = ns > max ? ns : max;
	}
	for (size_t i = 0; i < count; i++) {
		long double off =
			(long double)(i < timed ? seen->durations.data[i]
						: seen->interrupted
							  .data[i - timed]) -
			sum / (long double)count;

		squares += off * off;
	}
	assert_int_equal(got->count, count);
	assert_int_equal(got->interrupted, seen->interrupted.count);
	assert_true(got->total == total);
	if (timed) {
		assert_int_equal(got->min, min);
		assert_int_equal(got->max, max);
	}
	if (count) {
		assert_true(fabsl(got->mean - sum / (long double)count) <
			    1e-6L * (1 + fabsl(sum)));
		assert_true(fabsl(got->m2 - squares) <= 1e-9L * (1 + squares));
	}
}

static void add_up(struct sums *sums, const struct measure_leg *leg)
{
	struct measure_row_list rows = {0};
	struct bucket bucket;
	size_t cursor = 0;

	sums->count += leg->count;
	sums->ignored_from += leg->ignored_from;
	sums->ignored_to += leg->ignored_to;
	sums->unwound += leg->unwound;
	sums->discarded += leg->discarded;
	sums->to_hits += leg->to_hits;
	sums->interrupted += leg->interrupted;
	sums->total += leg->total;
	sums->open = leg->open;
	for (size_t i = 0; histogram_next(leg->histogram, &cursor, &bucket);
	     i++)
		sums->buckets[i] += bucket.count;
	sums->references += histogram_references(leg->histogram);
	measure_split_rows(leg->split, &(struct split_view){.rows = LABELS},
			   &rows);
	for (size_t i = 0; i < rows.count; i++)
		sums->rows[rows.data[i].label.value.i] += rows.data[i].count;
	measure_rows_deinit(&rows);
	sums->split += leg->split->count;
}

static void forget(struct seen *seen)
{
	vec_clear(&seen->durations);
	vec_clear(&seen->interrupted);
}

static void add_up_share(struct sums *sums, const struct measure_leg *share)
{
	sums->count += share->count;
	sums->interrupted += share->interrupted;
	sums->total += share->total;
	sums->references += histogram_references(share->record);
}

/* `*next`: the index of the leg's first share in the interval. */
static void check_shares(struct world *world,
			 const struct measure_interval *interval, uint32_t id,
			 size_t *next)
{
	struct measure_share share;

	for (size_t i = 0; measure_leg_share(leg(id), i, &share); i++) {
		const struct measure_leg *got =
			share.stats == leg(id)
				? &interval->legs.data[id]
				: &interval->shares.data[(*next)++];
		int32_t process = share.process->pid - PID;
		struct seen *seen = &world->shares[id][process];

		check_times(got, seen);
		check_record(got->record, seen);
		add_up_share(&world->share_sums[id][process], got);
		forget(seen);
	}
}

static void check_interval(struct world *world)
{
	struct measure_interval interval = since_last(world->now);
	size_t next = 0;

	for (size_t i = 0; i < 4; i++) {
		const struct measure_node *node = &interval.nodes.data[i];

		assert_int_equal(node->count, world->node_hits[node->id]);
		assert_int_equal(histogram_references(node->histogram),
				 node->count);
		assert_int_equal(node->split->count, node->count);
		world->node_sums[node->id] += node->count;
		world->node_hits[node->id] = 0;
	}
	for (size_t i = 0; i < LEGS; i++) {
		const struct measure_leg *got = &interval.legs.data[i];
		uint64_t open = world->sums[i].open;

		assert_int_equal(got->from_hits,
				 got->count + got->ignored_from + got->unwound +
					 got->discarded + got->open);
		assert_int_equal(
			got->from_hits,
			open + interval.nodes.data[got->spec.from - 1].count);
		assert_int_equal(got->by_mechanisms[1U << HIT_INT3],
				 got->count);
		assert_int_equal(got->to_hits, got->count + got->ignored_to);
		assert_int_equal(got->open, leg((uint32_t)i)->open);
		check_times(got, &world->seen[i]);
		check_record(got->record, &world->seen[i]);
		add_up(&world->sums[i], got);
		forget(&world->seen[i]);
		check_shares(world, &interval, (uint32_t)i, &next);
	}
	assert_int_equal(next, interval.shares.count);
	world->elapsed += interval.summary.elapsed;
	world->overhead += interval.summary.overhead;
	world->breaks += interval.summary.breaks;
	assert_true(interval.summary.overhead <= interval.summary.elapsed);
	measure_interval_deinit(&interval);
}

static void compare_sums(const struct sums *a, const struct sums *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->ignored_from, b->ignored_from);
	assert_int_equal(a->ignored_to, b->ignored_to);
	assert_int_equal(a->unwound, b->unwound);
	assert_int_equal(a->discarded, b->discarded);
	assert_int_equal(a->to_hits, b->to_hits);
	assert_int_equal(a->interrupted, b->interrupted);
	assert_int_equal(a->open, b->open);
	assert_true(a->total == b->total);
	assert_memory_equal(a->buckets, b->buckets, sizeof(a->buckets));
	assert_int_equal(a->references, b->references);
	assert_int_equal(a->split, b->split);
	assert_memory_equal(a->rows, b->rows, sizeof(a->rows));
}

static void check_whole_shares(const struct world *world, uint32_t id)
{
	struct measure_share share;
	size_t count = 0;

	for (; measure_leg_share(leg(id), count, &share); count++) {
		int32_t process = share.process->pid - PID;
		struct sums all = {0};

		add_up_share(&all, share.stats);
		compare_sums(&world->share_sums[id][process], &all);
	}
	assert_int_equal(count, PROCESSES);
}

/* The sums of all intervals must be the figures of the whole measurement. */
static void check_whole(const struct world *world)
{
	struct measure_summary summary;

	for (uint32_t i = 0; i < LEGS; i++) {
		const struct sums *sums = &world->sums[i];
		const struct measure_leg *whole = leg(i);
		struct sums all = {0};

		add_up(&all, whole);
		compare_sums(sums, &all);
		check_whole_shares(world, i);
	}
	for (uint32_t i = 1; i <= 4; i++)
		assert_int_equal(measure_node(measure, i)->count,
				 world->node_sums[i]);
	measure_get_summary(measure, world->now, &summary);
	assert_int_equal(summary.elapsed, world->elapsed);
	assert_int_equal(summary.breaks, world->breaks);
	assert_int_equal(summary.overhead, world->overhead);
}

static void prepare(struct world *world)
{
	const struct histogram_spec log = {
		.class = HISTOGRAM_LOG, .buckets = BUCKETS, .scale = -1};
	const struct histogram_spec linear = {
		.class = HISTOGRAM_LINEAR, .buckets = BUCKETS, .scale = 1};
	const struct split_spec by = {.view.rows = LABELS};

	for (uint32_t i = 0; i < LEGS; i++) {
		add_plain_leg(1 + i, 1 + (i + 1) % 4, (enum leg_owner)(i % 2),
			      (enum leg_match)i);
		assert_null(measure_leg_add_histogram(measure, i, &log));
		assert_null(measure_split_leg(measure, i, &by));
		assert_null(
			measure_node_add_histogram(measure, 1 + i, &linear));
		assert_null(measure_split_node(measure, 1 + i, &by));
	}
	measure_set_observer(measure, observe, world);
}

static void free_seen(struct seen *seen)
{
	vec_free(&seen->durations);
	vec_free(&seen->interrupted);
}

static void random_intervals_add_up(void **state)
{
	for (unsigned seed = 0; seed < 20; seed++) {
		struct world world = {
			.random = {0x330e, (unsigned short)seed, 11}};

		begin(state);
		prepare(&world);
		for (unsigned i = 0; i < STEPS; i++) {
			/* at first there is only one process */
			world.threads = i < STEPS / 4 ? 2 : 3;
			random_step(&world);
			if (!pick(&world, 1U + seed * seed))
				check_interval(&world);
		}
		check_interval(&world);
		check_whole(&world);
		for (unsigned i = 0; i < LEGS; i++) {
			free_seen(&world.seen[i]);
			for (unsigned j = 0; j < PROCESSES; j++)
				free_seen(&world.shares[i][j]);
		}
		teardown(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_intervals_add_up),
	};

	return cmocka_run_group_tests_name("measure_interval_random", tests,
					   NULL, NULL);
}
