/*
 * test_report_page.c - the report page and the plot of a leg: their exact text,
 * the shape of a histogram, and the marks of its axis
 *
 * tier: core
 * covers: report/page report/pictures web
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "golden.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report/plot.h"
#include "perftool/report/report_page.h"
#include "report/page/page.h"
#include "report/pictures/log_shape.h"
#include "report/pictures/pictures.h"
#include "report_everything.h"

/* ---- the shape ------------------------------------------------------------
 */

static struct histogram *histogram_of(const int64_t *values, size_t count)
{
	const struct histogram_spec spec = {.class = HISTOGRAM_HDR};
	struct histogram *histogram;

	assert_null(histogram_create(&spec, true, &histogram));
	for (size_t i = 0; i < count; i++)
		histogram_add_signed(histogram, values[i]);
	return histogram;
}

static double sum_of(const struct log_shape *shape)
{
	double sum = 0;

	for (size_t i = 0; i < shape->bars; i++)
		sum += shape->parts[i];
	return sum;
}

static void every_value_is_in_the_shape(void **state)
{
	const int64_t values[] = {-5, 0, 1, 2, 3, 1000, 1000000, INT64_MAX};
	struct histogram *histogram = histogram_of(values, 8);
	struct log_shape shape;

	(void)state;
	assert_true(log_shape_make(histogram, 50, &shape));
	assert_true(fabs(sum_of(&shape) - 1) < 1e-9);
	assert_true(shape.axis.least == LOG_AXIS_ZERO);
	assert_true(shape.axis.most >= 0x1p62);
	histogram_destroy(histogram);
}

/* Equal numbers of values in each octave are equally high. */
static void the_height_is_the_density(void **state)
{
	struct histogram *histogram = histogram_of(NULL, 0);
	struct log_shape shape;

	(void)state;
	for (int octave = 10; octave < 20; octave++)
		for (int64_t i = 0; i < 1024; i++)
			histogram_add_signed(
				histogram,
				(int64_t)(exp2(octave + (double)i / 1024)));
	assert_true(log_shape_make(histogram, 20, &shape));
	for (size_t i = 1; i + 1 < 20; i++)
		assert_true(fabs(shape.parts[i] - 0.05) < 0.004);
	histogram_destroy(histogram);
}

static void a_single_value_does_not_look_wide(void **state)
{
	const int64_t value = 5000;
	struct histogram *histogram = histogram_of(&value, 1);
	struct log_shape shape;
	size_t filled = 0;

	(void)state;
	assert_true(log_shape_make(histogram, 50, &shape));
	for (size_t i = 0; i < 50; i++)
		filled += shape.parts[i] > 0;
	assert_in_range(filled, 1, 2);
	assert_true(shape.axis.least < 5000 && shape.axis.most > 5000);
	histogram_destroy(histogram);
}

static void no_values_have_no_shape(void **state)
{
	struct histogram *histogram = histogram_of(NULL, 0);
	struct log_shape shape;

	(void)state;
	assert_false(log_shape_make(histogram, 50, &shape));
	histogram_destroy(histogram);
}

/* ---- the axis -------------------------------------------------------------
 */

static void check_marks(double least, double most, double width,
			const char *wanted)
{
	const struct log_axis axis = {least, most, 0, width};
	double marks[LOG_AXIS_MARKS];
	size_t count = log_axis_marks(&axis, marks);
	struct str text = {0};

	for (size_t i = 0; i < count; i++) {
		str_append(&text, i ? "," : "");
		log_axis_text(marks[i], &text);
	}
	assert_string_equal(str_text(&text), wanted);
	str_deinit(&text);
}

#define SPACE "\xe2\x80\xaf"

static void marks_have_room(void **state)
{
	(void)state;
	check_marks(800, 6400, 400,
		    "1" SPACE "\xc2\xb5s,2" SPACE "\xc2\xb5s,5" SPACE
		    "\xc2\xb5s");
	check_marks(1, 1e6, 400,
		    "1" SPACE "ns,10" SPACE "ns,100" SPACE "ns,1" SPACE
		    "\xc2\xb5s,10" SPACE "\xc2\xb5s,100" SPACE
		    "\xc2\xb5s,1" SPACE "ms");
	check_marks(1, 1e18, 400,
		    "1" SPACE "ns,1" SPACE "\xc2\xb5s,1" SPACE "ms,1" SPACE
		    "s,1000" SPACE "s,1e+06" SPACE "s,1e+09" SPACE "s");
}

