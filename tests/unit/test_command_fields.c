/*
 * test_command_fields.c - the fields of the memo's window, the contexts of the
 * memo's session, and what a prompt asks for if a line lacks it
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command_lines.h"
#include "perftool/session/user_interface.h"

/* The line must fail with this message. refuses() demands also that the session
 * was not asked; this function does not. */
static void fails(const char *line, const char *message)
{
	struct error *error = interpreter_line(interpreter, line);

	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
}

/* ---- fields -------------------------------------------------------------- */

static void test_add_leg_uses_the_fields(void **state)
{
	(void)state;
	refuses("Add Leg!", "the field From Node is empty; `From Node: N' "
			    "sets it");
	asks("From Node: 1", "");
	refuses("Add Leg!", "the field To Node is empty");
	refuses("add leg", "an argument is missing");
	asks("To Node: 2", "");
	asks("Add Leg!", "add leg 1 2 owner=- match=- key=-\n");
	asks("add leg", "add leg 1 2 owner=- match=- key=-\n");
	asks("  ADD   LEG!  # once more",
	     "add leg 1 2 owner=- match=- key=-\n");
	/* a field keeps its value, but a value on the line of the command has
	 * precedence */
	asks("Add Leg! From Node: 3 To Node: 4",
	     "add leg 3 4 owner=- match=- key=-\n");
	asks("from  node: *   to node: 3", "");
	asks("Add Leg!", "add leg 0 3 owner=- match=- key=-\n");
	asks("Leg: 7", "");
	asks("Delete Leg!", "delete leg 7\n");
	asks("Leg:", "");
	refuses("Delete Leg!", "the field Leg is empty");
	refuses("delete leg", "an argument is missing");
	/* the words may be shortened as those of other commands */
	asks("From Node: 5 To Node: 6", "");
	asks("Ad Leg! 5 6", "add leg 5 6 owner=- match=- key=-\n");
	asks("Add Le!", "add leg 5 6 owner=- match=- key=-\n");
	asks("From Node: 10B", "");
	asks("Add Leg!", "add leg 8 6 owner=- match=- key=-\n");
	asks("Add Leg! 11B 7B", "add leg 9 7 owner=- match=- key=-\n");
}

static void test_histogram_commands_use_the_fields(void **state)
{
	(void)state;
	refuses("Add!", "the field Histogram Node is empty");
	refuses("Delete!", "the field Histogram Node is empty");
	refuses("Print!", "the field Histogram Node is empty");
	refuses("add", "incomplete: `add'");
	asks("Histogram Node: 1", "");
	asks("Add!",
	     "add histogram node 1 linear buckets=0 scale=-1 base=0 value=-\n");
	asks("Class: linear  Buckets: 16 Scale: 2 Base: 10", "");
	asks("Add!", "add histogram node 1 linear buckets=16 scale=2 base=10 "
		     "value=-\n");
	fails("Print!", "there is no node 1");
	asks("Delete!", "delete histogram node 1\n");
	asks("Type: leg  Histogram Leg: 0  Class: log", "");
	asks("Add!",
	     "add histogram leg 0 log buckets=16 scale=2 base=0 value=-\n");
	asks("Delete!", "delete histogram leg 0\n");
	asks("type: NODE", "");
	asks("Delete!", "delete histogram node 1\n");
	asks("Del!", "delete histogram node 1\n");
	asks("Type: leg Histogram Leg:", "");
	refuses("Add!", "the field Histogram Leg is empty");
}

static void test_set_process_uses_the_field(void **state)
{
	(void)state;
	asks("Set Process!", "track process 0\n");
	asks("Process: 17B", "");
	asks("Set Process!", "track process 15\n");
	asks("set process 12", "track process 12\n");
	asks("Process:", "");
	asks("Set Process!", "track process 0\n");
}

