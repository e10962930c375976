/*
 * threads.h - what the measurement knows of each thread and each goroutine: the
 * account of what its hits cost, its time on a CPU, and the activations that it
 * holds
 *
 * The functions that run at each hit of a busy node are inline, because fast
 * nodes make tens of millions of hits a second, and the program waits until the
 * tool has counted them.
 */
#ifndef MEASURE_THREADS_H
#define MEASURE_THREADS_H

#include <math.h>

#include "measure/measure_state.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"

/* ---- thread_account.c ----------------------------------------------- */

/* Looks up a thread by its serial number, or returns NULL. The result becomes
 * `recent`, which find_thread() tries first. */
struct thread *look_up_thread(struct measure *measure, uint32_t serial);
/* Creates a thread and puts it in the map of threads. There is no such thread
 * yet. */
struct thread *create_thread(struct measure *measure, uint32_t serial,
			     int32_t pid);

static inline struct thread *find_thread(struct measure *measure,
					 uint32_t serial)
{
	/* The hits of one thread come in bursts. */
	if (measure->recent && measure->recent->serial == serial)
		return measure->recent;
	return look_up_thread(measure, serial);
}

static inline struct thread *enter_thread(struct measure *measure,
					  const struct hit *hit)
{
	struct thread *thread = find_thread(measure, hit->thread);

	return thread ? thread : create_thread(measure, hit->thread, hit->pid);
}

/* ---- cpu_account.c -------------------------------------------------- */

/*
 * Returns the epoch that a hit belongs to, or 0 if it is not known whether the
 * thread was on a CPU. At an int3 the thread is off its CPU because of the
 * int3; at a jump it is on a CPU. If the account says otherwise, a context
 * switch was missed. The result is also 0 as long as it is not known what part
 * of an int3's cost the thread spends on a CPU.
 */
static inline uint32_t cpu_epoch(const struct measure *measure,
				 const struct cpu_account *cpu,
				 const struct hit *hit)
{
	if (cpu->is_off != (hit->mechanism == HIT_INT3) ||
	    (cpu->is_off && (cpu->since < cpu->resumed ||
			     (hit->cost_before > 0 && !measure->has_cpu_cost &&
			      measure->compensation))))
		return 0;
	return cpu->epoch;
}

/* Gives a new epoch to every account that has one. What is counted from now on
 * cannot be compared with what was counted before. */
void begin_epochs(struct measure *measure);
/* Computes wait_share anew. The cost of a break, or the part of it that the
 * thread spends on a CPU, has changed. */
void share_cost(struct measure *measure);

/* Returns how long the thread has waited up to a hit at the measured time `at`,
 * in ns. */
static inline double cpu_waited(const struct measure *measure,
				const struct cpu_account *cpu,
				const struct hit *hit, int64_t at)
{
	double waited = cpu->waited;

	if (!cpu->is_off)
		return waited;
	waited += (double)(at - cpu->since);
	if (measure->compensation && !hit->is_off_known)
		waited -= hit->cost_before * measure->wait_share;
	return waited;
}

/* The thread was held from `from` to `to` for a break whose calibrated cost is
 * `cost`. */
static inline void cpu_held(const struct measure *measure,
			    struct cpu_account *cpu, int64_t from, int64_t to,
			    double cost)
{
	double on = cost < measure->cpu_cost ? cost : measure->cpu_cost;

	cpu->resumed = to;
	/* The time on no CPU is not computed by `wait_share`: since this break
	 * began, a calibration may have found another cost, and `wait_share`
	 * belongs to that cost. */
	if (measure->compensation)
		cpu->waited -= (double)(to - from) + cost - on;
}

/* Returns the moment of a thread that makes a hit at the measured time `at`. */
static inline struct moment thread_moment(const struct measure *measure,
					  const struct thread *thread,
					  const struct hit *hit, int64_t at)
{
	return (struct moment){
		.at = at,
		.own = at - thread->held,
		.cost = thread->cost + hit->cost_before,
		.before = hit->cost_before,
		.mechanism = hit->mechanism,
		.epoch = cpu_epoch(measure, &thread->cpu, hit),
		.waited = cpu_waited(measure, &thread->cpu, hit, at),
	};
}

/* Rounds to the nearest integer, as llrint() does, but without the call of a
 * function. */
static inline int64_t nearest(double ns)
{
	const double limit = (double)(INT64_C(1) << 51), whole = 3 * limit;

	/* A double of the size of `whole` has no fraction, so the addition
	 * rounds. */
	if (ns > -limit && ns < limit)
		return (int64_t)((ns + whole) - whole);
	return (int64_t)llrint(ns);
}

/* Returns the own time between two moments of one thread, in ns. If
 * compensation is off, it is the time between the two arrivals. */
