/*
 * test_measure_goroutine.c - legs of Go programs, which belong to goroutines
 *
 * tier: core
 * covers: measure/threads
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

/* The stack of a goroutine is at STACKS + `place` in the address space. The Go
 * runtime copies the stack to another place whenever the stack grows. */
#define STACKS 0xc000000000UL

/* A goroutine makes a hit `depth` bytes below the top of its stack, whose place
 * is `place`. `thread` executes the goroutine. */
static void go_hit(uint32_t node, uint32_t thread, uint64_t goroutine,
		   uint64_t depth, uint64_t place, uint64_t time)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = time,
			  .frame = STACKS + place - depth,
			  .goroutine = goroutine,
			  .depth = depth};

	measure_hit(measure, &now);
}

/* Add a leg as `time' makes it, for which the user has chosen no owner. */
static uint32_t add_go_leg(void)
{
	return add_leg((struct leg_spec){.from = 1,
					 .to = 2,
					 .adapts = true,
					 .match = MATCH_NESTED,
					 .by_frame = true,
					 .from_enters = true});
}

static void test_goroutine_may_change_its_thread(void **state)
{
	uint32_t id = add_go_leg();

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000);
	/* meanwhile the thread executes another goroutine */
	go_hit(1, 1, 8, 100, 5000, 2000);
	go_hit(2, 2, 7, 100, 0, 6000);
	go_hit(2, 1, 8, 100, 5000, 7500);
	check_leg(id, 2, 5000 + 5500, 0, 0);
	assert_int_equal(leg(id)->spec.owner, OWNER_GOROUTINE);
	assert_false(measure_leg_is_marked(leg(id)));
	/* the time on a CPU is not known, because the threads executed other
	 * goroutines, too */
	assert_int_equal(leg(id)->cpu_unknown, 2);
	assert_int_equal(leg(id)->slowest.data[0].key.u, 8);
}

static void test_frames_match_after_the_stack_is_copied(void **state)
{
	uint32_t id = add_go_leg();

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000);
	go_hit(1, 1, 7, 200, 0, 2000);
	/* the stack was copied to a place above the old one, and later below */
	go_hit(1, 1, 7, 300, 50000, 3000);
	go_hit(2, 1, 7, 300, 50000, 4000);
	go_hit(2, 1, 7, 200, 70000, 5000);
	go_hit(2, 1, 7, 100, 10, 6000);
	check_leg(id, 3, 1000 + 3000 + 5000, 0, 0);
	assert_int_equal(leg(id)->unwound, 0);
}

/* A panic unwinds frames. */
static void test_panic_unwinds_only_its_goroutine(void **state)
{
	uint32_t id = add_go_leg();

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000); /* the function that recovers */
	go_hit(1, 1, 7, 200, 0, 2000); /* the function that panics */
	go_hit(1, 1, 8, 300, 0, 2500); /* a deeper frame of another goroutine */
	go_hit(2, 2, 7, 100, 9000, 3000);
	check_leg(id, 1, 2000, 0, 0);
	assert_int_equal(leg(id)->unwound, 1);
	assert_int_equal(leg(id)->open, 1);
}

/* A goroutine can end in the middle of a function. Its open activation must not
 * become one of the next goroutine, although the runtime uses the descriptor
 * and the stack again. */
static void test_ended_goroutine_leaves_its_leg_open(void **state)
{
	uint32_t id =
		add_leg((struct leg_spec){.from = 1, .to = 2, .adapts = true});

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000);
	go_hit(2, 1, 8, 100, 0, 2000);
	check_leg(id, 0, 0, 0, 1);
	assert_int_equal(leg(id)->open, 1);
	measure_thread_gone(measure, 1);
	assert_int_equal(leg(id)->open, 1);
	measure_process_gone(measure, PID);
	assert_int_equal(leg(id)->open, 0);
	assert_int_equal(leg(id)->discarded, 1);
}

static void test_owner_thread_matches_by_thread(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t own = add_plain_leg(1, 3, OWNER_GOROUTINE, MATCH_LAST);

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000);
	go_hit(2, 1, 8, 100, 0, 2000);
	go_hit(3, 1, 8, 100, 0, 2500);
	go_hit(3, 2, 7, 100, 0, 3000);
	check_leg(id, 1, 1000, 0, 0);
	assert_int_equal(leg(id)->spec.owner, OWNER_THREAD);
	check_leg(own, 1, 2000, 0, 1);
}

/* C code and the runtime's own stacks make hits that belong to no goroutine. */
static void test_hits_without_goroutine_match_by_thread(void **state)
{
	uint32_t id = add_go_leg();

	(void)state;
	hit_frame(1, 1000, 0x7000, 1);
	go_hit(1, 1, 7, 100, 0, 1500);
	hit_frame(2, 2000, 0x7000, 1);
	go_hit(2, 1, 7, 100, 0, 3500);
	check_leg(id, 2, 1000 + 2000, 0, 0);
}

/* The tool subtracts the costs of a goroutine's own hits, on whatever thread
 * they were. It does not subtract what the thread did for other goroutines. */
static void go_break(uint32_t node, uint32_t thread, uint64_t goroutine,
		     uint64_t time, uint64_t held)
{
	go_hit(node, thread, goroutine, 100, 0, time);
	measure_hold(measure, thread, PID, (int32_t)thread, time, time + held,
		     10, 20);
}

