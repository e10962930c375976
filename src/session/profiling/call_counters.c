/*
 * call_counters.c - what each thread has counted of the calls of named
 * functions, and where the call sites are
 *
 * The block of a counter (call_block.h) is mapped memory of which a thread that
 * does little uses few pages. The goroutines of a process come and go in great
 * numbers, so a counter whose goroutine has no call open serves the next
 * goroutine, and the counts of all of them are together.
 *
 * So do the threads of some programs. Of the threads that have ended, those
 * with the most time keep arcs of their own, and all others are added up, so
 * that the memory of the tool does not grow as long as the program runs.
 */
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/scheduling.h"
#include "recorded_profiles.h"
#include "session/run/run.h"

/* Deep recursion needs an activation for each 16 bytes of an 8 MiB stack. */
static const struct call_block_size of_thread = {
	.functions = MOST_CALLED, .open = 1 << 20, .arcs = 1 << 20};
static const struct call_block_size of_goroutine = {
	.functions = MOST_CALLED, .open = 1 << 16, .arcs = 1 << 16};

static void map_block(struct call_counter *counter,
		      const struct call_block_size *size)
{
	void *memory;

	counter->bytes = call_block_bytes(size);
	memory = mmap(NULL, counter->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		out_of_memory(counter->bytes);
	counter->activations.block = memory;
	call_block_init(memory, size);
}

static char *name_of(pid_t pid, pid_t tid)
{
	struct thread_scheduling scheduling;

	return target_thread_scheduling(pid, tid, &scheduling) &&
			       *scheduling.name
		       ? xstrdup(scheduling.name)
		       : NULL;
}

static uint32_t add_thread(struct call_profile *profile,
			   const struct session_call_thread *thread)
{
	uint32_t index;

	if (!profile->unused.count) {
		vec_push(&profile->threads, *thread);
		return (uint32_t)profile->threads.count - 1;
	}
	index = profile->unused.data[--profile->unused.count];
	profile->threads.data[index] = *thread;
	return index;
}

/* Returns the index of what the tables call a thread. */
static uint32_t enter_thread(struct call_profile *profile,
			     const struct hit *hit)
{
	struct session_call_thread thread = {.pid = hit->pid,
					     .tid = hit->tid,
					     .is_goroutines =
						     hit->goroutine != 0};

	for (size_t i = 0; hit->goroutine && i < profile->threads.count; i++)
		if (profile->threads.data[i].is_goroutines &&
		    profile->threads.data[i].pid == hit->pid)
			return (uint32_t)i;
	thread.name = name_of(hit->pid, hit->goroutine ? hit->pid : hit->tid);
	return add_thread(profile, &thread);
}

static struct call_counter *take_idle(struct call_profile *profile, pid_t pid)
{
	for (size_t i = 0; i < profile->idle.count; i++) {
		struct call_counter *counter = profile->idle.data[i];

		if (counter->pid != pid)
			continue;
		vec_remove(&profile->idle, i);
		return counter;
	}
	return NULL;
}

struct call_counter *counter_create(struct call_profile *profile,
				    const struct hit *hit,
				    struct call_block *shared)
{
	struct call_counter *counter =
		hit->goroutine ? take_idle(profile, hit->pid) : NULL;

	if (!counter) {
		counter = xcalloc(1, sizeof(*counter));
		counter->pid = hit->pid;
		counter->tid = hit->tid;
		counter->serial = hit->thread;
		counter->thread = enter_thread(profile, hit);
		if (!shared)
			map_block(counter,
				  hit->goroutine ? &of_goroutine : &of_thread);
		counter->activations.block =
			shared ? shared : counter->activations.block;
	}
	counter->goroutine = hit->goroutine;
	counter->has_hit = false;
	counter->taken = 0;
	return counter;
}

void counter_destroy(struct call_counter *counter)
{
	if (counter->bytes)
		munmap(counter->activations.block, counter->bytes);
	call_activations_deinit(&counter->activations);
	vec_free(&counter->sites);
	vec_free(&counter->switches);
	vec_free(&counter->told);
	free(counter);
}

/* ---- threads that have ended --------------------------------------------- */

/* So many threads that have ended have arcs of their own, with so many arcs. */
#define MOST_ENDED ((size_t)1000)
#define MOST_ENDED_ARCS ((size_t)50000)

/* What a thread that has ended has counted. */
struct ended_thread {
	uint32_t index;
	size_t arcs;
	int64_t time; /* in the functions themselves, ns */
};

VEC_STRUCT(ended_thread_list, struct ended_thread);

/* Those with the most time first. */
static int ended_order(const void *left, const void *right)
{
	const struct ended_thread *a = left, *b = right;

	if (a->time != b->time)
		return a->time > b->time ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static void read_ended(const struct call_profile *profile,
		       struct ended_thread_list *out)
{
	size_t count = profile->threads.count;
	struct ended_thread *threads = xcalloc(count + 1, sizeof(*threads));

	for (size_t i = 0; i < profile->ended.list.count; i++) {
		const struct call_arc *arc = &profile->ended.list.data[i];

		threads[arc->thread].arcs++;
		threads[arc->thread].time += arc->times.self;
	}
	for (size_t i = 0; i < profile->ended_threads.count; i++) {
		uint32_t index = profile->ended_threads.data[i];

		threads[index].index = index;
		vec_push(out, threads[index]);
	}
	free(threads);
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), ended_order);
}

