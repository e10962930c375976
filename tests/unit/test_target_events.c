/*
 * test_target_events.c - what happens in the life of processes and threads,
 * while they are stopped and resumed all the time
 *
 * tier: core full
 * covers: target
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <limits.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "perftool/target/target_events.h"
#include "sampling.h"
#include "target_rig.h"

/* ---- traps ----------------------------------------------------------------
 */

static void *trap_on(void *argument)
{
	struct shared *shared = argument;
	unsigned long own = atomic_fetch_add(&shared->ready, 1);

	while (!atomic_load(&shared->stop))
		sched_yield();
	for (;;) {
		__asm__ volatile("int3");
		atomic_fetch_add_explicit(&shared->counters[own], 1,
					  memory_order_relaxed);
	}
	return NULL;
}

static void trappers(struct shared *shared, int count)
{
	pthread_t thread;

	for (int i = 1; i < count; i++)
		pthread_create(&thread, NULL, trap_on, shared);
	trap_on(shared);
}

static void trappers_4(struct shared *shared)
{
	trappers(shared, 4);
}

static void trappers_16(struct shared *shared)
{
	trappers(shared, 16);
}

static bool four_ready(struct rig *rig)
{
	return atomic_load(&rig->shared->ready) == 4;
}

static bool sixteen_ready(struct rig *rig)
{
	return atomic_load(&rig->shared->ready) == 16;
}

static bool has_queued_trap(pid_t tid)
{
	struct __ptrace_peeksiginfo_args args = {.nr = 8};
	siginfo_t infos[8];
	long count = ptrace(PTRACE_PEEKSIGINFO, tid, &args, infos);

	for (long i = 0; i < count; i++)
		if (infos[i].si_signo == SIGTRAP)
			return true;
	return false;
}

/* No trap is lost, and none waits when all are said to be stopped. */
static void test_no_trap_is_lost_or_left_waiting(void **state)
{
	unsigned long traps = 0, stops = 0;
	struct process *process;
	struct event event;
	struct rig rig;

	(void)state;
	process = rig_attach(&rig, trappers_4, four_ready);
	atomic_store(&rig.shared->stop, 1);
	assert_ok(target_resume_all(rig.target));
	while (stops < 500) {
		assert_ok(target_wait(rig.target, &event));
		if (event.kind == EVENT_TRAP) {
			assert_ok(
				target_resume_at(event.thread, event.pc, NULL));
			if (++traps % 16 == 0 &&
			    !target_is_stopping(rig.target))
				assert_ok(target_stop_all(rig.target));
		}
		if (event.kind == EVENT_ALL_STOPPED) {
			unsigned long counted = 0;

			for (int i = 0; i < 4; i++) {
				struct thread *thread =
					process->threads.data[i];

				assert_int_equal(thread->state, THREAD_STOPPED);
				assert_false(has_queued_trap(thread->tid));
				counted +=
					atomic_load(&rig.shared->counters[i]);
			}
			/* each may stand behind an int3 that was reported */
			assert_in_range(traps - counted, 0, 4);
			stops++;
			assert_ok(target_resume_all(rig.target));
		}
	}
	rig_end(&rig);
}

static void share_out(subject_fn *subject, bool (*is_ready)(struct rig *),
		      unsigned threads)
{
	unsigned long least = ULONG_MAX, most = 0, total = 0;
	struct event event;
	struct rig rig;
	double start;

	rig_attach(&rig, subject, is_ready);
	atomic_store(&rig.shared->stop, 1);
	assert_ok(target_resume_all(rig.target));
	start = rig_now();
	while (total < 2000UL * threads) {
		assert_ok(target_wait(rig.target, &event));
		if (event.kind != EVENT_TRAP)
			continue;
		total++;
		assert_ok(target_resume_at(event.thread, event.pc, NULL));
	}
	start = rig_now() - start;
	for (unsigned i = 0; i < threads; i++) {
		unsigned long got = atomic_load(&rig.shared->counters[i]);

		least = got < least ? got : least;
		most = got > most ? got : most;
	}
	print_message("# %u threads: %lu to %lu traps each, %.2f us a trap\n",
		      threads, least, most, start / (double)total * 1e6);
	/* nobody starves */
	assert_true(least > total / threads / 20);
	rig_end(&rig);
}

static void test_no_trapping_thread_starves(void **state)
{
	(void)state;
	share_out(trappers_4, four_ready, 4);
	share_out(trappers_16, sixteen_ready, 16);
}

