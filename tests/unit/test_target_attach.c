/*
 * test_target_attach.c - attaching to running processes and letting them go:
 * they notice nothing
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "target_rig.h"

/* Go on until all have stopped again; whatever else comes goes its way. */
static void settle(struct rig *rig)
{
	struct event event;

	for (;;) {
		assert_ok(target_wait(rig->target, &event));
		if (event.kind == EVENT_ALL_STOPPED)
			return;
		assert_int_not_equal(event.kind, EVENT_EMPTY);
		if (event.kind == EVENT_SIGNAL || event.kind == EVENT_TRAP)
			assert_ok(target_deliver(event.thread, event.signal,
						 NULL));
		if (event.kind == EVENT_THREAD_NEW ||
		    event.kind == EVENT_FORK) {
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
		}
	}
}

static char state_of(pid_t pid)
{
	char path[64], line[256], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) == 1)
			break;
	if (file)
		fclose(file);
	return state;
}

static unsigned long count_untraced(pid_t pid)
{
	char command[128];
	unsigned long count = 0;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "cat /proc/%d/task/*/status | grep -c '^TracerPid:.0$'", pid);
	pipe = popen(command, "re");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%lu", &count), 1);
	pclose(pipe);
	return count;
}

/* ---- threads -------------------------------------------------------------
 */

static void *count(void *argument)
{
	atomic_ulong *counter = argument;

	for (;;)
		atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
	return NULL;
}

/* All are ready when each has counted: before that, a thread being born has all
 * signals blocked. */
static void many_threads(struct shared *shared)
{
	pthread_t thread;

	for (int i = 1; i < 16; i++)
		pthread_create(&thread, NULL, count, &shared->counters[i]);
	for (int i = 1; i < 16; i++)
		while (!atomic_load(&shared->counters[i]))
			sched_yield();
	atomic_store(&shared->ready, 1);
	count(&shared->counters[0]);
}

