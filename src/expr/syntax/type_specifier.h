/*
 * type_specifier.h - the names of types as C writes them
 */
#ifndef EXPR_TYPE_SPECIFIER_H
#define EXPR_TYPE_SPECIFIER_H

#include "lexer.h"
#include "type.h"

/* Does the current token begin the name of a type, whatever the program? */
bool type_begins(const struct lexer *lexer);

/* `const` and the like, which change nothing where a value is only read. */
bool type_is_qualifier(const struct token *token);

/*
 * Read a type's name, `unsigned long const *`, `struct point *`, `ns::Point`,
 * up to the first token that is not part of it. Of one of the program's,
 * `*name` is it without its `*`, for the caller to free, and `out` has only the
 * number of these; of C's own, `*name` is NULL, or what stdint.h calls it,
 * which the program may have, too. ERROR_USAGE: no such type in C.
 */
struct error *type_parse(struct lexer *lexer, struct type *out, char **name);

#endif
