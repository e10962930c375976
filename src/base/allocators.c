/* allocators.c - see perftool/base/allocators.h */
#include "perftool/base/allocators.h"

const struct allocator *allocator_at(size_t index)
{
	static const struct allocator allocators[] = {
		{"malloc", SIZE_FIRST, FAILURE_NULL},
		{"calloc", SIZE_FIRST_TIMES_SECOND, FAILURE_NULL},
		{"realloc", SIZE_SECOND, FAILURE_NULL},
		{"reallocarray", SIZE_SECOND_TIMES_THIRD, FAILURE_NULL},
		{"aligned_alloc", SIZE_SECOND, FAILURE_NULL},
		{"memalign", SIZE_SECOND, FAILURE_NULL},
		{"posix_memalign", SIZE_THIRD, FAILURE_STATUS},
		{"valloc", SIZE_FIRST, FAILURE_NULL},
		{"pvalloc", SIZE_FIRST, FAILURE_NULL},
		/* new and new[] of C++, each also without exceptions
		 * (nothrow_t), with an alignment, and with both */
		{"_Znwm", SIZE_FIRST, FAILURE_EXCEPTION},
		{"_Znam", SIZE_FIRST, FAILURE_EXCEPTION},
		{"_ZnwmRKSt9nothrow_t", SIZE_FIRST, FAILURE_NULL},
		{"_ZnamRKSt9nothrow_t", SIZE_FIRST, FAILURE_NULL},
		{"_ZnwmSt11align_val_t", SIZE_FIRST, FAILURE_EXCEPTION},
		{"_ZnamSt11align_val_t", SIZE_FIRST, FAILURE_EXCEPTION},
		{"_ZnwmSt11align_val_tRKSt9nothrow_t", SIZE_FIRST,
		 FAILURE_NULL},
		{"_ZnamSt11align_val_tRKSt9nothrow_t", SIZE_FIRST,
		 FAILURE_NULL},
	};

	return index < sizeof(allocators) / sizeof(*allocators)
		       ? &allocators[index]
		       : NULL;
}
