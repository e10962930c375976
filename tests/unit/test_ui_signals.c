/*
 * test_ui_signals.c - no signal is lost, between whatever instructions it comes
 *
 * A child asks for its signals while it is single-stepped, and SIGTERM is
 * delivered to it before its first instruction, before its second, and so on.
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

#include "../../src/ui/signals.h"

/* More than the child's instructions, without which a test would be none. */
#define MOST_STEPS 100000

enum { HEARD = 10, NOT_HEARD, MIXED_UP };

/* How the child ends that has taken its signals, while stepped. */
static int take_all(int first)
{
	int number = first;

	for (int i = 0; i < 3 && number != SIGTERM; i++)
		number = signals_take();
	if (number != SIGTERM)
		return NOT_HEARD;
	return signals_take() == SIGTERM ? MIXED_UP : HEARD;
}

/* What is stepped through: both are in the notes, or one comes on the other's
 * heels. */
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
	/* what it sends to itself before is delivered */
	while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP) {
		ptrace(PTRACE_CONT, pid, 0, (long)WSTOPSIG(status));
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	assert_true(WIFSTOPPED(status));
	return pid;
}

/* Its signals are delivered; true: it has come to its SIGSTOP. */
static bool step(pid_t pid, long *signal)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, 0, *signal), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	*signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return *signal == SIGSTOP;
}

/* SIGTERM after so many steps; false: it was at its end before. */
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

static void test_while_taken(void **state)
{
	(void)state;
	check(take_one);
}

static void test_while_heard(void **state)
{
	(void)state;
	check(hear_one);
}

/* One that came before is no reason to wait. */
static void test_await(void **state)
{
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	signals_install();
	raise(SIGTERM);
	signals_await(ends[0], POLLIN);
	assert_int_equal(signals_take(), SIGTERM);
	assert_int_equal(signals_take(), 0);
	/* what is to be read is none, either */
	assert_int_equal(write(ends[1], "", 1), 1);
	signals_await(ends[0], POLLIN);
	assert_int_equal(signals_peek(), 0);
}

/* SIGUSR1 is another request: it ends no other wait, is taken once, however
 * often it came, and what is ignored stays so. */
static void test_report(void **state)
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
		cmocka_unit_test(test_while_taken),
		cmocka_unit_test(test_while_heard),
		cmocka_unit_test(test_await),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
