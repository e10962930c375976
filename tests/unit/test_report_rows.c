/*
 * test_report_rows.c - histograms and splits as text, compared with the golden
 * files
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
#include <stdlib.h>

#include "golden.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

static const struct report_options plain = {.width = 100};

static void check_text(struct str *text, const char *wanted)
{
	assert_string_equal(str_text(text), wanted);
	str_deinit(text);
}

/* ---- histograms ----------------------------------------------------- */

static struct histogram *make(enum histogram_class class, int64_t scale,
			      int64_t base, bool leg)
{
	struct histogram_spec spec = {
		.class = class, .scale = scale, .base = base};
	struct histogram *histogram = NULL;

	assert_null(histogram_create(&spec, leg, &histogram));
	return histogram;
}

static void histograms_are_as_in_the_golden_file(void **state)
{
	struct histogram *hdr = make(HISTOGRAM_HDR, 0, 0, true);
	struct histogram *negative = make(HISTOGRAM_HDR, 0, 0, false);
	struct histogram *floats = make(HISTOGRAM_HDR, 0, 0, false);
	struct histogram *linear = make(HISTOGRAM_LINEAR, 10, -20, false);
	struct histogram *none = make(HISTOGRAM_HDR, 0, 0, false);
	struct str text = {0};

	(void)state;
	for (int64_t i = 1; i <= 3000; i++)
		histogram_add(hdr, value_signed(i * i));
	for (int64_t i = -20; i <= 20; i++) {
		histogram_add(negative, value_signed(i * i * i));
		histogram_add(linear, value_signed(i * 4));
		histogram_add(floats, value_float((double)i / 8));
	}
	report_histogram_text(&(struct report_histogram){hdr, true, 3, 0, NULL},
			      &plain, &text);
	str_append_char(&text, '\n');
	report_histogram_text(
		&(struct report_histogram){negative, false, 4, 0, NULL}, &plain,
		&text);
	str_append_char(&text, '\n');
	report_histogram_text(
		&(struct report_histogram){floats, false, 5, 0, NULL}, &plain,
		&text);
	str_append_char(&text, '\n');
	report_histogram_text(
		&(struct report_histogram){linear, false, 6, 0, NULL}, &plain,
		&text);
	str_append_char(&text, '\n');
	report_histogram_text(
		&(struct report_histogram){none, false, 7, 0, NULL}, &plain,
		&text);
	golden_check("histograms.txt", str_text(&text));
	str_deinit(&text);
	histogram_destroy(hdr);
	histogram_destroy(negative);
	histogram_destroy(floats);
	histogram_destroy(linear);
	histogram_destroy(none);
}

/* If most values are in Overflow, a note names the remedy. */
static void note_tells_that_most_values_overflow(void **state)
{
	struct histogram *linear = make(HISTOGRAM_LINEAR, 1, 0, false);
	struct report_histogram at = {linear, false, 1, 0, NULL};
	struct str text = {0};

	(void)state;
	histogram_add(linear, value_signed(1));
	histogram_add(linear, value_signed(1000000));
	report_histogram_text(&at, &plain, &text);
	assert_null(strstr(str_text(&text), "Over half of"));
	str_deinit(&text);
	histogram_add(linear, value_signed(1000000));
	report_histogram_text(&at, &plain, &text);
	assert_non_null(strstr(str_text(&text),
			       "\n(Over half of the values are in Overflow: a "
			       "larger scale or more buckets\nmake room for "
			       "them.)\n"));
	str_deinit(&text);
	histogram_destroy(linear);
}

/* However many buckets have values, the rows of the text are few, and no value
 * is lost. */
static void hdr_rows_are_few(void **state)
{
	struct histogram *wide = make(HISTOGRAM_HDR, 0, 0, false);
	struct str text = {0};
	size_t lines = 0;

	(void)state;
	for (int exponent = -1000; exponent < 1000; exponent++) {
		histogram_add(wide,
			      value_float(__builtin_ldexp(1.3, exponent)));
		histogram_add(wide,
			      value_float(-__builtin_ldexp(1.7, exponent)));
	}
	histogram_add(wide, value_float(__builtin_inf()));
	report_histogram_text(
		&(struct report_histogram){wide, false, 1, 0, NULL}, &plain,
		&text);
	for (const char *at = str_text(&text); *at; at++)
		lines += *at == '\n';
	assert_in_range(lines, 10, 4 + 2 + 40 + 1);
	assert_non_null(strstr(str_text(&text), " 100.00 "));
	assert_non_null(strstr(str_text(&text), "Overflow"));
	str_deinit(&text);
	histogram_destroy(wide);
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length + (text[length] != '\0');
	}
	return longest;
}

