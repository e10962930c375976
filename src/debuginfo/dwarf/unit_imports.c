/*
 * unit_imports.c - finds the units whose DIEs count as another unit's own
 * (DW_TAG_imported_unit)
 *
 * dwz moves the DIEs that several units have in common to partial units. The
 * partial units are in the same file or in a file that several programs share.
 * Link-time optimization puts the code of all units into one unit, which
 * imports the units of the original source files.
 */
#include "die.h"
#include "unit.h"

/* The most units that a unit may import. No correct unit imports nearly so
 * many. */
#define MAX_IMPORTS 65536

/* Append to to->imports the units that DIEs below the root of `unit` import,
 * except for those that are in `seen`. Add the new units to `seen`. */
static void add_imports(struct debugfile *file, struct unit *unit,
			struct unit *to, struct map *seen)
{
	struct die_walk walk;

	if (!die_walk_unit(&walk, file, unit))
		return;
	while (die_walk_next(&walk) && to->imports.count < MAX_IMPORTS) {
		struct attribute import;
		struct unit *other;

		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_imported_unit ||
		    !die_attribute(file, &walk.die, DW_AT_import, &import) ||
		    import.class != ATTRIBUTE_DIE)
			continue;
		other = unit_of_die(file, import.number);
		if (!other || map_get(seen, other->offset))
			continue;
		map_set(seen, other->offset, other);
		vec_push(&to->imports, other);
	}
}

void unit_find_imports(struct debugfile *file, struct unit *unit)
{
	struct map seen = {0};

	if (unit->imports_known)
		return;
	unit->imports_known = true;
	map_set(&seen, unit->offset, unit);
	add_imports(file, unit, unit, &seen);
	for (size_t i = 0; i < unit->imports.count; i++)
		add_imports(file, unit->imports.data[i], unit, &seen);
	map_deinit(&seen);
}

bool unit_covers(struct debugfile *file, struct unit *unit, uint64_t offset)
{
	if (offset >= unit->offset && offset < unit->end)
		return true;
	unit_find_imports(file, unit);
	for (size_t i = 0; i < unit->imports.count; i++)
		if (offset >= unit->imports.data[i]->offset &&
		    offset < unit->imports.data[i]->end)
			return true;
	return false;
}
