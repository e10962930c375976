/*
 * base_class.h - classes within classes: from one to a base class or a member
 *
 * A class can have the same base several times, each with members of its own,
 * or a virtual one, which all share: what is looked for may be found in several
 * places, and then has no meaning.
 */
#ifndef EXPR_BASE_CLASS_H
#define EXPR_BASE_CLASS_H

#include "code.h"

/* Base classes within each other. */
#define CLASSES_MAX_DEPTH 32

/* From a class to one of its bases: each step is a member of debugtype_members
 * (). Without any step it is the class itself. */
struct base_path {
	struct {
		struct debugtype *class;
		size_t index;
	} steps[CLASSES_MAX_DEPTH];
	unsigned count;
	struct debugtype *end; /* the base class */
};

/* What was found. */
struct base_found {
	size_t count; /* how many different ones; 0: none */
	struct base_path path;
	struct debugmember member; /* in the class at the end of the path */
	struct str candidates; /* of several: `Base::m (Der -> Base), ...` */
};
void base_found_deinit(struct base_found *found);

/* The base that `base` is, the one that is called so (`name` of `length`
 * bytes), or that has a member of the name. */
void find_base(struct debugtype *class, struct debugtype *base,
	       struct base_found *out);
void find_base_called(struct debugtype *class, const char *name, size_t length,
		      struct base_found *out);
void find_base_with(struct debugtype *class, const char *member,
		    struct base_found *out);

/* The member that step number `index` goes to. */
const struct debugmember *path_step(const struct base_path *path,
				    unsigned index);

/* Is there a virtual base on the way? If not, how far it is. */
bool path_is_virtual(const struct base_path *path);
uint64_t path_offset(const struct base_path *path);

/* The same, in the object at `address`: where the base is. ERROR_EVALUATE. */
struct error *path_follow(const struct base_path *path,
			  const struct frame_reader *reader, uint64_t address,
			  uint64_t *base);

/* Has the class a pointer to a table of its virtual functions and bases, first
 * of all? */
bool is_dynamic(struct debugtype *class);

#endif
