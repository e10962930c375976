/*
 * barred.c - a program in which, or in whose children, the tool cannot do what
 * it has to do
 *
 * usage: barred [self] filter LIBRARY | memory | regs LIBRARY | traps N
 *
 * filter: a child installs a seccomp filter (which allows everything), starts a
 * thread, loads the library and calls plugin_work() there. memory: a child may
 * have no more memory, calls functions for the first time that end in a tail
 * jump, and starts a thread. regs: a child writes its number into the file
 * `refused` and waits; the parent, which has two threads, loads the library.
 * traps: N children do so, and then all call work(). The test refuses the tool
 * a part of ptrace(2) for the processes in that file. self: the process does by
 * itself what otherwise a child does, and starts no child.
 *
 * Each process prints how often it called work(), and a child its calls of
 * the other functions.
 *
 * Flags: -O1 -foptimize-sibling-calls
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS 50

static unsigned long calls;
static volatile unsigned result;

__attribute__((noipa)) void work(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}

__attribute__((noipa)) unsigned last(unsigned n)
{
	return n + 1;
}

__attribute__((noipa)) unsigned hop(unsigned n)
{
	return last(n * 3);
}

static void repeat(void)
{
	for (int i = 0; i < CALLS; i++)
		work();
}

static void *works(void *unused)
{
	repeat();
	return unused;
}

static void run_thread(const pthread_attr_t *how)
{
	pthread_t thread;

	if (pthread_create(&thread, how, works, NULL) ||
	    pthread_join(thread, NULL))
		exit(2);
}

/* Several threads at a time have memory for records, which later threads get
 * without that the tool has to map more. */
static void run_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, works, NULL))
			exit(2);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void call_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	unsigned (*function)(unsigned) =
		library ? (unsigned (*)(unsigned))dlsym(library, "plugin_work")
			: NULL;

	if (!function)
		exit(3);
	for (unsigned i = 0; i < CALLS; i++)
		result += function(i);
}

static void be_filtered(const char *library)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog program = {1, filter};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		exit(4);
	run_thread(NULL);
	call_library(library);
	printf("child work %lu plugin %d\n", calls, CALLS);
}

static void *waits_long(void *unused)
{
	pause();
	return unused;
}

/* The size of the process's memory in bytes. */
static unsigned long size(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu", &pages) != 1)
		exit(5);
	fclose(file);
	return pages * 4096;
}

static void be_full(void)
{
	static char stack[256 * 1024] __attribute__((aligned(4096)));
	struct rlimit limit = {size(), RLIM_INFINITY};
	pthread_attr_t how;

	pthread_attr_init(&how);
	pthread_attr_setstack(&how, stack, sizeof(stack));
	if (setrlimit(RLIMIT_AS, &limit))
		exit(6);
	for (unsigned i = 0; i < CALLS; i++)
		result += hop(i);
	run_thread(&how);
	printf("child work %lu hop %d\n", calls, CALLS);
}

static void bar(void)
{
	char text[16];
	int file = open("refused", O_WRONLY | O_CREAT | O_APPEND, 0600);
	int length = snprintf(text, sizeof(text), "%d\n", getpid());

	if (file < 0 || write(file, text, (size_t)length) != length)
		exit(7);
	close(file);
}

static int be_alone(const char *how, const char *library)
{
	pthread_t waits;

	run_threads();
	repeat();
	if (strcmp(how, "filter") == 0) {
		be_filtered(library);
	} else if (strcmp(how, "memory") == 0) {
		be_full();
	} else {
		bar();
		/* With another thread, the tool has to stop all. */
		if (pthread_create(&waits, NULL, waits_long, NULL))
			return 12;
		call_library(library);
		repeat();
		printf("self work %lu\n", calls);
	}
	return 7;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *library = argc > 2 ? argv[2] : "";
	int count = strcmp(how, "traps") == 0 ? atoi(library) : 1;
	int ready[2], go[2], status;
	char byte;

	if (argc > 3 && strcmp(how, "self") == 0)
		return be_alone(argv[2], argv[3]);
	run_threads();
	if (pipe(ready) || pipe(go))
		return 8;
	for (int i = 0; i < count; i++) {
		fflush(stdout);
		if (fork())
			continue;
		close(go[1]);
		calls = 0;
		repeat();
		if (strcmp(how, "filter") == 0) {
			be_filtered(library);
		} else if (strcmp(how, "memory") == 0) {
			be_full();
		} else {
			bar();
			if (write(ready[1], "", 1) != 1 ||
			    read(go[0], &byte, 1) != 0)
				return 9;
			repeat();
			printf("child work %lu\n", calls);
		}
		fflush(stdout);
		return 5;
	}
	if (strcmp(how, "regs") == 0 || strcmp(how, "traps") == 0)
		for (int i = 0; i < count; i++)
			if (read(ready[0], &byte, 1) != 1)
				return 10;
	if (strcmp(how, "regs") == 0) {
		pthread_t waits;

		/* With another thread, the tool has to stop all. */
		if (pthread_create(&waits, NULL, waits_long, NULL))
			return 12;
		call_library(library);
	}
	close(go[1]);
	repeat();
	for (int i = 0; i < count; i++)
		if (wait(&status) < 0 || status != 5 << 8)
			return 11;
	printf("parent work %lu\n", calls);
	return 7;
}
