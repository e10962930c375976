/*
 * print.h - values as text, as gdb's `print` writes them
 *
 * This folder implements bound_expr_print() and bound_expr_print_plain() of
 * perftool/expr.h. It runs the code of a bound expression and writes the result
 * by its type: a structure with its members, an array with its elements, a
 * pointer with the function that it points to or the string that begins there,
 * an enumeration by the names of its enumerators. The end-to-end test gdb_print
 * compares the text with that of gdb, character by character.
 *
 * The folder belongs to the periphery: the tool can measure without it. No
 * other folder of the layer includes it, except that the labels of rows
 * (label.c) use the functions below, so that a row is called what `print` would
 * write.
 */
#ifndef EXPR_PRINT_H
#define EXPR_PRINT_H

#include "expr/evaluate/evaluate.h"
#include "perftool/base/str.h"

/* As bound_expr_print_plain() would have written it, had it this value: of a
 * scalar. */
void print_of_number(const struct bound_expr *bound,
		     const struct expr_input *input, const union number *number,
		     struct str *out);

/* An enumerator's name, `(A | B)` of flags, else the number; `scoped`: with the
 * scopes that the names are in. */
void print_enumeration(struct debugtype *type, const union number *number,
		       bool scoped, struct str *out);

/* Is it one of the types of characters, which are written as such? */
bool print_is_character(enum debugfile_language language, struct type type);

/*
 * One character of a string of bytes, as UTF-8 if it is that and can be
 * printed, else as a byte that is escaped. Returns how many bytes it has.
 */
size_t print_character(struct str *out, const uint8_t *bytes, size_t size,
		       char quote);

#endif
