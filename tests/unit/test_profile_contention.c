/*
 * test_profile_contention.c - what follows from the waits for locks that
 * threads tell: waiters, holders, and how long the others waited for these
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/profile/contention.h"

#define PROCESS 100
#define LOCK 0x5000

/* A thread has the tid of its number, plus PROCESS. Its place is `site`, and
 * the function there is `site` plus 100. */
static void wait_on(struct contention *contention, uint64_t lock,
		    enum lock_kind kind, uint32_t thread, uint32_t site,
		    uint32_t holder, int64_t time)
{
	const struct wait_begin wait = {
		.thread = thread,
		.pid = PROCESS,
		.tid = PROCESS + (int32_t)thread,
		.stack = 0x1000,
		.lock = lock,
		.kind = kind,
		.site = site,
		.function = site + 100,
		.holder = holder ? PROCESS + (int32_t)holder : 0,
		.time = time};

	contention_begin(contention, &wait);
}

static void begin(struct contention *contention, uint32_t thread, uint32_t site,
		  uint32_t holder, int64_t time)
{
	wait_on(contention, LOCK, LOCK_MUTEX, thread, site, holder, time);
}

static void end(struct contention *contention, uint32_t thread, int64_t time)
{
	contention_end(contention, thread, 0x1000, time);
}

static void release(struct contention *contention, uint32_t thread,
		    uint32_t function, int64_t time)
{
	contention_release(contention, PROCESS, PROCESS + (int32_t)thread, LOCK,
			   function, time);
}

static struct contended_lock *only(struct contention *contention)
{
	struct lock_order order = {0};
	struct contended_lock *lock;

	contention_sort(contention, &order);
	assert_int_equal(order.count, 1);
	lock = &contention->locks.data[order.data[0]];
	vec_free(&order);
	return lock;
}

static void check_waiter(const struct contended_lock *lock, size_t index,
			 uint32_t thread, uint64_t waits, int64_t total,
			 int64_t max)
{
	const struct lock_waiter *at = &lock->waiters.data[index];

	assert_int_equal(at->tid, PROCESS + (int32_t)thread);
	assert_int_equal(at->waits, waits);
	assert_int_equal(at->total, total);
	assert_int_equal(at->max, max);
}

static void check_holder(const struct contended_lock *lock, size_t index,
			 uint32_t thread, uint32_t function, uint64_t waits,
			 int64_t blocked, uint64_t known, int64_t held)
{
	const struct lock_holder *at = &lock->holders.data[index];

	assert_int_equal(at->tid, PROCESS + (int32_t)thread);
	assert_int_equal(at->function, function);
	assert_int_equal(at->waits, waits);
	assert_int_equal(at->blocked, blocked);
	assert_int_equal(at->known, known);
	assert_int_equal(at->held, held);
}

/* Thread 1 has taken the free lock. Threads 2 and 3 wait, and get it in turn.
 */
static void a_lock_goes_from_one_to_the_next(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	begin(&contention, 3, 8, 1, 1400);
	release(&contention, 1, 50, 2000);
	end(&contention, 2, 2010);
	release(&contention, 2, 51, 2500);
	end(&contention, 3, 2520);
	release(&contention, 3, 52, 2600);
	lock = only(&contention);
	assert_int_equal(lock->waits, 2);
	assert_int_equal(lock->total, 1010 + 1120);
	assert_int_equal(lock->max, 1120);
	assert_int_equal(lock->waiting, 0);
	check_waiter(lock, 0, 3, 1, 1120, 1120);
	check_waiter(lock, 1, 2, 1, 1010, 1010);
	assert_int_equal(lock->holders.count, 3);
	/* Who has taken a free lock is known by who releases it. Others have
	 * waited for 1 since 1000, for 2 since it has the lock, and for 3 not
	 * at all. */
	check_holder(lock, 0, 1, 50, 2, 1000, 0, 0);
	check_holder(lock, 1, 2, 107, 0, 490, 1, 490);
	check_holder(lock, 2, 3, 108, 0, 0, 1, 80);
	contention_deinit(&contention);
}

/* The lock does not say who holds it, or the thread that holds it has taken it
 * between a release and the thread that was woken. */
static void who_releases_was_the_holder(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;

	(void)state;
	begin(&contention, 2, 7, 0, 1000);
	release(&contention, 1, 50, 1500);
	release(&contention, 4, 51, 1800);
	end(&contention, 2, 1900);
	lock = only(&contention);
	assert_int_equal(lock->holders.count, 2);
	check_holder(lock, 0, 1, 50, 0, 500, 0, 0);
	check_holder(lock, 1, 4, 51, 0, 300, 0, 0);
	contention_deinit(&contention);
}

static void a_release_that_nobody_waits_for_is_none(void **state)
{
	struct contention contention = {0};
	struct lock_order order = {0};

	(void)state;
	release(&contention, 1, 50, 1000);
	end(&contention, 2, 1100);
	contention_sort(&contention, &order);
	assert_int_equal(order.count, 0);
	vec_free(&order);
	contention_deinit(&contention);
}