/* The arcs of the threads whose `is_other` is set become those of
 * `profile->others`. */
static void join_arcs(struct call_profile *profile, const bool *is_other)
{
	struct call_arcs joined = {.limit = profile->ended.limit,
				   .other = profile->ended.other,
				   .others = profile->ended.others};

	for (size_t i = 0; i < profile->ended.list.count; i++) {
		struct call_arc arc = profile->ended.list.data[i];

		if (is_other[arc.thread])
			arc.thread = profile->others - 1;
		call_arcs_add(&joined, &arc);
	}
	call_arcs_deinit(&profile->ended);
	profile->ended = joined;
}

static void forget_thread(struct call_profile *profile, uint32_t index)
{
	free(profile->threads.data[index].name);
	profile->threads.data[index] = (struct session_call_thread){0};
	vec_push(&profile->unused, index);
}

void add_up_ended(struct call_profile *profile)
{
	struct ended_thread_list threads = {0};
	size_t kept = 0, arcs = 0;
	bool *is_other;

	if (profile->ended_threads.count <= MOST_ENDED &&
	    profile->ended.list.count <= MOST_ENDED_ARCS)
		return;
	if (!profile->others)
		profile->others = add_thread(profile,
					     &(struct session_call_thread){
						     .has_ended = true}) +
				  1;
	is_other = xcalloc(profile->threads.count, sizeof(*is_other));
	read_ended(profile, &threads);
	vec_clear(&profile->ended_threads);
	for (size_t i = 0; i < threads.count; i++) {
		uint32_t index = threads.data[i].index;

		if (kept < MOST_ENDED &&
		    arcs + threads.data[i].arcs <= MOST_ENDED_ARCS) {
			kept++;
			arcs += threads.data[i].arcs;
			vec_push(&profile->ended_threads, index);
			continue;
		}
		is_other[index] = true;
		profile->added_up += threads.data[i].arcs != 0;
	}
	join_arcs(profile, is_other);
	for (size_t i = 0; i < threads.count; i++)
		if (is_other[threads.data[i].index])
			forget_thread(profile, threads.data[i].index);
	profile->most_ended_arcs = profile->ended.list.count + MOST_ENDED_ARCS;
	free(is_other);
	vec_free(&threads);
}

void counter_retire(struct call_profile *profile, struct call_counter *counter)
{
	struct session_call_thread *thread =
		&profile->threads.data[counter->thread];

	size_t most_arcs = profile->most_ended_arcs;

	counter_read(counter, &profile->ended);
	/* Other goroutines of the process may go on. */
	if (!thread->is_goroutines) {
		thread->has_ended = true;
		vec_push(&profile->ended_threads, counter->thread);
	}
	counter_destroy(counter);
	if (!most_arcs)
		most_arcs = 2 * MOST_ENDED_ARCS;
	/* (Not at each end: that would look at all arcs each time.) */
	if (profile->ended_threads.count >= 2 * MOST_ENDED ||
	    profile->ended.list.count >= most_arcs)
		add_up_ended(profile);
}

