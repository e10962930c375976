/*
 * test_serve_wire.c - the messages of front ends in both encodings: whole, in
 * pieces, and wrong ones
 *
 * tier: core
 * covers: serve/wire document
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "serve/wire/wire.h"

static void push(struct wire *wire, const char *text)
{
	wire_push(wire, text, strlen(text));
}

/* The parameters as a text, in which json-c keeps the order of members. */
static const char *params(const struct request *request)
{
	return json_object_to_json_string_ext(request->params,
					      JSON_C_TO_STRING_PLAIN);
}

static void expect(struct wire *wire, const char *operation, const char *wanted)
{
	struct request request;

	assert_true(wire_next(wire, &request));
	assert_int_equal(request.kind, REQUEST_OPERATION);
	assert_string_equal(request.operation, operation);
	assert_string_equal(params(&request), wanted);
	request_deinit(&request);
}

static void expect_wrong(struct wire *wire, enum wire_code code,
			 const char *problem, bool is_last)
{
	struct request request;

	assert_true(wire_next(wire, &request));
	assert_int_equal(request.kind, REQUEST_WRONG);
	assert_int_equal(request.code, code);
	assert_non_null(strstr(request.problem, problem));
	assert_int_equal(request.is_last, is_last);
	request_deinit(&request);
}

static void expect_nothing(struct wire *wire)
{
	struct request request;

	assert_false(wire_next(wire, &request));
}

/* ---- reading XML --------------------------------------------------------- */

static void test_xml_becomes_json(void **state)
{
	struct wire *wire = wire_create();

	(void)state;
	push(wire, "<DYPER COMMAND='WHO' />");
	expect(wire, "who", "{}");
	assert_int_equal(wire_encoding(wire), ENCODING_XML);
	push(wire,
	     "\n<DYPER PID='12' XCOMMAND='SET'><SETTINGS>"
	     "<VAR NAME='a' VALUE='1' /> <VAR NAME='b' VALUE='&lt;&#65;' />"
	     "</SETTINGS></DYPER>");
	expect(wire, "set",
	       "{\"settings\":[{\"var\":[{\"name\":\"a\",\"value\":\"1\"},"
	       "{\"name\":\"b\",\"value\":\"<A\"}]}]}");
	push(wire, "<DYPATCH PID='12' COMMAND='DIRECTORY'>/tmp/x</DYPATCH>");
	expect(wire, "directory", "{\"text\":\"\\/tmp\\/x\"}");
	push(wire,
	     "<DYPER XCOMMAND='M'><A>one</A><A/><B X='1'>two</B></DYPER>");
	expect(wire, "m",
	       "{\"a\":[\"one\",\"\"],\"b\":[{\"x\":\"1\",\"text\":\"two\"}]}");
	expect_nothing(wire);
	wire_destroy(wire);
}

static void test_xml_comes_in_pieces(void **state)
{
	static const char text[] =
		"<?xml version='1.0'?><!-- c --><DYPER XCOMMAND='PING'>"
		"<A B='&gt;>'>x > y</A></DYPER> <DYPER COMMAND='WHO'/>";
	struct wire *wire = wire_create();

	(void)state;
	for (size_t i = 0; text[i]; i++) {
		wire_push(wire, text + i, 1);
		if (strncmp(text + i, "> <", 3) == 0) {
			expect(wire, "ping",
			       "{\"a\":[{\"b\":\">>\",\"text\":\"x > y\"}]}");
		} else if (text[i + 1]) {
			expect_nothing(wire);
		}
	}
	expect(wire, "who", "{}");
	wire_destroy(wire);
}

static void test_xml_names_the_process(void **state)
{
	static const struct {
		const char *pid;
		pid_t wanted;
	} cases[] = {{"12", 12}, {"*", 0}, {"", 0}, {"x", -1}, {"-3", -1}};
	struct wire *wire = wire_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLEANUP(free_pointer)
		char *text = xasprintf("<DYPER PID='%s' XCOMMAND='PING'/>",
				       cases[i].pid);
		struct request request;

		push(wire, text);
		assert_true(wire_next(wire, &request));
		assert_int_equal(request.pid, cases[i].wanted);
		assert_false(request.is_patch);
		request_deinit(&request);
	}
	wire_destroy(wire);
}

