/*
 * test_expr_goroutine.c - $g, and which goroutine a thread executes
 *
 * tier: core
 * covers: expr/evaluate expr/compile debuginfo
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../arch/fast_steps.h"
#include "expr_program.h"
#include "perftool/debuginfo/go_program.h"

#define FS (MEMORY + 600)
#define DESCRIPTOR (MEMORY + 640)

static struct thread thread;
static const struct go_runtime numbered = {
	.has_slot = true, .slot = -8, .stack_top = 8, .goid = 24};
static const struct go_runtime unnumbered = {
	.has_slot = true, .slot = -16, .stack_top = 8};
static const struct go_runtime unknown = {.stack_top = 8, .goid = 24};

static void put(uint64_t address, uint64_t value)
{
	memcpy(thread.memory.bytes + (address - MEMORY), &value, sizeof(value));
}

static int setup(void **state)
{
	(void)state;
	thread_init(&thread);
	thread.regs.fs_base = FS;
	put(FS - 8, DESCRIPTOR);
	put(FS - 16, DESCRIPTOR);
	put(DESCRIPTOR + 8, 0xc000002000);
	put(DESCRIPTOR + 24, 17);
	program.go = &numbered;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	program.go = NULL;
	return 0;
}

static size_t files(void *context, struct debugfile *const **out)
{
	static struct debugfile *const both[] = {&program, &library};

	(void)context;
	*out = both;
	return 2;
}

static struct error *bind_in(struct debugfile *file, const char *text,
			     struct expr **expr, struct bound_expr **bound)
{
	const struct expr_place place = {
		.file = file, .address = 0x1234, .modules = {.files = files}};

	assert_null(expr_parse(text, expr));
	return expr_bind(*expr, &place, bound);
}

static void check_in(struct debugfile *file, const char *text,
		     uint64_t expected)
{
	struct bound_expr *bound;
	struct value value;
	struct expr *expr;

	assert_null(bind_in(file, text, &expr, &bound));
	assert_true(bound_expr_needs_registers(bound));
	assert_false(bound_expr_is_constant(bound));
	assert_null(bound_expr_evaluate(bound, &thread.input, &value));
	assert_int_equal(value.kind, VALUE_UNSIGNED);
	assert_int_equal(value.u, expected);
	bound_expr_destroy(bound);
	expr_destroy(expr);
}

static void check_refused(const char *text, const char *message)
{
	struct bound_expr *bound;
	struct expr *expr;
	struct error *error = bind_in(&program, text, &expr, &bound);

	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
	expr_destroy(expr);
}

static void test_g_is_the_number_of_the_goroutine(void **state)
{
	(void)state;
	check_in(&program, "$g", 17);
	check_in(&program, "$g + 1", 18);
	/* in a library of the program */
	check_in(&library, "$g", 17);
	program.go = &unnumbered;
	check_in(&program, "$g", DESCRIPTOR);
}

static void test_g_is_0_without_a_goroutine(void **state)
{
	(void)state;
	/* a thread of the runtime's own; one that it does not know; one that
	 * has no thread pointer yet */
	put(DESCRIPTOR + 24, 0);
	check_in(&program, "$g", 0);
	put(FS - 8, 0);
	check_in(&program, "$g", 0);
	thread.regs.fs_base = 0;
	check_in(&program, "$g", 0);
}

static void test_g_outside_of_go_is_refused(void **state)
{
	(void)state;
	program.go = &unknown;
	check_refused("$g",
		      "column 1: '$g': perftool cannot find where the Go "
		      "runtime keeps it; build the program with its symbols");
	program.go = NULL;
	check_refused("1 + $g", "column 5: '$g' is the goroutine of a Go "
				"program, and this is not a Go program");
}

static void test_goroutine_is_read(void **state)
{
	struct goroutine goroutine;

	(void)state;
	assert_true(
		goroutine_read(&numbered, &thread.input.reader, &goroutine));
	assert_int_equal(goroutine.id, 17);
	assert_int_equal(goroutine.stack_top, 0xc000002000);
	assert_false(
		goroutine_read(&unknown, &thread.input.reader, &goroutine));
	/* a descriptor that is none */
	put(FS - 8, 0xdead0000);
	assert_false(
		goroutine_read(&numbered, &thread.input.reader, &goroutine));
}

static uint64_t load(const void *context, uint64_t address, unsigned size)
{
	uint64_t value = 0;

	(void)context;
	memcpy(&value, thread.memory.bytes + (address - MEMORY), size);
	return value;
}

static uint64_t run(const struct fast_program *fast)
{
	assert_true(fast_is_sound(fast));
	return fast_steps_run(fast, &thread.regs, load, NULL);
}

/* What a trampoline computes is what the tool would have read. */
static void check_programs(const struct go_runtime *go)
{
	struct goroutine goroutine;
	struct fast_program fast;

	assert_true(goroutine_read(go, &thread.input.reader, &goroutine));
	goroutine_id_program(go, &fast);
	assert_int_equal(run(&fast), goroutine.id);
	goroutine_stack_program(go, &fast);
	assert_int_equal(run(&fast), goroutine.stack_top);
}

static void test_fast_programs_find_the_goroutine(void **state)
{
	(void)state;
	check_programs(&numbered);
	check_programs(&unnumbered);
	put(FS - 8, 0);
	check_programs(&numbered);
}

#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(test_g_is_the_number_of_the_goroutine),
		RULE(test_g_is_0_without_a_goroutine),
		RULE(test_g_outside_of_go_is_refused),
		RULE(test_goroutine_is_read),
		RULE(test_fast_programs_find_the_goroutine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
