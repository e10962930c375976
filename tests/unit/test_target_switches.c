/*
 * test_target_switches.c - logs of context switches: all of them, in order, and
 * what is said when some are missing
 *
 * tier: core
 * covers: target
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perftool/switches.h"

/* A child that answers every byte with a byte. */
struct partner {
	pid_t pid;
	int to, from;
};

static void partner_init(struct partner *partner)
{
	int to[2], from[2];
	char byte;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	partner->pid = fork();
	assert_true(partner->pid >= 0);
	if (!partner->pid) {
		close(to[1]);
		close(from[0]);
		while (read(to[0], &byte, 1) == 1 &&
		       write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	partner->to = to[1];
	partner->from = from[0];
}

/* It has waited for each of them: it is off its CPU once at least for each. */
static void play(const struct partner *partner, unsigned rounds)
{
	char byte = 0;

	for (unsigned i = 0; i < rounds; i++) {
		assert_int_equal(write(partner->to, &byte, 1), 1);
		assert_int_equal(read(partner->from, &byte, 1), 1);
	}
}

static void partner_deinit(struct partner *partner)
{
	close(partner->to);
	close(partner->from);
	assert_int_equal(waitpid(partner->pid, NULL, 0), partner->pid);
}

/* The thread waits in the kernel now, so that its log ends with that. */
static void await_rest(pid_t pid)
{
	char path[64], line[512];
	FILE *file;
	char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		file = fopen(path, "re");
		assert_non_null(file);
		assert_non_null(fgets(line, sizeof(line), file));
		fclose(file);
		state = strrchr(line, ')');
	} while (!state || state[2] != 'S');
}

static uint64_t raw_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void open_log(pid_t pid, size_t pages, struct perf_log *log)
{
	struct error *error = switch_log_open(pid, pages, log);

	if (error)
		fail_msg("%s", error_message(error));
}

static void each_switch_is_logged_in_order(void **state)
{
	uint64_t before = raw_now(), last = before;
	struct switch_record record;
	struct perf_log log;
	struct partner partner;
	bool is_on = false;
	unsigned count = 0;

	(void)state;
	partner_init(&partner);
	play(&partner, 1);
	await_rest(partner.pid);
	open_log(partner.pid, 16, &log);
	for (unsigned part = 0; part < 40; part++) {
		play(&partner, 50);
		while (switch_log_next(&log, &record)) {
			assert_int_not_equal(record.kind, SWITCH_LOST);
			assert_int_equal(record.kind == SWITCH_ON, !is_on);
			assert_true(record.time >= last);
			last = record.time;
			is_on = !is_on;
			count++;
		}
	}
	assert_true(last <= raw_now());
	assert_true(count >= 2000);
	perf_log_close(&log);
	partner_deinit(&partner);
}

/* What is not read is lost; that is told, also when nothing comes after it. */
static void lost_switches_are_told(void **state)
{
	struct switch_record record;
	struct perf_log log;
	struct partner partner;
	unsigned count = 0, losses = 0;

	(void)state;
	partner_init(&partner);
	open_log(partner.pid, 1, &log);
	play(&partner, 5000);
	await_rest(partner.pid);
	while (switch_log_next(&log, &record)) {
		count++;
		losses += record.kind == SWITCH_LOST;
	}
	assert_int_equal(record.kind, SWITCH_LOST);
	assert_int_equal(losses, 1);
	assert_true(count > 200 && count < 300);
	assert_false(switch_log_has_more(&log));
	/* and from now on it is known again */
	play(&partner, 10);
	await_rest(partner.pid);
	losses = count = 0;
	while (switch_log_next(&log, &record)) {
		count++;
		losses += record.kind == SWITCH_LOST;
	}
	/* the kernel says so, too */
	assert_int_equal(losses, 1);
	assert_true(count >= 20);
	assert_int_equal(record.kind, SWITCH_OFF);
	perf_log_close(&log);
	partner_deinit(&partner);
}

/* A wait for events is interrupted before the log is full. */
static void filling_log_interrupts_a_wait(void **state)
{
	struct perf_log log;
	const struct timespec long_enough = {.tv_sec = 60};
	struct partner partner;
	sigset_t none;
	pid_t player;

	(void)state;
	partner_init(&partner);
	open_log(partner.pid, 1, &log);
	player = fork();
	if (!player) {
		play(&partner, 100000);
		_exit(0);
	}
	sigemptyset(&none);
	assert_int_equal(ppoll(NULL, 0, &long_enough, &none), -1);
	assert_int_equal(errno, EINTR);
	kill(player, SIGKILL);
	assert_int_equal(waitpid(player, NULL, 0), player);
	perf_log_close(&log);
	partner_deinit(&partner);
}

static unsigned count_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

#define LOGS 200

static void logs_keep_no_files_open(void **state)
{
	static struct perf_log logs[LOGS];
	struct partner partner;
	unsigned before;

	(void)state;
	partner_init(&partner);
	before = count_files();
	for (size_t i = 0; i < LOGS; i++)
		open_log(partner.pid, 1, &logs[i]);
	assert_int_equal(count_files(), before);
	play(&partner, 1);
	for (size_t i = 0; i < LOGS; i++) {
		assert_true(switch_log_has_more(&logs[i]));
		perf_log_close(&logs[i]);
	}
	partner_deinit(&partner);
}

static void log_of_an_ended_thread_is_an_error(void **state)
{
	struct perf_log log;
	struct partner partner;
	struct error *error;

	(void)state;
	partner_init(&partner);
	partner_deinit(&partner);
	error = switch_log_open(partner.pid, 1, &log);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_GONE);
	error_destroy(error);
}

/* In a process that may neither trace the other nor lock memory. */
static int try_as_nobody(pid_t pid, bool own)
{
	/* All processes of a user share the memory that the user may lock. So
	 * this user runs nothing else. */
	const uid_t user = 100000 + (uid_t)getpid();
	const struct rlimit none = {0, 0};
	static struct perf_log logs[4096];
	struct error *error = NULL;

	setrlimit(RLIMIT_MEMLOCK, &none);
	if (getuid() == 0 && setresuid(user, user, user) < 0)
		return 1;
	for (size_t i = 0; !error && i < (own ? 4096 : 1); i++)
		error = switch_log_open(own ? getpid() : pid, 1, &logs[i]);
	if (!error)
		return 2;
	return strstr(error_message(error),
		      own ? "perftool may lock no more memory"
			  : "the kernel, or a filter of the container, forbids "
			    "perf_event_open(2)")
		       ? 0
		       : 3;
}

static void refused_log_says_why(void **state)
{
	int status;

	(void)state;
	for (int own = 0; own < 2; own++) {
		pid_t child = fork();

		if (!child)
			_exit(try_as_nobody(1, own));
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
	}
}

int main(void)
{
	sigset_t wakes_us = {0};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_switch_is_logged_in_order),
		cmocka_unit_test(lost_switches_are_told),
		cmocka_unit_test(filling_log_interrupts_a_wait),
		cmocka_unit_test(logs_keep_no_files_open),
		cmocka_unit_test(log_of_an_ended_thread_is_an_error),
		cmocka_unit_test(refused_log_says_why),
	};

	/* only where that is what it is about */
	sigaddset(&wakes_us, SIGALRM);
	sigprocmask(SIG_BLOCK, &wakes_us, NULL);
	return cmocka_run_group_tests_name("target_switches", tests, NULL,
					   NULL);
}
