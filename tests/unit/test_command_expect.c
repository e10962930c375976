/*
 * test_command_expect.c - the command `expect': the tool checks an expectation
 * at once, or keeps it until the run has ended
 *
 * tier: core
 * covers: command/expect
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_streams.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/session/user_interface.h"

/* What the session has told the user. */
static struct str notes;

static void note(void *context, const char *text)
{
	(void)context;
	str_printf(&notes, "%s\n", text);
}

static const struct session_ui noting = {.note = note};

static void begin(bool interactive, bool runs_later)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &noting,
					      .output = output,
					      .messages = messages,
					      .interactive = interactive,
					      .runs_later = runs_later};

	interpreter_destroy(interpreter);
	interpreter = interpreter_create(&options);
	fake.node = (struct measure_node){.id = 1, .count = 5};
	fake.nodes[0] = (struct report_node){.stats = &fake.node};
	fake.leg = (struct measure_leg){.count = 5};
	fake.legs[0] = (struct report_leg){.stats = &fake.leg, .name = "work"};
	fake.tables.nodes = fake.nodes;
	fake.tables.legs = fake.legs;
	fake.tables.node_count = fake.tables.leg_count = 1;
}

#define told(text) told_(text, __LINE__)
static void told_(const char *text, int at)
{
	if (!str_equal(str_text(&notes), text))
		fail_msg("line %d: told\n%snot\n%s", at, str_text(&notes),
			 text);
	str_deinit(&notes);
}

/* If a script has run the program already, the tool checks an expectation at
 * once. */
static void test_expectation_after_a_run_is_checked_at_once(void **state)
{
	(void)state;
	begin(false, false);
	fake.was_run = true;
	run("expect node(1).count == 5 && leg(\"work\").count == 5");
	told("");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_MET);
	run("expect node(1).count < 5 # not so");
	told("expect node(1).count < 5: node(1).count is 5\n");
	run("expect leg(0).count < 5 -- nor this");
	told("expect leg(0).count < 5: leg(0).count is 5\n");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_UNMET);
	told("");
	check_stream(output, "");
	check_stream(messages, "");
}

/* A line with an error is a failed command and no expectation. */
static void test_wrong_expectation_is_a_failed_command(void **state)
{
	(void)state;
	begin(false, false);
	fails(interpreter_line(interpreter, "expect"), ERROR_USAGE,
	      "an expression is missing; usage: expect EXPR");
	fails(interpreter_line(interpreter, "expect # remark"), ERROR_USAGE,
	      "an expression is missing; usage: expect EXPR");
	fails(interpreter_line(interpreter, "expect leg(0).count < 3ms"),
	      ERROR_USAGE, "column 1: leg(0).count is not a time, and 3ms is");
	fake.was_run = true;
	fails(interpreter_line(interpreter, "expect leg(7).count == 0"),
	      ERROR_NOT_FOUND,
	      "there is no leg(7): `print legs' lists the legs");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_MET);
	told("");
}

static void test_expectation_before_a_run_is_checked_at_its_end(void **state)
{
	(void)state;
	begin(false, false);
	run("expect leg(\"work\").count == 6");
	run("expect leg(\"work\").count == 5");
	run("expect leg(\"wrok\").count == 5");
	run("monitor on");
	told("");
	/* the program has stopped, but has not ended */
	fake.was_run = fake.has_process = true;
	run("continue");
	told("");
	fake.has_process = false;
	run("continue");
	told("expect leg(\"work\").count == 6: leg(\"work\").count is 5\n"
	     "expect leg(\"wrok\").count == 5: there is no leg(\"wrok\"): did "
	     "you mean \"work\"?\n");
	run("continue");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_FAILED);
	told("");
}

