/*
 * test_report_json.c - JSON by its schema, CSV by its quoting, traces
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <json-c/json.h>

#include "golden.h"
#include "memo_session.h"
#include "perftool/base/alloc.h"
#include "perftool/report.h"

/* ---- tables with everything in them --------------------------------- */

struct everything {
	struct measure *measure;
	struct report_node nodes[3];
	struct report_leg legs[3];
	struct tables tables;
};

static void hit(struct measure *measure, uint32_t node, uint64_t time,
		struct value value)
{
	const struct value key = value_signed(-1);
	struct hit now = {.node = node,
			  .thread = 1,
			  .pid = 7,
			  .tid = 8,
			  .time = time,
			  .value = value,
			  .keys = &key,
			  .key_count = 1};

	measure_hit(measure, &now);
	measure_break(measure, 1, 7, 8, time, time + 10, 0, 0);
}

static struct measure *measured(void)
{
	const struct histogram_spec linear = {.class = HISTOGRAM_LINEAR,
					      .scale = INT64_C(1) << 60};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	const struct histogram_spec shifted = {.class = HISTOGRAM_LINEAR,
					       .buckets = 2,
					       .scale = 3,
					       .base = -5};
	const struct leg_spec specs[] = {
		{.from = 1, .to = 2, .owner = OWNER_KEY},
		{.from = 2, .to = 1, .match = MATCH_OUTERMOST},
		{.from = 3, .to = 3, .owner = OWNER_LEG},
	};
	struct measure *measure = measure_create();
	uint32_t id;
	bool existed;

	measure_set_calibration(measure, 30, 20);
	for (uint32_t node = 1; node <= 3; node++)
		measure_add_node(measure, node);
	for (size_t i = 0; i < 3; i++)
		assert_null(measure_add_leg(measure, &specs[i], &id, &existed));
	assert_null(measure_node_add_histogram(measure, 1, &linear));
	assert_null(measure_node_add_histogram(measure, 2, &hdr));
	assert_null(measure_leg_add_histogram(measure, 0, &hdr));
	assert_null(measure_leg_add_histogram(measure, 2, &shifted));
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	hit(measure, 1, 100, value_unsigned(UINT64_MAX));
	hit(measure, 2, 1110, value_float(0.1));
	hit(measure, 1, 1125, value_signed(-1));
	hit(measure, 2, 3210, value_float(-2.5));
	measure_node_error(measure, 3, "no such variable");
	measure_node_deleted(measure, 3);
	return measure;
}

static void everything_init(struct everything *all)
{
	static const uint64_t addresses[] = {0x401000, 0x7ffff7e3c0a0};
	static const char *const args[] = {"-x", "a \"b\"\n", NULL};

	*all = (struct everything){.measure = measured()};
	for (uint32_t i = 0; i < 3; i++) {
		const struct measure_leg *leg = measure_leg(all->measure, i);

		all->nodes[i].stats = measure_node(all->measure, i + 1);
		all->legs[i] = (struct report_leg){
			.stats = leg,
			.below_resolution =
				measure_leg_below_resolution(all->measure, leg),
			.key_text = i == 0 ? "id" : NULL};
	}
	all->nodes[0] = (struct report_node){.stats = all->nodes[0].stats,
					     .kind = "entry",
					     .location = "entry operator,",
					     .function = "operator,(X&, \"y\")",
					     .file = "/src/caf\xc3\xa9 \xff.c",
					     .line = 7,
					     .module = " lib.so ",
					     .addresses = addresses,
					     .address_count = 2,
					     .condition = "name == \"foo\"",
					     .mechanism = "int3"};
	all->tables = (struct tables){.version = "1.2.3",
				      .program = {.path = "/bin/true",
						  .args = args,
						  .pid = 7,
						  .state = "signaled",
						  .exit_status = -1,
						  .exit_signal = 11},
				      .clock_source = "tsc",
				      .clock_resolution = 0.4,
				      .nodes = all->nodes,
				      .node_count = 3,
				      .legs = all->legs,
				      .leg_count = 3};
	measure_get_summary(all->measure, 4000, &all->tables.summary);
}

