/*
 * test_expr.c - the language: what C's own compiler makes of an expression is
 * what ours must make of it, and what is no expression must be said so
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/expr.h"

/* What the compiler warns of in `1 < 2 == 3` is what is tested here. */
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Woverflow"
#pragma GCC diagnostic ignored "-Wlogical-not-parentheses"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wtype-limits"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wbitwise-op-parentheses"
#pragma GCC diagnostic ignored "-Wlogical-op-parentheses"
#pragma GCC diagnostic ignored "-Wshift-op-parentheses"
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#pragma GCC diagnostic ignored "-Wconstant-conversion"
#pragma GCC diagnostic ignored "-Wtautological-constant-compare"
#pragma GCC diagnostic ignored "-Wliteral-range"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-operation"
#endif

static void fail_with(const char *text, struct error *error)
{
	if (error)
		fail_msg("%s: %s", text, error_message(error));
}

/* Parse, bind to nowhere, evaluate. */
static struct error *evaluate(const char *text, struct value *out)
{
	struct expr_place nowhere = {0};
	struct expr_input input = {0};
	struct bound_expr *bound;
	struct expr *expr;
	struct error *error;

	TRY(expr_parse(text, &expr));
	error = expr_bind(expr, &nowhere, &bound);
	if (!error) {
		error = bound_expr_evaluate(bound, &input, out);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	return error;
}

static void check(const char *text, struct value expected)
{
	char a[32], b[32];
	struct value value;

	fail_with(text, evaluate(text, &value));
	if (value.kind != expected.kind || value.u != expected.u)
		fail_msg("%s: is %s (kind %d), not %s (kind %d)", text,
			 value_format(value, a), value.kind,
			 value_format(expected, b), expected.kind);
}

/* clang-format off */
#define VALUE(e)                                                               \
	_Generic((e),                                                          \
		_Bool: value_unsigned, char: value_signed,                     \
		signed char: value_signed, unsigned char: value_unsigned,      \
		short: value_signed, unsigned short: value_unsigned,           \
		int: value_signed, unsigned: value_unsigned,                   \
		long: value_signed, unsigned long: value_unsigned,             \
		long long: value_signed, unsigned long long: value_unsigned,   \
		float: value_float, double: value_float)(e)
/* clang-format on */

/* The text of an expression, and what the compiler makes of it. */
#define SAME(e) check(#e, VALUE(e))

/* Every operator after every other, by the way C groups them. */
#define AFTER_INTEGER(a, op, b, c)                                             \
	SAME(a op b *c);                                                       \
	SAME(a op b / c);                                                      \
	SAME(a op b % c);                                                      \
	SAME(a op b + c);                                                      \
	SAME(a op b - c);                                                      \
	SAME(a op b << c);                                                     \
	SAME(a op b >> c);                                                     \
	SAME(a op b < c);                                                      \
	SAME(a op b <= c);                                                     \
	SAME(a op b > c);                                                      \
	SAME(a op b >= c);                                                     \
	SAME(a op b == c);                                                     \
	SAME(a op b != c);                                                     \
	SAME(a op b &c);                                                       \
	SAME(a op b ^ c);                                                      \
	SAME(a op b | c);                                                      \
	SAME(a op b &&c);                                                      \
	SAME(a op b || c);                                                     \
	SAME(a op b ? c : a);                                                  \
	SAME(b ? a op b : c);                                                  \
	SAME(0 ? c : a op b)

#define AFTER_ANY(a, op, b, c)                                                 \
	SAME(a op b *c);                                                       \
	SAME(a op b / c);                                                      \
	SAME(a op b + c);                                                      \
	SAME(a op b - c);                                                      \
	SAME(a op b < c);                                                      \
	SAME(a op b <= c);                                                     \
	SAME(a op b > c);                                                      \
	SAME(a op b >= c);                                                     \
	SAME(a op b == c);                                                     \
	SAME(a op b != c);                                                     \
	SAME(a op b &&c);                                                      \
	SAME(a op b || c);                                                     \
	SAME(-(a)op b);                                                        \
	SAME(a op - (b));                                                      \
	SAME(!a op + b);                                                       \
	SAME(a op b ? c : a)

#define ALL_ANY(a, b, c)                                                       \
	do {                                                                   \
		AFTER_ANY(a, *, b, c);                                         \
		AFTER_ANY(a, /, b, c);                                         \
		AFTER_ANY(a, +, b, c);                                         \
		AFTER_ANY(a, -, b, c);                                         \
		AFTER_ANY(a, <, b, c);                                         \
		AFTER_ANY(a, <=, b, c);                                        \
		AFTER_ANY(a, >, b, c);                                         \
		AFTER_ANY(a, >=, b, c);                                        \
		AFTER_ANY(a, ==, b, c);                                        \
		AFTER_ANY(a, !=, b, c);                                        \
		AFTER_ANY(a, &&, b, c);                                        \
		AFTER_ANY(a, ||, b, c);                                        \
	} while (0)

#define ALL_INTEGER(a, b, c)                                                   \
	do {                                                                   \
		AFTER_INTEGER(a, *, b, c);                                     \
		AFTER_INTEGER(a, /, b, c);                                     \
		AFTER_INTEGER(a, %, b, c);                                     \
		AFTER_INTEGER(a, +, b, c);                                     \
		AFTER_INTEGER(a, -, b, c);                                     \
		AFTER_INTEGER(a, <<, b, c);                                    \
		AFTER_INTEGER(a, >>, b, c);                                    \
		AFTER_INTEGER(a, <, b, c);                                     \
		AFTER_INTEGER(a, <=, b, c);                                    \
		AFTER_INTEGER(a, >, b, c);                                     \
		AFTER_INTEGER(a, >=, b, c);                                    \
		AFTER_INTEGER(a, ==, b, c);                                    \
		AFTER_INTEGER(a, !=, b, c);                                    \
		AFTER_INTEGER(a, &, b, c);                                     \
		AFTER_INTEGER(a, ^, b, c);                                     \
		AFTER_INTEGER(a, |, b, c);                                     \
		AFTER_INTEGER(a, &&, b, c);                                    \
		AFTER_INTEGER(a, ||, b, c);                                    \
		SAME(~a & ~b | ~c);                                            \
		SAME(!a + !b - !!c);                                           \
	} while (0)

static void test_precedence_of_integers(void **state)
{
	(void)state;
	ALL_INTEGER(7, 3, 2);
	ALL_INTEGER(1, 1, 1);
	ALL_INTEGER(100, 3, 3u);
	ALL_INTEGER(250u, 3, 1L);
	ALL_INTEGER(0x12345678UL, 6, 5);
}

static void test_precedence_of_any_numbers(void **state)
{
	(void)state;
	ALL_ANY(7.5, 3, 2);
	ALL_ANY(1, 3.0f, 7.0f);
	ALL_ANY(1.0f, 3.0, 2u);
	ALL_ANY(0.1f, 0.2f, 0.3f);
	ALL_ANY(0xffffffffu, 2, 3);
	ALL_ANY(-9, 4u, 2);
	ALL_ANY(-9, 4, 2ul);
	ALL_ANY(18446744073709551615ul, 3, 1.5f);
}

static void test_literals(void **state)
{
	(void)state;
	SAME(0);
	SAME(00);
	SAME(0777);
	SAME(2147483647);
	SAME(2147483648);
	SAME(-2147483648);
	SAME(4294967295);
	SAME(0x7fffffff);
	SAME(0x80000000);
	SAME(0xFFFFFFFF);
	SAME(0x100000000);
	SAME(037777777777);
	SAME(0b101101);
	SAME(0B11111111111111111111111111111111);
	SAME(0x7fffffffffffffff);
	SAME(0x8000000000000000);
	SAME(9223372036854775807);
	SAME(18446744073709551615u);
	SAME(1u);
	SAME(1U);
	SAME(1l);
	SAME(1lu);
	SAME(1uL);
	SAME(1ll);
	SAME(1LLU);
	SAME(1ull);
	check("18446744073709551615", value_unsigned(UINT64_MAX));

	SAME('a');
	SAME('\n');
	SAME('\'');
	SAME('"');
	SAME('\\');
	SAME('\0');
	SAME('\177');
	SAME('\377');
	SAME('\xff');
	SAME('\x7F');
	SAME('\a' + '\b' + '\f' + '\r' + '\t' + '\v' + '\?');
	SAME('\x41' == 'A');

	SAME(1.5);
	SAME(1.);
	SAME(.5);
	SAME(1e3);
	SAME(1E+3);
	SAME(1e-3f);
	SAME(0.1);
	SAME(0.1f);
	SAME(0x1.8p3);
	SAME(0x1p-1022);
	SAME(1.7976931348623157e308);
	SAME(3.4028234663852886e38F);
	check("1.5L", value_float(1.5));
	check("0xe+1", value_signed(15));
	check("true + false", value_signed(1));
	check("NULL", value_unsigned(0));
	check("nullptr == 0", value_signed(1));
}

static void test_types_and_conversions(void **state)
{
	(void)state;
	SAME(-1 < 1u);
	SAME(-1L < 1u);
	SAME(-1L < 1ul);
	SAME(-1 == 0xffffffff);
	SAME(-1 == 0xffffffffffffffff);
	SAME(-1 > 4294967295L);
	SAME(4294967295u + 1);
	SAME(4294967295u + 1L);
	SAME(0u - 1);
	SAME(0ul - 1);
	SAME(-1 / 2u);
	SAME(-7 / 2);
	SAME(-7 % 2);
	SAME(7 % -2);
	SAME(-7L % 4u);
	SAME(-8 >> 1);
	SAME(-8L >> 40);
	SAME(0xf0000000 >> 28);
	SAME(1u << 31);
	SAME(1ul << 63);
	SAME(1 << 30);
	SAME(~0);
	SAME(~0u);
	SAME(~0ul);
	SAME(~(unsigned char)1);
	SAME(-(unsigned char)1);
	SAME(+(short)-1);
	SAME(-2147483648 < 0u);
	SAME(!0.0);
	SAME(!0.1);
	SAME(0.1 && -0.0);
	SAME(0.5 || 0);
	SAME(0.1f == 0.1);
	SAME(0.1f + 0.2f);
	SAME(0.1f + 0.2);
	SAME(16777217 + 0.0f);
	SAME(9007199254740993 + 0.0);
	SAME(9007199791611905 * 1.0f);
	SAME(18446744073709551615ul * 1.0);
	SAME(18446744073709551615ul * 1.0f);
	SAME(1 ? -1 : 1u);
	SAME(0 ? 1.5 : 1);
	SAME(1 ? 1 : 1.5f);
	SAME(0 ? 1ul : -1);
	SAME(1 ? 0 ? 1 : 2 : 3);
	SAME(0 ? 1 : 0 ? 2 : 3);
	SAME(1 ? 2 : 0 ? 3 : 4);

	SAME((char)200);
	SAME((signed char)200);
	SAME((unsigned char)-1);
	SAME((short)40000);
	SAME((unsigned short)-1);
	SAME((int)4294967295);
	SAME((unsigned)-1);
	SAME((unsigned int)-1L);
	SAME((long)-1);
	SAME((long)4294967295u);
	SAME((unsigned long)-1);
	SAME((long unsigned int)-1);
	SAME((long long)-1);
	SAME((unsigned long long)-1);
	SAME((_Bool)256);
	SAME((_Bool)0.5);
	SAME((_Bool)0);
	SAME((float)0.1);
	SAME((double)0.1f);
	SAME((float)16777217);
	SAME((int)1.9);
	SAME((int)-1.9);
	SAME((unsigned char)255.9);
	SAME((unsigned)-0.9);
	SAME((int)-2147483648.9);
	SAME((long)-9223372036854775808.0);
	SAME((unsigned long)18446744073709549568.0);
	SAME((uint8_t)300);
	SAME((int16_t)40000);
	SAME((size_t)-1);
	SAME((ptrdiff_t)-1);
	SAME((int)(char)200 + 1);
	SAME(-(int)1.5 * 2);
	SAME((char)1 + (char)2);
	SAME((unsigned char)200 + (unsigned char)100);
	check("(const volatile int) 3", value_signed(3));
	check("(long double) 3", value_float(3));
}

/* What C leaves undefined wraps here. */
static void test_wrapping(void **state)
{
	(void)state;
	check("2147483647 + 1", value_signed(INT32_MIN));
	check("-2147483647 - 2", value_signed(INT32_MAX));
	check("65536 * 65536", value_signed(0));
	check("65535 * 65537", value_signed(-1));
	check("-(-2147483647 - 1)", value_signed(INT32_MIN));
	check("9223372036854775807 + 1", value_signed(INT64_MIN));
	check("-(-9223372036854775807 - 1)", value_signed(INT64_MIN));
	check("9223372036854775807 * 3", value_signed(INT64_MAX - 2));
	check("1 << 31", value_signed(INT32_MIN));
	check("1L << 63", value_signed(INT64_MIN));
	check("-1 << 4", value_signed(-16));
}

static void check_error(const char *text, enum error_code code,
			const char *message)
{
	struct value value;
	struct error *error = evaluate(text, &value);

	if (!error)
		fail_msg("%s: no error", text);
	else if (error_code(error) != code ||
		 strcmp(error_message(error), message) != 0)
		fail_msg("%s: code %d: %s", text, error_code(error),
			 error_message(error));
	error_destroy(error);
}

static void test_evaluation_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"1 / 0", "column 3: division by zero"},
		{"1 % 0", "column 3: division by zero"},
		{"1ul / 0", "column 5: division by zero"},
		{"0 || 5 % (1 - 1)", "column 8: division by zero"},
		{"(-2147483647 - 1) / -1",
		 "column 19: the quotient does not fit"},
		{"(-2147483647 - 1) % -1",
		 "column 19: the quotient does not fit"},
		{"(-9223372036854775807 - 1) / -1",
		 "column 28: the quotient does not fit"},
		{"1 << 32", "column 3: a 32-bit number is shifted by 32"},
		{"1 >> -1", "column 3: a 32-bit number is shifted by -1"},
		{"1l << 64u", "column 4: a 64-bit number is shifted by 64"},
		{"(char) 1 << 32",
		 "column 10: a 32-bit number is shifted by 32"},
		{"1 << 18446744073709551615ul",
		 "column 3: a 32-bit number is shifted by "
		 "18446744073709551615"},
		{"(int) 1e10", "column 2: 1e+10 does not fit in type 'int'"},
		{"(int) 2147483648.0",
		 "column 2: 2.14748e+09 does not fit in type 'int'"},
		{"(int) -2147483649.0",
		 "column 2: -2.14748e+09 does not fit in type 'int'"},
		{"(unsigned char) 256.0",
		 "column 2: 256 does not fit in type 'unsigned char'"},
		{"(unsigned) -1.0",
		 "column 2: -1 does not fit in type 'unsigned'"},
		{"(unsigned long) 18446744073709551616.0",
		 "column 2: 1.84467e+19 does not fit in type 'unsigned long'"},
		{"(long) 9223372036854775808.0",
		 "column 2: 9.22337e+18 does not fit in type 'long'"},
		{"$node(7)", "column 1: there is no node 7"},
		{"$rax", "column 1: there are no registers here"},
		{"*(int *) 16", "column 1: cannot read memory at 0x10"},
	};

	struct value value;
	struct error *error;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_error(cases[i].text, ERROR_EVALUATE, cases[i].message);
	/* a NaN's message depends on its sign */
	error = evaluate("(long) (0.0 / 0.0)", &value);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_EVALUATE);
	error_destroy(error);
	/* what is not reached does not fail */
	check("0 && 1 / 0", value_signed(0));
	check("1 || 1 / 0", value_signed(1));
	check("1 ? 2 : 1 / 0", value_signed(2));
	check("0 ? 1 / 0 : 2", value_signed(2));
	/* and these are C's */
	check("1 / 0.0", value_float(INFINITY));
	check("-1 / 0.0f", value_float(-INFINITY));
	check("-2147483647 / -1", value_signed(INT32_MAX));
	check("(-2147483647 - 1) / -1L", value_signed(2147483648));
	check("1 << 31u", value_signed(INT32_MIN));
	check("0 << 0", value_signed(0));
	check("(unsigned) -0.5", value_unsigned(0));
	check("0.0 / 0.0 == 0.0 / 0.0", value_signed(0));
	check("0.0 / 0.0 != 0.0 / 0.0", value_signed(1));
	check("!(0.0 / 0.0)", value_signed(0));
}

