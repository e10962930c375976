/*
 * test_saved_json.c - JSON that the stream walks through is what json-c reads
 *
 * Texts are made at random, with all that JSON allows, and damaged at random.
 * What json-c takes the stream must take, and read the same values from it.
 *
 * tier: core
 * covers: saved
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "perftool/base/str.h"
#include "perftool/base/utf8.h"
#include "perftool/document.h"
#include "saved/json_stream.h"

#define TEXTS 20000

/* ---- making texts -------------------------------------------------------- */

static uint64_t state_of_random = 1;

static uint64_t below(uint64_t limit)
{
	state_of_random = state_of_random * 6364136223846793005u + 1;
	return (state_of_random >> 33) % limit;
}

static void make_blanks(struct str *out)
{
	for (uint64_t i = below(3); i > 0; i--)
		str_append_char(out, " \t\n\r"[below(4)]);
}

static void make_string(struct str *out)
{
	static const char *const parts[] = {"a",
					    "name",
					    "\\n",
					    "\\\\",
					    "\\\"",
					    "\\/",
					    "\\b",
					    "\\u0041",
					    "\\u00e4",
					    "\\u20AC",
					    "\\ud83d\\ude00",
					    "\xc3\xa4",
					    "\xf0\x9f\x98\x80",
					    " ",
					    "{",
					    "]",
					    ",",
					    ":",
					    "\\u001f",
					    "\\ud800x",
					    "\\udc00",
					    "\\ud800\\n",
					    "\\ud800\\ud800\\udc00",
					    "/",
					    "\x7f"};

	str_append_char(out, '"');
	for (uint64_t i = below(6); i > 0; i--)
		str_append(out, parts[below(sizeof(parts) / sizeof(*parts))]);
	str_append_char(out, '"');
}

static void make_number(struct str *out)
{
	static const char *const ends[] = {
		"",     "",    "",      ".5",   ".0",    "e3",
		"E+20", "e-7", ".25e2", "e300", "E-310", ".123456789012345678"};
	static const uint64_t limits[] = {2, 10, 1000, 1u << 31, 1u << 31};
	uint64_t limit = limits[below(5)];

	if (below(4) == 0)
		str_append_char(out, '-');
	str_printf(out, "%llu", (unsigned long long)below(limit));
	if (below(8) == 0 && out->data[out->length - 1] != '0')
		str_printf(out, "%09llu", (unsigned long long)below(1u << 29));
	str_append(out, ends[below(sizeof(ends) / sizeof(*ends))]);
}

static void make_value(struct str *out, int depth)
{
	static const char *const words[] = {"null", "true", "false"};
	uint64_t kind = below(depth > 4 ? 4 : 7), count = below(4);
	bool is_object = kind == 5;

	make_blanks(out);
	if (kind < 2) {
		make_number(out);
	} else if (kind == 2) {
		make_string(out);
	} else if (kind == 3) {
		str_append(out, words[below(3)]);
	} else {
		str_append_char(out, is_object ? '{' : '[');
		for (uint64_t i = 0; i < count; i++) {
			if (i)
				str_append_char(out, ',');
			make_blanks(out);
			if (is_object) {
				make_string(out);
				make_blanks(out);
				str_append_char(out, ':');
			}
			make_value(out, depth + 1);
		}
		make_blanks(out);
		str_append_char(out, is_object ? '}' : ']');
	}
	make_blanks(out);
}

/* ---- writing what was read ----------------------------------------------- */

static void write_text(const char *text, size_t length, struct str *out)
{
	str_printf(out, "'%zu:", length);
	str_append_n(out, text, length);
	str_append_char(out, '\'');
}

static void write_real(double number, struct str *out)
{
	str_printf(out, "r%.17g", number);
}

static struct error *write_value(struct json_stream *stream, struct str *out);

static struct error *write_member(void *context, struct json_stream *stream,
				  const char *name)
{
	struct str *out = context;

	if (name)
		write_text(name, strlen(name), out);
	str_append_char(out, ';');
	return write_value(stream, out);
}

static struct error *write_value(struct json_stream *stream, struct str *out)
{
	enum json_kind kind = json_stream_kind(stream);
	struct json_value value;

