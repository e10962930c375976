/* namespace_aliases.c - searches the top-level DIEs of all C++ units for the
 * alias of a namespace (DW_TAG_imported_declaration) */
#include "namespace_aliases.h"

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/types/types.h"
#include "perftool/base/str.h"

/* The most DIEs that are read, which takes about a tenth of a second. If the
 * alias is not found by then, the user has probably misspelled a name in a
 * very large program. */
#define MOST_DIES 1000000

/* The full name of the namespace to which the DIE of an alias refers; NULL: the
 * DIE refers to something else. */
static char *name_of_namespace(struct debugfile *file, const struct die *alias)
{
	struct str name = {0};
	struct die space;

	if (!die_reference(file, alias, DW_AT_import, &space) ||
	    die_tag(&space) != DW_TAG_namespace || !die_name(file, &space))
		return NULL;
	append_scopes(file, &space, &name);
	str_append(&name, die_name(file, &space));
	return str_take(&name);
}

static char *find_in_unit(struct debugfile *file, struct unit *unit,
			  const char *alias, unsigned *left)
{
	struct die_walk walk;
	char *found = NULL;
	struct die root;

	if (!die_read(file, unit, unit->root, &root) || !root.abbrev)
		return NULL;
	die_walk_init(&walk, file, &root);
	while (!found && *left && die_walk_next(&walk)) {
		const char *name;

		--*left;
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_imported_declaration)
			continue;
		name = die_name(file, &walk.die);
		if (name && str_equal(name, alias))
			found = name_of_namespace(file, &walk.die);
	}
	return found;
}

char *namespace_of_alias(struct debugfile *file, const char *alias)
{
	struct source *source = file_dwarf(file)->main;
	unsigned left = MOST_DIES;
	char *found = NULL;

	source_complete(source);
	for (size_t i = 0; !found && left && i < source->units.count; i++) {
		struct unit *unit = unit_whole(file, source->units.data[i]);

		if (unit->type != DW_UT_type && unit_read_root(file, unit) &&
		    unit_is_c_plus_plus(unit))
			found = find_in_unit(file, unit, alias, &left);
	}
	return found;
}
