/*
 * late_fork.h - a child whose fork is reported after its parent's memory has
 * changed: late_fork.c
 */
#ifndef PROBE_LATE_FORK_H
#define PROBE_LATE_FORK_H

struct error;
struct probe;
struct space;

/* The tool is changing its data in the memory of this space, perhaps while
 * threads execute. */
void late_fork_note_change(struct space *space);
/* All threads of all spaces have stopped. */
void late_fork_all_stopped(struct probe *probe);
/* A child's fork is being reported: bring the child's memory to the state that
 * its space (a clone of the parent's) describes. */
struct error *late_fork_catch_up(struct space *parent, struct space *child);

#endif
