/*
 * rings.h - what threads record by themselves, and when that is reported to the
 * caller of the layer
 *
 * Trampolines (the code to which the jumps of fast sites lead) write a record
 * of each hit into a ring of their thread. A ring is memory that the process
 * and the tool share (rings.c); a record takes one or several cells of it. The
 * reader of the rings makes hits from the records of all threads, in the order
 * of their time (drain.c). The kernel writes a log of each thread's context
 * switches, which is reported together with the hits (context_switches.h). A
 * thread also records when it went on from an int3 (resumption.h). A thread
 * that stops in a trampoline, perhaps because its ring is full, is led out of
 * it (trampoline_trap.h).
 *
 * This folder uses process, site, arrival, survive and fast; the folder
 * calibrate, which measures what a record costs, uses it.
 */
#ifndef PROBE_RINGS_H
#define PROBE_RINGS_H

#include "backlog.h"
#include "context_switches.h"
#include "cost_in_run.h"
#include "counted_calls.h"
#include "counts.h"
#include "perftool/base/call_block.h"
#include "perftool/probe.h"
#include "perftool/ring.h"
#include "probe/arrival/arrival.h"
#include "resumption.h"
#include "trampoline_trap.h"

struct space;
struct ring_pool;

/* A stop of a thread that is over and was not reported yet. */
struct finished_stop {
	/* the thread; a serial number 0 means that there is no such stop */
	struct holder holder;
	uint64_t arrival, resume;
	/* the unseen cost of the stop, as calibration knew it when the stop
	 * began */
	struct unseen cost;
	/* `arrival` is when the kernel took the thread off its CPU */
	bool is_off_known;
	/* all threads were stopped, to single-step this thread */
	bool is_stepped;
	/* what calls_held() was told of it already, ns */
	double told_held;
	/* the thread itself adds to its calls how long the stop was */
	bool is_added;
};

struct ring {
	/* the ring's memory, as it is mapped in the tool */
	struct ring_header *header;
	uint64_t address; /* the address of the same memory in the process */
	/* The size of the cells in bytes, a power of two. The tool does not
	 * take it from the header, because the program may write anything
	 * there. */
	uint64_t size;
	/* the position up to which the tool has read; positions are counted in
	 * bytes, like `head` in the header, and never become smaller */
	uint64_t tail;
	uint64_t tail_before; /* `tail` when backlog_note() was last called */
	/* the position up to which the thread had reserved records when the
	 * tool last read `head` */
	uint64_t head;
	/* the thread of the ring, which may have ended */
	struct holder holder;
	struct thread *thread; /* NULL if the thread has ended */
	/* the space of the sites in its records; NULL if the space is gone */
	struct space *space;
	bool is_counted; /* Do the records of this ring count as hits? */
	uint64_t stack_low, stack_high; /* the stack of its thread */
	/* the number of records that were never completed */
	uint64_t lost;
	/* A position like `tail`. The thread has completed all records before
	 * it that it will ever complete. */
	uint64_t written;
	/* the program has written into the ring, and the user is still to be
	 * told */
	bool is_overwritten;
	/* The position of the record for which the thread waited for room in
	 * the ring; UINT64_MAX: none. */
	uint64_t stalled;
	/* the time at which that wait began, by the processor's counter */
	uint64_t stall_from;
	/* how many times the thread has faulted because it followed pointers
	 * (trampoline_trap.c) */
	uint8_t faults;
	/* how many times the tool has looked at the memory where the thread
	 * follows pointers, and the time before which it does not look again */
	uint32_t looks;
	uint64_t next_look;
	/* `tail` when the thread last trapped because its ring was full */
	uint64_t trapped_at;
	/* a stop of the thread whose end the thread records itself:
	 * resumption.c */
	struct finished_stop finished;
	/* The watch of its thread, if the tool gets the thread's context
	 * switches; else NULL. */
	struct watch *watch;
	struct ring_counts counts;
	/* The thread counts calls in its call block (counted_calls.h). The tool
	 * has a copy of its header, which the program cannot change. */
	bool counts_calls;
	struct call_block *shared_calls; /* as it is mapped in the tool */
	struct call_block calls;
	/* how many hits of calls the tool has made in the block */
	uint64_t calls_made;
	/* The thread is about to add to `held` of its calls when it goes on;
	 * and what `held` is as long as it has not done that. */
	bool is_resuming;
	uint64_t resume_held;
	struct ring_samples samples;
	struct ring_pool *pool;
	/* the number of the block that is the ring's memory, in the pool */
	unsigned index;
};
VEC_STRUCT(ring_list, struct ring *);
VEC_STRUCT(ring_pool_list, struct ring_pool *);

