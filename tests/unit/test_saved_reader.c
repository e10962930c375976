/*
 * test_saved_reader.c - tables that were saved as JSON are read again, and what
 * are no such tables is refused with the cause and the remedy
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
#include <unistd.h>

#include <cmocka.h>

#include "perftool/base/str.h"
#include "perftool/saved.h"

/* Reads a text as if it were a file. */
static struct error *read_text(const char *text, size_t length,
			       struct saved_tables **out)
{
	char path[] = "/tmp/saved-XXXXXX";
	int fd = mkstemp(path);
	struct error *error;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), (ssize_t)length);
	close(fd);
	error = saved_read(path, NULL, out);
	unlink(path);
	return error;
}

static struct saved_tables *must_read(const char *text)
{
	struct saved_tables *tables = NULL;
	struct error *error = read_text(text, strlen(text), &tables);

	if (error)
		fail_msg("%s", error_message(error));
	return tables;
}

/* Does the message of the error that the text causes contain these words? */
static void refuses_n(const char *text, size_t length, const char *words)
{
	struct saved_tables *tables = NULL;
	struct error *error = read_text(text, length, &tables);

	if (!error)
		fail_msg("it was read: %s", text);
	if (!strstr(error_message(error), words))
		fail_msg("`%s' is not in: %s", words, error_message(error));
	error_destroy(error);
}

static void refuses(const char *text, const char *words)
{
	refuses_n(text, strlen(text), words);
}

#define LEG(name, more) "{\"name\": \"" name "\", \"count\": 3" more "}"
#define TABLES(legs, more) "{\"schema\": 1, \"legs\": [" legs "]" more "}"

static void reads_a_leg(void **state)
{
	struct saved_tables *tables = must_read(TABLES(
		LEG("f", ", \"id\": 4, \"total_ns\": 70, \"cpu_ns\": null, "
			 "\"min_ns\": 1, \"max_ns\": 40, \"mean_ns\": 2.5, "
			 "\"p50_ns\": null, \"below_resolution\": true, "
			 "\"resolution_ns\": 1.5, \"interrupted\": 1, "
			 "\"buckets\": [[1, 2, 1], [30, 40, 1]]"),
		", \"perftool\": \"0.1\", \"host\": null, \"rank\": 7, "
		"\"program\": {\"path\": \"/bin/x\", \"args\": [\"a\", \"b\"], "
		"\"pid\": 12, \"state\": \"exited\", \"exit_status\": 3}, "
		"\"clock\": {\"source\": \"tsc\", \"resolution_ns\": 10.5}, "
		"\"summary\": {\"elapsed_ns\": 100, \"breaks\": 6}, "
		"\"unknown\": {\"x\": [[[1]]]}"));
	struct saved_leg *leg = saved_find(tables, "f", 0);
	double value;

	(void)state;
	assert_non_null(leg);
	assert_int_equal(leg->id, 4);
	assert_int_equal(leg->count, 3);
	assert_int_equal((int)leg->total, 70);
	assert_false(leg->has_cpu);
	assert_true(leg->mean == 2.5);
	assert_true(isnan(leg->p50));
	assert_true(leg->below_resolution);
	assert_true(leg->resolution == 1.5);
	assert_int_equal(leg->interrupted, 1);
	assert_int_equal(leg->buckets.count, 2);
	assert_true(saved_quantile(leg, 0.5, &value) && value == 1);
	assert_true(saved_quantile(leg, 0.99, &value) && value == 35);
	assert_int_equal(tables->rank, 7);
	assert_string_equal(tables->version, "0.1");
	assert_null(tables->host);
	assert_true(tables->has_arguments);
	assert_int_equal(tables->arguments.count, 2);
	assert_string_equal(tables->arguments.data[1], "b");
	assert_int_equal(tables->exit_status, 3);
	assert_int_equal(tables->elapsed, 100);
	assert_string_equal(tables->clock, "tsc");
	assert_null(saved_find(tables, "g", 0));
	assert_null(saved_find(tables, "f", 1));
	saved_destroy(tables);
}