static void test_an_answer_is_no_operation(void **state)
{
	struct wire *wire = wire_create();
	struct request request;
	struct str out = {0};

	(void)state;
	push(wire, "<DYPER_REPLY ID='12'/>");
	assert_true(wire_next(wire, &request));
	assert_int_equal(request.kind, REQUEST_ANSWER);
	assert_int_equal(request.pid, 12);
	wire_reply(wire, &request, 12, NULL, NULL, &out);
	assert_int_equal(out.length, 0);
	request_deinit(&request);
	wire_destroy(wire);
}

static void test_wrong_xml(void **state)
{
	static const struct {
		const char *text, *problem;
		enum wire_code code;
		bool is_last;
	} cases[] = {
		{"<!DOCTYPE a [<!ENTITY b 'c'>]><DYPER/>", "DOCTYPE",
		 WIRE_CODE_PARSE, true},
		{"<DYPER XCOMMAND='A'>&b;</DYPER>", "", WIRE_CODE_PARSE, true},
		{"<DYPER></DYPERS>", "", WIRE_CODE_PARSE, true},
		{"<DYPER A='1' A='2'/>", "", WIRE_CODE_PARSE, true},
		{"<DYPER XCOMMAND='A'>\x01</DYPER>", "", WIRE_CODE_PARSE, true},
		{"<DYPER XCOMMAND='\xff'/>", "", WIRE_CODE_PARSE, true},
		{"<DYPER XCOMMAND='A'<DYPER/>", "`<'", WIRE_CODE_PARSE, true},
		{"<<", "`<'", WIRE_CODE_PARSE, true},
		{"<!ELEMENT", "DOCTYPE", WIRE_CODE_PARSE, true},
		{"<OTHER XCOMMAND='A'/>", "DYPER", WIRE_CODE_INVALID, false},
		{"<DYPER/>", "XCOMMAND", WIRE_CODE_INVALID, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wire *wire = wire_create();

		push(wire, cases[i].text);
		expect_wrong(wire, cases[i].code, cases[i].problem,
			     cases[i].is_last);
		push(wire, "<DYPER COMMAND='WHO'/>");
		if (cases[i].is_last)
			expect_nothing(wire);
		else
			expect(wire, "who", "{}");
		wire_destroy(wire);
	}
}

static void test_limits_of_xml(void **state)
{
	struct wire *wire = wire_create();
	char *filler = xcalloc(1, 70001);

	(void)state;
	push(wire, "<DYPER XCOMMAND='A'>");
	for (int i = 1; i < DOCUMENT_DEPTH_MAX; i++)
		push(wire, "<A>");
	expect_nothing(wire);
	push(wire, "<A>");
	expect_wrong(wire, WIRE_CODE_PARSE, "nested too deeply", true);
	wire_destroy(wire);

	wire = wire_create();
	memset(filler, 'x', 70000);
	push(wire, "<DYPER XCOMMAND='A'>");
	for (int i = 0; i < 14; i++) {
		push(wire, filler);
		expect_nothing(wire);
	}
	push(wire, filler);
	expect_wrong(wire, WIRE_CODE_PARSE, "too long", true);
	wire_destroy(wire);
	free(filler);
}

/* Pushes the text `times` times. */
static void push_often(struct wire *wire, const char *text, int times)
{
	for (int i = 0; i < times; i++)
		push(wire, text);
}

static void test_parts_of_xml(void **state)
{
	static const struct {
		const char *begin, *filler, *problem;
		int times;
	} cases[] = {
		{"<DYPER XCOMMAND='A'>", "<B/>", "too many parts",
		 DOCUMENT_PARTS_MAX},
		{"<DYPER XCOMMAND='A'>", "<B C='' D=''/>", "too many parts",
		 DOCUMENT_PARTS_MAX / 3 + 1},
		{"<DYPER ", "A='>' ", "too many attributes",
		 DOCUMENT_ATTRIBUTES_MAX + 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wire *wire = wire_create();

		push(wire, cases[i].begin);
		push_often(wire, cases[i].filler, cases[i].times);
		expect_wrong(wire, WIRE_CODE_PARSE, cases[i].problem, true);
		expect_nothing(wire);
		wire_destroy(wire);
	}
}

/* Each byte comes alone, and a `>` stands where it ends no tag. If libxml2 was
 * given a part of a tag at each of them, this would take minutes. */
static void test_xml_comes_in_bytes(void **state)
{
	static const char begin[] = "<DYPER XCOMMAND='PING' A=\"'";
	static const char end[] = "\"><!-->--><!-- -> --><![CDATA[]>]]><?b >?>"
				  "</DYPER>";
	struct wire *wire = wire_create();
	struct request request;

	(void)state;
	push(wire, begin);
	for (int i = 0; i < 1000000; i++) {
		push(wire, ">");
		assert_false(wire_next(wire, &request));
	}
	for (const char *at = end; at[1]; at++) {
		wire_push(wire, at, 1);
		expect_nothing(wire);
	}
	push(wire, ">");
	assert_true(wire_next(wire, &request));
	assert_string_equal(request.operation, "ping");
	request_deinit(&request);
	wire_destroy(wire);
}

static void test_rubbish_after_a_message(void **state)
{
	struct wire *wire = wire_create();

	(void)state;
	push(wire, "<DYPER COMMAND='WHO'/>\n");
	expect(wire, "who", "{}");
	push(wire, "\nrubbish");
	expect_wrong(wire, WIRE_CODE_PARSE, "begins with `<'", true);
	wire_destroy(wire);
}

/* A front end that sends nothing but blanks takes no memory, and may choose its
 * encoding later. */
static void test_blanks_before_the_first_message(void **state)
{
	struct wire *wire = wire_create();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		push(wire, " \t\r\n");
		expect_nothing(wire);
	}
	assert_int_equal(wire_encoding(wire), ENCODING_UNKNOWN);
	push(wire, "  <DYPER COMMAND='PING'/>");
	expect(wire, "ping", "{}");
	wire_destroy(wire);
}

/* ---- reading JSON -------------------------------------------------------- */

static void test_json_is_a_line(void **state)
{
	struct wire *wire = wire_create();
	struct request request;

	(void)state;
	push(wire,
	     "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"set\",\"params\":"
	     "{\"pid\":12,\"var\":[{\"name\":\"a\"}]}}");
	expect_nothing(wire);
	push(wire, "\n\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\r\n");
	assert_true(wire_next(wire, &request));
	assert_int_equal(wire_encoding(wire), ENCODING_JSON);
	assert_string_equal(params(&request), "{\"var\":[{\"name\":\"a\"}]}");
	assert_int_equal(request.pid, 12);
	assert_int_equal(json_object_get_int(request.id), 7);
	assert_false(request.is_notification);
	request_deinit(&request);
	assert_true(wire_next(wire, &request));
	assert_true(request.is_notification);
	assert_string_equal(request.operation, "ping");
	request_deinit(&request);
	expect_nothing(wire);
	wire_destroy(wire);
}

static void test_wrong_json(void **state)
{
	static const struct {
		const char *text, *problem;
		enum wire_code code;
	} cases[] = {
		{"{", "JSON", WIRE_CODE_PARSE},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\"} x", "JSON",
		 WIRE_CODE_PARSE},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}", "UTF-8",
		 WIRE_CODE_PARSE},
		/* a zero byte, in a longer form than necessary */
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xc0\x80\",\"method\":\"a\"}",
		 "UTF-8", WIRE_CODE_PARSE},
		{"[{\"jsonrpc\":\"2.0\",\"method\":\"a\"}]", "atches",
		 WIRE_CODE_INVALID},
		{"7", "object", WIRE_CODE_INVALID},
		{"{\"method\":\"a\"}", "jsonrpc", WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\"}", "method", WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":7}", "method",
		 WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[1]}",
		 "params", WIRE_CODE_PARAMETERS},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":\"b\"}",
		 "params", WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":{}}", "id",
		 WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1e400}",
		 "finite", WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":NaN}", "finite",
		 WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":\"\\ud800\"}",
		 "Unicode", WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"ping\\u0000x\"}", "u0000",
		 WIRE_CODE_INVALID},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":"
		 "{\"a\\u0000b\":1}}",
		 "u0000", WIRE_CODE_INVALID},
	};
	struct wire *wire = wire_create();

	(void)state;
	/* The first byte chooses the encoding. */
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n");
	expect(wire, "ping", "{}");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		push(wire, cases[i].text);
		push(wire, "\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n");
		expect_wrong(wire, cases[i].code, cases[i].problem, false);
		expect(wire, "ping", "{}");
	}
	wire_push(wire, "{\0}\n", 4);
	expect_wrong(wire, WIRE_CODE_PARSE, "JSON", false);
	wire_destroy(wire);
}

