/*
 * test_serve_http.c - which HTTP requests are answered, and the live page as
 * one text
 *
 * tier: core
 * covers: serve/http
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/http/gate.h"
#include "serve/http/page_text.h"
#include "serve/http/peer_user.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define KEY "fedcba9876543210fedcba9876543210"

static const struct gate gate = {.port = 8000, .token = TOKEN, .key = KEY};

static const struct visit page = {
	.method = "GET", .path = "/", .key = KEY, .host = "127.0.0.1:8000"};

/* The first request of a browser. */
static const struct visit opening = {
	.method = "GET", .path = "/", .token = TOKEN, .host = "127.0.0.1:8000"};

static const struct visit message = {.method = "POST",
				     .path = "/rpc",
				     .key = KEY,
				     .host = "127.0.0.1:8000",
				     .type = "application/json"};

static void expect(struct visit visit, unsigned status)
{
	const char *why = NULL;

	assert_int_equal(gate_check(&gate, &visit, &why), status);
	if (status >= 400)
		assert_true(*why);
}

/* Changes one member of a request that would be answered. */
#define CHANGED(base, member, value)                                           \
	({                                                                     \
		struct visit changed_ = base;                                  \
		changed_.member = value;                                       \
		changed_;                                                      \
	})

static void test_two_requests_are_answered(void **state)
{
	(void)state;
	expect(page, 200);
	expect(message, 200);
	expect(CHANGED(message, type, "Application/JSON; charset=utf-8"), 200);
	expect(CHANGED(page, host, "LOCALHOST:8000"), 200);
	expect(CHANGED(page, site, "cross-site"), 200);
	expect(CHANGED(page, token, "no"), 200);
}

/* The token is used up also by a browser that has the key already. */
static void test_a_token_gives_the_key(void **state)
{
	(void)state;
	expect(opening, 303);
	expect(CHANGED(opening, key, KEY), 303);
	expect(CHANGED(opening, site, "cross-site"), 303);
	expect(CHANGED(opening, host, "evil.example:8000"), 403);
	expect(CHANGED(opening, origin, "http://evil.example"), 403);
	expect(CHANGED(opening, method, "POST"), 403);
	expect(CHANGED(opening, path, "/rpc"), 403);
	expect(CHANGED(message, key, TOKEN), 403);
	expect(CHANGED(opening, token, KEY), 403);
}

static void test_users(void **state)
{
	(void)state;
	assert_true(peer_user_is_allowed(1000, 1000, NULL));
	assert_true(peer_user_is_allowed(0, 1000, NULL));
	assert_false(peer_user_is_allowed(1001, 1000, NULL));
	/* The one who has called sudo has the browser. */
	assert_true(peer_user_is_allowed(1001, 0, "1001"));
	assert_false(peer_user_is_allowed(1002, 0, "1001"));
	assert_false(peer_user_is_allowed(1001, 0, NULL));
	assert_false(peer_user_is_allowed(1001, 0, ""));
	assert_false(peer_user_is_allowed(1001, 0, "1001x"));
	assert_false(
		peer_user_is_allowed(1001, 0, "99999999999999999999999999"));
	/* Without root's rights the variable means nothing. */
	assert_false(peer_user_is_allowed(1001, 1000, "1001"));
}

/* Both ends of a connection belong to this process. */
static void test_owner_of_connection(void **state)
{
	struct sockaddr_in at = {.sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in peer;
	socklen_t length = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	int one = socket(AF_INET, SOCK_STREAM, 0);
	uid_t user = (uid_t)-1;
	int ours;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&at, length), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &length);
	assert_int_equal(connect(one, (struct sockaddr *)&at, length), 0);
	length = sizeof(peer);
	getsockname(one, (struct sockaddr *)&peer, &length);
	assert_true(peer_user_find(&peer, &at, &user));
	assert_int_equal(user, geteuid());
	ours = accept(listener, NULL, NULL);
	user = (uid_t)-1;
	assert_true(peer_user_of(ours, &user));
	assert_int_equal(user, geteuid());
	/* A client that sends no more is still there. */
	assert_int_equal(shutdown(one, SHUT_WR), 0);
	assert_true(peer_user_of(ours, &user));
	/* The kernel knows the connection, and not its owner. */
	close(one);
	assert_false(peer_user_of(ours, &user));
	assert_false(peer_user_find(&peer, &at, &user));
	close(ours);
	assert_false(peer_user_of(ours, &user));
	/* Nobody has a socket at this end. */
	peer.sin_port = 0;
	assert_false(peer_user_find(&peer, &at, &user));
	close(listener);
}

