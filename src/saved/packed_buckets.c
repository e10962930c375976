/* packed_buckets.c - see packed_buckets.h */
#include "packed_buckets.h"

#include <math.h>

#include "perftool/base/alloc.h"
#include "saved_buckets.h"

/* Twice a middle that is less is exact as a double. */
#define MIDDLE_MAX 0x1p51

/* ---- middles ------------------------------------------------------------- */

/* A middle is told by its distance from the one before, twice that and 1 more;
 * or, if it is no such number, by a 0 and the bytes of the double. */
static void put_middle(struct packed_bytes *bytes, double middle,
		       uint64_t *before)
{
	if (middle >= 0 && middle < MIDDLE_MAX &&
	    floor(2 * middle) == 2 * middle &&
	    (uint64_t)(2 * middle) >= *before) {
		put_number(bytes, (uint64_t)(2 * middle) - *before + 1);
		*before = (uint64_t)(2 * middle);
		return;
	}
	put_number(bytes, 0);
	put_double(bytes, middle);
}

static double take_middle(const struct packed_bytes *bytes, size_t *at,
			  uint64_t *before)
{
	uint64_t number = take_number(bytes->data, at);

	if (number) {
		*before += number - 1;
		return (double)*before / 2;
	}
	return take_double(bytes->data, at);
}

/* ---- buckets ------------------------------------------------------------- */

size_t buckets_pack(struct packed_bytes *bytes,
		    const struct saved_bucket_list *buckets)
{
	size_t at = bytes->count, count = 0;
	uint64_t before = 0;

	for (size_t i = 0; i < buckets->count; i++)
		count += buckets->data[i].count > 0;
	put_number(bytes, count);
	for (size_t i = 0; i < buckets->count; i++) {
		const struct saved_bucket *bucket = &buckets->data[i];

		if (!bucket->count)
			continue;
		put_middle(bytes, bucket_middle(bucket), &before);
		put_number(bytes, bucket->count);
	}
	return at;
}

uint64_t buckets_unpack(const struct packed_bytes *bytes, size_t at,
			struct compare_value_list *out)
{
	uint64_t count = take_number(bytes->data, &at), before = 0, total = 0;

	for (; count; count--) {
		double middle = take_middle(bytes, &at, &before);
		uint64_t times = take_number(bytes->data, &at);

		vec_push(out, (struct compare_value){middle, times});
		total += times;
	}
	return total;
}
