/*
 * counting_text.h - the code that trampolines call, as the tool has it: the
 * texts of counting.S and of call_counting.S, and the list of the parts of each
 */
#ifndef ARCH_COUNTING_TEXT_H
#define ARCH_COUNTING_TEXT_H

#include <stdint.h>

#include "perftool/counting.h"

/* These are also the numbers in counting_parts.h. */
enum part_kind {
	PART_SAVES,
	PART_COMPUTES,
	PART_RESERVES,
	PART_DONE,
	PART_AGAIN,
	PART_COUNTED,
};

struct counting_part {
	uint32_t start; /* offset in the code; the part ends where the next one
			   begins */
	uint32_t kind;  /* enum part_kind */
};

struct counting_text {
	const uint8_t *code;
	uint64_t size;
	const struct counting_part *parts;
	uint64_t part_count;
};

/* call_counting.c: the code for calls. The offsets of its functions in `out`
 * are those in this text. */
struct counting_text call_profile_text(struct counting_code *out);

#endif