/* The longest bar ends at the edge of the terminal, however wide the columns
 * before it are. */
static void bars_end_at_the_edge(void **state)
{
	static const size_t steps[] = {1, 999998, 1, 9000000};
	static const int widths[] = {80, 100, 132};
	struct histogram *one = make(HISTOGRAM_HDR, 0, 0, false);

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t j = 0; j < steps[i]; j++)
			histogram_add(one, value_signed(1234567890123));
		for (size_t j = 0; j < 3 * 2; j++) {
			const struct report_options options = {
				.width = widths[j / 2]};
			struct report_histogram at = {one, j % 2, 1, 0, NULL};
			struct str text = {0};

			report_histogram_text(&at, &options, &text);
			assert_int_equal(longest_line(str_text(&text)),
					 widths[j / 2]);
			str_deinit(&text);
		}
	}
	histogram_destroy(one);
}

static void says(const struct report_histogram *at, const char *sum,
		 const char *average)
{
	struct str text = {0};

	report_histogram_text(at, &plain, &text);
	assert_non_null(strstr(str_text(&text), sum));
	assert_non_null(strstr(str_text(&text), average));
	str_deinit(&text);
}

/* The tool has subtracted more from the leg's times than they were. It then
 * knows no more about the average of the leg's histogram than about the leg's
 * mean. */
