/*
 * memory.h - the memory and the registers of a process's threads
 *
 * memory.c reads and writes them. page_cache.c keeps pages of a process that
 * stands still, so that thousands of small writes become a few large ones.
 * memory_access.c does one access, through /proc/PID/mem or by system calls.
 */
#ifndef TARGET_MEMORY_H
#define TARGET_MEMORY_H

#include "page_cache.h"
#include "pagemap.h"
#include "perftool/target.h"

/* ERROR_GONE when nobody uses its memory any more. */
struct error *memory_is_there(const struct process *process);
/* What pwrite(2) of its memory has failed with. */
struct error *cannot_write(const struct process *process, uint64_t address,
			   ssize_t put);

#endif
