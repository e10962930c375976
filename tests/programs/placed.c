/*
 * placed.c - a program that looks at, or sets, the CPUs on which it may run
 *
 * usage: placed HOW
 *
 * The program calls work() 100 times, does what HOW says, and calls work() 100
 * times again. It prints what it has found: `affinity`, `processors`,
 * `sysconf`, `thread`, `call` and `child` print the number of its CPUs, which
 * they ask for in different ways; `pin` chooses its last CPU and prints the one
 * on which a thread of it may run in the end; `deadline` asks for
 * SCHED_DEADLINE, which the kernel gives only to a thread that may run on all
 * CPUs.
 *
 * Flags: -pthread
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static long work_often(long n)
{
	for (int i = 0; i < 100; i++)
		n = work(n);
	return n;
}

static int count_own(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	return CPU_COUNT(&set);
}

static void *print_own(void *unused)
{
	cpu_set_t set;

	work_often(0);
	sched_getaffinity(0, sizeof(set), &set);
	for (size_t i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &set))
			printf("may run on CPU %zu\n", i);
	return unused;
}

static void pin(void)
{
	cpu_set_t set, last;
	pthread_t thread;

	sched_getaffinity(0, sizeof(set), &set);
	CPU_ZERO(&last);
	for (size_t i = CPU_SETSIZE; i > 0 && !CPU_COUNT(&last); i--)
		if (CPU_ISSET(i - 1, &set))
			CPU_SET(i - 1, &last);
	sched_setaffinity(0, sizeof(last), &last);
	work_often(0);
	print_own(NULL);
	pthread_create(&thread, NULL, print_own, NULL);
	pthread_join(thread, NULL);
}

static int count_of_child(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(count_own());
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int ask_for_deadline(void)
{
	const struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} wanted = {.size = sizeof(wanted),
		    .policy = 6,
		    .runtime = 5000000,
		    .deadline = 10000000,
		    .period = 10000000};
	long result = syscall(SYS_sched_setattr, 0, &wanted, 0);

	return result ? -1 : sched_getscheduler(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	cpu_set_t set;
	long n = work_often(0), found = -1;

	if (strcmp(how, "affinity") == 0)
		found = count_own();
	else if (strcmp(how, "processors") == 0)
		found = get_nprocs();
	else if (strcmp(how, "sysconf") == 0)
		found = sysconf(_SC_NPROCESSORS_ONLN);
	else if (strcmp(how, "call") == 0)
		found = syscall(SYS_sched_getaffinity, 0, sizeof(set), &set) > 0
				? CPU_COUNT(&set)
				: -1;
	else if (strcmp(how, "child") == 0)
		found = count_of_child();
	else if (strcmp(how, "thread") == 0)
		found = pthread_getaffinity_np(pthread_self(), sizeof(set),
					       &set) == 0
				? CPU_COUNT(&set)
				: -1;
	else if (strcmp(how, "deadline") == 0)
		found = ask_for_deadline();
	else if (strcmp(how, "pin") == 0)
		pin();
	n = work_often(n);
	printf("%s %ld, calls %ld\n", how, found, n);
	return 0;
}
