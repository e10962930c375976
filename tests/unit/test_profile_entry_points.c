/*
 * test_profile_entry_points.c - where threads begin, by their stacks
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_stacks.h"

/* A stack, written outermost first, and how many samples have it. */
struct sampled {
	const char *stack;
	uint64_t weight;
};

/* Checks the entry point of a thread that has these samples; NULL: not known.
 */
static void check(const char *expected, const struct sampled *samples,
		  size_t count)
{
	struct call_stacks stacks = {0};
	const struct sampled_thread *thread;

	call_stacks_thread(&stacks,
			   &(struct sampled_thread){.entry = NO_PROCEDURE});
	for (size_t i = 0; i < count; i++)
		stacks_add_of_thread(&stacks, samples[i].stack,
				     samples[i].weight, SAMPLE_TICK, 0);
	call_stacks_find_entries(&stacks);
	thread = &stacks.threads.data[0];
	if (expected)
		assert_string_equal(
			stacks.procedures.list.data[thread->entry].name,
			expected);
	else
		assert_int_equal(thread->entry, NO_PROCEDURE);
	call_stacks_deinit(&stacks);
}

#define CHECK(expected, ...)                                                   \
	check(expected, (const struct sampled[]){__VA_ARGS__},                 \
	      sizeof((const struct sampled[]){__VA_ARGS__}) /                  \
		      sizeof(struct sampled))

static void main_is_below_its_caller(void **state)
{
	(void)state;
	CHECK("main",
	      {"_start __libc_start_main __libc_start_call_main main f", 1});
	/* the linker and the library's own start have most of the samples */
	CHECK("main", {"_start _dl_start _dl_relocate_object", 9},
	      {"_start __libc_start_main __internal_atexit malloc", 8},
	      {"_start __libc_start_main __libc_start_call_main main f", 1});
	CHECK("main",
	      {"_start __libc_start_main __libc_start_call_main main f", 1},
	      {"_start __libc_start_main __internal_atexit malloc", 8});
}

static void threads_begin_in_their_routine(void **state)
{
	(void)state;
	CHECK("worker", {"__clone3 start_thread worker f", 3},
	      {"__clone3 start_thread worker g", 3},
	      {"__clone3 start_thread __nptl_free_tcb", 4}, {"? h worker", 99});
	CHECK("worker",
	      {"libc.so.6+0x109 libc.so.6+0x89 worker libc.so.6+0x3", 1});
}

static void programs_may_have_no_symbols(void **state)
{
	(void)state;
	CHECK("sort+0x2a0",
	      {"sort+0x656 __libc_start_main __libc_start_call_main sort+0x2a0 "
	       "f",
	       1},
	      {"ld.so+0x1a ld.so+0x20", 300});
	/* neither has the library */
	CHECK("sort+0x2a0",
	      {"sort+0x656 __libc_start_main libc.so.6+0x271 sort+0x2a0 f", 2});
}

static void others_begin_at_the_outermost(void **state)
{
	(void)state;
	CHECK("runtime.goexit", {"runtime.goexit main.main f", 5},
	      {"runtime.mstart runtime.schedule", 2});
	CHECK(NULL, {"waiting.read", 1});
	CHECK(NULL, {"? f g", 1});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(main_is_below_its_caller),
		cmocka_unit_test(threads_begin_in_their_routine),
		cmocka_unit_test(programs_may_have_no_symbols),
		cmocka_unit_test(others_begin_at_the_outermost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
