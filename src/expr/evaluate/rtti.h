/*
 * rtti.h - instructions that ask an object of what class it is
 */
#ifndef EXPR_RTTI_H
#define EXPR_RTTI_H

#include "code.h"

/* CODE_VIRTUAL, CODE_DYNAMIC. Errors: ERROR_EVALUATE. */
struct error *dynamic_base(const struct instruction *at,
			   const struct expr_input *input, union number *top);
struct error *dynamic_cast_of(const struct instruction *at,
			      const struct expr_input *input,
			      union number *top);

#endif
