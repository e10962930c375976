/*
 * contention.c - see perftool/profile/contention.h
 */
#include "perftool/profile/contention.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"

static void lock_deinit(struct contended_lock *lock)
{
	vec_free(&lock->waiters);
	vec_free(&lock->holders);
}

void contention_deinit(struct contention *contention)
{
	for (size_t i = 0; i < contention->locks.count; i++)
		lock_deinit(&contention->locks.data[i]);
	vec_free(&contention->locks);
	vec_free(&contention->open);
	map_deinit(&contention->index);
	*contention = (struct contention){0};
}

/* Addresses of processes have 47 bits. Two processes whose pids share their
 * lower bits are told apart by a comparison. */
static uint64_t key_of(int32_t pid, uint64_t address, unsigned attempt)
{
	return ((uint64_t)(uint32_t)pid + attempt) << 47 ^ address;
}

static struct contended_lock *find(struct contention *contention, int32_t pid,
				   uint64_t address, unsigned *attempt)
{
	for (*attempt = 0;; ++*attempt) {
		uint64_t number = map_get_number(
			&contention->index, key_of(pid, address, *attempt));
		struct contended_lock *lock;

		if (!number)
			return NULL;
		lock = &contention->locks.data[number - 1];
		if (lock->pid == pid && lock->address == address)
			return lock;
	}
}

static struct contended_lock *need(struct contention *contention, int32_t pid,
				   uint64_t address, enum lock_kind kind)
{
	unsigned attempt;
	struct contended_lock *lock = find(contention, pid, address, &attempt);

	if (lock)
		return lock;
	vec_push(&contention->locks, (struct contended_lock){.pid = pid,
							     .address = address,
							     .kind = kind});
	map_set_number(&contention->index, key_of(pid, address, attempt),
		       contention->locks.count);
	return &contention->locks.data[contention->locks.count - 1];
}

static struct lock_waiter *waiter_of(struct contended_lock *lock, int32_t tid,
				     uint32_t site, enum lock_kind kind)
{
	for (size_t i = 0; i < lock->waiters.count; i++) {
		struct lock_waiter *at = &lock->waiters.data[i];

		if (at->tid == tid && at->site == site && at->kind == kind)
			return at;
	}
	vec_push(&lock->waiters,
		 (struct lock_waiter){.tid = tid, .site = site, .kind = kind});
	return &lock->waiters.data[lock->waiters.count - 1];
}

static struct lock_holder *holder_of(struct contended_lock *lock, int32_t tid,
				     uint32_t function)
{
	for (size_t i = 0; i < lock->holders.count; i++) {
		struct lock_holder *at = &lock->holders.data[i];

		if (at->tid == tid && at->function == function)
			return at;
	}
	vec_push(&lock->holders,
		 (struct lock_holder){.tid = tid, .function = function});
	return &lock->holders.data[lock->holders.count - 1];
}

bool lock_has_holder(enum lock_kind kind)
{
	return kind != LOCK_CONDITION && kind != LOCK_SEMAPHORE;
}

static bool is_shared(enum lock_kind kind)
{
	return kind == LOCK_READ || kind == LOCK_WRITE;
}

/* ---- holding ------------------------------------------------------------- */

static int64_t since_of_first(const struct contention *contention,
			      const struct contended_lock *lock)
{
	size_t index = (size_t)(lock - contention->locks.data);
	int64_t first = 0;

	for (size_t i = 0; i < contention->open.count; i++) {
		const struct lock_wait *at = &contention->open.data[i];

		if (at->lock == index && (!first || at->since < first))
			first = at->since;
	}
	return first;
}

static void forget_holder(struct contended_lock *lock)
{
	lock->holder = 0;
	lock->holder_function = 0;
	lock->knows_taking = false;
	lock->taken = lock->blocks_since = 0;
	lock->waits_for_holder = 0;
}

/* If another thread was taken for the holder, those that wait for it wait for
 * the new one. */
static void set_holder(struct contended_lock *lock, int32_t tid,
		       uint32_t function, int64_t blocks_since)
{
	const uint64_t waits = lock->waits_for_holder;

	forget_holder(lock);
	lock->waits_for_holder = waits;
	lock->holder = tid;
	lock->holder_function = function;
	lock->blocks_since = blocks_since;
}

