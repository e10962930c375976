/*
 * trampoline_trap.c - threads that stop in a trampoline, the code that records
 * the hits of a fast site
 *
 * Neither the handler of a signal nor the user may see a pc in a trampoline. A
 * thread that stops there is put back to the site if its hit was not recorded;
 * else it is moved on to the slot, where it executes the displaced instruction.
 * A thread traps in a trampoline by itself for these reasons: its ring is full;
 * it has no ring of the tool, because there was no memory for one, or because
 * the program uses the gs segment for something else; or it is at an indirect
 * jump whose target the tool does not know; or an expression follows a pointer,
 * and the tool does not know whether the thread can read there.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "perftool/arch.h"
#include "perftool/base/clock.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "resumption.h"
#include "rings.h"
#include "trampoline_trap.h"

/* A thread that has faulted so often where it followed pointers reads in no
 * further memory by itself. */
#define MOST_FAULTS 8

/* ---- leaving a trampoline ------------------------------------------------ */

/* The slot in which a thread that is in this trampoline will go on. */
static uint64_t slot_of(const struct fast_site *fast,
			const struct thread *thread)
{
	const struct ring *ring = thread->ring;

	return !fast->trampoline.slot && ring ? ring->header->slot
					      : fast->trampoline.slot;
}

bool fast_map_pc(const struct space *space, const struct thread *thread,
		 struct user_regs_struct *regs, struct undone *undone)
{
	const struct fast_site *fast;
	uint64_t site;

	*undone = (struct undone){0};
	if (!space->fast.trampolines.count)
		return false;
	site = (uintptr_t)map_get(&space->fast.landings, regs->rip);
	if (site) {
		regs->rip = site;
		return true;
	}
	fast = fast_site_at(space, regs->rip);
	if (!fast ||
	    !trampoline_undo(&fast->trampoline, regs, target_read_callback,
			     space->process, undone))
		return false;
	if (fast->purpose == SITE_RESUME)
		regs->rip = slot_of(fast, thread);
	return true;
}

static void void_cells(const struct ring *ring, uint64_t position,
		       unsigned cells)
{
	for (unsigned i = 0; i < cells; i++)
		__atomic_store_n(
			&ring_cell(ring,
				   position + i * sizeof(struct ring_cell))
				 ->site,
			RING_VOID, __ATOMIC_RELEASE);
}

/* `regs` are those of the thread now. */
static void abandon(const struct thread *thread, const struct fast_site *fast,
		    const struct user_regs_struct *regs,
		    const struct undone *undone)
{
	if (!thread->ring)
		return;
	if (undone->reserved)
		void_cells(thread->ring, undone->position,
			   fast->trampoline.cells);
	if (undone->call_counted && fast)
		calls_skip(thread->ring, fast, regs);
	if (fast && fast->purpose == SITE_RESUME && !undone->recorded)
		resumed_unseen(fast->probe, thread->ring, undone->call_counted);
}

static bool write_callback(void *process, uint64_t address, const void *data,
			   size_t size)
{
	struct error *error = target_write(process, address, data, size);
	bool done = !error;

	error_destroy(error);
	return done;
}

/* Find the trampoline from which the counting code was called, and where in it.
 * The code runs on the stack of the thread's block, or on the stack that the
 * trampoline had. At a trap the thread has the program's stack pointer, and its
 * own in rdx. */
static const struct fast_site *caller_of(struct space *space,
					 const struct user_regs_struct *regs,
					 uint64_t *called_from)
{
	uint64_t block = regs->gs_base + RING_DISTANCE;
	uint64_t stack, rsp = regs->rsp;

	if (!target_read_callback(
		    space->process,
		    block + offsetof(struct ring_header, counting_saved.rsp),
		    &stack, sizeof(stack)))
		return NULL;
	if (rsp == stack)
		rsp = regs->rdx;
	if (rsp - block < COUNTING_STACK)
		stack = block + COUNTING_STACK;
	return target_read_callback(space->process,
				    stack - sizeof(*called_from), called_from,
				    sizeof(*called_from))
		       ? fast_site_at(space, *called_from)
		       : NULL;
}

/* Move a thread out of the counting code, which a trampoline has called
 * (counting.h). If the thread is in the middle of a hit that it counts, the hit
 * is completed. Returns false if the thread is not there. */
