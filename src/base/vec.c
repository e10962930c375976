/* vec.c - see vec.h */
#include "perftool/base/vec.h"

#include <stdint.h>
#include <string.h>

#include "perftool/base/alloc.h"

void vec_grow_(void **data, size_t *capacity, size_t needed, size_t size)
{
	size_t wanted = *capacity ? *capacity : 8;

	if (needed <= *capacity)
		return;
	while (wanted < needed)
		wanted *= 2;
	if (wanted > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	*data = xrealloc(*data, wanted * size);
	*capacity = wanted;
}

void vec_remove_(void *data, size_t *count, size_t index, size_t size)
{
	char *at = (char *)data + index * size;

	memmove(at, at + size, (*count - index - 1) * size);
	--*count;
}
