/*
 * print.h - values as text, as gdb's `print` writes them
 *
 * This folder implements bound_expr_print() and bound_expr_print_plain() of
 * perftool/expr.h. It runs the code of a bound expression and writes the result
 * by its type: a structure with its members, an array with its elements, a
 * pointer with the function that it points to or the string that begins there,
 * an enumeration by the names of its enumerators. The end-to-end test
 * gdb_print.t compares the text with that of gdb.
 *
 * The folder is periphery: the tool can measure without it. No other folder of
 * the layer includes it. Only label.c, in the layer's own folder, uses the
 * functions below, so that the label of a row is what `print` would write.
 */
#ifndef EXPR_PRINT_H
#define EXPR_PRINT_H

#include "expr/evaluate/evaluate.h"
#include "perftool/base/str.h"

/*
 * Append a scalar value of the expression as bound_expr_print_plain() would
 * have written it at a hit with that value.
 */
void print_of_number(const struct bound_expr *bound,
		     const struct expr_input *input, const union number *number,
		     struct str *out);

/*
 * Append the name of an enumerator, or `(A | B)` for flags, or else the number.
 * `scoped`: with the scopes that the names are in.
 */
void print_enumeration(struct debugtype *type, const union number *number,
		       bool scoped, struct str *out);

/* Are values of the type written as characters? */
bool print_is_character(enum debugfile_language language, struct type type);

/*
 * Append one character of a string of bytes: as UTF-8 if the bytes are a
 * character of UTF-8 that can be printed, else one byte with an escape. Returns
 * how many bytes the character has. `quote` is the quote around it, which is
 * escaped, too; 0: there is none.
 */
size_t print_character(struct str *out, const uint8_t *bytes, size_t size,
		       char quote);

#endif