static bool leave_counting(struct space *space, struct user_regs_struct *regs,
			   const struct fast_site **fast, struct undone *undone)
{
	struct counting_undone inside;
	uint64_t called_from;

	if (!counts_has(space, regs->rip))
		return false;
	*fast = caller_of(space, regs, &called_from);
	return *fast &&
	       counting_finish(regs->rip - space->fast.counting_code, regs,
			       target_read_callback, write_callback,
			       space->process, &inside) &&
	       trampoline_undo_call(&(*fast)->trampoline, called_from, &inside,
				    regs, target_read_callback, space->process,
				    undone);
}

struct error *fast_leave(struct space *space, struct thread *thread)
{
	const struct fast_site *fast;
	struct user_regs_struct regs;
	struct undone undone;

	if (!space->fast.trampolines.count)
		return NULL;
	TRY(target_get_regs(thread, &regs));
	fast = fast_site_at(space, regs.rip);
	if (!leave_counting(space, &regs, &fast, &undone) &&
	    !fast_map_pc(space, thread, &regs, &undone))
		return NULL;
	TRY(target_set_regs(thread, &regs));
	abandon(thread, fast, &regs, &undone);
	return NULL;
}

/* ---- traps --------------------------------------------------------------- */

/* The thread has reserved a record at a position that its ring will never
 * reach, because the program has written into the ring. Put the thread back to
 * the site, where it will reserve again. */
static struct error *reserve_again(struct space *space, struct thread *thread,
				   uint64_t pc)
{
	const struct fast_site *unused;
	struct user_regs_struct regs;
	struct undone undone;

	TRY(target_get_regs(thread, &regs));
	regs.rip = pc;
	if (leave_counting(space, &regs, &unused, &undone) ||
	    fast_map_pc(space, thread, &regs, &undone))
		TRY(target_set_regs(thread, &regs));
	return target_deliver(thread, 0, NULL);
}

/* The ring of the thread was full. As before every event, the tool has read the
 * ring before it handles this one. Let the thread ask for room again, for so
 * many cells, at `again`; the thread itself records how long it waited. */
static struct error *make_room(struct probe *probe, const struct event *event,
			       unsigned cells, uint64_t again)
{
	struct ring *ring = event->thread->ring;
	uint64_t own = ring->header->head - cells * sizeof(struct ring_cell);

	/* The ring was read since the last trap, which is enough to make room,
	 * and nothing was in it. */
	if (ring->tail == ring->trapped_at)
		return reserve_again(event->process->owner, event->thread,
				     event->pc - 1);
	ring->trapped_at = ring->tail;
	ring->stalled = own;
	ring->stall_from = ring->header->stall_from;
	/* The thread has completed all records that it has reserved before the
	 * one for which it waits. */
	if (own - ring->tail <= ring->size)
		ring->written = own;
	ring_grow(probe, ring, own);
	return resume_from_int3(probe, event->thread, again, NULL);
}

static struct error *has_ring(const struct probe *probe, struct thread *thread,
			      bool *result)
{
	const struct ring *ring = thread->ring;
	uint64_t base;

	*result = false;
	if (!ring)
		return NULL;
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, gs_base),
			   &base));
	*result = base + RING_DISTANCE == ring->address &&
		  ring->header->cookie == probe->rings.cookie;
	return NULL;
}

/* ---- memory in which threads follow pointers ------------------------------
 */

/* Remove the ranges in which the thread may read at any of these addresses.
 * Returns false if there were none. */
static bool forget_readable(struct ring_header *header, uint64_t low,
			    uint64_t high)
{
	bool any = false;

	for (size_t i = 0; i < RING_READABLE; i++) {
		struct ring_readable *at = &header->readable[i];

		if (!at->numbers || at->low >= high ||
		    low >= at->low + at->numbers + sizeof(uint64_t) - 1)
			continue;
		*at = (struct ring_readable){0};
		any = true;
	}
	return any;
}

/* Would a fault leave the program's signals as they are? If a thread blocks a
 * signal that it causes itself, or the program ignores it, the kernel sets the
 * program's action to the default. */
static bool may_fault(const struct thread *thread)
{
	const uint64_t signals =
		UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1);
	struct proc_status status;

	return target_read_status(thread->tid, &status) &&
	       !((status.blocked | status.ignored) & signals);
}

/* A thread's first looks at memory are free. Each further one must wait so many
 * times as long as the last one took, so that a thread that follows pointers to
 * ever new memory, or to none, is not held much longer than by an int3. */
#define FREE_LOOKS 16
#define LOOKS_APART 64

