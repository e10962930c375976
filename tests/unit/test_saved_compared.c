/*
 * test_saved_compared.c - what a comparison keeps of tables, and which legs it
 * matches
 *
 * tier: core
 * covers: saved
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "perftool/base/str.h"
#include "saved/compared_tables.h"

static struct compared_tables *parse(struct compared_names *names,
				     const char *legs, const char *more)
{
	struct compared_tables *tables = NULL;
	struct str text = {0};
	struct error *error;

	str_printf(&text, "{\"schema\": 1, \"legs\": [%s]%s}", legs, more);
	error = compared_parse(str_text(&text), text.length, "text", names,
			       &tables);
	if (error)
		fail_msg("%s", error_message(error));
	str_deinit(&text);
	return tables;
}

/* Whatever the numbers of buckets are, they come back as the middles that they
 * stand for. */
static void buckets_come_back(void **state)
{
	static const struct saved_bucket cases[] = {
		{0, 1, 1},      {1, 2, 200},
		{2, 5, 16384},  {5.25, 5.5, 3},
		{6, 6.125, 4},  {7, 9, 0},
		{10, 1e300, 5}, {2e300, 3e300, UINT64_MAX - 100},
	};
	static const struct saved_bucket below[] = {{-5, -3, 2}, {0, 2, 3}};
	struct saved_bucket_list list = {(void *)cases, 8, 8};
	struct saved_bucket_list negative = {(void *)below, 2, 2};
	struct compare_value_list out = {0};
	struct packed_bytes bytes = {0};
	size_t first, second, at = 0;
	uint64_t sum = 0;

	(void)state;
	first = buckets_pack(&bytes, &list);
	second = buckets_pack(&bytes, &negative);
	assert_int_equal(buckets_unpack(&bytes, second, &out), 5);
	assert_int_equal(out.count, 2);
	assert_true(out.data[0].value == -4 && out.data[1].value == 1);
	vec_clear(&out);
	for (size_t i = 0; i < 8; i++)
		sum += cases[i].count;
	assert_true(buckets_unpack(&bytes, first, &out) == sum);
	for (size_t i = 0; i < 8; i++) {
		double width = cases[i].to - cases[i].from;

		if (!cases[i].count)
			continue;
		assert_true(out.data[at].value ==
			    cases[i].from + (width <= 1 ? 0 : width / 2));
		assert_true(out.data[at++].count == cases[i].count);
	}
	assert_int_equal(out.count, at);
	vec_free(&out);
	vec_free(&bytes);
}

/* Buckets as perftool writes them take few bytes. */
static void buckets_are_small(void **state)
{
	struct saved_bucket_list list = {0};
	struct packed_bytes bytes = {0};

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		vec_push(&list, ((struct saved_bucket){(double)(10000 + 64 * i),
						       (double)(10064 + 64 * i),
						       i + 1}));
	buckets_pack(&bytes, &list);
	assert_true(bytes.count <= 320);
	vec_free(&list);
	vec_free(&bytes);
}

static void names_are_kept_once(void **state)
{
	struct compared_names *names = compared_names_create();
	char name[32], *large = malloc(200000);

	(void)state;
	memset(large, 'x', 199999);
	large[199999] = '\0';
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 20000; i++) {
			snprintf(name, sizeof(name), "leg %u", i);
			assert_int_equal(compared_names_add(names, name),
					 i + (i > 10000));
			if (i == 10000)
				assert_int_equal(
					compared_names_add(names, large),
					10001);
		}
	assert_int_equal(names->texts.count, 20001);
	assert_string_equal(names->texts.data[10001], large);
	assert_string_equal(names->texts.data[20000], "leg 19999");
	compared_names_destroy(names);
	free(large);
}

