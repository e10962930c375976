/*
 * hdr.h - counts of values over their whole range, to 1 in 128
 *
 * Log-linear: every octave [2^e, 2^(e+1)) has 128 buckets of equal width, so a
 * value is known to better than 0.8 %, whatever its size. The buckets are
 * allocated in blocks of 16, when the first value falls into one: there may be
 * a hundred thousand legs of which each is executed a few times. Negative
 * values mirror the positive ones; zero stands by itself.
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
/* the bits of a bucket's number that say which block of its octave it is in */
#define HDR_OF_OCTAVE_BITS (HDR_BITS - HDR_BLOCK_BITS)

/* Blocks `first` to `first + count - 1`; those of no values are NULL. Octave e
 * begins with block e * 2^HDR_OF_OCTAVE_BITS. */
struct hdr_side {
	uint64_t **blocks;
	ptrdiff_t first;
	size_t count;
};

/* Zero is the empty one. */
struct hdr {
	struct hdr_side negative, positive;
	uint64_t zero;
};

void hdr_deinit(struct hdr *hdr);

/* Count one in a bucket of a block that has none yet. */
void hdr_side_add(struct hdr_side *side, ptrdiff_t block, unsigned bucket);

/* The block of a bucket of an octave. */
static inline ptrdiff_t hdr_block(int exponent, unsigned bucket)
{
	return (ptrdiff_t)exponent * (1 << HDR_OF_OCTAVE_BITS) +
	       (bucket >> HDR_BLOCK_BITS);
}

static inline void hdr_add_integer(struct hdr *hdr, bool negative,
				   uint64_t magnitude)
{
	struct hdr_side *side = negative ? &hdr->negative : &hdr->positive;
	unsigned bucket;
	ptrdiff_t block;
	size_t index;
	int exponent;

	if (!magnitude) {
		hdr->zero++;
		return;
	}
	exponent = 63 - __builtin_clzll(magnitude);
	/* the bits after the first one */
	bucket = (unsigned)(magnitude << (63 - exponent) >> (63 - HDR_BITS)) &
		 (HDR_BUCKETS - 1);
	block = hdr_block(exponent, bucket);
	bucket &= HDR_BLOCK - 1;
	index = (size_t)(block - side->first);
	if (index < side->count && side->blocks[index])
		side->blocks[index][bucket]++;
	else
		hdr_side_add(side, block, bucket);
}

/* A finite number. */
void hdr_add_float(struct hdr *hdr, double value);

/* All that `from` has counted, too. */
void hdr_merge(struct hdr *into, const struct hdr *from);

/* Without what `part' has counted, which `from' has counted, too. */
void hdr_subtract(struct hdr *from, const struct hdr *part);

/*
 * The non-empty buckets in rising order, from *cursor = 0 until false. The
 * values counted lie in [from, to). `integers`: there are no others, and the
 * bounds are whole numbers.
 */
bool hdr_next(const struct hdr *hdr, bool integers, size_t *cursor,
	      double *from, double *to, uint64_t *count);

#endif
