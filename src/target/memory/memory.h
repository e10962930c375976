/*
 * memory.h - the memory of processes and the registers of their threads
 *
 * memory.c reads and writes them. page_cache.c keeps pages of a process that
 * stands still, so that thousands of small writes become a few large writes.
 * memory_access.c makes one access, through /proc/PID/mem or by ptrace, when
 * served_pages.c has found that the access will not wait for ever.
 */
#ifndef TARGET_MEMORY_H
#define TARGET_MEMORY_H

#include "page_cache.h"
#include "pagemap.h"
#include "perftool/target.h"
#include "served_pages.h"

/* Returns ERROR_GONE if no process uses the memory of the process any more,
 * else NULL. */
struct error *memory_is_there(const struct process *process);
/* Make the error for a write to the memory that has failed: `put` is what
 * pwrite(2) returned, and errno is as pwrite(2) has set it. */
struct error *cannot_write(const struct process *process, uint64_t address,
			   ssize_t put);

#endif
