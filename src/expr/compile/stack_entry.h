/*
 * stack_entry.h - the entries of the stack with which the compiler of
 * expressions works
 *
 * compiler.c goes through the code; stack_entry.c converts and combines
 * entries. An entry describes what the value on the machine's stack (code.h)
 * will be: a constant, a place that is not read yet, or a program that computes
 * the value. Each entry has its own program, so that entries can be combined in
 * any order.
 */
#ifndef EXPR_STACK_ENTRY_H
#define EXPR_STACK_ENTRY_H

#include "compile.h"
#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/fast_node.h"

enum entry_kind {
	ENTRY_CONSTANT, /* `number` */
	ENTRY_PLACE,    /* the place `offset` bytes behind `place` */
	ENTRY_PROGRAM,
};

struct entry {
	enum entry_kind kind;
	bool is_truth; /* the value is 0 or 1 */
	uint64_t number;
	struct simple_place place; /* where the place is at run time */
	uint64_t offset;
	struct fast_program program;
};

/* Each function returns EXPR_COMPILED, or why the entry cannot be made. */

/* If the entry is a place, turn it into its address: a constant, or a program
 * that computes the address. */
enum expr_refusal entry_settle(struct entry *entry);
enum expr_refusal entry_unary(struct entry *entry, struct fast_step step);
enum expr_refusal entry_binary(struct entry *left, struct entry *right,
			       struct fast_step step);
enum expr_refusal entry_choose(struct entry *condition, struct entry *yes,
			       struct entry *no);

/* Turn an entry that is a place into the number of `size` bytes there or, if
 * the place is a bit-field, the number in its bits. */
/* Turn an entry that is an address into the number of `size` bytes that is
 * `offset` bytes behind it. The memory can be read. */
enum expr_refusal entry_follow(struct entry *entry, uint64_t offset,
			       uint64_t size, bool is_signed);
/* The same for a pointer that may lead anywhere, and for bit-fields. */
enum expr_refusal entry_follow_any(struct entry *entry, uint64_t offset,
				   uint64_t size, bool is_signed,
				   const struct bits *bits);
enum expr_refusal entry_load(struct entry *entry, uint64_t size, bool is_signed,
			     const struct bits *bits);

/* Convert the value of an entry to another type as number_convert() does, or to
 * the truth value that number_truth() returns: at once if the entry is a
 * constant, else by steps that are added to the entry's program. */
enum expr_refusal entry_convert(struct entry *entry, struct type from,
				struct type to);
enum expr_refusal entry_truth(struct entry *entry);

static inline enum expr_refusal entry_constant(struct entry *entry,
					       uint64_t number)
{
	*entry = (struct entry){.kind = ENTRY_CONSTANT, .number = number};
	return EXPR_COMPILED;
}

#define CHECK(call)                                                            \
	do {                                                                   \
		enum expr_refusal refusal_ = (call);                           \
		if (refusal_ != EXPR_COMPILED)                                 \
			return refusal_;                                       \
	} while (0)

#endif
