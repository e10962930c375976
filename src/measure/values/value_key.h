/*
 * value_key.h - values as keys of maps
 *
 * The same 64 bits may stand for three numbers: an integer below 0, another
 * integer, and a floating number. So each of these classes has a map of its
 * own, in which the bits are the key.
 */
#ifndef PERFTOOL_MEASURE_VALUE_KEY_H
#define PERFTOOL_MEASURE_VALUE_KEY_H

#include <math.h>
#include <stdbool.h>

#include "perftool/base/hit.h"

enum { VALUE_NATURAL, VALUE_NEGATIVE, VALUE_FLOATING, VALUE_CLASSES };

/* Stores the class of the value in `*class`, and in `*bits` the bits that
 * distinguish it from other values of the class. All NaNs have the same bits.
 * Returns false if there is no value. */
static inline bool value_key(struct value value, unsigned *class,
			     uint64_t *bits)
{
	*bits = value.u;
	switch (value.kind) {
	case VALUE_NONE:
		return false;
	case VALUE_SIGNED:
		*class = value.i < 0 ? VALUE_NEGATIVE : VALUE_NATURAL;
		return true;
	case VALUE_UNSIGNED:
		*class = VALUE_NATURAL;
		return true;
	case VALUE_FLOAT:
		if (value.f == 0 || isnan(value.f))
			/* 0 and -0.0 are equal, so they have the same bits. The
			 * bits of NaN are all ones. */
			*bits = isnan(value.f) ? UINT64_MAX : 0;
		*class = VALUE_FLOATING;
		return true;
	}
	return false;
}

#endif
