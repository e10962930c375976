/*
 * die.h - DIEs, what their attributes say, and those below them
 */
#ifndef PERFTOOL_DEBUGINFO_DIE_H
#define PERFTOOL_DEBUGINFO_DIE_H

#include "abbrev.h"
#include "unit.h"

struct die {
	struct unit *unit;
	const struct abbrev *abbrev; /* NULL: the end of a list of siblings */
	uint64_t offset;
	uint64_t attributes, next; /* offsets: of its values, of what follows */
};

static inline unsigned die_tag(const struct die *die)
{
	return die->abbrev->tag;
}

/* May there be functions below a DIE of this tag? */
bool holds_functions(unsigned tag);

/* Read the DIE at `offset`; false: there is none. */
bool die_read(struct debugfile *file, struct unit *unit, uint64_t offset,
	      struct die *out);

/* Step over a value at a cursor in the unit's bytes; `wanted`: and say what it
 * is. */
void unit_read_value(struct debugfile *file, const struct unit *unit,
		     struct cursor *cursor, const struct attribute_spec *spec,
		     bool wanted, struct attribute *out);

/* An attribute of it; false: it has none that can be read. */
bool die_attribute(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* An attribute of it that is a number; else false, and *number is 0. */
bool die_constant(struct debugfile *file, const struct die *die, unsigned name,
		  uint64_t *number);

/* The DIE that an attribute refers to. */
bool die_reference(struct debugfile *file, const struct die *die, unsigned name,
		   struct die *out);

/*
 * An attribute of the DIE or of the ones it completes or is a copy of
 * (DW_AT_abstract_origin, DW_AT_specification).
 */
bool die_inherited(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* DW_AT_name, inherited; or NULL. */
const char *die_name(struct debugfile *file, const struct die *die);

/* The name as linked, inherited; else DW_AT_name; or NULL. */
const char *die_linkage_name(struct debugfile *file, const struct die *die);

/*
 * All DIEs below one, in order, with their depth (1: a child). The body of
 * what is not wanted can be skipped.
 */
struct die_walk {
	struct debugfile *file;
	struct unit *unit;
	uint64_t next;
	unsigned depth; /* of the DIE just returned */
	bool done, enter;
	struct die die;
};

void die_walk_init(struct die_walk *walk, struct debugfile *file,
		   const struct die *top);
bool die_walk_next(struct die_walk *walk);

/* Of a unit, those below its root; false: that cannot be read. */
bool die_walk_unit(struct die_walk *walk, struct debugfile *file,
		   struct unit *unit);

/* Do not visit the children of the DIE just returned. */
void die_walk_skip(struct die_walk *walk);

#endif
