/*
 * test_serve_front_end.c - when a front end that does not read is dropped
 *
 * tier: core
 * covers: serve
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <sys/socket.h>
#include <unistd.h>

#include "serve/front_end.h"

static struct front_end *front_end;
static int reader;

static int connect_front_end(void **state)
{
	const struct caller caller = {0};
	int ends[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return -1;
	front_end = front_end_create(ends[0], &caller);
	reader = ends[1];
	return 0;
}

static int disconnect_front_end(void **state)
{
	(void)state;
	front_end_destroy(front_end);
	close(reader);
	return 0;
}

static void send_bytes(size_t count)
{
	struct str text = {0};

	while (text.length < count)
		str_append_char(&text, 'x');
	front_end_send(front_end, &text);
	front_end_write(front_end);
	str_deinit(&text);
}

/* Reads this much, as a front end does that has time now. */
static void read_bytes(size_t count)
{
	char buffer[65536];

	while (count) {
		size_t part = count < sizeof(buffer) ? count : sizeof(buffer);
		ssize_t got = recv(reader, buffer, part, 0);

		assert_true(got > 0);
		count -= (size_t)got;
		front_end_write(front_end);
	}
}

static void a_long_reply_may_wait_with_notices(void **state)
{
	(void)state;
	send_bytes(3 * FRONT_END_MAX_WAITING);
	assert_true(front_end_has_output(front_end));
	send_bytes(60);
	read_bytes(FRONT_END_MAX_WAITING);
	send_bytes(60);
	assert_false(front_end->is_dead);
	read_bytes(2 * FRONT_END_MAX_WAITING + 120);
	assert_false(front_end_has_output(front_end));
	assert_false(front_end->is_dead);
}

static void too_much_behind_a_long_reply_is_too_much(void **state)
{
	(void)state;
	send_bytes(2 * FRONT_END_MAX_WAITING);
	send_bytes(FRONT_END_MAX_WAITING - 60);
	assert_false(front_end->is_dead);
	send_bytes(61);
	assert_true(front_end->is_dead);
}

static void a_long_reply_excuses_nothing_once_it_is_read(void **state)
{
	const size_t half = FRONT_END_MAX_WAITING / 2;

	(void)state;
	send_bytes(2 * FRONT_END_MAX_WAITING);
	send_bytes(half);
	read_bytes(2 * FRONT_END_MAX_WAITING);
	assert_false(front_end->is_dead);
	send_bytes(FRONT_END_MAX_WAITING);
	assert_true(front_end->is_dead);
}

int main(void)
{
#define TEST(name)                                                             \
	cmocka_unit_test_setup_teardown(name, connect_front_end,               \
					disconnect_front_end)
	const struct CMUnitTest tests[] = {
		TEST(a_long_reply_may_wait_with_notices),
		TEST(too_much_behind_a_long_reply_is_too_much),
		TEST(a_long_reply_excuses_nothing_once_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
