/*
 * attribute.h - the value of an attribute of a DIE
 */
#ifndef PERFTOOL_DEBUGINFO_ATTRIBUTE_H
#define PERFTOOL_DEBUGINFO_ATTRIBUTE_H

#include "debuginfo/elf/elf.h"
#include "dwarf_constants.h"

enum attribute_class {
	/* the attribute is missing, its form is not supported, or its value
	 * could not be found */
	ATTRIBUTE_NONE,
	ATTRIBUTE_ADDRESS,  /* number */
	ATTRIBUTE_UNSIGNED, /* number */
	ATTRIBUTE_SIGNED,   /* number; must be cast to int64_t */
	ATTRIBUTE_BLOCK,    /* block; also a DWARF expression */
	ATTRIBUTE_FLAG,     /* number */
	ATTRIBUTE_STRING,   /* string */
	ATTRIBUTE_DIE,      /* number: offset of a DIE (unit_source.h) */
	ATTRIBUTE_TYPE,     /* number: the signature of a type unit */
	/* number: an offset in another section than .debug_info */
	ATTRIBUTE_OFFSET,
	/* number: an index in the unit's table of list offsets
	 * (DW_FORM_loclistx, DW_FORM_rnglistx) */
	ATTRIBUTE_INDEX,
};

/* The value of an attribute. The comment on each class in enum attribute_class
 * says which member has the value. The section from which the value was read
 * owns the string and the bytes of the block. */
struct attribute {
	enum attribute_class class;
	uint64_t number;
	const char *string;
	struct bytes block;
};

#endif
