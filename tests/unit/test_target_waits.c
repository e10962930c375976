/*
 * test_target_waits.c - what a wait takes, and what it leaves: the stops of
 * others while one thread is waited for; faults when all have stopped
 *
 * tier: core
 * covers: target
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "target/target_state.h"
#include "target_rig.h"

static struct shared *page;

/* ---- one is waited for -----------------------------------------------------
 */

static void on_signal(int signal)
{
	atomic_fetch_add(&page->counters[signal == SIGUSR1], 1);
}

static void *raise_when_told(void *shared)
{
	while (!atomic_load(&((struct shared *)shared)->stop))
		sched_yield();
	raise(SIGUSR1);
	for (;;)
		pause();
	return NULL;
}

static void two_threads(struct shared *shared)
{
	pthread_t thread;

	page = shared;
	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	pthread_create(&thread, NULL, raise_when_told, shared);
	atomic_store(&shared->ready, 1);
	for (;;)
		pause();
}

static bool has_reported(pid_t tid)
{
	siginfo_t info = {0};

	assert_int_equal(waitid(P_PID, (id_t)tid, &info,
				WSTOPPED | __WALL | WNOWAIT | WNOHANG),
			 0);
	return info.si_pid == tid;
}

static long count_pauses(pid_t pid)
{
	char path[64], line[128];
	long count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1)
			break;
	if (file)
		fclose(file);
	return count;
}

/* Send a signal when this process has waited a while, and ticks have
 * interrupted that. */
static pid_t send_later(pid_t pid, pid_t tid)
{
	pid_t waiting = getpid(), sender = fork();
	long from = count_pauses(waiting);

	if (sender)
		return sender;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (count_pauses(waiting) < from + 20)
		sched_yield();
	syscall(SYS_tgkill, pid, tid, SIGUSR2);
	_exit(0);
}

static bool both_were_handled(struct rig *rig)
{
	return atomic_load(&rig->shared->counters[0]) == 1 &&
	       atomic_load(&rig->shared->counters[1]) == 1;
}

/* Another's signal stop stays as it is: consumed, it would be lost with the
 * tool, and an int3's thread would go on in the middle of an instruction. */
static void test_wait_for_a_thread_leaves_stops_of_others(void **state)
{
	struct process *process;
	struct thread *first, *second;
	struct event event;
	struct rig rig;
	int status;
	pid_t sender;

	(void)state;
	process = rig_attach(&rig, two_threads, rig_is_ready);
	assert_int_equal(process->threads.count, 2);
	first = target_find_thread(rig.target, rig.pid);
	second = process->threads.data[process->threads.data[0] == first];
	target_set_tick(rig.target, 1000000);
	assert_ok(target_resume_all(rig.target));
	atomic_store(&rig.shared->stop, 1);
	while (!has_reported(second->tid))
		sched_yield();
	sender = send_later(rig.pid, first->tid);
	assert_ok(wait_for_thread(first, &status));
	assert_int_equal(WSTOPSIG(status), SIGUSR2);
	assert_true(has_reported(second->tid));
	assert_int_equal(waitpid(sender, &status, 0), sender);
	for (int i = 0; i < 2; i++) {
		do
			assert_ok(target_wait(rig.target, &event));
		while (event.kind == EVENT_NONE);
		assert_int_equal(event.kind, EVENT_SIGNAL);
		assert_ok(target_deliver(event.thread, event.signal, NULL));
	}
	assert_true(rig_until(both_were_handled, &rig));
	rig_end(&rig);
}

/* ---- a deadline ------------------------------------------------------------
 */

static void wait_for_ever(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	for (;;)
		pause();
}

/* Ticks are an hour apart, so that it is the deadline that ends the wait; an
 * alarm does if nothing else. */
