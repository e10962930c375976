/*
 * search.h - binary search
 */
#ifndef PERFTOOL_BASE_SEARCH_H
#define PERFTOOL_BASE_SEARCH_H

#include <stddef.h>

/*
 * Set `index`, a variable of type size_t, to the first of the numbers 0 to
 * `count` - 1 for which `condition` is true, and to `count` if it is true for
 * none. The condition is an expression over `index`; it must be false for all
 * numbers before some number and true from that number on.
 */
#define SEARCH_FIRST(index, count, condition)                                  \
	do {                                                                   \
		size_t search_low = 0, search_high = (count);                  \
                                                                               \
		while (search_low < search_high) {                             \
			(index) = search_low + (search_high - search_low) / 2; \
			if (condition)                                         \
				search_high = (index);                         \
			else                                                   \
				search_low = (index) + 1;                      \
		}                                                              \
		(index) = search_low;                                          \
	} while (0)

#endif
