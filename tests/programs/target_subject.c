/*
 * target_subject.c - computes, sleeps and is signalled all the time, and counts
 * this; it also counts what goes wrong
 *
 * The one argument is the descriptor of the page in which the program counts.
 * target_subject.h has the layout of the page.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include "target_subject.h"

static struct shared *shared_page;

static void on_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&shared_page->counters[SIGNALS], 1);
}

/* The result is wrong as soon as a register is wrong. */
static uint64_t compute(void)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	for (int i = 0; i < 1000; i++) {
		a += b ^ (h << 1);
		b += c ^ (a >> 3);
		c += d ^ (b << 5);
		d += e ^ (c >> 7);
		e += f ^ (d << 2);
		f += g ^ (e >> 9);
		g += h ^ (f << 4);
		h += a ^ (g >> 1);
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static void *sleep_and_wake(void *argument)
{
	struct timespec pause = {.tv_nsec = 300000};

	(void)argument;
	for (;;) {
		if (nanosleep(&pause, NULL) < 0 && errno != EINTR)
			atomic_fetch_add(&shared_page->errors, 1);
		atomic_fetch_add(&shared_page->counters[WAKES], 1);
	}
	return NULL;
}

static void *work(void *argument)
{
	uint64_t expected = compute();
	sigset_t mask;

	for (;;) {
		if (compute() != expected)
			atomic_fetch_add(&shared_page->errors, 1);
		pthread_sigmask(SIG_BLOCK, NULL, &mask);
		if (sigismember(&mask, SIGALRM) ||
		    !sigismember(&mask, SIGUSR2) || sigismember(&mask, SIGTRAP))
			atomic_fetch_add(&shared_page->errors, 1);
		atomic_fetch_add(&shared_page->counters[COUNT], 1);
		if (argument)
			return NULL;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESTART};
	struct itimerval often = {{0, 700}, {0, 700}};
	pthread_t thread;
	sigset_t mask;

	if (argc != 2)
		return 2;
	shared_page = mmap(NULL, sizeof(*shared_page), PROT_READ | PROT_WRITE,
			   MAP_SHARED, atoi(argv[1]), 0);
	if (shared_page == MAP_FAILED)
		return 2;
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &mask, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_create(&thread, NULL, sleep_and_wake, NULL);
	pthread_create(&thread, NULL, work, NULL);
	atomic_store(&shared_page->ready, 1);
	work(NULL);
	return 0;
}
