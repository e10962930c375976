/* radix.c - see radix.h */
#include "perftool/base/radix.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

/* The sort goes by so many bits of the keys at a time. */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

/* For fewer keys, the places of the digits cost more than comparing the
 * keys. */
#define FEW 32

static void sort_few(struct radix_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct radix_key moved = keys[i];
		size_t at = i;

		for (; at && keys[at - 1].key > moved.key; at--)
			keys[at] = keys[at - 1];
		keys[at] = moved;
	}
}

/* Sort `keys` by the digit that begins at bit `shift`, to `out`. Keys with the
 * same digit stay in their order. */
static void sort_by_digit(const struct radix_key *keys, size_t count,
			  unsigned shift, struct radix_key *out)
{
	size_t places[DIGITS] = {0}, place = 0;

	for (size_t i = 0; i < count; i++)
		places[keys[i].key >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t of_digit = places[i];

		places[i] = place;
		place += of_digit;
	}
	for (size_t i = 0; i < count; i++)
		out[places[keys[i].key >> shift & (DIGITS - 1)]++] = keys[i];
}

void radix_sort(struct radix_key *keys, size_t count)
{
	struct radix_key *from = keys, *to, *spare, *swap;
	uint64_t differ = 0;

	if (count <= FEW) {
		sort_few(keys, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		differ |= keys[i].key ^ keys[0].key;
	to = spare = xmalloc(count * sizeof(*spare));
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		/* A digit that all keys share does not change the order. */
		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		sort_by_digit(from, count, shift, to);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != keys)
		memcpy(keys, from, count * sizeof(*keys));
	free(spare);
}
