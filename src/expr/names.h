/*
 * names.h - what a name in an expression means at a place
 *
 * Fills in the one instruction that fetches the value. Errors: ERROR_NOT_FOUND
 * with a near name where there is one; ERROR_USAGE for what is there but
 * cannot be used; whatever debugfile_find_variable() says.
 */
#ifndef EXPR_NAMES_H
#define EXPR_NAMES_H

#include "code.h"

/* A NODE_NAME; the instruction owns its variable. */
struct error *name_bind_variable(const struct node *node,
				 const struct expr_place *place,
				 struct instruction *out);

/* A NODE_SPECIAL: $pid, $arg1, $ret, $rax. */
struct error *name_bind_special(const struct node *node,
				const struct expr_place *place,
				struct instruction *out);

#endif
