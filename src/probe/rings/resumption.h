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
/* Would this thread record when it goes on, if it went on now? */
bool resumed_is_told(const struct thread *thread);
/* The address to send a thread to that is to go on in a slot: the trampoline,
 * or the slot itself. */
uint64_t resumed_pc(struct thread *thread, uint64_t slot);
/* resumed_at(): the thread went on at that time, in ns of the tool's clock.
 * resumed_unseen(): nobody knows when it went on. */
void resumed_at(struct probe *probe, struct ring *ring, uint64_t time);
void resumed_unseen(struct probe *probe, struct ring *ring);

#endif
