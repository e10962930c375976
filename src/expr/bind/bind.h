/*
 * bind.h - from the tree of an expression to code, for one place (one address
 * of the program)
 *
 * This folder implements expr_bind() and expr_bind_variable() of
 * perftool/expr.h. It looks up the names of the tree as the code at the place
 * sees them, finds the type of every operand, makes C's implicit conversions
 * explicit, and appends instructions to the code of a bound expression. A
 * mistake in an expression is therefore reported when the expression is bound.
 * At a hit only values can fail: memory that cannot be read, a division by
 * zero.
 *
 * The files of the folder share binder.h. Of the other folders of the layer
 * only containers includes this one: the machine, the printer and the compiler
 * only see the code that the binder has written. The probe layer binds the
 * expressions of a breakpoint to each of its places; the session layer binds
 * what the user asks for at a stop.
 */
#ifndef EXPR_BIND_H
#define EXPR_BIND_H

#include "binder.h"

#endif