static void test_goroutine_pays_only_its_own_costs(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_GOROUTINE, MATCH_LAST);

	(void)state;
	go_break(1, 1, 7, 1000, 100);
	go_break(3, 2, 7, 2000, 200);
	go_break(3, 1, 8, 3000, 10000); /* a hit of another goroutine */
	measure_hold(measure, 1, PID, 1, 14000, 15000, 0, 0);
	go_hit(2, 1, 7, 100, 0, 20000);
	check_leg(id, 1, 19000 - 100 - 200 - 2 * 30, 0, 0);
}

/* The time for which a thread waited for room in its ring belongs to the
 * goroutine that makes the next hit. */
static void test_stall_belongs_to_the_next_goroutine(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_GOROUTINE, MATCH_LAST);

	(void)state;
	go_hit(1, 1, 7, 100, 0, 1000);
	go_hit(1, 1, 8, 100, 0, 1000);
	measure_stall(measure, 1, PID, 1, 2000, 5000);
	go_hit(2, 1, 7, 100, 0, 6000);
	go_hit(2, 1, 8, 100, 0, 6000);
	check_leg(id, 2, 2000 + 5000, 0, 0);
}

static void test_processes_have_separate_goroutines(void **state)
{
	struct hit now = {.thread = 1, .tid = 1, .goroutine = 7};
	uint32_t id = add_plain_leg(1, 2, OWNER_GOROUTINE, MATCH_LAST);

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		now.node = 1 + i / 2;
		now.pid = PID + (int32_t)(i % 2);
		now.thread = 1 + i % 2;
		now.time = 1000 * (i + 1) * (i + 1);
		measure_hit(measure, &now);
	}
	check_leg(id, 2, 8000 + 12000, 0, 0);
}

static void test_successor_is_of_the_same_goroutine(void **state)
{
	uint32_t id;

	(void)state;
	measure_set_successor_spec(measure, &(struct leg_spec){.adapts = true});
	measure_set_track(measure, TRACK_SUCCESSOR);
	id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	go_hit(1, 1, 7, 100, 0, 1000);
	go_hit(3, 1, 8, 100, 0, 2000);
	go_hit(2, 2, 7, 100, 0, 3000);
	check_leg(id, 1, 2000, 0, 0);
	/* the same is true of legs that `add successor' enters */
	measure_set_add_successor(measure, true);
	go_hit(4, 1, 8, 100, 0, 4000);
	assert_non_null(measure_leg(measure, id + 1));
	assert_int_equal(leg(id + 1)->spec.from, 3);
	check_leg(id + 1, 1, 2000, 0, 0);
	assert_int_equal(leg(id + 1)->spec.owner, OWNER_GOROUTINE);
}

/* Many goroutines come and go. The tool must not forget those that have an open
 * activation. */
static void test_many_goroutines_lose_no_open_activation(void **state)
{
	uint32_t id = add_go_leg();
	const uint64_t count = 100000;

	(void)state;
	for (uint64_t i = 1; i <= count; i++) {
		uint32_t thread = 1 + (uint32_t)(i % 3);

		go_hit(1, thread, i, 100, 0, i * 10);
		if (i % 1000)
			go_hit(2, thread, i, 100, 0, i * 10 + 5);
	}
	assert_int_equal(leg(id)->open, count / 1000);
	for (uint64_t i = 1000; i <= count; i += 1000)
		go_hit(2, 2, i, 100, 0, count * 20);
	assert_int_equal(leg(id)->count, count);
	assert_false(measure_leg_is_marked(leg(id)));
}

static void check_invariant(uint32_t id)
{
	const struct measure_leg *at = leg(id);

	assert_int_equal(at->from_hits, at->count + at->ignored_from +
						at->unwound + at->discarded +
						at->open);
	assert_int_equal(at->to_hits, at->count + at->ignored_to);
}

/* Random hits. The counts of each leg must always add up. */
static void test_random_hits_add_up(void **state)
{
	static const enum leg_match matches[] = {MATCH_LAST, MATCH_FIRST,
						 MATCH_NESTED, MATCH_OUTERMOST};
	uint64_t random = 1;
	uint32_t ids[8];

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		ids[i] = add_leg((struct leg_spec){.from = 1 + i % 4,
						   .to = 1 + i / 4,
						   .adapts = i & 1,
						   .match = matches[i % 4],
						   .by_frame = i & 2});
	for (uint64_t time = 1; time < 20000; time++) {
		uint32_t draw = (uint32_t)(random >> 33);

		random = random * 6364136223846793005 + 1442695040888963407;
		go_hit(1 + draw % 4, 1 + draw / 4 % 3, draw / 12 % 5,
		       16 * (1 + draw / 60 % 6), draw / 360 % 3 * 9999, time);
		if (draw % 997 == 0)
			measure_thread_gone(measure, 1 + draw / 4 % 3);
		for (size_t i = 0; i < 8; i++)
			check_invariant(ids[i]);
	}
	measure_zero(measure, 20000);
	measure_initialize(measure, 20001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_goroutine_may_change_its_thread),
		RULE(test_frames_match_after_the_stack_is_copied),
		RULE(test_panic_unwinds_only_its_goroutine),
		RULE(test_ended_goroutine_leaves_its_leg_open),
		RULE(test_owner_thread_matches_by_thread),
		RULE(test_hits_without_goroutine_match_by_thread),
		RULE(test_goroutine_pays_only_its_own_costs),
		RULE(test_stall_belongs_to_the_next_goroutine),
		RULE(test_processes_have_separate_goroutines),
		RULE(test_successor_is_of_the_same_goroutine),
		RULE(test_many_goroutines_lose_no_open_activation),
		RULE(test_random_hits_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
