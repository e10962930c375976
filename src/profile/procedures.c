/* procedures.c - see perftool/profile/procedures.h */
#include "perftool/profile/procedures.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "perftool/base/str.h"

void procedures_deinit(struct procedures *procedures)
{
	for (size_t i = 0; i < procedures->list.count; i++) {
		struct procedure *procedure = &procedures->list.data[i];

		free((char *)procedure->name);
		free((char *)procedure->module);
		free((char *)procedure->file);
	}
	vec_free(&procedures->list);
	map_deinit(&procedures->by_hash);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hash_byte(hash, (unsigned char)*text);
	return hash_byte(hash, 0);
}

static uint64_t hash_procedure(const struct procedure *procedure)
{
	uint64_t hash = hash_text(HASH_START, procedure->name);

	hash = hash_text(hash, procedure->module);
	if (procedure->file)
		return hash_bytes(hash_text(hash, procedure->file),
				  &procedure->line, sizeof(procedure->line));
	return hash_bytes(hash, &procedure->address,
			  sizeof(procedure->address));
}

static bool is_same(const struct procedure *a, const struct procedure *b)
{
	if (!str_equal(a->name, b->name) || !str_equal(a->module, b->module) ||
	    !a->file != !b->file)
		return false;
	return a->file ? str_equal(a->file, b->file) && a->line == b->line
		       : a->address == b->address;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

uint32_t procedures_number(struct procedures *procedures,
			   const struct procedure *procedure)
{
	uint64_t hash = hash_procedure(procedure);
	uint64_t number;
	struct procedure new = *procedure;

	/* A map has one value for each key: other procedures of the same hash
	 * have the next keys. */
	for (; (number = map_get_number(&procedures->by_hash, hash)); hash++) {
		struct procedure *known = &procedures->list.data[number - 1];

		if (!is_same(known, procedure))
			continue;
		if (!known->address)
			known->address = procedure->address;
		return (uint32_t)number - 1;
	}
	new.name = copy(procedure->name);
	new.module = copy(procedure->module);
	new.file = copy(procedure->file);
	vec_push(&procedures->list, new);
	map_set_number(&procedures->by_hash, hash, procedures->list.count);
	return (uint32_t)procedures->list.count - 1;
}

bool procedures_share_name(const struct procedures *procedures, uint32_t number)
{
	const char *name = procedures->list.data[number].name;

	for (size_t i = 0; i < procedures->list.count; i++) {
		if (i != number &&
		    str_equal(procedures->list.data[i].name, name))
			return true;
	}
	return false;
}
