/*
 * types.h - makes the types of values from the DIEs that describe them
 *
 * This folder implements perftool/debugtype.h: the kind of a type, its size,
 * its members, enumerators and variants, and its name in the language of the
 * program. It finds types by name through the index. The folder makes a type
 * when it is first needed; the file owns the type.
 *
 * It offers to the other folders struct debugtype (below), the way from a DIE
 * to its type (debugtype_of()), the steps from one DIE of a type to the next
 * (type_chain.h), and the names of types and scopes as the language writes them
 * (type_naming.h).
 *
 * This folder uses index/, scopes/, dwarf/ and elf/. Code that needs the memory
 * of a running program, for example to find a virtual base, is in locations/.
 * The folders symbols/ (signatures), locations/, frames/ (how values are
 * passed) and variables/ use this folder.
 */
#ifndef PERFTOOL_DEBUGINFO_TYPES_H
#define PERFTOOL_DEBUGINFO_TYPES_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/debugtype.h"
#include "type_chain.h"
#include "type_naming.h"

struct debugtype {
	struct debugfile *file;
	/* the DIE of the plain type; abbrev NULL: the type is void, or the tool
	 * made the type (debugfile_make_type(), debugfile_pointer_to()) */
	struct die die;
	/* of an alias (a typedef or qualified type): the DIE of the typedef or
	 * qualifier */
	struct die written;
	/* The type without typedefs and qualifiers. A type that is not an
	 * alias points to itself. An alias takes everything except its name
	 * from this type. */
	struct debugtype *plain;
	/* of an array: the number of its dimension, which is that of its
	 * subrange DIE, from 0 */
	unsigned dimension;
	enum debugtype_kind kind;
	uint64_t size;
	bool is_signed;
	bool has_count;
	uint64_t count;
	/* The members below are empty until they are needed for the first
	 * time. */
	struct debugtype *target, *pointer;
	char *name, *scope;
	/* array types that debugtype_sized() has made for this type */
	VEC(struct debugtype *) sized;
	VEC(struct debugmember) members;
	VEC(struct debugstatic) statics;
	VEC(struct debugvariant) variants;
	/* the member whose value says which variant is active; its type is NULL
	 * if there is no such member */
	struct debugmember discriminant;
	VEC(struct debugenumerator) enumerators;
	bool members_known, enumerators_known, size_known, variants_known;
};

/* All types of a file. */
struct debugtypes {
	/* by the offset of the DIE and the number of the dimension */
	struct map by_die;
	VEC(struct debugtype *) all;
	struct debugtype *none; /* void */
};

void debugtypes_destroy(struct debugtypes *types);

/* The type that the DIE describes. If the DIE is a typedef or qualifier, the
 * result is an alias: a type whose `plain` is the type for which the DIE
 * stands. */
struct debugtype *debugtype_at(struct debugfile *file, struct die die);

/* The type to which DW_AT_type of a DIE refers, as type_next() finds it; void
 * if there is no DW_AT_type. */
struct debugtype *debugtype_of(struct debugfile *file, const struct die *die);

/* The type of an array's elements. For an array of several dimensions the
 * result is the array type of the next dimension. */
struct debugtype *debugtype_element(struct debugtype *array);

/* Get the DIE that has the number of elements of an array. False: the array has
 * no such DIE. */
bool debugtype_subrange(struct debugtype *array, struct die *out);

/* The array type with `count` elements of type `element`. `array` is an array
 * type of variable length; the caller has found out how many elements the array
 * has at present in the running program. */
struct debugtype *debugtype_sized(struct debugtype *array,
				  struct debugtype *element, uint64_t count);

/* ---- members ------------------------------------------------------------- */

/* The deepest nesting of anonymous members and base classes in which a member
 * is sought, and the most types that a search for one name looks at. A broken
 * file may nest them without end. */
#define MEMBER_MAX_DEPTH 32
#define MEMBER_MAX_LOOKS 10000

/* Does the type have a member of this name, in the type itself or in anonymous
 * members and base classes? The member may be in a virtual base. `depth` is the
 * nesting depth of the type, and *left is the number of types that the search
 * may still look at. */
bool debugtype_contains_member(struct debugtype *type, const char *name,
			       int depth, unsigned *left);

/* Find the member of this name outside of virtual bases; out->offset counts
 * from the beginning of `type`. False: there is no such member. `depth` and
 * `left` are those of debugtype_contains_member(). */
bool debugtype_search_member(struct debugtype *type, const char *name,
			     int depth, unsigned *left,
			     struct debugmember *out);

/* Get the DIE (DW_TAG_inheritance) of the virtual base that is member number
 * `index`. False: this member is not a virtual base. */
bool debugtype_member_die(struct debugtype *type, size_t index,
			  struct die *out);

#endif
