/*
 * expr_checks.h - what the text of an expression must come to
 *
 * Included by one test program, after cmocka's header; it says by evaluate() in
 * what world its expressions are evaluated.
 */
#ifndef EXPR_CHECKS_H
#define EXPR_CHECKS_H

#include <string.h>

#include "perftool/expr.h"

static struct error *evaluate(const char *text, struct value *out);

/* Parse, bind to a place, evaluate. */
static inline struct error *evaluate_at(const char *text,
					const struct expr_place *place,
					const struct expr_input *input,
					struct value *out)
{
	struct bound_expr *bound;
	struct expr *expr;
	struct error *error;

	TRY(expr_parse(text, &expr));
	error = expr_bind(expr, place, &bound);
	if (!error) {
		error = bound_expr_evaluate(bound, input, out);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	return error;
}

/* Where there are no names, no registers and no memory. */
static inline struct error *evaluate_nowhere(const char *text,
					     struct value *out)
{
	const struct expr_place nowhere = {0};
	const struct expr_input nothing = {0};

	return evaluate_at(text, &nowhere, &nothing, out);
}

static inline void fail_with(const char *text, struct error *error)
{
	if (error)
		fail_msg("%s: %s", text, error_message(error));
}

static inline void check(const char *text, struct value expected)
{
	char a[32], b[32];
	struct value value;

	fail_with(text, evaluate(text, &value));
	if (value.kind != expected.kind || value.u != expected.u)
		fail_msg("%s: is %s (kind %d), not %s (kind %d)", text,
			 value_format(value, a), value.kind,
			 value_format(expected, b), expected.kind);
}

/* `message` NULL: whatever it says. */
static inline void check_error(const char *text, enum error_code code,
			       const char *message)
{
	struct value value;
	struct error *error = evaluate(text, &value);

	if (!error)
		fail_msg("%s: no error", text);
	else if (error_code(error) != code ||
		 (message && strcmp(error_message(error), message) != 0))
		fail_msg("%s: code %d: %s", text, error_code(error),
			 error_message(error));
	error_destroy(error);
}

#endif
