/*
 * suggestion.h - the known name that is most like a misspelt word, for the
 * error message
 */
#ifndef EXPR_SUGGESTION_H
#define EXPR_SUGGESTION_H

#include <stdbool.h>
#include <stddef.h>

#include "expr/syntax/syntax.h"

struct suggestion {
	const char *word;
	char *name; /* owned; NULL: no name is similar */
	size_t distance;
};

void suggestion_init(struct suggestion *suggestion, const char *word);
void suggestion_deinit(struct suggestion *suggestion);

/*
 * Consider one more candidate. The function is a debugfile_visit_fn on a struct
 * suggestion.
 */
bool suggestion_consider(void *suggestion, const char *name);

/* ERROR_NOT_FOUND: "column N: WHAT 'TEXT OF THE NODE'", and a question whether
 * `sigil` and the near name were meant, if there is one. Releases `suggestion`.
 */
struct error *suggestion_not_found(const struct node *node, const char *what,
				   struct suggestion *suggestion,
				   const char *sigil);

#endif
