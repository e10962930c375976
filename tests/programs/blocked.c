/*
 * blocked.c - threads that wait in system calls which they make themselves
 *
 * usage: blocked restart | break | ignored
 *
 * Each thread waits in another system call. It makes the call through wait_at()
 * or wait_at_32(), whose first instruction is the system call itself. If the
 * call is interrupted, the thread makes it again. So a tool that puts a
 * breakpoint there finds the threads inside of the call. The program counts how
 * often its threads have come there.
 *
 * On the standard input, `signal` sends each thread a signal, `look` does
 * nothing, and `end` ends the waits. The program answers each of them with the
 * arrivals so far, as soon as all threads wait again or have ended. With
 * `restart` the signal's handler has SA_RESTART; with `break` it has not; with
 * `ignored` the signal is ignored. `wrong` counts results of calls that must
 * never happen.
 *
 * Some kernels end a program that makes a 32-bit call. There, all threads wait
 * at wait_at().
 *
 * Flags: -no-pie
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum wait { IN_READ, IN_FUTEX, IN_SLEEP, IN_POLL, IN_EPOLL, IN_READ_32, WAITS };

/* the numbers in the 32-bit table */
#define READ_32 3
#define GETPID_32 20
#define LONG_TIME 3600

static struct waiter {
	pthread_t thread;
	atomic_int tid;
	atomic_ulong arrivals, handled;
	atomic_bool has_ended;
} waiters[WAITS];

static _Thread_local struct waiter *self;
static atomic_bool over;
static atomic_ulong wrong;
static int ends[2], set;
static atomic_int futex;
static bool makes_32; /* this kernel takes 32-bit calls */
static char byte_32;  /* a 32-bit call can address this, because the program is
			 no PIE */

long wait_here(long number, long a, long b, long c, long d);
long wait_here_32(long number, long a, long b, long c);
__asm__(".text\n"
	".globl wait_at, wait_here, wait_at_32, wait_here_32\n"
	".type wait_here, @function\n"
	"wait_here:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	call wait_at\n"
	"	ret\n"
	".size wait_here, . - wait_here\n"
	".type wait_at, @function\n"
	"wait_at:\n"
	"	syscall\n"
	"	ret\n"
	".size wait_at, . - wait_at\n"
	".type wait_here_32, @function\n"
	"wait_here_32:\n"
	"	push %rbx\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rbx\n"
	"	xchg %rdx, %rcx\n"
	"	call wait_at_32\n"
	"	pop %rbx\n"
	"	movslq %eax, %rax\n"
	"	ret\n"
	".size wait_here_32, . - wait_here_32\n"
	".type wait_at_32, @function\n"
	"wait_at_32:\n"
	"	int $0x80\n"
	"	ret\n"
	".size wait_at_32, . - wait_at_32\n");

static void on_signal(int signal)
{
	(void)signal;
	self->handled++;
}

/* Wait once, in the call of this thread. SIGUSR1 ends the sleep; the other
 * waits end when they have what they wait for. */
static long wait_in(enum wait wait)
{
	struct timespec nap = {LONG_TIME, 0}, rest = nap;
	struct pollfd poll = {ends[0], POLLIN, 0};
	struct epoll_event event;
	char byte;
	long result;

	switch (wait) {
	case IN_READ:
		return wait_here(SYS_read, ends[0], (long)&byte, 1, 0);
	case IN_FUTEX:
		return wait_here(SYS_futex, (long)&futex, FUTEX_WAIT, 0, 0);
	case IN_SLEEP:
		result =
			wait_here(SYS_nanosleep, (long)&nap, (long)&rest, 0, 0);
		/* a restart goes on with the rest of the time; the 600 s are
		 * for slow machines */
		if (result != -EINTR || rest.tv_sec < LONG_TIME - 600)
			wrong++;
		return result;
	case IN_POLL:
		return wait_here(SYS_poll, (long)&poll, 1, -1, 0);
	case IN_EPOLL:
		return wait_here(SYS_epoll_wait, set, (long)&event, 1, -1);
	case IN_READ_32:
		if (!makes_32)
			return wait_here(SYS_read, ends[0], (long)&byte, 1, 0);
		return wait_here_32(READ_32, ends[0], (long)&byte_32, 1);
	default:
		return 0;
	}
}