static void everything_deinit(struct everything *all)
{
	measure_destroy(all->measure);
}

/* ---- the schema ----------------------------------------------------- */

/*
 * A field and what it may be: b bool, n number, s string, i integer or decimal
 * string, x list of hex strings, l list of strings, o object or list; "?" too:
 * or null.
 */
struct rule {
	const char *name, *types;
};

static const struct rule top_rules[] = {
	{"schema", "n"}, {"perftool", "s"},   {"program", "o"},
	{"clock", "o"},  {"summary", "o"},    {"nodes", "o"},
	{"legs", "o"},   {"histograms", "o"}, {NULL, NULL}};
static const struct rule program_rules[] = {
	{"path", "s?"},  {"args", "l?"},        {"pid", "n?"},
	{"state", "s?"}, {"exit_status", "n?"}, {"exit_signal", "n?"},
	{NULL, NULL}};
static const struct rule clock_rules[] = {
	{"source", "s?"}, {"resolution_ns", "n?"}, {NULL, NULL}};
static const struct rule summary_rules[] = {{"elapsed_ns", "i"},
					    {"elapsed_less_overhead_ns", "i"},
					    {"overhead_ns", "i"},
					    {"breaks", "i"},
					    {"average_overhead_ns", "n?"},
					    {"overhead_percent", "n?"},
					    {NULL, NULL}};
static const struct rule node_rules[] = {
	{"id", "n"},        {"kind", "s?"},     {"location", "s?"},
	{"function", "s?"}, {"file", "s?"},     {"line", "n?"},
	{"module", "s?"},   {"addresses", "x"}, {"condition", "s?"},
	{"count", "i"},     {"errors", "i"},    {"mechanism", "s?"},
	{"deleted", "b"},   {NULL, NULL}};
static const struct rule leg_rules[] = {{"id", "n"},
					{"from", "n"},
					{"to", "n"},
					{"owner", "s"},
					{"match", "s"},
					{"count", "i"},
					{"ignored_from", "i"},
					{"ignored_to", "i"},
					{"unwound", "i"},
					{"discarded", "i"},
					{"open", "i"},
					{"total_ns", "i"},
					{"cpu_ns", "i?"},
					{"mean_ns", "n?"},
					{"min_ns", "i?"},
					{"max_ns", "i?"},
					{"stddev_ns", "n?"},
					{"p50_ns", "n?"},
					{"p90_ns", "n?"},
					{"p99_ns", "n?"},
					{"p999_ns", "n?"},
					{"percent", "n?"},
					{"below_resolution", "b"},
					{NULL, NULL}};
static const struct rule histogram_rules[] = {
	{"of", "s"},       {"id", "n"},        {"class", "s"},
	{"scale", "i?"},   {"base", "i?"},     {"references", "i"},
	{"sum", "in"},     {"average", "in?"}, {"underflow", "i"},
	{"overflow", "i"}, {"buckets", "o"},   {NULL, NULL}};
static const struct rule bucket_rules[] = {
	{"from", "in"}, {"to", "in"}, {"count", "i"}, {NULL, NULL}};

static bool is_decimal(const char *text)
{
	return text[0] && strspn(text + (text[0] == '-'), "0123456789") ==
				  strlen(text + (text[0] == '-'));
}

/* An integer, exact for every reader, or a decimal string beyond that. */
static bool is_integer(struct json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		return is_decimal(json_object_get_string(value));
	return json_object_is_type(value, json_type_int) &&
	       json_object_get_int64(value) <= INT64_C(1) << 53 &&
	       json_object_get_int64(value) >= -(INT64_C(1) << 53);
}

