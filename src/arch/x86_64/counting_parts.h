/*
 * counting_parts.h - the parts of which the code is made that trampolines call:
 * macros for counting.S and call_counting.S
 *
 * A file that includes this header defines PARTS, the name of its list of
 * parts, and TEXT, the label at the start of its code, before that. The list
 * consists of struct counting_part (counting.c), in the order of the addresses.
 * rdi is the thread's block.
 */
/* This is assembly. */
/* clang-format off */
#ifndef ARCH_COUNTING_PARTS_H
#define ARCH_COUNTING_PARTS_H

#include "counting_offsets.h"

/* `kind` of a part is one of these numbers. */
	.set	PART_SAVES, 0	/* r8 to r11 are being saved */
	.set	PART_COMPUTES, 1
	.set	PART_RESERVES, 2 /* a cell of the ring is reserved; its position
				    is in r11 */
	.set	PART_DONE, 3
	.set	PART_AGAIN, 4
	.set	PART_COUNTED, 5	/* the hit is counted */

#define PARTS_SECTION .rodata.PARTS, "a"

	.macro	BEGIN_PARTS
	.pushsection PARTS_SECTION
	.balign	8
PARTS:
	.popsection
	.endm

	.macro	END_PARTS end
	.pushsection PARTS_SECTION
\end:
	.popsection
	.endm

	.macro	PART kind
	.pushsection PARTS_SECTION
	.long	8f - TEXT
	.long	\kind
	.popsection
8:
	.endm

	.macro	SAVE
	PART	PART_SAVES
	mov	%r8, SAVED_R8(%rdi)
	mov	%r9, SAVED_R9(%rdi)
	mov	%r10, SAVED_R10(%rdi)
	mov	%r11, SAVED_R11(%rdi)
	PART	PART_COMPUTES
	.endm

/* Before an int3: keep the stack pointer in rdx, and take the program's.
 * If the tool is gone, the kernel puts the frame of SIGTRAP on the stack. It
 * must see by the stack pointer whether the program is on its alternate signal
 * stack. If not, it begins that stack anew, and overwrites what the program has
 * there. The stack of the counting code also has no room for such a frame. */
	.macro	TRAP_STACK
	mov	%rsp, %rdx
	mov	SAVED_RSP(%rdi), %rsp
	.endm

	.macro	RETURN kind=PART_COUNTED
	PART	\kind
	mov	SAVED_R8(%rdi), %r8
	mov	SAVED_R9(%rdi), %r9
	mov	SAVED_R10(%rdi), %r10
	mov	SAVED_R11(%rdi), %r11
	ret
	.endm

#endif
