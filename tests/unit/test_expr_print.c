/*
 * test_expr_print.c - values as text: as gdb's `print` has them, and as rows of
 * a table are called
 *
 * What gdb writes is compared in tests/e2e/gdb_print.t; here is what a program
 * seldom has: memory that ends, types that nest without end, broken strings.
 *
 * tier: core
 * covers: expr/print expr/label
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "expr_program.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/expr_print.h"

enum way { PRINT, LABEL };

/* How a value is written, or the message of the error. */
static char *written(struct thread *thread, const char *text, enum way way,
		     size_t size)
{
	struct expr_place place = {.file = &program, .at_exit = true};
	struct bound_expr *bound;
	struct str out = {0};
	char label[512] = "";
	struct error *error;
	struct expr *expr;

	assert_null(expr_parse(text, &expr));
	error = expr_bind(expr, &place, &bound);
	if (!error) {
		error = way == PRINT
				? bound_expr_print(bound, &thread->input, &out)
				: bound_expr_label(bound, &thread->input, label,
						   size);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	assert_int_equal(program.open_variables, 0);
	if (way == LABEL)
		str_append(&out, label);
	if (error) {
		str_deinit(&out);
		str_append(&out, error_message(error));
	}
	error_destroy(error);
	str_append(&out, "");
	return str_take(&out);
}

static void expect_refused(const char *text)
{
	struct expr_place place = {.file = &program};
	struct bound_expr *bound = NULL;
	struct expr *expr = NULL;
	struct error *error = expr_parse(text, &expr);

	if (!error)
		error = expr_bind(expr, &place, &bound);
	if (!error)
		fail_msg("%s was taken", text);
	assert_int_equal(error_code(error), ERROR_USAGE);
	error_destroy(error);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

/* `expected` NULL: it is refused. */
static void check_text(const char *text, enum way way, const char *expected)
{
	struct thread thread;
	char *got;

	if (!expected) {
		expect_refused(text);
		return;
	}

	thread_init(&thread);
	got = written(&thread, text, way, 512);
	if (!got || strcmp(got, expected) != 0)
		fail_msg("%s: is %s, not %s", text, got, expected);
	free(got);
}

static void test_numbers_are_printed_as_in_gdb(void **state)
{
	(void)state;
	check_text("1 + 1", PRINT, "2");
	check_text("negative", PRINT, "-5");
	check_text("size", PRINT, "18446744073709551615");
	check_text("letter", PRINT, "200 '\\310'");
	check_text("small", PRINT, "-3 '\\375'");
	check_text("(char) 39", PRINT, "39 '\\''");
	check_text("(char) 10", PRINT, "10 '\\n'");
	check_text("flag", PRINT, "true");
	check_text("flag + 1", PRINT, "2");
	check_text("third", PRINT, "0.333333343");
	check_text("1 / 3.0", PRINT, "0.33333333333333331");
	check_text("0.1L", PRINT, "0.100000000000000000001");
	check_text("1 / 0.0", PRINT, "inf");
	check_text("-1 / 0.0f", PRINT, "-inf");
	check_text("-1 / 0.0L", PRINT, "-inf");
	check_text("huge", PRINT, "478560413032");
	check_text("color", PRINT, "BLUE");
	check_text("(enum color) 3", PRINT, "3");
	check_text("flags", PRINT, "(READ | WRITE)");
	check_text("(enum flags) 9", PRINT, "(READ | unknown: 0x8)");
	check_text("(enum flags) 8", PRINT, "(unknown: 0x8)");
	check_text("(enum flags) 0", PRINT, "0");
	check_text("$ret == $rax", PRINT, "1");
}

static void test_pointers_are_printed_as_in_gdb(void **state)
{
	(void)state;
	check_text("name", PRINT, "0x10000 \"hello\"");
	check_text("nothing", PRINT, "0x0");
	check_text("bytes", PRINT, "(unsigned char *) 0x10000 \"hello\"");
	check_text("astray", PRINT,
		   "0x10 <error: Cannot access memory at address 0x10>");
	check_text("object", PRINT, "(struct item *) 0x10080");
	check_text("any", PRINT, "(void *) 0x10000");
	check_text("handler", PRINT, "(void (*)(int)) 0x401234");
	check_text("work", PRINT, "{void (int)} 0x1234 <work>");
	check_text("*work", PRINT, "{void (int)} 0x1234 <work>");
	check_text("&work", PRINT, "(void (int) *) 0x1234 <work>");
	check_text("$rip", PRINT, "(void (*)()) 0x401000");
	check_text("$pc", PRINT, "(void (*)()) 0x401000");
	check_text("$sp", PRINT, "(void *) 0xffffffffff600000");
	check_text("$rbp", PRINT, "(void *) 0x7ffc0010");
	check_text("$rbp & 0xff", PRINT, "16");
	check_text("(void *) 4662", PRINT, "(void *) 0x1236 <work+2>");
	/* the table's types are named by their parts */
	check_text("&array", PRINT, "(int[4] *) 0x10020");
	check_text("&item.grid[1]", PRINT, "(int[3] *) 0x100e8");
	/* to the end of what can be read */
	check_text("name + 1021", PRINT, "0x103fd \"end\"");
}

static void test_objects_are_printed_as_in_gdb(void **state)
{
	(void)state;
	check_text("item.at", PRINT, "{x = -3, y = 4}");
	check_text("item", PRINT,
		   "{id = 7, at = {x = -3, y = 4}, {as_int = 1069547520, "
		   "as_float = 1.5}, low = 5, high = -2, crossing = "
		   "1147797409030816545, next = 0x10120, name = "
		   "\"first\\000\\000\", numbers = {1, -2, 3, 4}, points = {{x "
		   "= 5, y = 6}, {x = 7, y = 8}}, where = 0x10124, color = "
		   "BLUE, grid = {{1, 2, 3}, {4, 5, 6}}}");
	check_text("*object->where", PRINT, "{x = 9, y = 10}");
	check_text("array", PRINT, "{10, -20, 30, 0}");
	check_text("text", PRINT, "\"hello\\000\\000\"");
	check_text("full", PRINT, "\"worldful\"");
	check_text("pair", PRINT, "{__0 = 7, __1 = {x = -3, y = 4}}");
	program.language = LANGUAGE_C_PLUS_PLUS;
	program.is_method = true;
	check_text("*this", PRINT,
		   "{<ns::base> = {b = 20}, d = 21, ref = @0x10024}");
	check_text("virtual", PRINT, "{<ns::base> = {b = 32}, own = 31}");
	program.is_method = false;
	program.language = LANGUAGE_C;
	check_text("*opaque", PRINT, "{<No data fields>}");
	check_text("*object->next->next", PRINT,
		   "column 1: cannot read memory at 0x0");
	check_text("gone_item", PRINT, "column 1: 'gone_item': optimized out");
	check_text("*((struct item *) 65536 + 1000)", PRINT,
		   "column 1: cannot read memory at 0x2d4c0");
}

/* A type that contains itself, as only a broken file has it. */
static void test_type_that_contains_itself_is_cut(void **state)
{
	static struct debugtype endless = {
		.kind = DEBUGTYPE_STRUCT, .name = "struct endless", .size = 8};
	const struct debugmember inner[] = {{.name = "a", .type = &endless}};
	struct debugtype before = t_point;
	struct thread thread;
	char *got;

	(void)state;
	endless.members = inner;
	endless.member_count = 1;
	t_point.members = inner;
	t_point.member_count = 1;
	thread_init(&thread);
	got = written(&thread, "item.at", PRINT, 512);
	assert_non_null(strstr(got, "{a = {a = {...}"));
	assert_int_equal(strlen(got) < 200, 1);
	free(got);
	t_point = before;
}

static void test_long_values_are_shortened(void **state)
{
	struct debugtype before = a_char8, ints = a_int4;
	struct thread thread;
	char *got;

	(void)state;
	thread_init(&thread);
	memset(thread.memory.bytes, 'a', 600);
	thread.memory.bytes[0] = 'b';
	thread.memory.bytes[20] = 'b';
	a_char8.count = a_char8.size = 500;
	got = written(&thread, "text", PRINT, 512);
	assert_string_equal(got, "\"b\", 'a' <repeats 19 times>, \"b\", 'a' "
				 "<repeats 479 times>");
	free(got);
	for (int i = 0; i < 600; i++)
		thread.memory.bytes[i] = (char)('a' + i % 26);
	got = written(&thread, "text", PRINT, 512);
	assert_int_equal(strlen(got), 205);
	assert_string_equal(got + 200, "r\"...");
	free(got);
	got = written(&thread, "name", PRINT, 512);
	assert_string_equal(got + strlen(got) - 5, "r\"...");
	free(got);
	a_int4.count = 120;
	a_int4.size = 480;
	memset(thread.memory.bytes, 0, 600);
	thread.memory.bytes[32] = 1;
	got = written(&thread, "array", PRINT, 512);
	assert_string_equal(got, "{1, 0 <repeats 119 times>}");
	free(got);
	a_int4.size = 100000;
	got = written(&thread, "array", PRINT, 512);
	assert_string_equal(got, "column 1: 100000 bytes are too much to "
				 "print; print one element or member");
	free(got);
	a_char8 = before;
	a_int4 = ints;
}

static void test_broken_strings_are_escaped(void **state)
{
	static const struct {
		const char *bytes, *expected;
	} cases[] = {
		{"h\303\244llo", "0x10000 \"h\303\244llo\""},
		{"a\377b", "0x10000 \"a\\377b\""},
		/* cut short, overlong, a surrogate, beyond the end */
		{"\303", "0x10000 \"\\303\""},
		{"\300\200", "0x10000 \"\\300\\200\""},
		{"\355\240\200", "0x10000 \"\\355\\240\\200\""},
		{"\364\240\200\200", "0x10000 \"\\364\\240\\200\\200\""},
		{"\360\237\230\200", "0x10000 \"\360\237\230\200\""},
		{"\"\\'\t\033\177", "0x10000 \"\\\"\\\\'\\t\\033\\177\""},
	};
	struct thread thread;
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		thread_init(&thread);
		memset(thread.memory.bytes, 0, 16);
		memcpy(thread.memory.bytes, cases[i].bytes,
		       strlen(cases[i].bytes));
		got = written(&thread, "name", PRINT, 512);
		assert_string_equal(got, cases[i].expected);
		free(got);
	}
}

static void test_rust_strings_are_compared_and_printed(void **state)
{
	(void)state;
	check_text("view == \"hell\"", PRINT, "1");
	check_text("view == \"hello\"", PRINT, "0");
	check_text("view != \"help\"", PRINT, "1");
	check_text("\"hel\" == view", PRINT, "0");
	check_text("lost == \"abcd\"", PRINT, "0"); /* of another length */
	check_text("lost == \"abc\"", PRINT,
		   "column 9: cannot read memory at 0x10");
	check_text("view", LABEL, "hell");
	check_text("lost", LABEL, "cannot read the string at 0x10");
	program.language = LANGUAGE_RUST;
	check_text("view", PRINT, "\"hell\"");
	check_text("lost", PRINT, "&str {data_ptr: 0x10, length: 3}");
	check_text("some", PRINT, "Option<i32>::Some(7)");
	check_text("some.0 + 1", PRINT, "8");
	check_text("some.Some.0", PRINT, "7");
	check_text("some.Some", PRINT, "Option<i32>::Some (7)");
	check_text("nought", PRINT, "Option<i32>::None");
	check_text(
		"nought.0", PRINT,
		"column 7: the value is not the variant Some but the variant "
		"None");
	check_text("nought.None", PRINT, "Option<i32>::None");
	check_text("some.1", PRINT,
		   "column 5: Option<i32> has no variant or member of this "
		   "name; one of its variants is None");
	check_text("strange", PRINT, "<none of its variants>");
	check_text("pair", PRINT, "(7, struct point {x: -3, y: 4})");
	check_text("array", PRINT, "[10, -20, 30, 0]");
	check_text("$sp", PRINT, "(*mut ()) 0xffffffffff600000");
	program.language = LANGUAGE_C;
}

static void test_casts_to_arrays_are_understood(void **state)
{
	(void)state;
	check_text("*(int (*)[2]) numbers", PRINT, "{10, -20}");
	check_text("(*(int (*)[2]) numbers)[1]", PRINT, "-20");
	check_text("sizeof(*(int (*)[3]) numbers)", PRINT, "12");
	check_text("(int (*)[0]) numbers", PRINT, NULL);
	check_text("(int (*)[x]) numbers", PRINT, NULL);
	check_text("(int (*)(char, int) numbers", PRINT, NULL);
	check_text("(int (*)(char int)) numbers", PRINT, NULL);
	check_text("(int (*)) numbers", PRINT, NULL);
	check_text("(void (*)[2]) numbers", PRINT, NULL);
}

static void test_values_become_labels(void **state)
{
	struct thread thread;
	char *got;

	(void)state;
	check_text("name", LABEL, "hello");
	check_text("text", LABEL, "hello");
	check_text("full", LABEL, "worldful");
	check_text("bytes", LABEL, "hello");
	check_text("item.name", LABEL, "first");
	check_text("object->next->name", LABEL, "fullname");
	check_text("nothing", LABEL, "NULL");
	check_text("object->next->next", LABEL, "NULL");
	check_text("astray", LABEL, "cannot read the string at 0x10");
	check_text("object", LABEL, "0x10080");
	check_text("color", LABEL, "BLUE");
	check_text("(enum color) 3", LABEL, "3");
	check_text("negative", LABEL, "-5");
	check_text("letter", LABEL, "200 '\\310'");
	check_text("ratio", LABEL, "0.25");
	check_text("gone", LABEL, "column 1: 'gone': optimized out");
	check_text("item", LABEL,
		   "column 1: a value of type 'struct item' is not a number; "
		   "use one of its members");

	/* of the size there is, and one line */
	thread_init(&thread);
	got = written(&thread, "name", LABEL, 4);
	assert_string_equal(got, "...");
	free(got);
	memcpy(thread.memory.bytes, "a\n\"\1", 5);
	got = written(&thread, "name", LABEL, 512);
	assert_string_equal(got, "a\\n\"\\001");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_printed_as_in_gdb),
		cmocka_unit_test(test_pointers_are_printed_as_in_gdb),
		cmocka_unit_test(test_objects_are_printed_as_in_gdb),
		cmocka_unit_test(test_type_that_contains_itself_is_cut),
		cmocka_unit_test(test_long_values_are_shortened),
		cmocka_unit_test(test_broken_strings_are_escaped),
		cmocka_unit_test(test_rust_strings_are_compared_and_printed),
		cmocka_unit_test(test_casts_to_arrays_are_understood),
		cmocka_unit_test(test_values_become_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
