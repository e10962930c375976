/*
 * test_expr_bind.c - expressions over variables, registers and memory
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <malloc.h>
#include <stdlib.h>

#include "expr_checks.h"
#include "expr_program.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* In a thread at a place; no variable is left behind. */
static struct error *evaluate_in(const char *text,
				 const struct expr_place *place,
				 struct thread *thread, struct value *out)
{
	struct error *error = evaluate_at(text, place, &thread->input, out);

	assert_int_equal(program.open_variables, 0);
	return error;
}

static struct error *evaluate(const char *text, struct value *out)
{
	struct expr_place place = {
		.file = &program, .address = 0x1000, .at_exit = true};
	struct thread thread;

	thread_init(&thread);
	return evaluate_in(text, &place, &thread, out);
}

static void check_int(const char *text, int64_t expected)
{
	check(text, value_signed(expected));
}

/* ---- tests ----------------------------------------------------------------
 */

static void test_variables(void **state)
{
	(void)state;
	check_int("pages == 1", 1);
	check_int("pages", 1);
	check_int("negative", -5);
	check_int("negative < 0", 1);
	check_int("negative < 0u", 0);
	check_int("small", -3);
	check_int("-small", 3);
	check_int("big", INT64_MIN);
	check("letter", value_unsigned(200));
	check_int("letter + 100", 300);
	check_int("(char) letter", 200 - 256);
	check("count", value_unsigned(4000000000u));
	check("count + count", value_unsigned(3705032704));
	check_int("(int) count < 0", 1);
	check("size", value_unsigned(UINT64_MAX));
	check("size + 1", value_unsigned(0));
	check("flag", value_unsigned(1));
	check_int("!flag", 0);
	check_int("ns::total", 77);
	check_int("rax", 78);
	check("ratio * 2", value_float(0.5));
	check("third", value_float((double)(1.0f / 3.0f)));
	check_int("third == 1.0f / 3", 1);
	check_int("third == 1.0 / 3", 0);
	check("wide", value_float(1.5));
	check("pages == 1 ? negative : count", value_unsigned(4294967291));
	check("pages == 2 ? ratio : negative", value_float(-5));
}

static void test_registers(void **state)
{
	(void)state;
	check_int("$rax", -1);
	check_int("$rax == -1", 1);
	check_int("$eax", -1);
	check_int("$ret < 0", 1);
	check_int("$ret", -1);
	check_int("$rbx", 0x11223344556680ff);
	check_int("$ebx", 0x556680ff);
	check_int("$bx", (int16_t)0x80ff);
	check_int("$bl", -1);
	check_int("$bh", -128);
	check("$pc", value_unsigned(0x401000));
	check("$rip", value_unsigned(0x401000));
	check("$sp", value_unsigned(0xffffffffff600000));
	check("$fp", value_unsigned(0x7ffc0010));
	check_int("$arg1 + $arg2 * 10 + $arg3 * 100", 321);
	check_int("$arg4 * 10 + $arg5", 45);
	check_int("$arg6", -6);
	check_int("$pid", 1234);
	check_int("$tid - $pid", 1);
	check("$node(3)", value_unsigned(41));
	check("$node(3) + 1", value_unsigned(42));
}

