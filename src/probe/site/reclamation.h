/*
 * reclamation.h - gives memory of the tool in a process back, or frees it for
 * the next perftool
 */
#ifndef PROBE_RECLAMATION_H
#define PROBE_RECLAMATION_H

#include <stdbool.h>

struct error;
struct process;
struct space;

/* Is no thread of the process in trampolines, in landings, or in other code of
 * the tool but slots? This cannot be known of a thread that is not STOPPED. */
bool space_is_outside(struct space *space, struct process *process);

/* Unmap the landings, and free the memory of trampolines in the store, so that
 * the next perftool uses it again. No jump leads there any more, no thread is
 * in there, and no frame of a signal leads back there. */
struct error *space_reclaim(struct space *space);

#endif
