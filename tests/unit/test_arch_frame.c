/*
 * test_arch_frame.c - how far the stack pointer is below the frame pointer:
 * what compilers write, and what must be given up on
 *
 * tier: core
 * covers: arch
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "perftool/arch.h"

#define NO (-1) /* not known */

/* endbr64 */
#define BEGIN "f30f1efa"
/* push %rbp; mov %rsp,%rbp */
#define FRAME "554889e5"
#define CALL "e800000000"
#define NOP "90"

static size_t read_hex(const char *hex, uint8_t *bytes)
{
	size_t size = 0;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[size++] = (uint8_t)byte;
	return size;
}

/* At the place between the two parts of a function. */
static void expect(const char *before, const char *after, int64_t expected)
{
	uint8_t code[128];
	size_t offset = read_hex(before, code);
	size_t size = offset + read_hex(after, code + offset);
	uint64_t found = 0;
	bool known = arch_frame_size(code, size, offset, &found);

	if (known != (expected != NO) || (known && found != (uint64_t)expected))
		fail_msg("%s|%s: %ld instead of %ld", before, after,
			 known ? (int64_t)found : NO, expected);
}

static void test_rsp_of_compiled_frames_is_known(void **state)
{
	(void)state;
	/* a leaf of gcc: nop; pop %rbp; ret */
	expect(FRAME, NOP "5dc3", 0);
	expect(BEGIN FRAME, NOP "5dc3", 0);
	/* sub $16,%rsp; call; leave; ret */
	expect(FRAME "4883ec10", CALL "c9c3", 16);
	expect(FRAME "4883ec10" CALL, "c9c3", 16);
	/* add $-128,%rsp */
	expect(FRAME "4883c480", CALL "c9c3", 128);
	/* sub $0x1230,%rsp */
	expect(FRAME "4881ec30120000", CALL "c9c3", 0x1230);
	/* push %rbx; push %r12; sub $8,%rsp; call; add; pops; ret */
	expect(FRAME "5341544883ec08" CALL, "4883c408415c5b5dc3", 24);
	expect(FRAME "53", "41544883ec08" CALL "4883c408415c5b5dc3", 8);
	/* je over a return, to behind it */
	expect(FRAME "4883ec10"
		     "7402c9c3" NOP,
	       NOP "c9c3", 16);
	/* back to behind the subtraction */
	expect(FRAME "4883ec10" NOP, "ebfd", 16);
}

static void test_rsp_outside_the_frame_is_not_known(void **state)
{
	(void)state;
	expect("", FRAME NOP "5dc3", NO);
	expect("55", "4889e5" NOP "5dc3", NO);
	/* where the end has begun */
	expect(FRAME "4883ec10c9", "c3", NO);
	expect(FRAME "4883ec104883c410", "5dc3", NO);
	/* within an instruction */
	expect(FRAME "4883", "ec10c9c3", NO);
}

static void test_rsp_of_unusual_code_is_not_known(void **state)
{
	(void)state;
	/* no frame at all */
	expect(NOP, "c3", NO);
	/* an argument: push $8; call; add $8,%rsp; leave */
	expect(FRAME NOP, "6a08" CALL "4883c408c9c3", NO);
	expect(FRAME "6a08" CALL, "4883c408c9c3", NO);
	/* push %rax, which nobody saves */
	expect(FRAME, "50" CALL "58c9c3", NO);
	/* a second subtraction, of an argument's room */
	expect(FRAME "4883ec10", "4883ec08" CALL "c9c3", NO);
	/* alloca: sub %rax,%rsp */
	expect(FRAME "4883ec10" NOP, "4829c4" CALL "c9c3", NO);
	/* and $-32,%rsp */
	expect(FRAME "4883e4e0" NOP, CALL "c9c3", NO);
	/* rbp used for something else: mov %rax,%rbp */
	expect(FRAME NOP, "4889c5" CALL "5dc3", NO);
	/* xchg %rsp,%rax, and one half of rbp: mov $1,%ebp */
	expect(FRAME NOP, "4894" CALL "5dc3", NO);
	expect(FRAME NOP, "bd01000000" CALL "5dc3", NO);
	/* jumps out, to before the end of the prologue, through a table */
	expect(FRAME "4883ec10" NOP, "7510c9c3", NO);
	expect(FRAME "4883ec10" NOP, "ebf9c9c3", NO);
	expect(FRAME "4883ec10" NOP, "ffe0c9c3", NO);
	/* a jump in what looks like an end: pop %rbp; jmp */
	expect(FRAME NOP, "5debfd", NO);
	/* the code ends within an end; a byte that is no instruction */
	expect(FRAME NOP, "c9", NO);
	expect(FRAME NOP, "c9c306", NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rsp_of_compiled_frames_is_known),
		cmocka_unit_test(test_rsp_outside_the_frame_is_not_known),
		cmocka_unit_test(test_rsp_of_unusual_code_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
