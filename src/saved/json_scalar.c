/* json_scalar.c - see json_scalar.h */
#include "json_scalar.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/utf8.h"

/* ---- strings ------------------------------------------------------------- */

static struct error *append(struct json_stream *stream, const char *bytes,
			    size_t length, struct str *text)
{
	if (text->length + length <= JSON_TEXT_MAX) {
		str_append_n(text, bytes, length);
		return NULL;
	}
	return json_bytes_wrong(stream, "a string of more than 64 MiB");
}

/* Takes the four digits of a \u escape. */
static struct error *take_unit(struct json_stream *stream, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++) {
		int byte = json_bytes_peek(stream), digit;

		if (byte == EOF)
			return json_bytes_unexpected(stream);
		if (byte >= '0' && byte <= '9')
			digit = byte - '0';
		else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
			digit = (byte | 0x20) - 'a' + 10;
		else
			return json_bytes_wrong(stream, "no hexadecimal digit");
		stream->next++;
		*out = *out << 4 | (uint32_t)digit;
	}
	return NULL;
}

static bool is_high(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

static void append_code(uint32_t code, struct str *text)
{
	char bytes[4];
	size_t length = code < 0x80      ? 1
			: code < 0x800   ? 2
			: code < 0x10000 ? 3
					 : 4;
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = length - 1; i > 0; i--, code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3f));
	bytes[0] = (char)(first[length] | code);
	str_append_n(text, bytes, length);
}

/* Reads the letter of an escape such as "\n". */
static struct error *read_short_escape(struct json_stream *stream,
				       struct str *text)
{
	static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
	int byte = json_bytes_peek(stream);
	const char *letter;

	if (byte == EOF)
		return json_bytes_unexpected(stream);
	letter = byte ? strchr(letters, byte) : NULL;
	if (!letter)
		return json_bytes_wrong(stream, "an unknown escape");
	stream->next++;
	str_append_char(text, bytes[letter - letters]);
	return NULL;
}

/* Reads the rest of an escape "\uXXXX". One half of a surrogate pair without
 * the other stands for no character: it becomes U+FFFD, as with json-c. */
static struct error *read_unit(struct json_stream *stream, struct str *text)
{
	uint32_t unit, second;

	TRY(take_unit(stream, &unit));
	while (is_high(unit)) {
		if (json_bytes_peek(stream) != '\\')
			break;
		stream->next++;
		if (json_bytes_peek(stream) != 'u') {
			str_append(text, UTF8_REPLACEMENT);
			return read_short_escape(stream, text);
		}
		stream->next++;
		TRY(take_unit(stream, &second));
		if (is_low(second)) {
			append_code(0x10000 + ((unit & 0x3ff) << 10) +
					    (second & 0x3ff),
				    text);
			return NULL;
		}
		str_append(text, UTF8_REPLACEMENT);
		unit = second;
	}
	if (is_high(unit) || is_low(unit))
		str_append(text, UTF8_REPLACEMENT);
	else
		append_code(unit, text);
	return NULL;
}

static struct error *read_escape(struct json_stream *stream, struct str *text)
{
	if (json_bytes_peek(stream) != 'u')
		return read_short_escape(stream, text);
	stream->next++;
	return read_unit(stream, text);
}

static bool is_utf8(const struct str *text)
{
	const char *at = str_text(text), *end = at + text->length;

	while (at < end) {
		/* U+0000 comes from an escape */
		size_t length = *at ? utf8_sequence(at, NULL) : 1;

		if (!length)
			return false;
		at += length;
	}
	return true;
}

/* Takes the bytes that stand for themselves: control characters too, which
 * other programs may have left as they are. Returns whether some are not ASCII.
 */
static bool take_plain(struct json_stream *stream, const char **from,
		       size_t *length)
{
	const char *at = stream->next, *end = stream->end;
	unsigned char all = 0;

	*from = at;
	for (; at < end && *at != '"' && *at != '\\' && *at; at++)
		all |= (unsigned char)*at;
	*length = (size_t)(at - stream->next);
	stream->next = at;
	return all >= 0x80;
}

struct error *json_read_string(struct json_stream *stream, struct str *text)
{
	bool has_others = false;

	for (;;) {
		const char *from;
		size_t length;
		int byte;

		has_others |= take_plain(stream, &from, &length);
		TRY(append(stream, from, length, text));
		byte = json_bytes_peek(stream);
		if (byte == EOF)
			return json_bytes_unexpected(stream);
		if (byte && byte != '"' && byte != '\\')
			continue; /* of the next piece */
		if (!byte)
			return json_bytes_wrong(stream,
						"a null byte in a string");
		stream->next++;
		if (byte == '"')
			break;
		TRY(read_escape(stream, text));
	}
	if (has_others && !is_utf8(text))
		return json_bytes_wrong(stream, "a string that is not UTF-8");
	return NULL;
}

/* ---- numbers ------------------------------------------------------------- */

static bool is_digit(int byte)
{
	return byte >= '0' && byte <= '9';
}

static bool is_of_number(int byte)
{
	return is_digit(byte) || byte == '-' || byte == '+' || byte == '.' ||
	       byte == 'e' || byte == 'E';
}