static bool is_list(struct json_object *value, bool hex)
{
	if (!json_object_is_type(value, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		struct json_object *item = json_object_array_get_idx(value, i);
		const char *text = json_object_get_string(item);

		if (!json_object_is_type(item, json_type_string))
			return false;
		if (hex && (strncmp(text, "0x", 2) != 0 || !text[2] ||
			    text[2 + strspn(text + 2, "0123456789abcdef")]))
			return false;
	}
	return true;
}

static bool fits(struct json_object *value, char type)
{
	switch (type) {
	case 'b':
		return json_object_is_type(value, json_type_boolean);
	case 'n':
		return json_object_is_type(value, json_type_int) ||
		       json_object_is_type(value, json_type_double);
	case 's':
		return json_object_is_type(value, json_type_string);
	case 'i':
		return is_integer(value);
	case 'x':
		return is_list(value, true);
	case 'l':
		return is_list(value, false);
	case 'o':
		return json_object_is_type(value, json_type_object) ||
		       json_object_is_type(value, json_type_array);
	case '?':
		return !value;
	default:
		return false;
	}
}

/* Exactly these fields, in this order. */
static void check_object(struct json_object *object, const struct rule *rules)
{
	assert_true(json_object_is_type(object, json_type_object));
	json_object_object_foreach(object, name, value)
	{
		bool fit = false;

		assert_non_null(rules->name);
		assert_string_equal(name, rules->name);
		for (const char *type = rules->types; *type; type++)
			fit |= fits(value, *type);
		if (!fit)
			fail_msg("%s: %s", name,
				 json_object_to_json_string(value));
		rules++;
	}
	assert_null(rules->name);
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	assert_true(json_object_object_get_ex(object, name, &value));
	return value;
}

static void check_each(struct json_object *array, const struct rule *rules,
		       size_t count)
{
	assert_true(json_object_is_type(array, json_type_array));
	assert_int_equal(json_object_array_length(array), count);
	for (size_t i = 0; i < count; i++)
		check_object(json_object_array_get_idx(array, i), rules);
}

static void check_schema(const char *text, size_t nodes, size_t legs,
			 size_t histograms)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object, *list;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)strlen(text));
	assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
	json_tokener_free(tokener);
	check_object(object, top_rules);
	assert_int_equal(json_object_get_int(member(object, "schema")), 1);
	check_object(member(object, "program"), program_rules);
	check_object(member(object, "clock"), clock_rules);
	check_object(member(object, "summary"), summary_rules);
	check_each(member(object, "nodes"), node_rules, nodes);
	check_each(member(object, "legs"), leg_rules, legs);
	list = member(object, "histograms");
	check_each(list, histogram_rules, histograms);
	for (size_t i = 0; i < histograms; i++) {
		struct json_object *buckets =
			member(json_object_array_get_idx(list, i), "buckets");

		check_each(buckets, bucket_rules,
			   json_object_array_length(buckets));
	}
	json_object_put(object);
}

static void json_of_everything(void **state)
{
	struct everything all;
	struct str text = {0};

	(void)state;
	everything_init(&all);
	report_json(&all.tables, &text);
	check_schema(str_text(&text), 3, 3, 4);
	golden_check("everything.json", str_text(&text));
	str_deinit(&text);
	everything_deinit(&all);
}

static void json_of_nothing(void **state)
{
	const struct tables tables = {.version = "1.2.3",
				      .program = {.exit_status = -1}};
	struct str text = {0};

	(void)state;
	report_json(&tables, &text);
	check_schema(str_text(&text), 0, 0, 0);
	golden_check("empty.json", str_text(&text));
	str_deinit(&text);
}

static void json_of_the_memo(void **state)
{
	struct measure *measure = memo_session();
	struct report_leg leg = {.stats = measure_leg(measure, 0)};
	struct tables tables = {.version = "1", .legs = &leg, .leg_count = 1};
	struct json_object *object, *row;
	struct str text = {0};

	(void)state;
	measure_get_summary(measure, MEMO_ELAPSED, &tables.summary);
	report_json(&tables, &text);
	check_schema(str_text(&text), 0, 1, 0);
	object = json_tokener_parse(str_text(&text));
	row = json_object_array_get_idx(member(object, "legs"), 0);
	assert_string_equal(json_object_get_string(member(row, "percent")),
			    "39.24");
	assert_int_equal(json_object_get_int64(member(row, "total_ns")),
			 INT64_C(27328536000));
	assert_string_equal(
		json_object_get_string(
			member(member(object, "summary"), "overhead_percent")),
		"3.62");
	json_object_put(object);
	str_deinit(&text);
	measure_destroy(measure);
}

