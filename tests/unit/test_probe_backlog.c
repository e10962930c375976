/*
 * test_probe_backlog.c - threads may write as many records as the tool reads in
 * a short time
 *
 * tier: core
 * covers: probe/rings
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "perftool/ring.h"
#include "probe/rings/backlog.h"

#define CELL sizeof(struct ring_cell)

/* Has the reader read so many records, each of which took so many ns. */
static void read_many(struct backlog *backlog, size_t count, uint64_t each,
		      size_t rings)
{
	for (size_t i = 0; i < count; i += 100)
		backlog_note(backlog, 100 * each, 100, rings);
}

/* How long the tool takes to read what the threads may have written, ns. */
static uint64_t longest(const struct backlog *backlog, uint64_t each,
			size_t rings)
{
	return backlog->room / CELL * each * rings;
}

static void test_fast_reader(void **state)
{
	struct backlog backlog;

	(void)state;
	backlog_init(&backlog);
	assert_int_equal(backlog.room, RING_BYTES);
	read_many(&backlog, 20000, 100, 1);
	assert_int_equal(backlog.room, RING_BYTES);
}

static void test_slow_reader(void **state)
{
	struct backlog backlog;

	(void)state;
	backlog_init(&backlog);
	read_many(&backlog, 20000, 20000, 1);
	assert_in_range(longest(&backlog, 20000, 1), 9000000, 11000000);
	assert_int_equal(backlog.room % CELL, 0);
	/* as if there were no other records */
	read_many(&backlog, 100000, 100, 1);
	assert_int_equal(backlog.room, RING_BYTES);
}

static void test_several_rings(void **state)
{
	struct backlog backlog;

	(void)state;
	backlog_init(&backlog);
	read_many(&backlog, 20000, 2000, 8);
	assert_in_range(longest(&backlog, 2000, 8), 9000000, 11000000);
}

/* One thread must be able to write something in any case. */
static void test_least(void **state)
{
	struct backlog backlog;

	(void)state;
	backlog_init(&backlog);
	read_many(&backlog, 1000, 1000000000, 100);
	assert_in_range(backlog.room, 16 * CELL, RING_BYTES / 64);
	/* It takes a while until a single slow reading counts little. */
	read_many(&backlog, 1000000, 100, 1);
	assert_int_equal(backlog.room, RING_BYTES);
}

/* A few records say nothing. */
static void test_few(void **state)
{
	struct backlog backlog;

	(void)state;
	backlog_init(&backlog);
	backlog_note(&backlog, 50000000, 3, 1);
	assert_int_equal(backlog.room, RING_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast_reader),
		cmocka_unit_test(test_slow_reader),
		cmocka_unit_test(test_several_rings),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