static void average_below_resolution_is_shown_as_a_bound(void **state)
{
	struct histogram *times = make(HISTOGRAM_HDR, 0, 0, false);
	struct report_histogram leg = {times, true, 0, 18150.5, NULL};
	struct report_histogram node = {times, false, 1, 0, NULL};

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		histogram_add(times, value_signed(i ? -11072 : -58));
	says(&leg, "Sum of Values             < 1,815,050\n",
	     "Average Value                < 18,151\n");
	says(&node, "Sum of Values              -1,096,186\n",
	     "Average Value                 -10,961\n");
	/* a bound below 1 ns is rounded up to 1 */
	leg.resolution = 0.4;
	says(&leg, "Sum of Values                    < 40\n",
	     "Average Value                     < 1\n");
	/* a sum that is not negative is printed as it is */
	histogram_add(times, value_signed(1096186 + 202));
	leg.resolution = 5;
	says(&leg, "Sum of Values                     202\n",
	     "Average Value                     < 5\n");
	leg.resolution = 2;
	says(&leg, "Sum of Values                     202\n",
	     "Average Value                       2\n");
	histogram_destroy(times);
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

/* Returns the text of a node's histogram. The caller frees it. */
static char *text_of(struct histogram *histogram)
{
	struct str text = {0};

	report_histogram_text(
		&(struct report_histogram){histogram, false, 1, 0, NULL},
		&plain, &text);
	return str_take(&text);
}

/* The memo prints every bucket of its histograms, which have few. In larger
 * histograms, a run of empty buckets is one line. */
static void run_of_empty_buckets_is_one_line(void **state)
{
	struct histogram_spec spec = {
		.class = HISTOGRAM_LOG, .buckets = 16, .scale = -1};
	struct histogram *octaves = make(HISTOGRAM_LOG, -1, 0, false);
	struct histogram *few = NULL;
	char *text;

	(void)state;
	/* there are five lines above the table, and two of header */
	text = text_of(octaves);
	assert_int_equal(count_lines(text), 5 + 2 + 3);
	assert_non_null(strstr(text, "\n1 ... "));
	assert_non_null(strstr(text, "  48 empty rows\n"));
	free(text);
	histogram_add(octaves, value_signed(8));
	histogram_add(octaves, value_signed(70));
	text = text_of(octaves);
	/* the lines are Underflow, 1 to 4, 8, 16, 32, 64, everything from 128
	 * on, Overflow */
	assert_int_equal(count_lines(text), 5 + 2 + 8);
	assert_non_null(strstr(text, "  3 empty rows\n8 "));
	assert_non_null(strstr(text, "\n16  "));
	assert_non_null(strstr(text, "\n32  "));
	assert_non_null(strstr(text, "\n64  "));
	assert_non_null(strstr(text, "\n128 ... "));
	assert_non_null(strstr(text, "  41 empty rows\nOverflow"));
	free(text);
	histogram_destroy(octaves);
	assert_null(histogram_create(&spec, false, &few));
	text = text_of(few);
	assert_int_equal(count_lines(text), 5 + 2 + 2 + 16);
	assert_null(strstr(text, "..."));
	free(text);
	histogram_destroy(few);
}

/* The number of empty rows between 5 and 1000. The values from 6 to 127 would
 * have one row each, which is 122 rows. Each of the octaves from 128 and from
 * 256 would have 128 rows. From 512 to 999 there would be 122 rows of 4 values
 * each. */
static void gap_of_hdr_rows_counts_its_empty_rows(void **state)
{
	static const int64_t pairs[][2] = {
		{5, 1000}, {-1000, -5}, {100, 101}, {100, 102}};
	static const char *const gaps[] = {
		"\n6 ...                 0    0.00   50.00  500 empty rows\n",
		"\n-999 ...              0    0.00   50.00  500 empty rows\n",
		NULL, "\n101                   0    0.00   50.00\n"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct histogram *two = make(HISTOGRAM_HDR, 0, 0, false);
		char *text;

		histogram_add(two, value_signed(pairs[i][0]));
		histogram_add(two, value_signed(pairs[i][1]));
		text = text_of(two);
		assert_int_equal(count_lines(text), 4 + 2 + 2 + !!gaps[i]);
		if (gaps[i])
			assert_non_null(strstr(text, gaps[i]));
		free(text);
		histogram_destroy(two);
	}
}

static void shortest_and_longest_bar(const char *text, size_t skip_lines,
				     size_t *shortest, size_t *longest)
{
	*shortest = SIZE_MAX;
	*longest = 0;
	for (; *text; text += strcspn(text, "\n") + 1) {
		size_t line = strcspn(text, "\n"), length = 0;

		if (skip_lines) {
			skip_lines--;
			continue;
		}
		while (length < line && text[line - length - 1] == '#')
			length++;
		*shortest = length < *shortest ? length : *shortest;
		*longest = length > *longest ? length : *longest;
	}
}

/* If values are equally dense on a logarithmic axis, all bars have the same
 * length, although the counts of the rows differ. */
static void bars_are_densities(void **state)
{
	struct histogram *floats = make(HISTOGRAM_HDR, 0, 0, false);
	struct histogram *integers = make(HISTOGRAM_HDR, 0, 0, false);
	size_t shortest, longest;
	char *text;

	(void)state;
	for (int i = 0; i < 80000; i++)
		histogram_add(floats, value_float(exp2((i + 0.5) / 10000 - 2)));
	/* row 1 is as wide as rows 2 and 3 together */
	for (int64_t i = 0; i < 13 * 4096; i++)
		histogram_add(integers, value_signed((int64_t)exp2(
						((double)i + 0.5) / 4096)));
	text = text_of(floats);
	assert_int_equal(count_lines(text), 4 + 2 + 8 * 4);
	assert_non_null(strstr(text, "\n0.25              3,219 "));
	free(text);
	text = text_of(floats);
	shortest_and_longest_bar(text, 6, &shortest, &longest);
	assert_in_range(longest - shortest, 0, 1);
	free(text);
	text = text_of(integers);
	shortest_and_longest_bar(text, 6, &shortest, &longest);
	assert_in_range(longest - shortest, 0, 1);
	free(text);
	histogram_destroy(floats);
	histogram_destroy(integers);
}

/* If each row is one whole number, the bars show the counts. */
static void bars_of_whole_numbers_show_counts(void **state)
{
	struct histogram *small = make(HISTOGRAM_HDR, 0, 0, false);
	size_t shortest, longest;
	char *text;

	(void)state;
	for (int64_t i = 0; i < 40; i++)
		histogram_add(small, value_signed(i));
	text = text_of(small);
	shortest_and_longest_bar(text, 6, &shortest, &longest);
	assert_int_equal(count_lines(text), 4 + 2 + 40);
	assert_int_equal(shortest, longest);
	free(text);
	histogram_destroy(small);
}

/* ---- splits --------------------------------------------------------- */

static void labelled_hit(struct measure *measure, uint32_t node, uint64_t time,
			 struct label label)
{
	struct hit hit = {.node = node,
			  .thread = 1,
			  .pid = 7,
			  .tid = 8,
			  .time = time,
			  .labels = &label,
			  .label_count = 1};

	measure_hit(measure, &hit);
}

/* A session whose splits have every kind of row and every remark. */
static struct measure *split_session(void)
{
	static const char *const names[] = {"get", "set", "config|set \033[2J",
					    "keys"};
	const struct leg_spec specs[] = {{.from = 1, .to = 2},
					 {.from = 1, .to = 3}};
	const struct split_spec by = {.view.rows = 3}, by_end = {.at_to = true};
	struct measure *measure = measure_create();
	uint32_t leg;
	bool existed;

	measure_set_calibration(measure, HIT_INT3, 40000, 15000);
	for (uint32_t node = 1; node <= 3; node++)
		measure_add_node(measure, node);
	for (size_t i = 0; i < 2; i++)
		assert_null(
			measure_add_leg(measure, &specs[i], &leg, &existed));
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	labelled_hit(measure, 1, 10, (struct label){.text = "get"});
	labelled_hit(measure, 2, 20, (struct label){.text = "get"});
	assert_null(measure_split_node(measure, 1, &by));
	assert_null(measure_split_leg(measure, 0, &by));
	assert_null(measure_split_leg(measure, 1, &by_end));
	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t time = 1000000 * i;
		struct label label = {.text = names[i % 7 % 4]};

		if (i % 100 == 99)
			label.text = NULL;
		labelled_hit(measure, 1, time, label);
		labelled_hit(measure, 2, time + (i % 7 ? 10000 * i : 300),
			     label);
	}
	for (uint64_t i = 0; i < SPLIT_VALUES + 5; i++)
		labelled_hit(measure, 1, 1000000000 + 2 * i,
			     (struct label){.value = value_unsigned(i)});
	labelled_hit(measure, 3, 1000010000,
		     (struct label){.value = value_signed(-7)});
	measure_set_running(measure, false, 2000000000);
	return measure;
}

