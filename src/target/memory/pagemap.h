/*
 * pagemap.h - tells which pages of a process hold data
 *
 * If the tool read a page that the process has not touched, the kernel would
 * allocate the page for the process. /proc/PID/pagemap tells which pages are in
 * memory or swapped out (kernel, admin-guide/mm/pagemap).
 */
#ifndef TARGET_PAGEMAP_H
#define TARGET_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The largest number of pages for one call of pagemap_read(). */
#define PAGEMAP_MOST 512

/* Open /proc/PID/pagemap. Returns a file descriptor, which the caller closes,
 * or a negative number; errno says why. */
int pagemap_open(pid_t pid);
/* Set `holds[i]` to whether the page at `address + i * ARCH_PAGE` holds data,
 * for each i below `pages`, which is at most PAGEMAP_MOST. False: the kernel
 * does not tell. */
bool pagemap_read(int pagemap, uint64_t address, size_t pages, bool *holds);

#endif
