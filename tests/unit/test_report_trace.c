/*
 * test_report_trace.c - single executions: the slowest ones, and traces of all
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

#include <math.h>

#include "golden.h"
#include "json_member.h"
#include "perftool/base/origin.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report.h"

static const struct measure_row named = {.label = {.text = "get, \"x\""}};

static const struct execution rows[] = {
	{.leg = 3,
	 .pid = 7,
	 .tid = 8,
	 .start = 1234567,
	 .duration = 987654,
	 .has_cpu = true,
	 .cpu = 123456,
	 .key = {.kind = VALUE_SIGNED, .i = -1},
	 .value = {.kind = VALUE_FLOAT, .f = 0.5},
	 .row = &named},
	{.leg = 4,
	 .pid = 7,
	 .tid = 9,
	 .start = UINT64_C(1) << 60,
	 .duration = -12,
	 .interrupted = true,
	 .value = {.kind = VALUE_UNSIGNED, .u = UINT64_MAX}},
};

static struct origin_argument arguments[] = {{"path", "\"a\nb\""},
					     {"flags", "{...}"}};
static struct origin_frame frames[] = {
	{.function = "ns::open_file",
	 .module = "server",
	 .file = "/src/open.cc",
	 .line = 12,
	 .inlined = true},
	{.function = "serve", .module = "server"},
	{.function = "<signal handler called>", .module = "libc.so.6"},
	{.function = "libx.so+0x1040", .module = "libx.so"},
	{.function = "0x7f0000001234"}};
static struct origin origins[] = {{.arguments = {.data = arguments, .count = 2},
				   .frames = {.data = frames, .count = 5},
				   .is_broken = true},
				  {.frames = {.data = frames + 1, .count = 1}}};

static void stacks_are_as_in_the_golden_files(void **state)
{
	const struct execution executions[] = {
		{.leg = 3,
		 .pid = 7,
		 .tid = 8,
		 .duration = 987654,
		 .origin = &origins[0]},
		{.leg = 4, .pid = 7, .tid = 9, .duration = 1000},
		{.leg = 4,
		 .pid = 7,
		 .tid = 9,
		 .duration = 900,
		 .origin = &origins[1]}};
	const struct measure_leg stats = {.id = 3};
	const struct report_leg leg = {.stats = &stats, .name = "a, b"};
	const struct tables tables = {.legs = &leg, .leg_count = 1};
	const struct report_options options = {.width = 0};
	struct str text = {0};

	(void)state;
	report_slowest_text(executions, 3, &tables, &options, &text);
	golden_check("slowest-stacks.txt", str_text(&text));
	str_deinit(&text);
	report_slowest_json(executions, 3, &tables, &text);
	golden_check("slowest-stacks.json", str_text(&text));
	str_deinit(&text);
}

static void slowest_executions_have_csv_and_json(void **state)
{
	const struct measure_leg stats = {.id = 3};
	const struct report_leg leg = {.stats = &stats, .name = "a, b"};
	const struct tables tables = {.legs = &leg, .leg_count = 1};
	struct str text = {0};

	(void)state;
	report_slowest_csv(rows, 2, &tables, &text);
	assert_string_equal(
		str_text(&text),
		"leg,name,pid,tid,start_ns,duration_ns,key,value,by,cpu_ns,"
		"interrupted\n"
		"3,\"a, b\",7,8,1234567,987654,-1,0.5,\"get, "
		"\"\"x\"\"\",123456,"
		"false\n"
		"4,,7,9,1152921504606846976,-12,,18446744073709551615,,,"
		"true\n");
	str_deinit(&text);
	report_slowest_json(rows, 2, &tables, &text);
	golden_check("slowest.json", str_text(&text));
	str_deinit(&text);
}

static char *traced(enum trace_format format, size_t count)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_true(trace_begin(file, format));
	for (size_t i = 0; i < count; i++)
		assert_true(trace_row(file, format, &rows[i], i,
				      i ? "f, \"g\"" : "1->2"));
	assert_true(trace_end(file, format));
	fclose(file);
	return text;
}

static void trace_as_csv_has_each_execution(void **state)
{
	char *text = traced(TRACE_CSV, 2);

	(void)state;
	assert_string_equal(text,
			    "leg,name,pid,tid,start_ns,duration_ns,key,value,"
			    "by,cpu_ns,interrupted\n"
			    "3,1->2,7,8,1234567,987654,-1,0.5,"
			    "\"get, \"\"x\"\"\",123456,false\n"
			    "4,\"f, \"\"g\"\"\",7,9,1152921504606846976,-12,,"
			    "18446744073709551615,,,true\n");
	free(text);
}

/* Each execution must be a pair of events, b and e, with one id, as readers of
 * Chrome's format need. */
