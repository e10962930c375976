/*
 * test_compare_estimates.c - intervals and verdicts, on numbers of which the
 * truth is known: the generator is seeded, so that a test always has the same
 * numbers
 *
 * tier: full
 * covers: compare
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "perftool/compare.h"

static void assert_close(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.12g is not %.12g", a, b);
}

static void distributions_are_those_of_tables(void **state)
{
	(void)state;
	assert_close(normal_below(1.959963985), 0.975, 1e-9);
	assert_close(normal_below(-1), 0.158655254, 1e-9);
	assert_close(student_quantile(0.975, 1), 12.7062047, 1e-6);
	assert_close(student_quantile(0.975, 9), 2.26215716, 1e-7);
	assert_close(student_quantile(0.975, 18), 2.10092204, 1e-7);
	assert_close(student_quantile(0.025, 18), -2.10092204, 1e-7);
	assert_close(student_quantile(0.5, 3), 0, 1e-6);
	assert_close(student_below(2, 5), 0.949030, 1e-6);
}

/* Means and variances of what is drawn: 1 and 1, mean and mean, shape and
 * shape. */
static void draws_have_their_moments(void **state)
{
	enum { N = 20000 };
	struct random random;
	double normal = 0, squares = 0, few = 0, many = 0, gamma = 0, low = 0;

	(void)state;
	random_seed(&random, 1);
	for (int i = 0; i < N; i++) {
		double x = random_normal(&random);

		normal += x / N;
		squares += x * x / N;
		few += random_poisson(&random, 3) / N;
		many += random_poisson(&random, 400) / N;
		gamma += random_gamma(&random, 2.5) / N;
		low += random_gamma(&random, 0.5) / N;
		assert_true(random_below(&random, 7) < 7);
	}
	assert_close(normal, 0, 0.03);
	assert_close(squares, 1, 0.04);
	assert_close(few, 3, 0.05);
	assert_close(many, 400, 0.6);
	assert_close(gamma, 2.5, 0.05);
	assert_close(low, 0.5, 0.03);
}

static void the_same_seed_gives_the_same(void **state)
{
	struct random a, b;

	(void)state;
	random_seed(&a, 5);
	random_seed(&b, 5);
	for (int i = 0; i < 100; i++)
		assert_true(random_next(&a) == random_next(&b));
}

static void medians(void **state)
{
	(void)state;
	assert_true(isnan(compare_median(NULL, 0)));
	assert_close(compare_median((const double[]){4}, 1), 4, 0);
	assert_close(compare_median((const double[]){4, 2}, 2), 3, 0);
	assert_close(compare_median((const double[]){9, 1, 2}, 3), 2, 0);
	assert_close(compare_median((const double[]){9, 1, 2, 4}, 4), 3, 0);
}

/* Runs that vary by 1 %. Of those of a `busy` machine one in ten is disturbed,
 * by up to 30 %. */
static double run_of(struct random *random, double true_value, bool busy)
{
	double value = true_value * (1 + 0.01 * random_normal(random));

	if (busy && random_unit(random) < 0.1)
		value *= 1 + 0.3 * random_unit(random);
	return value;
}

struct tally {
	int alarms, found, covered; /* of TRIALS */
};
#define TRIALS 200

static struct tally trials(size_t runs, bool busy, uint64_t seed)
{
	struct random noise, drawn;
	struct tally tally = {0};

	random_seed(&noise, seed);
	random_seed(&drawn, 1);
	for (int i = 0; i < TRIALS; i++) {
		double a[64], b[64], c[64];
		struct estimate equal, slower;

		for (size_t j = 0; j < runs; j++) {
			a[j] = run_of(&noise, 100, busy);
			b[j] = run_of(&noise, 100, busy);
			c[j] = run_of(&noise, 103, busy);
		}
		equal = compare_runs(a, runs, b, runs, 0, &drawn);
		slower = compare_runs(a, runs, c, runs, 0, &drawn);
		tally.alarms += equal.verdict == VERDICT_MORE ||
				equal.verdict == VERDICT_LESS;
		tally.found += slower.verdict == VERDICT_MORE;
		/* the median of disturbed runs is a little above the true
		 * value, in the same proportion on both sides */
		tally.covered += slower.low <= 3.01 && slower.high >= 3.01;
	}
	return tally;
}

