/*
 * function_search.c - finds functions by name and by address, and the code
 * that belongs to them
 */
#include <ctype.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/scopes/scopes.h"
#include "function_names.h"
#include "overloads.h"
#include "patterns.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "plt.h"
#include "symbol_table.h"

/* Does the pattern name this symbol? An exact linked name is not tested here,
 * because find_matching() looks it up. */
static bool matches(const struct pattern *pattern, const struct symbol *symbol)
{
	if (symbol->mangled)
		return (pattern->glob &&
			pattern_matches_linked(pattern, symbol->name)) ||
		       pattern_matches_mangled(pattern, symbol->name);
	if (symbol->part == PART_CLONE && !pattern->glob)
		return !pattern->parameters &&
		       strncmp(symbol->name, pattern->plain,
			       symbol->base_length) == 0 &&
		       pattern->plain[symbol->base_length] == '\0';
	return pattern->glob && pattern_matches_linked(pattern, symbol->name);
}

/* Sort by index in the symbol table. Of the symbols of one address, the best
 * then comes first. */
static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* May the pattern match this symbol at all? A cold part is not matched unless
 * the pattern has `[clone ...]`. A part that is called is a function of its
 * own, so a glob matches it, but the name of its original does not mean it. */
static bool is_candidate(const struct pattern *pattern,
			 const struct symbol *symbol)
{
	switch (symbol->part) {
	case PART_COLD:
		return pattern->wanted.clone.length;
	case PART_SPLIT:
		return pattern->glob || pattern->wanted.clone.length;
	case PART_WHOLE:
	case PART_CLONE:
		break;
	}
	return true;
}

/* Find the symbols that the pattern names, in the order of the table. */
static const struct symbol_search *search(struct symbols *symbols,
					  const struct pattern *pattern)
{
	struct symbol_search *last = &symbols->last_search;

	if (last->text && str_equal(last->text, pattern->text) &&
	    last->glob == pattern->glob)
		return last;
	free(last->text);
	last->text = xstrdup(pattern->text);
	last->glob = pattern->glob;
	last->found.count = 0;
	for (const struct symbol *symbol = symbols_find(symbols, pattern->text,
							strlen(pattern->text));
	     symbol; symbol = symbols_next_namesake(symbols, symbol))
		vec_push(&last->found, (uint32_t)(symbol - symbols->list));
	for (uint32_t i = 0; i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->list[i];

		symbol_prefetch(symbols->list, symbols->count, i);
		if (is_candidate(pattern, symbol) && matches(pattern, symbol))
			vec_push(&last->found, i);
	}
	if (last->found.count)
		qsort(last->found.data, last->found.count,
		      sizeof(*last->found.data), compare);
	return last;
}

/* Append the functions that the pattern names. The result is the number of
 * functions that were appended. */
static size_t find_matching(struct debugfile *file,
			    const struct pattern *pattern,
			    struct function_list *out)
{
	struct symbols *symbols = file_symbols(file);
	const struct symbol_search *found = search(symbols, pattern);
	size_t first = out->count;
	uint64_t last = UINT64_MAX;

	for (size_t i = 0; i < found->found.count; i++) {
		const struct symbol *symbol =
			&symbols->list[found->found.data[i]];

		if (symbol->address == last)
			continue;
		last = symbol->address;
		vec_push(out, symbol_function(file, symbol));
	}
	return out->count - first;
}

/* Append the functions that match `name` as it is, without a replacement of its
 * typedefs. The result is their number. */
static size_t find_by_name(struct debugfile *file, const char *name,
			   struct function_list *out)
{
	struct pattern pattern;
	size_t count;

	pattern_init(&pattern, name);
	count = find_matching(file, &pattern, out);
	pattern_deinit(&pattern);
	return count;
}

/* Does the file have a function with the same last name? To replace the
 * typedefs in the rest of the name, the reader must read all types. If no
 * function has the same last name, this cannot help, and is not done. */
