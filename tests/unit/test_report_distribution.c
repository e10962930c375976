/*
 * test_report_distribution.c - the lines for legs whose histograms `time' made,
 * and which histograms are printed in full beside them
 *
 * tier: core
 * covers: report/text
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "golden.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

#define LEGS 16

static struct measure *measure;
static struct report_leg legs[LEGS];
static struct tables tables;
static uint64_t now;

/* Make one execution of a leg that takes `time` ns. */
static void execute(uint32_t leg, uint64_t time)
{
	struct hit hit = {.node = 2 * leg + 1,
			  .thread = 1,
			  .pid = 7,
			  .tid = 8,
			  .time = now};

	measure_hit(measure, &hit);
	now += time;
	hit.node++;
	hit.time = now;
	measure_hit(measure, &hit);
	now += 10;
}

/* The user asked for the histogram of leg 3. Leg 4 is never executed. Leg 5 has
 * no histogram. */
static const char *const names[LEGS] = {
	"one_time", "two_humps",
	"even",     "asked_for",
	"never",    "bare",
	NULL,       NULL,
	NULL,       "a_name_that_is_longer_than_its_column"};

static int set_up(void **state)
{
	const struct histogram_spec implied = {.class = HISTOGRAM_HDR,
					       .is_implied = true};
	const struct histogram_spec asked = {.class = HISTOGRAM_HDR};

	(void)state;
	now = 1000;
	measure = measure_create();
	for (uint32_t i = 0; i < LEGS; i++) {
		struct leg_spec spec = {.from = 2 * i + 1, .to = 2 * i + 2};
		bool existed;
		uint32_t id;

		measure_add_node(measure, spec.from);
		measure_add_node(measure, spec.to);
		assert_null(measure_add_leg(measure, &spec, &id, &existed));
		assert_int_equal(id, i);
		if (i != 5)
			assert_null(measure_leg_add_histogram(
				measure, i, i == 3 ? &asked : &implied));
		legs[i] = (struct report_leg){.stats = measure_leg(measure, i),
					      .name = names[i] ? names[i]
							       : "small"};
	}
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	tables = (struct tables){.legs = legs, .leg_count = LEGS};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	measure_destroy(measure);
	return 0;
}

static void execute_all(void)
{
	for (int i = 0; i < 1000; i++)
		execute(0, 500);
	for (int i = 0; i < 1000; i++)
		execute(1, i < 800 ? 100 : 1000000);
	/* from 64 ns on, 12 octaves with equally many executions in each, one
	 * octave for each character of the spark line */
	for (int i = 0; i < 12000; i++)
		execute(2, (uint64_t)exp2(6 + (i + 0.5) / 1000));
	execute(3, 12345);
	execute(5, 54321);
	for (uint32_t i = 6; i < LEGS; i++)
		execute(i, 10 * i);
}

static char *text_of(unsigned parts, const struct report_options *options)
{
	struct str text = {0};

	report_text(&tables, parts, options, &text);
	return str_take(&text);
}

static void distributions_are_as_in_the_golden_file(void **state)
{
	static const struct report_options plain = {0}, ascii = {.ascii = true},
					   narrow = {.columns = 80};
	struct str all = {0};
	char *text;

	(void)state;
	execute_all();
	text = text_of(PART_HISTOGRAMS, &plain);
	str_append(&all, text);
	free(text);
	tables.leg_count = 2;
	text = text_of(PART_HISTOGRAMS, &ascii);
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at < 0x80);
	str_printf(&all, "\n%s", text);
	free(text);
	tables.leg_count = 10;
	text = text_of(PART_HISTOGRAMS, &narrow);
	str_printf(&all, "\n%s", text);
	free(text);
	golden_check("distribution.txt", str_text(&all));
	str_deinit(&all);
}

/* Returns where the line of the leg with this name is in the text. */
static const char *line_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	assert_non_null(line);
	return line;
}

/* The twelve characters of the spark line show the distribution of the
 * executions. */
static void spark_lines_show_the_distribution(void **state)
{
	static const struct report_options ascii = {.ascii = true};
	char *text;

	(void)state;
	execute_all();
	text = text_of(PART_HISTOGRAMS, &ascii);
	assert_non_null(strstr(line_of(text, "one_time"), " 500ns  @\n"));
	/* one bar is a quarter as high as the other: the second of eight levels
	 */
	assert_non_null(
		strstr(line_of(text, "two_humps"), " 1.00ms  @          :\n"));
	assert_non_null(strstr(line_of(text, "even"), "  @@@@@@@@@@@@\n"));
	free(text);
}

/* The table has the ten legs with the largest total times, in the order of the
 * leg table. It has no leg that was not executed. */