static void test_values_of_fields_are_checked(void **state)
{
	(void)state;
	asks("Base: -10B", "");
	asks("Histogram Node: 10b", "");
	asks("Add!", "add histogram node 8 linear buckets=0 scale=-1 base=-8 "
		     "value=-\n");
	refuses("Histogram Node: 8B", "`8B' is not a node number");
	refuses("Histogram Node: x", "`x' is not a node number");
	refuses("Buckets: many", "`many' is not a number of buckets");
	refuses("Class: round", "unknown class of histogram `round'");
	refuses("From Node: 1 2", "`1 2' is not a node number");
	refuses("Buckets: 0", "number of buckets `0' is out of range");
	refuses("Buckets: 65537", "out of range");
	refuses("Scale: -1", "scale `-1' is out of range");
	refuses("Scale: 1.5", "`1.5' is not a scale");
	refuses("Base: 7777777777777777777777B", "out of range");
	refuses("Process: me", "`me' is not a process number");
	refuses("Type: tree", "unknown type `tree'; there is node, leg");
	refuses("Class: linear log", "unknown class of histogram");
	refuses("Leg: *", "`*' is not a leg number");
	refuses("Leg: 99999999999", "`99999999999' is not a leg number");
	/* if one field of a line has an error, the line sets no field */
	refuses("Histogram Node: 3 Base: x", "`x' is not a base");
	asks("Add!", "add histogram node 8 linear buckets=0 scale=-1 base=-8 "
		     "value=-\n");
}

static void test_show_fields_lists_all_fields(void **state)
{
	(void)state;
	asks("From Node: * Buckets: 010 Class: log", "");
	asks("show fields", "");
	fflush(output);
	assert_string_equal(printed, "From Node: *\n"
				     "To Node:\n"
				     "Leg:\n"
				     "Process: (empty: all)\n"
				     "Type: (empty: node)\n"
				     "Class: log\n"
				     "Histogram Node:\n"
				     "Histogram Leg:\n"
				     "Buckets: 10\n"
				     "Scale: (empty: node 1, leg 0)\n"
				     "Base: (empty: 0)\n");
}

/* ---- contexts ------------------------------------------------------------ */

static void test_root_configuration_is_set_and_shown(void **state)
{
	(void)state;
	asks("SEt Root configuration: Mesa", "root Mesa\n");
	asks("set root configuration Mesa", "root Mesa\n");
	asks("se ro conf Mesa  # the program", "root Mesa\n");
	asks("set root configuration 'a b'", "root a b\n");
	asks("set root configuration configuration", "root configuration\n");
	refuses("set root", "an argument is missing; usage: set root "
			    "configuration PROGRAM");
	refuses("SEt Root configuration:", "an argument is missing");
	refuses("set root configuration", "the program's name is missing");
	refuses("set root configuration a b", "unexpected `b'");
	refuses("set root program a", "unexpected `program'");
	asks("show root", "show root\n");
}

static void test_module_context_is_set_and_shown(void **state)
{
	(void)state;
	asks("SEt Module context: SegmentsB", "context SegmentsB\n");
	asks("set module context swapper.c", "context swapper.c\n");
	asks("se mo c a  -- the client", "context a\n");
	asks("set module context 'a b'", "context a b\n");
	asks("set module context: context", "context context\n");
	asks("set module context none", "context -\n");
	asks("set module context", "context -\n");
	asks("SEt Module context:", "context -\n");
	refuses("set module", "an argument is missing; usage: set module "
			      "context [NAME|none]");
	refuses("set module swapper", "unexpected `swapper'");
	refuses("set module contexts swapper", "unexpected `contexts'");
	refuses("set module : swapper", "unexpected `:'");
	refuses("set module context a b", "unexpected `b'");
	asks("show module context", "show module context\n");
}

/* The tool never calls a function of the program. */
static void test_calls_of_functions_are_refused(void **state)
{
	(void)state;
	refuses("AllocatePages[140]", "`AllocatePages[140]' would be a call");
	refuses("work(3)", "`work(3)' would be a call");
	refuses("AllocatePages [140]", "unknown command `AllocatePages'");
}

