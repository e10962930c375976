/*
 * straight.h - instructions that are executed as often as another instruction
 *
 * If an instruction has no room for a jump (fast_node.h), an instruction before
 * it or behind it may have room. If no instruction between the two can fail,
 * wait or branch, and no branch leads in between, then a thread that reaches
 * one of them also reaches the other. Such another instruction is called a
 * stand, because it stands in for the instruction that the caller asks for.
 */
#ifndef PERFTOOL_STRAIGHT_H
#define PERFTOOL_STRAIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/arch.h"
#include "perftool/base/vec.h"

/* What an instruction does to registers, which have the numbers 0 to 15 as in
 * instructions. */
struct effect {
	int32_t sp; /* the number of bytes that the instruction adds to rsp */
	/* one bit for each register that changes, except rsp */
	uint16_t written;
	bool stores; /* the instruction pushes a value */
};

/* Does the instruction do nothing but what struct effect can describe, apart
 * from changing flags? If so, `*out` becomes the description. False for every
 * instruction that could fault, except by a lack of stack. */
bool arch_effect(const struct insn *insn, struct effect *out);

/* The code of a function, in one or more ranges of addresses. */
struct straight_range {
	uint64_t low, high;
	uint8_t *bytes;
};
VEC_STRUCT(straight_list, uint64_t);
struct straight_code {
	VEC(struct straight_range) ranges;
	struct straight_list starts;  /* the addresses of the instructions, in
					 order within each range */
	struct straight_list targets; /* the targets of the direct branches */
	/* the addresses of the indirect jumps, which may lead anywhere within
	 * the code */
	struct straight_list jumps;
	/* the addresses of the calls, which may be left by an exception */
	struct straight_list calls;
	bool unclear; /* some bytes of the code are no instruction */
};

/* Add the range from `low` on to the code. `code` takes ownership of `bytes`,
 * which must come from malloc() and holds `size` bytes. */
void straight_add(struct straight_code *code, uint64_t low, uint8_t *bytes,
		  size_t size);
void straight_deinit(struct straight_code *code);

/* Does a direct branch of this code lead to an address above `low`, up to and
 * including `high`? */
bool straight_leads(const struct straight_code *code, uint64_t low,
		    uint64_t high);

/* Does a branch of this code lead to the address, and can a thread get there
 * from `entry`, where the function begins, by nothing but direct branches and
 * instructions one behind the other, without a call? If so, an instruction
 * certainly begins at the address. */
bool straight_reaches(const struct straight_code *code, uint64_t entry,
		      uint64_t address);

/* A stand: an instruction that is executed as often as the instruction asked
 * for, and what changes between the two instructions. */
struct stand {
	uint64_t address;
	int32_t sp;       /* rsp at the instruction asked for, minus rsp at this
			     instruction */
	uint16_t written; /* registers whose values differ between the two
			     instructions, one bit for each register */
};

#define STRAIGHT_STANDS 16
/* No stand is further away from the instruction asked for than this number of
 * bytes. */
#define STRAIGHT_REACH (STRAIGHT_STANDS / 2 * ARCH_MAX_INSN)

/*
 * Find the stands of the instruction at `address`: first those behind it, the
 * nearest first, then those before it, the nearest first. Returns their number.
 * The function itself knows the direct branches of this code. It calls `enters`
 * to ask whether anything else leads, or could lead, to an address above `low`,
 * up to and including `high`.
 */
typedef bool straight_enters_fn(void *context, uint64_t low, uint64_t high);
size_t straight_stands(const struct straight_code *code, uint64_t address,
		       straight_enters_fn *enters, void *context,
		       struct stand out[STRAIGHT_STANDS]);

#endif
