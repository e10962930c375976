/*
 * literal.c - the values of literals; see literal.h
 */
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

/*
 * Is the suffix one of "", u, l, ul, lu, ll, ull, llu? Either case is allowed,
 * but not lL.
 */
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

/* The programming language Mesa writes an octal number as "37400B". */
static bool is_mesa_octal(const char *at, const char *end)
{
	const char *digits = at;

	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at > digits && end - at == 1 && *at == 'B';
}

static struct error *integer(const struct lexer *lexer, struct type *type,
			     uint64_t *out)
{
	const char *at = lexer->token.start, *end = at + lexer->token.length;
	bool is_unsigned, is_long;
	unsigned base = 10;
	uint64_t value = 0;
	const char *digits;

	if (is_mesa_octal(at, end)) {
		base = 8;
		end--;
	} else if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
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
		return bad(
			lexer,
			base == 8 ? "an octal number has only the digits 0 to 7"
				  : "a binary number has only the digits 0 and "
				    "1");
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
	/* the user's locale may have a comma as the decimal point */
	locale_t before = c_locale ? uselocale(c_locale) : NULL;
	char *end;

	/*
	 * Each type has a function of its own, so that no value is rounded
	 * twice.
	 */
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

/* The character that `c` stands for behind a backslash, as in \n, or -1. */
static int simple_escape(char c)
{
	static const char from[] = "abefnrtv\\'\"?";
	static const char to[] = "\a\b\033\f\n\r\t\v\\'\"?";
	const char *found = c ? strchr(from, c) : NULL;

	return found ? to[found - from] : -1;
}

/* ---- characters and strings ---- */

struct kind {
	char prefix[3];
	uint8_t width;
	const char *type;
};

static const struct kind *kind_of(const struct token *token)
{
	static const struct kind kinds[] = {{"u8", 1, NULL},
					    {"u", 2, "char16_t"},
					    {"U", 4, "char32_t"},
					    {"L", 4, "wchar_t"},
					    {"", 1, NULL}};
	const struct kind *kind = kinds;

	while (strncmp(token->start, kind->prefix, strlen(kind->prefix)) != 0)
		kind++;
	return kind;
}

/*
 * Decode a character of UTF-8 that has several bytes. False: the text does not
 * begin with such a character.
 */
static bool sequence(const char **at, const char *end, uint32_t *out)
{
	const unsigned char *bytes = (const unsigned char *)*at;
	size_t length = bytes[0] >= 0xf0   ? 4
			: bytes[0] >= 0xe0 ? 3
			: bytes[0] >= 0xc2 ? 2
					   : 0;

	if (!length || bytes[0] > 0xf4 || (size_t)(end - *at) < length)
		return false;
	*out = bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return false;
		*out = *out << 6 | (bytes[i] & 0x3f);
	}
	*at += length;
	return true;
}

static struct error *digits_of(const struct lexer *lexer, const char **at,
			       const char *end, unsigned base, int most,
			       uint64_t highest, uint32_t *out)
{
	uint64_t value = 0;
	int digits = 0;

	for (; *at < end && digits < most && digit_value(**at) < base; ++*at) {
		value = value * base + digit_value(**at);
		if (value > highest)
			return bad(lexer, "the number in an escape sequence is "
					  "too large for a character");
		digits++;
	}
	if (!digits)
		return bad(lexer, "an escape sequence that C does not have");
	*out = (uint32_t)value;
	return NULL;
}

/*
 * Decode one character of a literal, and move `*at` behind the character.
 * *is_code: `*out` is the number of the character in Unicode; else it is the
 * number that is stored.
 */