/* Find the mapping that contains the address, if the thread may read there. */
static bool find_readable(const struct probe *probe,
			  const struct thread *thread, uint64_t address,
			  uint64_t *low, uint64_t *high)
{
	struct ring *ring = thread->ring;
	const uint64_t before = clock_now(probe->clock);
	bool found;

	if (address < ARCH_PAGE || ring->faults == MOST_FAULTS ||
	    space_of(thread->process)->fast.has_bad_pointers ||
	    (ring->looks >= FREE_LOOKS && before < ring->next_look))
		return false;
	found = may_fault(thread) &&
		target_find_readable(thread->process, address, low, high);
	ring->looks += ring->looks < FREE_LOOKS;
	ring->next_look = clock_now(probe->clock);
	ring->next_look += (ring->next_look - before) * LOOKS_APART;
	return found;
}

/* The thread has trapped because it would have read outside of all ranges. Let
 * it read in the mapping that it would have read in from now on, if it can do
 * so at once. The thread is stopped, and nobody else writes there. */
static void learn_readable(const struct probe *probe,
			   const struct thread *thread)
{
	const struct ring *ring = thread->ring;
	struct ring_header *header = ring->header;
	const uint64_t address = header->unread;
	uint64_t low, high, size;

	if (!address)
		return;
	header->unread = 0;
	if (!find_readable(probe, thread, address, &low, &high))
		return;
	size = high - low;
	forget_readable(header, low, high);
	memmove(&header->readable[1], &header->readable[0],
		sizeof(header->readable) - sizeof(header->readable[0]));
	header->readable[0] = (struct ring_readable){
		low, size - sizeof(uint64_t) + 1, size - RING_TEXT + 1};
}

/* If the tool is killed while a thread has such a fault, the program gets the
 * signal. So one fault must be enough where the program is to survive that. */
static void follow_no_pointers(struct probe *probe, struct space *space)
{
	space->fast.has_bad_pointers = true;
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		if (ring->space == space)
			forget_readable(ring->header, 0, UINT64_MAX);
	}
}

/* Has the thread faulted because it has followed a pointer into memory that the
 * program has unmapped since? Then it does not read there any more. The same
 * holds if the program has its unaligned accesses reported (the flag AC): a
 * text may begin anywhere. The kernel names no address then, so the thread
 * reads nowhere any more. */
static bool is_bad_pointer(struct probe *probe, struct thread *thread,
			   const siginfo_t *info)
{
	const bool is_unaligned =
		info->si_signo == SIGBUS && info->si_code == BUS_ADRALN;
	const uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	const uint64_t low = is_unaligned ? 0 : address;
	const uint64_t high = is_unaligned ? UINT64_MAX : address + 1;
	struct space *space = space_of(thread->process);
	struct ring *ring = thread->ring;

	/* (A trampoline that may not read the counter has a code that is none
	 * of memory.) */
	if (!ring || info->si_code == SI_KERNEL)
		return false;
	/* Another thread may have faulted at the same time, so that no ranges
	 * are left. */
	if (!forget_readable(ring->header, low, high) &&
	    !(space->fast.has_bad_pointers && ring->faults < MOST_FAULTS))
		return false;
	if (ring->faults < MOST_FAULTS)
		ring->faults++;
	if (thread->process->survives)
		follow_no_pointers(probe, space);
	return true;
}

/* Why the thread finds no ring by its gs base. The tool makes the gs base of a
 * thread 0 for which it has no ring. */
static const char *why_no_ring(struct thread *thread)
{
	uint64_t base = 1;

	error_destroy(target_get_reg(
		thread, offsetof(struct user_regs_struct, gs_base), &base));
	return thread->ring || base
		       ? "the program uses the gs segment itself"
		       : "perftool cannot give its threads memory for records";
}

/* The thread has trapped before it recorded its hit. Either it has no ring of
 * the tool, so that all sites become int3s; or it is at an indirect jump whose
 * target the tool does not know; or it would have followed a pointer to memory
 * that it is not known to be able to read. Make the hit as at an int3. */
static struct error *without_record(struct probe *probe,
				    const struct event *event,
				    const struct fast_site *fast,
				    struct probe_outcome *outcome)
{
	struct space *space = space_of(event->thread->process);
	struct site *site = map_get(&space->sites, fast->trampoline.site);
	struct event at_site = *event;
	bool asks;

	TRY(has_ring(probe, event->thread, &asks));
	if (asks)
		learn_readable(probe, event->thread);
	else
		TRY(fast_give_up(probe, space, why_no_ring(event->thread)));
	if (!site) {
		abandon(event->thread, fast, NULL, &(struct undone){0});
		return resume_from_int3(probe, event->thread,
					slot_of(fast, event->thread), NULL);
	}
	at_site.pc = site->address + 1;
	at_site.regs.rip = at_site.pc;
	return user_trap(probe, &at_site, site, true, outcome);
}

