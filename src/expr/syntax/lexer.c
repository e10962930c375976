/*
 * lexer.c - the lexer; see lexer.h
 *
 * As in C, the next word is the longest one that the text begins with.
 */
#include "lexer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

/*
 * The text of one operator may begin with that of another, so the longer ones
 * come first.
 */
static const struct {
	char text[4];
	enum op op;
} operators[] = {
	{"<<=", OP_CHANGE},     {">>=", OP_CHANGE},    {"<<", OP_SHIFT_LEFT},
	{">>", OP_SHIFT_RIGHT}, {"<=", OP_LESS_EQUAL}, {">=", OP_GREATER_EQUAL},
	{"==", OP_EQUAL},       {"!=", OP_NOT_EQUAL},  {"&&", OP_LOGICAL_AND},
	{"||", OP_LOGICAL_OR},  {"->", OP_ARROW},      {"++", OP_CHANGE},
	{"--", OP_CHANGE},      {"+=", OP_CHANGE},     {"-=", OP_CHANGE},
	{"*=", OP_CHANGE},      {"/=", OP_CHANGE},     {"%=", OP_CHANGE},
	{"&=", OP_CHANGE},      {"^=", OP_CHANGE},     {"|=", OP_CHANGE},
	{"=", OP_CHANGE},       {"*", OP_MULTIPLY},    {"/", OP_DIVIDE},
	{"%", OP_REMAINDER},    {"+", OP_ADD},         {"-", OP_SUBTRACT},
	{"<", OP_LESS},         {">", OP_GREATER},     {"&", OP_AND},
	{"^", OP_XOR},          {"|", OP_OR},          {"!", OP_NOT},
	{"~", OP_COMPLEMENT},   {"?", OP_QUESTION},    {":", OP_COLON},
	{"(", OP_OPEN},         {")", OP_CLOSE},       {".", OP_DOT},
	{"[", OP_INDEX},        {"]", OP_INDEX_END},
};

/* The functions of ctype.h depend on the locale, and are not used. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Bytes of UTF-8 beyond ASCII count as letters, since names may contain them.
 */
static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
	return starts_name(c) || is_digit(c);
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * How many bytes the arguments of a template may have. This limits the work for
 * each `<`.
 */
#define MAX_ARGUMENTS 2000

/* Can the character be among the arguments of a template? */
static bool in_arguments(char c)
{
	return continues_name(c) || is_blank(c) || (c && strchr(":,*&-", c));
}

/*
 * Returns the end of the arguments of a template, if they begin at this `<`;
 * else `at` itself. The lexer knows no types and decides by what follows: `>`
 * followed by `::NAME`, `)`, `*)` or `&)` can only end arguments, as no operand
 * begins so.
 */
static const char *after_arguments(const char *at)
{
	const char *start = at;
	int depth = 0;

	do {
		if (*at == '<')
			depth++;
		else if (*at == '>')
			depth--;
		else if (!in_arguments(*at) || at - start > MAX_ARGUMENTS)
			return start;
		at++;
	} while (depth);
	if (at[0] == ':' && at[1] == ':' && starts_name(at[2]))
		return at;
	for (const char *next = at;; next++) {
		if (*next == ')')
			return at;
		if ((*next != '*' && *next != '&' && !is_blank(*next)) ||
		    next - start > MAX_ARGUMENTS)
			return start;
	}
}

static bool at_scope(const char *at)
{
	return at[0] == ':' && at[1] == ':' &&
	       (starts_name(at[2]) || at[2] == '{');
}

/* Names of Rust contain parts like `{impl#0}`. */
static const char *after_braces(const char *at)
{
	const char *end = at;

	while (continues_name(*end) || *end == '{' || *end == '#')
		end++;
	return *at == '{' && *end == '}' ? end + 1 : at;
}

/*
 * Names are `a`, `a::b` and `::a`. A `::` that no name follows is not part of
 * the name.
 */
static const char *after_name(const char *at)
{
	for (;;) {
		if (at_scope(at))
			at = after_braces(at + 2);
		while (continues_name(*at))
			at++;
		if (*at == '<')
			at = after_arguments(at);
		if (!at_scope(at) ||
		    (at[2] == '{' && after_braces(at + 2) == at + 2))
			return at;
	}
}

/*
 * A number consists of digits, letters, points, and signs of exponents (C17
 * 6.4.8). Unlike in C, 0xe+1 is a sum.
 */
