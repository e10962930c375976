/*
 * memory_access.h - reads and writes bytes of a process's memory; see
 * memory_access.c
 */
#ifndef TARGET_ACCESS_H
#define TARGET_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/target.h"

/* Read and write the memory of a process. The results are those of pread(2) and
 * pwrite(2) of /proc/PID/mem: 0 if the memory does not exist any more, and -1
 * with errno after a failure. */
ssize_t access_read(const struct process *process, uint64_t address,
		    void *buffer, size_t size);
ssize_t access_write(const struct process *process, uint64_t address,
		     const void *data, size_t size);

#endif