static void check_pair(struct json_object *begin, struct json_object *end,
		       const struct execution *row)
{
	double ts = (double)row->start / 1000;
	double length = row->duration > 0 ? (double)row->duration / 1000 : 0;

	assert_string_equal(json_object_get_string(member(begin, "ph")), "b");
	assert_string_equal(json_object_get_string(member(end, "ph")), "e");
	for (const char *const *name =
		     (const char *const[]){"id", "cat", "name", "pid", "tid",
					   NULL};
	     *name; name++)
		assert_true(json_object_equal(member(begin, *name),
					      member(end, *name)));
	assert_true(fabs(json_object_get_double(member(begin, "ts")) - ts) <
		    1e-6);
	assert_true(fabs(json_object_get_double(member(end, "ts")) - ts -
			 length) < 1e-6);
	assert_int_equal(json_object_get_int64(
				 member(member(begin, "args"), "duration_ns")),
			 row->duration);
	if (row->row)
		assert_string_equal(json_object_get_string(member(
					    member(begin, "args"), "by")),
				    row->row->label.text);
	else
		assert_null(member(member(begin, "args"), "by"));
}

static void trace_for_chrome_has_two_events_per_execution(void **state)
{
	(void)state;
	for (size_t count = 0; count <= 2; count++) {
		char *text = traced(TRACE_CHROME, count);
		struct json_object *object = json_tokener_parse(text), *events;

		assert_non_null(object);
		events = member(object, "traceEvents");
		assert_int_equal(json_object_array_length(events),
				 1 + 2 * count);
		for (size_t i = 0; i < count; i++)
			check_pair(json_object_array_get_idx(events, 1 + 2 * i),
				   json_object_array_get_idx(events, 2 + 2 * i),
				   &rows[i]);
		json_object_put(object);
		free(text);
	}
}

static void trace_for_chrome_names_processes(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct json_object *object, *event;

	(void)state;
	assert_true(trace_begin(file, TRACE_CHROME));
	assert_true(trace_process(file, 7, "a \"b\""));
	assert_true(trace_end(file, TRACE_CHROME));
	fclose(file);
	object = json_tokener_parse(text);
	assert_non_null(object);
	event = json_object_array_get_idx(member(object, "traceEvents"), 1);
	assert_string_equal(json_object_get_string(member(event, "name")),
			    "process_name");
	assert_string_equal(json_object_get_string(member(event, "ph")), "M");
	assert_int_equal(json_object_get_int(member(event, "pid")), 7);
	assert_string_equal(
		json_object_get_string(member(member(event, "args"), "name")),
		"a \"b\"");
	json_object_put(object);
	free(text);
}

static void trace_to_a_full_disk_fails(void **state)
{
	FILE *file = fopen("/dev/full", "we");

	(void)state;
	assert_non_null(file);
	setvbuf(file, NULL, _IONBF, 0);
	assert_false(trace_begin(file, TRACE_CSV));
	assert_false(trace_row(file, TRACE_CSV, &rows[0], 0, "x"));
	assert_false(trace_end(file, TRACE_CHROME));
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slowest_executions_have_csv_and_json),
		cmocka_unit_test(stacks_are_as_in_the_golden_files),
		cmocka_unit_test(trace_as_csv_has_each_execution),
		cmocka_unit_test(trace_for_chrome_has_two_events_per_execution),
		cmocka_unit_test(trace_for_chrome_names_processes),
		cmocka_unit_test(trace_to_a_full_disk_fails),
	};

	return cmocka_run_group_tests_name("report_trace", tests, NULL, NULL);
}
