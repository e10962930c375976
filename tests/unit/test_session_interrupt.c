/*
 * test_session_interrupt.c - what the user abandons leaves nothing
 *
 * Each command that may take long is interrupted as it asks for the first time,
 * as it asks for the second time, and so on, until it asks no more.
 *
 * tier: core
 * covers: session/requests session/profiling probe/request
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/session.h"
#include "perftool/session/calls.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

#define NODES 4

/* The user, who interrupts when he has been asked so often. */
static unsigned asked, patience;

static bool interrupting(void *context)
{
	(void)context;
	return ++asked > patience;
}

static bool yes(void *context, const char *question)
{
	(void)context;
	(void)question;
	return true;
}

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static const struct session_ui ui = {
	.note = ignore, .interrupting = interrupting, .confirm = yes};

static void assert_ok(struct error *error)
{
	if (error)
		print_message("# %s\n", error_message(error));
	assert_null(error);
}

/* A program with some nodes and a leg. */
static struct session *begin(void)
{
	struct session *session = session_create(&ui);
	struct leg_request request = {.from.id = 1, .to.id = 2};
	const char *build = getenv("PERFTOOL_BUILD");
	struct str out = {0};
	char *program;
	uint32_t id;

	patience = UINT32_MAX;
	program = xasprintf("%s/tests/programs/recursion",
			    build ? build : "build");
	assert_ok(session_set_program(session, program));
	free(program);
	for (int i = 0; i < NODES; i++)
		assert_ok(session_break(session, BREAK_ENTRY, "main", NULL, "1",
					&id, &out));
	assert_null(session_collect_nodes(session, &out));
	assert_ok(session_add_leg(session, &request, &out));
	str_deinit(&out);
	return session;
}

static void check_tables(struct session *session, size_t legs)
{
	const struct tables *tables = session_tables(session);

	assert_int_equal(tables->node_count, NODES);
	assert_int_equal(tables->leg_count, legs);
}

typedef struct error *command_fn(struct session *session, struct str *out);

/* Interrupt it wherever it asks: nothing is left. `least`: it asks at least so
 * often. */
static void interrupt_everywhere(struct session *session, command_fn *command,
				 unsigned least)
{
	struct error *error;
	unsigned times = 0;

	for (;; times++) {
		struct str out = {0};

		asked = 0;
		patience = times;
		error = command(session, &out);
		patience = UINT32_MAX;
		if (!error)
			str_deinit(&out);
		if (!error)
			break;
		assert_int_equal(error_code(error), ERROR_INTERRUPTED);
		assert_string_equal(error_message(error), "interrupted");
		assert_int_equal(out.length, 0);
		error_destroy(error);
		str_deinit(&out);
		check_tables(session, 1);
		assert_false(session_monitor_is_on(session));
	}
	assert_true(times >= least);
}

static struct error *add_legs(struct session *session, struct str *out)
{
	const struct leg_request request = {0};

	return session_add_leg(session, &request, out);
}

static void test_interrupted_add_leg_leaves_nothing(void **state)
{
	struct session *session = begin();

	(void)state;
	interrupt_everywhere(session, add_legs, NODES * NODES);
	check_tables(session, NODES * NODES);
	/* the numbers of those that were taken back are used again */
	assert_int_equal(
		session_tables(session)->legs[NODES * NODES - 1].stats->id,
		NODES * NODES - 1);
	session_destroy(session);
}

static struct error *time_all(struct session *session, struct str *out)
{
	static const char *const patterns[] = {"main", "*"};
	const struct time_request request = {.patterns = patterns, .count = 2};

	return session_time(session, &request, out);
}

static void test_interrupted_time_leaves_nothing(void **state)
{
	struct session *session = begin();

	(void)state;
	interrupt_everywhere(session, time_all, 20);
	assert_true(session_monitor_is_on(session));
	session_destroy(session);
}

static struct error *break_all(struct session *session, struct str *out)
{
	uint32_t id;

	return session_break(session, BREAK_PLACE, "*", NULL, NULL, &id, out);
}

static void test_interrupted_break_leaves_nothing(void **state)
{
	struct session *session = begin();

	(void)state;
	interrupt_everywhere(session, break_all, 20);
	session_destroy(session);
}

/* Are functions named before the command, whose calls are counted? */
static bool named;

static struct error *profile_all(struct session *session, struct str *out)
{
	static const char *const patterns[] = {"main", "*"};

	assert_int_equal(session_profiles_calls(session), named);
	return session_profile_functions(session, patterns, 2, out);
}

static void test_interrupted_profile_leaves_what_was_named(void **state)
{
	static const char *const known[] = {"main"};
	struct session *session = begin();
	struct str out = {0};

	(void)state;
	named = false;
	interrupt_everywhere(session, profile_all, 20);
	assert_ok(session_initialize_profile(session));
	assert_ok(session_profile_functions(session, known, 1, &out));
	named = true;
	interrupt_everywhere(session, profile_all, 10);
	str_deinit(&out);
	session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interrupted_add_leg_leaves_nothing),
		cmocka_unit_test(test_interrupted_time_leaves_nothing),
		cmocka_unit_test(test_interrupted_break_leaves_nothing),
		cmocka_unit_test(
			test_interrupted_profile_leaves_what_was_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