/* ---- the life of processes and threads ------------------------------------
 */

/* What was seen of a program that ran to its end. */
struct seen {
	unsigned long threads, gone, forks, shared, execs, ends, stops;
	int status;
	pid_t ended;
};

/* Run it to its end, all stopped and resumed at every `period`-th event. */
static void run(struct rig *rig, unsigned period, struct seen *seen)
{
	unsigned long events = 0;
	struct event event;

	*seen = (struct seen){0};
	target_set_tick(rig->target, 500000);
	for (;;) {
		assert_ok(target_wait(rig->target, &event));
		switch (event.kind) {
		case EVENT_EMPTY:
			return;
		case EVENT_TRAP:
		case EVENT_SIGNAL:
			assert_ok(target_deliver(event.thread, event.signal,
						 NULL));
			break;
		case EVENT_FORK:
			seen->forks++;
			seen->shared += event.process->shares_memory;
			assert_true(event.process->attached);
			assert_true(event.process->survives);
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
			break;
		case EVENT_THREAD_NEW:
			seen->threads++;
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
			break;
		case EVENT_EXEC:
			seen->execs++;
			assert_int_equal(event.process->threads.count, 1);
			assert_int_equal(event.thread->tid, event.process->pid);
			assert_ok(target_resume(event.thread));
			break;
		case EVENT_RETURN:
			fail_msg("nobody has asked to be told of returns");
			break;
		case EVENT_CALL:
			fail_msg("nobody has asked to be told of calls");
			break;
		case EVENT_THREAD_GONE:
			seen->gone++;
			break;
		case EVENT_PROCESS_GONE:
			seen->ends++;
			if (event.process->pid == rig->pid)
				seen->status = event.status;
			break;
		case EVENT_ALL_STOPPED:
			seen->stops++;
			assert_ok(target_resume_all(rig->target));
			break;
		case EVENT_NONE:
			break;
		}
		/* or nobody would ever get anywhere */
		if (event.kind == EVENT_ALL_STOPPED)
			continue;
		if (++events % period == 0 && !target_is_stopping(rig->target))
			assert_ok(target_stop_all(rig->target));
	}
}

static void wait_for_start(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		sched_yield();
}

static void run_attached(subject_fn *subject, unsigned period,
			 struct seen *seen)
{
	struct rig rig;

	rig_attach(&rig, subject, rig_is_ready);
	atomic_store(&rig.shared->stop, 1);
	assert_ok(target_resume_all(rig.target));
	run(&rig, period, seen);
	assert_int_equal(atomic_load(&rig.shared->errors), 0);
	rig_end(&rig);
}

static void *nothing(void *argument)
{
	return argument;
}

static void thread_storm(struct shared *shared)
{
	pthread_t threads[20];

	wait_for_start(shared);
	for (unsigned i = 0; i < sampled(500, 100); i++) {
		for (int j = 0; j < 20; j++)
			if (pthread_create(&threads[j], NULL, nothing, NULL))
				atomic_fetch_add(&shared->errors, 1);
		for (int j = 0; j < 20; j++)
			pthread_join(threads[j], NULL);
	}
	_exit(7);
}

static void test_each_thread_of_a_storm_is_reported(void **state)
{
	struct seen seen;

	(void)state;
	run_attached(thread_storm, 100, &seen);
	assert_int_equal(seen.threads, 20 * sampled(500, 100));
	assert_int_equal(seen.gone, 20 * sampled(500, 100));
	assert_int_equal(seen.ends, 1);
	assert_int_equal(WEXITSTATUS(seen.status), 7);
	assert_true(seen.stops > 10);
}

static void *spin(void *argument)
{
	for (;;)
		__asm__ volatile("pause");
	return argument;
}

static void *exec_now(void *argument)
{
	execl("/bin/sh", "sh", "-c", "exit 5", NULL);
	return argument;
}

/* exec by a thread that is not the first, others running. */
static void exec_in_thread(struct shared *shared)
{
	pthread_t thread;

	wait_for_start(shared);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, spin, NULL);
	pthread_create(&thread, NULL, exec_now, NULL);
	spin(NULL);
}

/* The same when the first thread has ended. */
static void exec_leaderless(struct shared *shared)
{
	pthread_t thread;

	wait_for_start(shared);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, spin, NULL);
	pthread_create(&thread, NULL, exec_now, NULL);
	pthread_exit(NULL);
}

