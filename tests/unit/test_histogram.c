/*
 * test_histogram.c - buckets, sums, defaults and quantiles
 *
 * tier: core
 * covers: measure/values
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "memo_session.h"
#include "perftool/histogram.h"

static struct histogram *make(struct histogram_spec spec, bool leg)
{
	struct histogram *histogram = NULL;

	assert_null(histogram_create(&spec, leg, &histogram));
	return histogram;
}

/* Bucket `index` in the order of histogram_next(). */
static struct bucket bucket_at(const struct histogram *histogram, size_t index)
{
	struct bucket bucket = {0};
	size_t cursor = 0;

	for (size_t i = 0; i <= index; i++)
		assert_true(histogram_next(histogram, &cursor, &bucket));
	return bucket;
}

static size_t bucket_count(const struct histogram *histogram)
{
	struct bucket bucket;
	size_t cursor = 0, count = 0;

	while (histogram_next(histogram, &cursor, &bucket))
		count++;
	return count;
}

static void defaults_depend_on_the_class(void **state)
{
	const struct histogram_spec linear = {.class = HISTOGRAM_LINEAR,
					      .scale = -1};
	const struct histogram_spec log = {.class = HISTOGRAM_LOG, .scale = -1};
	struct histogram *histogram = make(linear, false);

	(void)state;
	assert_int_equal(histogram_spec(histogram)->buckets, 8);
	assert_int_equal(histogram_spec(histogram)->scale, 1);
	histogram_destroy(histogram);
	histogram = make(log, true);
	assert_int_equal(histogram_spec(histogram)->buckets, 48);
	assert_int_equal(histogram_spec(histogram)->scale, 0);
	histogram_destroy(histogram);
}

static void refuse(struct histogram_spec spec, bool leg)
{
	struct histogram *histogram = NULL;
	struct error *error = histogram_create(&spec, leg, &histogram);

	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_USAGE);
	assert_null(histogram);
	error_destroy(error);
}

static void wrong_specs_are_refused(void **state)
{
	(void)state;
	refuse((struct histogram_spec){.class = HISTOGRAM_LINEAR, .scale = 0},
	       false);
	refuse((struct histogram_spec){.class = HISTOGRAM_LOG, .scale = 0},
	       false);
	refuse((struct histogram_spec){.class = HISTOGRAM_LINEAR, .scale = 64},
	       true);
	refuse((struct histogram_spec){.class = HISTOGRAM_LINEAR,
				       .scale = 1,
				       .buckets = 65537},
	       false);
	refuse((struct histogram_spec){.class = HISTOGRAM_LOG,
				       .scale = 1,
				       .buckets = 65},
	       false);
}

static void node_histogram_of_the_memo_is_reproduced(void **state)
{
	static const uint64_t wanted[8] = {0, 3, 190, 76, 297, 131, 0, 0};
	struct histogram *histogram = make(
		(struct histogram_spec){.class = HISTOGRAM_LINEAR, .scale = -1},
		false);

	(void)state;
	for (unsigned i = 0; i < MEMO_CALLS; i++)
		histogram_add(histogram, value_unsigned(memo_pages(i)));
	assert_int_equal(histogram_references(histogram), 697);
	assert_true(histogram_sum(histogram) == 2454);
	assert_int_equal(histogram_overflow(histogram), 0);
	for (size_t i = 0; i < 8; i++) {
		struct bucket bucket = bucket_at(histogram, i);

		assert_true(bucket.label == (__int128)i);
		assert_int_equal(bucket.count, wanted[i]);
	}
	assert_int_equal(bucket_count(histogram), 8);
	histogram_destroy(histogram);
}

