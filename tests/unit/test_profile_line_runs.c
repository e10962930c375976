/*
 * test_profile_line_runs.c - executions and times of lines, from the order in
 * which threads begin runs
 *
 * tier: core
 * covers: profile
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
	assert_int_equal(line_runs_find(&runs, 6)->own_parts[HIT_INT3], 3);
	assert_int_equal(line_runs_find(&runs, 8)->own_parts[HIT_INT3], 0);
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

/* Line 6 has two blocks, one behind the other, and line 7 a part of the second:
 * an expression that is written in two lines. */
static void test_a_line_counts_once_for_blocks_that_follow(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	for (int i = 0; i < 3; i++) {
		begin(&runs, 100, 2, 6, B | L, &time);
		begin(&runs, 100, 3, 7, B | L, &time);
		begin(&runs, 100, 4, 6, L, &time);
		begin(&runs, 100, 5, 8, B | L, &time);
	}
	begin(&runs, 100, 6, 9, B | L | EXIT, &time);
	expect(&runs, 6, 3, 60, 60);
	expect(&runs, 7, 3, 30, 30);
	expect(&runs, 8, 3, 30, 30);
	line_runs_deinit(&runs);
}

static void test_loops_of_inlined_calls_do_not_count(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin(&runs, 100, 1, 5, ENTRY, &time);
	for (int i = 0; i < 4; i++)
		begin(&runs, 100, 2, 5, B | LINE_RUN_INLINED, &time);
	begin(&runs, 100, 3, 6, B | L, &time);
	/* code of the call alone enters its line */
	begin(&runs, 100, 2, 5, B | L | LINE_RUN_INLINED, &time);
	begin(&runs, 100, 4, 6, B | L | EXIT, &time);
	expect(&runs, 5, 2, 60, 60);
	line_runs_deinit(&runs);
}

/* A run with statements of the lines in `lines`, which ends with 0. */
static void begin_statements(struct line_runs *runs, uint64_t number,
			     uint32_t line, unsigned marks,
			     const uint32_t *lines, double *time)
{
	struct line_run run = {.thread = 1,
			       .frame = 100,
			       .number = number,
			       .line = line,
			       .marks = marks | LINE_RUN_STATEMENTS,
			       .statements = lines};

	while (lines[run.statement_count])
		run.statement_count++;
	run.time = *time += 10;
	line_runs_begin(runs, &run);
}

#define LINES(...) ((const uint32_t[]){__VA_ARGS__, 0})

/* The code of a loop as an optimizing compiler makes it: instructions of the
 * body are mixed with those of the loop's head, and several statements begin at
 * one instruction. */
static void test_statements_count_and_other_code_does_not(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	/* for (i = 0; i < n; i++) in line 6, of which the first two parts
	 * begin with the function */
	begin_statements(&runs, 1, 5, ENTRY, LINES(5, 6, 6), &time);
	for (int i = 0; i < 7; i++) {
		begin_statements(&runs, 2, 7, B | L, LINES(7, 8), &time);
		begin_statements(&runs, 3, 6, L, LINES(0), &time);
		begin_statements(&runs, 4, 8, L, LINES(0), &time);
		begin_statements(&runs, 5, 6, L, LINES(6, 6), &time);
	}
	begin_statements(&runs, 6, 9, B | L | EXIT, LINES(9), &time);
	expect(&runs, 5, 1, 10, 10);
	expect(&runs, 6, 8, 140, 140);
	expect(&runs, 7, 7, 70, 70);
	expect(&runs, 8, 7, 70, 70);
	expect(&runs, 9, 1, 0, 0);
	line_runs_deinit(&runs);
}

static void test_a_loop_of_statements_of_one_line_counts_each_time(void **state)
{
	struct line_runs runs = {0};
	double time = 0;

	(void)state;
	begin_statements(&runs, 1, 5, ENTRY, LINES(5), &time);
	for (int i = 0; i < 4; i++)
		begin_statements(&runs, 2, 6, B | L, LINES(6, 6, 6), &time);
	begin_statements(&runs, 3, 7, B | L | EXIT, LINES(7), &time);
	expect(&runs, 6, 4, 40, 40);
	line_runs_deinit(&runs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_line_counts_once_for_blocks_that_follow),
		cmocka_unit_test(test_loops_of_inlined_calls_do_not_count),
		cmocka_unit_test(test_statements_count_and_other_code_does_not),
		cmocka_unit_test(
			test_a_loop_of_statements_of_one_line_counts_each_time),
		cmocka_unit_test(
			test_lines_count_when_control_comes_from_another),
		cmocka_unit_test(test_loops_within_a_line_count_each_time),
		cmocka_unit_test(test_calls_are_not_own_time),
		cmocka_unit_test(test_recursion_has_a_line_for_each_frame),
		cmocka_unit_test(test_what_began_before_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
