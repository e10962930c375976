/*
 * caller.h - `$caller`: the function that has called the function of a frame
 *
 * The code of `$caller` finds a code address first (CODE_CALLER), and then the
 * function that the address belongs to. A fast node records only the address.
 * The tool names the function when it reads the record.
 */
#ifndef EXPR_CALLER_H
#define EXPR_CALLER_H

#include "code.h"
#include "perftool/expr.h"

/*
 * CODE_CALLER: the return address of the frame. If the place is in an inlined
 * call, it is the place's own address.
 */
struct error *caller_address(const struct bound_expr *bound,
			     const struct instruction *at,
			     const struct expr_input *input, uint64_t *out);

/* CODE_CALLING: replace that address by the address of the function. */
void caller_function(const struct instruction *at,
		     const struct expr_input *input, union number *number);

/* CODE_CALLED_BY: 1 if the function is the one that the string of the node
 * names, else 0. */
void caller_compare(const struct instruction *at,
		    const struct expr_input *input, union number *number);

/* Compute the address that CODE_CALLER finds. The expression is `$caller`
 * alone. */
struct error *caller_run(const struct bound_expr *bound,
			 const struct expr_input *input, union number *out);

/* Append the name of the function that an address found by CODE_CALLER belongs
 * to. The expression is `$caller` alone. */
void caller_print(const struct bound_expr *bound,
		  const struct expr_input *input, uint64_t address,
		  struct str *out);

#endif
