/*
 * cover.h - a handler of SIGTRAP that keeps the program alive if the tool dies:
 * cover.c
 */
#ifndef PROBE_COVER_H
#define PROBE_COVER_H

#include "perftool/probe.h"

struct action;
struct space;

/* Install the handler of SIGTRAP in the process of the space. If the tool dies,
 * the handler lets threads go on at int3s. If the handler cannot be installed,
 * the user is told why. */
void cover(struct probe *probe, struct space *space);
/* Install the handler, too, in the processes that borrow the memory and existed
 * before the tool attached. */
void cover_borrowers(struct probe *probe, struct space *space);
/* Give the disposition of SIGTRAP back to the program. The store (the tool's
 * memory with the handler in it) stays. */
struct error *uncover(struct space *space);
struct error *uncover_borrower(struct space *space, struct process *process);
/* Has the kernel removed the handler? It does so when a thread that blocks
 * SIGTRAP executes an int3. */
bool is_uncovered(const struct space *space);
/* Install the handler again after is_uncovered(), and tell the user. All
 * threads are STOPPED. */
void cover_again(struct probe *probe, struct space *space);
/* Tell the user, once, what a seccomp filter may do if the tool dies. No thread
 * has to be stopped. */
void warn_of_filters(struct probe *probe, struct space *space);
/* Is this action the tool's own handler? */
bool is_survivor(const struct space *space, const struct action *action);

#endif
