/* scope_variables.c - see scope_variables.h */
#include "scope_variables.h"

#include <ctype.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/scopes/scopes.h"
#include "debuginfo/types/types.h"
#include "globals.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* The deepest nesting of scopes. Scopes that a broken file nests deeper are not
 * found. */
#define MAX_SCOPES 32

/* ---- scopes -------------------------------------------------------------- */

/* One of the names in `a::b::c`. */
struct component {
	const char *text;
	size_t length;
	/* a name need not have this component: it is an inline namespace, or an
	 * enumeration without `class` */
	bool optional;
};

struct path {
	struct component list[MAX_SCOPES];
	unsigned count;
	bool absolute; /* the user wrote `::` before the path */
};

/* The next `::` that is not within <> or (), or NULL. */
static const char *next_colons(const char *text)
{
	int depth = 0;

	for (; *text; text++) {
		if (*text == '<' || *text == '(')
			depth++;
		else if (*text == '>' || *text == ')')
			depth--;
		else if (depth <= 0 && text[0] == ':' && text[1] == ':')
			return text;
	}
	return NULL;
}

bool scoped_split(const char *name, char **scope, const char **base)
{
	const char *last = NULL;

	for (const char *at = name; (at = next_colons(at)); at += 2)
		last = at;
	if (!last)
		return false;
	*scope = xstrndup(name, (size_t)(last - name));
	*base = last + 2;
	return true;
}

static void parse_path(const char *text, struct path *out)
{
	const char *end;

	*out = (struct path){.absolute = str_starts(text, "::")};
	if (out->absolute)
		text += 2;
	while (*text && out->count < MAX_SCOPES) {
		end = next_colons(text);
		if (!end)
			end = text + strlen(text);
		out->list[out->count++] = (struct component){
			.text = text, .length = (size_t)(end - text)};
		text = *end ? end + 2 : end;
	}
}

/* Compare names without their blanks, as in `Box<int, long>`. */
static bool is_same_name(const struct component *a, const struct component *b)
{
	size_t i = 0, j = 0;

	for (;;) {
		while (i < a->length && isspace((unsigned char)a->text[i]))
			i++;
		while (j < b->length && isspace((unsigned char)b->text[j]))
			j++;
		if (i == a->length || j == b->length)
			return i == a->length && j == b->length;
		if (a->text[i++] != b->text[j++])
			return false;
	}
}

/* Does a path of scopes in the program end with the path that the user wants?
 * 2: the two paths are the same; 1: the program's path has more scopes before
 * the wanted path; 0: no. */
static int match_path(const struct path *wanted, const struct path *path)
{
	unsigned i = wanted->count, j = path->count;

	while (i && j) {
		if (is_same_name(&wanted->list[i - 1], &path->list[j - 1])) {
			i--;
			j--;
		} else if (path->list[j - 1].optional) {
			j--;
		} else {
			return 0;
		}
	}
	while (j && path->list[j - 1].optional)
		j--;
	if (i)
		return 0;
	return j == 0 ? 2 : !wanted->absolute && wanted->count;
}

/* ---- walking through a unit ---------------------------------------------- */

static bool is_scope(unsigned tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	default:
		return false;
	}
}

/* The name of a scope. The DIE may be the declaration of a class without a
 * name; the name is then in the type unit to which it refers
 * (DW_AT_signature). */
static const char *scope_name(struct debugfile *file, const struct die *die)
{
	const char *name = die_name(file, die);
	struct die type;

	if (!name && die_reference(file, die, DW_AT_signature, &type))
		name = die_name(file, &type);
	return name;
}

static struct component component_of(struct debugfile *file,
				     const struct die *die)
{
	const char *name = scope_name(file, die);
	unsigned tag = die_tag(die);
	struct attribute attribute;

	return (struct component){
		.text = name ? name : "",
		.length = name ? strlen(name) : 0,
		.optional = !name ||
			    die_attribute(file, die, DW_AT_export_symbols,
					  &attribute) ||
			    (tag == DW_TAG_enumeration_type &&
			     !die_attribute(file, die, DW_AT_enum_class,
					    &attribute)),
	};
}

/* Visit the unit's DIEs outside functions, each with the path of the scopes
 * around it, until `visit` returns false. */
