/*
 * test_target_attach.c - attaching to running processes and letting them go:
 * they notice nothing
 *
 * tier: core full
 * covers: target/attach
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "sampling.h"
#include "target_rig.h"

/* ---- threads -------------------------------------------------------------
 */

static void test_all_threads_are_attached(void **state)
{
	struct process *process;
	unsigned long before;
	struct rig rig;

	(void)state;
	rig_start(&rig, rig_count_in_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	for (int i = 0; i < (int)sampled(20, 6); i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		assert_int_equal(process->threads.count, 16);
		assert_true(process->attached && process->survives);
		assert_int_equal(process->threads.data[0]->first_sp, 0);
		before = atomic_load(&rig.shared->counters[0]);
		sched_yield();
		assert_int_equal(atomic_load(&rig.shared->counters[0]), before);
		if (i & 1) {
			assert_ok(target_resume_all(rig.target));
			assert_true(rig_counts(&rig));
			assert_ok(target_stop_all(rig.target));
			rig_settle(&rig);
		}
		target_detach(process);
		assert_true(rig_has_none(&rig));
		assert_int_equal(count_untraced(rig.pid), 16);
	}
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

static void *nothing(void *argument)
{
	atomic_ulong *counter = argument;

	atomic_fetch_add(counter, 1);
	return NULL;
}

/* Threads come and go all the time, made by two that do not stop. */
static void *make_threads(void *argument)
{
	pthread_t threads[4];

	for (;;) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, nothing,
					   argument))
				_exit(2);
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
}

static void storm(struct shared *shared)
{
	pthread_t thread;

	pthread_create(&thread, NULL, make_threads, &shared->counters[0]);
	atomic_store(&shared->ready, 1);
	make_threads(&shared->counters[0]);
}

static void test_storm_of_new_threads_is_attached(void **state)
{
	struct process *process;
	struct event event;
	struct rig rig;

	(void)state;
	rig_start(&rig, storm);
	assert_true(rig_until(rig_is_ready, &rig));
	for (int i = 0; i < (int)sampled(50, 10); i++) {
		unsigned born = 0;

		assert_ok(target_attach(rig.target, rig.pid, &process));
		assert_ok(target_resume_all(rig.target));
		while (born < 100) {
			assert_ok(target_wait(rig.target, &event));
			if (event.kind != EVENT_THREAD_NEW)
				continue;
			born++;
			assert_int_not_equal(event.thread->first_sp, 0);
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
		}
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
		target_detach(process);
	}
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* The first thread ends before the others, before or after we come. */
static void leaderless(struct shared *shared)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread, NULL, rig_count, &shared->counters[i]);
	atomic_store(&shared->ready, 1);
	pthread_exit(NULL);
}

static bool is_leaderless(struct rig *rig)
{
	return process_state(rig->pid) == 'Z';
}

static void test_process_without_leader_is_attached(void **state)
{
	struct process *process;
	struct event event;
	struct rig rig;

	(void)state;
	rig_start(&rig, leaderless);
	assert_true(rig_until(is_leaderless, &rig));
	for (int i = 0; i < 10; i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		assert_int_equal(process->threads.count, 2);
		assert_ok(target_resume_all(rig.target));
		assert_true(rig_counts(&rig));
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
		target_detach(process);
	}
	assert_ok(target_attach(rig.target, rig.pid, &process));
	assert_ok(target_resume_all(rig.target));
	kill(rig.pid, SIGKILL);
	do {
		assert_ok(target_wait(rig.target, &event));
	} while (event.kind == EVENT_THREAD_GONE || event.kind == EVENT_NONE);
	assert_int_equal(event.kind, EVENT_PROCESS_GONE);
	assert_int_equal(WTERMSIG(event.status), SIGKILL);
	rig_end(&rig);
}

/* ---- system calls ---------------------------------------------------------
 */

struct waiting {
	struct shared *shared;
	int kind, epoll, semaphore, pipe[2], socket, listener;
};

