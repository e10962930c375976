/*
 * value_key.h - values as keys of maps
 *
 * The same bits may be three numbers: an integer below 0, any other, and a
 * floating one. Each class has a map of its own, by the bits.
 */
#ifndef PERFTOOL_MEASURE_VALUE_KEY_H
#define PERFTOOL_MEASURE_VALUE_KEY_H

#include <math.h>
#include <stdbool.h>

#include "perftool/base/hit.h"

enum { VALUE_NATURAL, VALUE_NEGATIVE, VALUE_FLOATING, VALUE_CLASSES };

/* The value's class, and the bits that tell it from others of the class; all
 * values that are not a number are one. False: there is no value. */
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
			/* 0 and -0.0 are equal; all ones are no number */
			*bits = isnan(value.f) ? UINT64_MAX : 0;
		*class = VALUE_FLOATING;
		return true;
	}
	return false;
}

#endif