static void test_usage_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "column 1: an operand expected at the end"},
		{"  ", "column 1: an operand expected at the end"},
		{"1 +", "column 4: an operand expected at the end"},
		{"1 + * 2 )", "column 9: an operator expected before ')'"},
		{"1 2", "column 3: an operator expected before '2'"},
		{"  1 2", "column 3: an operator expected before '2'"},
		{"(1", "column 3: an operator or ')' expected at the end"},
		{"(1 2)", "column 4: an operator or ')' expected before '2'"},
		{")", "column 1: an operand expected before ')'"},
		{"1 ? 2", "column 6: an operator or ':' expected at the end"},
		{"1 ? 2 : ", "column 9: an operand expected at the end"},
		{"1 : 2", "column 3: an operator expected before ':'"},
		{"1 < > 2", "column 5: an operand expected before '>'"},
		{"1 @ 2", "column 3: '@' has no meaning in an expression"},
		{"1 + #", "column 5: '#' has no meaning in an expression"},
		{"1 \001", "column 3: a control character"},
		{"1, 2", "column 2: ',' has no meaning in an expression"},
		{"pages = 1", "column 7: '=': an expression cannot assign; "
			      "'==' compares"},
		{"pages += 1", "column 7: '+=': an expression cannot change "
			       "anything"},
		{"pages++",
		 "column 6: '++': an expression cannot change anything"},
		{"--pages",
		 "column 1: '--': an expression cannot change anything"},
		{"p->next",
		 "column 2: '->': members are not supported in this version"},
		{"p.x > 1",
		 "column 2: '.': members are not supported in this version"},
		{"a[3]", "column 2: '[': array elements are not supported in "
			 "this version"},
		{"(a[3])", "column 3: '[': array elements are not supported "
			   "in this version"},
		{"&pages", "column 1: '&': addresses are not supported in this "
			   "version"},
		{"1 + &pages", "column 5: '&': addresses are not supported in "
			       "this version"},
		{"f(1)", "column 2: 'f(': an expression cannot call functions"},
		{"sizeof(int)",
		 "column 1: 'sizeof' is not supported in this version"},
		{"int", "column 1: 'int' is a type; a cast has parentheses"},
		{"1 + char", "column 5: 'char' is a type; a cast has "
			     "parentheses"},
		{"(struct node *) p",
		 "column 2: 'struct': casts to types of the program are not "
		 "supported in this version"},
		{"(node_t) 3",
		 "column 2: casts to 'node_t' are not supported in this "
		 "version: only to the basic types of C"},
		{"(node_t *) 3",
		 "column 2: casts to 'node_t *' are not supported in this "
		 "version: only to the basic types of C"},
		{"(long float) 1", "column 2: 'long float' is no type of C"},
		{"(unsigned signed) 1",
		 "column 2: 'unsigned signed' is no type of C"},
		{"(short long) 1", "column 2: 'short long' is no type of C"},
		{"(long long long) 1",
		 "column 2: 'long long long' is no type of C"},
		{"(unsigned size_t) 1",
		 "column 2: 'unsigned size_t' is no type of C"},
		{"(const) 1", "column 2: 'const' is no type of C"},
		{"(void) 1", "column 2: 'void' has no values to cast to"},
		{"(int 1", "column 6: ')' after the type expected before '1'"},
		{"(int)", "column 6: an operand expected at the end"},
		{"(int *****************) 1",
		 "column 22: too many '*' in a type"},
		{"08", "column 1: '08': a digit that octal has not"},
		{"0b12", "column 1: '0b12': a digit that binary has not"},
		{"0x", "column 1: '0x': a number without digits"},
		{"0xg", "column 1: '0xg': a number without digits"},
		{"1lul", "column 1: '1lul': not a number"},
		{"1lL", "column 1: '1lL': not a number"},
		{"12abc", "column 1: '12abc': not a number"},
		{"1.5x", "column 1: '1.5x': not a number"},
		{"1..2", "column 1: '1..2': not a number"},
		{"1e", "column 1: '1e': not a number"},
		{"18446744073709551616",
		 "column 1: '18446744073709551616': more than 64 bits"},
		{"0x10000000000000000",
		 "column 1: '0x10000000000000000': more than 64 bits"},
		{"''", "column 1: '''': no character between the quotes"},
		{"'a", "column 1: ''a': the closing quote is missing"},
		{"'", "column 1: ''': the closing quote is missing"},
		{"'\\'", "column 1: ''\\'': the closing quote is missing"},
		{"'ab'", "column 1: ''ab'': more than one character (a string "
			 "has double quotes)"},
		{"'\\q'",
		 "column 1: ''\\q'': an escape sequence that C has not"},
		{"'\\x'",
		 "column 1: ''\\x'': an escape sequence that C has not"},
		{"'\\x100'",
		 "column 1: ''\\x100'': more than a byte after \\x"},
		{"'\\400'", "column 1: ''\\400'': more than a byte in an "
			    "escape sequence"},
		{"\"a", "column 1: '\"a': the closing quote is missing"},
		{"\"a\"", "column 1: a string can only be compared, by == or "
			  "!=, with what a 'char *' points to"},
		{"\"a\" + 1", "column 1: a string can only be compared, by == "
			      "or !=, with what a 'char *' points to"},
		{"\"a\" < NULL", "column 1: a string can only be compared, by "
				 "== or !=, with what a 'char *' points to"},
		{"\"a\" == \"a\"", "column 5: two strings are compared"},
		{"$rdi == \"a\"",
		 "column 6: a string is compared with a value of type 'long'; "
		 "cast it to 'char *' if it points to one"},
		{"(int *) 1 == \"a\"",
		 "column 11: a string is compared with a value of type "
		 "'int *'; cast it to 'char *' if it points to one"},
		{"(char *) 1 == \"a\\0b\"",
		 "column 15: a string to compare with has less than 4096 "
		 "bytes, none of them zero"},
		{"1.5 % 2",
		 "column 5: '%' cannot be used on a value of type 'double'"},
		{"1 << 2.0f",
		 "column 3: '<<' cannot be used on a value of type 'float'"},
		{"~1.0",
		 "column 1: '~' cannot be used on a value of type 'double'"},
		{"1 & 1.0",
		 "column 3: '&' cannot be used on a value of type 'double'"},
		{"-NULL",
		 "column 1: '-' cannot be used on a value of type 'void *'; "
		 "cast it first, as in (unsigned long) p"},
		{"NULL * 2",
		 "column 6: '*' cannot be used on a value of type 'void *'; "
		 "cast it first, as in (unsigned long) p"},
		{"1 - NULL",
		 "column 3: '-' cannot be used on a value of type 'void *'; "
		 "cast it first, as in (unsigned long) p"},
		{"NULL + 1.5",
		 "column 6: '+' cannot be used on a value of type 'void *'; "
		 "cast it first, as in (unsigned long) p"},
		{"1 ? NULL : 1.5",
		 "column 3: '?' cannot be used on a value of type 'void *'; "
		 "cast it first, as in (unsigned long) p"},
		{"(char *) 1 - (int *) 1",
		 "column 12: pointers to different types are subtracted"},
		{"(float) NULL", "column 2: a value of type 'void *' cannot be "
				 "cast to 'float'"},
		{"(int *) 1.5", "column 2: a value of type 'double' cannot be "
				"cast to 'int *'"},
		{"*5", "column 1: '*' cannot be used on a value of type 'int'; "
		       "say what is there, as in *(int *) x"},
		{"*NULL", "column 1: what a 'void *' points to has no type; "
			  "cast it, as in *(int *) x"},
		{"$node", "column 6: '(' and the number of a node expected at "
			  "the end"},
		{"$node(x)",
		 "column 7: the number of a node expected before 'x'"},
		{"$node(1.5)", "column 7: '1.5' is no number of a node"},
		{"$node(4294967296)",
		 "column 7: '4294967296' is no number of a node"},
		{"$node(1", "column 8: ')' expected at the end"},
		{"$ 1", "column 1: '$' has no meaning in an expression"},
		{"1 + $ret", "column 5: '$ret' is known only where a function "
			     "returns: `break exit FUNC`"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_error(cases[i].text, ERROR_USAGE, cases[i].message);
}