static bool has_namesakes(struct debugfile *file, const char *name)
{
	CLEANUP(free_pointer) char *last = last_name(name);
	struct function_list found = {0};
	size_t count = last ? find_by_name(file, last, &found) : 0;

	vec_free(&found);
	return count > 0;
}

/* The linked name of GNAT for a name of Ada: package__name, in small letters,
 * for `Package.Name`, and _ada_name for a name without a package. `is_glob`:
 * the name may have asterisks. NULL: the name has another form. The caller
 * frees the result. */
static char *linked_name_of_ada(const char *name, bool is_glob)
{
	struct str linked = {0};
	bool has_package = strchr(name, '.') != NULL;

	if (!has_package)
		str_append(&linked, "_ada_");
	for (const char *at = name; *at; at++) {
		bool is_letter = isalpha((unsigned char)*at);
		bool begins = at == name || at[-1] == '.';

		if (*at == '.' && !begins && at[1]) {
			str_append(&linked, "__");
		} else if (is_letter || (is_glob && *at == '*') ||
			   (!begins &&
			    (*at == '_' || isdigit((unsigned char)*at)))) {
			str_append_char(&linked,
					(char)tolower((unsigned char)*at));
		} else {
			str_deinit(&linked);
			return NULL;
		}
	}
	return str_take(&linked);
}

/* Remove from the list, from index `first` on, what has no name in a source of
 * Ada. Returns how many functions are left there. */
static size_t leave_subprograms(struct function_list *list, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < list->count; i++) {
		CLEANUP(free_pointer)
		char *name = demangle_ada(list->data[i].name);

		if (name)
			list->data[kept++] = list->data[i];
	}
	list->count = kept;
	return kept - first;
}

/* Append the subprograms of Ada that have this name. GNAT numbers those that
 * have the same name: package__name__2. */
static size_t find_in_ada(struct debugfile *file, const char *name,
			  struct function_list *out)
{
	bool is_glob = file_symbols(file)->has_ada && str_is_glob(name);
	CLEANUP(free_pointer) char *linked = linked_name_of_ada(name, is_glob);
	size_t first = out->count;
	size_t count = linked ? find_by_name(file, linked, out) : 0;

	if (is_glob)
		return leave_subprograms(out, first);
	for (unsigned i = 2; count; i++) {
		CLEANUP(free_pointer)
		char *next = xasprintf("%s__%u", linked, i);
		size_t more = find_by_name(file, next, out);

		if (!more)
			break;
		count += more;
	}
	return count;
}

/* Append the functions that match `name`. If there are none, append the
 * functions that match the name after its typedefs were replaced, or that have
 * it in Ada. */
static size_t find_named(struct debugfile *file, const char *name,
			 struct function_list *out)
{
	CLEANUP(free_pointer) char *expanded = NULL;
	size_t count = find_by_name(file, name, out);

	if (!count)
		count = find_in_ada(file, name, out);
	if (count || debuginfo_is_glob(name) || !file->facts.has_dwarf ||
	    !has_namesakes(file, name))
		return count;
	expanded = expand_typedefs(file, name);
	return expanded ? find_by_name(file, expanded, out) : 0;
}

bool names_function(struct debugfile *file, const char *name)
{
	struct function_list found = {0};
	bool any = find_named(file, name, &found) > 0;

	vec_free(&found);
	return any;
}

struct error *debugfile_find_functions(struct debugfile *file, const char *name,
				       struct function_list *out)
{
	struct pattern pattern;

	if (plt_is_name(name)) {
		plt_find(file_plt(file), name, out);
		return NULL;
	}
	if (find_named(file, name, out) || debuginfo_is_glob(name) ||
	    !str_is_glob(name))
		return NULL;
	/* No function has this name, so the text is a glob after all. */
	pattern_init_glob(&pattern, name);
	find_matching(file, &pattern, out);
	pattern_deinit(&pattern);
	return NULL;
}

