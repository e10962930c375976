/*
 * call_counters.c - what each thread has counted of the calls of named
 * functions, and where the call sites are
 *
 * The block of a counter (call_block.h) is mapped memory of which a thread that
 * does little uses few pages. The goroutines of a process come and go in great
 * numbers, so a counter whose goroutine has no call open serves the next
 * goroutine, and the counts of all of them are together.
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
	vec_push(&profile->threads, thread);
	return (uint32_t)profile->threads.count - 1;
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