/* The rings of all processes. */
struct rings {
	struct ring_list list;
	/* identifies the rings of this tool among those of all perftools */
	uint32_t cookie;
	uint64_t bytes; /* the largest size of one ring, in bytes */
	struct backlog backlog;
	/* when the counts of all threads were last read, ns of the tool's
	 * clock */
	uint64_t counts_read_at;
	struct cost_in_run cost_in_run;
};

/*
 * Give a ring to a STOPPED thread that has none, and point its gs base there.
 * Fails if the thread uses gs for something else.
 */
struct error *ring_give(struct probe *probe, struct space *space,
			struct thread *thread);
/* If the thread has the gs base, and so the ring, of the thread that made it,
 * or a ring of its own, let it go on without a ring. */
struct error *ring_take(struct space *space, struct thread *thread);
/* Take the rings away from the STOPPED threads of a process that is being let
 * go. */
struct error *rings_take(struct space *space, struct process *process);
/* Map the call blocks of the threads of the space, if they are not mapped. New
 * threads get call blocks as long as the space counts calls. */
struct error *rings_map_calls(struct space *space);
/* The call block of a ring, which is mapped, as the tool has it. */
struct call_block *ring_calls(const struct ring *ring);
/* Unmap the rings from the memory of the space. If a thread still has a ring,
 * the rings stay mapped, and the next tool that attaches unmaps them. */
struct error *rings_unmap(struct space *space);
/* The thread has ended; the records in its ring are still to be read. */
void ring_orphan(struct thread *thread);
/* All threads of a process have ended. Some of their struct threads may have
 * been freed. */
void rings_orphan(struct probe *probe, struct process *process);
/* Does the process have the rings of this space in its own memory? (The rings
 * of two processes may be at the same address.) */
bool rings_are_in(const struct space *space, const struct process *process);
/* The address, in the process, of the word that says whether the tool lives
 * (struct ring_pool_head); 0: there is none. Only a process that is to outlive
 * the tool has one. */
uint64_t rings_life(const struct space *space);
/* Keep the name of a leg that threads count from now on, for a perftool that
 * attaches after this one has died. If the number of the leg was that of
 * another leg before, the threads begin to count anew. */
void rings_name_leg(const struct probe *probe, const struct space *space,
		    uint32_t leg, const char *name);
/* Note that the memory of a forked child contains the same rings as its
 * parent's. */
void rings_copy(const struct space *space, struct space *clone);
/* The memory of the space is gone: release its rings. Records that were not
 * read yet are lost. */
void rings_drop(struct probe *probe, struct space *space);
void rings_free(struct probe *probe);

/* The STOPPED thread of the ring waits for room for a record, which it has
 * reserved at the position `reserved`: make the ring larger. The function does
 * nothing if another record is unread, or if the rings may not take more
 * memory. */
void ring_grow(struct probe *probe, struct ring *ring, uint64_t reserved);

/* How much the thread of the ring may write before the tool has read it, in
 * bytes: the ring, unless reading so much would take too long. */
uint64_t ring_room(const struct probe *probe, const struct ring *ring);

/* Release the rings that are read completely and whose thread has ended. */
void rings_tidy(struct probe *probe);

static inline struct ring_cell *ring_cell(const struct ring *ring,
					  uint64_t position)
{
	return (struct ring_cell *)((char *)ring->header + RING_CELLS +
				    (position & (ring->size - 1)));
}

/*
 * Report the hits that were recorded until the time `until` (ns of the tool's
 * clock), for all threads in the order of their time. Returns how many records
 * were read. UINT64_MAX: all that were recorded until now. `whole`: do not wait
 * for a record that a thread may still be writing.
 */
size_t drain(struct probe *probe, uint64_t until, bool whole);
/* Report as many hits as can be reported now. */
size_t drain_now(struct probe *probe);
/* The time (ns) until which everything that the thread of the ring did comes
 * before the thread's next hit. */
uint64_t ring_told_until(const struct probe *probe, struct ring *ring);

#endif
