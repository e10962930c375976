/*
 * late_fork.h - a child whose fork is reported after its parent's memory has
 * changed: late_fork.c
 */
#ifndef PROBE_LATE_FORK_H
#define PROBE_LATE_FORK_H

struct error;
struct probe;
struct space;

/* Note that the tool is changing its data in the memory of this space. It
 * matters only if a thread that uses the memory executes meanwhile. */
void late_fork_note_change(struct space *space);
/* All threads of all spaces have stopped, and have reported their forks: forget
 * the changes that were noted. */
void late_fork_all_stopped(struct probe *probe);
/* A child's fork is being reported: change the child's memory so that it agrees
 * with `child`, which is a clone of its parent's space. */
struct error *late_fork_catch_up(struct space *parent, struct space *child);

#endif
