/* map.c - see map.h */
#include "perftool/base/map.h"
#include "perftool/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

struct map_entry {
	uint64_t key;
	void *value; /* NULL: the entry was never used; &tombstone: its key was
			removed */
};

/* The value of a removed entry. The entry must stay, because the probes for
 * other keys go on behind it. */
static char tombstone;

static uint64_t mix(uint64_t x)
{
	/* This is the finalizer of MurmurHash3: every bit of the input affects
	 * every bit of the output. */
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	x ^= x >> 33;
	return x;
}

/* Returns the entry that holds `key`, or else the free entry in which `key`
 * would be stored. */
static struct map_entry *find(const struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1, i = mix(key) & mask;
	struct map_entry *free_entry = NULL;

	for (;; i = (i + 1) & mask) {
		struct map_entry *entry = &map->entries[i];

		if (!entry->value)
			return free_entry ? free_entry : entry;
		if (entry->value == &tombstone) {
			if (!free_entry)
				free_entry = entry;
		} else if (entry->key == key) {
			return entry;
		}
	}
}

static bool holds(const struct map_entry *entry)
{
	return entry->value && entry->value != &tombstone;
}

void map_deinit(struct map *map)
{
	free(map->entries);
	*map = (struct map){0};
}

void *map_get(const struct map *map, uint64_t key)
{
	struct map_entry *entry;

	if (!map->count)
		return NULL;
	entry = find(map, key);
	return holds(entry) ? entry->value : NULL;
}

/* The smallest capacity (a power of two, at least 16) of which `count` entries
 * fill less than half. */
static size_t roomy(size_t count)
{
	size_t capacity = 16;

	while (capacity <= count * 2)
		capacity *= 2;
	return capacity;
}

static void rehash(struct map *map, size_t capacity)
{
	struct map old = *map;

	map->entries = xcalloc(capacity, sizeof(*map->entries));
	map->capacity = capacity;
	map->used = map->count;
	for (size_t i = 0; i < old.capacity; i++)
		if (holds(&old.entries[i]))
			*find(map, old.entries[i].key) = old.entries[i];
	free(old.entries);
}

void map_set(struct map *map, uint64_t key, void *value)
{
	struct map_entry *entry;

	if ((map->used + 1) * 4 > map->capacity * 3)
		rehash(map, roomy(map->count + 1));
	entry = find(map, key);
	if (!holds(entry)) {
		map->count++;
		if (!entry->value)
			map->used++;
	}
	*entry = (struct map_entry){key, value};
}

void map_copy(const struct map *from, struct map *to)
{
	map_deinit(to);
	if (!from->count)
		return;
	*to = *from;
	to->entries = xmalloc(from->capacity * sizeof(*to->entries));
	memcpy(to->entries, from->entries,
	       from->capacity * sizeof(*to->entries));
}

void *map_remove(struct map *map, uint64_t key)
{
	struct map_entry *entry;
	void *value;

	if (!map->count)
		return NULL;
	entry = find(map, key);
	if (!holds(entry))
		return NULL;
	value = entry->value;
	entry->value = &tombstone;
	map->count--;
	return value;
}

void *map_next(const struct map *map, size_t *cursor, uint64_t *key)
{
	while (*cursor < map->capacity) {
		struct map_entry *entry = &map->entries[(*cursor)++];

		if (holds(entry)) {
			if (key)
				*key = entry->key;
			return entry->value;
		}
	}
	return NULL;
}

struct strmap_entry {
	char *key;
	void *value;
};

static uint64_t hash_string(const char *key)
{
	uint64_t hash = HASH_START;

	while (*key)
		hash = hash_byte(hash, (unsigned char)*key++);
	return mix(hash);
}

static struct strmap_entry *strfind(const struct strmap *map, const char *key)
{
	size_t mask = map->capacity - 1, i = hash_string(key) & mask;

	while (map->entries[i].key && strcmp(map->entries[i].key, key) != 0)
		i = (i + 1) & mask;
	return &map->entries[i];
}

void strmap_deinit(struct strmap *map)
{
	for (size_t i = 0; i < map->capacity; i++)
		free(map->entries[i].key);
	free(map->entries);
	*map = (struct strmap){0};
}

void *strmap_get(const struct strmap *map, const char *key)
{
	return map->count ? strfind(map, key)->value : NULL;
}

static void strmap_rehash(struct strmap *map)
{
	struct strmap old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 16;
	map->entries = xcalloc(map->capacity, sizeof(*map->entries));
	for (size_t i = 0; i < old.capacity; i++)
		if (old.entries[i].key)
			*strfind(map, old.entries[i].key) = old.entries[i];
	free(old.entries);
}

void strmap_set(struct strmap *map, const char *key, void *value)
{
	struct strmap_entry *entry;

	if ((map->count + 1) * 4 > map->capacity * 3)
		strmap_rehash(map);
	entry = strfind(map, key);
	if (!entry->key) {
		entry->key = xstrdup(key);
		map->count++;
	}
	entry->value = value;
}

void *strmap_next(const struct strmap *map, size_t *cursor, const char **key)
{
	while (*cursor < map->capacity) {
		struct strmap_entry *entry = &map->entries[(*cursor)++];

		if (entry->key) {
			if (key)
				*key = entry->key;
			return entry->value;
		}
	}
	return NULL;
}
