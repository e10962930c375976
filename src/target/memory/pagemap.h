/*
 * pagemap.h - which pages of a process's memory hold anything
 *
 * Reading a page that the process has not touched would make the kernel give it
 * one. /proc/PID/pagemap tells which pages are in memory or swapped out
 * (kernel, admin-guide/mm/pagemap).
 */
#ifndef TARGET_PAGEMAP_H
#define TARGET_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How many pages one call of pagemap_read() can tell of. */
#define PAGEMAP_MOST 512

/* A file descriptor, which the caller closes; negative: errno says why. */
int pagemap_open(pid_t pid);
/* `holds[i]` tells of the page at `address + i * ARCH_PAGE`; `pages` is at most
 * PAGEMAP_MOST. False: the kernel does not say. */
bool pagemap_read(int pagemap, uint64_t address, size_t pages, bool *holds);

#endif