/* Is this a right result of a wait that was not interrupted? A futex call that
 * is made again may find that the futex has changed. */
static bool is_good(enum wait wait, long result)
{
	return wait == IN_FUTEX ? result == 0 || result == -EAGAIN
				: result == 1;
}

static void *wait_it(void *argument)
{
	enum wait wait = (enum wait)(long)argument;
	long result;

	self = &waiters[wait];
	self->tid = (int)syscall(SYS_gettid);
	do {
		self->arrivals++;
		result = wait_in(wait);
	} while (result == -EINTR && !(over && wait == IN_SLEEP));
	if (wait != IN_SLEEP && !is_good(wait, result))
		wrong++;
	self->has_ended = true;
	return NULL;
}

/* Does the thread sleep in its call, with no signal pending? */
static int is_quiet(const struct waiter *waiter)
{
	char path[64], line[256], state = 0;
	unsigned long long pending = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", waiter->tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) != 1)
			sscanf(line, "SigPnd: %llx", &pending);
	if (file)
		fclose(file);
	return state == 'S' && !pending;
}

static void wait_until_quiet(const struct waiter *waiter)
{
	while (!waiter->tid || (!is_quiet(waiter) && !waiter->has_ended))
		usleep(200);
}

static void answer(const char *what)
{
	unsigned long arrivals = 0, arrivals_32 = 0;

	for (int i = 0; i < WAITS; i++) {
		wait_until_quiet(&waiters[i]);
		if (i == IN_READ_32 && makes_32)
			arrivals_32 = waiters[i].arrivals;
		else
			arrivals += waiters[i].arrivals;
	}
	printf("%s arrivals %lu %lu wrong %lu\n", what, arrivals, arrivals_32,
	       wrong);
	fflush(stdout);
}

static void signal_all(int signal)
{
	for (int i = 0; i < WAITS; i++) {
		struct waiter *waiter = &waiters[i];
		unsigned long handled = waiter->handled;

		pthread_kill(waiter->thread, signal);
		while (signal == SIGUSR1 && waiter->handled == handled)
			usleep(200);
	}
}

static void end_all(void)
{
	over = true;
	pthread_kill(waiters[IN_SLEEP].thread, SIGUSR1);
	futex = 1;
	syscall(SYS_futex, &futex, FUTEX_WAKE, 1, NULL, NULL, 0);
	/* write bytes until all have ended, because a read may take a byte away
	 * before poll and epoll_wait have seen it */
	while (!waiters[IN_POLL].has_ended || !waiters[IN_EPOLL].has_ended ||
	       !waiters[IN_READ].has_ended || !waiters[IN_READ_32].has_ended) {
		if (write(ends[1], "", 1) != 1)
			wrong++;
		usleep(1000);
	}
	for (int i = 0; i < WAITS; i++)
		pthread_join(waiters[i].thread, NULL);
}

/* Does the kernel take a 32-bit call? The call is made in a child. It does not
 * go through wait_at_32(), where tools may have a node. */
static bool takes_32(void)
{
	int status;
	long result;
	pid_t pid = fork();

	if (pid == 0) {
		__asm__ volatile("int $0x80"
				 : "=a"(result)
				 : "a"(GETPID_32)
				 : "memory");
		_exit(result != getpid());
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	const char *how = argc > 1 ? argv[1] : "restart";
	struct epoll_event event = {.events = EPOLLIN};
	int which = strcmp(how, "ignored") == 0 ? SIGWINCH : SIGUSR1;
	char line[64];

	if (strcmp(how, "break") != 0)
		action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	makes_32 = takes_32();
	if (pipe(ends))
		return 2;
	set = epoll_create1(0);
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	for (long i = 0; i < WAITS; i++)
		pthread_create(&waiters[i].thread, NULL, wait_it, (void *)i);
	answer("ready");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "signal") == 0)
			signal_all(which);
		if (strcmp(line, "end") == 0)
			end_all();
		answer(line);
	}
	return 0;
}
