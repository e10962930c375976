/* allocators.c - see perftool/base/allocators.h */
#include "perftool/base/allocators.h"

const struct allocator *allocator_at(size_t index)
{
	static const struct allocator allocators[] = {
		{"malloc", SIZE_FIRST, false},
		{"calloc", SIZE_FIRST_TIMES_SECOND, false},
		{"realloc", SIZE_SECOND, false},
		{"reallocarray", SIZE_SECOND_TIMES_THIRD, false},
		{"aligned_alloc", SIZE_SECOND, false},
		{"memalign", SIZE_SECOND, false},
		{"posix_memalign", SIZE_THIRD, true},
		{"valloc", SIZE_FIRST, false},
		{"pvalloc", SIZE_FIRST, false},
		/* new and new[] of C++, each also without exceptions
		 * (nothrow_t), with an alignment, and with both */
		{"_Znwm", SIZE_FIRST, false},
		{"_Znam", SIZE_FIRST, false},
		{"_ZnwmRKSt9nothrow_t", SIZE_FIRST, false},
		{"_ZnamRKSt9nothrow_t", SIZE_FIRST, false},
		{"_ZnwmSt11align_val_t", SIZE_FIRST, false},
		{"_ZnamSt11align_val_t", SIZE_FIRST, false},
		{"_ZnwmSt11align_val_tRKSt9nothrow_t", SIZE_FIRST, false},
		{"_ZnamSt11align_val_tRKSt9nothrow_t", SIZE_FIRST, false},
	};

	return index < sizeof(allocators) / sizeof(*allocators)
		       ? &allocators[index]
		       : NULL;
}
