/*
 * function_names.c - see function_names.h; also completion and the suggestions
 * for a misspelled name
 */
#include "function_names.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "perftool/base/str.h"

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct name_entry *)a)->name,
		      ((const struct name_entry *)b)->name);
}

/* The name in the source of a symbol that is not mangled. NULL: its own. */
static char *source_name(const struct symbols *symbols,
			 const struct symbol *symbol)
{
	char *original = symbol->part == PART_CLONE
				 ? xstrndup(symbol->name, symbol->base_length)
				 : NULL;
	char *ada = symbols->has_ada
			    ? demangle_ada(original ? original : symbol->name)
			    : NULL;

	if (!ada)
		return original;
	free(original);
	return ada;
}

struct names *file_names(struct debugfile *file)
{
	const struct symbols *symbols = file_symbols(file);
	struct names *names;

	if (file->names)
		return file->names;
	names = xcalloc(1, sizeof(*names));
	names->list = xcalloc(symbols->count + 1, sizeof(*names->list));
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->list[i];
		struct name_entry entry = {symbol->name, (uint32_t)i, false};
		char *text = NULL;

		if (symbol->part == PART_COLD ||
		    (symbol->part == PART_SPLIT && symbol->mangled))
			continue;
		text = is_mangled(symbol->name) ? demangle_plain(symbol->name)
						: source_name(symbols, symbol);
		if (text) {
			entry.name = text;
			entry.owned = true;
		}
		names->list[names->count++] = entry;
	}
	qsort(names->list, names->count, sizeof(*names->list), compare);
	file->names = names;
	return names;
}

char *debugfile_demangle(struct debugfile *file, const char *name)
{
	char *text =
		file && file_symbols(file)->has_ada ? demangle_ada(name) : NULL;

	return text ? text : debuginfo_demangle(name);
}

void names_destroy(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		if (names->list[i].owned)
			free((char *)names->list[i].name);
	free(names->list);
	free(names);
}

void debugfile_each_name(struct debugfile *file, const char *prefix,
			 debugfile_visit_fn *visit, void *context)
{
	const struct names *names = file_names(file);
	size_t low;
	const char *last = NULL;

	SEARCH_FIRST(low, names->count,
		     strcmp(names->list[low].name, prefix) >= 0);
	for (; low < names->count; low++) {
		const char *name = names->list[low].name;

		if (!str_starts(name, prefix))
			break;
		if (last && str_equal(name, last))
			continue;
		if (!visit(context, name))
			break;
		last = name;
	}
}

struct near_name {
	const char *name;
	size_t distance;
};

/* The name without its scope: the text after the last "::" outside <> and
 * (). */
static const char *last_component(const char *name)
{
	const char *last = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (*at == '<' || *at == '(')
			depth++;
		else if ((*at == '>' || *at == ')') && depth)
			depth--;
		else if (!depth && at[0] == ':' && at[1] == ':')
			last = at + 2;
	}
	return last;
}

/* The edit distance of two names. If more than a third of the longer name (or
 * more than 5 characters) differs, neither name is taken for a misspelling of
 * the other, and the result is SIZE_MAX. */
static size_t near_distance(const char *a, const char *b)
{
	size_t a_length = strlen(a), b_length = strlen(b), distance;
	size_t longer = a_length > b_length ? a_length : b_length;
	size_t bound = longer < 3 ? 1 : longer / 3;

	if (bound > 5)
		bound = 5;
	if (a_length > b_length + bound || b_length > a_length + bound)
		return SIZE_MAX;
	distance = str_distance(a, b);
	return distance <= bound ? distance : SIZE_MAX;
}

/* Insert `new` into the list `best`, which is sorted by distance and has at
 * most `max` names. A name that is in the list already is not inserted again.
 * The result is the new number of names. */
static size_t insert(struct near_name *best, size_t count, size_t max,
		     struct near_name new)
{
	size_t at = count;

	for (size_t i = 0; i < count; i++)
		if (str_equal(best[i].name, new.name))
			return count;
	while (at && best[at - 1].distance > new.distance)
		at--;
	if (at == max)
		return count;
	if (count == max)
		count--;
	memmove(best + at + 1, best + at, (count - at) * sizeof(*best));
	best[at] = new;
	return count + 1;
}

size_t debugfile_near_names(struct debugfile *file, const char *name,
			    char **out, size_t max)
{
	const struct names *names = file_names(file);
	struct near_name *best;
	size_t count = 0;

	if (!max || strlen(name) > 256)
		return 0;
	best = xcalloc(max + 1, sizeof(*best));
	for (size_t i = 0; i < names->count; i++) {
		const char *whole = names->list[i].name;
		const char *last = last_component(whole);
		size_t distance;

		/* The name that the user asked for is not a suggestion. */
		if ((i && str_equal(whole, names->list[i - 1].name)) ||
		    str_equal(whole, name))
			continue;
		distance = near_distance(name, whole);
		if (distance == SIZE_MAX && last != whole)
			distance = near_distance(name, last);
		if (distance == SIZE_MAX)
			continue;
		count = insert(best, count, max,
			       (struct near_name){whole, distance});
	}
	for (size_t i = 0; i < count; i++)
		out[i] = xstrdup(best[i].name);
	free(best);
	return count;
}