static void intervals_have_their_level(void **state)
{
	static const size_t runs[] = {2, 3, 5, 10, 30};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(runs) / sizeof(*runs); i++) {
		struct tally tally = trials(runs[i / 2], i % 2, 11 + i);

		/* 5 % are 10; more than 19 of 200 are less likely than 1 in 200
		 */
		if (tally.alarms > 19 || tally.covered < TRIALS - 19)
			fail_msg("%zu runs: %d alarms, %d covered of %d",
				 runs[i / 2], tally.alarms, tally.covered,
				 TRIALS);
	}
}

static void a_difference_of_3_percent_is_found(void **state)
{
	struct tally quiet = trials(10, false, 1), busy = trials(10, true, 1);

	(void)state;
	if (quiet.found < 190 || busy.found < 150)
		fail_msg("found in %d and %d of %d", quiet.found, busy.found,
			 TRIALS);
}

static void verdicts_of_runs(void **state)
{
	const double low[] = {10, 11, 10, 12}, high[] = {20, 21, 22, 20};
	const double same[] = {5, 5, 5}, other[] = {6, 6, 6};
	struct estimate estimate;
	struct random random;

	(void)state;
	random_seed(&random, 1);
	estimate = compare_runs(low, 4, high, 4, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_MORE);
	assert_close(
		estimate_percent(&estimate, estimate_difference(&estimate)),
		95.238, 0.001);
	estimate = compare_runs(high, 4, low, 4, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_LESS);
	/* runs that are all equal: the difference is certain */
	estimate = compare_runs(same, 3, same, 3, 1, &random);
	assert_int_equal(estimate.verdict, VERDICT_SAME);
	estimate = compare_runs(same, 3, other, 3, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_MORE);
	/* unless it is finer than the values are known */
	estimate = compare_runs(same, 3, other, 3, 1.5, &random);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	/* one run tells nothing about others */
	estimate = compare_runs(same, 1, other, 3, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
	assert_false(estimate.has_interval);
	estimate = compare_runs(NULL, 0, other, 3, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_UNKNOWN);
	assert_true(isnan(estimate.before));
}

/* As many runs more as it says do show the difference. */
static void more_runs_would_show_it(void **state)
{
	double a[4096], b[4096];
	struct random noise, drawn;
	struct estimate estimate;
	size_t runs = 10;

	(void)state;
	random_seed(&noise, 2);
	random_seed(&drawn, 1);
	for (size_t i = 0; i < sizeof(a) / sizeof(*a); i++) {
		a[i] = 100 + 2 * random_normal(&noise);
		b[i] = 101 + 2 * random_normal(&noise);
	}
	estimate = compare_runs(a, runs, b, runs, 0, &drawn);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	assert_true(estimate.more_runs > 0);
	while (estimate.verdict == VERDICT_NONE) {
		runs += estimate.more_runs;
		assert_true(runs < 400);
		estimate = compare_runs(a, runs, b, runs, 0, &drawn);
	}
	assert_int_equal(estimate.verdict, VERDICT_MORE);
}

/* A histogram of times around a mean, with a long tail. */
static uint64_t fill(struct compare_value *values, size_t count, double scale)
{
	uint64_t total = 0;

	for (size_t i = 0; i < count; i++) {
		double x = (double)i / (double)count * 6;

		values[i].value = scale * (1 + x);
		values[i].count = 1 + (uint64_t)(1000 * x * exp(-2 * x));
		total += values[i].count;
	}
	return total;
}

static void histograms(void **state)
{
	struct compare_value a[100], b[100], few[] = {{10, 4}};
	struct compare_values before = {a, 100, fill(a, 100, 100)};
	struct compare_values after = {b, 100, fill(b, 100, 110)};
	struct compare_values little = {few, 1, 4};
	struct estimate estimate;
	struct random random;

	(void)state;
	random_seed(&random, 1);
	estimate = compare_means(&before, 180, &after, 198, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_MORE);
	assert_true(estimate.low < 18 && estimate.high > 18);
	estimate = compare_means(&before, 180, &after, 198, 20, &random);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	estimate = compare_means(&before, 180, &before, 180, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	estimate =
		compare_quantiles(&before, 160, &after, 176, 0.5, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_MORE);
	estimate =
		compare_quantiles(&before, 700, &before, 700, 0.99, 0, &random);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	estimate = compare_means(&little, 10, &after, 198, 0, &random);
	assert_false(estimate.has_interval);
	estimate = compare_quantiles(&before, NAN, &after, 1, 0.5, 0, &random);
	assert_false(estimate.has_interval);
}

/* However few and different the values are: no time becomes shorter by more
 * than all of it, and the interval in percent says what that of the difference
 * does. */
static void percents(void **state)
{
	const double few[] = {10, 1000}, many[] = {10, 10, 10, 10, 5000};
	struct compare_value tail[] = {{10, 9}, {100000, 1}};
	struct compare_values values = {tail, 2, 10};
	struct estimate estimate, sum;
	struct random random;

	(void)state;
	random_seed(&random, 1);
	estimate = compare_runs(few, 2, few, 2, 0, &random);
	assert_close(estimate.low_percent, -100, 0);
	assert_true(estimate.high_percent > 100);
	estimate = compare_runs(many, 5, many, 5, 0, &random);
	assert_true(estimate.low_percent >= -100);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	estimate = compare_means(&values, 10009, &values, 10009, 0, &random);
	assert_true(estimate.low_percent >= -100 && estimate.low_percent < -90);
	assert_true(estimate.high_percent > 100);
	/* three times as many values after as before */
	sum = estimate_of_sums(&estimate, (struct compare_sum){10, 100090},
			       (struct compare_sum){30, 300270});
	assert_close(sum.low_percent, 200 + 3 * estimate.low_percent, 1e-6);
	assert_close(sum.low, 1000.9 * sum.low_percent, 1e-3);
	assert_int_equal(sum.verdict, VERDICT_NONE);
	/* a grain widens both */
	estimate = compare_runs((const double[]){100, 101, 100, 101}, 4,
				(const double[]){110, 111, 110, 111}, 4, 20,
				&random);
	assert_close(estimate.low_percent, 100 * -10 / 100.5, 1e-6);
	assert_int_equal(estimate.verdict, VERDICT_NONE);
	/* what was nothing has no percents */
	estimate = compare_runs((const double[]){0, 0, 0, 1}, 4,
				(const double[]){5, 5, 5, 6}, 4, 0, &random);
	assert_true(isnan(estimate.low_percent));
	assert_int_equal(estimate.verdict, VERDICT_MORE);
}

static void spreads(void **state)
{
	const double values[] = {4, 2, 9};
	struct run_spread spread = compare_spread(values, 3);

	(void)state;
	assert_close(spread.median, 4, 0);
	assert_close(spread.low, 2, 0);
	assert_close(spread.high, 9, 0);
	assert_close(spread.deviation, 3.605551275, 1e-9);
	spread = compare_spread(values, 1);
	assert_true(isnan(spread.deviation));
	spread = compare_spread(NULL, 0);
	assert_true(isnan(spread.median) && isnan(spread.low));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distributions_are_those_of_tables),
		cmocka_unit_test(draws_have_their_moments),
		cmocka_unit_test(the_same_seed_gives_the_same),
		cmocka_unit_test(medians),
		cmocka_unit_test(intervals_have_their_level),
		cmocka_unit_test(a_difference_of_3_percent_is_found),
		cmocka_unit_test(verdicts_of_runs),
		cmocka_unit_test(more_runs_would_show_it),
		cmocka_unit_test(histograms),
		cmocka_unit_test(percents),
		cmocka_unit_test(spreads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
