/*
 * expr.h - expressions: conditions, values, keys
 *
 * C expressions without side effects, parsed once, bound to a place once (the
 * names become accessors), evaluated at every hit. Numbers are 64-bit integers
 * with C's rules of sign and promotion, and doubles.
 */
#ifndef PERFTOOL_EXPR_H
#define PERFTOOL_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/debuginfo.h"

struct expr;

/* Parse all of `text`; an error names the offending word and its column. */
struct error *expr_parse(const char *text, struct expr **out);

/* Parse as far as an expression goes; `*rest` is what follows (for lists
 * such as key=EXPR:EXPR, where `:` outside ?: ends an expression). */
struct error *expr_parse_prefix(const char *text, const char **rest,
				struct expr **out);
void expr_destroy(struct expr *expr);

/* The text as it was written. */
const char *expr_text(const struct expr *expr);

/*
 * The first variable of an expression (the memo's histogram variable) as an
 * expression of its own, or NULL when there is none. `$arg1` and the like
 * count as variables.
 */
struct expr *expr_first_variable(const struct expr *expr);

/* The place an expression is bound to. */
struct expr_place {
	struct debugfile *file; /* NULL: no names but registers */
	uint64_t address;	/* in the file */
	bool at_entry;		/* the first instruction of a function */
	bool at_exit;		/* a return or tail jump: $ret is allowed */
};

struct bound_expr;

/* Look its names up; ERROR_NOT_FOUND with the name and, where there is one,
 * a near one. The expression must outlive the result. */
struct error *expr_bind(const struct expr *expr,
			const struct expr_place *place,
			struct bound_expr **out);
void bound_expr_destroy(struct bound_expr *bound);

/* Does it need registers or memory of the target at all? (`1` does not.) */
bool bound_expr_is_constant(const struct bound_expr *bound);

struct expr_input {
	struct frame_reader reader; /* registers and memory of the thread */
	int32_t pid, tid;
	/* $node(N): the count of node N; false when there is no such node */
	bool (*node_count)(void *context, uint32_t node, uint64_t *count);
	void *context;
};

/* ERROR_EVALUATE: division by zero, unreadable memory, optimized out. */
struct error *bound_expr_evaluate(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct value *out);

/* C's truth of a value: not zero. */
bool value_is_true(struct value value);

#endif
