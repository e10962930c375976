/*
 * type_specifier.h - the names of types, as C writes them
 */
#ifndef EXPR_TYPE_SPECIFIER_H
#define EXPR_TYPE_SPECIFIER_H

#include "lexer.h"
#include "type.h"

/*
 * Does the current token begin the name of a type, whatever types the program
 * has?
 */
bool type_begins(const struct lexer *lexer);

/*
 * Is the token `const` or the like? A qualifier changes nothing where a value
 * is only read.
 */
bool type_is_qualifier(const struct token *token);

/*
 * Parse the name of a type, like `unsigned long const *`, `struct point *` or
 * `ns::Point`, up to the first token that is not part of it. If the type is one
 * of the program, `*name` is its name without the `*`, for the caller to free,
 * and of `out` only the number of `*` counts. If the type is one of C, `*name`
 * is NULL or, for a type of stdint.h and the like, its name, because the
 * program may define a type of that name, too. ERROR_USAGE: C has no such type.
 */
struct error *type_parse(struct lexer *lexer, struct type *out, char **name);

#endif
