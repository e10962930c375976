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
void hdr_add_integer(struct hdr *hdr, bool negative, uint64_t magnitude);

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