/* ---- texts ----------------------------------------------------------------
 */

static void check_name(const char *name, size_t most, const char *wanted)
{
	struct str text = {0};

	html_name(name, most, &text);
	assert_string_equal(str_text(&text), wanted);
	str_deinit(&text);
}

static void names_stay_names(void **state)
{
	struct str text = {0};

	(void)state;
	check_name("f", 10, "<bdi>f</bdi>");
	check_name("<i>&\"", 10, "<bdi>&lt;i&gt;&amp;&quot;</bdi>");
	check_name("\xe2\x80\xae"
		   "abc",
		   10,
		   "<bdi>\xef\xbf\xbd"
		   "abc</bdi>");
	check_name("\xff\n", 10, "<bdi>\xef\xbf\xbd\xef\xbf\xbd</bdi>");
	check_name("", 10, "<bdi>[unknown]</bdi>");
	check_name("abcdefghijklmnopqrstuvwxyz", 10,
		   "<bdi>abcdef\xe2\x80\xa6xyz</bdi>");
	html_block("a\tb\n<\x01\n\n", &text);
	assert_string_equal(str_text(&text), "a\tb\n&lt;\xef\xbf\xbd\n\n");
	str_deinit(&text);
}

/* ---- the whole ------------------------------------------------------------
 */

static void plots_have_this_text(void **state)
{
	struct everything all;
	struct str text = {0};

	(void)state;
	everything_init(&all);
	report_plot_svg(&all.legs[0], &text);
	golden_check("plot.svg", str_text(&text));
	str_deinit(&text);
	/* the third was never executed */
	report_plot_svg(&all.legs[2], &text);
	assert_non_null(strstr(str_text(&text), "There are no times"));
	str_deinit(&text);
	everything_deinit(&all);
}

/* Lines of a file that has five. */
static size_t read_source(void *context, const char *file, uint32_t first,
			  uint32_t count, struct str *out)
{
	(void)context, (void)file;
	for (uint32_t i = first; i < first + count; i++)
		str_printf(out, "\tline(%u) < 3;\n", i);
	return count;
}

/* What is between the style sheets and the script. */
static void pages_have_this_text(void **state)
{
	const struct page_listing listing = {"Listing", (char *)"a  b\n1\t<\n"};
	struct everything all;
	struct report_page page = {.tables = &all.tables,
				   .command = "perftool -t 'a b' /bin/true",
				   .listings = &listing,
				   .listing_count = 1,
				   .read_source = read_source};
	struct str text = {0};
	char *begin, *end;

	(void)state;
	everything_init(&all);
	page.slowest = all.legs[0].stats->slowest.data;
	page.slowest_count = all.legs[0].stats->slowest.count;
	report_page_html(&page, &text);
	begin = strstr(str_text(&text), "<body>\n");
	end = strstr(str_text(&text), "<script>\n");
	assert_non_null(begin);
	assert_non_null(end);
	*end = '\0';
	golden_check("report-body.txt", begin);
	str_deinit(&text);
	everything_deinit(&all);
}

/* As in the table of the text, a total of which only a bound is known is never
 * printed as a negative time. */
static void pages_have_no_negative_times(void **state)
{
	struct measure_leg stats = {
		.count = 2000, .mean = -27027, .total = -54054435, .max = 700};
	struct report_leg leg = {.stats = &stats,
				 .name = "f",
				 .resolution = 6.5,
				 .below_resolution = true};
	struct tables tables = {.version = "1",
				.legs = &leg,
				.leg_count = 1,
				.summary = {.elapsed = 1000000000}};
	const struct report_page page = {.tables = &tables};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&hdr, true, &stats.record));
	report_page_html(&page, &text);
	assert_null(strstr(str_text(&text), ">-5"));
	assert_null(strstr(str_text(&text), "-54"));
	assert_null(strstr(str_text(&text), "-5.4"));
	assert_non_null(
		strstr(str_text(&text), "2,000 executions, in all less than "));
	str_deinit(&text);
	histogram_destroy(stats.record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_value_is_in_the_shape),
		cmocka_unit_test(the_height_is_the_density),
		cmocka_unit_test(a_single_value_does_not_look_wide),
		cmocka_unit_test(no_values_have_no_shape),
		cmocka_unit_test(marks_have_room),
		cmocka_unit_test(names_stay_names),
		cmocka_unit_test(plots_have_this_text),
		cmocka_unit_test(pages_have_this_text),
		cmocka_unit_test(pages_have_no_negative_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
