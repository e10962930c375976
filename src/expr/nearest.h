/*
 * nearest.h - "is it this that was meant?": the name that is most like a word
 */
#ifndef EXPR_NEAREST_H
#define EXPR_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "tree.h"

struct nearest {
	const char *word;
	char *name; /* owned; NULL: none is like it at all */
	size_t distance;
};

void nearest_init(struct nearest *nearest, const char *word);
void nearest_deinit(struct nearest *nearest);

/* One more candidate; a debugfile_visit_fn on a struct nearest. */
bool nearest_consider(void *nearest, const char *name);

/* ERROR_NOT_FOUND: "column N: WHAT 'TEXT OF THE NODE'", and a question whether
 * `sigil` and the near name were meant, if there is one. Releases `nearest`. */
struct error *nearest_not_found(const struct node *node, const char *what,
				struct nearest *nearest, const char *sigil);

#endif
