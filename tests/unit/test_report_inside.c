/*
 * test_report_inside.c - what lies inside the slowest executions, as time
 * lines, JSON, CSV, and in a trace
 *
 * tier: core
 * covers: report
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>

#include "golden.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

#define NONE                                                                   \
	{                                                                      \
		.kind = VALUE_NONE                                             \
	}

static struct inside_entry deep[] = {
	{.id = 1, .offset = 0, .duration = 90000, .value = NONE},
	{.id = 2, .offset = 10, .duration = 5000, .depth = 1, .value = NONE},
	{.is_hit = true,
	 .id = 7,
	 .offset = 700,
	 .depth = 2,
	 .value = {.kind = VALUE_SIGNED, .i = -3}},
	{.id = 1, .offset = 6000, .duration = -5, .depth = 12, .value = NONE},
	{.id = 9, .offset = 95000, .duration = 40, .value = NONE},
	{.is_hit = true, .id = 8, .offset = 99000, .value = NONE},
};
static struct inside_entry early[] = {
	{.id = 2, .offset = -400, .duration = 700, .value = NONE},
};
static struct inside insides[] = {
	{.entries = {.data = deep, .count = 6}, .dropped = 12000},
	{.entries = {.data = early, .count = 1}},
	{.dropped = 0},
};
static const struct execution executions[] = {
	{.leg = 0,
	 .pid = 11,
	 .tid = 12,
	 .start = 2000000000,
	 .duration = 100000,
	 .key = NONE,
	 .value = NONE,
	 .inside = &insides[0]},
	{.leg = 1,
	 .pid = 11,
	 .tid = 13,
	 .start = 3000,
	 .duration = 500,
	 .interrupted = true,
	 .key = NONE,
	 .value = NONE,
	 .inside = &insides[1]},
	{.leg = 5,
	 .pid = 11,
	 .tid = 13,
	 .start = 1,
	 .duration = 20,
	 .key = NONE,
	 .value = NONE,
	 .inside = &insides[2]},
};

static const struct measure_leg stats[] = {{.id = 0}, {.id = 1}, {.id = 2}};
static const struct report_leg legs[] = {
	{.stats = &stats[0], .name = "serve"},
	{.stats = &stats[1], .name = "read_file"},
	{.stats = &stats[2], .name = "std::vector<int>::push_back(\"x\")"}};
static const struct measure_node node = {.id = 7};
static const struct report_node nodes[] = {
	{.stats = &node, .place = "check.c:14"}};
static const struct tables tables = {
	.legs = legs, .leg_count = 3, .nodes = nodes, .node_count = 1};

static void time_lines_are_as_in_the_golden_file(void **state)
{
	struct report_options options = {.width = 0};
	struct str text = {0};

	(void)state;
	report_inside_text(executions, 3, &tables, &options, &text);
	str_append(&text, "\nIn 40 columns, in ASCII:\n");
	options.columns = 40;
	options.ascii = true;
	report_inside_text(executions, 1, &tables, &options, &text);
	str_append(&text, "\nIn the memo's form:\n");
	options = (struct report_options){.memo = true};
	report_inside_text(executions, 1, &tables, &options, &text);
	str_append(&text, "\nNone:\n");
	report_inside_text(NULL, 0, &tables, &options, &text);
	golden_check("inside.txt", str_text(&text));
	str_deinit(&text);
}

static void json_and_csv_are_as_in_the_golden_files(void **state)
{
	struct str text = {0};

	(void)state;
	report_inside_json(executions, 3, &tables, &text);
	golden_check("inside.json", str_text(&text));
	str_deinit(&text);
	report_inside_csv(executions, 3, &tables, &text);
	golden_check("inside.csv", str_text(&text));
	str_deinit(&text);
}

static void append_name(void *context, bool is_node, uint32_t id,
			struct str *out)
{
	(void)context;
	str_printf(out, "%s %" PRIu32, is_node ? "\"node\"" : "leg", id);
}

static void traces_are_as_in_the_golden_file(void **state)
{
	const struct trace_names names = {append_name, NULL};
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_non_null(file);
	assert_true(trace_begin(file, TRACE_CHROME));
	for (size_t i = 0; i < 3; i++)
		assert_true(trace_inside(file, &executions[i], 40 + i, &names));
	assert_true(trace_end(file, TRACE_CHROME));
	fclose(file);
	golden_check("inside-trace.json", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_lines_are_as_in_the_golden_file),
		cmocka_unit_test(json_and_csv_are_as_in_the_golden_files),
		cmocka_unit_test(traces_are_as_in_the_golden_file),
	};

	return cmocka_run_group_tests_name("report_inside", tests, NULL, NULL);
}
