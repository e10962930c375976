/*
 * site_loss.h - breakpoints that are not in memory any more: site_loss.c
 */
#ifndef PROBE_SITE_LOSS_H
#define PROBE_SITE_LOSS_H

#include "perftool/probe.h"

struct space;

/* Look, now and then, whether all sites are still in memory; if
 * not, all threads are asked to stop. */
struct error *look_at_sites(struct probe *probe, uint64_t now);
/* All threads that use the memory are STOPPED: put those in again that are not
 * there any more, where that is safe, and say so. */
void mend_sites(struct probe *probe, struct space *space);
/* Were kernel uprobes hit in the process, now or earlier? */
bool find_uprobes(struct space *space);
/* Have a site tell that the process is about to end, if its libc is there. */
struct error *watch_end(struct probe *probe, struct space *space);
/* It is: say which sites are not in memory. Its threads may run. */
void tell_missing(struct probe *probe, struct space *space,
		  const struct process *process);

#endif
