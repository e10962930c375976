/*
 * locks.c - takes and releases locks of libc, and counts what it does
 *
 * Prints for all functions together, and for some(), how often a thread tried
 * to take a lock, took one, and released one. Waiting for a condition releases
 * the mutex and takes it again.
 *
 * Flags: -O1
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct counts {
	int test, enter, exit;
};

static struct counts all, some_counts;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int turn;

static void took(struct counts *counts, int result)
{
	counts->test++;
	counts->enter += result == 0;
}

static struct timespec past(void)
{
	return (struct timespec){.tv_sec = 1};
}

__attribute__((noinline)) static void mutexes(struct counts *counts, int i)
{
	int result;

	took(counts, pthread_mutex_lock(&mutex));
	/* It is taken: neither of these two takes it. */
	took(counts, pthread_mutex_trylock(&mutex));
	if (i % 3 == 0) {
		const struct timespec limit = past();

		took(counts, pthread_mutex_timedlock(&mutex, &limit));
	}
	counts->exit += pthread_mutex_unlock(&mutex) == 0;
	result = pthread_mutex_trylock(&guard);
	took(counts, result);
	if (result == 0)
		counts->exit += pthread_mutex_unlock(&guard) == 0;
}

__attribute__((noinline)) static void others(struct counts *counts, int i)
{
	took(counts, pthread_rwlock_rdlock(&rwlock));
	took(counts, pthread_rwlock_tryrdlock(&rwlock));
	took(counts, pthread_rwlock_trywrlock(&rwlock)); /* it is taken */
	counts->exit += pthread_rwlock_unlock(&rwlock) == 0;
	counts->exit += pthread_rwlock_unlock(&rwlock) == 0;
	took(counts, pthread_rwlock_wrlock(&rwlock));
	counts->exit += pthread_rwlock_unlock(&rwlock) == 0;
	took(counts, sem_wait(&semaphore));
	took(counts, sem_trywait(&semaphore)); /* it is taken */
	counts->exit += sem_post(&semaphore) == 0;
	if (i % 4 == 0) {
		const struct timespec limit = past();

		took(counts, pthread_mutex_lock(&mutex));
		/* The wait gives up, and has the mutex again. */
		counts->exit++;
		counts->enter += pthread_cond_timedwait(&condition, &mutex,
							&limit) == ETIMEDOUT;
		counts->exit += pthread_mutex_unlock(&mutex) == 0;
	}
}

/* The calls of this function alone are counted, too. */
__attribute__((noinline)) void some(void)
{
	if (pthread_mutex_lock(&guard) == 0)
		some_counts.enter++;
	some_counts.test++;
	if (pthread_mutex_trylock(&guard) == 0)
		some_counts.enter++;
	some_counts.test++;
	some_counts.exit += pthread_mutex_unlock(&guard) == 0;
}

/* Waits until it is the other thread's turn, or its own. */
static void *partner(void *counts_)
{
	struct counts *counts = counts_;

	for (int i = 0; i < 50; i++) {
		took(counts, pthread_mutex_lock(&mutex));
		while (turn == 0) {
			counts->exit++;
			counts->enter +=
				pthread_cond_wait(&condition, &mutex) == 0;
		}
		turn = 0;
		pthread_cond_broadcast(&condition);
		counts->exit += pthread_mutex_unlock(&mutex) == 0;
	}
	return NULL;
}

static void pass_turns(struct counts *counts)
{
	struct counts theirs = {0};
	pthread_t thread;

	pthread_create(&thread, NULL, partner, &theirs);
	for (int i = 0; i < 50; i++) {
		took(counts, pthread_mutex_lock(&mutex));
		while (turn == 1) {
			counts->exit++;
			counts->enter +=
				pthread_cond_wait(&condition, &mutex) == 0;
		}
		turn = 1;
		pthread_cond_broadcast(&condition);
		counts->exit += pthread_mutex_unlock(&mutex) == 0;
	}
	pthread_join(thread, NULL);
	counts->test += theirs.test;
	counts->enter += theirs.enter;
	counts->exit += theirs.exit;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 100;

	sem_init(&semaphore, 0, 1);
	for (int i = 0; i < rounds; i++) {
		mutexes(&all, i);
		others(&all, i);
		some();
	}
	pass_turns(&all);
	all.test += some_counts.test;
	all.enter += some_counts.enter;
	all.exit += some_counts.exit;
	printf("test %d\nenter %d\nexit %d\n", all.test, all.enter, all.exit);
	printf("some_test %d\nsome_enter %d\nsome_exit %d\n", some_counts.test,
	       some_counts.enter, some_counts.exit);
	return 0;
}
