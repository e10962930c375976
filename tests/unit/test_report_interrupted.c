/*
 * test_report_interrupted.c - how the text shows executions during which the
 * program was stopped: in the leg table, in splits, and among the slowest
 * executions
 *
 * tier: core
 * covers: report
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

static void hit(struct measure *measure, uint32_t node, uint64_t time,
		const char *text)
{
	const struct label label = {.text = text};
	const struct hit now = {.node = node,
				.thread = 1,
				.pid = 7,
				.tid = 8,
				.time = time,
				.labels = &label,
				.label_count = 1};

	measure_hit(measure, &now);
}

static void execute(struct measure *measure, uint32_t from, uint64_t begin,
		    uint64_t end, const char *text)
{
	hit(measure, from, begin, text);
	hit(measure, from + 1, end, text);
}

/* A program that is stopped at 2 ms and at 4 ms of measured time, for a second
 * each. */
static struct measure *stopped_twice(void)
{
	const uint64_t ms = 1000000, s = 1000 * ms;
	const struct leg_spec specs[] = {{.from = 1, .to = 2},
					 {.from = 3, .to = 4}};
	struct measure *measure = measure_create();
	bool existed;
	uint32_t id;

	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	for (uint32_t node = 1; node <= 4; node++)
		measure_add_node(measure, node);
	for (size_t i = 0; i < 2; i++) {
		assert_null(measure_add_leg(measure, &specs[i], &id, &existed));
		assert_null(measure_split_leg(measure, id,
					      &(struct split_spec){0}));
	}
	execute(measure, 1, 500000, 800000, "get");
	execute(measure, 1, 1000000, 1900000, "set");
	hit(measure, 1, 1950000, "get");
	measure_set_running(measure, false, 2 * ms);
	measure_set_running(measure, true, 2 * ms + s);
	hit(measure, 2, s + 2010000, "get");
	hit(measure, 3, s + 2500000, "only");
	measure_set_running(measure, false, s + 4 * ms);
	measure_set_running(measure, true, 2 * s + 4 * ms);
	hit(measure, 4, 2 * s + 4500000, "only");
	return measure;
}

static void interrupted_executions_are_as_in_the_golden_file(void **state)
{
	static const struct report_options verbose = {
		.memo = true, .width = 100, .verbose = true};
	static const struct report_options plain = {.width = 100};
	struct measure *measure = stopped_twice();
	const struct report_leg legs[] = {{.stats = measure_leg_at(measure, 0),
					   .name = "f",
					   .by_text = "name"},
					  {.stats = measure_leg_at(measure, 1),
					   .name = "g",
					   .by_text = "name"}};
	struct tables tables = {.legs = legs, .leg_count = 2};
	const struct measure_leg *leg = legs[0].stats;
	struct str text = {0};

	(void)state;
	report_text(&tables, PART_LEGS | PART_SPLITS, &plain, &text);
	str_append_char(&text, '\n');
	report_text(&tables, PART_LEGS, &verbose, &text);
	str_append_char(&text, '\n');
	report_slowest_text(leg->slowest.data, leg->slowest.count, &tables,
			    &plain, &text);
	golden_check("interrupted.txt", str_text(&text));
	str_deinit(&text);
	/* a leg of which every execution was interrupted has no minimum and no
	 * maximum */
	report_csv(&tables, PART_LEGS, &text);
	assert_non_null(strstr(str_text(&text),
			       ",last,1,0,0,0,0,0,2000000,,2000000,"
			       ",,,,,,,,false,0,,,0,,,"));
	str_deinit(&text);
	measure_destroy(measure);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(
		interrupted_executions_are_as_in_the_golden_file)};

	return cmocka_run_group_tests_name("report_interrupted", tests, NULL,
					   NULL);
}
