/*
 * location_expression.h - evaluates DWARF expressions, which give the place or
 * the value of something
 *
 * The machine has a stack. It counts its steps, so that a broken expression
 * with a loop ends; compilers write no branches back. It also counts
 * evaluations of other expressions (those of another variable, or of the
 * caller's frame) that one expression needs.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H
#define PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H

#include "debuginfo/dwarf/dwarf.h"
#include "expression_number.h"
#include "pieces.h"

/* The rule for the CFA at an address of a file. It is looked up once for an
 * address at which a variable is read again and again. */
struct known_cfa {
	struct debugfile *file; /* NULL: the rule is not known */
	uint64_t address;
	struct cfa_rule rule;
};

/* What an expression may refer to. */
struct location_context {
	const struct frame_reader *reader;
	/* NULL: the expression is in call frame information */
	struct debugfile *file;
	struct unit *unit;       /* the unit of the expression; may be NULL */
	struct bytes frame_base; /* DW_AT_frame_base of the function */
	uint64_t address;        /* of the code, as an address of the file */
	/* the function with this code; NULL: must be looked up */
	const struct die *function;
	const struct known_cfa *cfa; /* NULL: must be looked up */
	const uint64_t *object; /* the value for DW_OP_push_object_address */
	/* the expression is DW_AT_frame_base, so it has no frame base itself */
	bool in_frame_base;
	/* how many evaluations may still be made within this one; NULL: none */
	unsigned *left;
	unsigned depth; /* of evaluations within evaluations */
};

/* The deepest nesting of evaluations, for pointers to pointers that are not in
 * memory and for callers of callers, and the most evaluations for one value. */
#define LOCATION_MAX_DEPTH 8
#define LOCATION_MAX_NESTED 256

/* Count one evaluation within another. False: the nesting is too deep, or
 * there were too many. */
static inline bool location_enter(struct location_context *context)
{
	if (context->depth == LOCATION_MAX_DEPTH || !context->left ||
	    !*context->left)
		return false;
	context->depth++;
	--*context->left;
	return true;
}

/* Compute the CFA by the rule in context->cfa. False: the pc is not at the
 * address of this rule. */
bool location_known_cfa(const struct location_context *context, uint64_t *cfa);

/* Evaluate an expression that gives a place. ERROR_EVALUATE: the place cannot
 * be found here and now. */
struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct place *out);

/* Evaluate an expression that gives a plain number. *initial is on the stack
 * at the beginning, unless `initial` is NULL. */
struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out);

/* Evaluate an expression that gives a number with a type. */
struct error *location_number(const struct location_context *context,
			      struct bytes expression, struct number *out);

/* Find the place of the variable or parameter `die` at context->address, or
 * its constant value. */
struct error *location_of_die(const struct location_context *context,
			      const struct die *die, struct place *out);

/* Read DW_AT_const_value of a DIE, or of a DIE that it is a copy of. False:
 * there is none. */
bool location_constant(struct debugfile *file, const struct die *die,
		       struct piece *out);

/* Read the bytes at a place that was found in this context: see
 * place_read(). */
struct error *location_read(const struct location_context *context,
			    const struct place *place, uint8_t *bytes,
			    size_t size, uint8_t *missing);

/* The address of a place with `size` bytes: in memory, or in the scratch, into
 * which the function then puts the bytes. */
struct error *location_address(const struct location_context *context,
			       const struct place *place, uint64_t size,
			       uint64_t *out);

#endif