static void test_expectation_without_a_run_is_told_once(void **state)
{
	(void)state;
	begin(false, false);
	run("expect node(1).count == 6");
	told("");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_UNMET);
	told("expect node(1).count == 6: node(1).count is 5\n");
	/* the tool does not tell of the expectation again */
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_UNMET);
	told("");
	/* no caller asks for the result of this expectation, so the tool tells
	 * nothing */
	run("expect node(1).count == 7");
}

/* A process to which the tool has attached runs already, so the tool checks an
 * expectation with the present figures. In batch mode that is about to measure
 * the process, the tool keeps the expectation. */
static void test_only_batch_mode_keeps_expectation_if_attached(void **state)
{
	(void)state;
	begin(false, false);
	fake.has_process = true;
	run("expect node(1).count == 6");
	told("expect node(1).count == 6: node(1).count is 5\n");
	begin(false, true);
	run("expect node(1).count == 6");
	told("");
	fake.node.count = 6;
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_MET);
	told("");
}

static void test_prompt_tells_met_expectations_too(void **state)
{
	(void)state;
	begin(true, false);
	run("expect node(1).count == 5");
	run("expect node(1).count == 6");
	told("expect node(1).count == 6: node(1).count is 5\n");
	check_stream(messages, "Met: node(1).count is 5\n");
	run("expect ?");
	run("expect node(1).count ?");
	told("");
	check_stream(output,
		     "expect EXPR: check figures; report what is false, "
		     "status 124\n"
		     "  leg(\n  node(\n"
		     "expect EXPR: check figures; report what is false, "
		     "status 124\n"
		     "  !=\n  &&\n  *\n  +\n  -\n  /\n  <\n  <=\n  ==\n"
		     "  >\n  >=\n  ||\n");
}

static void test_unmet_expectation_tells_file_and_line(void **state)
{
	char *outer = path_of("outer.pt"), *inner = path_of("inner.pt");
	char *line = in_directory("expect 1 > 2\nsource %s/inner.pt\n"
				  "expect 3 > 4\n"
				  "run\nexpect 5 > 6\n");
	char *text =
		xasprintf("%s:1: expect 1 > 2: the expression is never true\n"
			  "%s:2: expect 2 > 3: the expression is never true\n"
			  "%s:3: expect 3 > 4: the expression is never true\n"
			  "%s:5: expect 5 > 6: the expression is never true\n",
			  outer, inner, outer, outer);

	(void)state;
	begin(false, false);
	write_file("outer.pt", line);
	write_file("inner.pt", "\nexpect 2 > 3");
	assert_null(interpreter_script(interpreter, outer));
	told("");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_UNMET);
	told(text);
	/* at a prompt, a script tells only of expectations that are not met */
	begin(true, false);
	write_file("inner.pt", "expect 2 < 3\nexpect 2 > 3");
	free(text);
	text = xasprintf("%s:2: expect 2 > 3: the expression is never true\n",
			 inner);
	assert_null(interpreter_script(interpreter, inner));
	told(text);
	check_stream(messages, "stop 0\nBreakpoint 3 was never hit\n");
	free(text);
	free(line);
	free(outer);
	free(inner);
}

/* A session may have no function that tells the user anything. */
static void test_expectation_needs_no_user_interface(void **state)
{
	struct interpreter_options options = {.session = &fake_session};

	(void)state;
	fake.was_run = true;
	interpreter_destroy(interpreter);
	interpreter = interpreter_create(&options);
	run("expect 1 > 2");
	assert_int_equal(interpreter_expected(interpreter), EXPECTED_UNMET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_expectation_after_a_run_is_checked_at_once),
		TEST(test_wrong_expectation_is_a_failed_command),
		TEST(test_expectation_before_a_run_is_checked_at_its_end),
		TEST(test_expectation_without_a_run_is_told_once),
		TEST(test_only_batch_mode_keeps_expectation_if_attached),
		TEST(test_prompt_tells_met_expectations_too),
		TEST(test_unmet_expectation_tells_file_and_line),
		TEST(test_expectation_needs_no_user_interface),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
