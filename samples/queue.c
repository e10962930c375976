/*
 * queue.c - requests that one thread puts into a queue and another takes out
 *
 * The sample shows how to measure each request from submit() to finish(), which
 * different threads call. The address of the request is the key of the leg, so
 * that one leg measures all requests, also those that overlap in time.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "clock.h"

enum { CONSUMERS = 2, REQUESTS = 400, CAPACITY = 8 };

struct request {
	unsigned number;
	uint64_t submitted, finished;
};

static struct request requests[REQUESTS];
static struct request *queue[CAPACITY];
static unsigned put, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;

void submit(struct request *request)
{
	request->submitted = now_ns();
	pthread_mutex_lock(&lock);
	while (put - taken == CAPACITY)
		pthread_cond_wait(&not_full, &lock);
	queue[put++ % CAPACITY] = request;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static struct request *take(void)
{
	struct request *request = NULL;

	pthread_mutex_lock(&lock);
	while (put == taken && taken < REQUESTS)
		pthread_cond_wait(&not_empty, &lock);
	if (taken < REQUESTS) {
		request = queue[taken++ % CAPACITY];
		pthread_cond_signal(&not_full);
	}
	if (taken == REQUESTS)
		pthread_cond_broadcast(&not_empty);
	pthread_mutex_unlock(&lock);
	return request;
}

void finish(struct request *request)
{
	request->finished = now_ns();
}

static void *consume(void *unused)
{
	struct request *request;

	while ((request = take())) {
		/* every tenth request takes ten times as long */
		busy_until(now_ns() +
			   (request->number % 10 ? 100000 : 1000000));
		finish(request);
	}
	return unused;
}

int main(void)
{
	pthread_t consumers[CONSUMERS];
	uint64_t total = 0;

	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&consumers[i], NULL, consume, NULL);
	for (unsigned i = 0; i < REQUESTS; i++) {
		requests[i].number = i;
		submit(&requests[i]);
	}
	for (int i = 0; i < CONSUMERS; i++)
		pthread_join(consumers[i], NULL);
	for (unsigned i = 0; i < REQUESTS; i++)
		total += requests[i].finished - requests[i].submitted;
	printf("%d requests, %.3f ms in all, %.3f ms each\n", REQUESTS,
	       (double)total / 1e6, (double)total / 1e6 / REQUESTS);
	return 0;
}