static void leg_histogram_of_the_memo_is_reproduced(void **state)
{
	static const uint64_t wanted[12] = {0,  0, 0, 0, 0,   34,
					    99, 1, 0, 1, 562, 0};
	struct histogram *histogram = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LOG, .buckets = 12, .scale = -1},
		true);

	(void)state;
	for (unsigned i = 0; i < MEMO_CALLS; i++)
		histogram_add(histogram, value_unsigned(memo_ticks(i)));
	assert_int_equal(histogram_references(histogram), 697);
	assert_true(histogram_sum(histogram) == 719172);
	assert_true(histogram_sum(histogram) / 697 == 1031);
	for (size_t i = 0; i < 12; i++) {
		struct bucket bucket = bucket_at(histogram, i);

		assert_true(bucket.label == (__int128)1 << i);
		assert_int_equal(bucket.count, wanted[i]);
	}
	histogram_destroy(histogram);
}

/* The first row of a log histogram holds 0 and 1. */
static void first_log_row_holds_0_and_1(void **state)
{
	struct histogram *histogram = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LOG, .buckets = 4, .scale = 1},
		false);

	(void)state;
	for (int64_t value = -1; value <= 17; value++)
		histogram_add(histogram, value_signed(value));
	assert_int_equal(histogram_underflow(histogram), 1);
	assert_int_equal(bucket_at(histogram, 0).count, 2); /* 0, 1 */
	assert_int_equal(bucket_at(histogram, 1).count, 2); /* 2, 3 */
	assert_int_equal(bucket_at(histogram, 2).count, 4);
	assert_int_equal(bucket_at(histogram, 3).count, 8);
	assert_int_equal(histogram_overflow(histogram), 2); /* 16, 17 */
	assert_true(bucket_at(histogram, 0).from == 0);
	assert_true(bucket_at(histogram, 3).to == 16);
	histogram_destroy(histogram);
}

/* Compared with the base before subtracting: nothing wraps around. */
static void extreme_values_do_not_wrap_around(void **state)
{
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_LINEAR,
					     .scale = 1,
					     .base = INT64_MAX},
		     false);
	__int128 sum =
		(__int128)INT64_MIN + UINT64_MAX + INT64_MAX + UINT64_MAX;

	(void)state;
	histogram_add(histogram, value_signed(INT64_MIN));
	histogram_add(histogram, value_signed(INT64_MAX));
	histogram_add(histogram, value_unsigned(UINT64_MAX));
	histogram_add(histogram, value_unsigned(UINT64_MAX));
	assert_int_equal(histogram_underflow(histogram), 1);
	assert_int_equal(bucket_at(histogram, 0).count, 1);
	assert_int_equal(histogram_overflow(histogram), 2);
	assert_true(histogram_sum(histogram) == sum);
	assert_true(bucket_at(histogram, 7).label == (__int128)INT64_MAX + 7);
	histogram_destroy(histogram);
	histogram = make((struct histogram_spec){.class = HISTOGRAM_LOG,
						 .buckets = 64,
						 .scale = 1,
						 .base = INT64_MIN},
			 false);
	histogram_add(histogram, value_signed(INT64_MIN));
	histogram_add(histogram, value_signed(INT64_MAX));
	histogram_add(histogram, value_unsigned(UINT64_MAX));
	assert_int_equal(bucket_at(histogram, 0).count, 1);
	assert_int_equal(bucket_at(histogram, 63).count, 1);
	assert_int_equal(histogram_overflow(histogram), 1);
	histogram_destroy(histogram);
}

/* A leg's time is shifted; below nothing it counts as nothing in buckets. */
static void negative_leg_times_are_in_the_bucket_of_0(void **state)
{
	struct histogram *histogram = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LINEAR, .scale = 10, .base = 0},
		true);
	struct histogram *hdr =
		make((struct histogram_spec){.class = HISTOGRAM_HDR}, true);

	(void)state;
	histogram_add(histogram, value_signed(-5));
	histogram_add(histogram, value_signed(1023));
	histogram_add(histogram, value_signed(1024));
	histogram_add(histogram, value_signed(8 * 1024));
	assert_int_equal(histogram_underflow(histogram), 0);
	assert_int_equal(bucket_at(histogram, 0).count, 2);
	assert_int_equal(bucket_at(histogram, 1).count, 1);
	assert_true(bucket_at(histogram, 1).label == 1024);
	assert_int_equal(histogram_overflow(histogram), 1);
	assert_true(histogram_sum(histogram) == -5 + 1023 + 1024 + 8192);
	histogram_add(hdr, value_signed(-7));
	histogram_add(hdr, value_signed(0));
	assert_int_equal(bucket_count(hdr), 1);
	assert_int_equal(bucket_at(hdr, 0).count, 2);
	assert_true(histogram_sum(hdr) == -7);
	histogram_destroy(histogram);
	histogram_destroy(hdr);
}

