/*
 * signature_words.c - finds the length of a word or of an operator's name, and
 * the place where a function's parameters begin
 */
#include <ctype.h>

#include "signature_reader.h"

bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

size_t word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

/* ---- operators ----------------------------------------------------------- */

/* An operator comes before the shorter operators that it begins with, because
 * the first match is taken. */
static const char *const operators[] = {
	"()", "[]", "->*", "->", "<<=", ">>=", "<=>", "<<", ">>", "<=",
	">=", "==", "!=",  "&&", "||",  "++",  "--",  "+=", "-=", "*=",
	"/=", "%=", "^=",  "&=", "|=",  "+",   "-",   "*",  "/",  "%",
	"^",  "&",  "|",   "~",  "!",   "=",   "<",   ">",  ",",
};

size_t operator_length(const char *text, const char *at)
{
	size_t length = strlen("operator");

	if (!str_starts(at, "operator") || (at > text && is_word(at[-1])) ||
	    is_word(at[length]))
		return 0;
	while (at[length] == ' ')
		length++;
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (str_starts(at + length, operators[i]))
			return length + strlen(operators[i]);
	/* A word or a type follows, as in `operator new`. */
	return 0;
}

/* ---- where parameters are ------------------------------------------------ */

/* Find the end of the list of parameters that begins at `at`, behind its
 * closing bracket. */
static const char *skip_list(const char *text, const char *at)
{
	int depth = 0;

	while (*at) {
		size_t length = operator_length(text, at);

		if (length) {
			at += length;
			continue;
		}
		depth += (*at == '(') - (*at == ')');
		at++;
		if (!depth)
			break;
	}
	return at;
}

/* `at` points behind a list of parameters. Does `::` and another name follow,
 * as in `f(int)::g`? The parameters then belong to a function (f) that is the
 * scope of the other name (g). */
static bool is_scope(const char *at)
{
	static const char *const words[] = {" ", "const", "volatile", "&"};
	size_t i;

	do {
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (str_starts(at, words[i])) {
				at += strlen(words[i]);
				break;
			}
	} while (i < sizeof(words) / sizeof(*words));
	return str_starts(at, "::");
}

const char *find_parameters(const char *text)
{
	int depth = 0;

	for (const char *at = text; *at;) {
		size_t length = operator_length(text, at);

		if (!length && str_starts(at, ANONYMOUS))
			length = strlen(ANONYMOUS);
		if (!length && str_starts(at, "->"))
			length = 2;
		if (length) {
			at += length;
			continue;
		}
		if (*at == '(' && !depth) {
			const char *end = skip_list(text, at);

			if (!is_scope(end))
				return at;
			at = end;
			continue;
		}
		if (*at == '<' || *at == '{')
			depth++;
		else if ((*at == '>' || *at == '}') && depth)
			depth--;
		at++;
	}
	return text + strlen(text);
}
