/*
 * trapped.c - a program that gets signals SIGTRAP of its own while it calls
 * functions
 *
 * usage: trapped perf | kill N | tgkill N
 *
 * perf: a perf event of the program sends SIGTRAP at each page fault, and each
 * of 100 calls of touch() makes one. kill: one thread calls work() all the
 * time, another one sends N signals to the process, each when the last one has
 * come. tgkill: the same, but the signals are for the thread; the sender does
 * not wait for one for more than 1,000 calls of work(). (The kernel drops a
 * signal if that of an int3 is pending in the thread.)
 *
 * Flags: -O0
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TOUCHES 100
#define PATIENCE 1000 /* calls of work() */

static volatile long calls, traps, wrong;
static volatile pid_t worker;
static volatile int is_over, code, other_code;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (info->si_code != code && info->si_code != other_code)
		wrong++;
	traps++;
}

/* Begins with an instruction of one byte, and so does its end. */
void work(volatile char *page)
{
	*page = 1;
	calls++;
}

/* The page fault is that of the first instruction. */
__attribute__((noipa, optimize("O1"))) void touch(volatile char *page)
{
	*page = 1;
}

static int with_event(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_PAGE_FAULTS,
				       .sample_period = 1,
				       .disabled = 1,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .remove_on_exec = 1,
				       .sigtrap = 1};
	int file = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
				PERF_FLAG_FD_CLOEXEC);
	char *pages = mmap(NULL, TOUCHES * 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (file < 0) {
		puts("no event");
		return 3;
	}
	code = other_code = 6; /* TRAP_PERF */
	for (int i = 0; i < TOUCHES; i++) {
		ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
		touch(pages + 4096 * i);
		ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
	}
	/* (The tool's code takes page faults, too.) */
	printf("traps %s wrong %ld\n", traps >= TOUCHES ? "enough" : "missing",
	       wrong);
	return 0;
}

static void *works(void *unused)
{
	char byte;

	worker = gettid();
	while (!is_over)
		work(&byte);
	return unused;
}

static int send(int is_for_thread, long count)
{
	const union sigval value = {0};
	pthread_t thread;
	sigset_t set;

	code = is_for_thread ? SI_TKILL : SI_USER;
	other_code = SI_QUEUE;
	pthread_create(&thread, NULL, works, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (!worker)
		;
	for (long i = 0; i < count; i++) {
		long before = traps, since = calls;

		if (is_for_thread && i % 2)
			pthread_sigqueue(thread, SIGTRAP, value);
		else if (is_for_thread)
			syscall(SYS_tgkill, getpid(), worker, SIGTRAP);
		else if (i % 2)
			sigqueue(getpid(), SIGTRAP, value);
		else
			kill(getpid(), SIGTRAP);
		while (traps == before &&
		       !(is_for_thread && calls > since + PATIENCE))
			;
	}
	is_over = 1;
	pthread_join(thread, NULL);
	printf("work %ld traps %ld wrong %ld\n", calls, traps, wrong);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_trap,
				   .sa_flags = SA_SIGINFO};
	const char *how = argc > 1 ? argv[1] : "";

	sigaction(SIGTRAP, &action, NULL);
	if (strcmp(how, "perf") == 0)
		return with_event();
	return send(strcmp(how, "tgkill") == 0, argc > 2 ? atol(argv[2]) : 0);
}
