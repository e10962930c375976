/*
 * location_expression.h - evaluates DWARF expressions, which give the place or
 * the value of a variable, or a number such as a CFA
 *
 * The machine has a stack. It counts its steps, so that a broken expression
 * with a loop ends; compilers write no branches back. One expression may need
 * the value of others (those of another variable, or of the caller's frame).
 * These nested evaluations are counted and limited, too.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H
#define PERFTOOL_DEBUGINFO_LOCATION_EXPRESSION_H

#include "debuginfo/dwarf/dwarf.h"
#include "expression_number.h"
#include "perftool/debuginfo/frame_rules.h"
#include "pieces.h"

/* The rule for the CFA at an address of a file. It is stored here so that it
 * need not be looked up each time when a variable is read again and again at
 * this address. */
struct known_cfa {
	struct debugfile *file; /* NULL: the rule is not known */
	uint64_t address;
	struct cfa_rule rule;
};

/* The context of an expression: all that it may refer to. */
struct location_context {
	const struct frame_reader *reader;
	/* NULL: the expression is in call frame information */
	struct debugfile *file;
	struct unit *unit;       /* the unit of the expression; may be NULL */
	struct bytes frame_base; /* DW_AT_frame_base of the function */
	uint64_t address;        /* the pc, as an address of the file */
	/* the function with this code; NULL: must be looked up */
	const struct die *function;
	const struct known_cfa *cfa; /* NULL: must be looked up */
	const uint64_t *object; /* the value for DW_OP_push_object_address */
	/* the expression is DW_AT_frame_base, so it has no frame base itself */
	bool in_frame_base;
	/* how many nested evaluations may still be made; NULL: none */
	unsigned *left;
	unsigned depth; /* nesting depth of this evaluation in others */
};

/* The deepest nesting of evaluations, and the most nested evaluations for one
 * value. Evaluations nest for pointers to pointers that are not in memory, and
 * for values that a caller got from its own caller. */
#define LOCATION_MAX_DEPTH 8
#define LOCATION_MAX_NESTED 256

/* Count one nested evaluation, whose context is `context`. False: the nesting
 * is too deep, or there were too many nested evaluations. */
static inline bool location_enter(struct location_context *context)
{
	if (context->depth == LOCATION_MAX_DEPTH || !context->left ||
	    !*context->left)
		return false;
	context->depth++;
	--*context->left;
	return true;
}

/* Compute the CFA by the rule in context->cfa. False: the rule is not known, or
 * is for another address than the pc. */
bool location_known_cfa(const struct location_context *context, uint64_t *cfa);

/* Evaluate an expression that gives a place. ERROR_EVALUATE: the place cannot
 * be found, for example because memory that the expression refers to cannot be
 * read. */
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

/* Read the attribute DW_AT_const_value of a DIE, or of the original if the DIE
 * is a copy. False: neither has the attribute. */
bool location_constant(struct debugfile *file, const struct die *die,
		       struct piece *out);

/* Read the bytes at a place that was found in this context. `missing` is as in
 * place_read(). */
struct error *location_read(const struct location_context *context,
			    const struct place *place, uint8_t *bytes,
			    size_t size, uint8_t *missing);

/* Give the address of the value at a place, which has `size` bytes. If the
 * value is not in memory as a whole, the function puts it into the scratch and
 * gives its address there. */
struct error *location_address(const struct location_context *context,
			       const struct place *place, uint64_t size,
			       uint64_t *out);

#endif
