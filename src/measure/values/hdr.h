/*
 * hdr.h - counts of values over their whole range, with a relative error below
 * 1 in 128
 *
 * The buckets are log-linear: every octave [2^e, 2^(e+1)) has 128 buckets of
 * equal width, so a value of any size is known to better than 0.8 %. The
 * buckets are allocated in blocks of 16, when the first value falls into a
 * block. The reason is that there may be a hundred thousand legs, each of which
 * is executed a few times. Negative values have buckets of their own, which
 * mirror those of the positive values. Zero has a counter of its own.
 *
 * Rule: doc/RULES.md, "Histograms".
 */
#ifndef PERFTOOL_MEASURE_HDR_H
#define PERFTOOL_MEASURE_HDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDR_BITS 7
#define HDR_BUCKETS (1 << HDR_BITS)
#define HDR_BLOCK_BITS 4
#define HDR_BLOCK (1 << HDR_BLOCK_BITS)
/* The number of bits in a bucket's number that say which block of its octave
 * the bucket is in. */
#define HDR_OF_OCTAVE_BITS (HDR_BITS - HDR_BLOCK_BITS)

/* The counts of the positive values, or of the negative values. The array
 * `blocks` has the blocks `first` to `first` + `count` - 1. A block without
 * values is NULL. Octave e begins with block e * 2^HDR_OF_OCTAVE_BITS. */
struct hdr_side {
	uint64_t **blocks;
	ptrdiff_t first;
	size_t count;
};

/* An hdr that is all zero has counted nothing. */
struct hdr {
	struct hdr_side negative, positive;
	uint64_t zero;
};

/* Frees the blocks. The hdr has counted nothing then. */
void hdr_deinit(struct hdr *hdr);

/* Counts so many values in a bucket whose block does not exist yet. `bucket` is
 * the index within the block. */
void hdr_side_add(struct hdr_side *side, ptrdiff_t block, unsigned bucket,
		  uint64_t count);

/* Returns the number of the block that contains a bucket of an octave. */
static inline ptrdiff_t hdr_block(int exponent, unsigned bucket)
{
	return (ptrdiff_t)exponent * (1 << HDR_OF_OCTAVE_BITS) +
	       (bucket >> HDR_BLOCK_BITS);
}

/* Counts an integer so many times. Its absolute value is `magnitude`. */
static inline void hdr_add_integers(struct hdr *hdr, bool negative,
				    uint64_t magnitude, uint64_t count)
{
	struct hdr_side *side = negative ? &hdr->negative : &hdr->positive;
	unsigned bucket;
	ptrdiff_t block;
	size_t index;
	int exponent;

	if (!magnitude) {
		hdr->zero += count;
		return;
	}
	exponent = 63 - __builtin_clzll(magnitude);
	/* The bits after the highest bit that is set give the bucket. */
	bucket = (unsigned)(magnitude << (63 - exponent) >> (63 - HDR_BITS)) &
		 (HDR_BUCKETS - 1);
	block = hdr_block(exponent, bucket);
	bucket &= HDR_BLOCK - 1;
	index = (size_t)(block - side->first);
	if (index < side->count && side->blocks[index])
		side->blocks[index][bucket] += count;
	else
		hdr_side_add(side, block, bucket, count);
}

/* Counts a finite number so many times. */
void hdr_add_floats(struct hdr *hdr, double value, uint64_t count);

/* Adds all that `from` has counted to `into`. */
void hdr_merge(struct hdr *into, const struct hdr *from);

/* Subtracts what `part` has counted. `from` has counted all of it, too. */
void hdr_subtract(struct hdr *from, const struct hdr *part);

/*
 * Iterates over the buckets that are not empty, in rising order. The caller
 * sets `*cursor` to 0 before the first call, and stops when the function
 * returns false. The values in the bucket lie in [*from, *to). `integers`: only
 * integers were counted, and the bounds are whole numbers.
 */
bool hdr_next(const struct hdr *hdr, bool integers, size_t *cursor,
	      double *from, double *to, uint64_t *count);

#endif