/* The parts of a number: digits of `mantissa` that do not fit are left out, and
 * then `is_long`. */
struct parts {
	bool is_negative, is_real, is_long;
	unsigned __int128 mantissa;
	int exponent; /* of 10 */
};

static void add_digit(struct parts *parts, int byte)
{
	const unsigned __int128 most = ((unsigned __int128)1 << 127) / 10 - 1;

	if (parts->mantissa > most)
		parts->is_long = true;
	else
		parts->mantissa = parts->mantissa * 10 + (unsigned)(byte - '0');
}

static const char *take_exponent(const char *at, struct parts *parts)
{
	bool is_negative = *at == '-';
	int exponent = 0;
	const char *first;

	at += *at == '-' || *at == '+';
	for (first = at; is_digit(*at); at++)
		if (exponent < 100000)
			exponent = exponent * 10 + (*at - '0');
	parts->exponent += is_negative ? -exponent : exponent;
	return at == first ? NULL : at;
}

/* Takes the number apart: what RFC 8259 has, and what json-c takes besides,
 * which are further zeros at its beginning, and no digits on one side of its
 * point. Returns whether the text is a number as a whole. */
static bool take_apart(const char *text, const char *end, struct parts *parts)
{
	const char *at = text, *first;
	ptrdiff_t digits;

	*parts = (struct parts){.is_negative = *at == '-'};
	at += parts->is_negative;
	for (first = at; is_digit(*at); at++)
		add_digit(parts, *at);
	digits = at - first;
	if (*at == '.') {
		parts->is_real = true;
		for (first = ++at; is_digit(*at); at++) {
			add_digit(parts, *at);
			parts->exponent -= !parts->is_long;
		}
		digits += at - first;
	}
	if (*at == 'e' || *at == 'E') {
		parts->is_real = true;
		at = take_exponent(at + 1, parts);
	}
	return at == end && digits;
}

/* Powers of 10 that a double has exactly. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The nearest double. If mantissa and power are doubles themselves, one
 * operation rounds once, and so does strtod(3), which takes longer. */
static double real_of(const struct json_stream *stream,
		      const struct parts *parts, const char *text)
{
	const int most = sizeof(powers) / sizeof(*powers) - 1;
	double mantissa;

	if (parts->is_long || parts->mantissa > (1ull << 53) ||
	    parts->exponent > most || parts->exponent < -most)
		return strtod_l(text, NULL, stream->locale);
	mantissa = (double)(uint64_t)parts->mantissa;
	if (parts->is_negative)
		mantissa = -mantissa;
	return parts->exponent < 0 ? mantissa / powers[-parts->exponent]
				   : mantissa * powers[parts->exponent];
}

/* Stores where the bytes are that can be of a number: in the piece, or if they
 * go on in the next one in `stream->text`. They end with another byte. */
static struct error *find_number(struct json_stream *stream, const char **text,
				 const char **end)
{
	const char *at = stream->next;

	while (at < stream->end && is_of_number(*at))
		at++;
	*text = stream->next;
	*end = at;
	if (at < stream->end) {
		stream->next = at;
		return NULL;
	}
	stream->text.length = 0;
	while (is_of_number(json_bytes_peek(stream))) {
		TRY(append(stream, stream->next, 1, &stream->text));
		stream->next++;
	}
	if (json_bytes_peek(stream) == EOF)
		return json_bytes_unexpected(stream);
	*text = str_text(&stream->text);
	*end = *text + stream->text.length;
	return NULL;
}

struct error *json_read_number(struct json_stream *stream,
			       struct json_value *out)
{
	const unsigned __int128 most = ~(unsigned __int128)0 >> 1;
	const char *text, *end;
	struct parts parts;

	TRY(find_number(stream, &text, &end));
	if (!take_apart(text, end, &parts))
		return json_bytes_wrong(stream, "a number that is none");
	*out = (struct json_value){.kind = parts.is_real ? JSON_REAL
							 : JSON_WHOLE,
				   .real = real_of(stream, &parts, text)};
	if (!parts.is_real) {
		out->whole = (__int128)(parts.is_long ? most : parts.mantissa);
		if (parts.is_negative)
			out->whole = -out->whole;
	}
	return NULL;
}

/* ---- words --------------------------------------------------------------- */

static const struct {
	const char *word;
	struct json_value value;
} words[] = {
	{"null", {.kind = JSON_NULL}},
	{"true", {.kind = JSON_BOOL, .truth = true}},
	{"false", {.kind = JSON_BOOL}},
	{"NaN", {.kind = JSON_REAL, .real = NAN}},
	{"Infinity", {.kind = JSON_REAL, .real = INFINITY}},
};

struct error *json_read_word(struct json_stream *stream, struct json_value *out)
{
	struct str *text = &stream->text;
	int byte;

	text->length = 0;
	while ((byte = json_bytes_peek(stream)) != EOF &&
	       (((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'))) {
		TRY(append(stream, stream->next, 1, text));
		stream->next++;
	}
	if (byte == EOF || !text->length)
		return json_bytes_unexpected(stream);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!str_equal(words[i].word, str_text(text)))
			continue;
		*out = words[i].value;
		return NULL;
	}
	return json_bytes_wrong(stream, "an unknown word");
}