static void counts_may_be_strings(void **state)
{
	struct saved_tables *tables = must_read(
		TABLES("{\"name\": \"f\", \"count\": \"18446744073709551615\", "
		       "\"total_ns\": \"-9223372036854775809000\"}",
		       ""));
	struct saved_leg *leg = saved_find(tables, "f", 0);

	(void)state;
	assert_true(leg->count == UINT64_MAX);
	assert_true(leg->total == -(((__int128)1 << 63) + 1) * 1000);
	saved_destroy(tables);
}

/* Older files have the buckets of legs in the histograms only, which may come
 * before the name of the leg is asked for. */
static void buckets_of_histograms(void **state)
{
	struct saved_tables *tables = must_read(TABLES(
		LEG("f", ", \"id\": 2") "," LEG("g", ", \"id\": 5"),
		", \"histograms\": [{\"of\": \"node\", \"id\": 2, \"class\": "
		"\"hdr\", \"buckets\": [{\"from\": 1, \"to\": 2, \"count\": "
		"1}]}, {\"of\": \"leg\", \"id\": 5, \"class\": \"hdr\", "
		"\"buckets\": [{\"from\": 8, \"to\": 9, \"count\": 3}]}]"));

	(void)state;
	assert_int_equal(saved_find(tables, "f", 0)->buckets.count, 0);
	assert_int_equal(saved_find(tables, "g", 0)->buckets.count, 1);
	saved_destroy(tables);
}

static void equal_names_are_told_apart(void **state)
{
	struct saved_tables *tables = must_read(TABLES(
		LEG("f", ", \"id\": 1") "," LEG("f", ", \"id\": 2"), ""));

	(void)state;
	assert_int_equal(saved_find(tables, "f", 0)->id, 1);
	assert_int_equal(saved_find(tables, "f", 1)->id, 2);
	assert_null(saved_find(tables, "f", 2));
	saved_destroy(tables);
}

static void reads_runs(void **state)
{
	struct saved_tables *tables = must_read(
		TABLES(LEG("f", ""), ", \"failed_runs\": 1, \"runs\": [" TABLES(
					     LEG("f", ", \"id\": 1"),
					     "") "," TABLES("", "") "]"));

	(void)state;
	assert_int_equal(tables->runs.count, 2);
	assert_int_equal(tables->failed_runs, 1);
	assert_int_equal(saved_find(tables->runs.data[0], "f", 0)->id, 1);
	assert_int_equal(tables->runs.data[1]->legs.count, 0);
	saved_destroy(tables);
}

/* `--every` writes an object a line; the last one has all that was counted. */
static void reads_the_last_object(void **state)
{
	struct saved_tables *tables = must_read(
		TABLES(LEG("f", ""), "") "\n" TABLES(LEG("g", ""), "") "\n");

	(void)state;
	assert_int_equal(tables->objects, 2);
	assert_null(saved_find(tables, "f", 0));
	assert_non_null(saved_find(tables, "g", 0));
	saved_destroy(tables);
}

static void refuses_what_is_no_table(void **state)
{
	(void)state;
	refuses("", "is empty");
	refuses(" \n", "is empty");
	refuses("perftool 0.1.0\n", "is no JSON (byte 1)");
	refuses("name,count\n", "is no JSON (byte 1)");
	refuses("[]", "begins with a list");
	refuses("{}", "it has no `schema'");
	refuses("{\"legs\": []}", "it has no `schema'");
	refuses("{\"schema\": 1}", "it has no `legs'");
	refuses("{\"schema\": \"x\", \"legs\": []}", "it has no `schema'");
	refuses("{\"schema\": 2, \"perftool\": \"9.0\"}", "has schema 2");
	refuses("{\"perftool\": \"9.0\", \"schema\": 2}", "of perftool 9.0");
	refuses("{\"schema\": 1, \"samples\": []}", "has `samples', and no");
	refuses(TABLES("", "") "x", "is no JSON");
	refuses(TABLES("", "") TABLES("", ", \"a\" 1"), "is no JSON");
	refuses(TABLES("1", ""), "leg 1 is no object");
	refuses(TABLES("null", ""), "leg 1 is no object");
	refuses("{\"schema\": 1, \"legs\": {}}", "is no JSON");
}

