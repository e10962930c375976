/*
 * basic_blocks.h - the basic blocks of a function
 *
 * A basic block is a run of instructions that a thread enters only at its first
 * one and leaves only behind its last one. The instruction behind a call
 * continues the block. The finder follows the code from its known beginnings,
 * so data between instructions is never taken for code.
 *
 * The targets of a jump through a table are found if the code shows the table
 * and a bound of the index (jump_table.h of arch/x86_64 says how).
 */
#ifndef PERFTOOL_BASIC_BLOCKS_H
#define PERFTOOL_BASIC_BLOCKS_H

#include "perftool/arch.h"
#include "perftool/base/vec.h"

VEC_STRUCT(block_addresses, uint64_t);

/* A contiguous part of the function's code. */
struct block_code {
	uint64_t low;
	size_t size;
	const uint8_t *bytes;
};
VEC_STRUCT(block_code_list, struct block_code);

/* The addresses from `low` to the one before `high`. */
struct block_gap {
	uint64_t low, high;
};
VEC_STRUCT(block_gap_list, struct block_gap);

struct block_request {
	/* the parts of the function's code, which must not overlap */
	const struct block_code *parts;
	size_t part_count;
	/* Addresses at which a block is known to begin: the function's entry,
	 * the landing pads of exceptions, labels whose address the program
	 * takes. Addresses outside of the parts are ignored. */
	const uint64_t *known;
	size_t known_count;
	/* reads the file's bytes, for jump tables */
	arch_read_fn *read;
	void *context;
};

struct basic_blocks {
	/* the address of the first instruction of each block, ascending */
	struct block_addresses starts;
	/* Indirect jumps whose targets are not known. Such a jump may also
	 * leave the function (a tail call); the caller finds that out. */
	struct block_addresses unknown;
	/* Blocks that begin inside of another instruction of the function, for
	 * example behind its lock prefix. They are not among `starts`: a
	 * breakpoint there would change the other instruction. */
	struct block_addresses within;
	/* the number of bytes to which no known way leads, apart from padding
	 */
	uint64_t unreached;
	/* the runs of bytes to which no known way leads, ascending in each
	 * part; padding is not taken out of them */
	struct block_gap_list gaps;
	/* A known way leads to bytes that cannot be decoded: the code has
	 * instructions that the decoder does not know. */
	bool is_undecoded;
};

/* Find the blocks. The caller calls arch_blocks_deinit() for the result. */
void arch_find_blocks(const struct block_request *request,
		      struct basic_blocks *out);
void arch_blocks_deinit(struct basic_blocks *blocks);

#endif
