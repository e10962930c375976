/*
 * test_session_states.c - the states of run control, and how a program's life
 * leads through them (src/session/session_state.h has the diagram)
 *
 * tier: core
 * covers: session
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/session/user_interface.h"
#include "session/session_state.h"

/* The states in which the user interface was told of something. */
static struct session *watched;
static enum run_state state_of_start;
static bool interrupts;

static void ignore(void *context, const char *text)
{
	(void)context;
	(void)text;
}

static void program_runs(void *context, pid_t group)
{
	(void)context;
	(void)group;
	state_of_start = watched->state;
}

static void program_stopped(void *context)
{
	(void)context;
}

static bool interrupted(void *context)
{
	bool result = interrupts;

	(void)context;
	interrupts = false;
	return result;
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

static struct session *begin(const char *name)
{
	struct session *session = session_create(&ui);
	const char *build = getenv("PERFTOOL_BUILD");
	char *program = xasprintf("%s/tests/programs/%s",
				  build ? build : "build", name);

	assert_ok(session_set_program(session, program));
	free(program);
	watched = session;
	assert_int_equal(session->state, RUN_NOTHING);
	assert_int_equal(session->main_state, MAIN_NONE);
	return session;
}

static void break_at_main(struct session *session)
{
	struct str out = {0};
	uint32_t id;

	assert_ok(session_break(session, BREAK_ENTRY, "main", NULL, NULL, &id,
				&out));
	str_deinit(&out);
}

static void run(struct session *session, struct session_stop *stop)
{
	assert_ok(session_run(session, NULL, 0, NULL, "/dev/null", 0, stop));
}

static void a_program_runs_to_its_end(void **state)
{
	struct session *session = begin("recursion");
	struct session_stop stop, end;

	(void)state;
	run(session, &stop);
	assert_int_equal(state_of_start, RUN_STARTING);
	assert_int_equal(stop.reason, STOP_EXITED);
	assert_int_equal(session->state, RUN_NOTHING);
	assert_int_equal(session->main_state, MAIN_ENDED);
	assert_true(session_last_end(session, &end));
	session_destroy(session);
}

static void a_breakpoint_stops_the_program(void **state)
{
	struct session *session = begin("recursion");
	struct session_stop stop;

	(void)state;
	break_at_main(session);
	run(session, &stop);
	assert_int_equal(stop.reason, STOP_BREAKPOINT);
	assert_int_equal(session->state, RUN_STOPPED);
	assert_int_equal(session->main_state, MAIN_FOLLOWED);
	assert_ok(session_continue(session, 0, &stop));
	assert_int_equal(stop.reason, STOP_EXITED);
	assert_int_equal(session->state, RUN_NOTHING);
	session_destroy(session);
}

/* What has been killed counts no more; the next program does. */
static void a_program_runs_after_one_was_killed(void **state)
{
	struct session *session = begin("recursion");
	struct session_stop stop;

	(void)state;
	break_at_main(session);
	run(session, &stop);
	assert_ok(session_kill(session));
	assert_int_equal(session->state, RUN_ENDING);
	assert_int_equal(session->main_state, MAIN_ENDED);
	run(session, &stop);
	assert_int_equal(session->state, RUN_STOPPED);
	assert_int_equal(session->main_state, MAIN_FOLLOWED);
	session_destroy(session);
}

static void a_launched_program_is_let_go(void **state)
{
	struct session *session = begin("recursion");
	struct session_stop stop;
	struct str out = {0};

	(void)state;
	break_at_main(session);
	run(session, &stop);
	assert_ok(session_detach(session, &out));
	str_deinit(&out);
	assert_int_equal(session->state, RUN_NOTHING);
	assert_int_equal(session->main_state, MAIN_LEFT);
	session_destroy(session);
}

/* It runs while commands are entered, and stands still for one of them. */
static void an_attached_program_runs_on_and_can_be_held(void **state)
{
	struct session *session = session_create(&ui);
	struct session_stop stop;
	struct str out = {0};
	bool stopped;
	uint64_t stood;
	pid_t pid = fork();
	int status;

	(void)state;
	watched = session;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_ok(session_attach(session, pid, &out));
	assert_int_equal(session->state, RUN_BACKGROUND);
	assert_true(session_runs_on(session));
	assert_ok(stand_still(session));
	assert_int_equal(session->state, RUN_HELD);
	assert_true(session_runs_on(session));
	assert_ok(session_go_on(session, &stood, &stopped, &stop));
	assert_int_equal(session->state, RUN_BACKGROUND);
	assert_false(stopped);
	/* an interruption ends the waiting, and the program goes on */
	interrupts = true;
	assert_ok(session_continue(session, 0, &stop));
	assert_int_equal(stop.reason, STOP_INTERRUPTED);
	assert_int_equal(session->state, RUN_BACKGROUND);
	assert_ok(session_detach(session, &out));
	assert_int_equal(session->state, RUN_NOTHING);
	assert_int_equal(session->main_state, MAIN_LEFT);
	str_deinit(&out);
	session_destroy(session);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
}

static void the_ending_state_is_left_by_no_transition(void **state)
{
	struct session *session = begin("recursion");

	(void)state;
	enter_state(session, RUN_ENDING);
	for (enum run_state to = RUN_NOTHING; to < RUN_ENDING; to++) {
		enter_state(session, to);
		assert_int_equal(session->state, RUN_ENDING);
		assert_true(is_over(session));
	}
	enter_state(session, RUN_KILLING);
	enter_state(session, RUN_STOPPED);
	assert_int_equal(session->state, RUN_KILLING);
	enter_state(session, RUN_ENDING);
	assert_int_equal(session->state, RUN_ENDING);
	session_destroy(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_runs_to_its_end),
		cmocka_unit_test(a_breakpoint_stops_the_program),
		cmocka_unit_test(a_program_runs_after_one_was_killed),
		cmocka_unit_test(a_launched_program_is_let_go),
		cmocka_unit_test(an_attached_program_runs_on_and_can_be_held),
		cmocka_unit_test(the_ending_state_is_left_by_no_transition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
