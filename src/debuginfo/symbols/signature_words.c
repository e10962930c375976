/*
 * signature_words.c - words, the signs of operators, and the beginning of the
 * parameters
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

/* Longer signs come before their beginnings. */
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

/* The place behind the list of parameters that begins at `at`. */
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

/* Does another name follow the parameters, so that they belong to a function
 * that is its scope? */
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
