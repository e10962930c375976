/*
 * cover.h - what becomes of the program should the tool die: cover.c
 */
#ifndef PROBE_COVER_H
#define PROBE_COVER_H

#include "perftool/probe.h"

struct action;
struct space;

/* Should the tool die, sites go on by themselves: have SIGTRAP handled. */
void cover(struct probe *probe, struct space *space);
/* The same for those that borrow the memory and were there before. */
void cover_borrowers(struct probe *probe, struct space *space);
/* Undo that; the store stays. */
struct error *uncover(struct space *space);
struct error *uncover_borrower(struct space *space, struct process *process);
/* Is the handler still there? The kernel removes it at an int3 in a thread
 * that blocks SIGTRAP. */
bool is_uncovered(const struct space *space);
/* Then have it handled again, and say so; all threads are STOPPED. */
void cover_again(struct probe *probe, struct space *space);
/* What a seccomp filter may do then is said once; nobody need be stopped. */
void warn_of_filters(struct probe *probe, struct space *space);
/* Is this our handler? */
bool is_survivor(const struct space *space, const struct action *action);

#endif
