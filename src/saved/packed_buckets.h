/*
 * packed_buckets.h - the buckets of many legs in few bytes
 *
 * A comparison needs of a bucket its middle and its count. Both are most often
 * small whole numbers, if a middle is told as twice its distance from the one
 * before: three or four bytes in the place of 24.
 */
#ifndef SAVED_PACKED_BUCKETS_H
#define SAVED_PACKED_BUCKETS_H

#include <stddef.h>
#include <stdint.h>

#include "packed_numbers.h"
#include "perftool/base/vec.h"
#include "perftool/saved.h"

VEC_STRUCT(compare_value_list, struct compare_value);

/* Appends the buckets, of which those without a value are left out. Returns
 * where they begin. */
size_t buckets_pack(struct packed_bytes *bytes,
		    const struct saved_bucket_list *buckets);
/* Appends the values of the buckets that begin at `at`. Returns the sum of
 * their counts. */
uint64_t buckets_unpack(const struct packed_bytes *bytes, size_t at,
			struct compare_value_list *out);

#endif
