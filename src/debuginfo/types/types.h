/*
 * types.h - types as values have them, made of the DIEs that describe them
 *
 * This folder implements perftool/debugtype.h: what kind a type is, its size,
 * its members, enumerators and variants, and how it is written in its language.
 * It finds types by their names, by way of the index. A type is made when it is
 * first asked for, and lives as long as the file.
 *
 * To the other folders it offers struct debugtype, below, the way from a DIE to
 * its type (debugtype_of()), the steps from one DIE of a type to the next
 * (type_chain.h), and names of types and scopes as the language writes them
 * (type_naming.h).
 *
 * It uses index/, scopes/, dwarf/ and elf/. What needs the memory of a running
 * program, such as the place of a virtual base, is in locations/. Its users are
 * symbols (signatures), locations, frames (how values are passed) and
 * variables.
 */
#ifndef PERFTOOL_DEBUGINFO_TYPES_H
#define PERFTOOL_DEBUGINFO_TYPES_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/debugtype.h"
#include "type_chain.h"
#include "type_naming.h"

struct debugtype {
	struct debugfile *file;
	struct die die;     /* abbrev NULL: void, or a pointer that was made */
	struct die written; /* of an alias, the typedef or qualifier */
	/* without typedefs and qualifiers: itself, or of an alias what all but
	 * its name is of */
	struct debugtype *plain;
	unsigned dimension; /* of an array: the subrange, from 0 */
	enum debugtype_kind kind;
	uint64_t size;
	bool is_signed;
	bool has_count;
	uint64_t count;
	/* known when first asked for */
	struct debugtype *target, *pointer;
	char *name, *scope;
	VEC(struct debugtype *) sized; /* see debugtype_sized() */
	VEC(struct debugmember) members;
	VEC(struct debugstatic) statics;
	VEC(struct debugvariant) variants;
	struct debugmember discriminant; /* of variants; its type NULL: none */
	VEC(struct debugenumerator) enumerators;
	bool members_known, enumerators_known, size_known, variants_known;
};

/* All types of a file. */
struct debugtypes {
	struct map by_die; /* offset of the DIE, and the dimension */
	VEC(struct debugtype *) all;
	struct debugtype *none; /* void */
};

void debugtypes_destroy(struct debugtypes *types);

/* The type that the DIE is: an alias, if that is a typedef or qualifier. */
struct debugtype *debugtype_at(struct debugfile *file, struct die die);

/* The type that DW_AT_type of a DIE (or of what it completes) says. */
struct debugtype *debugtype_of(struct debugfile *file, const struct die *die);

/* What an array has: elements, or, of several dimensions, arrays. */
struct debugtype *debugtype_element(struct debugtype *array);

/* The DIE that tells how long an array is; false: none does. */
bool debugtype_subrange(struct debugtype *array, struct die *out);

/* The array of so many elements, where `array` is one of variable length. */
struct debugtype *debugtype_sized(struct debugtype *array,
				  struct debugtype *element, uint64_t count);

/* ---- members ------------------------------------------------------------- */

/* Anonymous members and base classes are nested in each other at most so deep,
 * and a search for one name looks at most at so many of them, because a broken
 * file may nest them without end. */
#define MEMBER_MAX_DEPTH 32
#define MEMBER_MAX_LOOKS 10000

/* Has the type a member of this name, perhaps in a virtual base? `depth` is how
 * deep the type is nested, *left how many may still be looked at. */
bool debugtype_contains_member(struct debugtype *type, const char *name,
			       int depth, unsigned *left);

/* The member of this name that is in no virtual base; false: there is none. */
bool debugtype_search_member(struct debugtype *type, const char *name,
			     int depth, unsigned *left,
			     struct debugmember *out);

/* The DIE of the virtual base that is member number `index`; false: that member
 * is none. */
bool debugtype_member_die(struct debugtype *type, size_t index,
			  struct die *out);

#endif
