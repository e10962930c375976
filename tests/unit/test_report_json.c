/*
 * test_report_json.c - the tables as JSON, compared with the schema
 *
 * tier: core
 * covers: report/records
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "golden.h"
#include "json_member.h"
#include "memo_session.h"
#include "perftool/base/utf8.h"
#include "perftool/document.h"
#include "perftool/measure/measured_legs.h"
#include "report_everything.h"

/* ---- the schema ----------------------------------------------------- */

/*
 * A field and the types that it may have: b bool, n number, s string, i integer
 * or decimal string, x list of hex strings, l list of strings, o object or
 * list. "?" means that the field may also be null.
 */
struct rule {
	const char *name, *types;
};

static const struct rule top_rules[] = {
	{"schema", "n"},    {"perftool", "s"}, {"at", "s?"},
	{"started", "s?"},  {"ended", "s?"},   {"host", "s?"},
	{"kernel", "s?"},   {"cpu", "s?"},     {"rank", "n?"},
	{"interval", "o?"}, {"program", "o"},  {"clock", "o"},
	{"settings", "o"},  {"summary", "o"},  {"detail", "o?"},
	{"nodes", "o"},     {"legs", "o"},     {"histograms", "o"},
	{NULL, NULL}};
static const struct rule detail_rules[] = {{"limit_percent", "n"},
					   {"cost_percent", "n"},
					   {"nodes_percent", "n"},
					   {"pauses_percent", "n"},
					   {"sampling_percent", "n"},
					   {"nodes_limit_percent", "n"},
					   {"functions", "i"},
					   {"refused", "o"},
					   {NULL, NULL}};
static const struct rule refusal_rules[] = {{"function", "s"},
					    {"calls_per_second", "n"},
					    {"calls_per_cpu_second", "n"},
					    {"call_cost_ns", "n"},
					    {"cost_percent", "n"},
					    {"cost_is_least", "b"},
					    {"left_ns", "n?"},
					    {NULL, NULL}};
static const struct rule interval_rules[] = {
	{"from_ns", "i"}, {"to_ns", "i"}, {NULL, NULL}};
static const struct rule program_rules[] = {
	{"path", "s?"},        {"build_id", "s?"}, {"args", "l?"},
	{"pid", "n?"},         {"state", "s?"},    {"exit_status", "n?"},
	{"exit_signal", "n?"}, {NULL, NULL}};
static const struct rule clock_rules[] = {{"source", "s?"},
					  {"resolution_ns", "n?"},
					  {"remark", "s?"},
					  {NULL, NULL}};
static const struct rule summary_rules[] = {{"elapsed_ns", "i"},
					    {"elapsed_less_overhead_ns", "i"},
					    {"overhead_ns", "i"},
					    {"breaks", "i"},
					    {"average_overhead_ns", "n?"},
					    {"overhead_percent", "n?"},
					    {"added_overhead_ns", "i"},
					    {"passed_over", "i"},
					    {"followed", "i"},
					    {"followed_int3", "i"},
					    {"fast_hit_cost_factor", "n?"},
					    {"fast_hit_cost_samples", "i"},
					    {NULL, NULL}};
static const struct rule node_rules[] = {
	{"id", "n"},        {"kind", "s?"},        {"location", "s?"},
	{"function", "s?"}, {"file", "s?"},        {"line", "n?"},
	{"module", "s?"},   {"addresses", "x"},    {"condition", "s?"},
	{"count", "i"},     {"errors", "i"},       {"mechanism", "s?"},
	{"deleted", "b"},   {"int3_reason", "s?"}, {"made_by", "s"},
	{"by", "o?"},       {NULL, NULL}};
static const struct rule leg_rules[] = {{"id", "n"},
					{"name", "s?"},
					{"from", "n"},
					{"to", "n"},
					{"from_place", "s?"},
					{"to_place", "s?"},
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
					{"resolution_ns", "n"},
					{"total_bound_ns", "i?"},
					{"waiting_ns", "i?"},
					{"cpu_count", "i"},
					{"cpu_mean_ns", "n?"},
					{"waiting_mean_ns", "n?"},
					{"cpu_problem", "s?"},
					{"interrupted", "i"},
					{"made_by", "s"},
					{"counted", "s?"},
					{"by", "o?"},
					{"processes", "o?"},
					{"buckets", "o"},
					{NULL, NULL}};
static const struct rule by_rules[] = {{"expression", "s?"}, {"at", "s?"},
				       {"counted", "i"},     {"distinct", "i"},
				       {"overflow", "i"},    {"values", "o"},
				       {NULL, NULL}};