static const char *after_number(const char *at)
{
	bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');

	while (continues_name(*at) || *at == '.') {
		char lower = (char)(*at | 0x20);
		bool exponent = lower == (hex ? 'p' : 'e');

		at++;
		if (exponent && (*at == '+' || *at == '-'))
			at++;
	}
	return at;
}

/* If the closing quote is missing, the word ends with the text. */
static const char *after_quoted(const char *at)
{
	char quote = *at++;

	while (*at && *at != quote) {
		if (*at == '\\' && at[1])
			at++;
		at++;
	}
	return *at ? at + 1 : at;
}

static const char *after_operator(const char *at, enum op *op)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t length = strlen(operators[i].text);

		if (strncmp(at, operators[i].text, length) == 0) {
			*op = operators[i].op;
			return at + length;
		}
	}
	return at;
}

/* The length of the prefix L, u, U or u8 of a literal. */
static size_t prefix_length(const char *at)
{
	if (at[0] == 'u' && at[1] == '8')
		return 2;
	return at[0] == 'L' || at[0] == 'u' || at[0] == 'U';
}

static const char *scan(const char *at, enum token_kind *kind, enum op *op)
{
	const char *end;

	if (!*at) {
		*kind = TOKEN_END;
		return at;
	}
	end = at + prefix_length(at);
	if (end > at && (*end == '\'' || *end == '"')) {
		*kind = *end == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
		return after_quoted(end);
	}
	if (starts_name(*at) ||
	    (at[0] == ':' && at[1] == ':' && starts_name(at[2]))) {
		*kind = TOKEN_NAME;
		return after_name(at);
	}
	if (*at == '$' && continues_name(at[1])) {
		*kind = TOKEN_DOLLAR;
		for (at++; continues_name(*at); at++)
			;
		return at;
	}
	if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) {
		*kind = TOKEN_NUMBER;
		return after_number(at);
	}
	if (*at == '\'' || *at == '"') {
		end = after_quoted(at);
		*kind = *at == '"' ? TOKEN_STRING : TOKEN_CHARACTER;
		if (*at == '"' || !(at_scope(end) && starts_name(end[2])))
			return end;
		*kind = TOKEN_NAME;
		return after_name(end);
	}
	*kind = TOKEN_OPERATOR;
	end = after_operator(at, op);
	if (end > at)
		return end;
	*kind = TOKEN_BAD;
	return at + 1;
}

void lexer_init(struct lexer *lexer, const char *text)
{
	*lexer = (struct lexer){.text = text, .token = {.start = text}};
	lexer_next(lexer);
}

void lexer_next(struct lexer *lexer)
{
	const char *at = lexer->token.start + lexer->token.length;
	struct token token = {.op = OP_NONE};

	while (is_blank(*at))
		at++;
	token.start = at;
	token.length = (size_t)(scan(at, &token.kind, &token.op) - at);
	lexer->token = token;
}

void lexer_split_number(struct lexer *lexer)
{
	const char *at = lexer->token.start;

	for (at += *at == '.'; is_digit(*at);)
		at++;
	lexer->token.length = (size_t)(at - lexer->token.start);
}

bool token_is_name(const struct token *token, const char *name)
{
	return token->kind == TOKEN_NAME && token->length == strlen(name) &&
	       memcmp(token->start, name, token->length) == 0;
}

unsigned op_precedence(enum op op)
{
	switch (op) {
	case OP_MULTIPLY:
	case OP_DIVIDE:
	case OP_REMAINDER:
		return 10;
	case OP_ADD:
	case OP_SUBTRACT:
		return 9;
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
		return 8;
	case OP_LESS:
	case OP_LESS_EQUAL:
	case OP_GREATER:
	case OP_GREATER_EQUAL:
		return 7;
	case OP_EQUAL:
	case OP_NOT_EQUAL:
		return 6;
	case OP_AND:
		return 5;
	case OP_XOR:
		return 4;
	case OP_OR:
		return 3;
	case OP_LOGICAL_AND:
		return 2;
	case OP_LOGICAL_OR:
		return 1;
	default:
		return 0;
	}
}

const char *op_text(enum op op)
{
	if (op == OP_CHANGE)
		return "";
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (operators[i].op == op)
			return operators[i].text;
	return "";
}

struct error *lexer_error(const struct lexer *lexer, const char *at,
			  const char *format, ...)
{
	struct error *error;
	char *message;
	va_list ap;

	va_start(ap, format);
	message = xvasprintf(format, ap);
	va_end(ap);
	error = error_create(ERROR_USAGE, "column %zu: %s",
			     lexer_column(lexer, at), message);
	free(message);
	return error;
}
