/*
 * location_expression.h - DWARF expressions: where something is, or what it is
 *
 * A stack machine without loops to speak of: what compilers write has no
 * branches back, and steps are counted. Expressions that need others (of
 * another variable, of the caller's frame) are counted too.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H
#define PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H

#include "debuginfo/dwarf/dwarf.h"
#include "expression_number.h"
#include "pieces.h"

/* Where the CFA is at an address of a file: looked up once, for the place that
 * a variable is read at again and again. */
struct known_cfa {
	struct debugfile *file; /* NULL: not known */
	uint64_t address;
	struct cfa_rule rule;
};

/* What an expression may refer to. */
struct location_context {
	const struct frame_reader *reader;
	struct debugfile *file;      /* NULL: in call frame information */
	struct unit *unit;           /* of the expression; may be NULL */
	struct bytes frame_base;     /* DW_AT_frame_base of the function */
	uint64_t address;            /* of the code, in the file */
	const struct die *function;  /* its function; NULL: to be looked up */
	const struct known_cfa *cfa; /* NULL: of no place */
	const uint64_t *object;      /* what DW_OP_push_object_address pushes */
	bool in_frame_base;          /* this is it: it has none itself */
	unsigned *left; /* evaluations that may still be made within this one;
			   NULL: none */
	unsigned depth; /* of evaluations within evaluations */
};

/* Evaluations within each other: of pointers to pointers that are nowhere, of
 * callers' callers; and how many in all for one value. */
#define LOCATION_MAX_DEPTH 8
#define LOCATION_MAX_NESTED 256

/* Go one evaluation deeper; false: too deep, or too many. */
static inline bool location_enter(struct location_context *context)
{
	if (context->depth == LOCATION_MAX_DEPTH || !context->left ||
	    !*context->left)
		return false;
	context->depth++;
	--*context->left;
	return true;
}

/* The CFA by the rule in context->cfa; false: the pc is not where that was
 * looked up. */
bool location_known_cfa(const struct location_context *context, uint64_t *cfa);

/* Evaluate a location. ERROR_EVALUATE: it cannot be had here and now. */
struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct place *out);

/* Evaluate an expression that is a plain number, with *initial on the stack
 * unless that is NULL. */
struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out);

/* The same, with the number's type. */
struct error *location_number(const struct location_context *context,
			      struct bytes expression, struct number *out);

/* Where the variable or parameter `die` is at context->address, or its
 * constant value. */
struct error *location_of_die(const struct location_context *context,
			      const struct die *die, struct place *out);

/* DW_AT_const_value of a DIE (or what it is a copy of); false: it has none. */
bool location_constant(struct debugfile *file, const struct die *die,
		       struct piece *out);

/* Read a place that was found in this context: see place_read(). */
struct error *location_read(const struct location_context *context,
			    const struct place *place, uint8_t *bytes,
			    size_t size, uint8_t *missing);

/* The address of a place of so many bytes: in memory, or of what was put
 * together in the scratch. */
struct error *location_address(const struct location_context *context,
			       const struct place *place, uint64_t size,
			       uint64_t *out);

#endif