static inline int64_t moment_difference(const struct measure *measure,
					const struct moment *from,
					const struct moment *to)
{
	if (!measure->compensation)
		return to->at - from->at;
	return to->own - from->own - nearest(to->cost - from->cost);
}

/* Of `taken`, which was subtracted from an execution: the part that does not
 * belong to the two hits of the execution, which have these mechanisms. */
static inline double taken_inside(const struct measure *measure, double taken,
				  enum hit_mechanism from,
				  enum hit_mechanism to)
{
	double from_cost = measure->calibration[from].cost;
	double to_cost = measure->calibration[to].cost;
	double own = from_cost > to_cost ? from_cost : to_cost;

	return measure->compensation && own > 0 && taken > own ? taken - own
							       : 0;
}

/* Returns the span of an execution between two moments of one thread. */
static inline struct span moment_span(const struct measure *measure,
				      const struct moment *from,
				      const struct moment *to)
{
	struct span span = {
		.elapsed = moment_difference(measure, from, to),
		.interrupted = stopwatch_stopped_within(&measure->watch,
							from->at, to->at),
		.has_waiting = from->epoch && from->epoch == to->epoch,
		.inside = taken_inside(measure, to->cost - from->cost,
				       from->mechanism, to->mechanism)};

	if (span.has_waiting)
		span.waiting = nearest(to->waited - from->waited);
	return span;
}

/* Returns a reference to the resumption of the thread from the break that it is
 * in. The caller releases it with resumption_release(). */
struct resumption *thread_resumption(struct thread *thread);
/* The thread is resumed at the measured time `at`, and the program goes on
 * `after` ns later. The thread must have a resumption. The function ends the
 * thread's own reference to it. */
void thread_resume(struct thread *thread, int64_t at, double after);
void resumption_release(struct resumption *resumption);

/* A tracked thread was held from one moment to another, in measured ns.
 * `thread` is NULL if it has no account. `before` and `after` are the
 * calibrated costs. `is_stop`: the tool stopped the thread for this hold. */
static inline void thread_held(struct measure *measure, struct thread *thread,
			       int64_t from, int64_t to, double before,
			       double after, bool is_stop)
{
	overhead_add(&measure->overhead, (double)from - before,
		     (double)to + after);
	if (!thread)
		return;
	thread->held += to - from;
	thread->cost += before + after;
	if (is_stop)
		thread->stops += before + after;
	/* If the thread was held at the moment of a goroutine's hit, the
	 * goroutine was held. At another moment the thread may have executed
	 * another goroutine, so the hold is in no goroutine's account. */
	if (thread->runs && thread->now.at == from) {
		thread->runs->held += to - from;
		thread->runs->cost += before + after;
	}
	if (is_stop)
		cpu_held(measure, &thread->cpu, from, to, before + after);
	if (thread->resumption)
		thread_resume(thread, to, after);
}

/* Do the hits of this thread count? */
static inline bool counts(const struct measure *measure, int32_t pid,
			  int32_t tid)
{
	return measure->monitor && (!measure->pid || measure->pid == pid) &&
	       (!measure->tid || measure->tid == tid) &&
	       (!measure->chosen ||
		measure->chosen(measure->chosen_context, pid, tid));
}

/* ---- account_history.c ------------------------------------------------- */

/* Something has changed in the account of the thread, which is valid from
 * `time` on, in ns of the tool's clock. */
void note_moment(struct measure *measure, struct thread *thread, uint64_t time);
/* The clock of the measurement has started at `now`, so that measured time and
 * the tool's clock are in another relation. */
void note_start(struct measure *measure, uint64_t now);
/* Finds the account of the thread at a time of the tool's clock at which it
 * made a hit at a fast node. */
struct past_moment past_moment(const struct measure *measure,
			       const struct thread *thread, uint64_t time);

/* Destroys all threads and goroutines, with their maps. The activations that
 * they hold open are discarded. */
void clear_threads(struct measure *measure);
/* Destroys a thread, which the caller has removed from the map of threads. The
 * activations that the thread holds open are discarded. */
void thread_destroy(struct measure *measure, struct thread *thread);
/* Resets all threads. The activations that they hold open are discarded. The
 * threads themselves stay, and so do their struct cpu_account. */
void forget_threads(struct measure *measure);

/* ---- thread_log.c ------------------------------------------------------ */

/* The thread has made a hit of a node that belongs to no leg, at `now`. */
void log_hit(struct thread *thread, const struct hit *hit);
/* The thread has executed a leg from this moment until `now`. */
void log_execution(struct thread *thread, const struct leg *leg,
		   const struct hit *hit, const struct moment *from,
		   int64_t duration);
/* Finds what the log has from the number `since` on that lies in the execution
 * that was logged last of the leg. `*out` is empty. */
void log_read(const struct measure *measure, const struct thread *thread,
	      uint32_t leg, uint64_t since, struct inside *out);

/* ---- activation_owner.c: where activations are held ----------------- */

