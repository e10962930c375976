/*
 * variable.h - a variable that was found: how its value can be had
 */
#ifndef PERFTOOL_DEBUGINFO_VARIABLE_H
#define PERFTOOL_DEBUGINFO_VARIABLE_H

#include "dwarf.h"
#include "entry.h"
#include "types.h"

enum variable_source {
	SOURCE_CONSTANT, /* `constant` */
	SOURCE_BYTES,    /* `bytes`: the constant as it would be in memory */
	SOURCE_LOCATION, /* the expression `bytes` */
	SOURCE_ENTRY,    /* `entry` */
	SOURCE_NOWHERE,  /* optimized out */
};

struct variable {
	struct debugfile *file;
	const struct unit *unit;
	struct type_info type;
	char *type_name;
	enum variable_source source;
	struct value constant;
	struct bytes bytes;
	struct bytes frame_base;
	struct entry_place entry;
};

#endif
