/*
 * unmapping.h - unmaps memory that a perftool has mapped into a process
 */
#ifndef PROBE_UNMAPPING_H
#define PROBE_UNMAPPING_H

#include <stddef.h>
#include <stdint.h>

struct error;
struct space;

/* The addresses [low, high) of a mapping. */
struct mapped {
	uint64_t low, high;
};

/* Unmap `count` pieces of memory. The function sorts `pieces`, and unmaps those
 * that touch each other with one system call. No thread uses the memory. The
 * errors are those of remote calls. */
struct error *space_unmap(struct space *space, struct mapped *pieces,
			  size_t count);

#endif
