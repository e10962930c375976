/*
 * page_cache.h - keeps pages of one process in the tool, so that the tool reads
 * each page once and writes it once; see page_cache.c
 */
#ifndef TARGET_KEPT_H
#define TARGET_KEPT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/map.h"
#include "perftool/target.h"

/* If all members are zero, the pages of no process are kept. */
struct kept {
	struct process *process;
	page_rank_fn rank;
	void *context;
	struct map pages; /* address -> struct kept_page */
};

/* Read and write the memory of a process; the results are those of pread(2) and
 * pwrite(2). If pages of this process are kept, the functions use the kept
 * pages. */
ssize_t kept_read(struct process *process, uint64_t address, void *buffer,
		  size_t size);
ssize_t kept_write(struct process *process, uint64_t address,
		   const void *buffer, size_t size);

/* Forget the kept pages of a process that has ended, or that has a new
 * memory. */
void kept_forget(struct process *process);

#endif
