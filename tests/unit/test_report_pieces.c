/*
 * test_report_pieces.c - JSON and CSV that are handed over row by row are the
 * same text as the whole, and an error of the one who takes them ends the
 * report
 *
 * tier: core
 * covers: report/records
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report_everything.h"

struct taken {
	struct str text;
	size_t rows; /* the sink fails after so many; 0: never */
	size_t calls;
	size_t done, count; /* as the sink was told last */
};

static struct error *take(void *context, struct str *text, size_t done,
			  size_t rows)
{
	struct taken *taken = context;

	str_append_n(&taken->text, str_text(text), text->length);
	text->length = 0;
	taken->done = done;
	taken->count = rows;
	if (++taken->calls == taken->rows)
		return error_create(ERROR_USAGE, "no more");
	return NULL;
}

static void json_in_pieces_is_the_same(void **state)
{
	struct taken taken = {.calls = 0};
	const struct report_sink sink = {take, &taken};
	struct str whole = {0}, rest = {0};
	struct everything all;

	(void)state;
	everything_init(&all);
	report_json(&all.tables, &whole);
	assert_null(report_json_pieces(&all.tables, &sink, &rest));
	assert_int_equal(taken.done, taken.count);
	assert_int_equal(taken.calls, taken.count);
	/* a member can be added to what is left */
	report_json_member("more", "1", &rest);
	report_json_member("more", "1", &whole);
	str_append_n(&taken.text, str_text(&rest), rest.length);
	assert_string_equal(str_text(&taken.text), str_text(&whole));
	str_deinit(&whole);
	str_deinit(&rest);
	str_deinit(&taken.text);
	everything_deinit(&all);
}

static void csv_in_pieces_is_the_same(void **state)
{
	static const enum report_part parts[] = {PART_NODES, PART_LEGS,
						 PART_HISTOGRAMS, PART_SPLITS,
						 PART_PROCESSES};
	struct everything all;

	(void)state;
	everything_init(&all);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct taken taken = {.calls = 0};
		const struct report_sink sink = {take, &taken};
		struct str whole = {0}, rest = {0};

		report_csv(&all.tables, parts[i], &whole);
		assert_null(
			report_csv_pieces(&all.tables, parts[i], &sink, &rest));
		assert_int_equal(taken.done, taken.count);
		str_append_n(&taken.text, str_text(&rest), rest.length);
		assert_string_equal(str_text(&taken.text), str_text(&whole));
		str_deinit(&whole);
		str_deinit(&rest);
		str_deinit(&taken.text);
	}
	everything_deinit(&all);
}

static void an_error_ends_the_report(void **state)
{
	struct everything all;
	struct str rest = {0};

	(void)state;
	everything_init(&all);
	for (int csv = 0; csv < 2; csv++) {
		struct taken taken = {.rows = 2};
		const struct report_sink sink = {take, &taken};
		struct error *error =
			csv ? report_csv_pieces(&all.tables, PART_LEGS, &sink,
						&rest)
			    : report_json_pieces(&all.tables, &sink, &rest);

		assert_non_null(error);
		assert_string_equal(error_message(error), "no more");
		assert_int_equal(taken.calls, 2);
		error_destroy(error);
		str_deinit(&taken.text);
	}
	str_deinit(&rest);
	everything_deinit(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_in_pieces_is_the_same),
		cmocka_unit_test(csv_in_pieces_is_the_same),
		cmocka_unit_test(an_error_ends_the_report),
	};

	return cmocka_run_group_tests_name("report_pieces", tests, NULL, NULL);
}
