/*
 * bind.h - from the tree of an expression to code, for one place of the program
 *
 * This folder implements expr_bind() and expr_bind_variable() of
 * perftool/expr.h. It looks the names of the tree up, as the code at the place
 * would see them, finds the type of every operand, writes C's conversions out,
 * and appends instructions to the code of a bound expression. Whatever is wrong
 * with an expression at the place is an error here; what remains for the hit
 * are values that cannot be read or computed.
 *
 * What the files of the folder share is in binder.h. No other folder of the
 * layer includes this one: the machine, the printer and the compiler only see
 * the code that the binder has written. The probe layer binds the expressions
 * of a breakpoint to each of its places, the session layer what the user asks
 * for at a stop.
 */
#ifndef EXPR_BIND_H
#define EXPR_BIND_H

#include "perftool/expr.h"

#endif