/* The holder has released the lock. `function`: which function has done it; it
 * stands for the one that has taken the lock, if that is not known. */
static void close_hold(struct contended_lock *lock, uint32_t function,
		       int64_t time)
{
	struct lock_holder *holder;

	if (!lock->holder)
		return;
	holder = holder_of(lock, lock->holder,
			   lock->holder_function ? lock->holder_function
						 : function);
	holder->holds++;
	holder->waits += lock->waits_for_holder;
	if (lock->blocks_since && time > lock->blocks_since)
		holder->blocked += time - lock->blocks_since;
	if (lock->knows_taking && time >= lock->taken) {
		int64_t held = time - lock->taken;

		holder->known++;
		holder->held += held;
		if (held > holder->max_held)
			holder->max_held = held;
	}
	lock->released = time;
	forget_holder(lock);
}

/* ---- what threads tell --------------------------------------------------- */

void contention_begin(struct contention *contention,
		      const struct wait_begin *wait)
{
	struct contended_lock *lock =
		need(contention, wait->pid, wait->lock, wait->kind);

	/* While nobody waits, read-write locks are released and taken without
	 * a word. */
	if (is_shared(wait->kind) && !lock->waiting)
		forget_holder(lock);
	if (wait->holder && wait->holder != wait->tid &&
	    wait->holder != lock->holder)
		set_holder(lock, wait->holder, 0, wait->time);
	if (lock->holder && !lock->blocks_since)
		lock->blocks_since = wait->time;
	if (lock->holder)
		lock->waits_for_holder++;
	lock->waiting++;
	vec_push(&contention->open,
		 (struct lock_wait){
			 .thread = wait->thread,
			 .tid = wait->tid,
			 .stack = wait->stack,
			 .lock = (size_t)(lock - contention->locks.data),
			 .site = wait->site,
			 .function = wait->function,
			 .kind = wait->kind,
			 .since = wait->time});
}

static void end_wait(struct contention *contention, size_t index, int64_t time)
{
	const struct lock_wait wait = contention->open.data[index];
	struct contended_lock *lock = &contention->locks.data[wait.lock];
	struct lock_waiter *waiter =
		waiter_of(lock, wait.tid, wait.site, wait.kind);
	int64_t waited = time > wait.since ? time - wait.since : 0;

	vec_remove(&contention->open, index);
	lock->waiting--;
	lock->waits++;
	lock->total += waited;
	waiter->waits++;
	waiter->total += waited;
	if (waited > lock->max)
		lock->max = waited;
	if (waited > waiter->max)
		waiter->max = waited;
	if (!lock_has_holder(wait.kind))
		return;
	close_hold(lock, 0, time);
	if (wait.kind == LOCK_READ) {
		set_holder(lock, HELD_BY_READERS, 0, lock->waiting ? time : 0);
		return;
	}
	set_holder(lock, wait.tid, wait.function, lock->waiting ? time : 0);
	lock->knows_taking = true;
	lock->taken = time;
}

void contention_end(struct contention *contention, uint32_t thread,
		    uint64_t stack, int64_t time)
{
	for (size_t i = contention->open.count; i-- > 0;) {
		const struct lock_wait *at = &contention->open.data[i];

		if (at->thread != thread)
			continue;
		if (at->stack == stack) {
			end_wait(contention, i, time);
			return;
		}
		/* The stack grows down. A wait above it goes on when a signal
		 * handler has returned; one below it was given up. */
		if (at->stack < stack) {
			contention->locks.data[at->lock].waiting--;
			vec_remove(&contention->open, i);
		}
	}
}

void contention_release(struct contention *contention, int32_t pid, int32_t tid,
			uint64_t address, uint32_t function, int64_t time)
{
	unsigned attempt;
	struct contended_lock *lock = find(contention, pid, address, &attempt);

	if (!lock)
		return;
	if (lock->holder != tid) {
		/* It has taken the lock between the release before and the
		 * thread that was woken then. */
		int64_t since = since_of_first(contention, lock);

		if (since && lock->released > since)
			since = lock->released;
		set_holder(lock, tid, 0, since);
	}
	close_hold(lock, function, time);
}

