/*
 * symbol_order.c - sorts the symbols of a file; see symbols_in_order()
 *
 * A browser or a run-time system has 100,000 symbols and more, and a sort that
 * compares their names spends its time waiting for the memory of the names. So
 * the symbols are sorted by their addresses alone first, by a radix sort, which
 * compares nothing. Only symbols of the same address are then compared with
 * each other.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/radix.h"
#include "symbol_table.h"

/* The addresses and indices of the symbols, sorted by address. The caller frees
 * the result. */
static struct radix_key *sorted_keys(const struct symbol *list, size_t count)
{
	struct radix_key *keys = xmalloc(count * sizeof(*keys));

	for (size_t i = 0; i < count; i++)
		keys[i] = (struct radix_key){list[i].address, (uint32_t)i};
	radix_sort(keys, count);
	return keys;
}

static int bind_rank(const struct symbol *symbol)
{
	switch (symbol->bind) {
	case STB_LOCAL:
		return 2;
	case STB_WEAK:
		return 1;
	default:
		return 0;
	}
}

/* Compare two symbols of one address: the better name is first. */
static int compare(const void *a_, const void *b_)
{
	const struct symbol *a = a_, *b = b_;

	if (bind_rank(a) != bind_rank(b))
		return bind_rank(a) - bind_rank(b);
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return strcmp(a->name, b->name);
}

static bool is_double(const struct symbol *a, const struct symbol *b)
{
	return a->address == b->address && a->hash == b->hash &&
	       a->length == b->length &&
	       memcmp(a->name, b->name, a->length) == 0;
}

/* Sort the symbols of one address, and keep a symbol only once if it is in both
 * .symtab and .dynsym. The result is the number of symbols that are kept. */
static size_t settle_aliases(struct symbol *list, size_t count)
{
	size_t kept = 1;

	/* Most addresses with more than one symbol have just such a double. */
	if (count == 2 && is_double(&list[0], &list[1])) {
		if (compare(&list[0], &list[1]) > 0)
			list[0] = list[1];
		return 1;
	}
	if (count > 1)
		qsort(list, count, sizeof(*list), compare);
	for (size_t i = 1; i < count; i++)
		if (!is_double(&list[kept - 1], &list[i]))
			list[kept++] = list[i];
	return kept;
}

/* Settle the symbols of each address; those of one address are neighbours
 * already. The result is the number of symbols that are kept. */
static size_t settle_all(struct symbol *list, size_t count)
{
	size_t kept = 0, first = 0, of_address;

	for (size_t i = 1; i <= count; i++) {
		symbol_prefetch(list, count, i);
		if (i < count && list[i].address == list[first].address)
			continue;
		of_address = settle_aliases(list + first, i - first);
		memmove(list + kept, list + first, of_address * sizeof(*list));
		kept += of_address;
		first = i;
	}
	return kept;
}

struct symbol *symbols_in_order(struct symbol *list, size_t *count)
{
	struct symbol *ordered;
	struct radix_key *keys;

	if (!*count)
		return list;
	keys = sorted_keys(list, *count);
	ordered = xcalloc(*count, sizeof(*ordered));
	for (size_t i = 0; i < *count; i++)
		ordered[i] = list[keys[i].index];
	free(keys);
	free(list);
	*count = settle_all(ordered, *count);
	return ordered;
}
