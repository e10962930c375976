/*
 * attribute.h - the value of an attribute of a DIE
 */
#ifndef PERFTOOL_DEBUGINFO_ATTRIBUTE_H
#define PERFTOOL_DEBUGINFO_ATTRIBUTE_H

#include "debuginfo/elf/elf.h"
#include "dwarf_constants.h"

enum attribute_class {
	ATTRIBUTE_NONE,     /* not there, or of a form we do not follow */
	ATTRIBUTE_ADDRESS,  /* number */
	ATTRIBUTE_UNSIGNED, /* number */
	ATTRIBUTE_SIGNED,   /* number, cast */
	ATTRIBUTE_BLOCK,    /* block: exprloc too */
	ATTRIBUTE_FLAG,     /* number */
	ATTRIBUTE_STRING,   /* string */
	ATTRIBUTE_DIE,      /* number: offset of a DIE */
	ATTRIBUTE_TYPE,     /* number: signature of a type unit */
	ATTRIBUTE_OFFSET,   /* number: into another section */
	ATTRIBUTE_INDEX,    /* number: into a list of offsets (loclistx ...) */
};

struct attribute {
	enum attribute_class class;
	uint64_t number;
	const char *string;
	struct bytes block;
};

#endif
