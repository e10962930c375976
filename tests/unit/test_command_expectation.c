/*
 * test_command_expectation.c - the language of `expect': the errors for texts
 * that are wrong, what is true of given tables, and what Tab offers
 *
 * tier: core
 * covers: command/expect
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "command/expect/expectation.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"

/* ---- the tables ---------------------------------------------------------- */

static struct measure_node nodes[] = {
	{.id = 1, .count = 3},
	{.id = 20, .count = UINT64_MAX},
};
static struct measure_leg legs[] = {
	/* three executions: 1 us, 2 us, 3.004 ms */
	{.id = 0,
	 .count = 3,
	 .open = 1,
	 .total = 3007000,
	 .min = 1000,
	 .max = 3004000,
	 .mean = 3007000 / 3.0},
	{.id = 1},
	{.id = 2, .count = 5},
	{.id = 3, .count = 6},
	{.id = 7, .count = 2, .interrupted = 2, .total = 10, .mean = 5},
	{.id = 8, .count = 10, .total = -40, .max = 12, .mean = -4},
};
static const struct report_node report_nodes[] = {
	{.stats = &nodes[0]},
	{.stats = &nodes[1]},
};
static const struct report_leg report_legs[] = {
	{.stats = &legs[0], .name = "work"},
	{.stats = &legs[1], .name = "begin -> finish"},
	{.stats = &legs[2], .name = "twin"},
	{.stats = &legs[3], .name = "twin"},
	{.stats = &legs[4], .name = "op \"x\\y\""},
	{.stats = &legs[5],
	 .name = "tiny",
	 .below_resolution = true,
	 .resolution = 30},
};
static const struct tables tables = {
	.nodes = report_nodes,
	.node_count = sizeof(report_nodes) / sizeof(*report_nodes),
	.legs = report_legs,
	.leg_count = sizeof(report_legs) / sizeof(*report_legs),
};

static int make_records(void **state)
{
	static const int64_t times[] = {1000, 2000, 3004000};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};

	(void)state;
	for (size_t i = 0; i < sizeof(legs) / sizeof(*legs); i++)
		assert_null(histogram_create(&hdr, true, &legs[i].record));
	for (size_t i = 0; i < 3; i++)
		histogram_add_signed(legs[0].record, times[i]);
	return 0;
}

static int destroy_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(legs) / sizeof(*legs); i++)
		histogram_destroy(legs[i].record);
	return 0;
}

/* ---- what is wrong with a text ------------------------------------------- */