/* Legs belong together by name, and by their order among those of one name. */
static void legs_are_matched(void **state)
{
	struct compared_names *names = compared_names_create();
	struct compared_tables *before =
		parse(names,
		      "{\"name\": \"f\", \"count\": 1},"
		      "{\"name\": \"only\", \"count\": 2},"
		      "{\"name\": \"f\", \"count\": 3}",
		      "");
	struct compared_tables *after =
		parse(names,
		      "{\"name\": \"new\", \"count\": 4},"
		      "{\"name\": \"f\", \"count\": 5},"
		      "{\"name\": \"f\", \"count\": 6},"
		      "{\"name\": \"f\", \"count\": 7}",
		      "");
	struct comparison comparison;
	struct leg_comparison leg;

	(void)state;
	saved_compare(before, after, &comparison);
	assert_int_equal(comparison.legs.count, 2);
	comparison_leg(&comparison, 1, &leg);
	assert_string_equal(leg.name, "f");
	assert_int_equal(leg.nth, 1);
	assert_true(leg.figures[FIGURE_COUNT].before == 3);
	assert_true(leg.figures[FIGURE_COUNT].after == 6);
	assert_int_equal(comparison.only_before.count, 1);
	assert_string_equal(comparison.only_before.data[0], "only");
	assert_int_equal(comparison.only_after.count, 2);
	assert_string_equal(comparison.only_after.data[1], "f");
	comparison_deinit(&comparison);
	compared_destroy(before);
	compared_destroy(after);
	compared_names_destroy(names);
}

/* Files of before legs had buckets have them in histograms. */
static void buckets_of_histograms(void **state)
{
	struct compared_names *names = compared_names_create();
	struct compared_tables *tables = parse(
		names, "{\"id\": 3, \"name\": \"f\", \"count\": 2}",
		", \"histograms\": [{\"of\": \"leg\", \"id\": 3, \"class\": "
		"\"linear\", \"buckets\": [{\"from\": 0, \"to\": 8, \"count\": "
		"9}]}, {\"of\": \"leg\", \"id\": 3, \"class\": \"hdr\", "
		"\"buckets\": [{\"from\": 4, \"to\": 8, \"count\": 2}]}]");
	struct compare_value_list out = {0};

	(void)state;
	assert_true(tables->legs.data[0].has_buckets);
	assert_int_equal(buckets_unpack(&tables->bytes,
					tables->legs.data[0].buckets, &out),
			 2);
	assert_true(out.data[0].value == 6);
	vec_free(&out);
	compared_destroy(tables);
	compared_names_destroy(names);
}

/* Of runs the medians are compared, with an interval or without one. */
static void runs_are_compared(void **state)
{
	static const char run[] =
		"{\"schema\": 1, \"legs\": [{\"name\": \"f\", \"count\": 1, "
		"\"mean_ns\": %d, \"buckets\": [[1, 2, 1]]}]}";
	struct compared_names *names = compared_names_create();
	struct compared_tables *tables;
	struct comparison comparison;
	struct leg_comparison leg;
	struct str runs = {0};

	(void)state;
	str_append(&runs, ", \"runs\": [");
	for (int i = 0; i < 5; i++) {
		str_append(&runs, i ? "," : "");
		str_printf(&runs, run, 100 + i);
	}
	str_append(&runs, "]");
	tables = parse(names, "{\"name\": \"f\", \"count\": 5}",
		       str_text(&runs));
	str_deinit(&runs);
	assert_int_equal(tables->runs.count, 5);
	assert_int_equal(tables->runs.data[0]->bytes.count, 0);
	saved_compare(tables, tables, &comparison);
	comparison_leg(&comparison, 0, &leg);
	assert_int_equal(leg.basis, BASIS_RUNS);
	assert_true(leg.figures[FIGURE_MEAN].before == 102);
	assert_int_equal(leg.figures[FIGURE_MEAN].verdict, VERDICT_NONE);
	comparison_values(&comparison, 0, &leg);
	assert_true(leg.figures[FIGURE_MEAN].after == 102);
	assert_false(leg.figures[FIGURE_MEAN].has_interval);
	comparison_deinit(&comparison);
	compared_destroy(tables);
	compared_names_destroy(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_come_back),
		cmocka_unit_test(buckets_are_small),
		cmocka_unit_test(names_are_kept_once),
		cmocka_unit_test(legs_are_matched),
		cmocka_unit_test(buckets_of_histograms),
		cmocka_unit_test(runs_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
