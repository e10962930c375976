/*
 * cancel.c - threads that are cancelled in the middle of functions
 *
 * Each of 200 threads calls deep() down to a depth of 3 and waits there. Every
 * second thread is cancelled, the others return. A clean-up handler calls
 * after() for each thread, when the thread is cancelled or at its end.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static unsigned long entered, left, cleaned;
static sem_t arrived, go;

__attribute__((noinline)) void deep(int depth)
{
	entered++;
	if (depth > 0) {
		deep(depth - 1);
	} else {
		sem_post(&arrived);
		sem_wait(&go); /* here the thread is cancelled */
	}
	left++;
}

__attribute__((noinline)) void after(void *unused)
{
	(void)unused;
	cleaned++;
}

static void *thread(void *unused)
{
	pthread_cleanup_push(after, NULL);
	deep(3);
	pthread_cleanup_pop(1);
	return unused;
}

int main(void)
{
	pthread_t one;

	sem_init(&arrived, 0, 0);
	sem_init(&go, 0, 0);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_create(&one, NULL, thread, NULL);
		while (sem_wait(&arrived))
			;
		if (i % 2)
			pthread_cancel(one);
		else
			sem_post(&go);
		pthread_join(one, NULL);
	}
	printf("entered %lu\nleft %lu\nlost %lu\ncleaned %lu\n", entered, left,
	       entered - left, cleaned);
	return 0;
}