/* The activations that one owner holds in one leg: a list, whose innermost
 * activation is *top. While the list of a key or of a frame is in use, it
 * starts at `keyed`. holding_store() puts such a list into `map`, where
 * `number` (the bits of the key, or the CFA) leads to it. */
struct holding {
	struct activation **top; /* its target is NULL if the list is empty */
	struct map *map;         /* for keys and frames; else NULL */
	uint64_t number;
	struct value key;
	struct activation *keyed;
};

/* Does the same as holding_find(), for OWNER_KEY. */
bool holding_find_keyed(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding);
/* Does the same as holding_find(), for a frame that is not on its thread's own
 * stack. */
void holding_find_frame(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding);
/* Puts the list of a key or a frame back in its map, or removes it from the map
 * if the list is empty. */
void holding_store_keyed(const struct holding *holding);

/* Makes room in the thread for the list of a leg, and returns where the list
 * starts. */
struct activation **thread_add_list(struct thread *thread, uint32_t leg);

/* Finds the list of the leg that the hit's owner holds. Returns false if there
 * is no owner, because the hit has no value for the key. `create`: this is a
 * *from*, so the function makes room for a list that is missing. */
static inline bool holding_find(struct leg *leg, struct thread *thread,
				const struct hit *hit, bool create,
				struct holding *holding)
{
	enum leg_owner owner = leg->public.spec.owner;
	uint32_t id = leg->public.id;

	holding->map = NULL;
	if (owner == OWNER_KEY)
		return holding_find_keyed(leg, hit, create, holding);
	if (leg->public.spec.whole_frame && !hit->stack && hit->frame)
		holding_find_frame(leg, hit, create, holding);
	else if (owner == OWNER_LEG)
		holding->top = &leg->own;
	else if (id < thread->open.count)
		holding->top = &thread->open.data[id];
	else
		holding->top = thread_add_list(thread, id);
	return true;
}

/* Stores the list, which the caller has changed. */
static inline void holding_store(const struct holding *holding)
{
	if (holding->map)
		holding_store_keyed(holding);
}

/* Returns an unused activation, which counts as open in the leg. The caller
 * sets all members. */
static inline struct activation *activation_create(struct measure *measure,
						   struct leg *leg)
{
	struct activation *activation = measure->spare;

	if (activation)
		measure->spare = activation->below;
	else
		activation = xmalloc(sizeof(*activation));
	leg->public.open++;
	return activation;
}

/* Returns an activation, which is in no list any more, to the unused ones. It
 * is no longer open in its leg. */
static inline void activation_release(struct measure *measure,
				      struct activation *activation)
{
	activation->leg->public.open--;
	if (activation->resumption)
		resumption_release(activation->resumption);
	origin_release(activation->origin);
	activation->below = measure->spare;
	measure->spare = activation;
}

/* These functions discard open activations. discard_thread(): those that a
 * thread holds, also as the owner of legs with OWNER_LEG.
 * discard_process_keys(): those that the keys and frames of a process hold.
 * discard_leg(): those of a leg. */
void discard_thread(struct measure *measure, struct thread *thread);
void discard_process_keys(struct measure *measure, int32_t pid);
void discard_leg(struct measure *measure, struct leg *leg);

/* Forgets which node each thread hit last: its next hit ends no leg from one
 * hit to the next. */
void forget_last_hits(struct measure *measure);

/* Discards all open activations of all owners, and does the same. */
void discard_all(struct measure *measure);

/* ---- goroutine.c ---------------------------------------------------- */

/* Returns the goroutine that makes this hit, and creates it if it is new. The
 * thread executes this goroutine now. */
struct thread *enter_goroutine(struct measure *measure, struct thread *thread,
			       const struct hit *hit);
/* Returns the hit in the form in which legs of goroutines match it: its frame
 * is identified by the depth on the goroutine's stack, and not by an address,
 * because the Go runtime may copy the stack to another place. */
struct hit goroutine_hit(const struct hit *hit);
/* Removes the goroutine from the maps of goroutines. */
void forget_goroutine(struct measure *measure, const struct thread *goroutine);
/* Frees the maps of goroutines. No goroutine is left. */
void clear_goroutines(struct measure *measure);
/* Frees the map of the goroutines of one process, which has no goroutine any
 * more. */
void forget_goroutines_of(struct measure *measure, int32_t pid);

/* Do goroutines hold the activations of the leg, rather than threads? If the
 * user chose no owner, the owner becomes the goroutine now, because the hit is
 * one of a goroutine. */
static inline bool is_of_goroutine(struct leg *leg)
{
	struct leg_spec *spec = &leg->public.spec;

	if (spec->adapts && spec->owner == OWNER_THREAD)
		spec->owner = OWNER_GOROUTINE;
	return spec->owner == OWNER_GOROUTINE;
}

#endif