static void test_pointers(void **state)
{
	(void)state;
	check("name", value_unsigned(MEMORY));
	check_int("name == 65536", 1);
	check_int("nothing == NULL", 1);
	check_int("nothing == 0", 1);
	check_int("!nothing", 1);
	check_int("!!name && !nothing", 1);
	check_int("*name", 'h');
	check_int("*(name + 4)", 'o');
	check_int("*(1 + name)", 'e');
	check_int("*numbers", 10);
	check_int("*(numbers + 1)", -20);
	check_int("*(numbers + 1u)", -20);
	check_int("*(2 + numbers)", 30);
	check_int("*(numbers + 3 - 1)", 30);
	check_int("(numbers + 2) - numbers", 2);
	check_int("numbers - (numbers + 2)", -2);
	check("*names", value_unsigned(MEMORY));
	check_int("**names", 'h');
	check_int("**(names + 1)", 'w');
	check_int("*(short *) name", 'h' | 'e' << 8);
	check("*(unsigned char *) (name + 1)", value_unsigned('e'));
	check_int("*(int *) (numbers + 1)", -20);
	check("*(unsigned *) (numbers + 1)", value_unsigned(4294967276));
	check("*(float *) 65632", value_float(1.25));
	check("*(double *) 65640", value_float(2.5));
	check("*(long double *) 65648", value_float(3.75));
	check_int("*((long double *) 65632 + 1) == 3.75", 1);
	check_int("*(char *) object", 'h');
	check_int("**(char **) (char *) 65600", 'h');
	check("(void *) name + 1", value_unsigned(MEMORY + 1));
	check("(unsigned long) name & 15", value_unsigned(0));
	check_int("name < name + 1", 1);
	check("pages ? name : 0", value_unsigned(MEMORY));
	check("pages ? 0 : name", value_unsigned(0));
	check_int("object == name", 1);
	check_error("*astray", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x10");
	check_error("*nothing", ERROR_EVALUATE,
		    "column 1: cannot read memory at 0x0");
	check_error("*object", ERROR_USAGE,
		    "column 1: what this points to is not supported in this "
		    "version; cast it to a basic type of C, as in *(int *) x");
	check_error("handler + 1", ERROR_USAGE,
		    "column 9: the size of what this points to is not known in "
		    "this version; cast it, as in (char *) p");
}

static void test_strings(void **state)
{
	struct expr_place place = {.file = &program};
	struct thread thread;
	struct value value;
	struct str text = {0};

	(void)state;
	check_int("name == \"hello\"", 1);
	check_int("\"hello\" == name", 1);
	check_int("name != \"hello\"", 0);
	check_int("name == \"hell\"", 0);
	check_int("name == \"hello!\"", 0);
	check_int("name != \"world\"", 1);
	check_int("name == \"he\" \"llo\"", 1);
	check_int("name == \"\\x68\" \"\\145llo\"", 1);
	check_int("name == \"\"", 0);
	check_int("name + 5 == \"\"", 1);
	check_int("alias == \"hello\"", 1);
	check_int("*(names + 1) == \"world\"", 1);
	check_int("(char *) ($arg1 * 65536) == \"hello\"", 1);
	check_int("nothing == \"x\"", 0);
	check_int("nothing != \"x\"", 1);
	check_int("pages == 1 && name == \"hello\" && 1", 1);
	check_error("astray == \"x\"", ERROR_EVALUATE,
		    "column 11: cannot read memory at 0x10");
	check_error("numbers == \"x\"", ERROR_USAGE,
		    "column 9: a string is compared with a value of type "
		    "'int *'; cast it to 'char *' if it points to one");
	/* "end" at the end of memory has no zero: a shorter or other string
	 * is not equal, the same one cannot be decided */
	check_int("name + 509 == \"en\"", 0);
	check_int("name + 509 == \"eXdxxxxx\"", 0);
	check_error("name + 509 == \"end\"", ERROR_EVALUATE,
		    "column 15: cannot read memory at 0x10200");

	/* no more is read than is needed */
	thread_init(&thread);
	memset(thread.memory.bytes, 'a', sizeof(thread.memory.bytes));
	assert_null(evaluate_in("name == \"b\"", &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2);
	str_append(&text, "name == \"b");
	for (int i = 0; i < 4000; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	assert_null(evaluate_in(str_text(&text), &place, &thread, &value));
	assert_int_equal(value.i, 0);
	assert_int_equal(thread.memory.read_bytes, 2 + 256);
	str_deinit(&text);

	str_append(&text, "name == \"");
	for (int i = 0; i < 4096; i++)
		str_append_char(&text, 'a');
	str_append(&text, "\"");
	check_error(str_text(&text), ERROR_USAGE,
		    "column 9: a string to compare with has less than 4096 "
		    "bytes, none of them zero");
	str_deinit(&text);
}

static void test_bind_errors(void **state)
{
	(void)state;
	check_error("pagse == 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'pagse'; is 'pages' what was meant?");
	check_error("1 + Pages", ERROR_NOT_FOUND,
		    "column 5: there is no variable here that is called "
		    "'Pages'; is 'pages' what was meant?");
	check_error("total", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'total'");
	check_error("xyzzy_plugh", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'xyzzy_plugh'");
	check_error("x", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called 'x'");
	check_error("rdi > 1", ERROR_NOT_FOUND,
		    "column 1: there is no variable 'rdi' here; the register "
		    "is '$rdi'");
	check_error("$argl", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$argl'; "
		    "is '$arg1' what was meant?");
	check_error("$arg7", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$arg7'; "
		    "is '$arg1' what was meant?");
	check_error("$arg11", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$arg11'; "
		    "is '$arg1' what was meant?");
	check_error("$RAX", ERROR_NOT_FOUND,
		    "column 1: there is no register or value called '$RAX'");
	check_error("array", ERROR_USAGE,
		    "column 1: 'array' is of type 'int[4]': arrays, "
		    "structures, unions and what has more than 64 bits are not "
		    "supported in this version");
	check_error("1 + huge", ERROR_USAGE,
		    "column 5: 'huge' is of type '__int128': arrays, "
		    "structures, unions and what has more than 64 bits are not "
		    "supported in this version");
	check_error("pages && gone", ERROR_EVALUATE,
		    "column 10: 'gone': optimized out");
	check_error("none", ERROR_EVALUATE,
		    "column 1: the variable has no value here");
	check_error("pages / (pages - 1)", ERROR_EVALUATE,
		    "column 7: division by zero");
	check_error("$node(4)", ERROR_EVALUATE, "column 1: there is no node 4");
	/* variables found before the error are let go: evaluate_in() looks */
	check_error("pages + count + nowhere", ERROR_NOT_FOUND,
		    "column 17: there is no variable here that is called "
		    "'nowhere'");
}

static void check_at(const char *text, struct expr_place place,
		     enum error_code code, const char *message)
{
	struct thread thread;
	struct value value;
	struct error *error;

	thread_init(&thread);
	error = evaluate_in(text, &place, &thread, &value);
	assert_non_null(error);
	assert_int_equal(error_code(error), code);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
}

static void test_places(void **state)
{
	(void)state;
	check_at("1 + $ret", (struct expr_place){.file = &program}, ERROR_USAGE,
		 "column 5: '$ret' is known only where a function returns: "
		 "`break exit FUNC`");
	check_at("pages", (struct expr_place){0}, ERROR_NOT_FOUND,
		 "column 1: 'pages' cannot be looked up: the program is not "
		 "known here; registers ($rax, $arg1) can be used");
	check_at("3 < pages",
		 (struct expr_place){.file = &program,
				     .address = STACKED_AT,
				     .at_entry = true},
		 ERROR_EVALUATE,
		 "column 5: 'pages': not in a register; use break FUNC");
}

static void check_constant(const char *text, bool expected)
{
	struct expr_place place = {.file = &program, .at_exit = true};
	struct bound_expr *bound;
	struct expr *expr;

	assert_null(expr_parse(text, &expr));
	assert_null(expr_bind(expr, &place, &bound));
	assert_int_equal(bound_expr_is_constant(bound), expected);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

static void test_constant(void **state)
{
	(void)state;
	check_constant("1", true);
	check_constant("(1 + 2) * 3 ? NULL : (char *) 3", true);
	check_constant("pages", false);
	check_constant("0 && pages", false);
	check_constant("$rax", false);
	check_constant("$arg1", false);
	check_constant("$ret", false);
	check_constant("$pid", false);
	check_constant("$tid", false);
	check_constant("$node(1)", false);
	check_constant("*(int *) 4096", false);
	check_constant("(char *) 4096 == \"x\"", false);
}

/* One expression at two places at once, and nothing allocated meanwhile. */
static void test_binding_twice(void **state)
{
	struct expr_place one = {.file = &program};
	struct expr_place other = {.file = &program, .address = 0x2000};
	struct bound_expr *first, *second;
	struct thread thread;
	struct value value;
	struct expr *expr;
	size_t before;

	(void)state;
	thread_init(&thread);
	assert_null(expr_parse("pages == 1 && name == \"hello\" && "
			       "*(numbers + 2) / ratio > $arg1",
			       &expr));
	assert_null(expr_bind(expr, &one, &first));
	assert_null(expr_bind(expr, &other, &second));
	bound_expr_destroy(first);
	before = mallinfo2().uordblks;
	for (int i = 0; i < 1000; i++) {
		assert_null(bound_expr_evaluate(second, &thread.input, &value));
		assert_true(value_is_true(value));
	}
	assert_int_equal(mallinfo2().uordblks, before);
	bound_expr_destroy(second);
	expr_destroy(expr);
	assert_int_equal(program.open_variables, 0);
}

static void test_destroying_nothing(void **state)
{
	(void)state;
	expr_destroy(NULL);
	bound_expr_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_bind_errors),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_constant),
		cmocka_unit_test(test_binding_twice),
		cmocka_unit_test(test_destroying_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
