/*
 * test_ui_signals.c - tests that no signal is lost, whatever two instructions
 * it comes between
 *
 * The test single-steps a child while the child asks for its signals. It sends
 * SIGTERM to the child before the first instruction of this part; then, with
 * another child, before the second instruction, and so on.
 *
 * tier: core
 * covers: ui/terminal
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/ui/terminal/signals.h"

/* The child executes fewer instructions than this. If it executed more, the
 * test would not have reached the end of the part, and would have tested
 * nothing. */
#define MOST_STEPS 100000

enum { HEARD = 10, NOT_HEARD, MIXED_UP };

/* Takes the signals that the child has left to take, and returns the exit
 * status of the child: HEARD if SIGTERM was returned exactly once. `first` is
 * the signal that the child has taken already, or 0. */
static int take_all(int first)
{
	int number = first;

	for (int i = 0; i < 3 && number != SIGTERM; i++)
		number = signals_take();
	if (number != SIGTERM)
		return NOT_HEARD;
	return signals_take() == SIGTERM ? MIXED_UP : HEARD;
}

/* The two parts that are stepped through, each between two SIGSTOPs.
 * take_one(): the child takes a SIGINT that is noted already. hear_one(): the
 * handler notes a SIGINT. SIGTERM comes meanwhile. */
static void take_one(void)
{
	int first;

	raise(SIGINT);
	raise(SIGSTOP);
	first = signals_take();
	raise(SIGSTOP);
	_exit(take_all(first));
}

static void hear_one(void)
{
	raise(SIGSTOP);
	raise(SIGINT);
	raise(SIGSTOP);
	_exit(take_all(0));
}

/* Starts a child that executes `run`, and lets it run to its first SIGSTOP,
 * where the part to step through begins. */
static pid_t start(void (*run)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		signals_install();
		run();
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* A signal that the child sends to itself before its SIGSTOP is
	 * delivered. */
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) {
		ptrace(PTRACE_CONT, pid, 0, (long)WSTOPSIG(status));
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(WIFSTOPPED(status));
	return pid;
}

/* Steps the child by one instruction, and delivers the signal of the last step.
 * Returns true if the child has come to its second SIGSTOP. */
static bool step(pid_t pid, long *signal)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, 0, *signal), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return *signal == SIGSTOP;
}

/* Sends SIGTERM to the child after this many steps. `*end` gets the exit status
 * of the child. Returns false if the part was over before. */
static bool is_heard_after(void (*run)(void), unsigned steps, int *end)
{
	pid_t pid = start(run);
	long signal = 0;
	bool over = false;
	int status;

	while (!over && (steps || signal)) {
		over = step(pid, &signal);
		steps -= steps != 0;
	}
	if (over) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return false;
	}
	kill(pid, SIGTERM);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, pid, 0,
		       WSTOPSIG(status) == SIGSTOP ? 0
						   : (long)WSTOPSIG(status));
	assert_true(WIFEXITED(status));
	*end = WEXITSTATUS(status);
	return true;
}

static void check(void (*run)(void))
{
	unsigned steps = 0;
	int end;

	for (; steps < MOST_STEPS && is_heard_after(run, steps, &end); steps++)
		if (end != HEARD)
			fail_msg("SIGTERM after %u instructions: %s", steps,
				 end == NOT_HEARD ? "lost" : "twice");
	assert_in_range(steps, 5, MOST_STEPS - 1);
}

static void test_no_signal_is_lost_while_one_is_taken(void **state)
{
	(void)state;
	check(take_one);
}

static void test_no_signal_is_lost_while_it_arrives(void **state)
{
	(void)state;
	check(hear_one);
}

/* A signal that came before the wait ends the wait at once. */
static void test_earlier_signal_ends_a_wait(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	signals_install();
	raise(SIGTERM);
	signals_await(ends[0], POLLIN);
	assert_int_equal(signals_take(), SIGTERM);
	assert_int_equal(signals_take(), 0);
	/* Nor does the tool wait if the file can be read already. */
	assert_int_equal(write(ends[1], "", 1), 1);
	signals_await(ends[0], POLLIN);
	assert_int_equal(signals_peek(), 0);
}

/* SIGUSR1 is a separate request. It does not end the other waits. However often
 * the signal came, the request is taken once. If the signal is ignored at the
 * start, it stays ignored. */
static void test_request_for_a_report_is_taken_once(void **state)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	int ends[2];

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &ignore, NULL), 0);
	signals_install_report();
	raise(SIGUSR1);
	assert_false(signals_peek_report());

	ignore.sa_handler = SIG_DFL;
	assert_int_equal(sigaction(SIGUSR1, &ignore, NULL), 0);
	signals_install_report();
	assert_int_equal(pipe(ends), 0);
	raise(SIGUSR1);
	raise(SIGUSR1);
	assert_int_equal(signals_peek(), 0);
	signals_await_report(ends[0], POLLIN);
	signals_await_room(ends[1], -1);
	assert_true(signals_peek_report());
	assert_true(signals_take_report());
	assert_false(signals_take_report());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_signal_is_lost_while_one_is_taken),
		cmocka_unit_test(test_no_signal_is_lost_while_it_arrives),
		cmocka_unit_test(test_earlier_signal_ends_a_wait),
		cmocka_unit_test(test_request_for_a_report_is_taken_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
