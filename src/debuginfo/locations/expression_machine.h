/*
 * expression_machine.h - the machine that evaluates DWARF expressions
 *
 * The code for the operations of DWARF (DW_OP_...) is in three files. Each file
 * passes an operation that it does not implement to the next file:
 * expression_arithmetic.c (constants, the stack, arithmetic, branches),
 * expression_operands.c (what is read from registers, memory, frames and
 * threads), and location_expression.c (the result of an expression, and calls
 * of other expressions).
 */
#ifndef PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H
#define PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H

#include "location_expression.h"

#define LOCATION_STACK_SIZE 64

/*
 * The state of an evaluation. If the last operation said where the value is,
 * for example in a register or in constant bytes, this is `current`, until a
 * DW_OP_piece makes a piece of it. If there is no `current`, the top of the
 * stack is the address of the value in memory.
 */
struct machine {
	const struct location_context *context;
	struct bytes expression;
	struct cursor cursor;
	unsigned depth, steps, calls;
	struct piece current;
	bool has_current;
	struct place *place; /* NULL: only a number is wanted */
	struct number stack[LOCATION_STACK_SIZE];
};

/* Do one operation, whose operands are at the cursor. machine_compute() is
 * tried first; it passes on to machine_fetch(), and this function to
 * machine_conclude(). */
struct error *machine_compute(struct machine *machine, unsigned opcode);
struct error *machine_fetch(struct machine *machine, unsigned opcode);
struct error *machine_conclude(struct machine *machine, unsigned opcode);

struct error *machine_push_number(struct machine *machine,
				  struct number number);
struct error *machine_pop_number(struct machine *machine,
				 struct number *number);

/* Push and pop a value of the generic type. A popped number may be of any
 * integer type. */
struct error *machine_push(struct machine *machine, uint64_t value);
struct error *machine_pop(struct machine *machine, uint64_t *value);

struct error *location_unsupported(const char *what);
struct error *location_bad(void);

#endif