static char *repeat(const char *before, const char *middle, const char *after,
		    size_t count)
{
	struct str text = {0};

	for (size_t i = 0; i < count; i++)
		str_append(&text, before);
	str_append(&text, middle);
	for (size_t i = 0; i < count; i++)
		str_append(&text, after);
	return str_take(&text);
}

static void check_nesting(const char *before, const char *middle,
			  const char *after, size_t count, bool allowed)
{
	CLEANUP(free_pointer)
	char *text = repeat(before, middle, after, count);
	struct value value;
	struct error *error = evaluate(text, &value);

	if (allowed) {
		fail_with(text, error);
		return;
	}
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_USAGE);
	error_destroy(error);
}

static void test_nesting(void **state)
{
	(void)state;
	check_nesting("(", "1", ")", 199, true);
	check_nesting("(", "1", ")", 200, false);
	check_nesting("(", "1", ")", 1000000, false);
	check_nesting("-", "1", "", 1000000, false);
	check_nesting("- ", "1", "", 199, true);
	check_nesting("- ", "1", "", 1000000, false);
	check_nesting("(int)", "1", "", 199, true);
	check_nesting("(int)", "1", "", 1000000, false);
	check_nesting("1 ? ", "1", ": 2", 199, true);
	check_nesting("1 ? ", "1", ": 2", 1000000, false);
	check_nesting("0 ? 1 : ", "1", "", 1000000, false);
	check_nesting("", "1", "+ 1", 900, true);
	check_nesting("", "1", "+ 1", 1000000, false);
	check_nesting("1 + (", "1", ")", 150, true);
	/* more than CODE_MAX_STACK values pending */
	check_nesting("1 < 2 + 3 * (", "1", ")", 60, true);
	check_nesting("1 < 2 + 3 * (", "1", ")", 150, false);
	check_nesting("1|2^3&4==5<6<<7%8*(", "1", ")", 199, false);
}

