/*
 * hdr.h - counts of values over their whole range, to 1 in 128
 *
 * Log-linear: every octave [2^e, 2^(e+1)) has 128 buckets of equal width, so a
 * value is known to better than 0.8 %, whatever its size. An octave's buckets
 * are allocated when the first value falls into it. Negative values mirror the
 * positive ones; zero stands by itself.
 */
#ifndef PERFTOOL_MEASURE_HDR_H
#define PERFTOOL_MEASURE_HDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDR_BITS 7
#define HDR_BUCKETS (1 << HDR_BITS)

/* Octaves `first` to `first + count - 1`; those of no values are NULL. */
struct hdr_side {
	uint64_t **octaves;
	int first;
	size_t count;
};

/* Zero is the empty one. */
struct hdr {
	struct hdr_side negative, positive;
	uint64_t zero;
};

void hdr_deinit(struct hdr *hdr);

/* Count one in bucket `bucket` of octave `exponent`, which has none yet. */
void hdr_side_add(struct hdr_side *side, int exponent, unsigned bucket);

static inline void hdr_add_integer(struct hdr *hdr, bool negative,
				   uint64_t magnitude)
{
	struct hdr_side *side = negative ? &hdr->negative : &hdr->positive;
	unsigned bucket;
	size_t octave;
	int exponent;

	if (!magnitude) {
		hdr->zero++;
		return;
	}
	exponent = 63 - __builtin_clzll(magnitude);
	/* the bits after the first one */
	bucket = (unsigned)(magnitude << (63 - exponent) >> (63 - HDR_BITS)) &
		 (HDR_BUCKETS - 1);
	octave = (size_t)((ptrdiff_t)exponent - side->first);
	if (octave < side->count && side->octaves[octave])
		side->octaves[octave][bucket]++;
	else
		hdr_side_add(side, exponent, bucket);
}

/* A finite number. */
void hdr_add_float(struct hdr *hdr, double value);

/* All that `from` has counted, too. */
void hdr_merge(struct hdr *into, const struct hdr *from);

/*
 * The non-empty buckets in rising order, from *cursor = 0 until false. The
 * values counted lie in [from, to). `integers`: there are no others, and the
 * bounds are whole numbers.
 */
bool hdr_next(const struct hdr *hdr, bool integers, size_t *cursor,
	      double *from, double *to, uint64_t *count);

#endif
