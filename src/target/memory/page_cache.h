/*
 * page_cache.h - pages of a process that are read once, and written once:
 * page_cache.c
 */
#ifndef TARGET_KEPT_H
#define TARGET_KEPT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/map.h"
#include "perftool/target.h"

/* Zero: of no process. */
struct kept {
	struct process *process;
	page_rank_fn rank;
	void *context;
	struct map pages; /* address -> struct kept_page */
};

/* As pread(2) and pwrite(2) of the process's memory; they go by way of the
 * pages that are kept, if it is their process. */
ssize_t kept_read(struct process *process, uint64_t address, void *buffer,
		  size_t size);
ssize_t kept_write(struct process *process, uint64_t address,
		   const void *buffer, size_t size);

/* The process is no more, or has another memory. */
void kept_forget(struct process *process);

#endif
