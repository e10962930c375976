/*
 * test_compare_conditions.c - the conditions of --fail-if
 *
 * tier: core
 * covers: compare
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perftool/compare.h"

/* The count has doubled, and that is certain; the mean has grown by 10 %, which
 * is not; p50 has fallen by half; p99 was 0. */
static struct leg_comparison leg_of(const char *name)
{
	struct leg_comparison leg = {.name = name};

	leg.figures[FIGURE_COUNT] = (struct estimate){
		.before = 100, .after = 200, .verdict = VERDICT_MORE};
	leg.figures[FIGURE_MEAN] = (struct estimate){
		.before = 1000, .after = 1100, .verdict = VERDICT_NONE};
	leg.figures[FIGURE_P50] = (struct estimate){
		.before = 1000, .after = 500, .verdict = VERDICT_LESS};
	leg.figures[FIGURE_P99] = (struct estimate){
		.before = 0, .after = 5, .verdict = VERDICT_MORE};
	leg.figures[FIGURE_TOTAL] =
		(struct estimate){.before = NAN, .after = NAN};
	return leg;
}

static bool holds(const char *text)
{
	struct leg_comparison leg = leg_of("ns::f");
	struct compare_condition condition;
	struct error *error = compare_condition_parse(text, &condition);
	bool result;

	if (error)
		fail_msg("%s", error_message(error));
	result = compare_condition_concerns(&condition, &leg) &&
		 compare_condition_holds(&condition, &leg);
	compare_condition_deinit(&condition);
	return result;
}

static void percentages_are_of_differences(void **state)
{
	(void)state;
	assert_true(holds("count > 5%"));
	assert_true(holds("count>=100%"));
	assert_false(holds("count > 100%"));
	assert_true(holds("count > 5 %"));
	assert_true(holds("p50 < -3%"));
	assert_true(holds("p50 <= -50%"));
	assert_false(holds("p50 > 5%"));
	/* 10 %, which the runs do not show */
	assert_false(holds("mean > 5%"));
	assert_true(holds("p99 > 1000%"));
	assert_false(holds("total > 5%"));
}

static void numbers_are_values(void **state)
{
	(void)state;
	assert_true(holds("count > 199"));
	assert_false(holds("count > 200"));
	assert_true(holds("mean > 1us"));
	assert_true(holds("mean >= 1.1us"));
	assert_false(holds("mean > 1ms"));
	assert_true(holds("mean < 1101ns"));
	assert_false(holds("total > 0"));
}

static void legs_are_named(void **state)
{
	(void)state;
	assert_true(holds("ns::f: count > 5%"));
	assert_true(holds("ns::*:count > 5%"));
	assert_false(holds("ns::g: count > 5%"));
	assert_false(holds("f: count > 5%"));
}

static void refuses(const char *text, const char *words)
{
	struct compare_condition condition;
	struct error *error = compare_condition_parse(text, &condition);

	if (!error)
		fail_msg("`%s' was accepted", text);
	if (!strstr(error_message(error), words))
		fail_msg("`%s' is not in: %s", words, error_message(error));
	error_destroy(error);
}

static void refuses_what_is_no_condition(void **state)
{
	(void)state;
	refuses("", "names no figure");
	refuses("p98 > 5%", "names no figure");
	refuses("p99", "has none of >");
	refuses("p99 5%", "has none of >");
	refuses("p99 == 5%", "has none of >");
	refuses("p99 >", "has no number");
	refuses("p99 > x", "has no number");
	refuses("p99 > nan", "has no number");
	refuses("p99 > 5", "has a time without a unit");
	refuses("p99 > 1e999", "has no number");
	refuses("p99 > 5%x", "goes on behind");
	refuses("p99 > 5 ms", "goes on behind");
	refuses("p99 > 5lightyears", "goes on behind");
	refuses("count > 5ms", "has no number that fits");
	refuses(": p99 > 5%", "has no leg before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentages_are_of_differences),
		cmocka_unit_test(numbers_are_values),
		cmocka_unit_test(legs_are_named),
		cmocka_unit_test(refuses_what_is_no_condition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