static void test_all_threads(void **state)
{
	struct process *process;
	unsigned long before;
	struct rig rig;

	(void)state;
	rig_start(&rig, many_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	for (int i = 0; i < 20; i++) {
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
			settle(&rig);
		}
		target_detach(process);
		assert_null(target_process_at(rig.target, 0));
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

static void test_storm(void **state)
{
	struct process *process;
	struct event event;
	struct rig rig;

	(void)state;
	rig_start(&rig, storm);
	assert_true(rig_until(rig_is_ready, &rig));
	for (int i = 0; i < 50; i++) {
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
		settle(&rig);
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
		pthread_create(&thread, NULL, count, &shared->counters[i]);
	atomic_store(&shared->ready, 1);
	pthread_exit(NULL);
}

static bool is_leaderless(struct rig *rig)
{
	return state_of(rig->pid) == 'Z';
}

static void test_leader_ended(void **state)
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
		settle(&rig);
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

static void test_system_calls_go_on(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	rig_start(&rig, all_waits);
	assert_true(rig_until(all_wait, &rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	for (int i = 0; i < 200; i++) {
		assert_ok(target_resume_all(rig.target));
		sched_yield();
		assert_ok(target_stop_all(rig.target));
		settle(&rig);
	}
	target_detach(process);
	for (int i = 0; i < 50; i++) {
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
	return state_of(rig->pid) == 'T';
}

static void test_stopped_stays_stopped(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	rig_start(&rig, many_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	kill(rig.pid, SIGSTOP);
	assert_true(rig_until(is_stopped, &rig));
	for (int i = 0; i < 10; i++) {
		assert_ok(target_attach(rig.target, rig.pid, &process));
		for (size_t j = 0; j < process->threads.count; j++)
			assert_true(process->threads.data[j]->group_stopped);
		if (i & 1) {
			assert_ok(target_resume_all(rig.target));
			assert_ok(target_stop_all(rig.target));
			settle(&rig);
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
static void test_job_control(void **state)
{
	struct process *process;
	struct event event;
	struct rig rig;
	unsigned long before;

	(void)state;
	rig_start(&rig, many_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	for (int i = 0; i < 20; i++) {
		assert_ok(target_resume_all(rig.target));
		kill(rig.pid, i & 1 ? SIGSTOP : SIGTSTP);
		do {
			assert_ok(target_wait(rig.target, &event));
		} while (event.kind != EVENT_SIGNAL);
		assert_int_equal(event.signal, i & 1 ? SIGSTOP : SIGTSTP);
		assert_ok(target_deliver(event.thread, event.signal, NULL));
		assert_ok(target_stop_all(rig.target));
		settle(&rig);
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
		settle(&rig);
	}
	target_detach(process);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* ---- the end --------------------------------------------------------------
 */

/* Killed at any moment, its end is reported and nothing hangs. */
static void test_killed_any_time(void **state)
{
	struct process *process;
	struct event event;
	struct error *error;
	struct rig rig;

	(void)state;
	for (int i = 0; i < 60; i++) {
		struct timespec moment = {.tv_nsec = i * 20000};
		pid_t killer;

		rig_start(&rig, i % 2 ? storm : many_threads);
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

/* A process that was attached to goes on when the tool is done with it. */
static void test_destroy_lets_go(void **state)
{
	struct process *process;
	struct rig rig;

	(void)state;
	for (int i = 0; i < 10; i++) {
		rig_start(&rig, i & 1 ? storm : many_threads);
		assert_true(rig_until(rig_is_ready, &rig));
		assert_ok(target_attach(rig.target, rig.pid, &process));
		if (i & 2)
			assert_ok(target_resume_all(rig.target));
		target_destroy(rig.target);
		rig.target = NULL;
		assert_true(rig_counts(&rig));
		assert_true(rig_counts(&rig));
		rig_end(&rig);
	}
}

/* A sanitizer makes a system call before a call that does not return. */
#define MAKES_NO_CALL __attribute__((no_sanitize_address))

/* Any call but read, write and exit would kill it. */
MAKES_NO_CALL static void strict(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	count(&shared->counters[0]);
}

MAKES_NO_CALL static void filtered(struct shared *shared)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
	struct sock_fprog program = {1, filter};

	atomic_store(&shared->ready, 1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	count(&shared->counters[0]);
}

/* It makes a call of ours only where the filter can be suspended. */
static void test_seccomp(void **state)
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
	count(&shared->counters[0]);
}

static void test_steps_itself(void **state)
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
static void test_calling_thread(void **state)
{
	struct process *process;
	struct thread *thread;
	enum disposition disposition;
	struct rig rig;
	uint64_t call;

	(void)state;
	rig_start(&rig, many_threads);
	assert_true(rig_until(rig_is_ready, &rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	assert_ok(target_calling_thread(process, &thread));
	assert_ok(target_get_reg(
		thread, offsetof(struct user_regs_struct, orig_rax), &call));
	assert_true((int64_t)call < 0);
	assert_null(target_find_blocking(process, SIGUSR1));
	assert_ok(target_set_signal_mask(process->threads.data[3],
					 UINT64_C(1) << (SIGUSR1 - 1)));
	assert_ptr_equal(target_find_blocking(process, SIGUSR1),
			 process->threads.data[3]);
	assert_ok(target_set_signal_mask(process->threads.data[3], 0));
	assert_ok(target_get_disposition(process, SIGUSR1, &disposition));
	assert_int_equal(disposition, DISPOSITION_DEFAULT);
	target_detach(process);
	rig_end(&rig);
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

static void test_dispositions(void **state)
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

/* ---- others in the same memory ---------------------------------------------
 */

/* Counters of: the program; a child; one whose parent is gone; a vfork child;
 * and of the thread that waited for that one. */
enum { PROGRAM, CHILD, ORPHAN, VFORKED, SHARERS, GONE_ON = SHARERS };

static char stacks[3][16384];
static pid_t program;

/* They share no parent with the test, and see themselves when it has ended. */
static void count_on(struct shared *shared, int which)
{
	for (unsigned n = 0; n % 4096 || kill(program, 0) == 0; n++)
		atomic_fetch_add(&shared->counters[which], 1);
}

static int be_child(void *shared)
{
	count_on(shared, CHILD);
	return 0;
}

static int be_orphan(void *shared)
{
	count_on(shared, ORPHAN);
	return 0;
}

static int leave_orphan(void *shared)
{
	_exit(clone(be_orphan, stacks[1] + sizeof(stacks[1]), CLONE_VM,
		    shared) < 0);
}

static void *be_vfork_parent(void *shared)
{
	if (vfork() == 0) {
		count_on(shared, VFORKED);
		_exit(0);
	}
	count_on(shared, GONE_ON);
	return NULL;
}

static void sharers(struct shared *shared)
{
	pthread_t thread;

	program = getpid();
	pthread_create(&thread, NULL, be_vfork_parent, shared);
	clone(be_child, stacks[0] + sizeof(stacks[0]), CLONE_VM | SIGCHLD,
	      shared);
	waitpid(clone(leave_orphan, stacks[2] + sizeof(stacks[2]),
		      CLONE_VM | SIGCHLD, shared),
		NULL, 0);
	for (int i = CHILD; i < SHARERS; i++)
		while (!atomic_load(&shared->counters[i]))
			sched_yield();
	atomic_store(&shared->ready, 1);
	count_on(shared, PROGRAM);
}

static bool all_count(struct rig *rig)
{
	for (int i = 0; i < SHARERS; i++)
		if (atomic_load(&rig->shared->counters[i]) <= rig->marks[i])
			return false;
	return true;
}

static void read_marks(struct rig *rig)
{
	for (int i = 0; i < SHARERS; i++)
		rig->marks[i] = atomic_load(&rig->shared->counters[i]);
}

/* The vfork child, and all of them counted. */
static struct process *find_sharers(struct rig *rig, size_t *count)
{
	struct process *process, *child = NULL;

	*count = 0;
	for (size_t i = 0; (process = target_process_at(rig->target, i)); i++) {
		struct process *parent =
			target_find_process(rig->target, rig->pid);

		*count += process->shares_memory;
		for (size_t j = 0; j < parent->threads.count; j++)
			if (parent->threads.data[j]->vfork_child ==
			    process->pid)
				child = process;
	}
	return child;
}

static void pass_event(struct rig *rig)
{
	struct event event;

	assert_ok(target_wait(rig->target, &event));
	if (event.kind == EVENT_SIGNAL)
		assert_ok(target_deliver(event.thread, event.signal, NULL));
}

static bool has_let_parent_go(struct rig *rig)
{
	return atomic_load(&rig->shared->counters[GONE_ON]) != 0;
}

static void test_sharers(void **state)
{
	struct process *process, *child, *other;
	struct rig rig;
	size_t count;

	(void)state;
	rig_start(&rig, sharers);
	assert_true(rig_until(rig_is_ready, &rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	child = find_sharers(&rig, &count);
	assert_int_equal(count, 3);
	assert_non_null(child);
	assert_int_equal(process->threads.count, 2);
	for (int i = 0; i < 20; i++) {
		read_marks(&rig);
		for (int j = 0; j < 10; j++)
			sched_yield();
		for (int j = 0; j < SHARERS; j++)
			assert_int_equal(atomic_load(&rig.shared->counters[j]),
					 rig.marks[j]);
		assert_ok(target_resume_all(rig.target));
		assert_true(rig_until(all_count, &rig));
		assert_ok(target_stop_all(rig.target));
		settle(&rig);
	}
	/* its parent goes on, but not now */
	target_kill(child);
	assert_ok(target_resume_all(rig.target));
	assert_ok(target_stop_all(rig.target));
	while (find_sharers(&rig, &count))
		settle(&rig);
	assert_int_equal(process->threads.data[0]->state, THREAD_STOPPED);
	assert_int_equal(process->threads.data[1]->state, THREAD_STOPPED);
	assert_ok(target_resume_all(rig.target));
	/* it was asked to stop again and again while it waited */
	target_set_tick(rig.target, 1000000);
	while (!has_let_parent_go(&rig))
		pass_event(&rig);
	assert_ok(target_stop_all(rig.target));
	settle(&rig);
	for (size_t i = 0; (other = target_process_at(rig.target, i));)
		if (other->shares_memory) {
			target_let_go(other);
			i = 0;
		} else {
			i++;
		}
	target_detach(process);
	assert_int_equal(count_untraced(rig.pid), 2);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_threads),
		cmocka_unit_test(test_storm),
		cmocka_unit_test(test_leader_ended),
		cmocka_unit_test(test_system_calls_go_on),
		cmocka_unit_test(test_stopped_stays_stopped),
		cmocka_unit_test(test_job_control),
		cmocka_unit_test(test_killed_any_time),
		cmocka_unit_test(test_destroy_lets_go),
		cmocka_unit_test(test_seccomp),
		cmocka_unit_test(test_calling_thread),
		cmocka_unit_test(test_dispositions),
		cmocka_unit_test(test_steps_itself),
		cmocka_unit_test(test_sharers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
