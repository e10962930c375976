/* globals.c - see globals.h */
#include "globals.h"

#include "debuginfo/index/index.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* Visit the variables and enumerators of one unit, without its imports. */
static bool visit_unit(struct debugfile *file, struct unit *unit,
		       bool (*visit)(void *context, const struct die *die,
				     const char *name),
		       void *context)
{
	struct die_walk walk;

	if (!die_walk_unit(&walk, file, unit))
		return true;
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);
		const char *name;

		if (tag == DW_TAG_namespace || tag == DW_TAG_enumeration_type)
			continue; /* visit its children */
		die_walk_skip(&walk);
		if (tag != DW_TAG_variable && tag != DW_TAG_enumerator)
			continue;
		name = die_name(file, &walk.die);
		if (name && !visit(context, &walk.die, name))
			return false;
	}
	return true;
}

bool unit_each_global(struct debugfile *file, struct unit *unit,
		      bool (*visit)(void *context, const struct die *die,
				    const char *name),
		      void *context)
{
	if (!visit_unit(file, unit, visit, context))
		return false;
	unit_find_imports(file, unit);
	for (size_t i = 0; i < unit->imports.count; i++)
		if (!visit_unit(file, unit->imports.data[i], visit, context))
			return false;
	return true;
}

/* Does the DIE give a place or a value? */
static bool is_defined(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_tag(die) == DW_TAG_enumerator ||
	       die_attribute(file, die, DW_AT_location, &attribute) ||
	       die_attribute(file, die, DW_AT_const_value, &attribute);
}

struct search {
	struct debugfile *file;
	const char *name;
	struct die *out;
	bool found, defined;
};

/* Choose a variable of the name that is searched for. A variable with a place
 * or a value is best, and ends the search. A variable that was optimized out is
 * still better than none. A declaration does not count. */
static bool match(void *context, const struct die *die, const char *name)
{
	struct search *search = context;
	struct attribute declaration;

	if (!str_equal(name, search->name))
		return true;
	if (is_defined(search->file, die)) {
		*search->out = *die;
		search->found = search->defined = true;
		return false;
	}
	if (!die_attribute(search->file, die, DW_AT_declaration,
			   &declaration)) {
		*search->out = *die;
		search->found = true;
	}
	return true;
}

/* `abstract` is the DIE of a variable without a place. Find a DIE in another
 * unit that has the place and refers to `abstract` as its origin. Link-time
 * optimization divides a variable into two DIEs in this way. */
static bool find_concrete(struct debugfile *file, const struct die *abstract,
			  const char *name, struct die *out)
{
	const struct globals *globals = file_globals(file);

	for (size_t i = 0; i < globals->list.count; i++) {
		const struct global *global = &globals->list.data[i];
		struct unit *unit;
		struct die die, origin;

		if (!str_equal(global->name, name))
			continue;
		unit = unit_of_die(file, global->die);
		if (unit && unit != abstract->unit &&
		    die_read(file, unit, global->die, &die) && die.abbrev &&
		    die_reference(file, &die, DW_AT_abstract_origin, &origin) &&
		    origin.offset == abstract->offset) {
			*out = die;
			return true;
		}
	}
	return false;
}

bool unit_find_global(struct debugfile *file, struct unit *unit,
		      const char *name, struct die *out, bool *defined)
{
	struct search search = {.file = file, .name = name, .out = out};

	unit_each_global(file, unit, match, &search);
	if (search.found && !search.defined)
		search.defined = find_concrete(file, out, name, out);
	*defined = search.defined;
	return search.found;
}

static int compare(const void *a_, const void *b_)
{
	const struct global *a = a_, *b = b_;

	return a->die < b->die ? -1 : a->die > b->die;
}

const struct globals *file_globals(struct debugfile *file)
{
	const struct index *index = file_index(file);
	struct globals *globals;

	if (file->globals)
		return file->globals;
	globals = file->globals = xcalloc(1, sizeof(*globals));
	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->variables.count; j++) {
			const struct scan_variable *variable =
				&scan->variables.data[j];

			vec_push(&globals->list,
				 (struct global){variable->name, variable->die,
						 variable->external});
		}
	}
	if (globals->list.count)
		qsort(globals->list.data, globals->list.count,
		      sizeof(*globals->list.data), compare);
	for (size_t i = 0; i < globals->list.count; i++) {
		struct global *global = &globals->list.data[i];
		struct global *known =
			strmap_get(&globals->by_name, global->name);

		if (!known || (global->external && !known->external))
			strmap_set(&globals->by_name, global->name, global);
	}
	return globals;
}

void globals_destroy(struct globals *globals)
{
	if (!globals)
		return;
	strmap_deinit(&globals->by_name);
	vec_free(&globals->list);
	free(globals);
}

const struct global *globals_find(struct debugfile *file, const char *name)
{
	return strmap_get(&file_globals(file)->by_name, name);
}