static const struct rule row_rules[] = {
	{"kind", "s"},     {"value", "ins?"},  {"count", "i"},
	{"percent", "n?"}, {"total_ns", "i?"}, {"mean_ns", "n?"},
	{"min_ns", "i?"},  {"max_ns", "i?"},   {"p50_ns", "n?"},
	{"p90_ns", "n?"},  {"p99_ns", "n?"},   {"interrupted", "i?"},
	{"buckets", "o?"}, {NULL, NULL}};
static const struct rule histogram_rules[] = {
	{"of", "s"},         {"id", "n"},       {"name", "s?"},
	{"class", "s"},      {"scale", "i?"},   {"base", "i?"},
	{"references", "i"}, {"sum", "in"},     {"average", "in?"},
	{"underflow", "i"},  {"overflow", "i"}, {"buckets", "o"},
	{NULL, NULL}};
static const struct rule bucket_rules[] = {
	{"from", "in"}, {"to", "in"}, {"count", "i"}, {NULL, NULL}};

static bool is_decimal(const char *text)
{
	return text[0] && strspn(text + (text[0] == '-'), "0123456789") ==
				  strlen(text + (text[0] == '-'));
}

/* Is the value an integer that is exact for every reader, or a decimal string
 * for a larger one? */
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

/* The object must have exactly these fields, in this order. */
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

static void check_each(struct json_object *array, const struct rule *rules,
		       size_t count)
{
	assert_true(json_object_is_type(array, json_type_array));
	assert_int_equal(json_object_array_length(array), count);
	for (size_t i = 0; i < count; i++)
		check_object(json_object_array_get_idx(array, i), rules);
}

static void check_splits(struct json_object *array)
{
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *by =
			member(json_object_array_get_idx(array, i), "by");

		if (!by)
			continue;
		check_object(by, by_rules);
		check_each(member(by, "values"), row_rules,
			   json_object_array_length(member(by, "values")));
	}
}

static void check_schema(const char *text, size_t nodes, size_t legs,
			 size_t histograms)
{
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *object, *list;
	struct str ascii = {0};

	assert_true(utf8_is_valid(text));
	json_append_ascii(text, &ascii);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, str_text(&ascii),
				       (int)ascii.length);
	str_deinit(&ascii);
	assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
	json_tokener_free(tokener);
	check_object(object, top_rules);
	assert_int_equal(json_object_get_int(member(object, "schema")), 1);
	check_object(member(object, "program"), program_rules);
	check_object(member(object, "clock"), clock_rules);
	check_object(member(object, "summary"), summary_rules);
	list = member(object, "detail");
	if (list) {
		check_object(list, detail_rules);
		check_each(member(list, "refused"), refusal_rules, 2);
	}
	check_each(member(object, "nodes"), node_rules, nodes);
	check_each(member(object, "legs"), leg_rules, legs);
	check_splits(member(object, "nodes"));
	check_splits(member(object, "legs"));
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

static void json_of_everything_obeys_the_schema(void **state)
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

/* The same object in one line has no newline in it. */
static void json_as_a_line_has_no_newline_inside(void **state)
{
	const struct report_interval interval = {.from = 5,
						 .to = UINT64_C(1) << 60};
	struct json_object *object, *part;
	struct str line = {0}, text = {0};
	struct everything all;

	(void)state;
	everything_init(&all);
	all.tables.interval = &interval;
	report_json(&all.tables, &text);
	report_json_line(&all.tables, &line);
	assert_ptr_equal(strchr(str_text(&line), '\n'),
			 str_text(&line) + line.length - 1);
	check_schema(str_text(&line), 3, 3, 4);
	object = json_tokener_parse(str_text(&line));
	part = json_tokener_parse(str_text(&text));
	assert_true(json_object_equal(object, part));
	json_object_put(part);
	assert_string_equal(json_object_get_string(member(object, "at")),
			    all.tables.at);
	part = member(object, "interval");
	check_object(part, interval_rules);
	assert_int_equal(json_object_get_int(member(part, "from_ns")), 5);
	assert_string_equal(json_object_get_string(member(part, "to_ns")),
			    "1152921504606846976");
	json_object_put(object);
	str_deinit(&line);
	str_deinit(&text);
	everything_deinit(&all);
}

static void json_of_nothing_obeys_the_schema(void **state)
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

static void json_has_the_figures_of_the_memo(void **state)
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

