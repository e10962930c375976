/*
 * test_expr_label.c - what a value is called as a row of a table
 *
 * The program's memory is one page; behind it there is nothing.
 *
 * tier: core
 * covers: expr/label
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/expr.h"

#define BASE UINT64_C(0x10000)
static char page[4096];

static bool read_page(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	unsigned *reads = context;

	++*reads;
	if (address < BASE || address - BASE > sizeof(page) ||
	    size > sizeof(page) - (address - BASE))
		return false;
	memcpy(buffer, page + (address - BASE), size);
	return true;
}

/* The label of `text` with $rdi = `rdi`, or the error's message. */
static const char *label(const char *text, uint64_t rdi, size_t size,
			 bool number)
{
	static char buffer[256];
	const struct expr_place place = {.file = NULL};
	struct user_regs_struct regs = {.rdi = rdi};
	unsigned reads = 0;
	struct expr_input input = {.reader = {.read = read_page,
					      .context = &reads,
					      .regs = &regs}};
	struct bound_expr *bound = NULL;
	struct expr *expr = NULL;
	struct error *error;
	char *exact = malloc(size);

	assert_non_null(exact);
	assert_null(expr_parse(text, &expr));
	assert_null(expr_bind(expr, &place, &bound));
	assert_int_equal(bound_expr_is_number(bound), number);
	error = bound_expr_label(bound, &input, exact, size);
	if (error)
		assert_int_equal(error_code(error), ERROR_EVALUATE);
	snprintf(buffer, sizeof(buffer), "%s",
		 error ? error_message(error) : exact);
	assert_true(reads <= 1); /* one, however long it is */
	error_destroy(error);
	bound_expr_destroy(bound);
	expr_destroy(expr);
	free(exact);
	return buffer;
}

static void numbers_are_labels(void **state)
{
	(void)state;
	assert_string_equal(label("(int)$rdi", 7, 96, true), "7");
	assert_string_equal(label("(int)$rdi - 8", 7, 96, true), "-1");
	assert_string_equal(label("(unsigned char)$rdi", 0x141, 96, false),
			    "65 'A'");
	assert_string_equal(label("(double)$rdi / 2", 7, 96, false), "3.5");
	assert_string_equal(label("(float)$rdi / 10", 11, 96, false),
			    "1.10000002");
	assert_string_equal(label("(_Bool)$rdi", 5, 96, false), "true");
	assert_string_equal(label("(__int128)$rdi << 64", 1, 96, false),
			    "18446744073709551616");
	assert_string_equal(label("-(__int128)$rdi", 3, 96, false), "-3");
	assert_string_equal(label("(__int128)$rdi << 64", 1, 8, false),
			    "1844...");
	assert_string_equal(label("$pc", 0, 96, false), "0x0");
	assert_string_equal(label("(unsigned long)$rdi", UINT64_MAX, 96, true),
			    "18446744073709551615");
	assert_string_equal(label("(long *)$rdi", BASE, 96, false), "0x10000");
}

static const char *string(const char *bytes, size_t size)
{
	memset(page, 'z', sizeof(page));
	strcpy(page + 16, bytes);
	return label("(char *)$rdi", BASE + 16, size, false);
}

