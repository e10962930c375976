/*
 * type_search.c - see type_search.h
 *
 * The index has, for each named type of all units, a hash of the type's name
 * with its scopes (`ns::Point::Kind`), but not the name. Different names may
 * have the same hash. The search therefore makes the name of each type with the
 * right hash from its DIEs, and compares it with the wanted name.
 */
#include "type_search.h"

#include <string.h>

#include "debuginfo/index/index.h"
#include "debuginfo/scopes/scopes.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "spelling.h"
#include "types.h"

/* The most types with the same hash whose names are compared. In a correct file
 * the first of them usually has the wanted name. */
#define MAX_CANDIDATES 64

/* The most times that the search goes on from a definition to its declaration
 * (DW_AT_specification). One step is usual. */
#define MAX_HOPS 2

/* The name, with its scopes, of the type whose DIE is at `offset`, as the index
 * hashes it. The function walks from the root of the unit down to this DIE.
 * `hops` is how many declarations it may still follow. NULL: the type has no
 * name, or it is in a function. The caller frees the name. */
static char *path_of_some(struct debugfile *file, struct unit *unit,
			  uint64_t offset, unsigned hops)
{
	struct str path = {0};
	/* by depth: the length of the scopes around DIEs at this depth */
	VEC(size_t) lengths = {0};
	struct die_walk walk;
	struct die declared;
	char *whole = NULL;
	bool found = false;

	if (!die_walk_unit(&walk, file, unit))
		return NULL;
	vec_push(&lengths, 0);
	while (!found && die_walk_next(&walk) && walk.die.offset <= offset) {
		unsigned tag = die_tag(&walk.die);
		const char *name;

		found = walk.die.offset == offset;
		if (!found) {
			/* Skip this DIE with its children, unless it is a scope
			 * that contains the type. */
			uint64_t inside = walk.next;
			struct die_walk after = walk;

			die_walk_skip(&after);
			if (!is_type_scope(tag) || offset < inside ||
			    offset >= after.next) {
				walk = after;
				continue;
			}
		}
		lengths.count = walk.depth;
		path.length = lengths.data[lengths.count - 1];
		name = die_name(file, &walk.die);
		if (!name && tag == DW_TAG_namespace)
			name = ANONYMOUS_NAMESPACE;
		/* This type or scope is declared in a scope and defined outside
		 * of this scope, so take the name, with its scopes, of the
		 * declaration. */
		whole = NULL;
		if (hops && die_reference(file, &walk.die, DW_AT_specification,
					  &declared))
			whole = path_of_some(file, declared.unit,
					     declared.offset, hops - 1);
		if (whole) {
			path.length = 0;
			name = whole;
		}
		if (found && (!name || !is_named_type(tag)))
			break;
		if (name)
			str_append(&path, name);
		if (name && !found)
			str_append(&path, "::");
		vec_push(&lengths, path.length);
		free(whole);
		whole = NULL;
	}
	free(whole);
	vec_free(&lengths);
	if (found && path.length)
		return str_take(&path);
	str_deinit(&path);
	return NULL;
}

static char *path_of(struct debugfile *file, struct unit *unit, uint64_t offset)
{
	return path_of_some(file, unit, offset, MAX_HOPS);
}

/* Replace the tag of a class by that of a structure, since C++ lets a program
 * declare a class as a struct. */
static unsigned class_of(unsigned tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_interface_type
		       ? DW_TAG_structure_type
		       : tag;
}

/* What a search looks for. */
struct wanted {
	const char *name; /* the name with its scopes */
	uint32_t hash;
	unsigned tag;      /* the tag, as class_of() returns it; 0: any tag */
	bool complete;     /* find only definitions */
	struct unit *unit; /* the unit whose types are preferred, or NULL */
};

struct candidate {
	uint64_t die;
	int merit;
};
VEC_STRUCT(candidates, struct candidate);

/* How good a type is compared with others of the same name: a higher number is
 * better. A definition is better than a declaration, then a type of the unit
 * `unit` is better than one of another unit, then a typedef is better than
 * other types (in C, `struct x` and the typedef `x` may be different types). */
static int merit(struct debugfile *file, const struct scan_type *type,
		 struct unit *unit)
{
	bool own = unit && unit_covers(file, unit, type->die);