/* ---- asking -------------------------------------------------------------- */

static struct {
	const char *answers[4];
	size_t count;
	struct str asked;
} user;

static bool answer(void *context, const char *name, const char *before,
		   char **out)
{
	const char *text = user.answers[user.count];

	(void)context;
	str_printf(&user.asked, "%s<%s>", name, before);
	if (!text)
		return false;
	user.count++;
	*out = xstrdup(text);
	return true;
}

static struct session_ui asking = {.interrupted = never, .ask = answer};

/* At a prompt, the line must become `whole` after the user has answered what
 * the tool asked. NULL: the user gave no answer, and the line is dropped. */
static void becomes_(const char *line, const char *first, const char *second,
		     const char *asked, const char *whole, int at)
{
	struct interpreter_options options = {.session = &fake_session,
					      .ui = &asking,
					      .output = output,
					      .interactive = true};
	struct interpreter *prompt = interpreter_create(&options);
	struct error *error;
	char *got;

	user.answers[0] = first;
	user.answers[1] = second;
	user.count = 0;
	error = interpreter_ask(prompt, line, &got);
	if (error)
		fail_msg("line %d: %s", at, error_message(error));
	if (!str_equal(str_text(&user.asked), asked))
		fail_msg("line %d: asked %s", at, str_text(&user.asked));
	if ((got != NULL) != (whole != NULL) || (got && !str_equal(got, whole)))
		fail_msg("line %d: it is `%s'", at, got ? got : "left");
	free(got);
	str_deinit(&user.asked);
	interpreter_destroy(prompt);
}
#define becomes(...) becomes_(__VA_ARGS__, __LINE__)

static void test_missing_argument_is_asked_for(void **state)
{
	(void)state;
	becomes("Add Leg!", "1", "2",
		"From Node<Add Leg! >To Node<Add Leg! 1 >", "Add Leg! 1 2");
	becomes("add leg 1", "2", NULL, "To Node<add leg 1 >", "add leg 1 2");
	becomes("add leg From Node: 1 # from", "2", NULL,
		"To Node<add leg From Node: 1 >", "add leg From Node: 1 2");
	becomes("time", "main", NULL, "function<time >", "time main");
	becomes("Break Entry", "f", NULL, "function<Break Entry >",
		"Break Entry f");
	becomes("Break Xit procedure:", "f", NULL,
		"function<Break Xit procedure: >", "Break Xit procedure: f");
	becomes("break exit", NULL, NULL, "", "break exit");
	becomes(">break", "f if x # 1", NULL, "place<break >",
		"break f if x # 1");
	becomes("shell", "ls ?.c", NULL, "command<shell >", "shell ls ?.c");
	becomes("env", "A=b", NULL, "NAME=VALUE<env >", "env A=b");
	becomes("print", "x", NULL, "expression<print >", "print x");
	becomes("add leg", "exit f", "2 # two",
		"From Node<add leg >To Node<add leg exit f >",
		"add leg exit f 2 # two");
	becomes("add leg 1 2", NULL, NULL, "", "add leg 1 2");
	becomes("condition 1", NULL, NULL, "", "condition 1");
	becomes("print tables", NULL, NULL, "", "print tables");
	becomes("From Node: 1", NULL, NULL, "", "From Node: 1");
	becomes("brek main", NULL, NULL, "", "brek main");
	becomes("# add leg", NULL, NULL, "", "# add leg");
	becomes("", NULL, NULL, "", "");
}

/* If the user answers `?`, the tool explains the argument and asks again. */
static void test_question_mark_explains_the_argument(void **state)
{
	(void)state;
	becomes("Add Leg! 1", " ? ", "2",
		"To Node<Add Leg! 1 >To Node<Add Leg! 1 >", "Add Leg! 1 2");
	fflush(output);
	assert_non_null(strstr(printed, "add leg FROM TO"));
	assert_non_null(strstr(printed, "  *                       each node"));
	becomes("shell", "?", "ls", "command<shell >command<shell >",
		"shell ls");
	becomes("Print!", "?", "3",
		"Histogram Node<Histogram Node: >"
		"Histogram Node<Histogram Node: >",
		"Print!");
	fflush(output);
	assert_non_null(strstr(printed, "Histogram Node: the number of the "));
}