static void strings_are_labels_with_escapes(void **state)
{
	(void)state;
	assert_string_equal(string("get", 96), "get");
	assert_string_equal(string("", 96), "");
	assert_string_equal(string("a b\"c'", 96), "a b\"c'");
	assert_string_equal(string("a\nb\t\\\x1b[2J\x7f\x01", 96),
			    "a\\nb\\t\\\\\\033[2J\\177\\001");
	assert_string_equal(
		string("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", 96),
		"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
	/* no UTF-8: a byte alone, one too long, half a pair, a C1 control */
	assert_string_equal(
		string("\xff\xc0\xaf \xed\xa0\x80 \xc2\x9b \xc3", 96),
		"\\377\\300\\257 \\355\\240\\200 \\302\\233 \\303");
	assert_string_equal(label("(char *)$rdi", 0, 96, false), "NULL");
	assert_string_equal(label("(unsigned char *)$rdi", 0, 96, false),
			    "NULL");
}

static void long_strings_are_cut(void **state)
{
	(void)state;
	assert_string_equal(string("1234567", 8), "1234567");
	assert_string_equal(string("12345678", 8), "1234...");
	assert_string_equal(string("12345\n", 8), "12345\\n");
	assert_string_equal(string("123456\n", 8), "1234...");
	/* a character is shown whole or not at all */
	assert_string_equal(string("123\xc3\xa9"
				   "56789",
				   8),
			    "123...");
	assert_string_equal(string("123\001567", 8), "123...");
}

static void string_label_reads_no_further_than_memory(void **state)
{
	(void)state;
	memset(page, 'x', sizeof(page));
	page[sizeof(page) - 1] = '\0';
	assert_string_equal(label("(char *)$rdi", BASE + 4090, 96, false),
			    "xxxxx");
	assert_string_equal(label("(char *)$rdi", 0x666, 96, false),
			    "cannot read the string at 0x666");
	/* and no address in between */
	assert_string_equal(label("(char *)$rdi", UINT64_MAX, 96, false),
			    "cannot read the string at 0xffffffffffffffff");
}

/* ---- $caller ------------------------------------------------------------- */

static void caller_of(void *context, uint64_t address, unsigned frame,
		      struct expr_caller *out)
{
	(void)context;
	assert_int_equal(frame, 0);
	if (address == 0x4242)
		*out = (struct expr_caller){"ns::Class<int>::method", 0x4200};
}

struct asked {
	struct expr *expr;
	struct bound_expr *bound;
	struct expr_input input;
	unsigned reads;
	struct user_regs_struct regs;
};

/* Bind the expression at the entry of a function, where `returns_to` is on top
 * of the stack. */
static void ask(struct asked *asked, const char *text, uint64_t returns_to)
{
	const struct expr_place place = {.file = NULL, .at_entry = true};

	memcpy(page + 16, &returns_to, sizeof(returns_to));
	*asked = (struct asked){.regs = {.rsp = BASE + 16}};
	assert_null(expr_parse(text, &asked->expr));
	assert_null(expr_bind(asked->expr, &place, &asked->bound));
	asked->input = (struct expr_input){.reader = {.read = read_page,
						      .context = &asked->reads,
						      .regs = &asked->regs},
					   .modules = {.caller = caller_of}};
}

static void forget(struct asked *asked)
{
	bound_expr_destroy(asked->bound);
	expr_destroy(asked->expr);
}

static uint64_t value_of(const char *text)
{
	struct asked asked;
	struct value value;

	ask(&asked, text, 0x4242);
	assert_false(bound_expr_needs_registers(asked.bound));
	assert_false(bound_expr_is_constant(asked.bound));
	assert_null(bound_expr_evaluate(asked.bound, &asked.input, &value));
	forget(&asked);
	return value.u;
}

static enum expr_refusal refusal_of(const char *text,
				    struct fast_program *program)
{
	enum expr_refusal refusal;
	struct asked asked;
	struct value form;

	ask(&asked, text, 0x4242);
	refusal = bound_expr_compile(asked.bound, &asked.input, program, &form);
	forget(&asked);
	return refusal;
}

static void callers_are_labels(void **state)
{
	struct asked asked;
	char text[96];

	(void)state;
	ask(&asked, "$caller", 0x4242);
	assert_true(bound_expr_is_caller(asked.bound));
	assert_false(bound_expr_is_number(asked.bound));
	assert_true(bound_expr_label_is_of_value(asked.bound));
	assert_null(bound_expr_label(asked.bound, &asked.input, text,
				     sizeof(text)));
	assert_string_equal(text, "ns::Class<int>::method");
	/* a fast node records the return address */
	bound_expr_label_of(asked.bound, &asked.input, value_unsigned(0x4242),
			    text, 8);
	assert_string_equal(text, "ns::...");
	assert_int_equal(
		bound_expr_calling(asked.bound, &asked.input.modules, 0x4242),
		0x4200);
	forget(&asked);
	ask(&asked, "$caller", 0x999);
	assert_null(bound_expr_label(asked.bound, &asked.input, text,
				     sizeof(text)));
	assert_string_equal(text, "0x999");
	forget(&asked);
}

static void callers_are_compared(void **state)
{
	(void)state;
	assert_int_equal(value_of("$caller"), 0x4200);
	assert_int_equal(value_of("$caller == \"ns::Class<int>::method\""), 1);
	assert_int_equal(value_of("$caller == \"method\""), 1);
	assert_int_equal(value_of("\"Class<int>::method\" == $caller"), 1);
	assert_int_equal(value_of("$caller == \"ethod\""), 0);
	assert_int_equal(value_of("$caller == \"x::ns::Class<int>::method\""),
			 0);
	assert_int_equal(value_of("$caller != \"method\""), 0);
	assert_int_equal(value_of("$caller == (void *)0x4200 ? 7 : 8"), 7);
}

static void callers_are_recorded(void **state)
{
	struct fast_program program;

	(void)state;
	assert_int_equal(refusal_of("$caller", &program), EXPR_COMPILED);
	assert_int_equal(program.count, 1);
	assert_int_equal(program.steps[0].operation, FAST_FRAME);
	assert_int_equal(program.steps[0].reg, 4);
	assert_int_equal(program.steps[0].number, 0);
	assert_int_equal(refusal_of("$caller == \"f\"", &program), EXPR_CALLER);
	assert_int_equal(refusal_of("$caller == (void *)1", &program),
			 EXPR_CALLER);
}

static void callers_need_a_stack(void **state)
{
	struct error *error;
	struct asked asked;
	struct value value;

	(void)state;
	ask(&asked, "$caller", 0x4242);
	asked.regs.rsp = 0x666;
	error = bound_expr_evaluate(asked.bound, &asked.input, &value);
	assert_int_equal(error_code(error), ERROR_EVALUATE);
	assert_string_equal(error_message(error),
			    "column 1: the return address of the frame cannot "
			    "be read");
	error_destroy(error);
	forget(&asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_labels),
		cmocka_unit_test(strings_are_labels_with_escapes),
		cmocka_unit_test(long_strings_are_cut),
		cmocka_unit_test(string_label_reads_no_further_than_memory),
		cmocka_unit_test(callers_are_labels),
		cmocka_unit_test(callers_are_compared),
		cmocka_unit_test(callers_are_recorded),
		cmocka_unit_test(callers_need_a_stack),
	};

	return cmocka_run_group_tests_name("expr_label", tests, NULL, NULL);
}