void contention_forget(struct contention *contention, int32_t pid)
{
	for (size_t i = contention->open.count; i-- > 0;) {
		struct contended_lock *lock =
			&contention->locks.data[contention->open.data[i].lock];

		if (lock->pid != pid)
			continue;
		lock->waiting--;
		vec_remove(&contention->open, i);
	}
	for (size_t i = 0; i < contention->locks.count; i++)
		if (contention->locks.data[i].pid == pid)
			forget_holder(&contention->locks.data[i]);
}

void contention_drop_open(struct contention *contention)
{
	vec_clear(&contention->open);
	for (size_t i = 0; i < contention->locks.count; i++) {
		contention->locks.data[i].waiting = 0;
		forget_holder(&contention->locks.data[i]);
	}
}

bool contention_has(struct contention *contention, int32_t pid,
		    uint64_t address)
{
	unsigned attempt;

	return find(contention, pid, address, &attempt) != NULL;
}

/* Moves a time so that what is between `from` and `to` is no part of the time
 * since then. */
static void move(int64_t *time, int64_t from, int64_t to)
{
	if (!*time || *time >= to)
		return;
	*time += to - (*time > from ? *time : from);
}

void contention_skip(struct contention *contention, int64_t from, int64_t to)
{
	if (to <= from)
		return;
	for (size_t i = 0; i < contention->open.count; i++)
		move(&contention->open.data[i].since, from, to);
	for (size_t i = 0; i < contention->locks.count; i++) {
		struct contended_lock *lock = &contention->locks.data[i];

		move(&lock->taken, from, to);
		move(&lock->blocks_since, from, to);
		move(&lock->released, from, to);
	}
}

void contention_clear(struct contention *contention, int64_t time)
{
	for (size_t i = 0; i < contention->open.count; i++)
		contention->open.data[i].since = time;
	for (size_t i = 0; i < contention->locks.count; i++) {
		struct contended_lock *lock = &contention->locks.data[i];

		vec_clear(&lock->waiters);
		vec_clear(&lock->holders);
		lock->waits = 0;
		lock->total = lock->max = 0;
		lock->knows_taking = false;
		lock->waits_for_holder = 0;
		if (lock->blocks_since)
			lock->blocks_since = time;
	}
}

/* ---- order --------------------------------------------------------------- */

static int compare(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int compare_waiters(const void *a, const void *b)
{
	const struct lock_waiter *one = a, *other = b;
	int order = compare(one->total, other->total);

	return order ? order : compare(other->tid, one->tid);
}

static int compare_holders(const void *a, const void *b)
{
	const struct lock_holder *one = a, *other = b;
	int order = compare(one->blocked, other->blocked);

	return order ? order : compare(other->tid, one->tid);
}

static int compare_locks(const void *a, const void *b, void *context)
{
	const struct contention *contention = context;
	const struct contended_lock *one =
		&contention->locks.data[*(const size_t *)a];
	const struct contended_lock *other =
		&contention->locks.data[*(const size_t *)b];
	int order = compare(lock_has_holder(one->kind),
			    lock_has_holder(other->kind));

	if (!order)
		order = compare(one->total, other->total);
	return order ? order
		     : compare((int64_t) * (const size_t *)b,
			       (int64_t) * (const size_t *)a);
}

void contention_sort(struct contention *contention, struct lock_order *out)
{
	for (size_t i = 0; i < contention->locks.count; i++) {
		struct contended_lock *lock = &contention->locks.data[i];

		if (!lock->waits)
			continue;
		if (lock->waiters.count)
			qsort(lock->waiters.data, lock->waiters.count,
			      sizeof(*lock->waiters.data), compare_waiters);
		if (lock->holders.count)
			qsort(lock->holders.data, lock->holders.count,
			      sizeof(*lock->holders.data), compare_holders);
		vec_push(out, i);
	}
	if (out->count)
		qsort_r(out->data, out->count, sizeof(*out->data),
			compare_locks, contention);
}
