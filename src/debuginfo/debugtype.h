/*
 * debugtype.h - what a type is made of (see perftool/debugtype.h)
 */
#ifndef PERFTOOL_DEBUGINFO_DEBUGTYPE_H
#define PERFTOOL_DEBUGINFO_DEBUGTYPE_H

#include "dwarf.h"
#include "perftool/debugtype.h"

struct debugtype {
	struct debugfile *file;
	struct die die;     /* abbrev NULL: void, or a pointer that was made */
	unsigned dimension; /* of an array: the subrange, from 0 */
	enum debugtype_kind kind;
	uint64_t size;
	bool is_signed;
	bool has_count;
	uint64_t count;
	/* known when first asked for */
	struct debugtype *target, *pointer;
	char *name;
	VEC(struct debugmember) members;
	VEC(struct debugenumerator) enumerators;
	bool members_known, enumerators_known, size_known;
};

/* All types of a file. */
struct debugtypes {
	struct map by_die; /* offset of the DIE, and the dimension */
	VEC(struct debugtype *) all;
	struct debugtype *none; /* void */
};

void debugtypes_destroy(struct debugtypes *types);

/* The type that the DIE is, whatever typedefs and qualifiers are around it. */
struct debugtype *debugtype_at(struct debugfile *file, struct die die);

/* The type that DW_AT_type of a DIE (or of what it completes) says. */
struct debugtype *debugtype_of(struct debugfile *file, const struct die *die);

#endif
