/*
 * rounds.c - does a round of work for each byte that comes through a FIFO
 *
 * In a round the main thread calls step() 10 times, which calls inner() once
 * each and writes the static `written` once each; takes and releases a mutex in
 * locked() 3 times; and allocates memory in allocating() 4 times. A second
 * thread, whose name is "idler", waits in idle() all the time; a third one,
 * "helper", calls step() 5 times a round. After each round, the program prints
 * "round N". It ends when the FIFO does.
 *
 * The byte `s` makes the main thread spin in spinning() for a tenth of a second
 * of its time on a CPU instead.
 *
 * Usage: rounds FIFO
 * Flags: -O1 -g -fno-inline -pthread
 */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile int written;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never, begin_round, end_round;
static void *volatile kept;

static __attribute__((noipa)) int inner(int number)
{
	return number + 1;
}

__attribute__((noipa)) int step(int number)
{
	written = number;
	return inner(number) * 2;
}

static __attribute__((noipa)) void locked(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static __attribute__((noipa)) void allocating(size_t size)
{
	kept = malloc(size);
	free(kept);
}

static __attribute__((noipa)) void spinning(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 10;

	while (clock() < end)
		;
}

static __attribute__((noipa)) void idle(void)
{
	while (sem_wait(&never))
		;
}

static void *idler(void *unused)
{
	pthread_setname_np(pthread_self(), "idler");
	idle();
	return unused;
}

static void *helper(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	for (;;) {
		while (sem_wait(&begin_round))
			;
		for (int i = 0; i < 5; i++)
			step(i);
		sem_post(&end_round);
	}
	return unused;
}

static void round_of_work(void)
{
	for (int i = 0; i < 10; i++)
		step(i);
	for (int i = 0; i < 3; i++)
		locked();
	for (size_t i = 0; i < 4; i++)
		allocating(16 << i);
	sem_post(&begin_round);
	while (sem_wait(&end_round))
		;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	char byte;

	if (fd < 0)
		return 1;
	sem_init(&never, 0, 0);
	sem_init(&begin_round, 0, 0);
	sem_init(&end_round, 0, 0);
	pthread_create(&threads[0], NULL, idler, NULL);
	pthread_create(&threads[1], NULL, helper, NULL);
	for (int i = 1; read(fd, &byte, 1) == 1; i++) {
		if (byte == 's')
			spinning();
		else
			round_of_work();
		printf("round %d\n", i);
		fflush(stdout);
	}
	return 0;
}