/* json-c before version 0.18 takes such numbers for the largest ones that it
 * can hold; then the tool refuses them. Since 0.18 json-c refuses them. */
static void test_numbers_that_are_too_large(void **state)
{
	static const char *const ids[] = {"123456789012345678901234567890",
					  "-123456789012345678901234567890"};
	struct wire *wire = wire_create();

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		struct request request;
		char *text = xasprintf(
			"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":%s}\n",
			ids[i]);

		push(wire, text);
		free(text);
		assert_true(wire_next(wire, &request));
		assert_int_equal(request.kind, REQUEST_WRONG);
		if (request.code == WIRE_CODE_INVALID)
			assert_non_null(strstr(request.problem, "too large"));
		else
			assert_int_equal(request.code, WIRE_CODE_PARSE);
		request_deinit(&request);
	}
	wire_destroy(wire);
}

static void test_characters_beyond_ascii(void **state)
{
	static const struct {
		const char *text, *ascii;
	} cases[] = {
		{"{\"\xc3\xa4\":\"\xe2\x82\xac\xf0\x9f\x98\x80z\"}",
		 "{\"\\u00e4\":\"\\u20ac\\ud83d\\ude00z\"}"},
		{"\"\\\\\xc3\xa4\"", "\"\\\\\\u00e4\""},
		/* wrong, and not to be made right */
		{"\"\\\xc3\xa4\"", "\"\\\xc3\xa4\""},
		{"\"\\u00e4\"", "\"\\u00e4\""},
	};
	struct wire *wire = wire_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct str ascii = {0};

		json_append_ascii(cases[i].text, &ascii);
		assert_string_equal(str_text(&ascii), cases[i].ascii);
		str_deinit(&ascii);
	}
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"p\xc3\xa4\",\"params\":"
		   "{\"\xe2\x82\xac\":\"\xf0\x9f\x98\x80\"}}\n");
	expect(wire, "p\xc3\xa4", "{\"\xe2\x82\xac\":\"\xf0\x9f\x98\x80\"}");
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"\\\xc3\xa4\"}\n");
	expect_wrong(wire, WIRE_CODE_PARSE, "JSON", false);
	wire_destroy(wire);
}

