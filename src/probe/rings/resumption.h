/*
 * resumption.h - when a thread went on from an int3, by its own word:
 * resumption.c
 */
#ifndef PROBE_RESUMPTION_H
#define PROBE_RESUMPTION_H

#include "perftool/probe.h"

struct ring;
struct space;

/* The trampoline through which threads go on from int3s. */
struct error *resumed_prepare(struct probe *probe, struct space *space);
/* Would a thread that goes on now tell when it did? */
bool resumed_is_told(const struct thread *thread);
/* Where to send a thread that is to go on in a slot. */
uint64_t resumed_pc(struct thread *thread, uint64_t slot);
/* It did so then, in ns of the tool's clock; or nobody knows when. */
void resumed_at(struct probe *probe, struct ring *ring, uint64_t time);
void resumed_unseen(struct probe *probe, struct ring *ring);

#endif
