/*
 * test_probe_hit_costs.c - what the hits are said to have cost that a thread
 * has counted by itself
 *
 * tier: core
 * covers: probe/rings
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"

#define BLOCK_BYTES (COUNTING_CALLS + sizeof(struct call_block))

/* A thread whose block has no other thread than the test, and a tool that sums
 * up what it is told. */
struct rig {
	struct probe probe;
	struct space space;
	struct ring ring;
	double taken, told;
};

static void take(void *context, const struct probe_event *event)
{
	struct rig *rig = context;

	if (event->kind == PROBE_EVENT_COUNTED_OVERHEAD)
		rig->taken += event->taken;
	else if (event->kind == PROBE_EVENT_COUNTED_HITS)
		rig->told += event->taken;
}

static struct call_block *calls_of(struct rig *rig)
{
	return rig->ring.shared_calls;
}

static void go_through(struct rig *rig, uint64_t of_legs, uint64_t of_calls)
{
	rig->ring.header->counting.counted += of_legs + of_calls;
	calls_of(rig)->hits += of_calls;
}

static void begin(struct rig *rig)
{
	*rig = (struct rig){.probe = {.client = {.event = take, .context = rig},
				      .costs.fast = {.cost = 5,
						     .counted = 20,
						     .followed = 3,
						     .called = 16}},
			    .ring = {.space = &rig->space,
				     .is_counted = true,
				     .counts_calls = true}};
	rig->ring.header =
		mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(rig->ring.header, MAP_FAILED);
	rig->ring.shared_calls =
		(struct call_block *)((char *)rig->ring.header +
				      COUNTING_CALLS);
}

static void end(struct rig *rig)
{
	munmap(rig->ring.header, BLOCK_BYTES);
}

static void test_calls_cost_what_was_calibrated_of_calls(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig);
	go_through(&rig, 0, 1000);
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken == 16000);
	/* legs that the thread counts, too */
	go_through(&rig, 100, 10);
	rig.ring.header->counting.followed += 7;
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken == 16000 + 2000 + 160 + 21);
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken == 16000 + 2000 + 160 + 21);
	end(&rig);
}

static void test_hits_of_the_tool_cost_the_thread_nothing(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig);
	go_through(&rig, 0, 10);
	calls_of(&rig)->hits += 500;
	rig.ring.calls_made = 500;
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken == 160);
	end(&rig);
}

static void test_records_tell_of_hits_at_their_average_cost(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig);
	go_through(&rig, 30, 10);
	counts_read_hits(&rig.probe, &rig.ring, 20 << RING_MASK_BITS);
	assert_true(rig.told == 20 * (20 * 30 + 16 * 10) / 40.0);
	end(&rig);
}

/* The program may write anything there. */
static void test_a_block_that_was_overwritten_has_no_more_calls(void **state)
{
	struct rig rig;

	(void)state;
	begin(&rig);
	go_through(&rig, 0, 10);
	calls_of(&rig)->hits = UINT64_MAX - 3;
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken == 160);
	calls_of(&rig)->hits = 0;
	go_through(&rig, 5, 0);
	counts_read_overhead(&rig.probe, &rig.ring);
	assert_true(rig.taken <= 160 + 100 && rig.taken >= 160);
	end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_cost_what_was_calibrated_of_calls),
		cmocka_unit_test(test_hits_of_the_tool_cost_the_thread_nothing),
		cmocka_unit_test(
			test_records_tell_of_hits_at_their_average_cost),
		cmocka_unit_test(
			test_a_block_that_was_overwritten_has_no_more_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
