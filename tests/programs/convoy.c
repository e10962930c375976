/*
 * convoy.c - threads that wait for locks, and know for how long
 *
 *	convoy KIND [ROUNDS [WORKERS]]
 *
 * The main thread holds a lock for a while, ROUNDS times, and each time lets
 * the workers try to take it meanwhile; it goes on when it has seen, in /proc,
 * that they all sleep. So each round has WORKERS waits. Each worker adds up how
 * long its calls took, which is at least its waits. At the end the program
 *prints these times, and the time for which the main thread held the lock while
 *all workers slept: each of them has waited at least as long.
 *
 * KIND: mutex; recursive; timed (pthread_mutex_timedlock); write and read (of a
 * read-write lock that the main thread has for writing); relock (a condition,
 * after whose signal the mutex is still held); static (each of two locks by
 * turns, of which the second is waited for half as often).
 *
 * Flags: -pthread
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 16

pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t journal = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t paid = PTHREAD_COND_INITIALIZER;

static const char *kind;
static int rounds, workers;
/* `arrived`: workers that are about to wait in this round */
static atomic_int round_now, done, arrived;
static bool is_paid;
static int64_t paid_at;

struct worker {
	pthread_t thread;
	atomic_int tid;
	int64_t waited, longest;
	int waits;
};
static struct worker list[MOST];

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static bool is_kind(const char *name)
{
	return strcmp(kind, name) == 0;
}

/* Is the thread asleep in the kernel? */
static bool sleeps(int tid)
{
	char path[64], text[256] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		*text = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end && end[2] == 'S';
}

static pthread_mutex_t *mutex_of(int round)
{
	return is_kind("static") && round % 3 == 0 ? &journal : &ledger;
}

__attribute__((noinline)) static void take(int round)
{
	struct timespec far = {.tv_sec = INT32_MAX};

	if (is_kind("timed"))
		pthread_mutex_timedlock(&ledger, &far);
	else if (is_kind("write"))
		pthread_rwlock_wrlock(&table);
	else if (is_kind("read"))
		pthread_rwlock_rdlock(&table);
	else
		pthread_mutex_lock(mutex_of(round));
}

__attribute__((noinline)) static void give(int round)
{
	if (is_kind("write") || is_kind("read"))
		pthread_rwlock_unlock(&table);
	else
		pthread_mutex_unlock(mutex_of(round));
}

/* Waits for the condition, whose mutex is then still held. The wait for the
 * mutex is a little shorter than what is counted: it begins when the signal has
 * come. */
static void await_payment(struct worker *self)
{
	pthread_mutex_lock(&ledger);
	arrived++;
	while (!is_paid)
		pthread_cond_wait(&paid, &ledger);
	self->waited += now() - paid_at;
	self->waits++;
	pthread_mutex_unlock(&ledger);
}

static void *work(void *argument)
{
	struct worker *self = argument;
	char name[16];

	snprintf(name, sizeof(name), "clerk %d", (int)(self - list));
	pthread_setname_np(pthread_self(), name);
	self->tid = gettid();
	for (int round = 1; round <= rounds; round++) {
		int64_t before, took;

		while (round_now < round)
			usleep(50);
		if (is_kind("relock")) {
			await_payment(self);
			done++;
			continue;
		}
		arrived++;
		before = now();
		take(round);
		took = now() - before;
		self->waited += took;
		self->waits++;
		if (took > self->longest)
			self->longest = took;
		give(round);
		done++;
	}
	return NULL;
}

static void await_sleepers(void)
{
	while (arrived < workers)
		usleep(50);
	for (int i = 0; i < workers; i++)
		while (!list[i].tid || !sleeps(list[i].tid))
			usleep(100);
}

/* Holds the lock until all workers wait for it, and a little longer. Returns
 * how long that was. */
__attribute__((noinline)) static int64_t hold(int round)
{
	int64_t since, held;

	if (is_kind("write") || is_kind("read"))
		pthread_rwlock_wrlock(&table);
	else
		pthread_mutex_lock(mutex_of(round));
	if (is_kind("recursive"))
		pthread_mutex_lock(&ledger);
	done = arrived = 0;
	round_now = round;
	await_sleepers();
	since = now();
	usleep(3000);
	held = now() - since;
	if (is_kind("recursive"))
		pthread_mutex_unlock(&ledger);
	/* in the function that has taken it */
	if (is_kind("write") || is_kind("read"))
		pthread_rwlock_unlock(&table);
	else
		pthread_mutex_unlock(mutex_of(round));
	return held;
}

/* Wakes all that wait for the condition, and keeps the mutex for a while. */
__attribute__((noinline)) static int64_t pay(int round)
{
	int64_t since;

	pthread_mutex_lock(&ledger);
	is_paid = false;
	pthread_mutex_unlock(&ledger);
	done = arrived = 0;
	round_now = round;
	await_sleepers();
	pthread_mutex_lock(&ledger);
	is_paid = true;
	since = paid_at = now();
	for (int i = 0; i < workers; i++)
		pthread_cond_signal(&paid);
	usleep(5000);
	pthread_mutex_unlock(&ledger);
	return now() - since;
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attributes;
	int64_t held = 0, waited = 0;
	int waits = 0;

	kind = argc > 1 ? argv[1] : "mutex";
	rounds = argc > 2 ? atoi(argv[2]) : 20;
	workers = argc > 3 ? atoi(argv[3]) : 3;
	if (is_kind("recursive")) {
		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
		pthread_mutex_init(&ledger, &attributes);
	}
	for (int i = 0; i < workers; i++)
		pthread_create(&list[i].thread, NULL, work, &list[i]);
	for (int round = 1; round <= rounds; round++) {
		held += is_kind("relock") ? pay(round) : hold(round);
		while (done < workers)
			usleep(50);
	}
	for (int i = 0; i < workers; i++) {
		pthread_join(list[i].thread, NULL);
		waited += list[i].waited;
		waits += list[i].waits;
		printf("clerk %d %" PRId64 " %" PRId64 " %d\n", list[i].tid,
		       list[i].waited, list[i].longest, list[i].waits);
	}
	printf("waits %d\nwaited %" PRId64 "\nheld %" PRId64 "\npid %d\n",
	       waits, waited, held, getpid());
	return 0;
}
