/*
 * location.h - DWARF expressions: where something is, or what it is
 *
 * A stack machine without loops to speak of: what compilers write has no
 * branches back, and steps are counted.
 */
#ifndef PERFTOOL_DEBUGINFO_LOCATION_H
#define PERFTOOL_DEBUGINFO_LOCATION_H

#include "dwarf.h"

/* What an expression may refer to. */
struct location_context {
	const struct frame_reader *reader;
	struct debugfile *file;  /* NULL: in call frame information */
	const struct unit *unit; /* of the expression; may be NULL */
	struct bytes frame_base; /* DW_AT_frame_base of the function */
	bool in_frame_base;      /* this is it: it has none itself */
};

enum location_kind {
	LOCATION_MEMORY,   /* at address `value` of the running program */
	LOCATION_REGISTER, /* in DWARF register `value` */
	LOCATION_VALUE,    /* it is `value`: it has no place */
	LOCATION_BYTES,    /* it is `bytes` (DW_OP_implicit_value) */
};

struct location {
	enum location_kind kind;
	uint64_t value;
	struct bytes bytes;
};

/* Evaluate a location. ERROR_EVALUATE: it cannot be had here and now. */
struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct location *out);

/* Evaluate an expression that is a plain number, with *initial on the stack
 * unless that is NULL. */
struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out);

#endif
