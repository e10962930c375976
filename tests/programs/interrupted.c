/*
 * interrupted.c - system calls that signals interrupt while they wait
 *
 * usage: interrupted restart | break | ignored
 *
 * The program waits in read, epoll_wait, a futex and a sleep, in each once
 * through libc's function and once through call_at(), whose first instruction
 * is the system call itself. A probe there displaces the system call. With
 * `restart` the program waits only in read and the futex, because a handler
 * interrupts the other calls whatever its flags are. A child sends 5 signals
 * into each wait (one with `break`), and ends the wait when it has seen that
 * the signals were handled. With `restart` the handler has SA_RESTART; with
 * `break` it has not; with `ignored` the signal is ignored, as SIGWINCH is by
 * default, and the program does not notice it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIGNALS = 5 };

struct shared {
	volatile int turn;    /* number of the wait; -1: there is none */
	volatile int handled; /* signals handled in this wait */
	int futex;
};

static struct shared *shared;
static int ends[2], ignored;
static int handled_calls, direct_calls;

long call_here(long number, long a, long b, long c, long d);
__asm__(".text\n"
	".globl call_at, call_here\n"
	".type call_here, @function\n"
	"call_here:\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsi\n"
	"	mov %rcx, %rdx\n"
	"	mov %r8, %r10\n"
	"	call call_at\n"
	"	ret\n"
	".size call_here, . - call_here\n"
	".type call_at, @function\n"
	"call_at:\n"
	"	syscall\n"
	"	ret\n"
	".size call_at, . - call_at\n");

__attribute__((noinline)) void handled(void)
{
	handled_calls++;
	shared->handled++;
}

static void on_signal(int signal)
{
	(void)signal;
	handled();
}

static void wait_until_asleep(pid_t pid)
{
	char path[64], line[256], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (state != 'S') {
		usleep(200);
		file = fopen(path, "r");
		if (file && fgets(line, sizeof(line), file))
			state = strrchr(line, ')')[2];
		if (file)
			fclose(file);
	}
}

/* The child's work: interrupt each wait of its parent, and end it. */
static void interrupt_it(pid_t parent, int signals)
{
	for (int turn = 1;; turn++) {
		while (shared->turn != turn) {
			if (shared->turn < 0)
				_exit(0);
			usleep(200);
		}
		for (int i = 0; i < signals; i++) {
			wait_until_asleep(parent);
			kill(parent, ignored ? SIGWINCH : SIGUSR1);
			while (!ignored && shared->handled <= i)
				usleep(200);
		}
		wait_until_asleep(parent);
		shared->futex = 1;
		syscall(SYS_futex, &shared->futex, FUTEX_WAKE, 9, NULL, NULL,
			0);
		if (write(ends[1], "", 1) != 1)
			_exit(1);
		while (shared->turn == turn)
			usleep(200);
	}
}

/* Begin a wait. From now on the child sends its signals. */
static void begin(void)
{
	shared->handled = 0;
	shared->futex = 0;
	shared->turn++;
}

static void say(const char *call, long result)
{
	char byte;

	if (result == -1)
		result = -errno;
	printf("%s %ld\n", call, result);
	/* an interrupted read has left the byte in the pipe */
	if (strncmp(call, "read", 4) != 0 || result != 1)
		while (read(ends[0], &byte, 1) < 0)
			;
}

static long direct(long number, long a, long b, long c, long d)
{
	direct_calls++;
	return call_here(number, a, b, c, d);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal};
	const char *how = argc > 1 ? argv[1] : "restart";
	struct timespec nap = {0, 200000000};
	struct epoll_event event = {.events = EPOLLIN};
	int set, breaks = strcmp(how, "break") == 0;
	pid_t parent = getpid(), child;
	char byte;

	ignored = strcmp(how, "ignored") == 0;
	if (!breaks)
		action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pipe(ends))
		return 2;
	child = fork();
	if (child == 0)
		interrupt_it(parent, breaks ? 1 : SIGNALS);
	set = epoll_create1(0);
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);

	begin();
	say("read", read(ends[0], &byte, 1));
	begin();
	say("read_directly", direct(SYS_read, ends[0], (long)&byte, 1, 0));
	begin();
	say("futex",
	    syscall(SYS_futex, &shared->futex, FUTEX_WAIT, 0, NULL, NULL, 0));
	begin();
	say("futex_directly",
	    direct(SYS_futex, (long)&shared->futex, FUTEX_WAIT, 0, 0));
	if (breaks || ignored) {
		/* a handler interrupts these calls, whatever its flags are */
		begin();
		say("epoll", epoll_wait(set, &event, 1, -1));
		begin();
		say("epoll_directly",
		    direct(SYS_epoll_wait, set, (long)&event, 1, -1));
		begin();
		say("sleep", clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL));
		begin();
		say("sleep_directly",
		    direct(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&nap,
			   0));
	}
	shared->turn = -1;
	while (waitpid(child, NULL, 0) < 0)
		;
	printf("handled %d\ndirect %d\n", handled_calls, direct_calls);
	return 0;
}
