/* declarations.c - see declarations.h */
#include "declarations.h"

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/types/types.h"
#include "globals.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

struct search {
	struct debugfile *file;
	const char *name;
	struct die *out;
	bool found;
};

/* Is the DIE a declaration of a variable that another file may define? */
static bool is_extern(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_attribute(file, die, DW_AT_declaration, &attribute) &&
	       die_attribute(file, die, DW_AT_external, &attribute);
}

static bool match(void *context, const struct die *die, const char *name)
{
	struct search *search = context;

	if (!str_equal(name, search->name) || !is_extern(search->file, die))
		return true;
	*search->out = *die;
	search->found = true;
	return false;
}

bool declared_find(struct debugfile *file, struct unit *unit, const char *name,
		   struct die *out)
{
	struct search search = {.file = file, .name = name, .out = out};

	unit_each_global(file, unit, match, &search);
	return search.found;
}

struct debugtype *debugfile_declared_type(struct debugfile *file,
					  const char *name)
{
	struct source *source = file_dwarf(file)->main;
	struct die die;

	source_complete(source);
	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = unit_whole(file, source->units.data[i]);

		if (unit->type != DW_UT_type &&
		    declared_find(file, unit, name, &die))
			return debugtype_of(file, &die);
	}
	return NULL;
}

/* Is the variable in no namespace or class? */
static bool is_at_top(struct debugfile *file, const struct die *die)
{
	struct die_walk walk;
	struct die root;

	if (!die_read(file, die->unit, die->unit->root, &root) || !root.abbrev)
		return false;
	die_walk_init(&walk, file, &root);
	while (die_walk_next(&walk)) {
		if (walk.die.offset >= die->offset)
			return walk.die.offset == die->offset;
		die_walk_skip(&walk);
	}
	return false;
}

/* Is the linked name of the variable known? Without an attribute, the linked
 * name is the plain name only if the variable is not in a scope, or its
 * language has no scopes. */
static bool is_linked_by_name(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_inherited(file, die, DW_AT_linkage_name, &attribute) ||
	       die_inherited(file, die, DW_AT_MIPS_linkage_name, &attribute) ||
	       (!unit_is_c_plus_plus(die->unit) &&
		die->unit->language != DW_LANG_Rust) ||
	       is_at_top(file, die);
}

char *declared_symbol(struct debugfile *file, const struct die *die)
{
	const char *name;

	if (!is_extern(file, die) || !is_linked_by_name(file, die))
		return NULL;
	name = die_linkage_name(file, die);
	return name ? xstrdup(name) : NULL;
}
