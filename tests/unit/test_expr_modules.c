/*
 * test_expr_modules.c - names that another module of the program defines
 *
 * tier: core
 * covers: expr/bind debuginfo/symbols
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "expr_checks.h"
#include "expr_program.h"

/* The library is loaded, or not yet; then its names are known all the same, as
 * after it was unloaded. */
static bool is_loaded = true;

static size_t files_of(void *context, struct debugfile *const **out)
{
	static struct debugfile *const files[] = {&program, &library};

	assert_ptr_equal(context, &is_loaded);
	*out = files;
	return 2;
}

static bool bias_of(void *context, const struct debugfile *file, uint64_t *bias)
{
	assert_ptr_equal(context, &is_loaded);
	*bias = file == &library ? LIBRARY_BIAS : 0;
	return file == &program || is_loaded;
}

static const struct expr_modules modules = {
	.files = files_of, .bias = bias_of, .context = &is_loaded};

static struct error *evaluate_of(struct debugfile *file, const char *text,
				 struct value *out)
{
	struct expr_place place = {.file = file, .modules = modules};
	struct thread thread;
	struct error *error;

	thread_init(&thread);
	thread.input.modules = modules;
	if (file == &library)
		thread.input.reader.bias = LIBRARY_BIAS;
	error = evaluate_at(text, &place, &thread.input, out);
	assert_int_equal(program.open_variables, 0);
	return error;
}

static struct error *evaluate(const char *text, struct value *out)
{
	return evaluate_of(&program, text, out);
}

static void check_int(const char *text, int64_t expected)
{
	check(text, value_signed(expected));
}

static void check_in_library(const char *text, int64_t expected)
{
	struct value value;

	fail_with(text, evaluate_of(&library, text, &value));
	assert_int_equal(value.i, expected);
}

/* ---- tests ----------------------------------------------------------------
 */

static void test_variables_of_libraries_are_found(void **state)
{
	(void)state;
	check_int("total", -20);
	check_int("total + hidden", 10);
	check("(unsigned long) &total", value_unsigned(MEMORY + 36));
	check("&beyond_it == 0xb000", value_signed(1));
	/* a type that is known here is no variable of a library's */
	check_error("number_t", ERROR_NOT_FOUND,
		    "column 1: there is no variable here that is called "
		    "'number_t'; is 'numbers' what was meant?");
}

static void test_symbols_without_a_type_need_a_cast(void **state)
{
	static const char unknown[] =
		"column 1: 'raw' has unknown type; cast it to its declared "
		"type";

	(void)state;
	check_int("(int) raw", 10);
	check_int("(char) raw + 1", 11);
	check_int("((struct point) raw).x", 10);
	check("(unsigned long) &raw", value_unsigned(MEMORY + 32));
	check_int("*(int *) &raw", 10);
	check_int("(int) raw_static", 30);
	check_int("(int) own", 30);
	check_int("errno", -20);
	check_int("errno == -20", 1);
	check_int("sizeof errno == 4", 1);
	check_int("renamed", -20);
	check_int("own_declared", 30);
	check_error("raw", ERROR_USAGE, unknown);
	check_error("raw + 1", ERROR_USAGE, unknown);
	check_error("sizeof(raw)", ERROR_USAGE,
		    "column 8: 'raw' has unknown type; cast it to its declared "
		    "type");
	check_error("(int) (raw + 1)", ERROR_USAGE,
		    "column 8: 'raw' has unknown type; cast it to its declared "
		    "type");
}

static void test_declared_variables_are_found_where_defined(void **state)
{
	(void)state;
	check_int("beyond", 30);
	check_int("opaque_one.id", 7);
	check_error("nobodys", ERROR_NOT_FOUND,
		    "column 1: 'nobodys' is only declared here, and nothing "
		    "that is loaded defines it");
	check_error("ns::derived::dropped", ERROR_EVALUATE,
		    "column 1: 'ns::derived::dropped': optimized out");
}

/* Who asks makes no difference: all have the program's. */
static void test_copied_variables_are_those_of_the_program(void **state)
{
	(void)state;
	check_int("copied", -20);
	check_int("aliased", 10);
	check_in_library("copied", -20);
	check_in_library("aliased", 10);
	check_in_library("total", -20);
	check_in_library("hidden", 30);
}

static void check_uses(const char *text, bool expected)
{
	struct expr_place place = {.file = &program, .modules = modules};
	struct bound_expr *bound;
	struct expr *expr;

	assert_null(expr_parse(text, &expr));
	assert_null(expr_bind(expr, &place, &bound));
	assert_int_equal(bound_expr_uses_modules(bound), expected);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

static void test_variable_of_unloaded_library_is_an_error(void **state)
{
	(void)state;
	check_uses("pages + 1", false);
	check_uses("total", true);
	check_uses("beyond", true);
	check_uses("(int) raw", true);
	check_uses("beyond_it == 0", true);
	is_loaded = false;
	check_error("total", ERROR_EVALUATE,
		    "column 1: 'total' is in /lib/library.so, which is not "
		    "loaded");
	check_error("beyond_it == 0", ERROR_EVALUATE,
		    "column 1: 'beyond_it' is in /lib/library.so, which is not "
		    "loaded");
	check_int("copied", -20);
	is_loaded = true;
	check_int("total", -20);
}

/* Nobody knows of other modules: what there is without them. */
static void test_own_names_are_found_without_other_modules(void **state)
{
	const struct expr_place place = {.file = &program};
	struct thread thread;
	struct value value;
	struct error *error;

	(void)state;
	thread_init(&thread);
	error = evaluate_at("total", &place, &thread.input, &value);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	assert_null(evaluate_at("(int) own", &place, &thread.input, &value));
	assert_int_equal(value.i, 30);
	assert_int_equal(program.open_variables, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_of_libraries_are_found),
		cmocka_unit_test(test_symbols_without_a_type_need_a_cast),
		cmocka_unit_test(
			test_declared_variables_are_found_where_defined),
		cmocka_unit_test(
			test_copied_variables_are_those_of_the_program),
		cmocka_unit_test(test_variable_of_unloaded_library_is_an_error),
		cmocka_unit_test(
			test_own_names_are_found_without_other_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
