/*
 * die.h - reads DIEs (debugging information entries), their attributes, and the
 * DIEs below them
 *
 * All offsets are offsets over all files of the debug information, as
 * unit_source.h defines them.
 */
#ifndef PERFTOOL_DEBUGINFO_DIE_H
#define PERFTOOL_DEBUGINFO_DIE_H

#include "abbrev.h"
#include "unit.h"

struct die {
	struct unit *unit;
	const struct abbrev *abbrev; /* NULL: the end of a list of siblings */
	uint64_t offset;
	/* `attributes`: offset of the DIE's first value; `next`: offset of the
	 * first byte behind its values, where its first child or else its
	 * sibling begins */
	uint64_t attributes, next;
};

static inline unsigned die_tag(const struct die *die)
{
	return die->abbrev->tag;
}

/* May a DIE with this tag have functions or inlined calls below it? */
bool holds_functions(unsigned tag);

/* Read the DIE at `offset` of the unit. The function loads the unit's bytes if
 * necessary. The end of a list of siblings counts as a DIE; its `abbrev` is
 * NULL. False: there is no DIE at `offset`, or it cannot be read. */
bool die_read(struct debugfile *file, struct unit *unit, uint64_t offset,
	      struct die *out);

/*
 * Read the value at the cursor, which is in the unit's bytes, to `*out`, and
 * move the cursor behind the value. `wanted` false: the caller only steps over
 * the value, so the function does not look up values that are in other places,
 * and `*out` may lack the value. The class of `*out` is ATTRIBUTE_NONE if the
 * value could not be found. If the size of the value is not known, the cursor
 * is marked as failed.
 */
void unit_read_value(struct debugfile *file, const struct unit *unit,
		     struct cursor *cursor, const struct attribute_spec *spec,
		     bool wanted, struct attribute *out);

/* Read an attribute of the DIE. False: the DIE does not have the attribute, or
 * its value cannot be read; `*out` is then unchanged. */
bool die_attribute(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* Read an attribute of the DIE whose value is a constant number. False: the DIE
 * does not have the attribute, or its value is not a number; `*number` is then
 * 0. */
bool die_constant(struct debugfile *file, const struct die *die, unsigned name,
		  uint64_t *number);

/* Read the DIE that an attribute refers to, which may be in another unit or in
 * another file. False: the attribute is missing or is not a reference, or the
 * DIE cannot be read. */
bool die_reference(struct debugfile *file, const struct die *die, unsigned name,
		   struct die *out);

/*
 * Read an attribute of the DIE. If the DIE does not have the attribute, read
 * the attribute of the DIE that it is a copy of (DW_AT_abstract_origin) or that
 * it completes (DW_AT_specification), and so on. False: none of these DIEs has
 * the attribute.
 */
bool die_inherited(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out);

/* The DIE's DW_AT_name, which the function finds as die_inherited() does, or
 * NULL. The section owns the string. */
const char *die_name(struct debugfile *file, const struct die *die);

/* The name by which the linker knows the function or variable
 * (DW_AT_linkage_name), found as die_inherited() does. If it has no such name,
 * the result is that of die_name(). The section owns the string. */
const char *die_linkage_name(struct debugfile *file, const struct die *die);

/*
 * A walk over all DIEs below a DIE, in the order of the section. `depth` is the
 * depth of the DIE that the walk has reached: a child of the first DIE has the
 * depth 1. The caller may skip the DIEs below any DIE.
 */
struct die_walk {
	struct debugfile *file;
	struct unit *unit;
	uint64_t next;
	unsigned depth; /* the depth of `die` */
	/* `done`: the walk is at its end; `enter`: the next DIE is the first
	 * child of `die` */
	bool done, enter;
	struct die die; /* the DIE that die_walk_next() found last */
};

/* Begin a walk over the DIEs below `top`. */
void die_walk_init(struct die_walk *walk, struct debugfile *file,
		   const struct die *top);
/* Go to the next DIE. False: the walk is at its end, or the next DIE cannot be
 * read. */
bool die_walk_next(struct die_walk *walk);

/* Begin a walk over the DIEs below the unit's root. False: the root cannot be
 * read. */
bool die_walk_unit(struct die_walk *walk, struct debugfile *file,
		   struct unit *unit);

/* Skip the DIEs below the DIE that die_walk_next() found last. */
void die_walk_skip(struct die_walk *walk);

#endif