static void table_has_the_ten_longest_legs(void **state)
{
	static const struct report_options plain = {0};
	char *text, *at;

	(void)state;
	execute_all();
	for (uint32_t i = 0; i < LEGS; i++)
		legs[i].name = "leg";
	text = text_of(PART_HISTOGRAMS, &plain);
	at = text;
	for (uint32_t i = 0; i < LEGS; i++) {
		char line[16];

		snprintf(line, sizeof(line), "\n%-3u  leg ", i);
		if (i < 3 || i >= 9) {
			at = strstr(at, line);
			assert_non_null(at);
		} else {
			assert_null(strstr(text, line));
		}
	}
	assert_non_null(strstr(text, "\n3 legs that took less time are left "
				     "out here.\n"));
	free(text);
	/* if no leg is left out, no note says so */
	tables.legs = legs + 9;
	tables.leg_count = 7;
	text = text_of(PART_HISTOGRAMS, &plain);
	assert_null(strstr(text, "left out"));
	free(text);
}

/* A leg whose histogram the user asked for has no line; its histogram is
 * printed in full. The same is true if the user asks later. */
static void requested_histogram_is_printed_in_full(void **state)
{
	static const struct report_options plain = {0};
	char *text;

	(void)state;
	execute_all();
	text = text_of(PART_ALL, &plain);
	assert_non_null(strstr(text, "Histogram for Leg 3\n"));
	assert_null(strstr(text, "Histogram for Leg 0\n"));
	/* these names stand only in the leg table */
	assert_null(strstr(line_of(text, " asked_for ") + 1, " asked_for "));
	assert_null(strstr(line_of(text, " never ") + 1, " never "));
	assert_null(strstr(line_of(text, " bare ") + 1, " bare "));
	assert_non_null(strstr(line_of(text, " even ") + 1, " even "));
	free(text);
	assert_true(measure_leg_claim_histogram(measure, 0));
	assert_false(measure_leg_claim_histogram(measure, 0));
	assert_false(measure_leg_claim_histogram(measure, 3));
	assert_false(measure_leg_claim_histogram(measure, 5));
	assert_false(measure_leg_claim_histogram(measure, 99));
	text = text_of(PART_ALL, &plain);
	assert_non_null(strstr(text,
			       "Histogram for Leg 0\n"
			       "Number of References            1,000\n"));
	free(text);
	text = text_of(PART_LEGS, &plain);
	assert_null(strstr(text, "Distribution"));
	free(text);
}

/* The width of the longest line before the notes, in characters and not in
 * bytes. */
static size_t widest_row(const char *text)
{
	size_t widest = 0, width = 0;

	for (; *text && *text != 'O' && *text != '`'; text++) {
		if (*text == '\n')
			width = 0;
		else
			width += ((unsigned char)*text & 0xc0) != 0x80;
		widest = width > widest ? width : widest;
	}
	return widest;
}

/* No table is wider than its terminal. A terminal of 110 columns has room for
 * all seven figures. */
static void table_is_not_wider_than_its_terminal(void **state)
{
	static const char *const figures[] = {
		" Min ", " p10 ", " p50 ", " p90 ", " p99 ", " p99.9 ", " Max ",
	};

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		for (uint32_t j = 6; j < LEGS; j++)
			execute(j, 23456789 + i * i * 7654321);
	tables.legs = legs + 6;
	tables.leg_count = LEGS - 6;
	for (int columns = 32; columns <= 120; columns++) {
		const struct report_options options = {.columns = columns};
		char *text = text_of(PART_HISTOGRAMS, &options);

		assert_in_range(widest_row(text), 20, columns);
		for (size_t i = 0; i < 7 && columns >= 110; i++)
			assert_non_null(strstr(text, figures[i]));
		assert_true(strstr(text, "too narrow") ||
			    strstr(text, " p10 "));
		free(text);
	}
}

/* If two names differ only at their ends, columns of percentiles are left out
 * before the names are cut. */
static void percentiles_are_left_out_before_names_are_cut(void **state)
{
	static const char *const alike[] = {"sort_by_the_name_of_a_thing_1",
					    "sort_by_the_name_of_a_thing_2"};
	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		for (uint32_t j = 6; j < 8; j++)
			execute(j, 23456789 + i * i * 7654321);
	tables.legs = legs + 6;
	tables.leg_count = 2;
	legs[6].name = alike[0];
	legs[7].name = alike[1];
	for (int columns = 110; columns >= 70; columns--) {
		const struct report_options options = {.columns = columns};
		char *text = text_of(PART_HISTOGRAMS, &options);
		bool p10 = strstr(text, " p10 "),
		     p999 = strstr(text, " p99.9 ");
		bool p90 = strstr(text, " p90 "), min = strstr(text, " Min ");

		assert_non_null(strstr(text, alike[0]));
		assert_non_null(strstr(text, alike[1]));
		assert_non_null(strstr(text, " p50 "));
		assert_non_null(strstr(text, " Min .. Max"));
		/* the columns are left out in this order */
		assert_true(p10 <= p999 && p999 <= p90 && p90 <= min);
		assert_true(columns > 80 || !p999);
		assert_true(columns < 110 || p10);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			distributions_are_as_in_the_golden_file, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			spark_lines_show_the_distribution, set_up, tear_down),
		cmocka_unit_test_setup_teardown(table_has_the_ten_longest_legs,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			requested_histogram_is_printed_in_full, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			table_is_not_wider_than_its_terminal, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			percentiles_are_left_out_before_names_are_cut, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
