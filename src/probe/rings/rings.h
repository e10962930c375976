/*
 * rings.h - what threads tell by themselves, and when it is told to the owner
 *
 * Trampolines write a record of each hit into a ring of their thread, which is
 * memory that the process and the tool share (rings.c). The reader of the rings
 * makes hits of the records of all threads, in the order of their time
 * (drain.c). The kernel writes a log of each thread's context switches, which
 * is told together with the hits (context_switches.h). A thread also says when
 * it went on from an int3 (resumption.h). A thread that stops in a trampoline,
 * perhaps because its ring is full, is led on (trampoline_trap.h).
 *
 * This folder uses process, site, arrival, survive and fast; the folder
 * calibrate uses it, which measures what a record costs.
 */
#ifndef PROBE_RINGS_H
#define PROBE_RINGS_H

#include "context_switches.h"
#include "perftool/probe.h"
#include "perftool/ring.h"
#include "probe/arrival/arrival.h"
#include "resumption.h"
#include "trampoline_trap.h"

struct space;
struct ring_pool;

/* A stop that is over and not reported yet. */
struct finished_stop {
	struct holder holder; /* its serial 0: none */
	uint64_t arrival, resume;
	struct unseen cost; /* as calibrated when it began */
	bool is_stepped;    /* all threads stopped for it */
};

struct ring {
	struct ring_header *header; /* as the tool sees it, .. */
	uint64_t address;           /* .. and the process */
	/* Bytes of its cells; a power of two. The program may write anything
	 * into the header, so the tool does not read it there. */
	uint64_t size;
	uint64_t tail;         /* what was read so far, as `head` counts */
	uint64_t head;         /* how far that was when it was last looked at */
	struct holder holder;  /* its thread; that may be gone: */
	struct thread *thread; /* NULL then */
	struct space *space;   /* where its sites are; NULL: it has gone */
	bool is_counted;       /* else its records mean nothing */
	uint64_t stack_low, stack_high; /* of its thread */
	uint64_t lost;                  /* records that were never completed */
	uint64_t written;    /* as `tail`: before it there is nothing that its
				thread will still complete */
	bool is_overwritten; /* by the program; to be told of */
	uint64_t stalled;    /* as `tail`: where the record is that waited for
				room; UINT64_MAX: none */
	uint64_t stall_from; /* when that wait began, as the counter says */
	uint64_t trapped_at; /* `tail` when its thread last came for room */
	/* it says itself when it went on from there: resumption.c */
	struct finished_stop finished;
	struct watch *watch; /* its thread's, if switches are heard of; NULL */
	struct ring_pool *pool;
	unsigned index; /* in the pool */
};
VEC_STRUCT(ring_list, struct ring *);
VEC_STRUCT(ring_pool_list, struct ring_pool *);

/* Those of all processes. */
struct rings {
	struct ring_list list;
	uint32_t cookie; /* of our rings, in those of all tools */
	uint64_t bytes;  /* that one ring may have at most */
};

/*
 * Give a STOPPED thread a ring and point its gs base there, if it has none.
 * Fails if the thread uses gs for something else.
 */
struct error *ring_give(struct probe *probe, struct space *space,
			struct thread *thread);
/* It has that of another thread: it goes on without. */
struct error *ring_take_away(struct thread *thread);
/* The STOPPED threads of a process that is let go of have none any more. */
struct error *rings_take(struct space *space, struct process *process);
/* Unmap their memory from the process, unless a thread could not be made to be
 * without a ring: then the next tool that attaches unmaps it. */
struct error *rings_unmap(const struct space *space);
/* Its thread is no more; what it has written is still to be read. */
void ring_orphan(struct thread *thread);
/* The same of all threads of a process, some of which may be forgotten. */
void rings_orphan(struct probe *probe, struct process *process);
/* Does a process have the rings of this memory in its own? (Two may have theirs
 * at the same address.) */
bool rings_are_in(const struct space *space, const struct process *process);
/* A forked child's memory has the same rings in it. */
void rings_copy(const struct space *space, struct space *clone);
/* The memory is gone: those in it that were read are given back. */
void rings_drop(struct probe *probe, struct space *space);
void rings_free(struct probe *probe);

/* Let a ring be larger whose STOPPED thread waits for room with a record that
 * it has reserved there; if no other is unread, and there may be more memory.
 */
void ring_grow(struct probe *probe, struct ring *ring, uint64_t reserved);

/* Give back what is read and whose thread is gone. */
void rings_tidy(struct probe *probe);

static inline struct ring_cell *ring_cell(const struct ring *ring,
					  uint64_t position)
{
	return (struct ring_cell *)((char *)ring->header + RING_CELLS +
				    (position & (ring->size - 1)));
}

/*
 * Tell of the hits that were recorded until then (ns of the tool's clock),
 * those of all threads in the order of their time; returns how many. `whole`:
 * also where a thread may still be writing something earlier.
 */
size_t drain(struct probe *probe, uint64_t until, bool whole);
/* As far as can be told now. */
size_t drain_now(struct probe *probe);
/* What its thread did until then (ns) comes before the next hit. */
uint64_t ring_told_until(const struct probe *probe, struct ring *ring);

#endif
