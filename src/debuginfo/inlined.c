/*
 * inlined.c - the copies of a function that were inlined into others
 *
 * All units have to be read for it, once.
 */
#include "inlined.h"

#include <string.h>

#include "names.h"
#include "patterns.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "scopes.h"

/* What calls are copies of: many share one. */
struct origin {
	const char *name; /* NULL: none */
};

/* The name of what a call is a copy of, or NULL. */
static const char *origin_name(struct debugfile *file, const struct die *call,
			       struct map *origins)
{
	struct attribute reference;
	struct origin *origin;
	struct die die;

	if (!die_attribute(file, call, DW_AT_abstract_origin, &reference) ||
	    reference.class != ATTRIBUTE_DIE)
		return NULL;
	origin = map_get(origins, reference.number);
	if (!origin) {
		origin = xcalloc(1, sizeof(*origin));
		if (die_reference(file, call, DW_AT_abstract_origin, &die))
			origin->name = die_linkage_name(file, &die);
		map_set(origins, reference.number, origin);
	}
	return origin->name;
}

static void add_unit(struct debugfile *file, struct unit *unit,
		     struct map *origins, struct inlined *inlined)
{
	const struct scopes *scopes;
	uint64_t last = NO_OFFSET;

	if (unit->type == DW_UT_type || !unit_read_root(file, unit))
		return;
	scopes = unit_scopes(file, unit);
	for (size_t i = 0; i < scopes->list.count; i++) {
		const struct scope *scope = &scopes->list.data[i];
		struct inlined_call call = {.address = scope->low};
		struct attribute entry;
		struct die die;

		/* the first range of several has the entry */
		if (!scope->inlined || scope->die == last ||
		    !die_read(file, unit, scope->die, &die) || !die.abbrev)
			continue;
		last = scope->die;
		call.name = origin_name(file, &die, origins);
		if (!call.name)
			continue;
		if (die_attribute(file, &die, DW_AT_entry_pc, &entry)) {
			if (entry.class == ATTRIBUTE_ADDRESS)
				call.address = entry.number;
			else if (entry.class == ATTRIBUTE_UNSIGNED)
				call.address += entry.number;
		}
		if (file_is_code(file, call.address))
			vec_push(&inlined->calls, call);
	}
}

static const struct inlined *file_inlined(struct debugfile *file)
{
	struct dwarf *dwarf = file_dwarf(file);
	struct map origins = {0};
	struct origin *origin;
	size_t cursor = 0;

	if (file->inlined)
		return file->inlined;
	file->inlined = xcalloc(1, sizeof(*file->inlined));
	for (size_t i = 0; i < dwarf->unit_count; i++)
		add_unit(file, &dwarf->units[i], &origins, file->inlined);
	while ((origin = map_next(&origins, &cursor, NULL)))
		free(origin);
	map_deinit(&origins);
	return file->inlined;
}

void inlined_destroy(struct inlined *inlined)
{
	if (!inlined)
		return;
	vec_free(&inlined->calls);
	free(inlined);
}

static bool matches(const struct pattern *pattern, const char *name)
{
	if (is_mangled(name))
		return str_equal(pattern->text, name) ||
		       pattern_matches_mangled(pattern, name);
	return pattern_matches_linked(pattern, name);
}

static int compare(const void *a_, const void *b_)
{
	const struct line_place *a = a_, *b = b_;

	return a->address < b->address ? -1 : a->address > b->address;
}

struct error *debugfile_find_inlined(struct debugfile *file,
				     const char *pattern_text,
				     struct line_list *out)
{
	const struct inlined *inlined = file_inlined(file);
	size_t first = out->count, kept = first;
	struct pattern pattern;

	pattern_init(&pattern, pattern_text);
	for (size_t i = 0; i < inlined->calls.count; i++) {
		const struct inlined_call *call = &inlined->calls.data[i];
		struct line_place place = {.address = call->address};

		if (matches(&pattern, call->name))
			vec_push(out, place);
	}
	pattern_deinit(&pattern);
	if (out->count > first)
		qsort(out->data + first, out->count - first, sizeof(*out->data),
		      compare);
	for (size_t i = first; i < out->count; i++) {
		struct line_place place = out->data[i];

		if (kept > first &&
		    out->data[kept - 1].address == place.address)
			continue;
		debugfile_source_at(file, place.address, &place.file,
				    &place.line);
		out->data[kept++] = place;
	}
	out->count = kept;
	return NULL;
}
