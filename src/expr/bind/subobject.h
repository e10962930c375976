/*
 * subobject.h - code that goes from an object to its part of a base class
 */
#ifndef EXPR_SUBOBJECT_H
#define EXPR_SUBOBJECT_H

#include "binder.h"
#include "expr/evaluate/evaluate.h"

/* A place, or an address on the stack, becomes that of the base. A pointer that
 * is null remains so. */
void take_base_of_place(struct binder *binder, const struct node *node,
			const struct base_path *path, struct operand *out);
void take_base_of_pointer(struct binder *binder, const struct node *node,
			  const struct base_path *path);

/* ERROR_USAGE: "'dup' is ambiguous in Der: CANDIDATES"; lets go of `found`. */
struct error *ambiguous(const struct node *node, const char *what,
			struct debugtype *class, struct base_found *found);

#endif
