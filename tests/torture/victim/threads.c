/*
 * threads.c - features of threads and their stacks: threads that come and go,
 * coroutines, cancellation, libraries that come and go
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "victim.h"

#define FILE_NUMBER 6

/* ---- churn ------------------------------------------------------------------
 */

static void *live_shortly(void *context)
{
	uint64_t random = *(uint64_t *)context;

	for (unsigned i = 0; i < 4; i++)
		call_any(&random);
	return NULL;
}

static void churn(struct thread *thread)
{
	enum { AT_ONCE = 4 };
	uint64_t randoms[AT_ONCE];
	pthread_t ids[AT_ONCE];
	bool born[AT_ONCE];

	for (unsigned i = 0; i < AT_ONCE; i++) {
		randoms[i] = next_random(&thread->random);
		born[i] = pthread_create(&ids[i], NULL, live_shortly,
					 &randoms[i]) == 0;
		CHECK_EQUAL(born[i], true);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		if (born[i]) {
			CHECK_EQUAL(pthread_join(ids[i], NULL), 0);
			atomic_fetch_add(&truth->threads_born, 1);
		}
}

/* ---- coroutine
 * ---------------------------------------------------------------- */

enum { COROUTINES = 3, COROUTINE_STACK = 65536, COROUTINE_CALLS = 5 };

struct coroutine {
	ucontext_t context, *back;
	uint64_t random;
	bool over;
	char stack[COROUTINE_STACK];
};

static void leave(void *context)
{
	struct coroutine *coroutine = context;

	swapcontext(&coroutine->context, coroutine->back);
}

static void be_coroutine(unsigned high, unsigned low)
{
	struct coroutine *coroutine =
		(struct coroutine *)((uint64_t)high << 32 | low);

	for (unsigned i = 0; i < COROUTINE_CALLS; i++) {
		uint64_t x = next_random(&coroutine->random), result;

		call_any(&coroutine->random);
		count_begun(F11);
		result = f11(x, leave, coroutine);
		count_returned(F11);
		CHECK_EQUAL(result, x * 11 + 11);
	}
	coroutine->over = true;
	for (;;)
		leave(coroutine);
}

static void set_up_coroutines(struct thread *thread)
{
	thread->own = calloc(COROUTINES, sizeof(struct coroutine));
}

static void tear_down_own(struct thread *thread)
{
	free(thread->own);
}

static void run_coroutines(struct thread *thread)
{
	struct coroutine *all = thread->own;
	ucontext_t here;
	volatile unsigned left = COROUTINES; /* over swapcontext() */

	for (unsigned i = 0; i < COROUTINES; i++) {
		struct coroutine *one = &all[i];

		getcontext(&one->context);
		one->context.uc_stack.ss_sp = one->stack;
		one->context.uc_stack.ss_size = COROUTINE_STACK;
		one->back = &here;
		one->random = next_random(&thread->random);
		one->over = false;
		makecontext(&one->context, (void (*)(void))be_coroutine, 2,
			    (unsigned)((uint64_t)one >> 32),
			    (unsigned)(uint64_t)one);
	}
	while (left) {
		struct coroutine *one =
			&all[next_random(&thread->random) % COROUTINES];

		if (one->over)
			continue;
		swapcontext(&here, &one->context);
		left -= one->over;
	}
}

/* ---- cancel
 * ---------------------------------------------------------------------- */

static atomic_ulong times_slept;

__attribute__((noinline, noclone, noipa)) void f12(void)
{
	struct timespec time = {20, 0};

	nanosleep(&time, NULL);
	atomic_fetch_add(&times_slept, 1);
}

static void was_cancelled(void *unused)
{
	(void)unused;
	count_unwound(F12, 1);
	atomic_fetch_add(&truth->unwindings, 1);
}

static void *be_cancelled(void *context)
{
	atomic_ulong *inside = context;

	pthread_cleanup_push(was_cancelled, NULL);
	count_begun(F12);
	atomic_store(inside, 1);
	f12();
	count_returned(F12);
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(struct thread *thread)
{
	atomic_ulong inside = 0;
	void *result = NULL;
	pthread_t id;

	if (pthread_create(&id, NULL, be_cancelled, &inside) != 0)
		return;
	while (!atomic_load(&inside))
		sched_yield();
	if (next_random(&thread->random) % 2)
		sleep_for(500);
	CHECK_EQUAL(pthread_cancel(id), 0);
	CHECK_EQUAL(pthread_join(id, &result), 0);
	CHECK_EQUAL(result, PTHREAD_CANCELED);
}

/* ---- loader
 * ----------------------------------------------------------------------- */

static void find_plug(struct thread *thread)
{
	char path[sizeof(options.path) + 16], *slash;

	strcpy(path, options.path);
	slash = strrchr(path, '/');
	strcpy(slash, "/plug.so");
	thread->own = strdup(path);
}

static void load(struct thread *thread)
{
	void *library = dlopen(thread->own, RTLD_NOW | RTLD_LOCAL);
	uint64_t (*g0)(uint64_t);

	CHECK_EQUAL(library == NULL, false);
	if (!library)
		return;
	*(void **)&g0 = dlsym(library, "g0");
	for (unsigned i = 0; i < 8; i++)
		call_library(g0, next_random(&thread->random));
	CHECK_EQUAL(dlclose(library), 0);
	atomic_fetch_add(&truth->libraries_loaded, 1);
}

const struct feature thread_features[] = {
	{"churn", 1, 4, NULL, churn, NULL, NULL},
	{"coroutine", 1, 2, set_up_coroutines, run_coroutines, tear_down_own,
	 NULL},
	{"cancel", 1, 8, NULL, cancel, NULL, NULL},
	{"loader", 1, 8, find_plug, load, tear_down_own, NULL},
	{0},
};