/* JSON-RPC allows parameters without names. No operation has any. */
static void test_parameters_in_an_array(void **state)
{
	struct wire *wire = wire_create();
	struct request request;

	(void)state;
	push(wire, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
		   "\"params\":[]}\n");
	expect(wire, "ping", "{}");
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"get\","
		   "\"params\":[\"MONITOR\"]}\n");
	assert_true(wire_next(wire, &request));
	assert_int_equal(request.code, WIRE_CODE_PARAMETERS);
	assert_true(request.is_notification);
	request_deinit(&request);
	wire_destroy(wire);
}

/* Some libraries put a byte order mark before the first message. */
static void test_a_byte_order_mark(void **state)
{
	static const struct {
		const char *text;
		enum encoding encoding;
	} cases[] = {
		{"\xef\xbb\xbf<DYPER COMMAND='PING'/>", ENCODING_XML},
		{"\xef\xbb\xbf\n <DYPER COMMAND='PING'/>", ENCODING_XML},
		{"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n",
		 ENCODING_JSON},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = cases[i].text;
		struct wire *whole = wire_create(), *bytes = wire_create();

		push(whole, text);
		expect(whole, "ping", "{}");
		assert_int_equal(wire_encoding(whole), cases[i].encoding);
		for (; text[1]; text++) {
			wire_push(bytes, text, 1);
			expect_nothing(bytes);
		}
		wire_push(bytes, text, 1);
		expect(bytes, "ping", "{}");
		wire_destroy(whole);
		wire_destroy(bytes);
	}
}

