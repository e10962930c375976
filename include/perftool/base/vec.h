/*
 * vec.h - a growing array of elements of any type
 *
 *	VEC_STRUCT(leg_list, struct leg *);     a type with a tag, or
 *	VEC(uint64_t) addresses = {0};          a type without a tag
 *	vec_push(&addresses, 42);
 *	for (size_t i = 0; i < addresses.count; i++)
 *		use(addresses.data[i]);
 *	vec_free(&addresses);
 *
 * All zero is the empty array.
 */
#ifndef PERFTOOL_BASE_VEC_H
#define PERFTOOL_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define VEC(type)                                                              \
	struct {                                                               \
		type *data;                                                    \
		size_t count, capacity;                                        \
	}

/* The same as VEC, but a type with a tag: `struct NAME { data, count, capacity
 * }`. */
#define VEC_STRUCT(name, type)                                                 \
	struct name {                                                          \
		type *data;                                                    \
		size_t count, capacity;                                        \
	}

/* Append a value. Ends the tool if there is no memory (alloc.h). */
#define vec_push(vec, ...)                                                     \
	((vec)->count < (vec)->capacity                                        \
		 ? (void)0                                                     \
		 : vec_grow_((void **)&(vec)->data, &(vec)->capacity,          \
			     (vec)->count + 1, sizeof(*(vec)->data)),          \
	 (void)((vec)->data[(vec)->count++] = (__VA_ARGS__)))

/* Remove element `index`. The other elements keep their order. */
#define vec_remove(vec, index)                                                 \
	vec_remove_((vec)->data, &(vec)->count, (index), sizeof(*(vec)->data))

#define vec_clear(vec) ((void)((vec)->count = 0))

/* Free the array, but not what its elements point to, and make it empty. */
#define vec_free(vec)                                                          \
	(free((vec)->data), (vec)->data = NULL,                                \
	 (void)((vec)->count = (vec)->capacity = 0))

void vec_grow_(void **data, size_t *capacity, size_t needed, size_t size);
void vec_remove_(void *data, size_t *count, size_t index, size_t size);

#endif
