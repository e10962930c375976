/*
 * server.c - threads that work when they are told to
 *
 * usage: server THREADS
 *
 * For each number N on the standard input, every thread calls work() N times,
 * and the program says `done N total TOTAL`. At `look` it prints which process
 * traces it, how many bytes of its code differ from the file, which signals it
 * catches, and which are pending. Between two lines every thread waits, half of
 * them in a futex, the others in a read.
 *
 * Flags: -no-pie
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clean.h"

static atomic_ulong work_calls;
static unsigned long wanted;
static sem_t go, done;
static int ends[2];

__attribute__((noinline)) void work(void)
{
	atomic_fetch_add(&work_calls, 1);
}

static void call_work(void)
{
	for (unsigned long i = 0; i < wanted; i++)
		work();
	sem_post(&done);
}

static void *wait_in_futex(void *unused)
{
	for (;;) {
		if (sem_wait(&go))
			abort(); /* no signal interrupts this, because there are
				    no handlers */
		call_work();
	}
	return unused;
}

static void *wait_in_read(void *unused)
{
	char byte;

	for (;;) {
		if (read(ends[0], &byte, 1) != 1)
			abort();
		call_work();
	}
	return unused;
}

static void ignore_it(int signal)
{
	(void)signal;
}

int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
	pthread_t one;
	char line[64];

	signal(SIGUSR2, ignore_it);
	sem_init(&go, 0, 0);
	sem_init(&done, 0, 0);
	if (pipe(ends))
		return 2;
	for (unsigned i = 0; i < threads; i++)
		pthread_create(&one, NULL, i % 2 ? wait_in_read : wait_in_futex,
			       NULL);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, "look\n") == 0) {
			printf("traced %d foreign %ld caught %llx pending "
			       "%llx\n",
			       tracer(), foreign_bytes(),
			       self_status("SigCgt", 16),
			       self_status("ShdPnd", 16) |
				       self_status("SigPnd", 16));
			fflush(stdout);
			continue;
		}
		wanted = strtoul(line, NULL, 10);
		for (unsigned i = 0; i < threads; i++) {
			if (i % 2 == 0)
				sem_post(&go);
			else if (write(ends[1], "", 1) != 1)
				return 3;
		}
		for (unsigned i = 0; i < threads; i++)
			while (sem_wait(&done))
				;
		printf("done %lu total %lu\n", wanted, work_calls);
		fflush(stdout);
	}
	return 0;
}