static void test_deadline_ends_a_wait(void **state)
{
	struct event event;
	struct rig rig;
	uint64_t end;

	(void)state;
	rig_attach(&rig, wait_for_ever, rig_is_ready);
	target_set_tick(rig.target, 3600000000000);
	assert_ok(target_resume_all(rig.target));
	for (int i = 0; i < 3; i++) {
		end = clock_now(&rig.clock) + 20000000;
		target_set_deadline(rig.target, end);
		alarm(60);
		do
			assert_ok(target_wait(rig.target, &event));
		while (event.kind == EVENT_NONE && event.time < end &&
		       alarm(60) > 0);
		assert_true(alarm(0) > 0);
		assert_true(event.time >= end);
	}
	/* one that has passed ends each wait, also a wait that begins later */
	for (int i = 0; i < 3; i++) {
		alarm(60);
		assert_ok(target_wait(rig.target, &event));
		assert_true(alarm(0) > 0);
	}
	target_set_deadline(rig.target, UINT64_MAX);
	rig_end(&rig);
}

/* ---- a thread that does not report -----------------------------------------
 */

static bool is_asked(void *context)
{
	return *(const bool *)context;
}

/* Nobody has asked it to stop: so it does not. */
static void test_thread_that_does_not_stop_is_reported(void **state)
{
	bool asked = false;
	struct process *process;
	struct thread *thread;
	struct error *error;
	struct rig rig;
	char wanted[128];
	int status;

	(void)state;
	process = rig_attach(&rig, wait_for_ever, rig_is_ready);
	thread = process->threads.data[0];
	target_set_interrupt(rig.target, (struct interrupt){is_asked, &asked});
	snprintf(wanted, sizeof(wanted),
		 "thread %d of process %d does not stop: it does not leave the "
		 "kernel (state S",
		 thread->tid, rig.pid);
	for (int i = 0; i < 2; i++) {
		assert_ok(target_resume_all(rig.target));
		/* in time; and soon, once the user asks to end */
		asked = i > 0;
		error = wait_for_thread(thread, &status);
		assert_non_null(error);
		assert_memory_equal(error_message(error), wanted,
				    strlen(wanted));
		error_destroy(error);
		assert_true(thread->is_stuck);
		assert_int_equal(thread->state, THREAD_RUNNING);
	}
	rig_end(&rig);
}

/* ---- faults ----------------------------------------------------------------
 */

void fault(const int *nowhere);
extern const char after_fault[];
__asm__(".text\n.globl fault, after_fault\n"
	"fault: mov (%rdi), %eax\n"
	"after_fault: ret\n");

static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	(void)signal;
	if (*rip != (greg_t)(uintptr_t)fault || info->si_addr != (void *)8)
		atomic_fetch_add(&page->errors, 1);
	*rip = (greg_t)(uintptr_t)after_fault;
}

static void *fault_again_and_again(void *counter)
{
	for (;;) {
		fault((const int *)8);
		atomic_fetch_add((atomic_ulong *)counter, 1);
	}
	return NULL;
}

static void faulting_threads(struct shared *shared)
{
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO};
	pthread_t thread;

	page = shared;
	sigaction(SIGSEGV, &action, NULL);
	for (int i = 1; i < 4; i++)
		pthread_create(&thread, NULL, fault_again_and_again,
			       &shared->counters[i]);
	fault_again_and_again(&shared->counters[0]);
}

/* None is stopped between a fault and its handler: a call of ours, or a
 * calibration, would be where the handler is told that it happened. */
static void test_no_stopped_thread_has_a_queued_fault(void **state)
{
	const struct script_call call = {.number = SYS_getpid};
	struct process *process;
	struct thread *thread;
	struct rig rig;
	int64_t result;

	(void)state;
	process = rig_attach(&rig, faulting_threads, rig_counts);
	for (int round = 0; round < 200; round++) {
		for (size_t i = 0; i < process->threads.count; i++)
			assert_false(
				has_queued_fault(process->threads.data[i]));
		assert_ok(target_calling_thread(process, &thread));
		assert_ok(target_remote_calls(thread, &call, 1, NULL, 0,
					      &result));
		assert_int_equal(result, rig.pid);
		assert_ok(target_resume_all(rig.target));
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
	}
	target_detach(process);
	assert_true(rig_counts(&rig));
	assert_int_equal(atomic_load(&rig.shared->errors), 0);
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wait_for_a_thread_leaves_stops_of_others),
		cmocka_unit_test(test_deadline_ends_a_wait),
		cmocka_unit_test(test_thread_that_does_not_stop_is_reported),
		cmocka_unit_test(test_no_stopped_thread_has_a_queued_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
