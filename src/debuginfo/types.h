/*
 * types.h - the types of variables, as far as scalars need them
 */
#ifndef PERFTOOL_DEBUGINFO_TYPES_H
#define PERFTOOL_DEBUGINFO_TYPES_H

#include "dwarf.h"

struct type_info {
	enum variable_kind kind; /* of a reference: of what it refers to */
	uint64_t size;           /* bytes; 0: not known */
	bool is_reference;       /* C++: the variable holds an address */
	bool is_boolean;
	struct die die; /* without typedef, const ...; abbrev NULL: void */
};

/* The type that DW_AT_type of `die` (or of what it completes) says. */
struct type_info type_of(struct debugfile *file, const struct die *die);

/* Its name as C writes it; typedefs below a pointer are replaced by the plain
 * types they stand for. The caller frees it. */
char *type_name_of(struct debugfile *file, const struct die *die);

/* The name of the type that `type` is. */
char *type_name_at(struct debugfile *file, const struct die *type);

/* DW_AT_type, of the DIE or of the one it is a copy of. */
bool type_next(struct debugfile *file, const struct die *die, struct die *out);

/* Follow typedefs and qualifiers; false: void, or a circle. */
bool type_strip(struct debugfile *file, struct die *die);

#endif
