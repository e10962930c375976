/*
 * types.h - the types of values, made from the DIEs that describe them
 *
 * This folder implements perftool/debugtype.h: the kind of a type, its size,
 * its members, enumerators and variants, and how its language writes it. It
 * finds types by name through the index. A type is made when it is first
 * needed and lives as long as the file.
 *
 * It offers to the other folders struct debugtype (below), the way from a DIE
 * to its type (debugtype_of()), the steps from one DIE of a type to the next
 * (type_chain.h), and the names of types and scopes as the language writes
 * them (type_naming.h).
 *
 * It uses index/, scopes/, dwarf/ and elf/. Code that needs the memory of a
 * running program, for example to find a virtual base, is in locations/. The
 * folders symbols/ (signatures), locations/, frames/ (how values are passed)
 * and variables/ use this folder.
 */
#ifndef PERFTOOL_DEBUGINFO_TYPES_H
#define PERFTOOL_DEBUGINFO_TYPES_H

#include "debuginfo/dwarf/dwarf.h"
#include "perftool/debugtype.h"
#include "type_chain.h"
#include "type_naming.h"

struct debugtype {
	struct debugfile *file;
	/* abbrev NULL: void, or a pointer that the tool made */
	struct die die;
	/* of an alias: the DIE of the typedef or qualifier */
	struct die written;
	/* The type without typedefs and qualifiers. A type that is not an
	 * alias points to itself. An alias takes everything except its name
	 * from this type. */
	struct debugtype *plain;
	unsigned dimension; /* of an array: number of its subrange, from 0 */
	enum debugtype_kind kind;
	uint64_t size;
	bool is_signed;
	bool has_count;
	uint64_t count;
	/* The following are known only once they were needed. */
	struct debugtype *target, *pointer;
	char *name, *scope;
	VEC(struct debugtype *) sized; /* results of debugtype_sized() */
	VEC(struct debugmember) members;
	VEC(struct debugstatic) statics;
	VEC(struct debugvariant) variants;
	/* what tells the variants apart; its type is NULL if there are none */
	struct debugmember discriminant;
	VEC(struct debugenumerator) enumerators;
	bool members_known, enumerators_known, size_known, variants_known;
};

/* All types of a file. */
struct debugtypes {
	struct map by_die; /* by the offset of the DIE and the dimension */
	VEC(struct debugtype *) all;
	struct debugtype *none; /* void */
};

void debugtypes_destroy(struct debugtypes *types);

/* The type that the DIE describes. If the DIE is a typedef or qualifier, the
 * result is an alias. */
struct debugtype *debugtype_at(struct debugfile *file, struct die die);

/* The type in DW_AT_type of a DIE, or of a DIE that it is a copy or definition
 * of; void if there is none. */
struct debugtype *debugtype_of(struct debugfile *file, const struct die *die);

/* The type of an array's elements. For an array of several dimensions this is
 * an array again. */
struct debugtype *debugtype_element(struct debugtype *array);

/* The DIE that has the length of an array. False: there is none. */
bool debugtype_subrange(struct debugtype *array, struct die *out);

/* The array type with `count` elements of type `element` that the array of
 * variable length `array` is at present. */
struct debugtype *debugtype_sized(struct debugtype *array,
				  struct debugtype *element, uint64_t count);

/* ---- members ------------------------------------------------------------- */

/* The deepest nesting of anonymous members and base classes that is searched,
 * and the most of them that a search for one name looks at, because a broken
 * file may nest them without end. */
#define MEMBER_MAX_DEPTH 32
#define MEMBER_MAX_LOOKS 10000

/* Has the type a member of this name? The member may be in a virtual base.
 * `depth` is the nesting depth of the type, and *left is the number of types
 * that the search may still look at. */
bool debugtype_contains_member(struct debugtype *type, const char *name,
			       int depth, unsigned *left);

/* Find the member of this name outside of virtual bases, with its offset in
 * `type`. False: there is none. `depth` and `left` are as above. */
bool debugtype_search_member(struct debugtype *type, const char *name,
			     int depth, unsigned *left,
			     struct debugmember *out);

/* The DIE of the virtual base that is member number `index`. False: this
 * member is not a virtual base. */
bool debugtype_member_die(struct debugtype *type, size_t index,
			  struct die *out);

#endif