static void mistakes(const char *line, const char *given, const char *message)
{
	struct interpreter_options options = {
		.session = &fake_session, .ui = &asking, .interactive = true};
	struct interpreter *prompt = interpreter_create(&options);
	struct error *error;
	char *got;

	user.answers[0] = given;
	user.answers[1] = NULL;
	user.count = 0;
	error = interpreter_ask(prompt, line, &got);
	assert_non_null(error);
	assert_null(got);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
	str_deinit(&user.asked);
	interpreter_destroy(prompt);
}

static void test_wrong_answers_give_errors(void **state)
{
	(void)state;
	mistakes("Add Leg!", "1 2", "`1 2' is not a node number or a place");
	mistakes("Add Leg!", "-1", "`-1' is not a node number or a place");
	mistakes("Add!", "1 2", "`1 2' is not a node number");
	mistakes("condition", "1 2",
		 "`1 2' is not one word: give one word for `breakpoint'");
}

static void test_field_without_colon_is_an_error(void **state)
{
	(void)state;
	refuses("From Node 1",
		"the field From Node needs a colon: write `From Node: 1'");
	refuses("class log",
		"the field Class needs a colon: write `Class: log'");
	refuses("Buckets 8 # so many",
		"the field Buckets needs a colon: write `Buckets: 8'");
	refuses("type", "the field Type needs a colon: write `Type: VALUE'");
	refuses("bases 8", "unknown command `bases'");
}

static void test_help_explains_fields(void **state)
{
	(void)state;
	asks("help from node", "");
	asks("help Class: log", "");
	asks("help fields", "");
	fflush(output);
	assert_non_null(strstr(printed, "Base:            where the first"));
	assert_null(strstr(printed, "typing as the Mesa memo"));
	asks("help leg", "");
	fflush(output);
	assert_non_null(strstr(printed, "leg: the code from one node"));
	asks("help Add: successor", "");
	fflush(output);
	assert_non_null(strstr(printed, "Add: successor"));
	asks("help delete histogram", "");
	asks("help print histogram", "");
	asks("help add histogram", "");
	fflush(output);
	assert_non_null(strstr(printed, "    Delete!"));
	assert_non_null(strstr(printed, "    Print!"));
	assert_non_null(strstr(printed, "    Add!"));
}

static void test_empty_answer_leaves_the_command(void **state)
{
	(void)state;
	becomes("Add Leg!", NULL, NULL, "From Node<Add Leg! >", NULL);
	becomes("Add Leg!", "", NULL, "From Node<Add Leg! >", NULL);
	becomes("SEt Root configuration:", "Mesa", NULL,
		"configuration<SEt Root configuration: >",
		"SEt Root configuration: Mesa");
	becomes("set root configuration", "Mesa", NULL,
		"configuration<set root configuration >",
		"set root configuration Mesa");
	becomes("Add Leg!", "1", "  ",
		"From Node<Add Leg! >To Node<Add Leg! 1 >", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_add_leg_uses_the_fields),
		TEST(test_histogram_commands_use_the_fields),
		TEST(test_set_process_uses_the_field),
		TEST(test_values_of_fields_are_checked),
		TEST(test_show_fields_lists_all_fields),
		TEST(test_root_configuration_is_set_and_shown),
		TEST(test_module_context_is_set_and_shown),
		TEST(test_calls_of_functions_are_refused),
		TEST(test_missing_argument_is_asked_for),
		TEST(test_empty_answer_leaves_the_command),
		TEST(test_question_mark_explains_the_argument),
		TEST(test_wrong_answers_give_errors),
		TEST(test_field_without_colon_is_an_error),
		TEST(test_help_explains_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
