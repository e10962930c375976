/*
 * subobject.h - code that goes from an object to its part of a base class (its
 * subobject)
 */
#ifndef EXPR_SUBOBJECT_H
#define EXPR_SUBOBJECT_H

#include "binder.h"
#include "expr/evaluate/evaluate.h"

/*
 * Go from a place, or from an address on the stack, to the base class at the
 * end of the path. A null pointer stays null.
 */
void take_base_of_place(struct binder *binder, const struct node *node,
			const struct base_path *path, struct operand *out);
void take_base_of_pointer(struct binder *binder, const struct node *node,
			  const struct base_path *path);

/* ERROR_USAGE: "'dup' is ambiguous in Der: CANDIDATES". Releases `found`. */
struct error *ambiguous(const struct node *node, const char *what,
			struct debugtype *class, struct base_found *found);

#endif
