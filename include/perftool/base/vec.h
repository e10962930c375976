/*
 * vec.h - a growing array of anything
 *
 *	struct leg_list VEC(struct leg *);      a type with a tag, or
 *	VEC(uint64_t) addresses = {0};          one on the spot; zero is empty
 *	vec_push(&addresses, 42);
 *	for (size_t i = 0; i < addresses.count; i++) use(addresses.data[i]);
 *	vec_free(&addresses);
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

/* The same as a named type: `struct NAME { data, count, capacity }`. */
#define VEC_STRUCT(name, type)                                                 \
	struct name {                                                          \
		type *data;                                                    \
		size_t count, capacity;                                        \
	}

/* Append a value. */
#define vec_push(vec, ...)                                                     \
	((vec)->count < (vec)->capacity                                        \
		 ? (void)0                                                     \
		 : vec_grow_((void **)&(vec)->data, &(vec)->capacity,          \
			     (vec)->count + 1, sizeof(*(vec)->data)),          \
	 (void)((vec)->data[(vec)->count++] = (__VA_ARGS__)))

/* Remove element `index`, keeping the order of the others. */
#define vec_remove(vec, index)                                                 \
	vec_remove_((vec)->data, &(vec)->count, (index), sizeof(*(vec)->data))

#define vec_clear(vec) ((void)((vec)->count = 0))

/* Free the array (not what its elements point to) and make it empty. */
#define vec_free(vec)                                                          \
	(free((vec)->data), (vec)->data = NULL,                                \
	 (void)((vec)->count = (vec)->capacity = 0))

void vec_grow_(void **data, size_t *capacity, size_t needed, size_t size);
void vec_remove_(void *data, size_t *count, size_t index, size_t size);

#endif
