/*
 * test_expr_syntax.c - the language: where an expression ends, how deep it may
 * be, and that what is none is said so
 *
 * tier: core
 * covers: expr/syntax
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "expr_checks.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

static struct error *evaluate(const char *text, struct value *out)
{
	return evaluate_nowhere(text, out);
}

static void test_wrong_text_gives_an_error_with_column(void **state)
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
		{"1 \001", "column 3: a control character has no meaning in an "
			   "expression"},
		{"1, 2", "column 2: ',' has no meaning in an expression"},
		{"pages = 1", "column 7: '=': an expression cannot assign; "
			      "'==' compares"},
		{"pages += 1", "column 7: '+=': an expression cannot change "
			       "anything"},
		{"pages++",
		 "column 6: '++': an expression cannot change anything"},
		{"--pages",
		 "column 1: '--': an expression cannot change anything"},
		{"p->", "column 4: the name of a member expected at the end"},
		{"p.+", "column 3: the name of a member expected before '+'"},
		{"a[3", "column 4: an operator or ']' expected at the end"},
		{"a[]", "column 3: an operand expected before ']'"},
		{"(a[3)", "column 5: an operator or ']' expected before ')'"},
		{"1 ]", "column 3: an operator expected before ']'"},
		{"5[1]",
		 "column 2: '[' cannot be used on a value of type 'int'"},
		{"5 .x", "column 4: '.' cannot be used on a value of type "
			 "'int'; it has no members"},
		{"NULL->x", "column 7: '->' cannot be used on a value of type "
			    "'void *'; it has no members"},
		{"&5", "column 1: '&': only a variable, a member or an element "
		       "has an address"},
		{"&&a", "column 1: an operand expected before '&&'"},
		{"f(1)", "column 2: 'f(': an expression cannot call functions"},
		{"sizeof", "column 7: an operand expected at the end"},
		{"sizeof (", "column 9: an operand expected at the end"},
		{"sizeof (int", "column 12: ')' after the type expected at the "
				"end"},
		{"int",
		 "column 1: 'int' is a type; write a cast with parentheses"},
		{"1 + char",
		 "column 5: 'char' is a type; write a cast with parentheses"},
		{"(struct) p", "column 2: a name must follow 'struct'"},
		{"(struct node * p", "column 16: ')' after the type expected "
				     "before 'p'"},
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
		{"08",
		 "column 1: '08': an octal number has only the digits 0 to 7"},
		{"0b12", "column 1: '0b12': a binary number has only the "
			 "digits 0 and 1"},
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
		 "column 1: ''\\q'': an escape sequence that C does not have"},
		{"'\\x'",
		 "column 1: ''\\x'': an escape sequence that C does not have"},
		{"'\\x100'", "column 1: ''\\x100'': the number in an escape "
			     "sequence is too large for a character"},
		{"'\\400'", "column 1: ''\\400'': the number in an escape "
			    "sequence is too large for a character"},
		{"\"a", "column 1: '\"a': the closing quote is missing"},
		{"\"a\"", "column 1: a string alone is not a value; to quote "
			  "an expression, put the quotes around the whole "
			  "word, as in 'by=n + 1'"},
		{"\"a\" + 1", "column 1: a string can only be compared, by == "
			      "or !=, with what a 'char *' points to"},
		{"\"a\" < NULL", "column 1: a string can only be compared, by "
				 "== or !=, with what a 'char *' points to"},
		{"\"a\" == \"a\"", "column 5: two strings cannot be compared; "
				   "compare a string with a variable"},
		{"$rdi == \"a\"",
		 "column 6: a string cannot be compared with a value of type "
		 "'long'; cast the value to 'char *' if it points to a string"},
		{"(int *) 1 == \"a\"",
		 "column 11: a string cannot be compared with a value of type "
		 "'int *'; cast the value to 'char *' if it points to a "
		 "string"},
		{"(char *) 1 == \"a\\0b\"",
		 "column 15: a string in a comparison must have fewer than "
		 "4096 bytes, none of them zero"},
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
		 "column 12: pointers to different types cannot be subtracted"},
		{"(float) NULL", "column 2: a value of type 'void *' cannot be "
				 "cast to 'float'"},
		{"(int *) 1.5", "column 2: a value of type 'double' cannot be "
				"cast to 'int *'"},
		{"*5", "column 1: '*' cannot be used on a value of type 'int'; "
		       "cast it, as in *(int *) x"},
		{"*NULL", "column 1: what a 'void *' points to has no type; "
			  "cast it, as in *(int *) x"},
		{"$node", "column 6: '(' and the number of a node expected at "
			  "the end"},
		{"$node(x)",
		 "column 7: the number of a node expected before 'x'"},
		{"$node(1.5)", "column 7: '1.5' is not the number of a node"},
		{"$node(4294967296)",
		 "column 7: '4294967296' is not the number of a node"},
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

static void test_deep_nesting_is_refused(void **state)
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
	check_nesting("sizeof ", "1", "", 199, true);
	check_nesting("sizeof ", "1", "", 1000000, false);
	check_nesting("", "x", ".y", 1000000, false);
	check_nesting("", "x", "[0]", 1000000, false);
	check_nesting("x[", "x", "]", 1000000, false);
	check_nesting("x<", "1", "", 1000000, false);
	check_nesting("(x)*", "1", "", 1000000, false);
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

static void test_end_of_an_expression_is_found(void **state)
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
	check_prefix("a[1]:b", "a[1]", ":b");
	check_prefix("a->b.c[d ? 1 : 2] : e", "a->b.c[d ? 1 : 2]", ": e");
	check_prefix("a.0.1:b", "a.0.1", ":b");
	check_prefix("a .5", "a", ".5");
	check_prefix("(node_t *) a:b", "(node_t *) a", ":b");
	check_prefix("sizeof (int):b", "sizeof (int)", ":b");
	check_prefix("list<int>::none:b", "list<int>::none", ":b");
	check_prefix("'file.c'::a:b", "'file.c'::a", ":b");

	error = expr_parse_prefix("a + : b", &rest, &expr);
	assert_non_null(error);
	assert_string_equal(error_message(error),
			    "column 5: an operand expected before ':'");
	error_destroy(error);
	error = expr_parse_prefix("a[1:b", &rest, &expr);
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

static void test_first_variable_is_found(void **state)
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
	check_first("5 < p->next.at[i + 1].x && q", "p->next.at[i + 1].x");
	check_first("(p)->x > 1", "(p)->x");
	check_first("a[i] == 1", "a[i]");
	check_first("*p == q", "p");
	check_first("$ret->len", "$ret->len");
	check_first("'file.c'::a > 1", "'file.c'::a");
	check_first("1", NULL);
	check_first("$pid == 5 || NULL == true", NULL);
}

/* Words put together at random: never a crash, and an error or a value. */
static void test_random_text_gives_a_value_or_an_error(void **state)
{
	static const char *const words[] = {
		"1",     "0",          "0x",       "7u",       "1.5",
		"1e",    "'a'",        "'",        "\"x\"",    "\"",
		"\\",    "(",          ")",        "+",        "-",
		"*",     "/",          "%",        "<<",       ">>",
		"<",     "==",         "!=",       "&",        "^",
		"|",     "&&",         "||",       "?",        ":",
		"!",     "~",          "(int)",    "(char *)", "x",
		"::",    "a::b",       "$rax",     "$",        "$node(1)",
		"NULL",  "[",          "->",       "]",        "sizeof",
		"(x *)", "(struct x)", "::{a#0}",  "x<y>",     "'f'::x",
		".0.1",  "&x",         "(double)", "(_Bool)",  "2147483648",
		"-1",    "=",          ".",        " ",        "\t",
		"\x80",  "#",
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

static void test_random_bytes_do_not_crash(void **state)
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
		cmocka_unit_test(test_wrong_text_gives_an_error_with_column),
		cmocka_unit_test(test_deep_nesting_is_refused),
		cmocka_unit_test(test_end_of_an_expression_is_found),
		cmocka_unit_test(test_first_variable_is_found),
		cmocka_unit_test(test_random_text_gives_a_value_or_an_error),
		cmocka_unit_test(test_random_bytes_do_not_crash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
