/*
 * type_names.c - see type_names.h
 *
 * All types that have a name, of all units, by their name with its scope
 * (`ns::Point::Kind`). Made by one walk when the first name is asked for.
 */
#include "type_names.h"

#include <string.h>

#include "debugtype.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

struct named {
	char *name;
	uint64_t die;
	uint16_t tag;
	bool declaration;
	size_t next; /* of the same name: its index + 1; 0: no more */
};

struct type_names {
	VEC(struct named) list;
	struct strmap by_name; /* index + 1 of the first */
	struct map by_die;     /* index + 1 */
};

void type_names_destroy(struct type_names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->list.count; i++)
		free(names->list.data[i].name);
	vec_free(&names->list);
	strmap_deinit(&names->by_name);
	map_deinit(&names->by_die);
	free(names);
}

static void *boxed(size_t number)
{
	return (void *)(uintptr_t)number;
}

static size_t unboxed(const void *box)
{
	return (size_t)(uintptr_t)box;
}

static bool is_named_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_unspecified_type:
		return true;
	default:
		return false;
	}
}

static bool is_scope(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_interface_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_module;
}

static void add(struct debugfile *file, struct type_names *names,
		const struct die *die, const char *name)
{
	struct attribute declaration;
	struct named named = {
		.name = xstrdup(name),
		.die = die->offset,
		.tag = (uint16_t)die_tag(die),
		.declaration = die_attribute(file, die, DW_AT_declaration,
					     &declaration),
		.next = unboxed(strmap_get(&names->by_name, name)),
	};

	vec_push(&names->list, named);
	strmap_set(&names->by_name, name, boxed(names->list.count));
	map_set(&names->by_die, die->offset, boxed(names->list.count));
}

/* The names of all types of a unit, with those of the scopes they are in. */
static void add_unit(struct debugfile *file, struct type_names *names,
		     struct unit *unit)
{
	struct str path = {0};
	VEC(size_t) lengths = {0}; /* of the path, by depth */
	struct die_walk walk;
	struct die root;

	if (!unit_read_root(file, unit) ||
	    !die_read(file, unit, unit->root, &root) || !root.abbrev)
		return;
	vec_push(&lengths, 0);
	die_walk_init(&walk, file, &root);
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);
		const char *name;

		if (!is_scope(tag))
			die_walk_skip(&walk);
		if (!is_scope(tag) && !is_named_type(tag))
			continue;
		lengths.count = walk.depth;
		path.length = lengths.data[lengths.count - 1];
		name = die_name(file, &walk.die);
		if (!name && tag == DW_TAG_namespace)
			name = "(anonymous namespace)";
		if (name)
			str_append(&path, name);
		if (name && is_named_type(tag))
			add(file, names, &walk.die, str_text(&path));
		if (name)
			str_append(&path, "::");
		vec_push(&lengths, path.length);
	}
	vec_free(&lengths);
	str_deinit(&path);
}

static struct type_names *names_of(struct debugfile *file)
{
	struct dwarf *dwarf = file_dwarf(file);
	struct type_names *names = file->types->names;

	if (names)
		return names;
	names = file->types->names = xcalloc(1, sizeof(*names));
	for (size_t i = 0; i < dwarf->unit_count; i++)
		add_unit(file, names, &dwarf->units[i]);
	return names;
}

static bool read_named(struct debugfile *file, const struct named *named,
		       struct die *out)
{
	struct unit *unit = unit_of_die(file, named->die);

	return unit && die_read(file, unit, named->die, out) && out->abbrev;
}

/* C++ lets a class be declared as a struct. */
static unsigned class_of(unsigned tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_interface_type
		       ? DW_TAG_structure_type
		       : tag;
}

bool type_names_complete(struct debugfile *file, const struct die *declaration,
			 struct die *out)
{
	const struct type_names *names = names_of(file);
	size_t number = unboxed(map_get(&names->by_die, declaration->offset));
	unsigned wanted = class_of(die_tag(declaration));

	if (!number)
		return false;
	number = unboxed(
		strmap_get(&names->by_name, names->list.data[number - 1].name));
	for (; number; number = names->list.data[number - 1].next) {
		const struct named *named = &names->list.data[number - 1];

		if (!named->declaration && class_of(named->tag) == wanted &&
		    read_named(file, named, out))
			return true;
	}
	return false;
}

/* ---- by what somebody has written ----------------------------------------
 */

/* `struct `, `union `, `enum `, `class `: skipped, and the tag it asks for. */
static unsigned take_keyword(const char **name)
{
	static const struct {
		const char *word;
		unsigned tag;
	} words[] = {{"struct ", DW_TAG_structure_type},
		     {"class ", DW_TAG_structure_type},
		     {"union ", DW_TAG_union_type},
		     {"enum ", DW_TAG_enumeration_type}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!str_starts(*name, words[i].word))
			continue;
		*name += strlen(words[i].word);
		return words[i].tag;
	}
	return 0;
}

/* The better of two of the same name: a definition, one of the unit that asks,
 * a typedef (the tags of C have a name space of their own). */
static int merit(const struct named *named, const struct unit *unit)
{
	bool own = unit && named->die >= unit->offset && named->die < unit->end;

	return (named->declaration ? 0 : 4) + (own ? 2 : 0) +
	       (named->tag == DW_TAG_typedef);
}

struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name)
{
	unsigned wanted = take_keyword(&name);
	const struct unit *unit = unit_at(file, address);
	const struct named *best = NULL;
	const struct type_names *names;
	struct die die;
	size_t number;

	if (!file->types)
		file->types = xcalloc(1, sizeof(*file->types));
	names = names_of(file);
	number = unboxed(strmap_get(&names->by_name, name));
	for (; number; number = names->list.data[number - 1].next) {
		const struct named *named = &names->list.data[number - 1];

		if (wanted && class_of(named->tag) != wanted)
			continue;
		/* the list has the last first */
		if (!best || merit(named, unit) >= merit(best, unit))
			best = named;
	}
	return best && read_named(file, best, &die) ? debugtype_at(file, die)
						    : NULL;
}
