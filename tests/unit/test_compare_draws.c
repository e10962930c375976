/*
 * test_compare_draws.c - what a bootstrap over a histogram draws has the
 * distribution of what would be drawn value by value
 *
 * tier: core
 * covers: compare
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/drawn_mean.h"
#include "compare/drawn_quantile.h"
#include "compare/estimate.h"

#define DRAWS 20000

static void assert_close(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.12g is not %.12g", a, b);
}

/* The part of rank k of n lies below x if at least k of n parts do, which is a
 * binomial sum. */
static double at_least(double k, double n, double x)
{
	double sum = 0;

	for (double i = k; i <= n; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) +
			   i * log(x) + (n - i) * log1p(-x));
	return sum;
}

static void beta_is_a_binomial_sum(void **state)
{
	static const struct {
		double k, n, x;
	} cases[] = {{1, 5, 0.1},         {3, 5, 0.5},
		     {990, 1000, 0.985},  {500, 1000, 0.51},
		     {1000, 2000, 0.52},  {99000, 100000, 0.9903},
		     {99000, 99999, 0.99}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_close(beta_below(cases[i].k, cases[i].n - cases[i].k + 1,
					cases[i].x),
			     at_least(cases[i].k, cases[i].n, cases[i].x),
			     1e-7);
}

static void numbers_of_tables_are_those_of_poisson(void **state)
{
	static const unsigned means[] = {1, 3, 17, POISSON_MEAN_MAX};
	struct poisson_tables tables = {0};
	struct random random;

	(void)state;
	random_seed(&random, 3);
	for (size_t i = 0; i < sizeof(means) / sizeof(*means); i++) {
		const struct poisson_table *table =
			poisson_table(&tables, means[i]);
		double mean = means[i], sum = 0, squares = 0, none = 0;

		assert_ptr_equal(table, poisson_table(&tables, means[i]));
		for (unsigned j = 0; j < DRAWS; j++) {
			double x = poisson_number(
				table, (uint32_t)(random_next(&random) >> 32));

			sum += x / DRAWS;
			squares += (x - mean) * (x - mean) / DRAWS;
			none += x == 0;
		}
		/* about six standard errors */
		assert_close(sum, mean, 6 * sqrt(mean / DRAWS));
		assert_close(squares, mean, 0.08 * mean);
		assert_close(none / DRAWS, exp(-mean), 0.02);
		assert_true(poisson_number(table, UINT32_MAX) <
			    POISSON_NUMBERS);
	}
	poisson_tables_deinit(&tables);
}

/* The mean of n drawn values has the mean of the values, and their variance
 * divided by n. */
static void drawn_means_have_their_moments(void **state)
{
	static const struct compare_value cases[][4] = {
		{{10, 3}, {20, 40}, {30, 7}, {500, 1}},
		{{10, 3000}, {20, 51}, {30, 700}, {31, 1000000}},
		{{10, 4}, {20, 500}, {1000, 2}, {1001, 60}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct compare_values values = {cases[i], 4, 0};
		double mean = 0, variance = 0, drawn_mean = 0,
		       drawn_variance = 0;
		struct poisson_tables tables = {0};
		struct drawn_mean drawn;
		struct random random;

		for (size_t j = 0; j < 4; j++) {
			values.total += cases[i][j].count;
			mean += cases[i][j].value * (double)cases[i][j].count;
		}
		mean /= (double)values.total;
		for (size_t j = 0; j < 4; j++)
			variance += pow(cases[i][j].value - mean, 2) *
				    (double)cases[i][j].count /
				    pow((double)values.total, 2);
		random_seed(&random, 9);
		drawn_mean_init(&drawn, &values, &tables);
		for (unsigned j = 0; j < DRAWS; j++) {
			double x = drawn_mean_next(&drawn, &random);

			drawn_mean += x / DRAWS;
			drawn_variance += (x - mean) * (x - mean) / DRAWS;
		}
		drawn_mean_deinit(&drawn);
		poisson_tables_deinit(&tables);
		assert_close(drawn_mean, mean, 10 * sqrt(variance / DRAWS));
		/* the ratio of two sums varies a little more */
		assert_close(drawn_variance / variance, 1, 0.12);
	}
}

/* How often a value is drawn as the quantile is known exactly. */
static void drawn_quantiles_have_their_distribution(void **state)
{
	static const struct compare_value list[] = {
		{10, 5}, {20, 10}, {30, 0}, {40, 8}, {50, 2}};
	const struct compare_values values = {list, 5, 25};
	struct drawn_quantile drawn;
	struct random random;
	double below[5] = {0};

	(void)state;
	random_seed(&random, 5);
	drawn_quantile_init(&drawn, &values, 0.5);
	for (unsigned i = 0; i < DRAWS; i++) {
		double x = drawn_quantile_next(&drawn, &random);

		for (size_t j = 0; j < 5; j++)
			below[j] += x <= list[j].value;
	}
	drawn_quantile_deinit(&drawn);
	/* the 13th of 25 */
	assert_close(below[0] / DRAWS, at_least(13, 25, 0.2), 0.015);
	assert_close(below[1] / DRAWS, at_least(13, 25, 0.6), 0.015);
	assert_close(below[2] / DRAWS, at_least(13, 25, 0.6), 0.015);
	assert_close(below[3] / DRAWS, at_least(13, 25, 0.92), 0.015);
	assert_close(below[4] / DRAWS, 1, 0);
}

/* Of many executions the distribution is taken as normal. */
static void quantiles_of_many_are_drawn_from_few_values(void **state)
{
	struct compare_value list[1000];
	struct compare_values values = {list, 1000, 0};
	double least = 1000, most = 0;
	struct drawn_quantile drawn;
	struct random random;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		list[i] = (struct compare_value){(double)i, 1000};
		values.total += list[i].count;
	}
	random_seed(&random, 5);
	drawn_quantile_init(&drawn, &values, 0.5);
	for (unsigned i = 0; i < DRAWS; i++) {
		double x = drawn_quantile_next(&drawn, &random);

		least = fmin(least, x);
		most = fmax(most, x);
	}
	assert_true(drawn.values.count < 20);
	drawn_quantile_deinit(&drawn);
	/* the standard error is half a value */
	assert_true(least >= 495 && least <= 499);
	assert_true(most >= 500 && most <= 504);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void quantiles_of_draws_are_those_of_sorted_draws(void **state)
{
	struct random random;

	(void)state;
	random_seed(&random, 2);
	for (size_t count = 1; count < 400; count++) {
		double values[400], sorted[400], p = random_unit(&random);
		double at = p * (double)count - 0.5, wanted;
		size_t below = at > 0 ? (size_t)at : 0;

		/* many of them are equal */
		for (size_t i = 0; i < count; i++)
			values[i] = sorted[i] =
				(double)random_below(&random, 1 + count / 2);
		qsort(sorted, count, sizeof(*sorted), by_value);
		if (at <= 0)
			wanted = sorted[0];
		else if (below + 1 >= count)
			wanted = sorted[count - 1];
		else
			wanted = sorted[below] +
				 (at - (double)below) *
					 (sorted[below + 1] - sorted[below]);
		assert_close(quantile_of_drawn(values, count, p), wanted, 0);
	}
}

static void without_resamples_there_is_no_interval(void **state)
{
	const double runs[] = {1, 2, 3, 4, 5};
	const struct compare_value list[] = {{10, 5}, {20, 10}};
	const struct compare_values values = {list, 2, 15};
	struct estimate estimate;
	struct random random;

	(void)state;
	random_seed(&random, 1);
	random.resamples = 0;
	estimate = compare_runs(runs, 5, runs, 5, 0, &random);
	assert_close(estimate.before, 3, 0);
	assert_false(estimate.has_interval);
	assert_false(compare_means(&values, 17, &values, 17, 0, &random)
			     .has_interval);
	assert_false(
		compare_quantiles(&values, 20, &values, 20, 0.5, 0, &random)
			.has_interval);
}

/* Few legs are compared as carefully as one, and no number of legs too
 * carelessly. */
static void resamples_depend_on_the_number_of_legs(void **state)
{
	(void)state;
	assert_int_equal(comparison_resamples(0), RESAMPLES);
	assert_int_equal(comparison_resamples(5000), RESAMPLES);
	assert_true(comparison_resamples(10000) < RESAMPLES);
	assert_int_equal(comparison_resamples(1000000), RESAMPLES_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beta_is_a_binomial_sum),
		cmocka_unit_test(numbers_of_tables_are_those_of_poisson),
		cmocka_unit_test(drawn_means_have_their_moments),
		cmocka_unit_test(drawn_quantiles_have_their_distribution),
		cmocka_unit_test(quantiles_of_many_are_drawn_from_few_values),
		cmocka_unit_test(quantiles_of_draws_are_those_of_sorted_draws),
		cmocka_unit_test(without_resamples_there_is_no_interval),
		cmocka_unit_test(resamples_depend_on_the_number_of_legs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
