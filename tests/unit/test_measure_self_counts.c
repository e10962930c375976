/*
 * test_measure_self_counts.c - what threads have counted by themselves, and the
 * histories of their accounts, from which long executions get their times
 *
 * tier: core
 * covers: measure/threads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure/measure_state.h"
#include "measure/threads/threads.h"
#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

#define THREAD 7
#define TID 107

static void tell(uint32_t leg, uint64_t from, uint64_t to, double taken)
{
	measure_told(measure, &(struct measure_told){.leg = leg,
						     .thread = THREAD,
						     .pid = PID,
						     .tid = TID,
						     .from = from,
						     .to = to,
						     .taken = taken});
}

static void count(uint32_t leg, uint64_t entered)
{
	const struct counted counted = {.entered = entered};

	measure_counted(measure, THREAD, PID, TID, leg, &counted);
}

static void hold(uint64_t from, uint64_t to)
{
	measure_hold(measure, THREAD, PID, TID, from, to, 0, 0);
}

static const struct measure_leg *leg_of(uint32_t id)
{
	return measure_leg(measure, id);
}

/* The time of an execution does not contain the stops within it, and does
 * contain those before it. */
static void stops_are_taken_from_the_execution_that_they_are_in(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hold(100, 200);
	measure_keep_histories(measure, 300);
	count(id, 2);
	hold(1000, 1400);
	tell(id, 900, 2000, 10);
	assert_int_equal(leg_of(id)->total, 1100 - 400 - 10);
	tell(id, 400, 3000, 30);
	assert_int_equal(leg_of(id)->total, 690 + 2600 - 400 - 30);
	assert_int_equal(leg_of(id)->count, 2);
	assert_int_equal(leg_of(id)->open, 0);
}

/* The history of a thread that counts is as long as its open executions need
 * it. */
static void history_is_forgotten_with_what_is_open(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);
	uint64_t open[] = {5000};
	const struct thread *thread;

	(void)state;
	measure_keep_histories(measure, 0);
	count(id, 1);
	for (uint64_t time = 1000; time < 1000000; time += 1000)
		hold(time, time + 100);
	thread = find_thread(measure, THREAD);
	assert_int_equal(thread->history.count, 999);
	measure_open_since(measure, THREAD, open, 1);
	assert_int_equal(thread->history.count, 2);
	tell(id, 5000, 1000000, 0);
	/* 995 stops of 100 ns are in it */
	assert_int_equal(leg_of(id)->total, 995000 - 99500);
	measure_open_since(measure, THREAD, NULL, 0);
	assert_true(thread->history.count <= 2);
}

/* A thread of which it is never reported what it has open gets no long history.
 */
static void history_of_other_threads_is_short(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);
	const struct thread *thread;
	size_t most = 0;

	(void)state;
	measure_keep_histories(measure, 0);
	count(id, 0);
	for (uint64_t i = 1; i < 1000000; i++) {
		hold(i * 1000000, i * 1000000 + 100);
		thread = find_thread(measure, THREAD);
		if (thread && thread->history.count > most)
			most = thread->history.count;
	}
	assert_in_range(most, 64, 20000);
}

static uint64_t hits_of(uint32_t node)
{
	return measure_node(measure, node)->count;
}

/* Where one leg ends and the next one begins, a hit is in both legs, and is one
 * hit of the node. */
static void a_hit_of_two_legs_is_one_hit_of_its_node(void **state)
{
	const struct counted first = {.entered = 5,
				      .ignored = 2,
				      .ignored_from = 1,
				      .shares_to = true};
	const struct counted second = {.entered = 3, .ignored = 4};
	uint32_t one = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t two = add_plain_leg(2, 3, OWNER_THREAD, MATCH_FIRST);

	(void)state;
	measure_keep_histories(measure, 0);
	measure_counted(measure, THREAD, PID, TID, one, &first);
	measure_told(measure, &(struct measure_told){.leg = one,
						     .thread = THREAD,
						     .pid = PID,
						     .tid = TID,
						     .from = 1000,
						     .to = 3000,
						     .shares_to = true});
	measure_counted(measure, THREAD, PID, TID, two, &second);
	assert_int_equal(leg_of(one)->from_hits, 6);
	assert_int_equal(leg_of(one)->to_hits, 3);
	assert_int_equal(leg_of(one)->open, 4);
	assert_int_equal(hits_of(1), 6);
	assert_int_equal(hits_of(2), 3);
	assert_int_equal(hits_of(3), 4);
}

/* Nothing went wrong if the first hit of a leg n->n ends no execution. */
static void first_hit_of_a_period_does_not_mark_the_leg(void **state)
{
	const struct counted counted = {
		.entered = 1, .ignored = 1, .shares_to = true};
	uint32_t id = add_plain_leg(1, 1, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_counted(measure, THREAD, PID, TID, id, &counted);
	assert_int_equal(leg_of(id)->self_first, 1);
	assert_int_equal(hits_of(1), 1);
	measure_discard_open(measure);
	assert_int_equal(leg_of(id)->discarded, 1);
	assert_false(measure_leg_is_marked(leg_of(id)));
}

/* Is the leg that begins at the node countable? Then which other legs does it
 * need? */
static void countable(uint32_t node, bool from_ends, bool to_begins)
{
	struct measure_countable leg;

	assert_true(measure_is_countable(measure, node, &leg));
	assert_int_equal(leg.from, node);
	assert_true(leg.by_order);
	assert_int_equal(leg.from_ends, from_ends);
	assert_int_equal(leg.to_begins, to_begins);
}

static void uncountable(uint32_t node)
{
	struct measure_countable leg;

	assert_false(measure_is_countable(measure, node, &leg));
}

static void legs_by_order_can_be_connected(void **state)
{
	(void)state;
	uncountable(1);
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	countable(1, false, false);
	add_plain_leg(2, 3, OWNER_THREAD, MATCH_FIRST);
	countable(1, false, true);
	countable(2, true, false);
	add_plain_leg(4, 4, OWNER_THREAD, MATCH_LAST);
	countable(4, true, true);
	/* A node at which two legs begin, or end, is not countable. */
	add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);
	uncountable(1);
	uncountable(2);
}

static void legs_of_other_matches_connect_nothing(void **state)
{
	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_NESTED);
	add_plain_leg(2, 3, OWNER_THREAD, MATCH_LAST);
	uncountable(1);
	uncountable(2);
	add_plain_leg(3, 4, OWNER_LEG, MATCH_LAST);
	uncountable(3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(stops_are_taken_from_the_execution_that_they_are_in),
		RULE(history_is_forgotten_with_what_is_open),
		RULE(history_of_other_threads_is_short),
		RULE(a_hit_of_two_legs_is_one_hit_of_its_node),
		RULE(first_hit_of_a_period_does_not_mark_the_leg),
		RULE(legs_by_order_can_be_connected),
		RULE(legs_of_other_matches_connect_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