static long wait_in(struct waiting *waiting)
{
	static int futex;
	struct timespec hour = {.tv_sec = 3600};
	struct epoll_event event;
	struct sembuf down = {.sem_op = -1};
	struct pollfd poll_fd = {.fd = waiting->pipe[0], .events = POLLIN};
	sigset_t set;
	char byte;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	switch (waiting->kind) {
	case 0:
		return epoll_wait(waiting->epoll, &event, 1, -1);
	case 1:
		return nanosleep(&hour, NULL);
	case 2:
		return poll(&poll_fd, 1, 3600000);
	case 3:
		return syscall(SYS_futex, &futex, FUTEX_WAIT, 0, &hour, 0, 0);
	case 4:
		return read(waiting->pipe[0], &byte, 1);
	case 5:
		return accept(waiting->listener, NULL, NULL);
	case 6:
		return semop(waiting->semaphore, &down, 1);
	case 7:
		return sigtimedwait(&set, NULL, &hour);
	case 8:
		return recv(waiting->socket, &byte, 1, 0);
	case 9:
		return ppoll(&poll_fd, 1, &hour, &set);
	case 10:
		return select(0, NULL, NULL, NULL, NULL);
	default:
		return epoll_pwait(waiting->epoll, &event, 1, 3600000, &set);
	}
}

#define WAITS 12

static void *wait_for_ever(void *argument)
{
	struct waiting *waiting = argument;

	atomic_fetch_add(&waiting->shared->ready, 1);
	wait_in(waiting);
	if (atomic_load(&waiting->shared->stop))
		return NULL;
	/* whatever it returned: it was not to return */
	fprintf(stderr, "# wait %d returned: %m\n", waiting->kind);
	atomic_fetch_add(&waiting->shared->errors, 1);
	return NULL;
}

static void all_waits(struct shared *shared)
{
	struct timeval hour = {.tv_sec = 3600};
	static struct waiting waits[WAITS];
	struct waiting first = {.shared = shared};
	pthread_t thread;
	int pair[2];

	first.epoll = epoll_create1(0);
	first.semaphore = semget(IPC_PRIVATE, 1, 0600);
	first.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (pipe(first.pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
	    bind(first.listener, &(struct sockaddr){.sa_family = AF_UNIX}, 2))
		_exit(2);
	listen(first.listener, 1);
	first.socket = pair[0];
	/* with a timeout the kernel does not restart these by itself */
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof(hour));
	setsockopt(first.listener, SOL_SOCKET, SO_RCVTIMEO, &hour,
		   sizeof(hour));
	for (int i = 0; i < WAITS; i++) {
		waits[i] = first;
		waits[i].kind = i;
		pthread_create(&thread, NULL, wait_for_ever, &waits[i]);
	}
	while (!atomic_load(&shared->stop))
		usleep(1000);
	semctl(first.semaphore, 0, IPC_RMID);
	_exit(0);
}

static bool all_wait(struct rig *rig)
{
	return atomic_load(&rig->shared->ready) == WAITS;
}

static void test_attaching_leaves_system_calls_alone(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	process = rig_attach(&rig, all_waits, all_wait);
	for (int i = 0; i < (int)sampled(200, 40); i++) {
		assert_ok(target_resume_all(rig.target));
		sched_yield();
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
	}
	target_detach(process);
	for (int i = 0; i < (int)sampled(50, 10); i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		target_detach(process);
		sched_yield();
	}
	assert_int_equal(atomic_load(&rig.shared->errors), 0);
	assert_int_equal(count_untraced(rig.pid), WAITS + 1);
	atomic_store(&rig.shared->stop, 1);
	assert_int_equal(rig_reap(&rig), 0);
	assert_int_equal(atomic_load(&rig.shared->errors), 0);
	rig_end(&rig);
}

/* ---- job control ----------------------------------------------------------
 */

static bool is_stopped(struct rig *rig)
{
	return process_state(rig->pid) == 'T';
}

