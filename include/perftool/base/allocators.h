/*
 * allocators.h - the functions that allocate memory: those of the C library,
 * and operator new of C++, by the names by which they are linked
 */
#ifndef PERFTOOL_BASE_ALLOCATORS_H
#define PERFTOOL_BASE_ALLOCATORS_H

#include <stdbool.h>
#include <stddef.h>

/* Which arguments say how many bytes are asked for. The two forms with TIMES
 * multiply two arguments. */
enum size_argument {
	SIZE_FIRST,
	SIZE_SECOND,
	SIZE_THIRD,
	SIZE_FIRST_TIMES_SECOND,
	SIZE_SECOND_TIMES_THIRD,
};

/* How a call tells that there is no memory. */
enum allocator_failure {
	FAILURE_NULL,      /* it returns NULL */
	FAILURE_STATUS,    /* it returns an int that is not 0 */
	FAILURE_EXCEPTION, /* it throws an exception */
};

struct allocator {
	const char *name;
	enum size_argument size;
	enum allocator_failure failure;
};

/* Returns an allocator for each index from 0 on, and NULL after the last one.
 */
const struct allocator *allocator_at(size_t index);

#endif
