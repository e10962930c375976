/*
 * compiler.h - the state of the compiler of programs for fast nodes
 *
 * compiler.c goes through the code; compiler_operands.c compiles the
 * instructions that push a value.
 */
#ifndef EXPR_COMPILER_H
#define EXPR_COMPILER_H

#include "stack_entry.h"

/* How many entries the stack of the compiler has at most. The stack of a
 * program (FAST_STACK) is small, too. */
#define ENTRIES 12

struct compiler {
	const struct bound_expr *bound;
	const struct expr_input *input;
	struct user_regs_struct marked; /* see mark_registers() */
	size_t count;
	/* the first element is not used: it is the top of the empty stack */
	struct entry entries[ENTRIES + 1];
};

static inline struct entry *top(struct compiler *compiler)
{
	return &compiler->entries[compiler->count];
}

/* Push the constant 0. */
static inline enum expr_refusal push(struct compiler *compiler)
{
	if (compiler->count == ENTRIES)
		return EXPR_LONG;
	compiler->count++;
	return entry_constant(top(compiler), 0);
}

/* Refuse floating numbers and integers of 128 bits. */
static inline enum expr_refusal check_type(struct type type)
{
	return type_is_float(type)  ? EXPR_FLOATING
	       : type_is_wide(type) ? EXPR_WIDE
				    : EXPR_COMPILED;
}

/*
 * Fill `marked`: each register holds its DWARF number plus 1, so that the value
 * that is read from it says which register was read. rip holds its real value,
 * which is known.
 */
void mark_registers(struct compiler *compiler);

/* Each of these functions pushes one entry. */
enum expr_refusal compile_address(struct compiler *compiler,
				  const struct instruction *at);
enum expr_refusal compile_variable(struct compiler *compiler,
				   const struct instruction *at);
enum expr_refusal compile_register(struct compiler *compiler,
				   const struct instruction *at);
enum expr_refusal compile_argument(struct compiler *compiler,
				   const struct instruction *at);
enum expr_refusal compile_goroutine(struct compiler *compiler,
				    const struct instruction *at);
enum expr_refusal compile_return_value(struct compiler *compiler);
enum expr_refusal compile_caller(struct compiler *compiler,
				 const struct instruction *at);
enum expr_refusal compile_function(struct compiler *compiler,
				   const struct instruction *at);

#endif
