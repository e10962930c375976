/*
 * resumption.h - when a thread went on from an int3, as recorded by the thread
 * itself: resumption.c
 */
#ifndef PROBE_RESUMPTION_H
#define PROBE_RESUMPTION_H

#include "perftool/probe.h"

struct ring;
struct space;

/* Make the trampoline through which threads go on from int3s, if the space has
 * rings and no such trampoline yet. */
struct error *resumed_prepare(struct probe *probe, struct space *space);
/* If this thread went on from an int3 now, would it record when it goes on? */
bool resumed_is_told(const struct thread *thread);
/* The address to which the tool sends a thread that is to go on in a slot: the
 * trampoline in which the thread records the time, or the slot itself. */
uint64_t resumed_pc(struct thread *thread, uint64_t slot);
/* resumed_at(): the thread of the ring has recorded that it went on at that
 * time, in ns of the tool's clock. resumed_unseen(): the thread has gone on
 * without a record of the time; `added`: it has added the time to what stops
 * have taken from its calls. */
void resumed_at(struct probe *probe, struct ring *ring, uint64_t time);
void resumed_unseen(struct probe *probe, struct ring *ring, bool added);

#endif
