/*
 * nearest.h - "is it this that was meant?": the name that is most like a word
 */
#ifndef EXPR_NEAREST_H
#define EXPR_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

struct nearest {
	const char *word;
	char *name; /* owned; NULL: none is like it at all */
	size_t distance;
};

void nearest_init(struct nearest *nearest, const char *word);
void nearest_deinit(struct nearest *nearest);

/* One more candidate; a debugfile_visit_fn on a struct nearest. */
bool nearest_consider(void *nearest, const char *name);

#endif