static void test_an_id_comes_back_as_it_was_sent(void **state)
{
	static const char *const ids[] = {"0",
					  "18446744073709551614",
					  "-9223372036854775807",
					  "1.50",
					  "1E2",
					  "-0.0",
					  "\"\\\\u0000\"",
					  "\"\\n\"",
					  "null"};
	struct wire *wire = wire_create();

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		CLEANUP(free_pointer)
		char *text = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
				       "\"method\":\"a\"}\n",
				       ids[i]);
		CLEANUP(free_pointer)
		char *wanted = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,"
					 "\"result\":{}}\n",
					 ids[i]);
		struct request request;
		struct str out = {0};

		push(wire, text);
		assert_true(wire_next(wire, &request));
		wire_reply(wire, &request, 1, NULL, NULL, &out);
		assert_string_equal(str_text(&out), wanted);
		str_deinit(&out);
		request_deinit(&request);
	}
	wire_destroy(wire);
}

/* Checks whether a message is an answer, which reports no error. */
static void expect_answer(const char *text, bool is_success)
{
	struct wire *wire = wire_create();
	struct request request;

	push(wire, text);
	assert_true(wire_next(wire, &request));
	assert_int_equal(request.kind, REQUEST_ANSWER);
	assert_int_equal(request.is_success, is_success);
	request_deinit(&request);
	wire_destroy(wire);
}

static void test_an_error_is_no_success(void **state)
{
	(void)state;
	expect_answer("<DYPER_REPLY/>", true);
	expect_answer("<DYPER_REPLY ID='1'>OK</DYPER_REPLY>", true);
	expect_answer("<DYPER_REPLY><ERROR>no</ERROR></DYPER_REPLY>", false);
	expect_answer("<DYPATCH_REPLY/>", false);
	expect_answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n", true);
	expect_answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\n",
		      false);
}

static void test_limits_of_json(void **state)
{
	struct wire *wire = wire_create();
	char *filler = xcalloc(1, 700001);
	struct request request;

	(void)state;
	memset(filler, ' ', 700000);
	push(wire, "{");
	push(wire, filler);
	expect_nothing(wire);
	push(wire, filler);
	expect_wrong(wire, WIRE_CODE_INVALID, "too long", false);
	push(wire, filler);
	expect_nothing(wire);
	push(wire, "}\n{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}\n");
	expect(wire, "ping", "{}");
	memset(filler, '[', 700000);
	push(wire, "{\"a\":");
	wire_push(wire, filler, 1000);
	push(wire, "\n");
	expect_wrong(wire, WIRE_CODE_PARSE, "JSON", false);
	push(wire, "{\"a\":");
	push(wire, filler);
	push(wire, "\n");
	expect_wrong(wire, WIRE_CODE_INVALID, "too many parts", false);
	/* Within a string, these are no parts. */
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":"
		   "{\"a\":\"\\\"");
	push(wire, filler);
	push(wire, "\"}}\n");
	assert_true(wire_next(wire, &request));
	assert_string_equal(request.operation, "ping");
	request_deinit(&request);
	wire_destroy(wire);
	free(filler);
}