static struct error *character(const struct lexer *lexer, const char **at,
			       const char *end, uint8_t width, uint32_t *out,
			       bool *is_code)
{
	uint64_t highest = (1ULL << width * 8) - 1;

	*is_code = false;
	if (**at != '\\') {
		if (width > 1 && (unsigned char)**at >= 0x80 &&
		    sequence(at, end, out))
			return NULL;
		*out = (unsigned char)*(*at)++;
		return NULL;
	}
	++*at; /* between_quotes() made sure that a backslash is never last */
	if (simple_escape(**at) >= 0) {
		*out = (uint32_t)simple_escape(*(*at)++);
		return NULL;
	}
	if (**at == 'u' || **at == 'U') {
		int most = *(*at)++ == 'u' ? 4 : 8;

		*is_code = true;
		return digits_of(lexer, at, end, 16, most, 0x10ffff, out);
	}
	if (**at == 'x') {
		++*at;
		return digits_of(lexer, at, end, 16, INT32_MAX, highest, out);
	}
	return digits_of(lexer, at, end, 8, 3, highest, out);
}

/* Find the text between the quotes. */
static struct error *between_quotes(const struct lexer *lexer,
				    const char **start, const char **end)
{
	size_t prefix = strlen(kind_of(&lexer->token)->prefix);
	const char *open = lexer->token.start + prefix, *at = open;
	size_t length = lexer->token.length - prefix;

	*start = at + 1;
	*end = at + length - 1;
	/*
	 * the closing quote may be missing, or a backslash may stand before it
	 */
	for (at++; at < open + length && *at != *open; at++)
		if (*at == '\\' && at + 1 < open + length)
			at++;
	if (at != *end || length < 2)
		return bad(lexer, "the closing quote is missing");
	return NULL;
}

struct error *literal_character(const struct lexer *lexer, struct type *type,
				const char **name, union number *out)
{
	const struct kind *kind = kind_of(&lexer->token);
	const char *at, *end;
	uint32_t value;
	bool is_code;

	*type = (struct type){TYPE_INTEGER, kind->width,
			      kind->width == 1 || *kind->prefix == 'L', 0,
			      NULL};
	*name = kind->type;
	TRY(between_quotes(lexer, &at, &end));
	if (at == end)
		return bad(lexer, "no character between the quotes");
	if (!*kind->prefix && sequence(&at, end, &value) && at == end) {
		/*
		 * the binder knows the language of the program, and refuses
		 * this literal if the language has no such characters
		 */
		*type = (struct type){TYPE_INTEGER, 4, false, 0, NULL};
		*name = "char";
		out->u = value;
		return NULL;
	}
	TRY(between_quotes(lexer, &at, &end));
	TRY(character(lexer, &at, end, kind->width, &value, &is_code));
	if (at != end)
		return bad(lexer, "more than one character (a string has "
				  "double quotes)");
	out->u = kind->width == 1 ? (uint64_t)(int64_t)(char)value : value;
	return NULL;
}

/* Append one character as UTF-8. */
static void append_code(struct str *bytes, uint32_t c)
{
	if (c < 0x80) {
		str_append_char(bytes, (char)c);
		return;
	}
	if (c >= 0x10000)
		str_append_char(bytes, (char)(0xf0 | c >> 18));
	if (c >= 0x800)
		str_append_char(bytes, (char)((c >= 0x10000 ? 0x80 : 0xe0) |
					      (c >> 12 & 0x3f)));
	str_append_char(bytes,
			(char)((c >= 0x800 ? 0x80 : 0xc0) | (c >> 6 & 0x3f)));
	str_append_char(bytes, (char)(0x80 | (c & 0x3f)));
}

uint8_t literal_width(const struct lexer *lexer)
{
	return kind_of(&lexer->token)->width;
}

struct error *literal_string(const struct lexer *lexer, uint8_t width,
			     struct str *bytes)
{
	const char *at, *end;
	uint32_t value;
	bool is_code;

	TRY(between_quotes(lexer, &at, &end));
	while (at < end) {
		TRY(character(lexer, &at, end, width, &value, &is_code));
		if (width == 1 && is_code) {
			append_code(bytes, value);
			continue;
		}
		if (width == 2 && value > 0xffff) {
			uint32_t high = 0xd7c0 + (value >> 10);

			str_append_n(bytes, (const char *)&high, 2);
			value = 0xdc00 | (value & 0x3ff);
		}
		str_append_n(bytes, (const char *)&value, width);
	}
	return NULL;
}