/* A mean below the resolution says nothing, so it is not there. */
static void json_below_resolution(void **state)
{
	struct measure_leg stats = {.count = 2, .mean = 5, .total = 10};
	struct report_leg leg = {.stats = &stats, .below_resolution = true};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct tables tables = {.version = "1", .legs = &leg, .leg_count = 1};
	struct json_object *object, *row;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&hdr, true, &stats.record));
	report_json(&tables, &text);
	check_schema(str_text(&text), 0, 1, 0);
	object = json_tokener_parse(str_text(&text));
	row = json_object_array_get_idx(member(object, "legs"), 0);
	assert_null(member(row, "mean_ns"));
	assert_true(json_object_get_boolean(member(row, "below_resolution")));
	json_object_put(object);
	str_deinit(&text);
	histogram_destroy(stats.record);
}

static void json_single_histogram(void **state)
{
	const struct histogram_spec spec = {
		.class = HISTOGRAM_LOG, .buckets = 2, .scale = 1};
	struct histogram *histogram = NULL;
	struct json_object *object;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&spec, false, &histogram));
	histogram_add(histogram, value_unsigned(3));
	report_histogram_json(histogram, false, 9, &text);
	object = json_tokener_parse(str_text(&text));
	check_object(object, histogram_rules);
	check_each(member(object, "buckets"), bucket_rules, 2);
	assert_int_equal(json_object_get_int(member(object, "id")), 9);
	json_object_put(object);
	str_deinit(&text);
	report_histogram_csv(histogram, false, 9, &text);
	assert_string_equal(
		str_text(&text),
		"of,id,class,scale,base,references,sum,average,underflow,"
		"overflow,from,to,count\n"
		"node,9,log,1,0,1,3,3,0,0,0,2,0\n"
		"node,9,log,1,0,1,3,3,0,0,2,4,1\n");
	str_deinit(&text);
	histogram_destroy(histogram);
}

/* Names are bytes; JSON is UTF-8. What is none becomes U+FFFD, byte by byte. */
static void json_of_bad_names(void **state)
{
	static const struct {
		const char *name, *wanted;
	} cases[] = {
		{"\x80", "\xef\xbf\xbd"},
		{"a\xc3", "a\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}, /* too long */
		{"\xed\xa0\x80",                          /* a surrogate */
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe2\x82\xac\xf0\x9f\x98\x80", /* as it should be */
		 "\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"\xf5z", "\xef\xbf\xbdz"},
		{"\x01\"\\/\n", "\x01\"\\/\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct tables tables = {.version = cases[i].name};
		struct str text = {0};
		struct json_object *object;

		report_json(&tables, &text);
		object = json_tokener_parse(str_text(&text));
		assert_non_null(object);
		assert_string_equal(
			json_object_get_string(member(object, "perftool")),
			cases[i].wanted);
		json_object_put(object);
		str_deinit(&text);
	}
}

/* What JSON has no number for, and what has no buckets. */
static void infinite_sums(void **state)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct histogram *histogram = NULL;
	struct json_object *object;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&hdr, false, &histogram));
	report_histogram_csv(histogram, false, 2, &text);
	assert_non_null(
		strstr(str_text(&text), "\nnode,2,hdr,,,0,0,,0,0,,,\n"));
	str_deinit(&text);
	histogram_add(histogram, value_float(HUGE_VAL));
	report_histogram_json(histogram, false, 2, &text);
	object = json_tokener_parse(str_text(&text));
	assert_null(member(object, "sum"));
	assert_null(member(object, "average"));
	assert_int_equal(json_object_get_int(member(object, "overflow")), 1);
	json_object_put(object);
	str_deinit(&text);
	histogram_destroy(histogram);
}