static void each_outside(struct debugfile *file, struct unit *unit,
			 bool (*visit)(void *context, const struct die *die,
				       const struct path *path),
			 void *context)
{
	struct path path = {0};
	struct die_walk walk;

	if (!die_walk_unit(&walk, file, unit))
		return;
	while (die_walk_next(&walk)) {
		path.count = walk.depth - 1;
		if (!visit(context, &walk.die, &path))
			return;
		if (is_scope(die_tag(&walk.die)) && path.count < MAX_SCOPES)
			path.list[path.count] = component_of(file, &walk.die);
		else
			die_walk_skip(&walk);
	}
}

/* ---- the scopes of a DIE ------------------------------------------------- */

struct placing {
	uint64_t offset;
	struct path *path;
	bool found;
};

static bool place_one(void *context, const struct die *die,
		      const struct path *path)
{
	struct placing *placing = context;

	if (die->offset != placing->offset)
		return die->offset < placing->offset;
	*placing->path = *path;
	placing->found = true;
	return false;
}

/* Find the path of the scopes that contain a DIE. If the DIE refers to a
 * declaration or origin, its scopes are those of the declaration or origin.
 * False: not found. */
static bool path_of(struct debugfile *file, struct die die, struct path *out)
{
	struct placing placing = {.path = out};
	struct die next;

	for (int hops = 0; hops < MAX_SCOPES; hops++) {
		if (!die_reference(file, &die, DW_AT_abstract_origin, &next) &&
		    !die_reference(file, &die, DW_AT_specification, &next))
			break;
		die = next;
	}
	placing.offset = die.offset;
	each_outside(file, die.unit, place_one, &placing);
	return placing.found;
}

/* ---- searching ----------------------------------------------------------- */

struct search {
	struct debugfile *file;
	const char *base;
	const struct path *wanted;
	struct die *out;
	/* twice the result of match_path(), plus 1 if the DIE has a place or a
	 * value */
	int quality;
};

static bool has_value(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_attribute(file, die, DW_AT_location, &attribute) ||
	       die_attribute(file, die, DW_AT_const_value, &attribute);
}

static void consider(struct search *search, const struct die *die,
		     const struct path *path)
{
	int quality = match_path(search->wanted, path) * 2;

	if (quality && has_value(search->file, die))
		quality++;
	if (quality > search->quality) {
		*search->out = *die;
		search->quality = quality;
	}
}

static bool is_variable(unsigned tag)
{
	/* Before DWARF 5 a static member was a DW_TAG_member. */
	return tag == DW_TAG_variable || tag == DW_TAG_member ||
	       tag == DW_TAG_enumerator;
}

static bool search_one(void *context, const struct die *die,
		       const struct path *path)
{
	struct search *search = context;
	struct attribute attribute;
	const char *name;
	struct die other;

	if (!is_variable(die_tag(die)) ||
	    (die_tag(die) == DW_TAG_member &&
	     !die_attribute(search->file, die, DW_AT_external, &attribute) &&
	     !die_attribute(search->file, die, DW_AT_declaration, &attribute)))
		return true;
	/* The DIE defines a member that its class declares. Its own position is
	 * outside the class, so `path` is not its path. The declaration is
	 * visited, too. */
	if (die_reference(search->file, die, DW_AT_specification, &other))
		return true;
	name = die_name(search->file, die);
	if (name && str_equal(name, search->base))
		consider(search, die, path);
	return search->quality < 5;
}

/* Search the variables of all units that have a place or a value. The DIE of
 * such a variable may refer to a declaration, whose scopes then count. */
static void search_globals(struct search *search)
{
	const struct globals *globals = file_globals(search->file);

	for (size_t i = 0; i < globals->list.count && search->quality < 5;
	     i++) {
		const struct global *global = &globals->list.data[i];
		struct unit *unit;
		struct path path;
		struct die die;

		if (!str_equal(global->name, search->base))
			continue;
		unit = unit_of_die(search->file, global->die);
		if (unit && die_read(search->file, unit, global->die, &die) &&
		    die.abbrev && path_of(search->file, die, &path))
			consider(search, &die, &path);
	}
}

/* Search the static members and enumerators of the class `scope`, which may be
 * in another unit than the code at `address`. */
