/*
 * timed_set.h - the functions that front ends have had timed
 *
 * Several details and agents may want the same function. It gets its nodes and
 * its leg once. They are in the program until nobody wants the function any
 * more.
 */
#ifndef OPERATIONS_TIMED_SET_H
#define OPERATIONS_TIMED_SET_H

#include "perftool/base/map.h"
#include "perftool/base/string_list.h"
#include "perftool/session.h"
#include "perftool/session/measurements.h"

/* All zero is the empty set. */
struct timed_set {
	/* struct timed_entry, by the location of the function */
	struct strmap entries;
};
void timed_set_deinit(struct timed_set *set);

/* Times the functions at these locations, each of which names one function, as
 * `time` takes it. Locations that cannot be timed are removed from the list; it
 * is an error if none is left of some. */
struct error *timed_set_add(struct timed_set *set, struct session *session,
			    struct string_list *locations);
/* Times those of the functions `fresh` that are not in `locations`, and moves
 * them there. `fresh` is then empty. */
struct error *timed_set_extend(struct timed_set *set, struct session *session,
			       struct string_list *fresh,
			       struct string_list *locations);
/* Gives the functions up. `keeps`: the tables keep the rows of those that have
 * counted, and they count on there if they are added again. */
void timed_set_remove(struct timed_set *set, struct session *session,
		      const struct string_list *locations, bool keeps);
/* Returns what was made for the function at this location, or NULL. */
const struct timed_function *timed_set_find(const struct timed_set *set,
					    const char *location);

#endif
