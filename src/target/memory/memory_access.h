/*
 * memory_access.h - bytes of a process's memory: memory_access.c
 */
#ifndef TARGET_ACCESS_H
#define TARGET_ACCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/target.h"

/* As pread(2) and pwrite(2) of the process's memory: 0 if it is no more. */
ssize_t access_read(const struct process *process, uint64_t address,
		    void *buffer, size_t size);
ssize_t access_write(const struct process *process, uint64_t address,
		     const void *data, size_t size);

#endif
