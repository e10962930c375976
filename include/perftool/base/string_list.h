/*
 * string_list.h - a list that owns its strings
 */
#ifndef PERFTOOL_BASE_STRING_LIST_H
#define PERFTOOL_BASE_STRING_LIST_H

#include "perftool/base/vec.h"

/* All zero is the empty list. */
VEC_STRUCT(string_list, char *);

/* Free the strings, and make the list empty. string_list_deinit() also frees
 * the list's own memory. */
void string_list_clear(struct string_list *list);
void string_list_deinit(struct string_list *list);

#endif
