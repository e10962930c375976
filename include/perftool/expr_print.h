/*
 * expr_print.h - the values of expressions as text, as gdb's `print` writes
 * them
 *
 * Part of the expr layer, and periphery: the tool measures without it. Only
 * code that shows values at a stop of the program includes this header.
 */
#ifndef PERFTOOL_EXPR_PRINT_H
#define PERFTOOL_EXPR_PRINT_H

#include "perftool/base/str.h"
#include "perftool/expr.h"

/*
 * Append the value as gdb's `print` writes it, by its type: a structure with
 * its members, an array with its elements (200 at most), a pointer to char with
 * its string, an enumeration by name. The errors are those of
 * bound_expr_evaluate(), but a structure is allowed.
 */
struct error *bound_expr_print(const struct bound_expr *bound,
			       const struct expr_input *input, struct str *out);

/*
 * Append the value as gdb writes it in lists of variables: without the type
 * before a pointer. With `brief`, a value that has members or elements is
 * written as `...`.
 */
struct error *bound_expr_print_plain(const struct bound_expr *bound,
				     const struct expr_input *input, bool brief,
				     struct str *out);

#endif