static void floats_go_to_linear_buckets(void **state)
{
	struct histogram *histogram = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LINEAR, .scale = 2, .base = 1},
		false);

	(void)state;
	histogram_add(histogram, value_signed(1000));
	histogram_add(histogram, value_float(0.999));
	histogram_add(histogram, value_float(1));
	histogram_add(histogram, value_float(2.999));
	histogram_add(histogram, value_float(3));
	histogram_add(histogram, value_float(INFINITY));
	histogram_add(histogram, value_float(-INFINITY));
	histogram_add(histogram, value_float(NAN));
	histogram_add(histogram, (struct value){.kind = VALUE_NONE});
	assert_int_equal(histogram_references(histogram), 7);
	assert_int_equal(histogram_underflow(histogram), 2);
	assert_int_equal(histogram_overflow(histogram), 2);
	assert_true(histogram_sum(histogram) == 1000);
	assert_int_equal(bucket_at(histogram, 0).count, 2);
	assert_int_equal(bucket_at(histogram, 1).count, 1);
	assert_true(histogram_has_floats(histogram));
	histogram_zero(histogram);
	assert_int_equal(histogram_references(histogram), 0);
	assert_true(histogram_sum_float(histogram) == 0);
	assert_int_equal(histogram_underflow(histogram), 0);
	assert_int_equal(histogram_overflow(histogram), 0);
	assert_int_equal(bucket_at(histogram, 0).count, 0);
	assert_false(histogram_has_floats(histogram));
	histogram_destroy(histogram);
}

static void floats_go_to_log_and_leg_buckets(void **state)
{
	struct histogram *log = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LOG, .buckets = 4, .scale = 2},
		false);
	struct histogram *leg = make(
		(struct histogram_spec){
			.class = HISTOGRAM_LINEAR, .buckets = 2, .scale = 3},
		true);

	(void)state;
	histogram_add(log, value_float(3.9)); /* 1.95 */
	histogram_add(log, value_float(4));
	histogram_add(log, value_float(31.9));
	histogram_add(log, value_float(32));
	assert_int_equal(bucket_at(log, 0).count, 1);
	assert_int_equal(bucket_at(log, 1).count, 1);
	assert_int_equal(bucket_at(log, 3).count, 1);
	assert_int_equal(histogram_overflow(log), 1);
	histogram_add(leg, value_float(-1.5));
	histogram_add(leg, value_float(8));
	assert_int_equal(bucket_at(leg, 0).count, 1);
	assert_int_equal(bucket_at(leg, 1).count, 1);
	assert_true(histogram_sum_float(leg) == 6.5);
	histogram_destroy(log);
	histogram_destroy(leg);
}

/* ---- hdr ------------------------------------------------------------ */

/* Every bucket is narrow, they follow each other, and each holds its own. */
static void check_hdr(struct histogram *histogram, bool integers)
{
	struct bucket bucket;
	double last = -INFINITY;
	size_t cursor = 0;

	while (histogram_next(histogram, &cursor, &bucket)) {
		double size = fmin(fabs(bucket.from), fabs(bucket.to));
		double slack = integers ? 1 : 1e-300;

		assert_true(bucket.count > 0);
		assert_true(bucket.from >= last);
		assert_true(bucket.to > bucket.from);
		if (integers)
			assert_true(bucket.from == floor(bucket.from) &&
				    bucket.to == floor(bucket.to));
		assert_true(bucket.to - bucket.from <= size * 0.01 + slack);
		last = bucket.to;
	}
}