/* The search for the end of a line begins where the last one has ended. */
static void test_json_comes_in_bytes(void **state)
{
	struct wire *wire = wire_create();
	struct request request;

	(void)state;
	push(wire, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"");
	for (int i = 0; i < 1000000; i++) {
		push(wire, " ");
		assert_false(wire_next(wire, &request));
	}
	push(wire, "}\n{");
	expect(wire, "ping", "{}");
	expect_nothing(wire);
	push(wire, "}\n");
	expect_wrong(wire, WIRE_CODE_INVALID, "jsonrpc", false);
	wire_destroy(wire);
}

/* ---- writing ------------------------------------------------------------- */

/* A wire of which the front end has chosen the encoding, with a request. */
static struct wire *begin(const char *text, struct request *request)
{
	struct wire *wire = wire_create();

	push(wire, text);
	assert_true(wire_next(wire, request));
	return wire;
}

static void assert_reply(const char *request_text, const char *result,
			 const char *wrapper, const char *wanted)
{
	struct request request;
	struct wire *wire = begin(request_text, &request);
	struct json_object *value = result ? json_tokener_parse(result) : NULL;
	struct str out = {0};

	wire_reply(wire, &request, 12, value, wrapper, &out);
	assert_string_equal(str_text(&out), wanted);
	json_object_put(value);
	str_deinit(&out);
	request_deinit(&request);
	wire_destroy(wire);
}

#define XML "<DYPER XCOMMAND='A'/>"
#define JSON "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\"}\n"

