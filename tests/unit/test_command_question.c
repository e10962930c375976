/*
 * test_command_question.c - a line that ends in `?`, which asks what can stand
 * there
 *
 * tier: core
 * covers: command/question
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_lines.h"

/* At a prompt, the line must print this text, and must not ask anything of the
 * session. */
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
	/* the tool may look up the nodes and legs to which numbers belong */
	if (str_text(&fake.calls)[0])
		assert_string_equal(str_text(&fake.calls), "tables\n");
	interpreter_destroy(prompt);
}
#define tells(line, text) tells_(line, text, true, __LINE__)
#define tells_of(line, text) tells_(line, text, false, __LINE__)

static void test_question_mark_lists_words(void **state)
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
	tells_of("xyzzy ?", "perftool knows nothing");
	tells_of("break ?", "\n  entry                   break at a function's "
			    "first instruction\n");
	tells_of("break ?", "\n  AllocVM\n");
}

static void test_question_mark_lists_arguments(void **state)
{
	(void)state;
	tells_of("monitor ?",
		 "\n  off                     conditional breakpoints stop the "
		 "program\n  on      ");
	tells_of("add leg 1 ?", "\n  *                       each node\n");
	tells_of("Add Leg! From Node: ?", "\n  1\n  2\n");
	tells_of("set ?", "\n  format                  of printed tables\n");
	tells_of("print legs ?", "\n  sort=p99                the longest ");
	tells_of("help ?", "\n  keys                    legs that go from ");
	tells_of("> track ?", "\n  none                    nodes are counted");
	tells("Add: ?",
	      "  none                    measure only the legs that were added "
	      "by hand\n"
	      "  successor               add a leg for every two nodes that "
	      "follow each other\n");
}

/* For a field, the tool says also what its value means. */
static void test_question_mark_explains_fields(void **state)
{
	(void)state;
	tells("Class: ?", "Class: the class of the histogram that `Add!' adds "
			  "(empty: linear)\n"
			  "  hdr                     each value within 1 %\n"
			  "  linear                  buckets of one width\n"
			  "  log                     powers of two\n");
	tells("Type: leg  Buckets: ?",
	      "Buckets: how many buckets a linear or log histogram has, 1 to "
	      "65536 (empty: linear 8, log 48)\n");
	tells_of("Process: ?", "Process: the number of the process");
	tells_of("Scale: ?", "Scale: 0 or more: divides");
}

/* A `?` inside an expression belongs to C, and a shell gives it a meaning of
 * its own. */
static void test_question_mark_in_expression_asks_nothing(void **state)
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
	/* in a script, `?` asks nothing */
	refuses("monitor ?", "unknown state of the monitor `?'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_question_mark_lists_words),
		TEST(test_question_mark_lists_arguments),
		TEST(test_question_mark_explains_fields),
		TEST(test_question_mark_in_expression_asks_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
