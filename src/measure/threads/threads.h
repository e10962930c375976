/*
 * threads.h - what each thread, and each goroutine, has to do with the
 * measurement: its account of what its hits cost, its time on a CPU, and the
 * activations that it holds
 *
 * What is done at each hit of a busy node is inline: fast nodes make tens of
 * millions of hits a second, and a program waits for them to be counted.
 */
#ifndef MEASURE_THREADS_H
#define MEASURE_THREADS_H

#include <math.h>

#include "measure/measure_state.h"
#include "perftool/base/alloc.h"

/* ---- thread_account.c -------------------------------------------------------
 */

/* By serial number, in the map of them; it is the recent one then. */
struct thread *look_up_thread(struct measure *measure, uint32_t serial);
struct thread *create_thread(struct measure *measure, uint32_t serial,
			     int32_t pid);

static inline struct thread *find_thread(struct measure *measure,
					 uint32_t serial)
{
	/* hits of one thread come in bursts */
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

/* ---- cpu_account.c ----------------------------------------------------------
 */

/* The epoch that a hit is in: at an int3 the thread is off its CPU, for that,
 * and at a jump it is on one. If not, a switch was missed: 0. So it is while
 * nobody knows what of an int3's cost is on a CPU. */
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

/* What was counted so far and what will be cannot be compared. */
void begin_epochs(struct measure *measure);
/* What a break costs, or what of that is on a CPU, is another figure now. */
void share_cost(struct measure *measure);

/* How much it has waited at a hit `at`, in measured ns. */
static inline double cpu_waited(const struct measure *measure,
				const struct cpu_account *cpu,
				const struct hit *hit, int64_t at)
{
	double waited = cpu->waited;

	if (!cpu->is_off)
		return waited;
	waited += (double)(at - cpu->since);
	if (measure->compensation)
		waited -= hit->cost_before * measure->wait_share;
	return waited;
}

/* It was held for a break of that cost. */
static inline void cpu_held(const struct measure *measure,
			    struct cpu_account *cpu, int64_t from, int64_t to,
			    double cost)
{
	double on = cost < measure->cpu_cost ? cost : measure->cpu_cost;

	cpu->resumed = to;
	/* not by the share: since this break began the cost may have been found
	 * to be another, of which what is on a CPU is another share */
	if (measure->compensation)
		cpu->waited -= (double)(to - from) + cost - on;
}

/* The thread reaches the place of a hit `at`, in measured ns. */
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

/* As llrint(), which is a call. */
static inline int64_t nearest(double ns)
{
	const double limit = (double)(INT64_C(1) << 51), whole = 3 * limit;

	/* numbers of the size of `whole` have no fraction: sums are rounded */
	if (ns > -limit && ns < limit)
		return (int64_t)((ns + whole) - whole);
	return (int64_t)llrint(ns);
}

/* The own time between two moments of one thread, ns. */
static inline int64_t moment_difference(const struct measure *measure,
					const struct moment *from,
					const struct moment *to)
{
	if (!measure->compensation)
		return to->at - from->at;
	return to->own - from->own - nearest(to->cost - from->cost);
}

static inline struct span moment_span(const struct measure *measure,
				      const struct moment *from,
				      const struct moment *to)
{
	struct span span = {
		.elapsed = moment_difference(measure, from, to),
		.interrupted = stopwatch_stopped_within(&measure->watch,
							from->at, to->at),
		.has_waiting = from->epoch && from->epoch == to->epoch};

	if (span.has_waiting)
		span.waiting = nearest(to->waited - from->waited);
	return span;
}

/* Note that the thread's resumption from this break will be wanted. */
struct resumption *thread_resumption(struct thread *thread);
/* It is resumed: at `at`, measured ns, to go on `after` ns later. */
void thread_resume(struct thread *thread, int64_t at, double after);
void resumption_release(struct resumption *resumption);

/* A tracked thread (NULL: it has no account) was held from one moment to
 * another, in measured ns; `is_stop': it was stopped for that. */
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
	/* what else has held it was, perhaps, another goroutine's */
	if (thread->runs && thread->now.at == from) {
		thread->runs->held += to - from;
		thread->runs->cost += before + after;
	}
	if (is_stop)
		cpu_held(measure, &thread->cpu, from, to, before + after);
	if (thread->resumption)
		thread_resume(thread, to, after);
}

/* Do hits of this thread count? */
static inline bool counts(const struct measure *measure, int32_t pid,
			  int32_t tid)
{
	return measure->monitor && (!measure->pid || measure->pid == pid) &&
	       (!measure->tid || measure->tid == tid);
}

/* Forget all threads, after their activations. */
void clear_threads(struct measure *measure);
/* What it holds is discarded; it is in no map any more. */
void thread_destroy(struct measure *measure, struct thread *thread);
/* The same, but for what their switches have told. */
void forget_threads(struct measure *measure);

/* ---- activation_owner.c: where activations are held
 * ---------------------------- */

/*
 * The list of one owner, that starts at *top. That of a key, or of a frame, is
 * here and, once it is stored, in a map by the number of the key, or the CFA.
 */
struct holding {
	struct activation **top; /* to the innermost one, or to NULL */
	struct map *map;         /* of keys or frames, or NULL */
	uint64_t number;
	struct value key;
	struct activation *keyed;
};

/* As holding_find(), with OWNER_KEY. */
bool holding_find_keyed(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding);
/* The same of a frame that is on no thread's own stack. */
void holding_find_frame(struct leg *leg, const struct hit *hit, bool create,
			struct holding *holding);
void holding_store_keyed(const struct holding *holding);

/* Where a thread's list for a leg starts. */
struct activation **thread_add_list(struct thread *thread, uint32_t leg);

/*
 * The list that the owner of the leg holds at this hit; false when there is
 * none (no value for the key). `create`: make room for one, at a *from*.
 */
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

/* It has changed. */
static inline void holding_store(const struct holding *holding)
{
	if (holding->map)
		holding_store_keyed(holding);
}

/* One of the leg's that is not in use, or a new one; nothing in it is set. */
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

/* Return it to the spare ones; it is in no list any more. */
static inline void activation_release(struct measure *measure,
				      struct activation *activation)
{
	activation->leg->public.open--;
	if (activation->resumption)
		resumption_release(activation->resumption);
	activation->below = measure->spare;
	measure->spare = activation;
}

void discard_thread(struct measure *measure, struct thread *thread);
void discard_process_keys(struct measure *measure, int32_t pid);
void discard_leg(struct measure *measure, struct leg *leg);

/* Everything that is open, and what threads hit last. */
void discard_all(struct measure *measure);

/* ---- goroutine.c ---------------------------------------------------- */

/* The goroutine that makes this hit, which the thread executes now. */
struct thread *enter_goroutine(struct measure *measure, struct thread *thread,
			       const struct hit *hit);
/* The hit as its goroutine has it: frames are told by their depth. */
struct hit goroutine_hit(const struct hit *hit);
/* It goes, from the maps of goroutines. */
void forget_goroutine(struct measure *measure, const struct thread *goroutine);
/* The maps themselves, of which none is left. */
void clear_goroutines(struct measure *measure);
void forget_goroutines_of(struct measure *measure, int32_t pid);

/* Does the goroutine of a hit, rather than its thread, hold the leg? */
static inline bool is_of_goroutine(struct leg *leg)
{
	struct leg_spec *spec = &leg->public.spec;

	if (spec->adapts && spec->owner == OWNER_THREAD)
		spec->owner = OWNER_GOROUTINE;
	return spec->owner == OWNER_GOROUTINE;
}

#endif
