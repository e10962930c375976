/*
 * test_probe_activity.c - which threads are held while the tool stops all:
 * those that run, and those that wait for threads of their process
 *
 * tier: core
 * covers: probe
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "probe/activity.h"
#include "probe/probe_state.h"

#define TID 100
/* what the kernel returns from a wait that a stop has interrupted */
#define INTERRUPTED ((unsigned long long)-512)

static struct thread *list[] = {&(struct thread){.tid = TID}};
static const struct process process = {
	.threads = {.data = list, .count = 1, .capacity = 1}};

static enum activity in_call(long call, uint64_t operation, uint64_t value,
			     uint64_t timeout)
{
	return activity_at(
		&process,
		&(struct user_regs_struct){.orig_rax = (unsigned long long)call,
					   .rax = INTERRUPTED,
					   .rsi = operation,
					   .rdx = value,
					   .r10 = timeout});
}

static void threads_in_code_run(void **state)
{
	(void)state;
	assert_int_equal(
		activity_at(&process,
			    &(struct user_regs_struct){.orig_rax = UINT64_MAX,
						       .rax = INTERRUPTED}),
		ACTIVITY_RUNS);
	/* The call has returned. */
	assert_int_equal(activity_at(&process,
				     &(struct user_regs_struct){
					     .orig_rax = SYS_futex,
					     .rsi = FUTEX_WAIT_PRIVATE}),
			 ACTIVITY_RUNS);
}

static void waits_for_locks_are_for_threads(void **state)
{
	(void)state;
	assert_int_equal(in_call(SYS_futex, FUTEX_WAIT_PRIVATE, 2, 0),
			 ACTIVITY_WAITS_WITHIN);
	assert_int_equal(in_call(SYS_futex, FUTEX_LOCK_PI_PRIVATE, 0, 0),
			 ACTIVITY_WAITS_WITHIN);
	/* a condition variable */
	assert_int_equal(
		in_call(SYS_futex,
			FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, 0),
		ACTIVITY_WAITS_WITHIN);
}

static void waits_for_ends_are_for_threads(void **state)
{
	const uint64_t join = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;

	(void)state;
	assert_int_equal(in_call(SYS_futex, join, TID, 0),
			 ACTIVITY_WAITS_WITHIN);
	assert_int_equal(in_call(SYS_futex, join, TID + 1, 0), ACTIVITY_WAITS);
}

static void other_waits_go_on_meanwhile(void **state)
{
	(void)state;
	/* The clock does not stand still. */
	assert_int_equal(in_call(SYS_futex, FUTEX_WAIT_PRIVATE, 2, 0x1000),
			 ACTIVITY_WAITS);
	/* Another process may wake it up. */
	assert_int_equal(in_call(SYS_futex, FUTEX_WAIT, 2, 0), ACTIVITY_WAITS);
	assert_int_equal(in_call(SYS_read, 0, 0, 0), ACTIVITY_WAITS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_in_code_run),
		cmocka_unit_test(waits_for_locks_are_for_threads),
		cmocka_unit_test(waits_for_ends_are_for_threads),
		cmocka_unit_test(other_waits_go_on_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
