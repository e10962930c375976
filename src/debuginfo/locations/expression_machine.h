/*
 * expression_machine.h - the machine that evaluates DWARF expressions
 *
 * What its operations do is in three files, each of which hands on those that
 * it does not know: expression_arithmetic.c has constants, the stack and
 * branches; expression_operands.c what is fetched from registers, memory,
 * frames and threads; location_expression.c what an expression comes to, and
 * others within it.
 */
#ifndef PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H
#define PERFTOOL_DEBUGINFO_EXPRESSION_MACHINE_H

#include "location_expression.h"

#define LOCATION_STACK_SIZE 64

/*
 * `current` is what the last operation said, until a piece is made of it: a
 * register, constant bytes ...; else the top of the stack is an address in
 * memory, or (`is_value`) the value itself.
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

/* Do one operation, whose operands follow at the cursor. */
struct error *machine_compute(struct machine *machine, unsigned opcode);
struct error *machine_fetch(struct machine *machine, unsigned opcode);
struct error *machine_conclude(struct machine *machine, unsigned opcode);

struct error *machine_push_number(struct machine *machine,
				  struct number number);
struct error *machine_pop_number(struct machine *machine,
				 struct number *number);

/* Of the generic type; what is popped may be of any integer type. */
struct error *machine_push(struct machine *machine, uint64_t value);
struct error *machine_pop(struct machine *machine, uint64_t *value);

struct error *location_unsupported(const char *what);
struct error *location_bad(void);

#endif
