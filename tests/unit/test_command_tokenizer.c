/*
 * test_command_tokenizer.c - how a line is taken apart: words, quotes,
 * comments, redirections
 *
 * tier: core
 * covers: command
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command/tokenizer.h"
#include "perftool/base/str.h"

#define splits(text, flags, expected) splits_(text, flags, expected, __LINE__)
static void splits_(const char *text, unsigned flags, const char *expected,
		    int at)
{
	struct tokens tokens;
	struct str joined = {0};
	struct error *error = tokenize(text, flags, &tokens);

	if (error) {
		str_printf(&joined, "error: %s", error_message(error));
		error_destroy(error);
	} else {
		for (size_t i = 0; i < tokens.words.count; i++)
			str_printf(&joined, "[%s]", tokens.words.data[i]);
		if (tokens.input)
			str_printf(&joined, "<%s", tokens.input);
		if (tokens.output)
			str_printf(&joined, ">%s", tokens.output);
		tokens_deinit(&tokens);
	}
	if (!str_equal(str_text(&joined), expected))
		fail_msg("line %d: %s gives %s", at, text, str_text(&joined));
	str_deinit(&joined);
}

static void test_lines_are_split_into_words(void **state)
{
	const unsigned all = TOKEN_INPUT | TOKEN_OUTPUT;

	(void)state;
	splits("", 0, "");
	splits("  a\tb  ", 0, "[a][b]");
	splits("a # b", 0, "[a][#][b]");
	splits("a # b", TOKEN_COMMENTS, "[a]");
	splits("a#b", TOKEN_COMMENTS, "[a#b]");
	splits("a -- b", TOKEN_COMMENTS, "[a]");
	splits("a --", TOKEN_COMMENTS, "[a]");
	splits("a --b", TOKEN_COMMENTS, "[a][--b]");
	splits("'a b' \"c d\"", 0, "[a b][c d]");
	splits("'a \"b' \"c 'd\"", 0, "[a \"b][c 'd]");
	splits("\"a\\\"b\" 'a\\b'", 0, "[a\"b][a\\b]");
	splits("'' \"\"", 0, "[][]");
	splits("'a", 0, "error: the quote ' is not closed");
	splits("a=\"b", TOKEN_SHELL, "error: the quote \" is not closed");
	splits("a\\ b", TOKEN_SHELL, "[a b]");
	splits("--x=\"a b\"c", TOKEN_SHELL, "[--x=a bc]");
	splits("value=c=='x'", 0, "[value=c=='x']");
	splits("value=c==' '", 0, "[value=c==' ']");
	splits("f(int, char) g", 0, "[f(int, char)][g]");
	splits("f(int, char) g", TOKEN_SHELL, "[f(int,][char)][g]");
	splits("a >b", 0, "[a][>b]");
	splits("a >b", TOKEN_OUTPUT, "[a]>b");
	splits("a> b", TOKEN_OUTPUT, "[a]>b");
	splits("a>'b c'", TOKEN_OUTPUT, "[a]>b c");
	splits("<in x >out y", all | TOKEN_SHELL, "[x][y]<in>out");
	splits("a >", TOKEN_OUTPUT, "error: no file name after >");
	splits("a >b >c", TOKEN_OUTPUT, "error: more than one >");
	splits("a '>' b", TOKEN_OUTPUT, "[a][>][b]");
	splits("(((", 0, "[(((]");
	splits("a\\", TOKEN_SHELL, "[a\\]");
}

static void test_names_of_c_plus_plus_stay_whole(void **state)
{
	(void)state;
	splits("a<b, 64>::c d", 0, "[a<b,][64>::c][d]");
	splits("a<b, 64>::c d", TOKEN_NAMES, "[a<b, 64>::c][d]");
	splits("m<a, v<b, c> >::f(int) g", TOKEN_NAMES,
	       "[m<a, v<b, c> >::f(int)][g]");
	splits("f(int) const g", TOKEN_NAMES, "[f(int) const][g]");
	splits("f(int) const [clone .isra.0] g", TOKEN_NAMES,
	       "[f(int) const [clone .isra.0]][g]");
	splits("n::operator new g", TOKEN_NAMES, "[n::operator new][g]");
	splits("my_operator g", TOKEN_NAMES, "[my_operator][g]");
	splits("operator< g", TOKEN_NAMES, "[operator<][g]");
	splits("operator<< <char> (int) g", TOKEN_NAMES,
	       "[operator<< <char>][(int)][g]");
	splits("operator-> g", TOKEN_NAMES, "[operator->][g]");
	splits("a<b c", TOKEN_NAMES, "[a<b][c]");
	splits("by=a<b g->c", TOKEN_NAMES, "[by=a<b][g->c]");
	splits("'a b' <i as t>::f", TOKEN_NAMES, "[a b][<i as t>::f]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_are_split_into_words),
		cmocka_unit_test(test_names_of_c_plus_plus_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
