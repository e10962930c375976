/*
 * test_session_late.c - hits that there is no time to count
 *
 * The session's callbacks are called as the probe layer calls them, beginning
 * at a moment when the user has waited for longer than he is made to.
 *
 * tier: core
 * covers: session/run
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <string.h>

#include "perftool/base/str.h"
#include "perftool/session/user_interface.h"
#include "probe/breakpoint.h"
#include "session/run/run.h"

/* As many as are told between two looks at the time. */
#define LOOK 256

static bool has_asked;
static struct str notes;

static bool interrupting(void *context)
{
	(void)context;
	return has_asked;
}

static void note(void *context, const char *text)
{
	(void)context;
	str_printf(&notes, "%s\n", text);
}

static const struct session_ui ui = {.note = note,
				     .interrupting = interrupting};

/* A session in which breakpoint 1 is a node. */
static struct session *begin(struct probe_client *client,
			     struct breakpoint *breakpoint)
{
	struct session *session = session_create(&ui);

	*breakpoint = (struct breakpoint){.id = 1, .enabled = true};
	assert_null(expr_parse("1", &breakpoint->condition));
	measure_add_node(session->measure, 1);
	measure_set_monitor(session->measure, true, 0);
	session_probe_client(session, client);
	has_asked = false;
	return session;
}

static void end(struct session *session, struct breakpoint *breakpoint)
{
	expr_destroy(breakpoint->condition);
	session_destroy(session);
	str_deinit(&notes);
}

static void hit(const struct probe_client *client,
		struct breakpoint *breakpoint, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		struct hit hit = {.thread = 1,
				  .pid = 1,
				  .tid = 1,
				  .time = 1,
				  .node = breakpoint->id,
				  .mechanism = HIT_FAST};
		const struct probe_event event = {.kind = PROBE_EVENT_FAST_HIT,
						  .breakpoint = breakpoint,
						  .is_conditional =
							  breakpoint->condition,
						  .hit = &hit};

		client->event(client->context, &event);
	}
}

static uint64_t count_of(const struct session *session)
{
	return measure_node(session->measure, 1)->count;
}

static void hits_in_time_are_all_counted(void **state)
{
	struct breakpoint breakpoint;
	struct probe_client client;
	struct session *session = begin(&client, &breakpoint);

	(void)state;
	hit(&client, &breakpoint, 3 * LOOK);
	/* who has just asked waits for those that were made */
	has_asked = true;
	hit(&client, &breakpoint, 3 * LOOK);
	assert_int_equal(count_of(session), 6 * LOOK);
	assert_true(session->asked_at > 0);
	note_uncounted(session);
	assert_string_equal(str_text(&notes), "");
	end(session, &breakpoint);
}

static void late_hits_are_not_counted(void **state)
{
	struct breakpoint breakpoint;
	struct probe_client client;
	struct session *session = begin(&client, &breakpoint);

	(void)state;
	session->asked_at = clock_now(&session->clock) - 2000000000u;
	hit(&client, &breakpoint, 3 * LOOK);
	assert_int_equal(count_of(session), LOOK - 1);
	note_uncounted(session);
	assert_non_null(strstr(str_text(&notes), "513 hits were not counted"));
	/* of the next run all are */
	session->asked_at = 0;
	hit(&client, &breakpoint, 3 * LOOK);
	assert_int_equal(count_of(session), 4 * LOOK - 1);
	end(session, &breakpoint);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_in_time_are_all_counted),
		cmocka_unit_test(late_hits_are_not_counted),
	};

	return cmocka_run_group_tests_name("session_late", tests, NULL, NULL);
}