static void test_exec_in_a_thread_is_reported(void **state)
{
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < sampled(30, 10); i++) {
		run_attached(i & 1 ? exec_in_thread : exec_leaderless,
			     1 + i / 2, &seen);
		assert_int_equal(seen.execs, 1);
		assert_int_equal(seen.ends, 1);
		assert_int_equal(WEXITSTATUS(seen.status), 5);
	}
}

static void *exit_now(void *argument)
{
	_exit(9);
	return argument;
}

static void exit_in_thread(struct shared *shared)
{
	pthread_t thread;

	wait_for_start(shared);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, i == 7 ? exit_now : spin, NULL);
	spin(NULL);
}

static void test_exit_of_the_process_in_a_thread_is_reported(void **state)
{
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < sampled(30, 10); i++) {
		run_attached(exit_in_thread, 1 + i / 2, &seen);
		assert_int_equal(seen.ends, 1);
		assert_int_equal(WEXITSTATUS(seen.status), 9);
	}
}

static void *leave_last(void *argument)
{
	struct shared *shared = argument;
	pthread_t thread;

	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	}
	atomic_store(&shared->counters[0], 1);
	_exit(3);
	return NULL;
}

static void leader_first(struct shared *shared)
{
	pthread_t thread;

	wait_for_start(shared);
	pthread_create(&thread, NULL, leave_last, shared);
	pthread_exit(NULL);
}

static void test_leader_may_end_first(void **state)
{
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		run_attached(leader_first, 1 + 3 * i, &seen);
		assert_int_equal(seen.threads, 101);
		assert_int_equal(seen.ends, 1);
		assert_int_equal(WEXITSTATUS(seen.status), 3);
	}
}

static int in_same_memory(void *argument)
{
	struct shared *shared = argument;

	for (int i = 0; i < 100; i++)
		sched_yield();
	atomic_fetch_add(&shared->counters[0], 1);
	_exit(0);
}

static void make_children(struct shared *shared)
{
	static char stacks[3][65536];
	static const int flags[] = {CLONE_VM | SIGCHLD, CLONE_VM,
				    CLONE_VM | CLONE_VFORK | SIGCHLD};

	wait_for_start(shared);
	for (int i = 0; i < 30; i++) {
		pid_t pid = clone(in_same_memory, stacks[i % 3] + 65536,
				  flags[i % 3], shared);

		if (pid < 0 || waitpid(pid, NULL, __WALL) != pid)
			atomic_fetch_add(&shared->errors, 1);
	}
	for (int i = 0; i < 30; i++) {
		pid_t pid = i & 1 ? fork() : vfork();

		if (pid == 0) {
			if (i % 3 == 0)
				execl("/bin/true", "true", NULL);
			_exit(i % 3 == 0 ? 1 : 0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			atomic_fetch_add(&shared->errors, 1);
	}
	if (atomic_load(&shared->counters[0]) != 30)
		atomic_fetch_add(&shared->errors, 1);
	_exit(4);
}

static void test_each_child_is_reported(void **state)
{
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < sampled(20, 6); i++) {
		run_attached(make_children, 1 + i, &seen);
		assert_int_equal(seen.forks, 60);
		assert_int_equal(seen.shared, 45);
		assert_int_equal(seen.execs, 10);
		assert_int_equal(seen.ends, 61);
		assert_int_equal(WEXITSTATUS(seen.status), 4);
	}
}

/* Its children are siblings: the test's own. */
static void make_siblings(struct shared *shared)
{
	wait_for_start(shared);
	for (int i = 0; i < 20; i++) {
		long pid =
			syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

		if (pid == 0)
			_exit(0);
		if (pid < 0)
			atomic_fetch_add(&shared->errors, 1);
	}
	_exit(4);
}

static void test_each_sibling_is_reported(void **state)
{
	struct seen seen;

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		run_attached(make_siblings, 1 + i, &seen);
		assert_int_equal(seen.forks, 20);
		assert_int_equal(seen.ends, 21);
		assert_int_equal(WEXITSTATUS(seen.status), 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_trap_is_lost_or_left_waiting),
		cmocka_unit_test(test_no_trapping_thread_starves),
		cmocka_unit_test(test_each_thread_of_a_storm_is_reported),
		cmocka_unit_test(test_exec_in_a_thread_is_reported),
		cmocka_unit_test(
			test_exit_of_the_process_in_a_thread_is_reported),
		cmocka_unit_test(test_leader_may_end_first),
		cmocka_unit_test(test_each_child_is_reported),
		cmocka_unit_test(test_each_sibling_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
