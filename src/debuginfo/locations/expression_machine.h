/*
 * expression_machine.h - the machine that evaluates DWARF expressions
 *
 * The operations are in three files. Each file hands operations that it does
 * not have to the next: expression_arithmetic.c (constants, the stack,
 * branches), expression_operands.c (what is read from registers, memory,
 * frames and threads), and location_expression.c (the result of an expression,
 * and calls of other expressions).
 */
#ifndef PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H
#define PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H

#include "location_expression.h"

#define LOCATION_STACK_SIZE 64

/*
 * The state of an evaluation. `current` is the place that the last operation
 * has given, for example a register or constant bytes, until a piece is made
 * of it. Without it, the top of the stack is the address of the value in
 * memory.
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

/* Do one operation. Its operands are at the cursor. */
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
