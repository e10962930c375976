/* hdr.c - implements hdr.h */
#include "hdr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

static void side_deinit(struct hdr_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		free(side->blocks[i]);
	free(side->blocks);
	*side = (struct hdr_side){0};
}

void hdr_deinit(struct hdr *hdr)
{
	side_deinit(&hdr->negative);
	side_deinit(&hdr->positive);
	hdr->zero = 0;
}

/* Extends the array of blocks so that it reaches `block`. */
static void side_cover(struct hdr_side *side, ptrdiff_t block)
{
	ptrdiff_t first = block, last = block;
	uint64_t **blocks;

	if (side->count && side->first < first)
		first = side->first;
	if (side->count && side->first + (ptrdiff_t)side->count - 1 > last)
		last = side->first + (ptrdiff_t)side->count - 1;
	blocks = xcalloc((size_t)(last - first + 1), sizeof(*blocks));
	if (side->count)
		memcpy(blocks + (side->first - first), side->blocks,
		       side->count * sizeof(*blocks));
	free(side->blocks);
	*side = (struct hdr_side){blocks, first, (size_t)(last - first + 1)};
}

static uint64_t *new_block(void)
{
	return xcalloc(HDR_BLOCK, sizeof(uint64_t));
}

void hdr_side_add(struct hdr_side *side, ptrdiff_t block, unsigned bucket,
		  uint64_t count)
{
	uint64_t **buckets;

	if (block < side->first ||
	    block >= side->first + (ptrdiff_t)side->count)
		side_cover(side, block);
	buckets = &side->blocks[block - side->first];
	if (!*buckets)
		*buckets = new_block();
	(*buckets)[bucket] += count;
}

void hdr_add_floats(struct hdr *hdr, double value, uint64_t count)
{
	unsigned bucket;
	int exponent;
	double fraction;

	if (value == 0) {
		hdr->zero += count;
		return;
	}
	fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
	bucket = (unsigned)((fraction * 2 - 1) * HDR_BUCKETS);
	hdr_side_add(value < 0 ? &hdr->negative : &hdr->positive,
		     hdr_block(exponent - 1, bucket), bucket & (HDR_BLOCK - 1),
		     count);
}

static void side_merge(struct hdr_side *into, const struct hdr_side *from)
{
	if (!from->count)
		return;
	side_cover(into, from->first);
	side_cover(into, from->first + (ptrdiff_t)from->count - 1);
	for (size_t i = 0; i < from->count; i++) {
		size_t at = i + (size_t)(from->first - into->first);

		if (!from->blocks[i])
			continue;
		if (!into->blocks[at])
			into->blocks[at] = new_block();
		for (size_t j = 0; j < HDR_BLOCK; j++)
			into->blocks[at][j] += from->blocks[i][j];
	}
}

void hdr_merge(struct hdr *into, const struct hdr *from)
{
	side_merge(&into->negative, &from->negative);
	side_merge(&into->positive, &from->positive);
	into->zero += from->zero;
}

static void side_subtract(struct hdr_side *from, const struct hdr_side *part)
{
	for (size_t i = 0; i < part->count; i++) {
		size_t at = i + (size_t)(part->first - from->first);

		for (size_t j = 0; part->blocks[i] && j < HDR_BLOCK; j++)
			from->blocks[at][j] -= part->blocks[i][j];
	}
}

void hdr_subtract(struct hdr *from, const struct hdr *part)
{
	side_subtract(&from->negative, &part->negative);
	side_subtract(&from->positive, &part->positive);
	from->zero -= part->zero;
}

/* Returns the count of the bucket at `position`, counted from the first
 * block. */
static uint64_t side_count(const struct hdr_side *side, size_t position)
{
	const uint64_t *block = side->blocks[position / HDR_BLOCK];

	return block ? block[position % HDR_BLOCK] : 0;
}

static void side_bounds(const struct hdr_side *side, size_t position,
			bool integers, double *low, double *high)
{
	/* The first block may be in the middle of an octave, and the number of
	 * the octave may be negative. */
	ptrdiff_t at = side->first * HDR_BLOCK + (ptrdiff_t)position;
	ptrdiff_t octave = at / HDR_BUCKETS - (at % HDR_BUCKETS < 0);
	double bucket = (double)(at - octave * HDR_BUCKETS);
	int exponent = (int)octave;

	*low = ldexp(1 + bucket / HDR_BUCKETS, exponent);
	*high = ldexp(1 + (bucket + 1) / HDR_BUCKETS, exponent);
	/* In a bucket narrower than 1 the only integer is the lower bound. */
	if (integers)
		*high = ceil(*high);
}

/* Returns the smallest number above -edge. For integers this is the next
 * integer, as long as doubles are fine enough to tell integers apart. */
static double above(double edge, bool integers)
{
	return integers && edge <= 0x1p53 ? 1 - edge
					  : nextafter(-edge, INFINITY);
}

/* Turns the bucket [low, high) of absolute values into the bucket [*from, *to)
 * of the negative values (-high, -low]. */
static void mirror(bool integers, double low, double high, double *from,
		   double *to)
{
	*from = above(high, integers);
	*to = above(low, integers);
}

/* Returns how many positions the iteration can skip, from this one on, because
 * their block has no values. `down`: the iteration goes backwards. */
static size_t side_gap(const struct hdr_side *side, size_t position, bool down)
{
	if (side->blocks[position / HDR_BLOCK])
		return 0;
	return down ? position % HDR_BLOCK + 1
		    : HDR_BLOCK - position % HDR_BLOCK;
}

bool hdr_next(const struct hdr *hdr, bool integers, size_t *cursor,
	      double *from, double *to, uint64_t *count)
{
	size_t below = hdr->negative.count * HDR_BLOCK;
	size_t all = below + 1 + hdr->positive.count * HDR_BLOCK;
	double low, high;
	size_t gap;

	for (; *cursor < all; *cursor += gap ? gap : 1) {
		size_t at = *cursor;

		gap = 0;
		if (at < below) {
			at = below - 1 - at;
			gap = side_gap(&hdr->negative, at, true);
			*count = side_count(&hdr->negative, at);
			if (!*count)
				continue;
			side_bounds(&hdr->negative, at, integers, &low, &high);
			mirror(integers, low, high, from, to);
		} else if (at == below) {
			*count = hdr->zero;
			if (!*count)
				continue;
			*from = 0;
			*to = integers ? 1 : nextafter(0, 1);
		} else {
			at -= below + 1;
			gap = side_gap(&hdr->positive, at, false);
			*count = side_count(&hdr->positive, at);
			if (!*count)
				continue;
			side_bounds(&hdr->positive, at, integers, from, to);
		}
		++*cursor;
		return true;
	}
	return false;
}
