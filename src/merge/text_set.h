/*
 * text_set.h - texts, each of them once, in the order in which they came
 */
#ifndef MERGE_TEXT_SET_H
#define MERGE_TEXT_SET_H

#include <stdbool.h>

#include "perftool/base/map.h"
#include "perftool/base/string_list.h"

/* All zero is the empty set. */
struct text_set {
	struct string_list texts;
	struct strmap index; /* of a text, its index in the list + 1 */
};

void text_set_deinit(struct text_set *set);
/* Adds a copy of the text, unless it is there. NULL is not added. Returns
 * whether the text was there already. */
bool text_set_add(struct text_set *set, const char *text);
/* The index of the text in the list, or SIZE_MAX. */
size_t text_set_find(const struct text_set *set, const char *text);
/* The text, if there is exactly one, else NULL. */
const char *text_set_only(const struct text_set *set);

#endif