static void splits_are_as_in_the_golden_file(void **state)
{
	struct measure *measure = split_session();
	struct report_node nodes[3];
	struct report_leg legs[2];
	struct tables tables = {
		.nodes = nodes, .node_count = 3, .legs = legs, .leg_count = 2};
	struct str text = {0};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		nodes[i] = (struct report_node){
			.stats = measure_node_at(measure, i),
			.by_text = "name"};
	for (size_t i = 0; i < 2; i++)
		legs[i] = (struct report_leg){
			.stats = measure_leg_at(measure, i),
			.resolution = measure_leg_resolution(
				measure, measure_leg_at(measure, i)),
			.by_text = i ? "$ret" : "c->cmd->name"};
	measure_get_summary(measure, 2000000000, &tables.summary);
	report_text(&tables, PART_SPLITS, &plain, &text);
	golden_check("splits.txt", str_text(&text));
	assert_null(strchr(str_text(&text), '\033'));
	str_deinit(&text);
	tables.node_count = tables.leg_count = 0;
	report_text(&tables, PART_SPLITS, &plain, &text);
	check_text(&text, "Nothing is split.\n");
	measure_destroy(measure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(histograms_are_as_in_the_golden_file),
		cmocka_unit_test(note_tells_that_most_values_overflow),
		cmocka_unit_test(hdr_rows_are_few),
		cmocka_unit_test(bars_end_at_the_edge),
		cmocka_unit_test(average_below_resolution_is_shown_as_a_bound),
		cmocka_unit_test(run_of_empty_buckets_is_one_line),
		cmocka_unit_test(gap_of_hdr_rows_counts_its_empty_rows),
		cmocka_unit_test(bars_are_densities),
		cmocka_unit_test(bars_of_whole_numbers_show_counts),
		cmocka_unit_test(splits_are_as_in_the_golden_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
