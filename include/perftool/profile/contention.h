/*
 * contention.h - who has waited for which lock, for how long, and who held the
 * lock meanwhile: what follows from the order in which threads begin to wait,
 * have waited, and release locks that others wait for
 *
 * Only waits are told, not the taking of free locks. Who holds a lock is known
 * from three things: the lock itself may say it when a thread begins to wait; a
 * thread that has waited for a lock holds it; and a thread that wakes others
 * has held the lock until then. A thread that has taken a free lock is seen
 * when the first other thread waits. It is not known since when that thread has
 * held the lock.
 *
 * Times are ns of one clock for all threads.
 */
#ifndef PERFTOOL_PROFILE_CONTENTION_H
#define PERFTOOL_PROFILE_CONTENTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/lock_kind.h"
#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* The holder of a read-write lock that readers hold. */
#define HELD_BY_READERS (-1)

/* What the waits of one thread in one place add up to. */
struct lock_waiter {
	int32_t tid;
	uint32_t site; /* where it was called; 0: not known */
	enum lock_kind kind;
	uint64_t waits;
	int64_t total, max; /* ns */
};

/* How long one thread, which has taken the lock in one place, held it while
 * others waited. */
struct lock_holder {
	int32_t tid; /* or HELD_BY_READERS; 0: not known */
	/* the function that has taken the lock, or if that is not known, that
	 * has released it; 0: neither is known */
	uint32_t function;
	uint64_t waits; /* that began while it held the lock */
	uint64_t holds;
	int64_t blocked; /* ns during which another thread waited for it */
	/* from taking to releasing the lock: how often both are known, and
	 * these times */
	uint64_t known;
	int64_t held, max_held;
};

struct contended_lock {
	int32_t pid;
	uint64_t address;
	enum lock_kind kind; /* of the first wait */
	uint64_t waits;      /* that are over */
	int64_t total, max;  /* ns */
	VEC(struct lock_waiter) waiters;
	VEC(struct lock_holder) holders;
	/* ---- the present state ---- */
	size_t waiting; /* threads */
	/* who holds it, as far as is known; 0: nobody, or not known */
	int32_t holder;
	uint32_t holder_function;
	bool knows_taking; /* `taken` is the time at which it was taken */
	int64_t taken;
	int64_t blocks_since;      /* since when others wait for the holder */
	int64_t released;          /* when it was last released; 0: not known */
	uint64_t waits_for_holder; /* that began since it holds the lock */
};

/* A wait that is not over. */
struct lock_wait {
	uint32_t thread; /* serial */
	int32_t tid;
	uint64_t stack; /* the stack pointer */
	size_t lock;    /* index */
	uint32_t site, function;
	enum lock_kind kind;
	int64_t since;
};

/* All zero: nothing was told. */
struct contention {
	VEC(struct contended_lock) locks; /* in the order of the first waits */
	struct map index;                 /* of a process and an address */
	VEC(struct lock_wait) open;
};
void contention_deinit(struct contention *contention);

/* A thread begins to wait. */
struct wait_begin {
	uint32_t thread; /* serial */
	int32_t pid, tid;
	uint64_t stack;
	uint64_t lock;
	enum lock_kind kind;
	uint32_t site;     /* the place from which it waits */
	uint32_t function; /* and the function in which that is */
	/* the thread that holds the lock, HELD_BY_READERS, or 0 */
	int32_t holder;
	int64_t time;
};
void contention_begin(struct contention *contention,
		      const struct wait_begin *wait);
/* The thread has waited. Ignored if it has not begun on this stack. */
void contention_end(struct contention *contention, uint32_t thread,
		    uint64_t stack, int64_t time);
/* The thread has released a lock for which others may wait. */
void contention_release(struct contention *contention, int32_t pid, int32_t tid,
			uint64_t lock, uint32_t function, int64_t time);
/* The process has ended, or executes another program: its waits have no end. */
void contention_forget(struct contention *contention, int32_t pid);
/* The program stood still between these times: they are no part of any wait. */
void contention_skip(struct contention *contention, int64_t from, int64_t to);
/* Forgets all waits that are not over: their ends will not be told. */
void contention_drop_open(struct contention *contention);
/* Has a thread of the process waited for the lock at this address? */
bool contention_has(struct contention *contention, int32_t pid,
		    uint64_t address);
/* Sets all figures to 0. Waits that are not over count from `time` on. */
void contention_clear(struct contention *contention, int64_t time);

/* Can a thread hold what is waited for? Nobody holds a condition or a
 * semaphore. */
bool lock_has_holder(enum lock_kind kind);

/* Sorts the locks by their total, and the waiters and holders of each, the
 * largest first; what nobody can hold comes last. `out` gets the indices of the
 * locks that have waits; the caller frees it. */
VEC_STRUCT(lock_order, size_t);
void contention_sort(struct contention *contention, struct lock_order *out);

#endif
