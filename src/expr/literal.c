/* literal.c - see literal.h */
#include "literal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

static struct error *bad(const struct lexer *lexer, const char *why)
{
	const struct token *token = &lexer->token;

	return lexer_error(lexer, token->start, "'%.*s': %s",
			   (int)token->length, token->start, why);
}

/* The value of a digit in any base up to 16, else 255. */
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = (char)(c | 0x20);
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	return 255;
}

/* "", u, l, ul, lu, ll, ull, llu in either case, but not lL. */
static bool integer_suffix(const char *at, size_t length, bool *is_unsigned,
			   bool *is_long)
{
	*is_unsigned = *is_long = false;
	while (length) {
		if ((*at == 'u' || *at == 'U') && !*is_unsigned) {
			*is_unsigned = true;
			at++;
			length--;
		} else if ((*at == 'l' || *at == 'L') && !*is_long) {
			size_t letters = length > 1 && at[1] == *at ? 2 : 1;

			*is_long = true;
			at += letters;
			length -= letters;
		} else {
			return false;
		}
	}
	return true;
}

static struct type integer_type(uint64_t value, bool decimal, bool is_unsigned,
				bool is_long)
{
	if (!is_long) {
		if (!is_unsigned && value <= INT32_MAX)
			return type_int;
		if ((is_unsigned || !decimal) && value <= UINT32_MAX)
			return type_unsigned;
	}
	if (!is_unsigned && value <= INT64_MAX)
		return type_long;
	return type_unsigned_long;
}

static struct error *integer(const struct lexer *lexer, struct type *type,
			     uint64_t *out)
{
	const char *at = lexer->token.start, *end = at + lexer->token.length;
	bool is_unsigned, is_long;
	unsigned base = 10;
	uint64_t value = 0;
	const char *digits;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		base = 16;
		at += 2;
	} else if (at[0] == '0' && (at[1] == 'b' || at[1] == 'B')) {
		base = 2;
		at += 2;
	} else if (at[0] == '0') {
		base = 8;
	}
	for (digits = at; at < end && digit_value(*at) < base; at++) {
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit_value(*at), &value))
			return bad(lexer, "more than 64 bits");
	}
	if (at == digits)
		return bad(lexer, "a number without digits");
	if (at < end && *at >= '0' && *at <= '9')
		return bad(lexer, base == 8 ? "a digit that octal has not"
					    : "a digit that binary has not");
	if (!integer_suffix(at, (size_t)(end - at), &is_unsigned, &is_long))
		return bad(lexer, "not a number");
	*type = integer_type(value, base == 10, is_unsigned, is_long);
	*out = value;
	return NULL;
}

static bool is_floating(const struct token *token)
{
	bool hex = token->length > 1 && (token->start[1] | 0x20) == 'x';

	for (size_t i = 0; i < token->length; i++) {
		char c = token->start[i];

		if (c == '.' || (c | 0x20) == (hex ? 'p' : 'e'))
			return true;
	}
	return false;
}

static struct error *floating(const struct lexer *lexer, struct type *type,
			      union number *out)
{
	CLEANUP(free_pointer)
	char *text = xstrndup(lexer->token.start, lexer->token.length);
	locale_t c_locale = newlocale(LC_ALL_MASK, "C", NULL);
	/* the user's locale may want a comma */
	locale_t before = c_locale ? uselocale(c_locale) : NULL;
	char *end;

	/* each by its own function: none is rounded twice */
	out->f = strtod(text, &end);
	*type = type_double;
	if (*end == 'f' || *end == 'F') {
		out->f = (double)strtof(text, NULL);
		*type = type_float;
	} else if (*end == 'l' || *end == 'L') {
		out->l = strtold(text, NULL);
		*type = type_long_double;
	}
	if (c_locale) {
		uselocale(before);
		freelocale(c_locale);
	}
	if (end == text || strlen(end) > (type->size == 8 ? 0 : 1))
		return bad(lexer, "not a number");
	return NULL;
}

struct error *literal_number(const struct lexer *lexer, struct type *type,
			     union number *out)
{
	if (is_floating(&lexer->token))
		return floating(lexer, type, out);
	return integer(lexer, type, &out->u);
}

/* \n and the like: what `c` after a backslash stands for, or -1. */
static int simple_escape(char c)
{
	static const char from[] = "abefnrtv\\'\"?";
	static const char to[] = "\a\b\033\f\n\r\t\v\\'\"?";
	const char *found = c ? strchr(from, c) : NULL;

	return found ? to[found - from] : -1;
}

/* One character of a literal, from `**at`, which moves behind it. */
static struct error *character(const struct lexer *lexer, const char **at,
			       const char *end, char *out)
{
	unsigned value = 0;
	int digits = 0;

	if (**at != '\\') {
		*out = *(*at)++;
		return NULL;
	}
	++*at; /* a backslash is never last: between_quotes() saw to that */
	if (simple_escape(**at) >= 0) {
		*out = (char)simple_escape(*(*at)++);
		return NULL;
	}
	if (**at == 'x') {
		for (++*at; *at < end && digit_value(**at) < 16; ++*at) {
			value = value * 16 + digit_value(**at);
			if (value > 0xff)
				return bad(lexer, "more than a byte after \\x");
			digits++;
		}
	} else {
		for (; *at < end && digits < 3 && digit_value(**at) < 8;
		     ++*at) {
			value = value * 8 + digit_value(**at);
			digits++;
		}
	}
	if (!digits)
		return bad(lexer, "an escape sequence that C has not");
	if (value > 0xff)
		return bad(lexer, "more than a byte in an escape sequence");
	*out = (char)value;
	return NULL;
}

/* Where the text between the quotes is. */
static struct error *between_quotes(const struct lexer *lexer,
				    const char **start, const char **end)
{
	const struct token *token = &lexer->token;
	size_t length = token->length;
	const char *at = token->start;

	*start = at + 1;
	*end = at + length - 1;
	/* the closing quote may be missing, or be escaped */
	for (at++; at < token->start + length && *at != token->start[0]; at++)
		if (*at == '\\' && at + 1 < token->start + length)
			at++;
	if (at != *end || length < 2)
		return bad(lexer, "the closing quote is missing");
	return NULL;
}

struct error *literal_character(const struct lexer *lexer, union number *out)
{
	const char *at, *end;
	char value;

	TRY(between_quotes(lexer, &at, &end));
	if (at == end)
		return bad(lexer, "no character between the quotes");
	TRY(character(lexer, &at, end, &value));
	if (at != end)
		return bad(lexer, "more than one character (a string has "
				  "double quotes)");
	out->u = (uint64_t)(int64_t)value;
	return NULL;
}

struct error *literal_string(const struct lexer *lexer, struct str *bytes)
{
	const char *at, *end;
	char value;

	TRY(between_quotes(lexer, &at, &end));
	while (at < end) {
		TRY(character(lexer, &at, end, &value));
		str_append_char(bytes, value);
	}
	return NULL;
}
