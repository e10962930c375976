/*
 * base_class.h - the base classes of a class, and the paths to them
 *
 * A class can contain the same base class several times, each time with its own
 * members, or once as a virtual base, which all paths share. A search can
 * therefore find several results; the name is then ambiguous.
 */
#ifndef EXPR_BASE_CLASS_H
#define EXPR_BASE_CLASS_H

#include "code.h"
#include "perftool/debuginfo/frame_rules.h"

/* How many levels of base classes are followed. */
#define CLASSES_MAX_DEPTH 32

/*
 * A path from a class to one of its base classes. Each step is a member of
 * debugtype_members(). Without any step, the path leads to the class itself.
 */
struct base_path {
	struct {
		struct debugtype *class;
		size_t index;
	} steps[CLASSES_MAX_DEPTH];
	unsigned count;
	struct debugtype *end; /* the base class */
};

/* The result of a search. */
struct base_found {
	size_t count; /* how many different base classes were found */
	struct base_path path;
	struct debugmember member; /* the member that was found, in the class at
				      the end of the path */
	struct str candidates;     /* all base classes that were found, for a
				      message: `Base::m (Der -> Base), ...` */
};
void base_found_deinit(struct base_found *found);

/*
 * Find, among `class` itself and its base classes: the class `base`
 * (find_base); the class that has the name `name`, of `length` bytes
 * (find_base_called); or the class that has a member of the name `member`
 * (find_base_with).
 */
void find_base(struct debugtype *class, struct debugtype *base,
	       struct base_found *out);
void find_base_called(struct debugtype *class, const char *name, size_t length,
		      struct base_found *out);
void find_base_with(struct debugtype *class, const char *member,
		    struct base_found *out);

/* The member that step number `index` of the path goes to. */
const struct debugmember *path_step(const struct base_path *path,
				    unsigned index);

/*
 * Does the path go through a virtual base? If it does not, path_offset() is the
 * distance from the class to the base.
 */
bool path_is_virtual(const struct base_path *path);
uint64_t path_offset(const struct base_path *path);

/*
 * Follow the path in the object at `address`: `*base` becomes the address of
 * the base class at the end of the path. ERROR_EVALUATE: the object cannot be
 * read.
 */
struct error *path_follow(const struct base_path *path,
			  const struct frame_reader *reader, uint64_t address,
			  uint64_t *base);

/*
 * Does the class begin with a pointer to a table of its virtual functions and
 * bases?
 */
bool is_dynamic(struct debugtype *class);

#endif
