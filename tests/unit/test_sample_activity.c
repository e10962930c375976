/*
 * test_sample_activity.c - what a thread did at ticks that the tool was late
 * for, by records of its context switches
 *
 * tier: core
 * covers: sample
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample/thread_activity.h"

#define ON(when)                                                               \
	{                                                                      \
		.kind = SWITCH_ON, .time = (when)                              \
	}
#define WAIT(when)                                                             \
	{                                                                      \
		.kind = SWITCH_OFF, .time = (when)                             \
	}
#define PREEMPT(when)                                                          \
	{                                                                      \
		.kind = SWITCH_OFF, .is_preempted = true, .time = (when)       \
	}
#define LOST                                                                   \
	{                                                                      \
		.kind = SWITCH_LOST                                            \
	}
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Ten ticks at 100, 110, ... 190, and these records. */
static struct due_ticks read_ticks(enum activity *activity,
				   const struct switch_record *records,
				   size_t count)
{
	struct due_ticks ticks = {.first = 100, .period = 10, .count = 10};

	for (size_t i = 0; i < count; i++)
		due_ticks_switch(&ticks, activity, &records[i]);
	due_ticks_end(&ticks, *activity);
	return ticks;
}

/* Each tick but the last one is in one of the numbers. */
static void check_sum(const struct due_ticks *ticks)
{
	uint64_t sum = ticks->present + ticks->ran;

	for (size_t i = 0; i < ACTIVITIES; i++)
		sum += ticks->over[i];
	assert_int_equal(sum, 9);
}

static void a_wait_has_all_ticks_since_it_began(void **state)
{
	const struct switch_record records[] = {WAIT(125)};
	enum activity activity = ACTIVITY_RUNS;
	struct due_ticks ticks = read_ticks(&activity, records, 1);

	(void)state;
	check_sum(&ticks);
	assert_int_equal(activity, ACTIVITY_WAITS);
	assert_int_equal(ticks.last, ACTIVITY_WAITS);
	assert_int_equal(ticks.present, 6);
	/* it has gone elsewhere since it ran */
	assert_int_equal(ticks.ran, 0);
	assert_int_equal(ticks.over[ACTIVITY_RUNS], 3);
}

static void preempted_thread_is_where_it_ran(void **state)
{
	const struct switch_record records[] = {ON(105), PREEMPT(145)};
	enum activity activity = ACTIVITY_WAITS;
	struct due_ticks ticks = read_ticks(&activity, records, COUNT(records));

	(void)state;
	check_sum(&ticks);
	assert_int_equal(ticks.over[ACTIVITY_WAITS], 1);
	assert_int_equal(ticks.ran, 4);
	assert_int_equal(ticks.present, 4);
	assert_int_equal(ticks.last, ACTIVITY_PREEMPTED);
}

static void what_is_over_is_told_apart(void **state)
{
	const struct switch_record records[] = {PREEMPT(115), ON(135),
						WAIT(155), ON(165)};
	enum activity activity = ACTIVITY_RUNS;
	struct due_ticks ticks = read_ticks(&activity, records, COUNT(records));

	(void)state;
	check_sum(&ticks);
	assert_int_equal(ticks.over[ACTIVITY_RUNS], 4);
	assert_int_equal(ticks.over[ACTIVITY_PREEMPTED], 2);
	assert_int_equal(ticks.over[ACTIVITY_WAITS], 1);
	assert_int_equal(ticks.present, 2);
	assert_int_equal(ticks.last, ACTIVITY_RUNS);
}

/* The tool takes the CPU after the last tick to see to it. */
static void later_switches_do_not_change_the_last_tick(void **state)
{
	const struct switch_record records[] = {PREEMPT(195)};
	enum activity activity = ACTIVITY_RUNS;
	struct due_ticks ticks = read_ticks(&activity, records, 1);

	(void)state;
	check_sum(&ticks);
	assert_int_equal(ticks.last, ACTIVITY_RUNS);
	assert_int_equal(ticks.ran, 9);
	assert_int_equal(ticks.present, 0);
}

static void missing_records_make_it_unknown(void **state)
{
	const struct switch_record records[] = {ON(105), LOST, WAIT(155)};
	enum activity activity = ACTIVITY_WAITS;
	struct due_ticks ticks = read_ticks(&activity, records, COUNT(records));

	(void)state;
	check_sum(&ticks);
	assert_int_equal(ticks.over[ACTIVITY_WAITS], 1);
	assert_int_equal(ticks.over[ACTIVITY_UNKNOWN], 5);
	assert_int_equal(ticks.present, 3);
}

/* Times that lie in the past, or far in the future, make no further ticks. */
static void no_time_makes_more_ticks_than_there_are(void **state)
{
	const struct switch_record records[] = {
		ON(90),           PREEMPT(80), ON(0), PREEMPT(UINT64_MAX),
		WAIT(UINT64_MAX), ON(1)};
	enum activity activity = ACTIVITY_UNKNOWN;
	struct due_ticks ticks = read_ticks(&activity, records, COUNT(records));

	(void)state;
	check_sum(&ticks);
	assert_int_equal(ticks.seen, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_has_all_ticks_since_it_began),
		cmocka_unit_test(preempted_thread_is_where_it_ran),
		cmocka_unit_test(what_is_over_is_told_apart),
		cmocka_unit_test(later_switches_do_not_change_the_last_tick),
		cmocka_unit_test(missing_records_make_it_unknown),
		cmocka_unit_test(no_time_makes_more_ticks_than_there_are),
	};

	return cmocka_run_group_tests_name("sample_activity", tests, NULL,
					   NULL);
}
