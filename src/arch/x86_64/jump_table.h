/*
 * jump_table.h - what registers hold on the way to a jump through a table
 *
 * A compiler translates a switch into a comparison of the index with a bound, a
 * load from a table, and an indirect jump. The table has absolute addresses, or
 * numbers that are added to the table's own address. The block finder executes
 * the code symbolically: for each register it knows whether it holds a
 * constant, a scaled index, or an element of a table, as far as the
 * instructions on the way show this. No way through the code has a register
 * that holds an address which the code does not compute on this way. So what is
 * found is right; what a compiler writes in another form is not found.
 */
#ifndef ARCH_JUMP_TABLE_H
#define ARCH_JUMP_TABLE_H

#include "decode.h"

enum symbol_kind {
	SYMBOL_NUMBER, /* a number of which at most its bound is known */
	SYMBOL_CONSTANT,
	SYMBOL_SCALED,  /* a number times `scale` */
	SYMBOL_ADDRESS, /* a constant plus a number times `scale` */
	/* The element of a table: `value` is the table's address, `scale` the
	 * size of an element. If `is_sum`, `base` was added to the element. */
	SYMBOL_ELEMENT,
};

struct symbol {
	enum symbol_kind kind;
	bool is_sum;
	uint8_t scale;
	uint32_t number; /* which number: two that are equal have the same */
	/* the number is less than this; 0: no bound is known */
	uint32_t bound;
	uint64_t value, base;
};

#define SYMBOL_REGISTERS 16

/* What is known at one point of a way through the code. */
struct symbols_held {
	struct symbol registers[SYMBOL_REGISTERS];
	/* the number that was compared last, and what it was compared with;
	 * `compared` is 0 if the flags do not come from such a comparison */
	uint32_t compared;
	uint64_t limit;
	/* The number was compared where it is in memory: relative to register
	 * `memory_base`, 16 if it was compared in a register. */
	uint8_t memory_base;
	int64_t memory_at;
	/* A bound that is known of a number in memory. */
	uint32_t memory_bound;
};

struct jump_table {
	uint64_t address; /* of the first element */
	uint64_t base;    /* to be added to each element; 0 if it is absolute */
	uint8_t element;  /* the size of an element: 4 or 8 */
	uint32_t count;
};

/* Begin a way through the code: nothing is known. `*numbers` counts the numbers
 * of all ways. */
void symbols_begin(struct symbols_held *held, uint32_t *numbers);
/* The thread executes an instruction. */
void symbols_execute(struct symbols_held *held, const struct decoded *decoded,
		     uint64_t address, uint32_t *numbers);
/* The thread has executed the conditional jump; it was taken, or it was not. */
void symbols_branch(struct symbols_held *held, const struct decoded *decoded,
		    bool is_taken);
/* Does the indirect jump, which is executed next, go through a table with a
 * bound? `*has_no_bound`: it does go through a table, but without a bound. */
bool symbols_table(const struct symbols_held *held,
		   const struct decoded *decoded, uint64_t address,
		   struct jump_table *out, bool *has_no_bound);

#endif