	if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		str_append_char(out, kind == JSON_ARRAY ? '[' : '{');
		TRY(kind == JSON_ARRAY
			    ? json_stream_array(stream, write_member, out)
			    : json_stream_object(stream, write_member, out));
		str_append_char(out, '.');
		return NULL;
	}
	TRY(json_stream_value(stream, &value));
	switch (value.kind) {
	case JSON_NULL:
		str_append(out, "null");
		break;
	case JSON_BOOL:
		str_append(out, value.truth ? "true" : "false");
		break;
	case JSON_WHOLE:
		/* json-c has no more than 64 bits */
		str_printf(out, "i%lld",
			   value.whole > INT64_MAX   ? (long long)INT64_MAX
			   : value.whole < INT64_MIN ? (long long)INT64_MIN
						     : (long long)value.whole);
		break;
	case JSON_REAL:
		write_real(value.real, out);
		break;
	default:
		write_text(value.text, value.length, out);
	}
	return NULL;
}

static void write_object(struct json_object *object, struct str *out)
{
	switch (json_object_get_type(object)) {
	case json_type_null:
		str_append(out, "null");
		break;
	case json_type_boolean:
		str_append(out,
			   json_object_get_boolean(object) ? "true" : "false");
		break;
	case json_type_int:
		str_printf(out, "i%lld",
			   (long long)json_object_get_int64(object));
		break;
	case json_type_double:
		write_real(json_object_get_double(object), out);
		break;
	case json_type_string:
		write_text(json_object_get_string(object),
			   (size_t)json_object_get_string_len(object), out);
		break;
	case json_type_array:
		str_append_char(out, '[');
		for (size_t i = 0; i < json_object_array_length(object); i++) {
			str_append_char(out, ';');
			write_object(json_object_array_get_idx(object, i), out);
		}
		str_append_char(out, '.');
		break;
	case json_type_object:
		str_append_char(out, '{');
		json_object_object_foreach(object, name, member)
		{
			write_text(name, strlen(name), out);
			str_append_char(out, ';');
			write_object(member, out);
		}
		str_append_char(out, '.');
	}
}

/* ---- comparing ----------------------------------------------------------- */

static bool read_by_stream(struct json_stream *stream, struct str *out)
{
	struct error *error = write_value(stream, out);
	bool is_right = !error && json_stream_is_at_end(stream);

	error_destroy(error);
	json_stream_close(stream);
	return is_right;
}

/* Returns false if json-c does not take the text. Members of one name are one
 * for it, so that such an object says nothing. */
static bool read_by_json_c(const char *text, size_t length, struct str *out)
{
	json_tokener *tokener;
	struct json_object *object;
	struct str ascii = {0};
	bool is_right;

	if (strlen(text) != length || !utf8_is_valid(text))
		return false;
	json_append_ascii(text, &ascii);
	tokener = json_tokener_new_ex(64);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, str_text(&ascii),
				       (int)ascii.length + 1);
	str_deinit(&ascii);
	is_right = json_tokener_get_error(tokener) == json_tokener_success;
	if (is_right)
		write_object(object, out);
	json_object_put(object);
	json_tokener_free(tokener);
	return is_right;
}

static void compare(const char *text, size_t length)
{
	struct str ours = {0}, theirs = {0};
	bool is_read = read_by_json_c(text, length, &theirs);
	bool is_taken = read_by_stream(
		json_stream_open_text(text, length, "text"), &ours);

	if (is_read && !is_taken)
		fail_msg("json-c takes it: %s", text);
	if (is_read && ours.length == theirs.length &&
	    memcmp(str_text(&ours), str_text(&theirs), ours.length) != 0)
		fail_msg("%s\nis %s\nand not %s", text, str_text(&theirs),
			 str_text(&ours));
	/* a name that comes twice makes ours longer */
	if (is_read && ours.length < theirs.length)
		fail_msg("%s\nis %s\nand not %s", text, str_text(&theirs),
			 str_text(&ours));
	str_deinit(&ours);
	str_deinit(&theirs);
}

/* The outermost value is a list: a number that is all of a file is taken to be
 * cut off. */
