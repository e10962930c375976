/*
 * site_loss.h - breakpoints that are not in memory any more: site_loss.c
 */
#ifndef PROBE_SITE_LOSS_H
#define PROBE_SITE_LOSS_H

#include "perftool/probe.h"

struct space;

/* Check whether all sites are still in memory, if the last check is long enough
 * ago. If a site is not in memory, all threads are asked to stop. */
struct error *look_at_sites(struct probe *probe, uint64_t now);
/* Insert the sites that are missing in memory again where that is safe, and
 * tell the user. If `jumps` is false, the sites that are jumps are not looked
 * at. All threads that use the memory are STOPPED. */
void mend_sites(struct probe *probe, struct space *space, bool jumps);
/* Were kernel uprobes hit in the process, now or earlier? */
bool find_uprobes(struct space *space);
/* Put a site into the C library that reports that the process is about to end,
 * if the library is loaded. */
struct error *watch_end(struct probe *probe, struct space *space);
/* The process is about to end: tell the user which sites are not in memory. The
 * threads of the process may be running. */
void tell_missing(struct probe *probe, struct space *space,
		  const struct process *process);

#endif