static void test_wrong_expectation_gives_an_error(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "column 1: a value is missing at the end"},
		{"(", "column 2: a value is missing at the end"},
		{"(1 < 2", "column 7: `)' is missing at the end"},
		{"1 < 2)", "column 6: an operator is missing before `)'"},
		{"1 2", "column 3: an operator is missing before `2'"},
		{"1 <", "column 4: a value is missing at the end"},
		{"< 1", "column 1: a value is missing before `<'"},
		{"1 + * 2", "column 5: a value is missing before `*'"},
		{"\"a\" == 1", "column 1: a value is missing before `\"a\"'"},
		{"1 ? 2", "column 3: an operator is missing before `?'"},
		{"\xc2\xb5 < 1",
		 "column 1: a value is missing before `\xc2\xb5'"},
		{"1 = 2", "column 3: `=' is not an operator here; use `=='"},
		{"1 & 2", "column 3: `&' is not an operator here; use `&&'"},
		{"1 | 2", "column 3: `|' is not an operator here; use `||'"},
		{"3mz < 4", "column 1: `3mz' is neither a number nor a time "
			    "(3ms, 1.5us, 200ns, 2s)"},
		{"1 < 3ms5", "column 5: `3ms5' is neither a number nor a time "
			     "(3ms, 1.5us, 200ns, 2s)"},
		{"1e99999", "column 1: `1e99999' is neither a number nor a "
			    "time (3ms, 1.5us, 200ns, 2s)"},
		{"3 ms < 4", "column 3: an operator is missing before `ms'"},
		{"lge(0).min", "column 1: `lge' is not known; there are "
			       "leg(N), leg(\"NAME\") and node(N)"},
		{"leg", "column 4: `(' is missing at the end"},
		{"leg.min", "column 4: `(' is missing before `.'"},
		{"leg(", "column 5: a leg's number or name is missing at the "
			 "end"},
		{"leg().min", "column 5: a leg's number or name is missing "
			      "before `)'"},
		{"leg(-1).min", "column 5: a leg's number or name is missing "
				"before `-'"},
		{"leg(1.5).min", "column 5: `1.5' is not a leg number"},
		{"leg(99999999999).min",
		 "column 5: `99999999999' is not a leg number"},
		{"leg(work).min", "column 5: a leg's name stands in quotes: "
				  "leg(\"work\")"},
		{"leg(\"work).min",
		 "column 5: the \" that ends the name is missing"},
		{"leg('work\\').min",
		 "column 5: the ' that ends the name is missing"},
		{"node(\"work\").count",
		 "column 6: a node is given by its number"},
		{"node().count",
		 "column 6: a node's number is missing before `)'"},
		{"leg(0", "column 6: `)' is missing at the end"},
		{"leg(0) < 3", "column 1: leg(0) is a whole leg; name one of "
			       "its figures: .count "
			       ".total .mean .min .max .p50 .p90 .p99 .p999 "
			       ".open"},
		{"leg(0).p95 < 3", "column 8: a leg has no `.p95'; it has "
				   ".count .total .mean .min .max .p50 .p90 "
				   ".p99 .p999 .open"},
		{"node(1) > 0",
		 "column 1: node(1) is a whole node; name one of its figures: "
		 ".count"},
		{"node(1).mean > 0", "column 9: a node has no `.mean'; it has "
				     ".count"},
		{"1 < 2 < 3", "column 7: one comparison cannot follow another; "
			      "write a < b && b < c"},
		{"1 < 2 == 3", "column 7: one comparison cannot follow "
			       "another; write a < b && b < c"},
		{"(1 < 2) < 3",
		 "column 1: `(1 < 2)' is true or false, and not a number"},
		{"1 + !leg(0).open", "column 5: `!leg(0).open' is true or "
				     "false, and not a number"},
		{"-(1 < 2)",
		 "column 2: `(1 < 2)' is true or false, and not a number"},
		{"leg(0).count < 3ms",
		 "column 1: leg(0).count is not a time, and 3ms is"},
		{"3ms == node(1).count * 2",
		 "column 8: node(1).count * 2 is not a time, and 3ms is"},
		{"leg(0).open + leg(0).min > 0",
		 "column 1: leg(0).open is not a time, and leg(0).min is"},
		{"leg(0).count / leg(0).min > 0",
		 "column 1: leg(0).count is not a time, and leg(0).min is"},
		{"leg(0).min * 3ms > 0",
		 "column 14: a time multiplied by a time is not a time"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct expectation expectation;
		struct error *error =
			expectation_parse(cases[i].text, &expectation);

		if (!error)
			fail_msg("`%s' is not wrong", cases[i].text);
		if (!str_equal(error_message(error), cases[i].message))
			fail_msg("of `%s' it is said: %s", cases[i].text,
				 error_message(error));
		assert_int_equal(error_code(error), ERROR_USAGE);
		error_destroy(error);
	}
}

/* A text may be very long, or nested very deep. */
static void test_deep_nesting_is_refused_but_length_is_not(void **state)
{
	static const char *const again[] = {"(", "!", "-", "1+(", "1*-"};
	struct expectation expectation;
	struct str sum = {0};
	bool met = false;

	(void)state;
	for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++) {
		struct str text = {0};
		struct error *error;

		for (size_t j = 0; j < 20000; j++)
			str_append(&text, again[i]);
		error = expectation_parse(str_text(&text), &expectation);
		assert_non_null(error);
		if (i < 4)
			assert_non_null(strstr(error_message(error),
					       "nested too deeply"));
		error_destroy(error);
		str_deinit(&text);
	}
	str_append(&sum, "1");
	for (size_t j = 0; j < 20000; j++)
		str_append(&sum, "+1");
	str_append(&sum, "==20001");
	assert_null(expectation_parse(str_text(&sum), &expectation));
	str_deinit(&sum);
	assert_null(expectation_check(&expectation, &tables, &met, &sum));
	assert_true(met);
	expectation_deinit(&expectation);
	str_deinit(&sum);
}

/* ---- what is true -------------------------------------------------------- */

/* Check the text. Returns an error or NULL. `found' becomes what the tool tells
 * the user. */
static struct error *check(const char *text, bool *met, struct str *found)
{
	struct expectation expectation;
	struct error *error = expectation_parse(text, &expectation);

	if (error)
		fail_msg("`%s': %s", text, error_message(error));
	error = expectation_check(&expectation, &tables, met, found);
	expectation_deinit(&expectation);
	return error;
}

static void check_truth(const char *text, bool wanted)
{
	struct str found = {0};
	struct error *error;
	bool met = !wanted;

	error = check(text, &met, &found);
	if (error)
		fail_msg("`%s': %s", text, error_message(error));
	if (met != wanted)
		fail_msg("`%s' is %s: %s", text, met ? "met" : "not met",
			 str_text(&found));
	str_deinit(&found);
}

