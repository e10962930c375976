/*
 * details.h - the classes and methods that front ends have had detailed: each
 * function of them has nodes and a leg, as `time` makes them
 */
#ifndef OPERATIONS_DETAILS_H
#define OPERATIONS_DETAILS_H

#include "perftool/base/map.h"
#include "perftool/base/string_list.h"
#include "perftool/session.h"

#include "operations/holders.h"

#include "timed_set.h"

struct desk;

struct detail {
	char *item, *agent;
	struct string_list locations; /* of the functions: see timed_set.h */
	/* no module has the name yet */
	bool is_pending;
	struct holders holders;
};
struct detail_list {
	VEC(struct detail) list;
};
void details_deinit(struct detail_list *details);

/* Details an item: a class (a source file or a module), CLASS:METHOD, or a
 * function. Functions of system classes are left out. If nothing has the name
 * yet, and it may be that of a class, the detail waits for a library that has
 * it. `owner`: see holders.h. */
struct error *details_add(struct desk *desk, struct session *session,
			  const char *item, const char *agent, uint32_t owner);
/* Details an item no more, whoever has asked for it. It is no error if the item
 * is not detailed. */
void details_remove(struct desk *desk, struct session *session,
		    const char *item, const char *agent);
/* The program has loaded libraries: details the functions of modules whose
 * paths are no keys of `searched`, if an item other than a plain function means
 * them.
 */
void details_look_again(struct desk *desk, const struct strmap *searched);
/* A front end is gone. */
void details_forget(struct desk *desk, struct session *session, uint32_t owner);

/* Returns the detail, or NULL. */
const struct detail *details_find(const struct detail_list *details,
				  const char *item, const char *agent);

/* Is anything detailed for the agent of this name? */
bool details_have_agent(const struct detail_list *details, const char *agent);

/* Appends the locations of the functions that an item means; `system`: also
 * those of system classes. ERROR_NOT_FOUND: there is no such class and no such
 * function. */
struct error *item_functions(struct desk *desk, struct session *session,
			     const char *item, bool system,
			     struct string_list *out);

#endif
