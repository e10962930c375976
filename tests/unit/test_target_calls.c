/*
 * test_target_calls.c - system calls made for us by a process that was attached
 * to: which of its threads can, what forbids it, what its signals would do
 *
 * tier: core
 * covers: target/remote
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "perftool/target/remote_calls.h"
#include "target_rig.h"

/* A sanitizer makes a system call before a call that does not return. */
#define MAKES_NO_CALL __attribute__((no_sanitize_address))

/* Any call but read, write and exit would kill it. */
MAKES_NO_CALL static void strict(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	rig_count(&shared->counters[0]);
}

MAKES_NO_CALL static void filtered(struct shared *shared)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {1, filter};

	atomic_store(&shared->ready, 1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	rig_count(&shared->counters[0]);
}

/* It makes a call of ours only where the filter can be suspended. */
static void test_seccomp_forbids_calls_unless_suspended(void **state)
{
	struct process *process;
	struct thread *thread;
	struct error *error;
	struct rig rig;
	int64_t result;

	(void)state;
	for (int i = 0; i < 2; i++) {
		rig_start(&rig, i ? filtered : strict);
		assert_true(rig_counts(&rig));
		assert_ok(target_attach(rig.target, rig.pid, &process));
		error = target_calling_thread(process, &thread);
		if (error) {
			assert_non_null(
				strstr(error_message(error), "seccomp"));
			error_destroy(error);
			thread = process->threads.data[0];
			error = target_remote_calls(
				thread,
				&(struct script_call){.number = SYS_getpid}, 1,
				NULL, 0, &result);
			assert_non_null(error);
			error_destroy(error);
		} else {
			assert_ok(target_remote_calls(
				thread,
				&(struct script_call){.number = SYS_getpid}, 1,
				NULL, 0, &result));
			assert_int_equal(result, rig.pid);
		}
		target_detach(process);
		assert_true(rig_counts(&rig));
		rig_end(&rig);
	}
}

static void on_own_step(int signal)
{
	(void)signal;
}

/* It steps itself all the time. */
static void steps_itself(struct shared *shared)
{
	signal(SIGTRAP, on_own_step);
	atomic_store(&shared->ready, 1);
	__asm__ volatile("pushfq\n"
			 "orq $0x100, (%%rsp)\n"
			 "popfq\n"
			 :
			 :
			 : "memory", "cc");
	rig_count(&shared->counters[0]);
}

static void test_process_that_steps_itself_makes_calls(void **state)
{
	struct process *process;
	struct thread *thread;
	struct rig rig;
	int64_t result;

	(void)state;
	rig_start(&rig, steps_itself);
	assert_true(rig_counts(&rig));
	for (int i = 0; i < 100; i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		assert_ok(target_calling_thread(process, &thread));
		assert_ok(target_remote_calls(
			thread, &(struct script_call){.number = SYS_getpid}, 1,
			NULL, 0, &result));
		assert_int_equal(result, rig.pid);
		target_detach(process);
	}
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* A thread in no system call is taken, if there is one. */
static void test_calling_thread_is_in_no_system_call(void **state)
{
	struct process *process;
	struct thread *thread, *momentary;
	enum disposition disposition;
	struct rig rig;
	uint64_t call;

	(void)state;
	process = rig_attach(&rig, rig_count_in_threads, rig_is_ready);
	assert_ok(target_calling_thread(process, &thread));
	assert_ok(target_get_reg(
		thread, offsetof(struct user_regs_struct, orig_rax), &call));
	assert_true((int64_t)call < 0);
	assert_null(target_find_blocking(process, SIGUSR1));
	assert_ok(target_set_signal_mask(process->threads.data[3],
					 UINT64_C(1) << (SIGUSR1 - 1)));
	assert_ptr_equal(target_find_blocking(process, SIGUSR1),
			 process->threads.data[3]);
	/* as the C library does for a moment */
	assert_ok(target_set_signal_mask(process->threads.data[3], UINT64_MAX));
	momentary = target_find_blocking(process, SIGUSR1);
	assert_ok(target_set_signal_mask(process->threads.data[3], 0));
	assert_ok(target_get_disposition(process, SIGUSR1, &disposition));
	assert_int_equal(disposition, DISPOSITION_DEFAULT);
	target_detach(process);
	rig_end(&rig);
	assert_null(momentary);
}

/* SIGKILL ends the stops of the threads before these begin to exit. */
static void test_killed_process_is_gone(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		struct thread *thread;
		struct error *error;
		struct rig rig;
		struct process *process =
			rig_attach(&rig, rig_count_in_threads, rig_is_ready);

		target_kill(process);
		error = target_calling_thread(process, &thread);
		if (error)
			assert_int_equal(error_code(error), ERROR_GONE);
		error_destroy(error);
		rig_end(&rig);
	}
}

static void ignore_it(int signal)
{
	(void)signal;
}

/* A third of the signals handled, a third ignored; it turns by one, in a thread
 * that ends, each time that it is asked. */
static void *turn_actions(void *argument)
{
	long turn = (long)argument;

	for (int i = 1; i <= 64; i++)
		if (i != SIGKILL && i != SIGSTOP && i != 32 && i != 33)
			signal(i, (i + turn) % 3 == 0   ? ignore_it
				  : (i + turn) % 3 == 1 ? SIG_IGN
							: SIG_DFL);
	return NULL;
}

static void turning(struct shared *shared)
{
	pthread_t thread;

	for (long turn = 0;; turn++) {
		pthread_create(&thread, NULL, turn_actions, (void *)turn);
		pthread_join(thread, NULL);
		atomic_store(&shared->ready, (unsigned long)turn + 1);
		while (atomic_load(&shared->stop) != (unsigned long)turn + 1)
			sched_yield();
	}
}

static bool has_turned(struct rig *rig)
{
	return atomic_load(&rig->shared->ready) > rig->mark;
}

static void test_dispositions_of_signals_are_known(void **state)
{
	static const enum disposition expected[] = {
		DISPOSITION_CAUGHT, DISPOSITION_IGNORED, DISPOSITION_DEFAULT};
	enum disposition disposition;
	struct process *process;
	struct rig rig;

	(void)state;
	rig_start(&rig, turning);
	for (unsigned long turn = 0; turn < 6; turn++) {
		rig.mark = turn;
		assert_true(rig_until(has_turned, &rig));
		assert_ok(target_attach(rig.target, rig.pid, &process));
		for (int again = 0; again < 2; again++) {
			for (int i = 1; i <= 64; i++) {
				if (i == SIGKILL || i == SIGSTOP || i == 32 ||
				    i == 33)
					continue;
				assert_ok(target_get_disposition(process, i,
								 &disposition));
				assert_int_equal(
					disposition,
					expected[((unsigned long)i + turn) %
						 3]);
			}
		}
		target_detach(process);
		atomic_store(&rig.shared->stop, turn + 1);
	}
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seccomp_forbids_calls_unless_suspended),
		cmocka_unit_test(test_calling_thread_is_in_no_system_call),
		cmocka_unit_test(test_killed_process_is_gone),
		cmocka_unit_test(test_dispositions_of_signals_are_known),
		cmocka_unit_test(test_process_that_steps_itself_makes_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