static void test_true_expectations_are_met(void **state)
{
	static const char *const texts[] = {
		"leg(0).count == 3",
		"leg(\"work\").count == 3",
		"leg('work').count == 3",
		"LEG ( 0 ) . Count == 3",
		"leg(\"begin -> finish\").count == 0",
		"leg(\"op \\\"x\\\\y\\\"\").count == 2",
		"leg('op \"x\\\\y\"').count == 2",
		"node(1).count == leg(0).count",
		"node(24B).count > 5",
		"leg(0).open == 1",
		"leg(0).min == 1us",
		"leg(0).min == 1000",
		"leg(0).min >= 0.001ms && leg(0).min <= .000001s",
		"leg(0).max == 3ms+4us",
		"leg(0).max > 3ms",
		"leg(0).max < 1m",
		"leg(0).total == 3.007ms",
		"leg(0).total / leg(0).count > 1ms",
		"leg(0).total / 3 == leg(0).total / leg(0).count",
		"leg(0).mean * 2 < leg(0).max",
		"leg(0).max / leg(0).min == 3004",
		"leg(0).p50 < 3us && leg(0).p50 >= 1us",
		"leg(0).p99 > 3ms && leg(0).p90 > 3ms && leg(0).p999 > 3ms",
		"leg(0).max - leg(0).min == 3003us",
		"-leg(0).min < 0",
		"1 + 2 * 3 == 7",
		"(1 + 2) * 3 == 9",
		"7 - 2 - 1 == 4",
		"12 / 3 / 2 == 2",
		"1 < 2 || 1 < 0 && 1 < 0",
		"!(1 > 2)",
		"!0",
		"!!5",
		"1 != 2",
		"leg(0).count",
		"1h30m == 90min",
		"node(20).count == 18446744073709551615",
		"node(20).count - 1 < node(20).count",
		/* a figure that is not known does not matter if the result does
		   not depend on it */
		"leg(1).count == 0 || leg(1).mean < 3ms",
		"leg(1).mean < 3ms || leg(1).count == 0",
		"!(leg(1).mean < 3ms && 1 > 2)",
		/* the mean is below the resolution of 30 ns */
		"leg(8).mean < 3ms",
		"leg(8).mean < 31",
		"leg(8).mean >= 0",
		"leg(8).total < 301",
		"leg(8).mean * 2 < 61",
		"leg(8).mean + 1us > 999ns",
		"100 / (leg(8).mean + 1) > 3",
		"!(leg(8).mean == 31)",
		"leg(8).max == 12",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check_truth(texts[i], true);
}

static void test_untrue_expectations_tell_the_figures(void **state)
{
	static const struct {
		const char *text, *found;
	} cases[] = {
		{"leg(\"work\").max <= 3ms", "leg(\"work\").max is 3004000ns"},
		{"leg(\"work\").max < 3ms", "leg(\"work\").max is 3.00ms"},
		{"leg(\"work\").p99 < 1ms", "leg(\"work\").p99 is 3.00ms"},
		{"leg(0).mean == 1ms", "leg(0).mean is 1002333.33333333ns"},
		{"leg(0).mean < 1us", "leg(0).mean is 1.00ms"},
		{"leg(0).count > 3", "leg(0).count is 3"},
		{"node(20).count == 18446744073709551614",
		 "node(20).count is 18,446,744,073,709,551,615"},
		{"leg( 0 ).count>3 || leg(0).min<1",
		 "leg( 0 ).count is 3, leg(0).min is 1.00us"},
		{"leg(0).min > 5us && leg(0).min < 9us",
		 "leg(0).min is 1.00us"},
		{"!leg(0).count", "leg(0).count is 3"},
		{"0", "the expression is never true"},
		{"2 < 1", "the expression is never true"},
		{"leg(1).p99 < 3ms", "leg(1) has not been executed"},
		{"leg(1).p99 < 3ms && leg(1).mean < 3ms",
		 "leg(1) has not been executed"},
		{"!(leg(1).total > 3ms)", "leg(1) has not been executed"},
		{"leg(1).min < 3ms || leg(0).count == 4",
		 "leg(1) has not been executed, leg(0).count is 3"},
		{"leg(7).max < 3ms",
		 "leg(7).max is not known, because the program "
		 "was stopped during all executions"},
		{"leg(7).mean > 5", "leg(7).mean is 5ns"},
		{"leg(8).mean < 20ns",
		 "leg(8).mean is less than 30ns, and not known more exactly"},
		{"leg(8).mean > 0",
		 "leg(8).mean is less than 30ns, and not known more exactly"},
		{"leg(8).total < 299",
		 "leg(8).total is less than 300ns, and not known more exactly"},
		{"leg(8).mean == leg(8).mean",
		 "leg(8).mean is less than 30ns, and not known more exactly"},
		{"1 / leg(8).mean > 0",
		 "leg(8).mean is less than 30ns, and not known more exactly"},
		{"leg(1).count / leg(1).count < 1",
		 "leg(1).count is 0, the result is not a number (a division by "
		 "0?)"},
		{"1 / 0 > 0", "the result is not a number (a division by 0?)"},
		{"1e4000 * 1e4000 > 1",
		 "the result is not a number (a division by 0?)"},
		{"1e4000 * 1e4000 - 1e4000 * 1e4000 == 0",
		 "the result is not a number (a division by 0?)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str found = {0};
		bool met = true;

		assert_null(check(cases[i].text, &met, &found));
		if (met || !str_equal(str_text(&found), cases[i].found))
			fail_msg("`%s' is %s: %s", cases[i].text,
				 met ? "met" : "not met", str_text(&found));
		str_deinit(&found);
	}
}

/* The tool tells the figures also for an expectation that is met. */
static void test_met_expectation_tells_the_figures(void **state)
{
	struct str found = {0};
	bool met = false;

	(void)state;
	assert_null(check("leg(0).max < 1s && 1 < 2", &met, &found));
	assert_true(met);
	assert_string_equal(str_text(&found), "leg(0).max is 3.00ms");
	str_deinit(&found);
	assert_null(check("1 < 2", &met, &found));
	assert_string_equal(str_text(&found), "the expression is always true");
	str_deinit(&found);
}

/* ---- legs and nodes that are not there ----------------------------------- */

static void check_missing(const char *text, const char *message)
{
	struct str found = {0};
	bool met = false;
	struct error *error = check(text, &met, &found);

	if (!error)
		fail_msg("`%s' is no error", text);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
	str_deinit(&found);
}

static void test_missing_legs_and_nodes_are_errors(void **state)
{
	static const struct tables none;
	struct expectation expectation;
	struct str found = {0};
	struct error *error;
	bool met;

	(void)state;
	check_missing("leg(\"wrok\").p99 < 3ms",
		      "there is no leg(\"wrok\"): did you mean \"work\"?");
	check_missing("leg(\"finish\").p99 < 3ms",
		      "there is no leg(\"finish\"): did you mean \"begin -> "
		      "finish\"?");
	check_missing("leg(\"nothing\").p99 < 3ms",
		      "there is no leg(\"nothing\"): `print legs' lists the "
		      "legs");
	check_missing("leg(\"\").p99 < 3ms",
		      "there is no leg(\"\"): `print legs' lists the "
		      "legs");
	check_missing("leg(4).p99 < 3ms", "there is no leg(4): `print legs' "
					  "lists the legs");
	check_missing("node(2).count > 0", "there is no node(2): `print nodes' "
					   "lists the nodes");
	/* a leg that does not exist is an error even if the result does not
	 * depend on it */
	check_missing("1 < 2 || leg(4).count", "there is no leg(4): `print "
					       "legs' lists the legs");
	check_missing("leg(\"twin\").count > 0",
		      "leg(\"twin\") is ambiguous: leg(2), leg(3) have the "
		      "name");
	assert_null(expectation_parse("leg(\"work\").count", &expectation));
	error = expectation_check(&expectation, &none, &met, &found);
	assert_string_equal(error_message(error),
			    "there is no leg(\"work\"): there are no legs");
	error_destroy(error);
	expectation_deinit(&expectation);
	assert_null(expectation_parse("node(1).count", &expectation));
	error = expectation_check(&expectation, &none, &met, &found);
	assert_string_equal(error_message(error),
			    "there is no node(1): there are no nodes");
	error_destroy(error);
	expectation_deinit(&expectation);
}

/* ---- completion ---------------------------------------------------------- */

static const struct tables *get_tables(void *context)
{
	(*(unsigned *)context)++;
	return &tables;
}

static void test_tab_offers_what_can_follow(void **state)
{
#define OPERATORS "<= >= == != && || < > + - * /"
	static const struct {
		const char *text, *offers;
		size_t start;
	} cases[] = {
		{"", "leg( node(", 0},
		{"l", "leg(", 0},
		{"NO", "node(", 0},
		{"x", "", 0},
		{"(", "leg( node(", 1},
		{"!le", "leg(", 1},
		{"1 <", "leg( node(", 3},
		{"1 < ", "leg( node(", 4},
		{"1 < n", "node(", 4},
		{"node(", "1). 20).", 5},
		{"node(2", "20).", 5},
		{"leg(7", "7).", 4},
		{"leg(\"w", "\"work\").", 4},
		{"leg( 'b", "'begin -> finish').", 5},
		{"leg(\"begin -", "\"begin -> finish\").", 4},
		{"leg(\"op ", "\"op \\\"x\\\\y\\\"\").", 4},
		{"leg('op ", "'op \"x\\\\y\"').", 4},
		{"leg(0).", "count total mean min max p50 p90 p99 p999 open",
		 7},
		{"leg(0).m", "mean min max", 7},
		{"1<2&&leg(\"a.b\").p9", "p90 p99 p999", 16},
		{"node(1).", "count", 8},
		{"node(1).t", "", 8},
		{"x(1).", "", 5},
		{".", "", 1},
		{"leg(0).count ", OPERATORS, 13},
		{"leg(0)", OPERATORS, 6},
		{"3ms ", OPERATORS, 4},
		{"3ms x", "", 4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct words words = {0};
		struct str text = {0};
		unsigned asked = 0;
		size_t start = 99;

		expectation_complete(cases[i].text, get_tables, &asked, &start,
				     &words);
		for (size_t j = 0; j < words.count; j++)
			str_printf(&text, "%s%s", j ? " " : "", words.data[j]);
		if (!str_equal(str_text(&text), cases[i].offers) ||
		    start != cases[i].start)
			fail_msg("`%s' offers `%s' at %zu", cases[i].text,
				 str_text(&text), start);
		if (asked && !strstr(cases[i].text, "("))
			fail_msg("`%s' asks for tables", cases[i].text);
		words_deinit(&words);
		str_deinit(&text);
	}
}

/* ---- random texts -------------------------------------------------------- */

/* A text that can be parsed can be checked, and the tool tells something of it.
 * Any text can be completed. */
static void try_text(const char *text, unsigned *good)
{
	struct expectation expectation;
	struct error *error = expectation_parse(text, &expectation);
	struct words words = {0};
	unsigned asked = 0;
	size_t start = 0;

	if (!error) {
		struct str found = {0};
		bool met = false;

		error = expectation_check(&expectation, &tables, &met, &found);
		if (!error && !found.length)
			fail_msg("nothing is told of `%s'", text);
		*good += !error;
		str_deinit(&found);
		expectation_deinit(&expectation);
	}
	if (error)
		assert_true(*error_message(error) != '\0');
	error_destroy(error);
	expectation_complete(text, get_tables, &asked, &start, &words);
	assert_true(start <= strlen(text));
	words_deinit(&words);
}

static void test_random_expectations_do_not_crash(void **state)
{
	static const char *const pieces[] = {
		"leg(0)",     ".min",  "node(1).count",
		"leg",        "(",     ")",
		"\"work\"",   "'tiny", "leg(8).mean",
		"0",          "3ms",   "1e9",
		"<",          "==",    "&&",
		"||",         "!",     "-",
		"+",          "*",     "/",
		".p99",       "\\",    "\"",
		"leg(1).max",
	};
	const unsigned count = sizeof(pieces) / sizeof(*pieces);
	unsigned seed = 1, good = 0;

	(void)state;
	for (int i = 0; i < 50000; i++) {
		unsigned length = (unsigned)rand_r(&seed) % 9;
		struct str text = {0};

		for (unsigned k = 0; k < length; k++) {
			unsigned r = (unsigned)rand_r(&seed);

			if (r % 16)
				str_append(&text, pieces[r / 16 % count]);
			else
				str_append_char(&text,
						(char)(r / 16 % 255 + 1));
		}
		try_text(str_text(&text), &good);
		str_deinit(&text);
	}
	assert_true(good > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrong_expectation_gives_an_error),
		cmocka_unit_test(
			test_deep_nesting_is_refused_but_length_is_not),
		cmocka_unit_test_setup_teardown(test_true_expectations_are_met,
						make_records, destroy_records),
		cmocka_unit_test_setup_teardown(
			test_untrue_expectations_tell_the_figures, make_records,
			destroy_records),
		cmocka_unit_test_setup_teardown(
			test_met_expectation_tells_the_figures, make_records,
			destroy_records),
		cmocka_unit_test(test_missing_legs_and_nodes_are_errors),
		cmocka_unit_test(test_tab_offers_what_can_follow),
		cmocka_unit_test_setup_teardown(
			test_random_expectations_do_not_crash, make_records,
			destroy_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
