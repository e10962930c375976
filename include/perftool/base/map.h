/*
 * map.h - hash maps from a 64-bit number, or from a string, to a pointer
 *
 * The maps use open addressing with linear probing. A stored pointer is never
 * NULL, because NULL means "not there". The maps do not own what the pointers
 * point to. A strmap copies its keys.
 */
#ifndef PERFTOOL_BASE_MAP_H
#define PERFTOOL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry;

/* All zero is the empty map. */
struct map {
	struct map_entry *entries;
	size_t count;    /* number of keys */
	size_t used;     /* number of keys and of tombstones */
	size_t capacity; /* a power of two, or 0 */
};

void map_deinit(struct map *map);
void *map_get(const struct map *map, uint64_t key);
void map_set(struct map *map, uint64_t key, void *value);

/* Make `to`, whose former content is freed, a copy of `from` with the same keys
 * and pointers. */
void map_copy(const struct map *from, struct map *to);

/* The same as map_get() and map_set(), for numbers instead of pointers; 0 means
 * "not there". */
static inline uint64_t map_get_number(const struct map *map, uint64_t key)
{
	return (uintptr_t)map_get(map, key);
}
static inline void map_set_number(struct map *map, uint64_t key,
				  uint64_t number)
{
	map_set(map, key, (void *)(uintptr_t)number);
}

/* Remove a key. Returns its pointer, or NULL if the key was not there. */
void *map_remove(struct map *map, uint64_t key);

/*
 * Visit all entries in no particular order: start with *cursor = 0, and call
 * the function until it returns NULL. The caller must not change the map
 * meanwhile, but may remove the entry just returned with map_remove().
 */
void *map_next(const struct map *map, size_t *cursor, uint64_t *key);

struct strmap_entry;

struct strmap {
	struct strmap_entry *entries;
	size_t count;
	size_t capacity;
};

void strmap_deinit(struct strmap *map);
void *strmap_get(const struct strmap *map, const char *key);
void strmap_set(struct strmap *map, const char *key, void *value);
void *strmap_next(const struct strmap *map, size_t *cursor, const char **key);

#endif
