/* hdr.c - see hdr.h */
#include "hdr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

static void side_deinit(struct hdr_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		free(side->octaves[i]);
	free(side->octaves);
	*side = (struct hdr_side){0};
}

void hdr_deinit(struct hdr *hdr)
{
	side_deinit(&hdr->negative);
	side_deinit(&hdr->positive);
	hdr->zero = 0;
}

/* Make the side reach from its octaves so far to `exponent`. */
static void side_cover(struct hdr_side *side, int exponent)
{
	int first =
		side->count && side->first < exponent ? side->first : exponent;
	int last = exponent;
	uint64_t **octaves;

	if (side->count && side->first + (int)side->count - 1 > last)
		last = side->first + (int)side->count - 1;
	octaves = xcalloc((size_t)(last - first + 1), sizeof(*octaves));
	if (side->count)
		memcpy(octaves + (side->first - first), side->octaves,
		       side->count * sizeof(*octaves));
	free(side->octaves);
	*side = (struct hdr_side){octaves, first, (size_t)(last - first + 1)};
}

void hdr_side_add(struct hdr_side *side, int exponent, unsigned bucket)
{
	uint64_t **octave;

	if (exponent < side->first ||
	    exponent >= side->first + (int)side->count)
		side_cover(side, exponent);
	octave = &side->octaves[exponent - side->first];
	if (!*octave)
		*octave = xcalloc(HDR_BUCKETS, sizeof(**octave));
	(*octave)[bucket]++;
}

void hdr_add_float(struct hdr *hdr, double value)
{
	int exponent;
	double fraction;

	if (value == 0) {
		hdr->zero++;
		return;
	}
	fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
	hdr_side_add(value < 0 ? &hdr->negative : &hdr->positive, exponent - 1,
		     (unsigned)((fraction * 2 - 1) * HDR_BUCKETS));
}

static void side_merge(struct hdr_side *into, const struct hdr_side *from)
{
	if (!from->count)
		return;
	side_cover(into, from->first);
	side_cover(into, from->first + (int)from->count - 1);
	for (size_t i = 0; i < from->count; i++) {
		size_t at = i + (size_t)(from->first - into->first);

		if (!from->octaves[i])
			continue;
		if (!into->octaves[at])
			into->octaves[at] =
				xcalloc(HDR_BUCKETS, sizeof(**into->octaves));
		for (size_t j = 0; j < HDR_BUCKETS; j++)
			into->octaves[at][j] += from->octaves[i][j];
	}
}

void hdr_merge(struct hdr *into, const struct hdr *from)
{
	side_merge(&into->negative, &from->negative);
	side_merge(&into->positive, &from->positive);
	into->zero += from->zero;
}

/* The count of the bucket at `position` of the side. */
static uint64_t side_count(const struct hdr_side *side, size_t position)
{
	const uint64_t *octave = side->octaves[position / HDR_BUCKETS];

	return octave ? octave[position % HDR_BUCKETS] : 0;
}

static void side_bounds(const struct hdr_side *side, size_t position,
			bool integers, double *low, double *high)
{
	int exponent = side->first + (int)(position / HDR_BUCKETS);
	double bucket = (double)(position % HDR_BUCKETS);

	*low = ldexp(1 + bucket / HDR_BUCKETS, exponent);
	*high = ldexp(1 + (bucket + 1) / HDR_BUCKETS, exponent);
	/* in a bucket narrower than 1 an integer is the lower bound */
	if (integers)
		*high = ceil(*high);
}

/* The least number above -edge: the next integer, where doubles are so fine. */
static double above(double edge, bool integers)
{
	return integers && edge <= 0x1p53 ? 1 - edge
					  : nextafter(-edge, INFINITY);
}

/* A mirrored bucket (-high, -low] as [from, to). */
static void mirror(bool integers, double low, double high, double *from,
		   double *to)
{
	*from = above(high, integers);
	*to = above(low, integers);
}

bool hdr_next(const struct hdr *hdr, bool integers, size_t *cursor,
	      double *from, double *to, uint64_t *count)
{
	size_t below = hdr->negative.count * HDR_BUCKETS;
	size_t all = below + 1 + hdr->positive.count * HDR_BUCKETS;
	double low, high;

	for (; *cursor < all; ++*cursor) {
		size_t at = *cursor;

		if (at < below) {
			at = below - 1 - at;
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