/* A mean below the resolution says nothing, so `mean_ns` is null. */
static void json_mean_below_resolution_is_null(void **state)
{
	struct measure_leg stats = {.count = 2, .mean = 5, .total = 10};
	struct report_leg leg = {
		.stats = &stats, .resolution = 6, .below_resolution = true};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct tables tables = {.version = "1", .legs = &leg, .leg_count = 1};
	struct json_object *object, *row;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&hdr, true, &stats.record));
	assert_null(histogram_create(&hdr, true, &stats.histogram));
	histogram_add(stats.histogram, value_signed(12));
	histogram_add(stats.histogram, value_signed(-2));
	report_json(&tables, &text);
	check_schema(str_text(&text), 0, 1, 1);
	object = json_tokener_parse(str_text(&text));
	row = json_object_array_get_idx(member(object, "legs"), 0);
	assert_null(member(row, "mean_ns"));
	assert_true(json_object_get_boolean(member(row, "below_resolution")));
	/* the histogram has the same signed sum as the leg, so its average is
	 * not known either */
	row = json_object_array_get_idx(member(object, "histograms"), 0);
	assert_int_equal(json_object_get_int(member(row, "sum")), 10);
	assert_null(member(row, "average"));
	json_object_put(object);
	str_deinit(&text);
	report_csv(&tables, PART_HISTOGRAMS, &text);
	assert_non_null(strstr(str_text(&text), "\nleg,0,,hdr,,,2,10,,0,0,"));
	str_deinit(&text);
	histogram_destroy(stats.histogram);
	histogram_destroy(stats.record);
}

static void check_total(const struct tables *tables, int64_t total,
			int64_t bound)
{
	struct str text = {0};
	struct json_object *object, *row, *found;

	report_json(tables, &text);
	object = json_tokener_parse(str_text(&text));
	row = json_object_array_get_idx(member(object, "legs"), 0);
	assert_int_equal(json_object_get_int64(member(row, "total_ns")), total);
	found = member(row, "total_bound_ns");
	if (bound)
		assert_int_equal(json_object_get_int64(found), bound);
	else
		assert_null(found);
	json_object_put(object);
	str_deinit(&text);
}

/* The total is the signed estimate, which can be added up. If the tables print
 * only a bound of it, this bound is there, too. */
static void json_totals_are_signed_and_have_a_bound(void **state)
{
	struct measure_leg stats = {
		.count = 2000, .mean = -1.5, .total = -3000};
	struct report_leg leg = {
		.stats = &stats, .resolution = 6.5, .below_resolution = true};
	struct tables tables = {.version = "1", .legs = &leg, .leg_count = 1};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};

	(void)state;
	assert_null(histogram_create(&hdr, true, &stats.record));
	check_total(&tables, -3000, 13000);
	stats.total = 3000;
	check_total(&tables, 3000, 0);
	/* most of the time was subtracted for hits inside */
	stats.inside = 40000;
	check_total(&tables, 3000, 13000);
	leg.below_resolution = false;
	check_total(&tables, 3000, 0);
	histogram_destroy(stats.record);
}

/* The settings become the fields of an object. Their names can have blanks. */
static void json_settings_are_fields_of_an_object(void **state)
{
	static const struct report_setting settings[] = {{"follow fork", "on"},
							 {"format", "json"}};
	const struct tables tables = {
		.version = "1", .settings = settings, .setting_count = 2};
	struct json_object *object, *list;
	struct str text = {0};

	(void)state;
	report_json(&tables, &text);
	check_schema(str_text(&text), 0, 0, 0);
	object = json_tokener_parse(str_text(&text));
	list = member(object, "settings");
	assert_int_equal(json_object_object_length(list), 2);
	assert_string_equal(json_object_get_string(member(list, "follow fork")),
			    "on");
	assert_string_equal(json_object_get_string(member(list, "format")),
			    "json");
	json_object_put(object);
	str_deinit(&text);
}

