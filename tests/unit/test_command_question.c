/*
 * test_command_question.c - a line that ends in `?`
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_lines.h"

/* At a prompt the line tells this, and asks nothing of the session. */
static void tells_(const char *line, const char *text, bool is_all, int at)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &ui,
					      .output = output,
					      .interactive = true};
	struct interpreter *prompt = interpreter_create(&options);
	size_t start;
	struct error *error;

	fflush(output);
	start = printed_size;
	str_deinit(&fake.calls);
	error = interpreter_line(prompt, line);
	if (error)
		fail_msg("line %d: %s", at, error_message(error));
	fflush(output);
	if (is_all ? !str_equal(printed + start, text)
		   : !strstr(printed + start, text))
		fail_msg("line %d: told\n%s", at, printed + start);
	assert_string_equal(str_text(&fake.calls), "");
	interpreter_destroy(prompt);
}
#define tells(line, text) tells_(line, text, true, __LINE__)
#define tells_of(line, text) tells_(line, text, false, __LINE__)

static void test_words(void **state)
{
	(void)state;
	tells_of("?", "`help COMMAND' or `help TOPIC' tells all about one.");
	tells_of("  ?  ", "`help COMMAND'");
	tells_of("add ?",
		 "  leg                     measure the code between two "
		 "nodes\n");
	tells_of("delete ?", "delete N...: delete breakpoints");
	tells("collect nodes ?",
	      "collect nodes: enter all conditional breakpoints as nodes\n");
	tells_of("xyzzy ?", "Nothing is known");
}

static void test_arguments(void **state)
{
	(void)state;
	tells("monitor ?", "monitor on|off: measure, or stop, at conditional "
			   "breakpoints\n  off\n  on\n");
	tells_of("add leg 1 ?", "\n  *\n  1\n  2\n");
	tells_of("Add Leg! From Node: ?", "\n  *\n  1\n  2\n");
	tells("Class: ?", "  hdr\n  linear\n  log\n");
}

/* Inside an expression it is C's, and a shell has its own. */
static void test_others(void **state)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &ui,
					      .output = output,
					      .interactive = true};
	struct interpreter *prompt = interpreter_create(&options);

	(void)state;
	error_destroy(interpreter_line(prompt, "evaluate 1 ?"));
	assert_string_equal(str_text(&fake.calls), "evaluate [1 ?]\n");
	str_deinit(&fake.calls);
	error_destroy(interpreter_line(prompt, "run ?"));
	assert_non_null(strstr(str_text(&fake.calls), "?"));
	interpreter_destroy(prompt);
	/* in a script it is no question */
	refuses("monitor ?", "unknown state of the monitor `?'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_words),
		TEST(test_arguments),
		TEST(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
