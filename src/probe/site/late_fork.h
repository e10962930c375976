/*
 * late_fork.h - a child whose fork is told after its parent's memory changed:
 * late_fork.c
 */
#ifndef PROBE_LATE_FORK_H
#define PROBE_LATE_FORK_H

struct error;
struct probe;
struct space;

/* What is ours in the memory of this space changes, maybe while threads
 * execute. */
void late_fork_note_change(struct space *space);
/* All threads have stopped, of all spaces. */
void late_fork_all_stopped(struct probe *probe);
/* Have the memory of a child that is told of now be what its clone says. */
struct error *late_fork_catch_up(struct space *parent, struct space *child);

#endif
