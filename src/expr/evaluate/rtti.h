/*
 * rtti.h - instructions that read the class of an object from the object itself
 * (run-time type information)
 */
#ifndef EXPR_RTTI_H
#define EXPR_RTTI_H

#include "code.h"

/* Run CODE_VIRTUAL and CODE_DYNAMIC. Errors are ERROR_EVALUATE. */
struct error *dynamic_base(const struct instruction *at,
			   const struct expr_input *input, union number *top);
struct error *dynamic_cast_of(const struct instruction *at,
			      const struct expr_input *input,
			      union number *top);

#endif