/* A thread that counts a call by itself leaves the hit to the tool. Put it back
 * to the site, with the program's registers, and make the hit as at an int3. */
static struct error *make_untold(struct probe *probe, const struct event *event,
				 struct probe_outcome *outcome)
{
	struct space *space = space_of(event->thread->process);
	struct thread *thread = event->thread;
	const struct fast_site *fast;
	struct event at_site = *event;
	struct undone undone;
	struct site *site;

	TRY(target_get_regs(thread, &at_site.regs));
	at_site.regs.rip = event->pc - 1;
	if (!leave_counting(space, &at_site.regs, &fast, &undone) ||
	    !(site = map_get(&space->sites, fast->trampoline.site)))
		/* The site is gone: the thread goes on behind the int3. */
		return target_deliver(thread, 0, NULL);
	at_site.pc = at_site.regs.rip = site->address + 1;
	/* (In the counting code the thread was on the stack of its block.) */
	at_site.sp = at_site.regs.rsp;
	at_site.has_regs = true;
	TRY(target_set_regs(thread, &at_site.regs));
	return user_trap(probe, &at_site, site, true, outcome);
}

/* Does the program single-step itself, and has a step ended in code of the
 * tool, to which a jump of the tool has led? The program must not see that
 * step. */
static struct error *is_step_within(const struct event *event, bool *within)
{
	struct space *space = event->process->owner;
	siginfo_t info;

	*within = false;
	if (!space || !space->fast.trampolines.count)
		return NULL;
	/* (A thread that is at the start of a slot can only have come from a
	 * trampoline.) */
	if (!store_site_of(space, event->pc) &&
	    !fast_site_at(space, event->pc) && !counts_has(space, event->pc) &&
	    !map_get(&space->fast.landings, event->pc))
		return NULL;
	TRY(target_get_siginfo(event->thread, &info));
	*within = info.si_code == TRAP_TRACE;
	return NULL;
}

struct error *fast_trap(struct probe *probe, const struct event *event,
			struct probe_outcome *outcome, bool *handled)
{
	struct space *space = event->process->owner;
	uint64_t pc = event->pc - 1;
	const struct fast_site *fast = space ? fast_site_at(space, pc) : NULL;
	uint64_t again =
		space && event->thread->ring ? counts_again(space, pc) : 0;
	bool is_untold = space && calls_are_untold(space, pc);
	bool waits = fast && event->thread->ring &&
		     pc - fast->trampoline.address == fast->trampoline.wait;
	bool is_foreign = fast && pc - fast->trampoline.address ==
					  fast->trampoline.foreign;

	if (!is_untold && !again && !waits && !is_foreign) {
		TRY(is_step_within(event, handled));
		return *handled ? target_deliver(event->thread, 0, NULL) : NULL;
	}
	*handled = true;
	TRY(keep_merged(probe, event->thread));
	if (is_untold)
		return make_untold(probe, event, outcome);
	if (again)
		return make_room(probe, event, 1, again);
	return waits ? make_room(probe, event, fast->trampoline.cells,
				 fast->trampoline.address +
					 fast->trampoline.again)
		     : without_record(probe, event, fast, outcome);
}

/* ---- faults -------------------------------------------------------------- */

struct error *fast_fault(struct probe *probe, const struct event *event,
			 bool *handled)
{
	struct thread *thread = event->thread;
	struct space *space = thread->process->owner;
	const struct fast_site *fast;
	struct user_regs_struct regs;
	struct undone undone;
	siginfo_t info;
	bool is_pointer;

	*handled = false;
	if ((event->signal != SIGSEGV && event->signal != SIGBUS) || !space)
		return NULL;
	TRY(target_get_regs(thread, &regs));
	fast = fast_site_at(space, regs.rip);
	if (!fast || !fast_map_pc(space, thread, &regs, &undone))
		return NULL;
	TRY(target_get_siginfo(thread, &info));
	if (info.si_code <= 0) /* somebody has sent it */
		return NULL;
	is_pointer = is_bad_pointer(probe, thread, &info);
	if (event->signal != SIGSEGV && !is_pointer)
		return NULL;
	*handled = true;
	if (!is_pointer)
		TRY(fast_give_up(probe, space,
				 undone.reserved
					 ? "the program may not read the "
					   "processor's counter"
					 : why_no_ring(thread)));
	abandon(thread, fast, &regs, &undone);
	TRY(target_set_regs(thread, &regs));
	return target_deliver(thread, 0, NULL);
}