static void test_replies(void **state)
{
	static const char who[] =
		"{\"name\":\"a'<\",\"flag\":true,\"n\":1.5,\"none\":null,"
		"\"list\":[\"b\",{\"text\":\"c\",\"key\":\"d\"}],"
		"\"inner\":{\"e\":\"f\\ng\"},\"has blank\":\"h\"}";

	(void)state;
	assert_reply(XML, NULL, NULL, "<DYPER_REPLY ID='12'/>\n");
	assert_reply(XML, "\"PONG\"", NULL,
		     "<DYPER_REPLY ID='12'>PONG</DYPER_REPLY>\n");
	assert_reply("<DYPATCH COMMAND='A'/>", "\"PONG\"", NULL,
		     "<DYPATCH_REPLY ID='12'>PONG</DYPATCH_REPLY>\n");
	assert_reply(XML, who, "W",
		     "<DYPER_REPLY ID='12'><W NAME='a&#39;&#60;' FLAG='TRUE' "
		     "N='1.5'><LIST>b</LIST><LIST KEY='d'>c</LIST>"
		     "<INNER E='f&#10;g'/><ENTRY NAME='has blank'>h</ENTRY></W>"
		     "</DYPER_REPLY>\n");
	assert_reply(JSON, NULL, NULL,
		     "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n");
	assert_reply(
		JSON, "{\"a\":[1]}", "W",
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{\"a\":[1]}}\n");
	assert_reply("{\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n", "{}", NULL,
		     "");
}

/* An element has each attribute once. A member for which there is no attribute
 * is an element. */
static void test_attributes_of_one_name(void **state)
{
	(void)state;
	assert_reply(XML, "{\"id\":1,\"a\":2,\"A\":3}", NULL,
		     "<DYPER_REPLY ID='12' A='2'><ID>1</ID><A>3</A>"
		     "</DYPER_REPLY>\n");
	assert_reply(XML, "{\"a b\":{\"name\":\"c\"}}", "W",
		     "<DYPER_REPLY ID='12'><W><ENTRY NAME='a b'><NAME>c</NAME>"
		     "</ENTRY></W></DYPER_REPLY>\n");
	assert_reply(XML, "{\"a\":{\"encoding\":\"b\",\"text\":\"\\u0001\"}}",
		     NULL,
		     "<DYPER_REPLY ID='12'><A ENCODING='base64'>AQ=="
		     "<ENCODING>b</ENCODING></A></DYPER_REPLY>\n");
}

static void test_what_xml_cannot_hold(void **state)
{
	(void)state;
	assert_reply(XML, "{\"a\":\"b\\u0001\",\"c\":\"\\r\"}", NULL,
		     "<DYPER_REPLY ID='12'><A ENCODING='base64'>YgE=</A>"
		     "<C ENCODING='base64'>DQ==</C></DYPER_REPLY>\n");
}

static void test_errors_and_notices(void **state)
{
	struct request request;
	struct wire *wire = begin(XML, &request);
	struct json_object *data = json_tokener_parse("{\"a\":1}");
	struct notice notice = {.name = "report",
				.pid = 12,
				.time = 5,
				.data = data,
				.wrapper = "R"};
	struct str out = {0};

	(void)state;
	wire_fail(wire, &request, 12, WIRE_CODE_FAILED, "no <", &out);
	wire_notice(wire, &notice, &out);
	assert_string_equal(str_text(&out),
			    "<DYPER_REPLY ID='12'><ERROR CODE='-32000'>no &lt;"
			    "</ERROR></DYPER_REPLY>\n"
			    "<DYPER REPORT='12' TIME='5'><R A='1'/></DYPER>\n");
	str_deinit(&out);
	request_deinit(&request);
	wire_destroy(wire);

	wire = begin(JSON, &request);
	wire_fail(wire, &request, 12, WIRE_CODE_UNKNOWN, "no", &out);
	wire_notice(wire, &notice, &out);
	notice = (struct notice){.name = "start", .pid = 12, .id = 1};
	wire_notice(wire, &notice, &out);
	assert_string_equal(
		str_text(&out),
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32601,"
		"\"message\":\"no\"}}\n"
		"{\"jsonrpc\":\"2.0\",\"method\":\"report\",\"params\":"
		"{\"pid\":12,\"time\":5,\"a\":1}}\n"
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"start\",\"params\":"
		"{\"pid\":12}}\n");
	str_deinit(&out);
	request_deinit(&request);
	wire_destroy(wire);
	json_object_put(data);
}

static void test_a_wrapper_is_taken_away(void **state)
{
	struct request request;
	struct wire *wire = begin("<DYPER XCOMMAND='A'><CLEAR AGENT='cpu'/>"
				  "</DYPER>",
				  &request);

	(void)state;
	request_unwrap(&request, "clear");
	assert_string_equal(params(&request), "{\"agent\":\"cpu\"}");
	request_unwrap(&request, "clear");
	assert_string_equal(params(&request), "{\"agent\":\"cpu\"}");
	request_deinit(&request);
	wire_destroy(wire);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xml_becomes_json),
		cmocka_unit_test(test_xml_comes_in_pieces),
		cmocka_unit_test(test_xml_names_the_process),
		cmocka_unit_test(test_an_answer_is_no_operation),
		cmocka_unit_test(test_wrong_xml),
		cmocka_unit_test(test_limits_of_xml),
		cmocka_unit_test(test_parts_of_xml),
		cmocka_unit_test(test_xml_comes_in_bytes),
		cmocka_unit_test(test_rubbish_after_a_message),
		cmocka_unit_test(test_blanks_before_the_first_message),
		cmocka_unit_test(test_json_is_a_line),
		cmocka_unit_test(test_wrong_json),
		cmocka_unit_test(test_numbers_that_are_too_large),
		cmocka_unit_test(test_characters_beyond_ascii),
		cmocka_unit_test(test_parameters_in_an_array),
		cmocka_unit_test(test_a_byte_order_mark),
		cmocka_unit_test(test_an_id_comes_back_as_it_was_sent),
		cmocka_unit_test(test_an_error_is_no_success),
		cmocka_unit_test(test_limits_of_json),
		cmocka_unit_test(test_json_comes_in_bytes),
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_attributes_of_one_name),
		cmocka_unit_test(test_what_xml_cannot_hold),
		cmocka_unit_test(test_errors_and_notices),
		cmocka_unit_test(test_a_wrapper_is_taken_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
