/*
 * test_session_updates.c - an update of the sites makes those trampolines again
 * that have something else to do than before, and leaves the others alone
 *
 * The program is tests/programs/tails, whose functions jump to one another.
 *
 * tier: core
 * covers: probe/fast probe/arrival session/requests
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
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"
#include "probe/arrival/arrival.h"
#include "probe/fast/fast_site.h"
#include "probe/mechanism.h"
#include "probe/probe_state.h"
#include "session/session_state.h"

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void program_runs(void *context, pid_t group)
{
	(void)context;
	(void)group;
}

static void program_stopped(void *context)
{
	(void)context;
}

static bool interrupted(void *context)
{
	(void)context;
	return false;
}

static const struct session_ui ui = {.note = ignore,
				     .program_runs = program_runs,
				     .program_stopped = program_stopped,
				     .interrupted = interrupted};

static void assert_ok(struct error *error)
{
	if (error)
		print_message("# %s\n", error_message(error));
	assert_null(error);
}

/* Functions are timed, and third() stops the program. Other functions come to
 * it in five ways. */
static struct session *begin(struct session_stop *stop)
{
	static const char *const patterns[] = {"even",  "odd",    "loop",
					       "first", "second", "choose",
					       "climb", "hop",    "leap"};
	const struct time_request request = {.patterns = patterns,
					     .count = sizeof(patterns) /
						      sizeof(*patterns)};
	struct session *session = session_create(&ui);
	const char *build = getenv("PERFTOOL_BUILD");
	char *program =
		xasprintf("%s/tests/programs/tails", build ? build : "build");
	struct str out = {0};
	uint32_t id;

	assert_ok(session_set_program(session, program));
	free(program);
	assert_ok(session_time(session, &request, &out));
	assert_ok(session_break(session, BREAK_ENTRY, "third", NULL, NULL, &id,
				&out));
	str_deinit(&out);
	assert_ok(session_run(session, NULL, 0, NULL, "/dev/null", 0, stop));
	return session;
}

static struct space *space_of_session(const struct session *session)
{
	return session->probe->spaces.data[0];
}

/* The sites whose trampolines the test looks at: those of breakpoints that are
 * at their own place. (The others are looked at in each update.) */
static bool is_plain(const struct site *site)
{
	return site->inserted && site->is_jump && !site->is_evicted &&
	       site->attachments.count && !fast_is_moved(site);
}

/* Are all trampolines as an update of all sites would make them? Returns how
 * many there are. */
static size_t check_trampolines(const struct session *session)
{
	struct space *space = space_of_session(session);
	const struct site *site;
	size_t cursor = 0, count = 0;

	assert_ok(fast_update(session->probe, space));
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		if (!site->inserted || !site->is_jump || site->is_evicted)
			continue;
		assert_null(site_refuses_jump(session->probe, space, site));
		assert_true(fast_site_is_current(session->probe, space, site));
		count++;
	}
	return count;
}

static void trampolines_do_what_they_have_to(void **state)
{
	struct session_stop stop;
	struct session *session = begin(&stop);
	size_t stops = 0, trampolines = 0;

	(void)state;
	for (; stop.reason == STOP_BREAKPOINT; stops++) {
		trampolines = check_trampolines(session);
		assert_ok(session_continue(session, 0, &stop));
	}
	assert_int_equal(stop.reason, STOP_EXITED);
	assert_true(stops > 40);
	assert_true(trampolines > 10 || !session->clock.tsc);
	session_destroy(session);
}

/* Have the tool believe that the code of each trampoline is another one, so
 * that it makes those again that it looks at. Returns how many there are. */
static size_t spoil(struct space *space)
{
	struct site *site;
	size_t cursor = 0, count = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		if (!is_plain(site))
			continue;
		site->fast->hash = 0;
		count++;
	}
	return count;
}

static size_t spoilt(const struct space *space)
{
	const struct site *site;
	size_t cursor = 0, count = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		count += is_plain(site) && !site->fast->hash;
	return count;
}

/* The attachment of a function in this role; NULL if there is none. */
static const struct attachment *find(const struct space *space,
				     const char *function, enum role role)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		for (size_t i = 0; i < site->attachments.count; i++) {
			const struct attachment *at = site->attachments.data[i];

			if (at->role == role &&
			    strcmp(at->function.name, function) == 0)
				return at;
		}
	return NULL;
}

/* Note that a tail jump leads to third(), too. */
static void note_target(struct space *space)
{
	const struct attachment *first = find(space, "first", ROLE_JUMP);
	const struct attachment *third = find(space, "third", ROLE_ENTRY);

	assert_non_null(first);
	assert_non_null(third);
	assert_true(tails_note_target(space, first->address, third->address));
}

/* (The jumps that are written over bytes of that jump are made again, too.) */
static void new_target_of_a_jump_concerns_few_trampolines(void **state)
{
	struct session_stop stop;
	struct session *session = begin(&stop);
	struct space *space = space_of_session(session);
	size_t count;

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_ok(session_continue(session, 0, &stop));
	check_trampolines(session);
	count = spoil(space);
	note_target(space);
	assert_ok(fast_update(session->probe, space));
	assert_true(spoilt(space) > count / 2 || !count);
	space_outdate(space);
	assert_ok(fast_update(session->probe, space));
	assert_int_equal(spoilt(space), 0);
	check_trampolines(session);
	session_destroy(session);
}

/* Only a new target is noted, but each trampoline has something else to do. */
static void legs_that_threads_count_no_more_concern_trampolines(void **state)
{
	struct session_stop stop;
	struct session *session = begin(&stop);
	struct space *space = space_of_session(session);

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_ok(session_continue(session, 0, &stop));
	check_trampolines(session);
	session->counting = COUNTING_RING;
	note_target(space);
	check_trampolines(session);
	session_destroy(session);
}

/* How many sites of the user's breakpoints are in memory? */
static size_t inserted(const struct space *space)
{
	const struct site *site;
	size_t cursor = 0, count = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		count += site->inserted && site->purpose == SITE_USER;
	return count;
}

/* The breakpoint without a condition, which stops the program, stays. */
static void suspended_nodes_have_no_sites(void **state)
{
	struct session_stop stop;
	struct session *session = begin(&stop);
	struct space *space = space_of_session(session);
	size_t count, jumps;

	(void)state;
	for (int i = 0; i < 20; i++)
		assert_ok(session_continue(session, 0, &stop));
	jumps = check_trampolines(session);
	count = inserted(space);
	assert_true(count > 3);
	assert_ok(session_suspend(session, true));
	assert_int_equal(inserted(space), 1);
	assert_ok(session_continue(session, 0, &stop));
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_int_equal(inserted(space), 1);
	assert_ok(session_suspend(session, false));
	check_trampolines(session);
	assert_true(inserted(space) >= count);
	assert_true(check_trampolines(session) >= jumps);
	session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trampolines_do_what_they_have_to),
		cmocka_unit_test(new_target_of_a_jump_concerns_few_trampolines),
		cmocka_unit_test(
			legs_that_threads_count_no_more_concern_trampolines),
		cmocka_unit_test(suspended_nodes_have_no_sites),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