void forget_ended(struct call_profile *profile)
{
	call_arcs_clear(&profile->ended);
	for (size_t i = 0; i < profile->ended_threads.count; i++)
		forget_thread(profile, profile->ended_threads.data[i]);
	vec_clear(&profile->ended_threads);
	if (profile->others)
		forget_thread(profile, profile->others - 1);
	profile->others = 0;
	profile->added_up = 0;
	profile->most_ended_arcs = 0;
}

/* ---- call sites ---------------------------------------------------------- */

void counter_note_sites(struct session *session, struct call_counter *counter)
{
	const struct call_block *block = counter->activations.block;
	const struct followed *followed = find_followed(session, counter->pid);

	while (counter->sites.count < block->arc_count) {
		uint32_t number = (uint32_t)counter->sites.count;
		uint64_t site = call_block_arc(block, number)->site;
		const struct module *module = NULL;
		struct noted_site at = {0};

		if (site && followed)
			module = probe_module_at(session->probe,
						 followed->process, site - 1);
		if (site) {
			if (module)
				at.module =
					module_number(session->modules, module);
			at.address = site - 1;
		}
		if (module)
			at.address -= module_bias(module);
		vec_push(&counter->sites, at);
	}
}

/* ---- reading ------------------------------------------------------------- */

/* Times beyond this, in ns, are of a program that has written into its block:
 * so long (104 days), the sum of an arc's calls cannot take. Sums of those that
 * are left have room in their type. */
#define MOST_NS (1LL << 53)

static int64_t believed(int64_t ns)
{
	return ns > -MOST_NS && ns < MOST_NS ? ns : 0;
}

static int64_t in_ns(const struct call_counter *counter, int64_t units)
{
	if (counter->tick > 0)
		return llrint((double)units / (1 << CALL_UNIT_BITS) *
			      counter->tick);
	return (units + (1 << (CALL_UNIT_BITS - 1))) >> CALL_UNIT_BITS;
}

static struct call_times times_of(const struct call_counter *counter,
				  const struct call_block *block,
				  uint32_t number)
{
	const struct call_block_arc *arc = call_block_arc(block, number);
	const struct call_block_cold *cold = call_block_cold(block, number);

	return (struct call_times){
		.count = arc->count,
		.unreturned = cold->unreturned,
		.elapsed = believed(in_ns(counter, arc->elapsed)),
		.self = believed(in_ns(counter, arc->self)),
		.outermost = believed(in_ns(counter, arc->outermost)),
		.self_waiting = believed(cold->self_waiting),
		.waiting = believed(cold->waiting)};
}

static void read_block(const struct call_counter *counter,
		       const struct call_block *block, struct call_arcs *out)
{
	for (uint32_t i = 0; i < block->arc_count; i++) {
		const struct call_block_arc *from = call_block_arc(block, i);
		struct call_arc arc = {.thread = counter->thread,
				       .caller = from->caller,
				       .callee = from->callee,
				       .times = times_of(counter, block, i)};

		if (!arc.times.count)
			continue;
		if (i < counter->sites.count) {
			arc.site = counter->sites.data[i].address;
			arc.site_module = counter->sites.data[i].module;
		}
		if (i) {
			call_arcs_add(out, &arc);
			continue;
		}
		call_times_add(&out->other, &arc.times);
		out->others++;
	}
}

void counter_read(const struct call_counter *counter, struct call_arcs *out)
{
	read_block(counter, counter->activations.block, out);
}

void counter_read_open(struct session *session,
		       const struct call_counter *counter, uint64_t now,
		       struct call_arcs *out)
{
	struct call_counter copy = *counter;
	uint64_t time =
		counter_until(session, (struct call_counter *)counter, now);

	if (!call_activations_count(&counter->activations)) {
		counter_read(counter, out);
		return;
	}
	map_block(&copy, counter->goroutine ? &of_goroutine : &of_thread);
	call_activations_copy(&counter->activations, &copy.activations);
	if (counter->tick > 0) {
		copy.activations.block->taken = counter->taken_units;
		add_open_waiting(session, counter, copy.activations.block, now);
	}
	call_activations_end(&copy.activations, time);
	/* Calls that go on have not ended without a return. */
	for (uint32_t i = 0; i < copy.activations.block->arc_count; i++)
		call_block_cold(copy.activations.block, i)->unreturned =
			call_block_cold(counter->activations.block, i)
				->unreturned;
	read_block(counter, copy.activations.block, out);
	munmap(copy.activations.block, copy.bytes);
	call_activations_deinit(&copy.activations);
}