/* `counted` says by which mechanism the ends of the executions were noticed. */
static void json_counted_names_the_mechanisms(void **state)
{
	enum { FAST = 1 << HIT_FAST, INT3 = 1 << HIT_INT3 };
	static const struct {
		uint64_t fast, int3, both;
		const char *wanted; /* NULL: the field is null */
	} cases[] = {{0, 0, 0, NULL},         {3, 0, 0, "ring"},
		     {0, 3, 0, "tool"},       {0, 0, 3, "ring, tool"},
		     {2, 1, 0, "ring, tool"}, {2, 0, 1, "ring, tool"},
		     {0, 1, 2, "ring, tool"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
		struct measure_leg stats = {
			.count = cases[i].fast + cases[i].int3 + cases[i].both};
		const struct report_leg leg = {.stats = &stats};
		const struct tables tables = {
			.version = "1", .legs = &leg, .leg_count = 1};
		struct json_object *object, *row;
		struct str text = {0};
		const char *got;

		stats.by_mechanisms[FAST] = cases[i].fast;
		stats.by_mechanisms[INT3] = cases[i].int3;
		stats.by_mechanisms[FAST | INT3] = cases[i].both;
		assert_null(histogram_create(&hdr, true, &stats.record));
		report_json(&tables, &text);
		object = json_tokener_parse(str_text(&text));
		row = json_object_array_get_idx(member(object, "legs"), 0);
		got = json_object_get_string(member(row, "counted"));
		if (cases[i].wanted)
			assert_string_equal(got, cases[i].wanted);
		else
			assert_null(got);
		json_object_put(object);
		str_deinit(&text);
		histogram_destroy(stats.record);
	}
}

static void single_histogram_has_json_and_csv(void **state)
{
	const struct histogram_spec spec = {
		.class = HISTOGRAM_LOG, .buckets = 2, .scale = 1};
	struct histogram *histogram = NULL;
	struct json_object *object;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&spec, false, &histogram));
	histogram_add(histogram, value_unsigned(3));
	report_histogram_json(
		&(struct report_histogram){histogram, false, 9, 0, NULL},
		&text);
	object = json_tokener_parse(str_text(&text));
	check_object(object, histogram_rules);
	check_each(member(object, "buckets"), bucket_rules, 2);
	assert_int_equal(json_object_get_int(member(object, "id")), 9);
	json_object_put(object);
	str_deinit(&text);
	report_histogram_csv(
		&(struct report_histogram){histogram, false, 9, 0, NULL},
		&text);
	assert_string_equal(
		str_text(&text),
		"of,id,name,class,scale,base,references,sum,average,underflow,"
		"overflow,from,to,count\n"
		"node,9,,log,1,0,1,3,3,0,0,0,2,0\n"
		"node,9,,log,1,0,1,3,3,0,0,2,4,1\n");
	str_deinit(&text);
	histogram_destroy(histogram);
}

/* Names are bytes, and JSON is UTF-8. Each byte that is not part of a valid
 * sequence becomes U+FFFD. */
static void json_replaces_invalid_bytes_of_names(void **state)
{
	static const struct {
		const char *name, *wanted;
	} cases[] = {
		{"\x80", "\xef\xbf\xbd"},
		{"a\xc3", "a\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"}, /* the code has a
							     shorter sequence */
		{"\xed\xa0\x80",                          /* a surrogate */
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xe2\x82\xac\xf0\x9f\x98\x80", /* valid sequences */
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

/* A histogram without values, and one whose sum is infinite, for which JSON has
 * no number. */
static void json_has_null_for_an_infinite_sum(void **state)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct histogram *histogram = NULL;
	struct json_object *object;
	struct str text = {0};

	(void)state;
	assert_null(histogram_create(&hdr, false, &histogram));
	report_histogram_csv(
		&(struct report_histogram){histogram, false, 2, 0, NULL},
		&text);
	assert_non_null(
		strstr(str_text(&text), "\nnode,2,,hdr,,,0,0,,0,0,,,\n"));
	str_deinit(&text);
	histogram_add(histogram, value_float(HUGE_VAL));
	report_histogram_json(
		&(struct report_histogram){histogram, false, 2, 0, NULL},
		&text);
	object = json_tokener_parse(str_text(&text));
	assert_null(member(object, "sum"));
	assert_null(member(object, "average"));
	assert_int_equal(json_object_get_int(member(object, "overflow")), 1);
	json_object_put(object);
	str_deinit(&text);
	histogram_destroy(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json_of_everything_obeys_the_schema),
		cmocka_unit_test(json_as_a_line_has_no_newline_inside),
		cmocka_unit_test(json_of_nothing_obeys_the_schema),
		cmocka_unit_test(json_has_the_figures_of_the_memo),
		cmocka_unit_test(json_mean_below_resolution_is_null),
		cmocka_unit_test(json_totals_are_signed_and_have_a_bound),
		cmocka_unit_test(json_settings_are_fields_of_an_object),
		cmocka_unit_test(json_counted_names_the_mechanisms),
		cmocka_unit_test(single_histogram_has_json_and_csv),
		cmocka_unit_test(json_replaces_invalid_bytes_of_names),
		cmocka_unit_test(json_has_null_for_an_infinite_sum),
	};

	return cmocka_run_group_tests_name("report_json", tests, NULL, NULL);
}
