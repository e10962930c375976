/*
 * signals.c - features that live on signals
 *
 * A signal that does not queue is sent to a thread only when the one before
 * was received, so that none may be lost by right; a real-time signal carries
 * its number, so that order counts too. Handlers make counted calls, if the
 * gate is open.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

#define FILE_NUMBER 3

enum { MANY = 64 };

static void call_in_handler(uint64_t x)
{
	if (!begin_round())
		return;
	call_handler(x);
	end_round();
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *),
		   int flags)
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = flags | SA_SIGINFO};

	sigaction(signal, &action, NULL);
}

/* ---- timer: 1 kHz, whoever is there -----------------------------------------
 */

static void on_alarm(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)info;
	(void)context;
	call_in_handler((uint64_t)signal);
	errno = saved;
}

static void begin_timer(void)
{
	struct itimerval period = {{0, 1000}, {0, 1000}};

	handle(SIGALRM, on_alarm, SA_ONSTACK | SA_RESTART);
	setitimer(ITIMER_REAL, &period, NULL);
}

/* ---- tgkill: one at a time
 * ----------------------------------------------------- */

static void on_user(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	CHECK_EQUAL(info->si_code, SI_TKILL);
	CHECK_EQUAL(info->si_pid, getpid());
	call_in_handler((uint64_t)signal);
	atomic_fetch_add(&self->slot->received, 1);
	errno = saved;
}

static void begin_tgkill(void)
{
	handle(SIGUSR1, on_user, SA_ONSTACK | SA_RESTART);
}

static struct slot *pick_worker(struct thread *thread)
{
	struct thread *workers[MANY];
	unsigned count = find_threads("worker", workers, MANY);

	if (!count)
		return NULL;
	return workers[next_random(&thread->random) % count]->slot;
}

static void send_user(struct thread *thread)
{
	struct slot *slot = pick_worker(thread);
	unsigned long sent;

	sleep_for(300);
	if (!slot)
		return;
	sent = atomic_load(&slot->sent);
	/* only the first thread of this feature sends to an even worker */
	if (thread->number != 0 || sent != atomic_load(&slot->received))
		return;
	atomic_store(&slot->sent, sent + 1);
	syscall(SYS_tgkill, getpid(), slot->tid, SIGUSR1);
}

/* ---- queue: real-time signals, all of them, in order
 * ------------------------------ */

static void on_queued(int signal, siginfo_t *info, void *context)
{
	int saved = errno;
	struct slot *slot = self->slot;

	(void)signal;
	(void)context;
	CHECK_EQUAL(info->si_code, SI_QUEUE);
	CHECK_EQUAL(info->si_value.sival_int, (int)slot->dequeued + 1);
	call_in_handler((uint64_t)info->si_value.sival_int);
	atomic_fetch_add(&slot->dequeued, 1);
	errno = saved;
}

static void begin_queue(void)
{
	handle(SIGRTMIN + 1, on_queued, SA_ONSTACK | SA_RESTART);
}

static bool queue_signal(struct slot *slot, int signal, unsigned long value)
{
	siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};

	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value.sival_int = (int)value;
	return syscall(SYS_rt_tgsigqueueinfo, getpid(), slot->tid, signal,
		       &info) == 0;
}

static void send_queued(struct thread *thread)
{
	struct slot *slot = pick_worker(thread);
	unsigned long queued;

	sleep_for(300);
	if (!slot || thread->number != 0)
		return;
	queued = atomic_load(&slot->queued);
	for (unsigned i = 0; i < 4; i++)
		if (queued < atomic_load(&slot->dequeued) + 8 &&
		    queue_signal(slot, SIGRTMIN + 1, queued + 1))
			atomic_store(&slot->queued, ++queued);
}

/* ---- suspend: waiting for a signal, and for nothing else
 * --------------------------- */

static void on_awaited(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	atomic_fetch_add(&self->slot->waited_received, 1);
}