static void search_type(struct search *search, uint64_t address,
			const char *scope)
{
	struct debugtype *type =
		debugfile_find_type(search->file, address, scope);
	struct die_walk walk;

	if (type)
		type = debugtype_plain(type);
	if (!type || !type->die.abbrev || !is_scope(die_tag(&type->die)))
		return;
	die_walk_init(&walk, search->file, &type->die);
	while (die_walk_next(&walk)) {
		const char *name = die_name(search->file, &walk.die);

		if (is_variable(die_tag(&walk.die)) && name &&
		    str_equal(name, search->base) &&
		    has_value(search->file, &walk.die)) {
			*search->out = walk.die;
			search->quality = 5;
			return;
		}
		if (die_tag(&walk.die) != DW_TAG_enumeration_type)
			die_walk_skip(&walk);
	}
}

static bool find_path(struct debugfile *file, uint64_t address,
		      const struct path *wanted, const char *base,
		      struct search *search, struct die *out)
{
	struct unit *unit = unit_at(file, address);

	*search = (struct search){
		.file = file, .base = base, .wanted = wanted, .out = out};
	if (unit)
		each_outside(file, unit, search_one, search);
	/* If the unit has a match at all, it is only a declaration. The
	 * definition is in another unit, under the same name. */
	if (search->quality % 2 == 0)
		search_globals(search);
	return search->quality > 0;
}

/* ---- functions and files ------------------------------------------------- */

/* Find the static variable `base` in a function or its blocks. */
static bool find_static(struct debugfile *file, const struct die *function,
			const char *base, struct die *out)
{
	struct die_walk walk;

	die_walk_init(&walk, file, function);
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);
		struct attribute location;
		const char *name;

		if (tag == DW_TAG_lexical_block)
			continue;
		die_walk_skip(&walk);
		if (tag != DW_TAG_variable)
			continue;
		name = die_name(file, &walk.die);
		if (name && str_equal(name, base) &&
		    die_inherited(file, &walk.die, DW_AT_location, &location) &&
		    location.class == ATTRIBUTE_BLOCK &&
		    location_is_static(location.block)) {
			*out = walk.die;
			return true;
		}
	}
	return false;
}

static bool find_in_function(struct debugfile *file, const char *scope,
			     const char *base, struct die *out)
{
	struct function_list list = {0};
	bool found = false;

	error_destroy(debugfile_find_functions(file, scope, &list));
	for (size_t i = 0; i < list.count && !found; i++) {
		struct die function, origin;

		if (!function_at(file, list.data[i].address, &function))
			continue;
		found = find_static(file, &function, base, out) ||
			(die_reference(file, &function, DW_AT_abstract_origin,
				       &origin) &&
			 find_static(file, &origin, base, out));
	}
	vec_free(&list);
	return found;
}

/* Is `name` the end of `path`, compared by whole components? */
static bool ends_with(const char *path, const char *name)
{
	size_t length = strlen(path), tail = strlen(name);

	return tail && tail <= length &&
	       str_equal(path + length - tail, name) &&
	       (tail == length || path[length - tail - 1] == '/');
}

static bool find_in_file(struct debugfile *file, const char *scope,
			 const char *base, struct die *out)
{
	struct source *source = file_dwarf(file)->main;
	bool defined, found = false;
	struct die die;

	if (!strpbrk(scope, "./"))
		return false;
	source_complete(source);
	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = unit_whole(file, source->units.data[i]);

		if (unit->type != DW_UT_type && unit_read_root(file, unit) &&
		    unit->name && ends_with(unit->name, scope) &&
		    unit_find_global(file, unit, base, &die, &defined)) {
			if (!found || defined)
				*out = die;
			found = true;
			if (defined)
				break;
		}
	}
	return found;
}

bool scoped_find(struct debugfile *file, uint64_t address, const char *scope,
		 const char *base, struct die *out)
{
	struct search search;
	struct path wanted;

	if (find_in_file(file, scope, base, out))
		return true;
	parse_path(scope, &wanted);
	if (!wanted.count)
		wanted.absolute = true;
	find_path(file, address, &wanted, base, &search, out);
	if (search.quality % 2 == 0 && wanted.count)
		search_type(&search, address,
			    wanted.absolute ? scope + 2 : scope);
	return search.quality || find_in_function(file, scope, base, out);
}

bool scoped_find_around(struct debugfile *file, uint64_t address,
			const char *base, struct die *out)
{
	struct search search;
	struct die function;
	struct path path;

	if (!function_at(file, address, &function) ||
	    !path_of(file, function, &path))
		return false;
	for (path.absolute = true; path.count; path.count--)
		if (find_path(file, address, &path, base, &search, out))
			return true;
	return false;
}