/* Find the function at `address` in the debug information. */
static bool find_by_dwarf(struct debugfile *file, uint64_t address,
			  struct function *out)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes;
	struct range_list ranges = {0};
	const struct scope *scope;
	struct function function = {0};
	struct attribute external;
	uint32_t index;
	struct die die;

	if (!unit)
		return false;
	scopes = unit_scopes(file, unit);
	index = scopes_function_at(scopes, address);
	if (index == NO_SCOPE)
		return false;
	scope = &scopes->list.data[index];
	if (!die_read(file, unit, scope->die, &die) || !die.abbrev)
		return false;
	die_ranges(file, &die, &ranges);
	if (!ranges.count)
		return false;
	/* The first range of a function contains its entry. */
	function.address = ranges.data[0].low;
	function.size = ranges.data[0].high - ranges.data[0].low;
	function.name = die_linkage_name(file, &die);
	function.local = !die_inherited(file, &die, DW_AT_external, &external);
	vec_free(&ranges);
	*out = function;
	return true;
}

bool debugfile_function_at(struct debugfile *file, uint64_t address,
			   struct function *out)
{
	const struct symbol *symbol = symbols_at(file, address);
	struct range range;

	if (symbol && symbol->part == PART_COLD) {
		const struct symbol *parent = symbols_parent(file, symbol);

		if (parent)
			symbol = parent;
	}
	if (symbol) {
		*out = symbol_function(file, symbol);
		return true;
	}
	if (find_by_dwarf(file, address, out))
		return true;
	if (!file_is_code(file, address) ||
	    !frames_range_at(file, address, &range))
		return false;
	*out = (struct function){.address = range.low,
				 .size = range.high - range.low,
				 .local = true};
	return true;
}

static int compare_ranges(const void *a_, const void *b_)
{
	const struct range *a = a_, *b = b_;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

/* Sort the ranges from `first` on, and join ranges that touch. */
static void merge_ranges(struct range_list *ranges, size_t first)
{
	size_t kept = first;

	if (ranges->count > first)
		qsort(ranges->data + first, ranges->count - first,
		      sizeof(*ranges->data), compare_ranges);
	for (size_t i = first; i < ranges->count; i++) {
		struct range range = ranges->data[i];

		if (kept > first && range.low <= ranges->data[kept - 1].high) {
			if (range.high > ranges->data[kept - 1].high)
				ranges->data[kept - 1].high = range.high;
		} else {
			ranges->data[kept++] = range;
		}
	}
	ranges->count = kept;
}

/* Append the ranges of the function's cold parts. A cold part may be named
 * after any alias of the function. */
static void add_cold(struct debugfile *file, const struct function *function,
		     struct range_list *out)
{
	const struct symbols *symbols = file_symbols(file);

	for (size_t i = 0; i < symbols->cold.count; i++) {
		const struct symbol *cold =
			&symbols->list[symbols->cold.data[i]];
		const struct symbol *parent = symbols_parent(file, cold);
		uint64_t extent;

		if (!parent || parent->address != function->address)
			continue;
		extent = symbol_extent(file, cold);
		vec_push(out,
			 (struct range){cold->address, cold->address + extent});
	}
}

struct error *debugfile_function_ranges(struct debugfile *file,
					const struct function *function,
					struct range_list *out)
{
	struct unit *unit = unit_at(file, function->address);
	uint64_t size = function->size;
	size_t first = out->count;
	struct function known;

	if (!size && debugfile_function_at(file, function->address, &known) &&
	    known.address == function->address)
		size = known.size;
	if (size && size <= UINT64_MAX - function->address)
		vec_push(out, (struct range){function->address,
					     function->address + size});
	add_cold(file, function, out);
	if (unit) {
		const struct scopes *scopes = unit_scopes(file, unit);
		uint32_t index = scopes_function_at(scopes, function->address);
		struct die die;

		if (index != NO_SCOPE &&
		    scopes->list.data[index].low == function->address &&
		    die_read(file, unit, scopes->list.data[index].die, &die) &&
		    die.abbrev)
			die_ranges(file, &die, out);
	}
	merge_ranges(out, first);
	if (out->count == first)
		return error_create(
			ERROR_NOT_FOUND, "the end of %s is not known",
			function->name ? function->name : "the function");
	return NULL;
}