static uint64_t count_between(const struct histogram *histogram, double value)
{
	struct bucket bucket;
	size_t cursor = 0;

	while (histogram_next(histogram, &cursor, &bucket))
		if (value >= bucket.from && value < bucket.to)
			return bucket.count;
	return 0;
}

static void hdr_buckets_of_integers_are_within_1_percent(void **state)
{
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_HDR}, false);
	unsigned short seed[3] = {1, 2, 3};
	int64_t values[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		int64_t bits =
			(int64_t)jrand48(seed) * (1 << 21) ^ jrand48(seed);

		values[i] = bits >> (nrand48(seed) % 53);
		histogram_add(histogram, value_signed(values[i]));
	}
	check_hdr(histogram, true);
	for (size_t i = 0; i < 2000; i++)
		assert_true(count_between(histogram, (double)values[i]) > 0);
	histogram_add(histogram, value_signed(INT64_MIN));
	histogram_add(histogram, value_signed(INT64_MAX));
	histogram_add(histogram, value_unsigned(UINT64_MAX));
	check_hdr(histogram, true);
	assert_true(count_between(histogram, -0x1p63) == 1);
	assert_int_equal(histogram_underflow(histogram), 0);
	assert_int_equal(histogram_overflow(histogram), 0);
	histogram_destroy(histogram);
}

static void hdr_small_integers_are_exact(void **state)
{
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_HDR}, false);

	(void)state;
	for (int64_t value = -255; value <= 255; value++)
		histogram_add(histogram, value_signed(value));
	assert_int_equal(bucket_count(histogram), 511);
	for (size_t i = 0; i < 511; i++) {
		struct bucket bucket = bucket_at(histogram, i);

		assert_true(bucket.label == (__int128)i - 255);
		assert_true(bucket.to == bucket.from + 1);
		assert_int_equal(bucket.count, 1);
	}
	histogram_destroy(histogram);
}

static void hdr_buckets_of_floats_are_within_1_percent(void **state)
{
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_HDR}, false);
	unsigned short seed[3] = {4, 5, 6};
	double values[2000];

	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		values[i] = ldexp(erand48(seed) - 0.5,
				  (int)(nrand48(seed) % 900) - 450);
		histogram_add(histogram, value_float(values[i]));
	}
	histogram_add(histogram, value_float(-0.0));
	check_hdr(histogram, false);
	for (size_t i = 0; i < 2000; i++)
		assert_true(count_between(histogram, values[i]) > 0);
	/* the ends of what a double holds */
	histogram_add(histogram, value_float(0x1.fffffffffffffp1023));
	histogram_add(histogram, value_float(0x1p-1074));
	assert_int_equal(histogram_references(histogram), 2003);
	assert_int_equal(histogram_overflow(histogram), 0);
	histogram_destroy(histogram);
}

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Against the exact quantile: the value of rank ceil(q n). */
static void hdr_quantiles_are_near_the_exact_ones(void **state)
{
	static const double qs[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_HDR}, false);
	unsigned short seed[3] = {7, 8, 9};
	int64_t values[3000];
	double got;

	(void)state;
	assert_false(histogram_quantile(histogram, 0.5, &got));
	for (size_t i = 0; i < 3000; i++) {
		values[i] = nrand48(seed) >> (nrand48(seed) % 31);
		if (nrand48(seed) % 4 == 0)
			values[i] = -values[i];
		histogram_add(histogram, value_signed(values[i]));
	}
	qsort(values, 3000, sizeof(*values), by_size);
	for (size_t i = 0; i < sizeof(qs) / sizeof(*qs); i++) {
		size_t rank = (size_t)ceil(qs[i] * 3000);
		double wanted = (double)values[rank ? rank - 1 : 0];

		assert_true(histogram_quantile(histogram, qs[i], &got));
		assert_true(fabs(got - wanted) <= fabs(wanted) * 0.01);
	}
	histogram_destroy(histogram);
}