/* ---- CSV ------------------------------------------------------------ */

static void csv_of_everything(void **state)
{
	struct everything all;
	struct str text = {0};

	(void)state;
	everything_init(&all);
	report_csv(&all.tables, PART_NODES, &text);
	golden_check("everything-nodes.csv", str_text(&text));
	str_deinit(&text);
	report_csv(&all.tables, PART_LEGS, &text);
	golden_check("everything-legs.csv", str_text(&text));
	str_deinit(&text);
	report_csv(&all.tables, PART_HISTOGRAMS, &text);
	golden_check("everything-histograms.csv", str_text(&text));
	str_deinit(&text);
	everything_deinit(&all);
}

/* The header row is there without any other. */
static void csv_of_nothing(void **state)
{
	const struct tables tables = {.version = NULL};
	struct str text = {0};

	(void)state;
	report_csv(&tables, PART_NODES, &text);
	report_csv(&tables, PART_LEGS, &text);
	report_csv(&tables, PART_HISTOGRAMS, &text);
	assert_string_equal(
		str_text(&text),
		"id,kind,location,function,file,line,module,addresses,"
		"condition,count,errors,mechanism,deleted\n"
		"id,from,to,owner,match,count,ignored_from,ignored_to,"
		"unwound,discarded,open,total_ns,cpu_ns,mean_ns,min_ns,"
		"max_ns,stddev_ns,p50_ns,p90_ns,p99_ns,p999_ns,percent,"
		"below_resolution\n"
		"of,id,class,scale,base,references,sum,average,underflow,"
		"overflow,from,to,count\n");
	str_deinit(&text);
}

/* ---- executions ----------------------------------------------------- */

static const struct execution rows[] = {
	{.leg = 3,
	 .pid = 7,
	 .tid = 8,
	 .start = 1234567,
	 .duration = 987654,
	 .key = {.kind = VALUE_SIGNED, .i = -1},
	 .value = {.kind = VALUE_FLOAT, .f = 0.5}},
	{.leg = 4,
	 .pid = 7,
	 .tid = 9,
	 .start = UINT64_C(1) << 60,
	 .duration = -12,
	 .value = {.kind = VALUE_UNSIGNED, .u = UINT64_MAX}},
};

static void slowest(void **state)
{
	struct str text = {0};

	(void)state;
	report_slowest_csv(rows, 2, &text);
	assert_string_equal(
		str_text(&text),
		"leg,pid,tid,start_ns,duration_ns,key,value\n"
		"3,7,8,1234567,987654,-1,0.5\n"
		"4,7,9,1152921504606846976,-12,,18446744073709551615\n");
	str_deinit(&text);
	report_slowest_json(rows, 2, &text);
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

static void trace_csv(void **state)
{
	char *text = traced(TRACE_CSV, 2);

	(void)state;
	assert_string_equal(text,
			    "leg,name,pid,tid,start_ns,duration_ns,key,value\n"
			    "3,1->2,7,8,1234567,987654,-1,0.5\n"
			    "4,\"f, \"\"g\"\"\",7,9,1152921504606846976,-12,,"
			    "18446744073709551615\n");
	free(text);
}

/* What a reader of the format needs: pairs of b and e with one id. */
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
}

static void trace_chrome(void **state)
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

static void trace_to_a_full_disk(void **state)
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
		cmocka_unit_test(json_of_everything),
		cmocka_unit_test(json_of_nothing),
		cmocka_unit_test(json_of_the_memo),
		cmocka_unit_test(json_below_resolution),
		cmocka_unit_test(json_single_histogram),
		cmocka_unit_test(json_of_bad_names),
		cmocka_unit_test(infinite_sums),
		cmocka_unit_test(csv_of_everything),
		cmocka_unit_test(csv_of_nothing),
		cmocka_unit_test(slowest),
		cmocka_unit_test(trace_csv),
		cmocka_unit_test(trace_chrome),
		cmocka_unit_test(trace_to_a_full_disk),
	};

	return cmocka_run_group_tests_name("report_json", tests, NULL, NULL);
}