static void test_tokens(void **state)
{
	static const char *const wrong[] = {NULL,
					    "",
					    "0123456789abcdef",
					    "0123456789abcdef0123456789abcdee",
					    "1123456789abcdef0123456789abcdef",
					    "0123456789abcdef0123456789abcdef0",
					    "0123456789ABCDEF0123456789ABCDEF"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		expect(CHANGED(opening, token, wrong[i]), 403);
		expect(CHANGED(page, key, wrong[i]), 403);
		expect(CHANGED(message, key, wrong[i]), 403);
	}
}

static void test_hosts(void **state)
{
	static const char *const wrong[] = {NULL,
					    "",
					    "127.0.0.1",
					    "localhost",
					    "127.0.0.1:80",
					    "127.0.0.1:80000",
					    "evil.example:8000",
					    "127.0.0.1.evil.example:8000",
					    "[::1]:8000"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		expect(CHANGED(page, host, wrong[i]), 403);
}

static void test_other_sites(void **state)
{
	static const char *const wrong[] = {
		"",
		"null",
		"http://evil.example",
		"https://127.0.0.1:8000",
		"http://127.0.0.1",
		"http://127.0.0.1:8000.evil.example"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		expect(CHANGED(message, origin, wrong[i]), 403);
		expect(CHANGED(page, origin, wrong[i]), 403);
	}
	expect(CHANGED(message, origin, "http://127.0.0.1:8000"), 200);
	expect(CHANGED(message, origin, "http://localhost:8000"), 200);
	expect(CHANGED(message, site, "cross-site"), 403);
	expect(CHANGED(message, site, "same-site"), 403);
	expect(CHANGED(message, site, "same-origin"), 200);
}

static void test_other_requests(void **state)
{
	(void)state;
	expect(CHANGED(page, method, "POST"), 405);
	expect(CHANGED(page, method, "HEAD"), 405);
	expect(CHANGED(message, method, "GET"), 405);
	expect(CHANGED(message, method, "OPTIONS"), 405);
	expect(CHANGED(page, path, "/rpc/"), 404);
	expect(CHANGED(page, path, ""), 404);
	expect(CHANGED(message, type, NULL), 415);
	expect(CHANGED(message, type, "text/plain"), 415);
	expect(CHANGED(message, type, "application/jsonx"), 415);
}

/* Nobody learns from a refusal which paths there are. */
static void test_a_key_is_needed_first(void **state)
{
	struct visit visit = CHANGED(page, key, NULL);

	(void)state;
	visit.path = "/nothing";
	expect(visit, 403);
}

static void test_secrets_differ(void **state)
{
	char a[TOKEN_LENGTH + 1], b[TOKEN_LENGTH + 1];

	(void)state;
	assert_null(gate_make_secret(a, TOKEN_LENGTH));
	assert_null(gate_make_secret(b, TOKEN_LENGTH));
	assert_int_equal(strlen(a), 32);
	assert_int_equal(strspn(a, "0123456789abcdef"), 32);
	assert_string_not_equal(a, b);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (; (text = strstr(text, word)); text++)
		count++;
	return count;
}

static void test_the_page_is_one_text(void **state)
{
	struct str text = {0};

	(void)state;
	page_text("secret", &text);
	assert_int_equal(count_of(str_text(&text), "nonce=\"secret\""), 2);
	assert_int_equal(count_of(str_text(&text), "@NONCE@"), 0);
	assert_int_equal(count_of(str_text(&text), "@STYLE@"), 0);
	assert_int_equal(count_of(str_text(&text), "@SCRIPT@"), 0);
	/* An @ that is no mark stays. */
	assert_true(count_of(str_text(&text), "@media") > 0);
	assert_int_equal(count_of(str_text(&text), "const livePage"), 1);
	assert_int_equal(count_of(str_text(&text), "</html>"), 1);
	str_deinit(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_requests_are_answered),
		cmocka_unit_test(test_a_token_gives_the_key),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_owner_of_connection),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_other_sites),
		cmocka_unit_test(test_other_requests),
		cmocka_unit_test(test_a_key_is_needed_first),
		cmocka_unit_test(test_secrets_differ),
		cmocka_unit_test(test_the_page_is_one_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
