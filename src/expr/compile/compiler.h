/*
 * compiler.h - the compiler of programs for fast nodes: compiler.c goes
 * through the code, compiler_operands.c has what is pushed
 */
#ifndef EXPR_COMPILER_H
#define EXPR_COMPILER_H

#include "stack_entry.h"

/* More are never needed: programs have a small stack, too. */
#define ENTRIES 12

struct compiler {
	const struct bound_expr *bound;
	const struct expr_input *input;
	struct user_regs_struct marked; /* see mark_registers() */
	size_t count;
	/* one more below, so that the top can be before the first */
	struct entry entries[ENTRIES + 1];
};

static inline struct entry *top(struct compiler *compiler)
{
	return &compiler->entries[compiler->count];
}

/* The entry that is pushed is 0. */
static inline enum expr_refusal push(struct compiler *compiler)
{
	if (compiler->count == ENTRIES)
		return EXPR_LONG;
	compiler->count++;
	return entry_constant(top(compiler), 0);
}

/* What is computed with numbers of other types cannot be compiled. */
static inline enum expr_refusal check_type(struct type type)
{
	return type_is_float(type)  ? EXPR_FLOATING
	       : type_is_wide(type) ? EXPR_WIDE
				    : EXPR_COMPILED;
}

/* Before all else: each register holds its DWARF number and 1, so that who
 * reads one says which it is; rip is known. */
void mark_registers(struct compiler *compiler);

/* Each leaves one entry more. */
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
enum expr_refusal compile_function(struct compiler *compiler,
				   const struct instruction *at);

#endif
