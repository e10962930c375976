/*
 * radix.h - sorts numbers without comparing them
 *
 * A radix sort goes over the keys once for each digit in which they differ. Of
 * addresses of one file these are two or three digits, so many keys are sorted
 * several times as fast as by qsort(3).
 */
#ifndef PERFTOOL_BASE_RADIX_H
#define PERFTOOL_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_key {
	uint64_t key;
	uint32_t index; /* whatever the caller wants to know of the key */
};

/* Sort the keys. Equal keys stay in their order. */
void radix_sort(struct radix_key *keys, size_t count);

#endif
