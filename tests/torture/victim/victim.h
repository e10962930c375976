/*
 * victim.h - the parts of the victim: threads that work in rounds, and the
 * features they torture
 */
#ifndef VICTIM_H
#define VICTIM_H

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

#include "truth.h"

struct options {
	const char *file; /* of the shared memory */
	uint64_t seed;
	unsigned long rounds; /* of a worker; 0: until told to quit */
	unsigned pace;        /* pause after each round, in microseconds */
	char **argv;          /* the victim's own */
	char path[4096];      /* of its file, for when its leader has ended */
};
extern struct options options;

/* A thread that works in rounds. */
struct thread {
	const struct feature *feature;
	unsigned number; /* among those of its feature */
	struct slot *slot;
	uint64_t random;
	pthread_t id;
	void *own; /* of the feature */
};

struct feature {
	const char *name;
	unsigned threads;   /* unless the command line says otherwise */
	unsigned long cost; /* of a round, in rounds of a worker */
	void (*set_up)(struct thread *thread); /* NULL: nothing to do */
	void (*round)(struct thread *thread);  /* NULL: no thread */
	void (*tear_down)(struct thread *thread);
	void (*begin)(void); /* once, before any thread */
};

extern const struct feature worker_features[], signal_features[],
	child_features[], wait_features[], thread_features[];

/* The thread that runs; NULL in those that are none of a feature. */
extern __thread struct thread *self;

uint64_t next_random(uint64_t *state);

/* May a round begin? If so, it must be ended. */
bool begin_round(void);
void end_round(void);
bool is_over(void);

/* Every signal that the victim uses is blocked when a thread is born. */
void unblock(int signal);
void block_all(void);

/* The slots of the threads of a feature that are there: returns how many. */
unsigned find_threads(const char *feature, struct thread **out, unsigned room);

void sleep_for(unsigned microseconds);

/* ---- calls.c: the measured functions, counted and checked --------------- */

/* The process is another one than `kind` says (a vfork child). */
void call_as(enum kind as, enum function function, uint64_t x);

void call_plain(uint64_t *random); /* one of those that only compute */
void call_deep(uint64_t *random);  /* recursion */
void call_out(uint64_t *random);   /* one that may be jumped out of */
void call_handler(uint64_t x);     /* f7 */
void call_library(uint64_t (*g0)(uint64_t), uint64_t x);
long call_system(long number, long a, long b, long c); /* f13 */
void catch_faults(void);
void call_any(uint64_t *random); /* one of plain, deep and out */

/* f11 and f12, to be counted by their callers: count_begun() and the rest. */
uint64_t f11(uint64_t x, void (*leave)(void *), void *context);
void f12(void);

void count_begun(enum function function);
void count_returned(enum function function);
void count_unwound(enum function function, unsigned long times);

#endif
