/* compared_names.c - see compared_names.h */
#include "compared_names.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/str.h"

#define BLOCK 65536

struct compared_names *compared_names_create(void)
{
	return xcalloc(1, sizeof(struct compared_names));
}

void compared_names_destroy(struct compared_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->blocks.count; i++)
		free(names->blocks.data[i]);
	vec_free(&names->blocks);
	vec_free(&names->texts);
	free(names->slots);
	free(names);
}

/* Returns the slot that has the name, or else the one where it belongs. */
static uint32_t *slot_of(const struct compared_names *names, const char *name)
{
	uint64_t hash = hash_bytes(HASH_START, name, strlen(name));
	size_t mask = names->slot_count - 1;
	size_t at = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15 >> 32 & mask;

	while (names->slots[at] &&
	       !str_equal(names->texts.data[names->slots[at] - 1], name))
		at = (at + 1) & mask;
	return &names->slots[at];
}

static void grow(struct compared_names *names)
{
	free(names->slots);
	names->slot_count = names->slot_count ? 2 * names->slot_count : 64;
	names->slots = xcalloc(names->slot_count, sizeof(*names->slots));
	for (size_t i = 0; i < names->texts.count; i++)
		*slot_of(names, names->texts.data[i]) = (uint32_t)(i + 1);
}

static const char *keep(struct compared_names *names, const char *name)
{
	size_t size = strlen(name) + 1, block = size > BLOCK ? size : BLOCK;
	char *at;

	if (size > names->block_left) {
		vec_push(&names->blocks, xmalloc(block));
		names->block_left = block;
		at = names->blocks.data[names->blocks.count - 1];
	} else {
		at = names->blocks.data[names->blocks.count - 1] + BLOCK -
		     names->block_left;
	}
	memcpy(at, name, size);
	names->block_left = block > BLOCK ? 0 : names->block_left - size;
	return at;
}

uint32_t compared_names_add(struct compared_names *names, const char *name)
{
	uint32_t *slot;

	if (names->texts.count >= names->slot_count / 2)
		grow(names);
	slot = slot_of(names, name);
	if (!*slot) {
		vec_push(&names->texts, keep(names, name));
		*slot = (uint32_t)names->texts.count;
	}
	return *slot - 1;
}