static void begin_suspend(void)
{
	/* no SA_RESTART: sigsuspend() returns anyway */
	handle(SIGRTMIN + 2, on_awaited, 0);
}

struct suspender {
	pthread_t aide; /* sends when it is wanted */
	struct slot *slot;
	atomic_ulong wanted, over;
};

static void *help(void *context)
{
	struct suspender *own = context;

	while (!atomic_load(&own->over)) {
		sleep_for(500);
		if (!atomic_exchange(&own->wanted, 0))
			continue;
		sleep_for(500);
		atomic_fetch_add(&own->slot->waited_sent, 1);
		queue_signal(own->slot, SIGRTMIN + 2, 0);
	}
	return NULL;
}

static void set_up_suspend(struct thread *thread)
{
	struct suspender *own = calloc(1, sizeof(*own));

	own->slot = thread->slot;
	thread->own = own;
	pthread_create(&own->aide, NULL, help, own);
}

static void tear_down_suspend(struct thread *thread)
{
	struct suspender *own = thread->own;

	atomic_store(&own->over, 1);
	pthread_join(own->aide, NULL);
	free(own);
}

/* EINTR is counted apart, as in waits.c. */
static int wait_for_one(const sigset_t *set, const struct timespec *limit)
{
	int signal;

	for (;;) {
		signal = sigtimedwait(set, NULL, limit);
		if (signal >= 0 || errno != EINTR)
			return signal;
		atomic_fetch_add(&truth->interrupted, 1);
	}
}

static void suspend(struct thread *thread)
{
	struct suspender *own = thread->own;
	unsigned long before = thread->slot->waited_received;
	struct timespec limit = {10, 0};
	sigset_t set;

	atomic_store(&own->wanted, 1);
	if (next_random(&thread->random) % 2) {
		sigemptyset(&set);
		sigaddset(&set, SIGRTMIN + 2);
		CHECK_EQUAL(wait_for_one(&set, &limit), SIGRTMIN + 2);
		atomic_fetch_add(&thread->slot->waited_received, 1);
	} else {
		sigfillset(&set);
		sigdelset(&set, SIGRTMIN + 2);
		sigdelset(&set, SIGTRAP);
		sigdelset(&set, SIGSEGV);
		sigsuspend(&set);
	}
	CHECK_EQUAL(thread->slot->waited_received, before + 1);
}

/* ---- trap: a program with SIGTRAPs of its own
 * ----------------------------------------- */

static atomic_ulong traps;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	atomic_fetch_add(&traps, 1);
}

static void begin_trap(void)
{
	handle(SIGTRAP, on_trap, SA_RESTART);
}

static void step_itself(void)
{
	/* the trap flag is set for six instructions; the red zone is kept */
	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "pushf\n"
			 "orq $0x100, (%%rsp)\n"
			 "popf\n"
			 "nop\n"
			 "nop\n"
			 "nop\n"
			 "pushf\n"
			 "andq $~0x100, (%%rsp)\n"
			 "popf\n"
			 "lea 128(%%rsp), %%rsp\n" ::
				 : "memory", "cc");
}

static void trap_itself(struct thread *thread)
{
	unsigned long before = atomic_load(&traps);

	raise(SIGTRAP);
	CHECK_EQUAL(traps, before + 1);
	__asm__ volatile("int3" ::: "memory");
	CHECK_EQUAL(traps, before + 2);
	step_itself();
	CHECK_EQUAL(traps, before + 8);
	call_any(&thread->random);
}

const struct feature signal_features[] = {
	{"timer", 0, 1, NULL, NULL, NULL, begin_timer},
	{"tgkill", 1, 1, NULL, send_user, NULL, begin_tgkill},
	{"queue", 1, 1, NULL, send_queued, NULL, begin_queue},
	{"suspend", 1, 4, set_up_suspend, suspend, tear_down_suspend,
	 begin_suspend},
	{"trap", 1, 1, NULL, trap_itself, NULL, begin_trap},
	{0},
};
