/*
 * straight.h - instructions that are executed as often as another is
 *
 * Where an instruction has no room for a jump (fast.h), one before it or behind
 * it may have: if nothing between them can fail, wait or branch, and nothing
 * leads in between, then a thread that reaches the one reaches the other.
 */
#ifndef PERFTOOL_STRAIGHT_H
#define PERFTOOL_STRAIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/arch.h"
#include "perftool/base/vec.h"

/* What an instruction does to registers, 0 .. 15 as instructions have them. */
struct effect {
	int32_t sp;       /* added to rsp */
	uint16_t written; /* a bit for each that is changed, rsp not */
	bool stores;      /* it pushes something */
};

/* Does it nothing but that, and change flags? One that could fault, but for
 * want of stack, does not. */
bool arch_effect(const struct insn *insn, struct effect *out);

/* The code of a function. */
struct straight_range {
	uint64_t low, high;
	uint8_t *bytes;
};
VEC_STRUCT(straight_list, uint64_t);
struct straight_code {
	VEC(struct straight_range) ranges;
	struct straight_list starts;  /* of its instructions, each range's in
					order */
	struct straight_list targets; /* of its direct branches */
	struct straight_list jumps;   /* its indirect jumps: these may lead
					anywhere within */
	struct straight_list calls;   /* which may be left by an exception */
	bool unclear; /* there are bytes that are no instruction */
};

/* `bytes` becomes the code's. */
void straight_add(struct straight_code *code, uint64_t low, uint8_t *bytes,
		  size_t size);
void straight_deinit(struct straight_code *code);

/* Does a direct branch of it lead behind `low`, as far as to `high`? */
bool straight_leads(const struct straight_code *code, uint64_t low,
		    uint64_t high);

/* Another instruction that is executed as often, and what lies between. */
struct stand {
	uint64_t address;
	int32_t sp;       /* rsp at the one asked for, less rsp here */
	uint16_t written; /* registers that are not the same in both */
};

#define STRAIGHT_STANDS 16
/* None is further away, in bytes. */
#define STRAIGHT_REACH (STRAIGHT_STANDS / 2 * ARCH_MAX_INSN)

/*
 * Those around `address`, the nearest first, first those behind it. `enters`:
 * does anything that is not in this code, or that cannot be told from it, lead
 * behind `low`, as far as to `high`?
 */
typedef bool straight_enters_fn(void *context, uint64_t low, uint64_t high);
size_t straight_stands(const struct straight_code *code, uint64_t address,
		       straight_enters_fn *enters, void *context,
		       struct stand out[STRAIGHT_STANDS]);

#endif