static void check_prefix(const char *text, const char *expression,
			 const char *expected_rest)
{
	const char *rest = NULL;
	struct expr *expr;

	fail_with(text, expr_parse_prefix(text, &rest, &expr));
	assert_string_equal(expr_text(expr), expression);
	assert_string_equal(rest, expected_rest);
	expr_destroy(expr);
}

static void test_prefix(void **state)
{
	const char *rest;
	struct expr *expr;
	struct error *error;

	(void)state;
	check_prefix("pages", "pages", "");
	check_prefix("  pages  ", "pages", "");
	check_prefix("a:b", "a", ":b");
	check_prefix("a : b", "a", ": b");
	check_prefix("a::b:c", "a::b", ":c");
	check_prefix("::a:::b", "::a", ":::b");
	check_prefix("a ? b : c : d", "a ? b : c", ": d");
	check_prefix("a ? b ? 1 : 2 : 3:d", "a ? b ? 1 : 2 : 3", ":d");
	check_prefix("(a + 1) * 2)", "(a + 1) * 2", ")");
	check_prefix("pages buckets=3", "pages", "buckets=3");
	check_prefix("pages + 1 buckets=3", "pages + 1", "buckets=3");
	check_prefix("(pages) buckets=3", "(pages)", "buckets=3");
	check_prefix("pages (x)", "pages", "(x)");
	check_prefix("pages, 3", "pages", ", 3");
	check_prefix("pages 'x", "pages", "'x");
	check_prefix("pages \"x", "pages", "\"x");
	check_prefix("pages @", "pages", "@");
	check_prefix("1 2", "1", "2");
	check_prefix("a = 1", "a", "= 1");
	check_prefix("\"x\" == a:b", "\"x\" == a", ":b");

	error = expr_parse_prefix("a + : b", &rest, &expr);
	assert_non_null(error);
	assert_string_equal(error_message(error),
			    "column 5: an operand expected before ':'");
	error_destroy(error);
	error = expr_parse_prefix("a[1]:b", &rest, &expr);
	assert_non_null(error);
	error_destroy(error);
	error = expr_parse_prefix("", &rest, &expr);
	assert_non_null(error);
	error_destroy(error);
}

