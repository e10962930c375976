/*
 * test_target_waits.c - what is left of others while one thread is waited for
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "target/internal.h"
#include "target_rig.h"

static struct shared *page;

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
static void test_stops_of_others(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