	return (type->declaration ? 0 : 4) + (own ? 2 : 0) +
	       (type->tag == DW_TAG_typedef);
}

/* Sort the best type first. Of two types that are equally good, the one that
 * comes first in the file is first. */
static int compare(const void *a_, const void *b_)
{
	const struct candidate *a = a_, *b = b_;

	if (a->merit != b->merit)
		return a->merit > b->merit ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

static void find_candidates(struct debugfile *file, const struct wanted *wanted,
			    struct candidates *out)
{
	const struct index *index = file_index(file);

	for (size_t i = 0; i < index->scan_count; i++) {
		const struct scan *scan = &index->scans[i];

		for (size_t j = 0; j < scan->types.count; j++) {
			const struct scan_type *type = &scan->types.data[j];

			if (type->hash != wanted->hash ||
			    (wanted->tag &&
			     class_of(type->tag) != wanted->tag) ||
			    (wanted->complete && type->declaration))
				continue;
			vec_push(out, (struct candidate){
					      type->die,
					      merit(file, type, wanted->unit)});
		}
	}
	if (out->count)
		qsort(out->data, out->count, sizeof(*out->data), compare);
}

static bool find(struct debugfile *file, const struct wanted *wanted,
		 struct die *out)
{
	struct candidates candidates = {0};
	bool found = false;

	find_candidates(file, wanted, &candidates);
	for (size_t i = 0; !found && i < candidates.count && i < MAX_CANDIDATES;
	     i++) {
		uint64_t offset = candidates.data[i].die;
		struct unit *unit = unit_of_die(file, offset);
		char *path = unit ? path_of(file, unit, offset) : NULL;

		found = path && str_equal(path, wanted->name) &&
			die_read(file, unit, offset, out) && out->abbrev;
		free(path);
	}
	vec_free(&candidates);
	return found;
}

/* Get the hash of the name of the type at `die` from the index. False: the
 * index does not have this type. */
static bool known_hash(struct debugfile *file, uint64_t die, uint32_t *hash)
{
	const struct index *index = file_index(file);

	for (size_t i = 0; i < index->scan_count; i++)
		for (size_t j = 0; j < index->scans[i].types.count; j++) {
			const struct scan_type *type =
				&index->scans[i].types.data[j];

			if (type->die == die) {
				*hash = type->hash;
				return true;
			}
		}
	return false;
}

bool type_names_complete(struct debugfile *file, const struct die *declaration,
			 struct die *out)
{
	struct wanted wanted = {.tag = class_of(die_tag(declaration)),
				.complete = true};
	char *path;
	bool found;

	if (!known_hash(file, declaration->offset, &wanted.hash))
		return false;
	path = path_of(file, declaration->unit, declaration->offset);
	wanted.name = path;
	found = path && find(file, &wanted, out);
	free(path);
	return found;
}

/* ---- by a name that the user has written --------------------------------- */

/* If `*name` begins with `struct `, `union `, `enum ` or `class `, skip this
 * word and return the tag that the type must have; else return 0. */
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

/* The type with exactly this name, or NULL. `as` has the other conditions. */
static struct debugtype *find_spelled(struct debugfile *file,
				      const struct wanted *as, const char *name)
{
	struct wanted wanted = *as;
	struct die die;

	wanted.name = name;
	wanted.hash = scan_hash_end(scan_hash(SCAN_HASH, name));
	return find(file, &wanted, &die) ? debugtype_at(file, die) : NULL;
}

struct debugtype *debugfile_find_type(struct debugfile *file, uint64_t address,
				      const char *name)
{
	struct wanted wanted = {.unit = unit_compiled_at(file, address)};
	struct debugtype *type;

	wanted.tag = take_keyword(&name);
	type = find_spelled(file, &wanted, name);
	/* Which compiler has spelled the type's template arguments is not
	 * known, so try the spellings of all compilers. */
	for (int i = 0; !type && strchr(name, '<') && i < SPELLING_COUNT; i++) {
		CLEANUP(free_pointer)
		char *spelled = spell(name, (enum spelling)i);

		type = find_spelled(file, &wanted, spelled);
	}
	return type;
}
