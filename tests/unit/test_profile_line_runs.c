/*
 * test_profile_line_runs.c - executions and times of lines, from the order in
 * which threads begin runs
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "perftool/profile/line_runs.h"

#define B LINE_RUN_BLOCK
#define L LINE_RUN_LINE
#define ENTRY (LINE_RUN_ENTRY | LINE_RUN_BLOCK | LINE_RUN_LINE)
#define CALL LINE_RUN_CALL
#define EXIT LINE_RUN_EXIT

/* A run of the thread 1 at a time that is 10 ns after the last one. */
static void begin(struct line_runs *runs, uint64_t frame, uint64_t number,
		  uint32_t line, unsigned marks, double *time)
{
	*time += 10;
	line_runs_begin(runs, &(struct line_run){.thread = 1,
						 .frame = frame,
						 .number = number,
						 .line = line,
						 .marks = marks,
						 .time = *time});
}

static void expect(const struct line_runs *runs, uint32_t line,
		   uint64_t executions, double own, double total)
{
	const struct line_count *count = line_runs_find(runs, line);

	assert_non_null(count);
	assert_int_equal(count->executions, executions);
	assert_true(count->own == own);
	assert_true(count->total == total);
}

static void test_lines_count_when_control_comes_from_another(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	begin(&runs, 100, 2, 6, L, &time);
	begin(&runs, 100, 3, 6, B, &time); /* another block of the line */
	begin(&runs, 100, 4, 7, B | L, &time);
	begin(&runs, 100, 3, 6, B, &time);
	begin(&runs, 100, 5, 8, B | EXIT, &time);
	expect(&runs, 5, 1, 10, 10);
	expect(&runs, 6, 2, 30, 30);
	expect(&runs, 7, 1, 10, 10);
	expect(&runs, 8, 1, 0, 0);
	assert_int_equal(runs.calls, 1);
	assert_null(line_runs_find(&runs, 9));
	line_runs_deinit(&runs);
}

static void test_loops_within_a_line_count_each_time(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	for (int i = 0; i < 4; i++) {
		begin(&runs, 100, 2, 5, B, &time); /* the condition */
		begin(&runs, 100, 3, 5, B, &time); /* the body */
	}
	begin(&runs, 100, 4, 6, B | EXIT, &time);
	/* It was entered once, and three times again. */
	expect(&runs, 5, 4, 90, 90);
	line_runs_deinit(&runs);
}

static void test_calls_are_not_own_time(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	begin(&runs, 100, 2, 5, CALL, &time);
	begin(&runs, 100, 3, 5, 0, &time); /* behind the call */
	begin(&runs, 100, 4, 6, L | EXIT, &time);
	expect(&runs, 5, 1, 20, 30);
	line_runs_deinit(&runs);
}

static void test_recursion_has_a_line_for_each_frame(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	begin(&runs, 100, 2, 6, L | CALL, &time);
	begin(&runs, 60, 1, 5, ENTRY, &time);
	begin(&runs, 60, 4, 7, B | L | EXIT, &time);
	begin(&runs, 100, 3, 6, 0, &time);
	begin(&runs, 100, 4, 7, B | L | EXIT, &time);
	expect(&runs, 5, 2, 20, 20);
	expect(&runs, 6, 1, 10, 40);
	expect(&runs, 7, 2, 0, 0);
	assert_int_equal(runs.calls, 2);
	/* A frame that was unwound is forgotten when an outer one goes on. */
	begin(&runs, 100, 1, 5, ENTRY, &time);
	begin(&runs, 100, 2, 6, L | CALL, &time);
	begin(&runs, 60, 1, 5, ENTRY, &time);
	begin(&runs, 100, 3, 6, 0, &time);
	begin(&runs, 100, 4, 7, B | L | EXIT, &time);
	expect(&runs, 6, 2, 20, 70);
	expect(&runs, 7, 3, 0, 0);
	line_runs_deinit(&runs);
}

static void test_what_began_before_does_not_count(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 2, 6, L, &time);
	assert_null(line_runs_find(&runs, 6));
	line_runs_forget(&runs, 1);
	line_runs_forget(&runs, 2);
	line_runs_deinit(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_lines_count_when_control_comes_from_another),
		cmocka_unit_test(test_loops_within_a_line_count_each_time),
		cmocka_unit_test(test_calls_are_not_own_time),
		cmocka_unit_test(test_recursion_has_a_line_for_each_frame),
		cmocka_unit_test(test_what_began_before_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