/* Nobody holds a condition, and waits for it come behind those for locks. */
static void conditions_have_no_holder(void **state)
{
	struct contention contention = {0};
	struct lock_order order = {0};

	(void)state;
	wait_on(&contention, 0x9000, LOCK_CONDITION, 2, 7, 0, 1000);
	end(&contention, 2, 9000);
	begin(&contention, 2, 7, 1, 9001);
	end(&contention, 2, 9002);
	contention_sort(&contention, &order);
	assert_int_equal(order.count, 2);
	assert_int_equal(contention.locks.data[order.data[0]].address, LOCK);
	assert_int_equal(contention.locks.data[order.data[1]].total, 8000);
	assert_int_equal(contention.locks.data[order.data[1]].holders.count, 0);
	vec_free(&order);
	contention_deinit(&contention);
}

/* A read-write lock is released without a word: who holds it after a time
 * without waits is not known from before. */
static void read_write_locks_tell_less(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;

	(void)state;
	wait_on(&contention, LOCK, LOCK_WRITE, 2, 7, 1, 1000);
	end(&contention, 2, 1500);
	wait_on(&contention, LOCK, LOCK_READ, 3, 8, 2, 5000);
	end(&contention, 3, 5100);
	lock = only(&contention);
	assert_int_equal(lock->holders.count, 2);
	check_holder(lock, 0, 1, 0, 1, 500, 0, 0);
	/* not 3600 ns, since 1500 */
	check_holder(lock, 1, 2, 0, 1, 100, 0, 0);
	contention_deinit(&contention);
}

/* A signal handler waits while its thread waits: on the same stack, below. */
static void waits_are_nested(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;
	struct wait_begin inner = {.thread = 2,
				   .pid = PROCESS,
				   .tid = PROCESS + 2,
				   .stack = 0x800,
				   .lock = LOCK,
				   .kind = LOCK_MUTEX,
				   .site = 9,
				   .time = 1100};

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	contention_begin(&contention, &inner);
	contention_end(&contention, 2, 0x800, 1200);
	end(&contention, 2, 1700);
	lock = only(&contention);
	assert_int_equal(lock->waits, 2);
	assert_int_equal(lock->total, 100 + 700);
	contention_deinit(&contention);
}

/* The handler has left its wait by longjmp: the outer wait ends all the same,
 * and the inner one counts for nothing. */
static void a_wait_that_is_left_does_not_count(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;
	struct wait_begin inner = {.thread = 2,
				   .pid = PROCESS,
				   .tid = PROCESS + 2,
				   .stack = 0x800,
				   .lock = LOCK,
				   .kind = LOCK_MUTEX,
				   .time = 1100};

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	contention_begin(&contention, &inner);
	end(&contention, 2, 1700);
	lock = only(&contention);
	assert_int_equal(lock->waits, 1);
	assert_int_equal(lock->total, 700);
	assert_int_equal(lock->waiting, 0);
	contention_deinit(&contention);
}

static void time_in_which_all_stood_is_left_out(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	contention_skip(&contention, 1200, 1500);
	contention_skip(&contention, 500, 900); /* before the wait */
	release(&contention, 1, 50, 2000);
	end(&contention, 2, 2010);
	lock = only(&contention);
	assert_int_equal(lock->total, 710);
	check_holder(lock, 0, 1, 50, 1, 700, 0, 0);
	contention_deinit(&contention);
}

static void clear_begins_anew(void **state)
{
	struct contention contention = {0};
	const struct contended_lock *lock;

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	end(&contention, 2, 1500);
	begin(&contention, 3, 7, 2, 1600);
	contention_clear(&contention, 2000);
	release(&contention, 2, 50, 2100);
	end(&contention, 3, 2130);
	lock = only(&contention);
	assert_int_equal(lock->waits, 1);
	assert_int_equal(lock->total, 130);
	assert_int_equal(lock->waiters.count, 1);
	assert_int_equal(lock->holders.count, 1);
	/* when it has taken the lock does not count any more */
	check_holder(lock, 0, 2, 107, 0, 100, 0, 0);
	contention_deinit(&contention);
}

/* The waits of a process that has ended have no end; those of another process
 * at the same address are others. */
static void processes_are_apart(void **state)
{
	struct contention contention = {0};
	struct wait_begin other = {.thread = 9,
				   .pid = PROCESS + 50,
				   .tid = PROCESS + 50,
				   .stack = 0x1000,
				   .lock = LOCK,
				   .kind = LOCK_MUTEX,
				   .time = 1000};
	struct lock_order order = {0};

	(void)state;
	begin(&contention, 2, 7, 1, 1000);
	contention_begin(&contention, &other);
	assert_int_equal(contention.locks.count, 2);
	assert_true(contention_has(&contention, PROCESS + 50, LOCK));
	assert_false(contention_has(&contention, PROCESS + 51, LOCK));
	contention_forget(&contention, PROCESS);
	assert_int_equal(contention.open.count, 1);
	contention_end(&contention, 9, 0x1000, 1200);
	contention_sort(&contention, &order);
	assert_int_equal(order.count, 1);
	assert_int_equal(contention.locks.data[order.data[0]].pid,
			 PROCESS + 50);
	vec_free(&order);
	contention_deinit(&contention);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lock_goes_from_one_to_the_next),
		cmocka_unit_test(who_releases_was_the_holder),
		cmocka_unit_test(a_release_that_nobody_waits_for_is_none),
		cmocka_unit_test(conditions_have_no_holder),
		cmocka_unit_test(read_write_locks_tell_less),
		cmocka_unit_test(waits_are_nested),
		cmocka_unit_test(a_wait_that_is_left_does_not_count),
		cmocka_unit_test(time_in_which_all_stood_is_left_out),
		cmocka_unit_test(clear_begins_anew),
		cmocka_unit_test(processes_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