static void test_stopped_process_stays_stopped(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	rig_start(&rig, rig_count_in_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	kill(rig.pid, SIGSTOP);
	assert_true(rig_until(is_stopped, &rig));
	for (int i = 0; i < 10; i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		for (size_t j = 0; j < process->threads.count; j++)
			assert_int_equal(process->threads.data[j]->stopped_by,
					 SIGSTOP);
		if (i & 1) {
			assert_ok(target_resume_all(rig.target));
			assert_ok(target_stop_all(rig.target));
			rig_settle(&rig);
		}
		target_detach(process);
		assert_true(rig_until(is_stopped, &rig));
	}
	kill(rig.pid, SIGCONT);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* SIGSTOP and SIGCONT while it is measured: it stops, though traced, and goes
 * on; a stop of ours changes neither. */
static void test_job_control_works_while_attached(void **state)
{
	struct process *process;
	struct event event;
	struct rig rig;
	unsigned long before;

	(void)state;
	process = rig_attach(&rig, rig_count_in_threads, rig_is_ready);
	for (int i = 0; i < (int)sampled(20, 6); i++) {
		assert_ok(target_resume_all(rig.target));
		kill(rig.pid, i & 1 ? SIGSTOP : SIGTSTP);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (event.kind != EVENT_SIGNAL);
		assert_int_equal(event.signal, i & 1 ? SIGSTOP : SIGTSTP);
		assert_ok(target_deliver(event.thread, event.signal, NULL));
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
		before = atomic_load(&rig.shared->counters[0]);
		assert_ok(target_resume_all(rig.target));
		target_set_tick(rig.target, 1000000);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (event.kind != EVENT_NONE);
		/* resumed, it is still stopped by its signal */
		assert_int_equal(atomic_load(&rig.shared->counters[0]), before);
		kill(rig.pid, SIGCONT);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (event.kind != EVENT_SIGNAL);
		assert_int_equal(event.signal, SIGCONT);
		assert_ok(target_deliver(event.thread, event.signal, NULL));
		before = atomic_load(&rig.shared->counters[0]);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (atomic_load(&rig.shared->counters[0]) == before);
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
	}
	target_detach(process);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* ---- the end --------------------------------------------------------------
 */

/* Killed at any moment, its end is reported and nothing hangs. */
static void test_process_may_be_killed_at_any_time(void **state)
{
	struct process *process;
	struct event event;
	struct error *error;
	struct rig rig;

	(void)state;
	for (int i = 0; i < (int)sampled(60, 16); i++) {
		struct timespec moment = {.tv_nsec = i * 20000};
		pid_t killer;

		rig_start(&rig, i % 2 ? storm : rig_count_in_threads);
		assert_true(rig_until(rig_is_ready, &rig));
		killer = fork();
		if (killer == 0) {
			nanosleep(&moment, NULL);
			kill(rig.pid, SIGKILL);
			_exit(0);
		}
		error = target_attach(rig.target, rig.pid, &process);
		while (!error) {
			uint64_t mask;

			error = target_get_signal_mask(process->threads.data[0],
						       &mask);
			if (!error) {
				int64_t result;

				error = target_remote_calls(
					process->threads.data[0],
					&(struct script_call){
						.number = SYS_getpid},
					1, NULL, 0, &result);
				if (!error)
					assert_int_equal(result, rig.pid);
			}
		}
		if (error_code(error) != ERROR_GONE)
			print_message("# %s\n", error_message(error));
		assert_int_equal(error_code(error), ERROR_GONE);
		error_destroy(error);
		target_resume_all(rig.target);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (event.kind != EVENT_EMPTY);
		rig_end(&rig);
	}
}

/* Killed while its threads stand still and then let go of: none of them is kept
 * from being reaped, or its parent would wait for it for ever. */
static void test_killed_process_is_reaped(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	for (int i = 0; i < (int)sampled(20, 6); i++) {
		const struct timespec pause = {.tv_nsec = 1000000};
		pid_t found = 0;

		process = rig_attach(&rig, rig_count_in_threads, rig_is_ready);
		kill(rig.pid, SIGKILL);
		(i % 2 ? target_let_go : target_detach)(process);
		for (int tries = 0; !found && tries < 10000; tries++) {
			target_release_waiting(rig.target);
			found = waitpid(rig.pid, NULL, WNOHANG);
			nanosleep(&pause, NULL);
		}
		/* by us here, or already by the tool, which is its parent too
		 */
		assert_true(found == rig.pid || (found < 0 && errno == ECHILD));
		rig_end(&rig);
	}
}

/* A process that was attached to goes on when the tool is done with it. */
static void test_processes_go_on_when_the_target_is_destroyed(void **state)
{
	struct rig rig;

	(void)state;
	for (int i = 0; i < 10; i++) {
		rig_attach(&rig, i & 1 ? storm : rig_count_in_threads,
			   rig_is_ready);
		if (i & 2)
			assert_ok(target_resume_all(rig.target));
		target_destroy(rig.target);
		rig.target = NULL;
		assert_true(rig_counts(&rig));
		assert_true(rig_counts(&rig));
		rig_end(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_threads_are_attached),
		cmocka_unit_test(test_storm_of_new_threads_is_attached),
		cmocka_unit_test(test_process_without_leader_is_attached),
		cmocka_unit_test(test_attaching_leaves_system_calls_alone),
		cmocka_unit_test(test_stopped_process_stays_stopped),
		cmocka_unit_test(test_job_control_works_while_attached),
		cmocka_unit_test(test_process_may_be_killed_at_any_time),
		cmocka_unit_test(test_killed_process_is_reaped),
		cmocka_unit_test(
			test_processes_go_on_when_the_target_is_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