static void check_first(const char *text, const char *expected)
{
	struct expr *expr, *first;

	fail_with(text, expr_parse(text, &expr));
	first = expr_first_variable(expr);
	expr_destroy(expr);
	if (!expected) {
		assert_null(first);
		return;
	}
	assert_non_null(first);
	assert_string_equal(expr_text(first), expected);
	expr_destroy(first);
}

static void test_first_variable(void **state)
{
	(void)state;
	check_first("pages == 1", "pages");
	check_first("1 == pages", "pages");
	check_first("1 + 2 * (3 - (long) ns::size) > pages", "ns::size");
	check_first("a ? b : c", "a");
	check_first("1 ? b : c", "b");
	check_first("$arg1 > pages", "$arg1");
	check_first("$pid == 5 && $tid == 6 && $ret < 0", "$ret");
	check_first("$node(1) > 3 && $rax", "$rax");
	check_first("\"foo\" == name", "name");
	check_first("1", NULL);
	check_first("$pid == 5 || NULL == true", NULL);
}

static void test_truth(void **state)
{
	(void)state;
	assert_false(value_is_true((struct value){0}));
	assert_false(value_is_true(value_signed(0)));
	assert_true(value_is_true(value_signed(-1)));
	assert_true(value_is_true(value_unsigned((uint64_t)1 << 63)));
	assert_false(value_is_true(value_float(-0.0)));
	assert_true(value_is_true(value_float(1e-300)));
	assert_true(value_is_true(value_float(NAN)));
}

