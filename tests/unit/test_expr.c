/*
 * test_expr.c - the language: what C's own compiler makes of an expression is
 * what ours must make of it
 *
 * tier: core
 * covers: expr/syntax expr/bind expr/evaluate
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "expr_checks.h"

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

static struct error *evaluate(const char *text, struct value *out)
{
	return evaluate_nowhere(text, out);
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

static void test_precedence_of_integers_is_that_of_c(void **state)
{
	(void)state;
	ALL_INTEGER(7, 3, 2);
	ALL_INTEGER(1, 1, 1);
	ALL_INTEGER(100, 3, 3u);
	ALL_INTEGER(250u, 3, 1L);
	ALL_INTEGER(0x12345678UL, 6, 5);
}

static void test_precedence_of_any_numbers_is_that_of_c(void **state)
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

static void test_literals_are_those_of_c(void **state)
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
	/* octal as the memo writes it */
	check("37400B", value_signed(037400));
	check("0B", value_signed(0));
	check("011B + 1", value_signed(10));

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

static void test_types_convert_as_in_c(void **state)
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
/* Each is 1, as the compiler of this file agrees. */
#define WIDE(expression)                                                       \
	do {                                                                   \
		assert_true(expression);                                       \
		check(#expression, value_signed(1));                           \
	} while (0)

static void test_128_bit_integers_are_those_of_c(void **state)
{
	(void)state;
	WIDE(((__int128)1 << 100) >> 98 == 4);
	WIDE((__int128)-1 >> 127 == -1);
	WIDE((unsigned __int128)-1 >> 127 == 1);
	WIDE((__int128)-7 / 2 == -3);
	WIDE((__int128)-7 % 2 == -1);
	WIDE(((__int128)1 << 90) / ((__int128)1 << 80) == 1024);
	WIDE(((__int128)5 << 70) % ((__int128)3 << 70) == (__int128)2 << 70);
	WIDE((__int128)0x7fffffffffffffff * 4 == (__int128)1 << 65 == 0);
	WIDE((__int128)-1 < 0u);
	WIDE((unsigned __int128)-1 > 0xffffffffffffffff);
	WIDE((long)(((__int128)1 << 64) + 5) == 5);
	WIDE((unsigned char)(((__int128)1 << 64) + 0x1ff) == 0xff);
	WIDE((double)((__int128)1 << 100) == 0x1p100);
	WIDE((__int128)0x1p100 == (__int128)1 << 100);
	WIDE((__int128)-2.5 == -2);
	WIDE((int)(_Bool)((__int128)1 << 64));
	WIDE(~(__int128)0 == -1);
	WIDE(-((__int128)1 << 64) < -1);
	WIDE((((__int128)6 << 64) & ((__int128)3 << 64)) == (__int128)2 << 64);
	WIDE((((__int128)6 << 64) ^ ((__int128)3 << 64)) == (__int128)5 << 64);
	WIDE((((__int128)6 << 64) | ((__int128)1 << 64)) == (__int128)7 << 64);
	WIDE(sizeof((__int128)1 + 1) == 16);
	WIDE((((__int128)1 << 64) != 0 ? 1 : 2) == 1);
	WIDE(1 << (__int128)3 == 8);
	check("(__int128)1 << 62", value_signed(1L << 62));
	check("(unsigned __int128)1 << 63", value_unsigned(1UL << 63));
}

static void test_signed_overflow_wraps(void **state)
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

static void test_impossible_operations_give_errors(void **state)
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
		 "column 2: -1 does not fit in type 'unsigned int'"},
		{"(unsigned long) 18446744073709551616.0",
		 "column 2: 1.84467e+19 does not fit in type 'unsigned long'"},
		{"(long) 9223372036854775808.0",
		 "column 2: 9.22337e+18 does not fit in type 'long'"},
		{"(__int128) 1 << 64", "column 1: the value does not fit in "
				       "64 bits; compare it, or cast it"},
		{"(__int128) 1 << 128",
		 "column 14: a 128-bit number is shifted by 128"},
		{"(__int128) 1 / 0", "column 14: division by zero"},
		{"((__int128) 1 << 127) / -1",
		 "column 23: the quotient does not fit"},
		{"(__int128) 1e39",
		 "column 2: 1e+39 does not fit in type '__int128'"},
		{"$node(7)", "column 1: there is no node 7"},
		{"$rax",
		 "column 1: there is no thread whose registers could be "
		 "read"},
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

static void test_only_zero_and_no_value_are_false(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precedence_of_integers_is_that_of_c),
		cmocka_unit_test(test_precedence_of_any_numbers_is_that_of_c),
		cmocka_unit_test(test_literals_are_those_of_c),
		cmocka_unit_test(test_types_convert_as_in_c),
		cmocka_unit_test(test_128_bit_integers_are_those_of_c),
		cmocka_unit_test(test_signed_overflow_wraps),
		cmocka_unit_test(test_impossible_operations_give_errors),
		cmocka_unit_test(test_only_zero_and_no_value_are_false),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
