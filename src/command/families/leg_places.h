/*
 * leg_places.h - the ends of a leg that have several words: `exit F`, `calls C
 * in F`, `sync enter`
 */
#ifndef COMMAND_LEG_PLACES_H
#define COMMAND_LEG_PLACES_H

#include <stddef.h>

#include "perftool/session.h"

struct call;

/* Joins the words of the call, before the word number `count`, that belong to
 * one place: `C in F`, `allocations in F`, `sync enter in F`. Returns how many
 * of these words are left. */
size_t leg_places_join(struct call *call, size_t count);

/* Is the word a keyword for a kind of place, such as `entry` in `entry F`? Then
 * the place has two words. The caller asks this only if the other end of the
 * leg has a word left: `add leg exit done` is the leg from exit() to done().
 * `*kind` gets the kind. */
bool leg_place_keyword(const char *word, enum break_kind *kind);

/* Is the joined word a place by itself: `allocations in F`, `sync enter`?
 * `*kind` gets its kind. */
bool leg_place_whole(const struct call *call, const char *word,
		     enum break_kind *kind);

#endif