static void make_text(struct str *out)
{
	str_append_char(out, '[');
	make_value(out, 0);
	str_append_char(out, ']');
}

static void reads_what_json_c_reads(void **state)
{
	(void)state;
	for (int i = 0; i < TEXTS; i++) {
		struct str text = {0}, read = {0};

		make_text(&text);
		compare(str_text(&text), text.length);
		if (!read_by_json_c(str_text(&text), text.length, &read))
			fail_msg("json-c refuses it: %s", str_text(&text));
		str_deinit(&read);
		str_deinit(&text);
	}
}

static void takes_damaged_texts_that_json_c_takes(void **state)
{
	(void)state;
	for (int i = 0; i < TEXTS; i++) {
		struct str text = {0};
		size_t at;

		make_text(&text);
		at = 1 + below(text.length);
		if (at < text.length)
			text.data[at] =
				"\"[]{},:0-.eE+\\ \xc3\xa4t\x01"[below(19)];
		compare(str_text(&text), text.length);
		str_deinit(&text);
	}
}

/* Texts that are read in pieces: whatever lies across two of them is read as a
 * whole. */
static void reads_across_pieces(void **state)
{
	static const char inner[] =
		"{\"n\\u0061me\": [-12.5e2, 1234567, true, null, "
		"\"x\\n\\ud83d\\ude00\xc3\xa4y\", {\"a\": [1, \"]\\\"\"]}]}";

	(void)state;
	for (size_t i = 0; i <= sizeof(inner); i++) {
		char path[] = "/tmp/json-XXXXXX";
		int fd = mkstemp(path);
		struct str text = {0}, ours = {0}, wanted = {0};
		struct json_stream *stream;

		assert_true(fd >= 0);
		for (size_t j = 0; j < 65536 - i; j++)
			str_append_char(&text, ' ');
		str_append(&text, inner);
		assert_int_equal(write(fd, str_text(&text), text.length),
				 (ssize_t)text.length);
		close(fd);
		assert_null(json_stream_open(path, &stream));
		unlink(path);
		assert_true(read_by_stream(stream, &ours));
		assert_true(read_by_json_c(inner, strlen(inner), &wanted));
		assert_string_equal(str_text(&ours), str_text(&wanted));
		str_deinit(&text);
		str_deinit(&ours);
		str_deinit(&wanted);
	}
}

/* What is beyond 64 bits json-c cuts off; the stream has 128 bits. */
static void reads_large_numbers(void **state)
{
	const char *text = "170141183460469231731687303715884105727";
	struct json_stream *stream;
	struct json_value value;
	struct str list = {0};

	(void)state;
	str_printf(&list, "[-%.30s, %s0]", text, text);
	stream = json_stream_open_text(str_text(&list), list.length, "text");
	assert_null(json_stream_enter(stream, &(bool){false}));
	assert_null(json_stream_value(stream, &value));
	assert_int_equal(value.kind, JSON_WHOLE);
	assert_true(value.real == -170141183460469231731687303715.0);
	assert_true(value.whole / 1000000000 ==
		    -(__int128)170141183460469231 * 1000 - 731);
	assert_null(json_stream_more(stream, &(bool){false}));
	assert_null(json_stream_value(stream, &value));
	assert_true(value.whole > (__int128)1 << 126);
	assert_true(value.real == 1701411834604692317316873037158841057270.0);
	json_stream_close(stream);
	str_deinit(&list);
}

/* The text ends within a value that is passed over, too. */
static void passes_over_values(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct json_stream *stream;
		struct str text = {0};

		make_text(&text);
		stream = json_stream_open_text(str_text(&text), text.length,
					       "text");
		assert_null(json_stream_skip(stream));
		assert_true(json_stream_is_at_end(stream));
		json_stream_close(stream);
		stream = json_stream_open_text(str_text(&text), text.length - 1,
					       "text");
		error_destroy(json_stream_skip(stream));
		json_stream_close(stream);
		str_deinit(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_json_c_reads),
		cmocka_unit_test(takes_damaged_texts_that_json_c_takes),
		cmocka_unit_test(reads_across_pieces),
		cmocka_unit_test(reads_large_numbers),
		cmocka_unit_test(passes_over_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
