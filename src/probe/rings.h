/*
 * rings.h - where fast nodes write: a ring for each thread: rings.c, and what
 * is read there: drain.c
 */
#ifndef PROBE_RINGS_H
#define PROBE_RINGS_H

#include "perftool/probe.h"
#include "perftool/ring.h"

struct space;
struct ring_pool;

struct ring {
	struct ring_header *header; /* as the tool sees it, .. */
	uint64_t address;           /* .. and the process */
	uint64_t tail;              /* what was read so far, as `head` counts */
	struct holder holder;       /* its thread; that may be gone: */
	struct thread *thread;      /* NULL then */
	struct space *space;        /* where its sites are; NULL: it has gone */
	bool is_counted;            /* else its records mean nothing */
	uint64_t last;              /* time (counter) of the last one read */
	uint64_t lost;              /* records that were never completed */
	struct ring_pool *pool;
	unsigned index; /* in the pool */
};
VEC_STRUCT(ring_list, struct ring *);
VEC_STRUCT(ring_pool_list, struct ring_pool *);

/*
 * Give a STOPPED thread a ring and point its gs base there, if it has none.
 * Fails if the thread uses gs for something else.
 */
struct error *ring_give(struct probe *probe, struct space *space,
			struct thread *thread);
/* A STOPPED thread goes on without: its gs base is 0 again. */
struct error *ring_take(struct probe *probe, struct thread *thread);
/* Its thread is no more; what it has written is still to be read. */
void ring_orphan(struct probe *probe, const struct thread *thread);
/* A forked child's memory has the same rings in it. */
void rings_copy(const struct ring_pool_list *from, struct ring_pool_list *to);
/* The memory is gone: those in it that were read are given back. */
void rings_drop(struct probe *probe, struct space *space);
void rings_free(struct probe *probe);

/* Give back what is read and whose thread is gone. */
void rings_tidy(struct probe *probe);

static inline struct ring_cell *ring_cell(const struct ring *ring,
					  uint64_t position)
{
	return (struct ring_cell *)((char *)ring->header + RING_CELLS +
				    position % RING_BYTES);
}

/*
 * Tell of the hits that were recorded, those of all threads in the order of
 * their time. `whole`: nobody runs, or what is in no order with it does not
 * matter: everything; else up to where no thread can still be writing
 * something earlier.
 */
void drain(struct probe *probe, bool whole);

#endif