static void refuses_wrong_fields(void **state)
{
	(void)state;
	refuses(TABLES("{\"count\": 1}", ""), "`name' of leg 1");
	refuses(TABLES(LEG("a", "") ",{\"name\": \"f\"}", ""),
		"`count' of leg 2");
	refuses(TABLES("{\"name\": \"f\", \"count\": -5}", ""),
		"`count' of leg 1");
	refuses(TABLES("{\"name\": \"f\", \"count\": \"5x\"}", ""),
		"`count' of leg 1");
	refuses(TABLES("{\"name\": 5, \"count\": 5}", ""), "`name' of leg 1");
	refuses(TABLES(LEG("f", ", \"mean_ns\": NaN"), ""), "`mean_ns'");
	refuses(TABLES(LEG("f", ", \"mean_ns\": Infinity"), ""), "`mean_ns'");
	refuses(TABLES(LEG("f", ", \"mean_ns\": 1e999"), ""), "`mean_ns'");
	refuses(TABLES(LEG("f", ", \"mean_ns\": \"fast\""), ""), "`mean_ns'");
	refuses(TABLES(LEG("f", ", \"buckets\": [[1, 2]]"), ""), "`buckets'");
	refuses(TABLES(LEG("f", ", \"buckets\": [[2, 1, 1]]"), ""),
		"`buckets'");
	refuses(TABLES(LEG("f", ", \"buckets\": [[1, 3, 1], [2, 4, 1]]"), ""),
		"`buckets'");
	refuses(TABLES(LEG("f", ", \"buckets\": [[1, 2, -1]]"), ""),
		"`buckets'");
	refuses(TABLES("", ", \"host\": 5"), "`host'");
	refuses(TABLES("", ", \"summary\": {\"elapsed_ns\": -1}"),
		"`elapsed_ns'");
}

/* Wherever a file was cut off, the message says so, and nothing else happens.
 */
static void refuses_truncated_files(void **state)
{
	const char *text =
		TABLES(LEG("f\\\"", ", \"buckets\": [[1, 2, 1], [30, 40, 1]]"),
		       ", \"host\": \"x\", \"nodes\": [], \"more\": {\"a\": "
		       "[\"b\\n\", "
		       "-1.5e3, true]}");

	(void)state;
	for (size_t i = 1; i < strlen(text); i++)
		refuses_n(text, i, "is cut off after");
}

static void survives_deep_nesting(void **state)
{
	struct str text = {0};

	(void)state;
	str_append(&text, "{\"schema\": 1, \"legs\": [], \"x\": ");
	for (int i = 0; i < 1000000; i++)
		str_append_char(&text, '[');
	for (int i = 0; i < 1000000; i++)
		str_append_char(&text, ']');
	str_append_char(&text, '}');
	saved_destroy(must_read(str_text(&text)));
	str_deinit(&text);
	str_append(&text, "{\"schema\": 1, \"legs\": [");
	for (int i = 0; i < 1000000; i++)
		str_append(&text, "{\"a\":");
	refuses(str_text(&text), "is cut off after");
	str_append_char(&text, '1');
	for (int i = 0; i < 1000000; i++)
		str_append_char(&text, '}');
	str_append(&text, "]}");
	refuses(str_text(&text), "`name' of leg 1");
	str_deinit(&text);
}

static void refuses_files_that_cannot_be_read(void **state)
{
	struct saved_tables *tables = NULL;
	struct error *error = saved_read("/no/such/file", NULL, &tables);

	(void)state;
	assert_int_equal(error_code(error), ERROR_SYSTEM);
	error_destroy(error);
	error = saved_read("/tmp", NULL, &tables);
	assert_non_null(strstr(error_message(error), "directory"));
	error_destroy(error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_leg),
		cmocka_unit_test(counts_may_be_strings),
		cmocka_unit_test(buckets_of_histograms),
		cmocka_unit_test(equal_names_are_told_apart),
		cmocka_unit_test(reads_runs),
		cmocka_unit_test(reads_the_last_object),
		cmocka_unit_test(refuses_what_is_no_table),
		cmocka_unit_test(refuses_wrong_fields),
		cmocka_unit_test(refuses_truncated_files),
		cmocka_unit_test(survives_deep_nesting),
		cmocka_unit_test(refuses_files_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