/* Words put together at random: never a crash, and an error or a value. */
static void test_random_text(void **state)
{
	static const char *const words[] = {
		"1",        "0",       "0x",         "7u",       "1.5",  "1e",
		"'a'",      "'",       "\"x\"",      "\"",       "\\",   "(",
		")",        "+",       "-",          "*",        "/",    "%",
		"<<",       ">>",      "<",          "==",       "!=",   "&",
		"^",        "|",       "&&",         "||",       "?",    ":",
		"!",        "~",       "(int)",      "(char *)", "x",    "::",
		"a::b",     "$rax",    "$",          "$node(1)", "NULL", "[",
		"(double)", "(_Bool)", "2147483648", "-1",       "=",    ".",
		" ",        "\t",      "\x80",       "#",
	};
	const size_t count = sizeof(words) / sizeof(*words);
	unsigned values = 0, errors = 0;
	uint64_t random = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		struct str text = {0};
		struct value value;
		struct error *error;
		unsigned length;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		length = (unsigned)(random >> 60) + 1;
		for (unsigned j = 0; j < length; j++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			str_append(&text, words[(random >> 20) % count]);
		}
		error = evaluate(str_text(&text), &value);
		if (error)
			errors++;
		else
			values++;
		error_destroy(error);
		str_deinit(&text);
	}
	/* both must occur for this to have tested anything */
	assert_true(values > 1000);
	assert_true(errors > 1000);
}

static void test_random_bytes(void **state)
{
	uint64_t random = 2463534242u;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		char text[24];
		struct value value;

		for (size_t j = 0; j < sizeof(text); j++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			text[j] = (char)(random >> 30);
		}
		text[(random >> 8) % sizeof(text)] = '\0';
		text[sizeof(text) - 1] = '\0';
		error_destroy(evaluate(text, &value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence_of_integers),
		cmocka_unit_test(test_precedence_of_any_numbers),
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_types_and_conversions),
		cmocka_unit_test(test_wrapping),
		cmocka_unit_test(test_evaluation_errors),
		cmocka_unit_test(test_usage_errors),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_first_variable),
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_random_text),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