static void linear_quantiles_are_within_a_bucket(void **state)
{
	struct histogram *histogram =
		make((struct histogram_spec){.class = HISTOGRAM_LINEAR,
					     .buckets = 10,
					     .scale = 10,
					     .base = 100},
		     false);
	double got;

	(void)state;
	for (int64_t value = 0; value < 300; value++)
		histogram_add(histogram, value_signed(value));
	assert_true(histogram_quantile(histogram, 0.1, &got));
	assert_true(got == 100); /* below the base: no more is known */
	assert_true(histogram_quantile(histogram, 0.5, &got));
	assert_true(fabs(got - 149) <= 10);
	assert_true(histogram_quantile(histogram, 0.99, &got));
	assert_true(got == 200);
	histogram_destroy(histogram);
}

/* ---- against the definitions ---------------------------------------- */

static int log2_floor(unsigned __int128 x)
{
	int result = 0;

	while (x >>= 1)
		result++;
	return result;
}

static void check_definition(struct histogram_spec spec, bool leg,
			     unsigned short seed[3])
{
	struct histogram *histogram = make(spec, leg);
	uint64_t wanted[16] = {0}, underflow = 0, overflow = 0;
	__int128 sum = 0;

	for (size_t i = 0; i < 500; i++) {
		int64_t value = jrand48(seed) >> (nrand48(seed) % 31);
		__int128 x = value;

		histogram_add(histogram, value_signed(value));
		sum += value;
		if (leg && x < 0)
			x = 0;
		if (x < spec.base) {
			underflow++;
			continue;
		}
		x -= spec.base;
		x = leg ? x >> spec.scale : x / spec.scale;
		if (spec.class == HISTOGRAM_LOG)
			x = x < 1 ? 0 : log2_floor((unsigned __int128)x);
		if (x >= spec.buckets)
			overflow++;
		else
			wanted[x]++;
	}
	for (size_t i = 0; i < spec.buckets; i++)
		assert_int_equal(bucket_at(histogram, i).count, wanted[i]);
	assert_int_equal(histogram_underflow(histogram), underflow);
	assert_int_equal(histogram_overflow(histogram), overflow);
	assert_int_equal(histogram_references(histogram), 500);
	assert_true(histogram_sum(histogram) == sum);
	histogram_destroy(histogram);
}

static void buckets_follow_their_definition(void **state)
{
	unsigned short seed[3] = {10, 11, 12};

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		bool leg = i & 1;
		struct histogram_spec spec = {
			.class = i & 2 ? HISTOGRAM_LOG : HISTOGRAM_LINEAR,
			.buckets = 1 + (uint32_t)nrand48(seed) % 16,
			.scale = leg ? nrand48(seed) % 12
				     : 1 + nrand48(seed) % 5000,
			.base = jrand48(seed) >> (nrand48(seed) % 31)};

		check_definition(spec, leg, seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_depend_on_the_class),
		cmocka_unit_test(wrong_specs_are_refused),
		cmocka_unit_test(node_histogram_of_the_memo_is_reproduced),
		cmocka_unit_test(leg_histogram_of_the_memo_is_reproduced),
		cmocka_unit_test(first_log_row_holds_0_and_1),
		cmocka_unit_test(extreme_values_do_not_wrap_around),
		cmocka_unit_test(negative_leg_times_are_in_the_bucket_of_0),
		cmocka_unit_test(floats_go_to_log_and_leg_buckets),
		cmocka_unit_test(floats_go_to_linear_buckets),
		cmocka_unit_test(hdr_buckets_of_integers_are_within_1_percent),
		cmocka_unit_test(hdr_small_integers_are_exact),
		cmocka_unit_test(hdr_buckets_of_floats_are_within_1_percent),
		cmocka_unit_test(hdr_quantiles_are_near_the_exact_ones),
		cmocka_unit_test(linear_quantiles_are_within_a_bucket),
		cmocka_unit_test(buckets_follow_their_definition),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
