/* hit.c - see hit.h */
#include "perftool/base/hit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool value_equal(struct value a, struct value b)
{
	if (a.kind == VALUE_FLOAT || b.kind == VALUE_FLOAT)
		return a.kind == b.kind && a.f == b.f;
	/* A key may be declared int at one node and size_t at the other. The
	 * same bits are the same number for both, unless one of the two is
	 * negative. */
	if (a.kind != b.kind && (a.i < 0 || b.i < 0))
		return false;
	return a.kind != VALUE_NONE && b.kind != VALUE_NONE && a.u == b.u;
}

const char *value_format(struct value value, char buffer[static 32])
{
	switch (value.kind) {
	case VALUE_NONE:
		return "-";
	case VALUE_SIGNED:
		snprintf(buffer, 32, "%" PRId64, value.i);
		return buffer;
	case VALUE_UNSIGNED:
		snprintf(buffer, 32, "%" PRIu64, value.u);
		return buffer;
	case VALUE_FLOAT:
		/* The smallest number of digits that reads back as the same
		 * number. */
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(buffer, 32, "%.*g", digits, value.f);
			if (strtod(buffer, NULL) == value.f)
				break;
		}
		return buffer;
	}
	return "-";
}
