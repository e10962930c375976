/*
 * counting.S - the code by which threads count legs by themselves
 *
 * Trampolines call this code at *from* and at *to* of a leg. The rules, the
 * arrays and the registers at the call are described in counting.h.
 *
 * The tool may find a thread anywhere in this code, when a signal is delivered
 * or when it stops the program, and the thread must then leave at once. So the
 * code is written in two kinds of parts:
 *
 *  - Most of the code only computes. A thread that is found there makes its hit
 *    again from the beginning.
 *  - A part between COMMIT and END changes the counts. It has no branches, and
 *    only instructions that counting_finish() can execute. If a thread is found
 *    within such a part, the tool executes the rest of it. Behind a part of
 *    the kind DONE the hit is counted. Behind one of the kind AGAIN the counts
 *    are right, too, but the hit is not counted yet.
 *
 * rdi is the block throughout. r8 is the leg. rsi is the frame, rdx the
 * time-stamp counter, and rcx the argument, until they are not needed.
 */
#include "counting_offsets.h"

	.section .rodata
	.balign	8

	.globl	counting_layout, counting_parts, counting_parts_end
	.globl	counting_text
	.hidden	counting_layout, counting_parts, counting_parts_end
	.hidden	counting_text

/* The description of the code for C: struct counting_layout. */
counting_layout:
	.quad	counting_end - counting_text
	.quad	enter - counting_text
	.quad	leave - counting_text
	.quad	wait - counting_text
	.quad	again - counting_text

/* The list of the parts of the code, in the order of their addresses: struct
 * counting_part. `kind` is one of these numbers. */
	.set	PART_SAVES, 0	/* r8 to r11 are being saved */
	.set	PART_COMPUTES, 1
	.set	PART_RESERVES, 2 /* a cell of the ring is reserved; its position
				    is in r11 */
	.set	PART_DONE, 3
	.set	PART_AGAIN, 4
	.set	PART_COUNTED, 5	/* the hit is counted */

	.pushsection .rodata.counting_parts, "a"
	.balign	8
counting_parts:
	.popsection

	.macro	PART kind
	.pushsection .rodata.counting_parts, "a"
	.long	8f - counting_text
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

	.macro	RETURN
	PART	PART_COUNTED
	mov	SAVED_R8(%rdi), %r8
	mov	SAVED_R9(%rdi), %r9
	mov	SAVED_R10(%rdi), %r10
	mov	SAVED_R11(%rdi), %r11
	ret
	.endm

/* Go to `tell_hit` if the frame in rsi is not on the thread's own stack. Load
 * r8 with the leg, and eax with its innermost activation. */
	.macro	FIND_LEG
	mov	%rsi, %rax
	sub	STACK_LOW(%rdi), %rax
	cmp	STACK_SIZE(%rdi), %rax
	ja	tell_hit
	mov	%ecx, %r8d
	shl	$LEG_BITS, %r8
	lea	LEGS(%rdi,%r8), %r8
	.endm

/* Drop the activation at eax, the innermost one of the leg, which is unwound.
 * If it was discarded before, it does not count as unwound: the comparison sets
 * the carry flag. */
	.macro	DROP
	lea	OPEN(%rdi,%rax), %r9
	mov	OPEN_BELOW(%r9), %r10d
	mov	FREE(%rdi), %r11d
	push	%rcx
	mov	SINCE(%rdi), %rcx
	cmp	%rcx, OPEN_START(%r9)
	pop	%rcx
	PART	PART_AGAIN
	sbbl	$-1, LEG_UNWOUND(%r8)
	mov	%r10d, LEG_TOP(%r8)
	mov	%r11d, OPEN_BELOW(%r9)
	mov	%eax, FREE(%rdi)
	PART	PART_COMPUTES
	.endm

/* Count the hit of a thread that has counted it here. rdx is lost. */
	.macro	COUNT_HIT
	mov	COST(%rdi), %rdx
	add	%rdx, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	.endm

	.balign	64
counting_text:

/* ---- *from* --------------------------------------------------------------- */

enter:
	SAVE
	FIND_LEG
enter_top:
	mov	LEG_TOP(%r8), %eax
	cmp	%rsi, OPEN + OPEN_FRAME(%rdi,%rax)
	jbe	enter_drop
	cmpl	$0, LEG_OUTSIDE(%r8)
	jne	tell_enter
	mov	FREE(%rdi), %r9d
	test	%r9d, %r9d
	jz	enter_fresh
enter_found:
	mov	OPEN + OPEN_BELOW(%rdi,%r9), %r10d
enter_push:
	lea	OPEN(%rdi,%r9), %r11
	mov	%rsi, OPEN_FRAME(%r11)
	mov	%rdx, OPEN_START(%r11)
	mov	TAKEN(%rdi), %rdx
	add	COST(%rdi), %rdx
	mov	%rdx, OPEN_TAKEN(%r11)
	PART	PART_DONE
	mov	%r10d, FREE(%rdi)
	mov	%eax, OPEN_BELOW(%r11)
	mov	%r9d, LEG_TOP(%r8)
	incq	LEG_ENTERED(%r8)
	mov	%rdx, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	RETURN

/* No activation is free: take one that was never used. If the tool finds the
 * thread here, the activation is lost. */
	PART	PART_COMPUTES
enter_fresh:
	mov	FRESH(%rdi), %r9d
	cmp	$OPEN_END, %r9d
	jae	tell_enter
	lea	OPEN_BYTES(%r9), %r10d
	mov	%r10d, FRESH(%rdi)
	xor	%r10d, %r10d
	jmp	enter_push

enter_drop:
	DROP
	jmp	enter_top

/* ---- *to* ----------------------------------------------------------------- */

	PART	PART_COMPUTES
leave:
	SAVE
	FIND_LEG
leave_top:
	mov	LEG_TOP(%r8), %eax
	lea	OPEN(%rdi,%rax), %r9
	cmp	%rsi, OPEN_FRAME(%r9)
	jb	leave_drop
	jne	leave_other
	mov	OPEN_START(%r9), %rsi
	cmp	SINCE(%rdi), %rsi
	jb	leave_discarded
	/* the duration, in units */
	mov	%rdx, %r10
	sub	%rsi, %r10
	shl	$COST_BITS, %r10
	sub	TAKEN(%rdi), %r10
	add	OPEN_TAKEN(%r9), %r10
	sub	OWN(%rdi), %r10
	sar	$UNIT_SHIFT, %r10
	cmp	MOST(%rdi), %r10
	jge	tell_execution
	mov	LEG_BUCKETS(%r8), %r11d
	test	%r11d, %r11d
	jz	leave_first
leave_count:
	/* the duration in ns, not below 0, and its bucket */
	mov	%r10, %rsi
	imul	SCALE(%rdi), %rsi
	sar	$32, %rsi
	xor	%ecx, %ecx
	test	%rsi, %rsi
	cmovs	%rcx, %rsi
	mov	%esi, %ecx
	or	$1 << BUCKET_BITS, %ecx
	bsr	%ecx, %ecx
	sub	$BUCKET_BITS, %ecx
	mov	%esi, %edx
	shr	%cl, %edx
	shl	$BUCKET_BITS, %ecx
	add	%edx, %ecx
	lea	(%r11,%rcx,4), %rcx
	mov	%esi, %r11d
	cmp	LEG_MIN(%r8), %r11d
	cmova	LEG_MIN(%r8), %r11d
	cmp	LEG_MAX(%r8), %esi
	cmovb	LEG_MAX(%r8), %esi
	mov	%r10, %rdx
	imul	%rdx, %rdx
	PART	PART_DONE
	incl	(%rdi,%rcx)
	add	%r10, LEG_SUM(%r8)
	add	%rdx, LEG_SQUARES(%r8)
	mov	%r11d, LEG_MIN(%r8)
	mov	%esi, LEG_MAX(%r8)
	mov	OPEN_BELOW(%r9), %edx
	mov	%edx, LEG_TOP(%r8)
	mov	FREE(%rdi), %edx
	mov	%edx, OPEN_BELOW(%r9)
	mov	%eax, FREE(%rdi)
	incq	LEG_COUNT(%r8)
	COUNT_HIT
	RETURN

/* The first execution of the leg in this thread: take a set of buckets. If the
 * tool finds the thread here, the set may be lost. */
	PART	PART_COMPUTES
leave_first:
	mov	NEXT_BUCKETS(%rdi), %r11d
	cmp	$SETS_END, %r11d
	jae	tell_execution_again
	lea	SET_BYTES(%r11), %ecx
	mov	%ecx, NEXT_BUCKETS(%rdi)
	movl	$-1, LEG_MIN(%r8)
	mov	%r11d, LEG_BUCKETS(%r8)
	jmp	leave_count

leave_drop:
	DROP
	jmp	leave_top

/* The activation was discarded by the tool, so there is none for this *to*. */
leave_discarded:
	PART	PART_DONE
	mov	OPEN_BELOW(%r9), %edx
	mov	%edx, LEG_TOP(%r8)
	mov	FREE(%rdi), %edx
	mov	%edx, OPEN_BELOW(%r9)
	mov	%eax, FREE(%rdi)
	incq	LEG_IGNORED(%r8)
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
leave_other:
	cmpl	$0, LEG_OUTSIDE(%r8)
	jne	tell_leave
	PART	PART_DONE
	incq	LEG_IGNORED(%r8)
	COUNT_HIT
	RETURN

/* ---- records -------------------------------------------------------------- */

/* Reserve a cell of the ring, and load r11 with its offset in the ring. If the
 * ring is full, the thread waits, and comes back to the label `room`. */
	.macro	RESERVE room, waiting
	mov	$CELL_BYTES, %r11d
	xadd %r11, HEAD(%rdi)
	PART	PART_RESERVES
\room:
	cmp	LIMIT(%rdi), %r11
	jae	\waiting
	and	MASK(%rdi), %r11d
	and	$LAST_CELL, %r11d
	.endm

/* Tell the tool of the execution that ends. r9 is its activation, at eax; rsi
 * is the time-stamp counter at its start. */
	PART	PART_COMPUTES
tell_execution_again:
	mov	OPEN_START(%r9), %rsi
tell_execution:
	mov	TAKEN(%rdi), %r10
	sub	OPEN_TAKEN(%r9), %r10
	shl	$SITE_SHIFT, %ecx
	or	$TOLD, %ecx
	RESERVE	execution_room, execution_wait
	mov	%rdx, CELLS + CELL_TIME(%rdi,%r11)
	mov	%rsi, CELLS + CELL_BASE(%rdi,%r11)
	mov	%r10, CELLS + CELL_VALUE(%rdi,%r11)
	mov	COUNTED(%rdi), %r10d
	shl	$MASK_BITS, %r10d
	mov	%r10d, CELLS + CELL_MASK(%rdi,%r11)
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	mov	OPEN_BELOW(%r9), %edx
	mov	%edx, LEG_TOP(%r8)
	mov	FREE(%rdi), %edx
	mov	%edx, OPEN_BELOW(%r9)
	mov	%eax, FREE(%rdi)
	COUNT_HIT
	RETURN

/* Tell the tool of a *to* whose activation the tool has. */
	PART	PART_COMPUTES
tell_leave:
	mov	$-1, %r9d
	jmp	tell_matched

/* Tell the tool of a *from* whose activation the tool is to have: the leg has
 * such activations already, or there is no room for another one here. */
tell_enter:
	mov	$1, %r9d
tell_matched:
	add	LEG_OUTSIDE(%r8), %r9d
	jmp	tell

/* Tell the tool of a hit that is not on the thread's own stack. (r8 is not
 * the leg: let it lead to memory that nothing uses.) */
tell_hit:
	lea	WAIT_RAX - LEG_OUTSIDE(%rdi), %r8
	xor	%r9d, %r9d

/* Write a record of the hit. Then store r9d as the number of activations that
 * only the tool has. */
tell:
	shr	$32, %rcx
	RESERVE	hit_room, hit_wait
	mov	%rdx, CELLS + CELL_TIME(%rdi,%r11)
	mov	%rsi, CELLS + CELL_BASE(%rdi,%r11)
	mov	COUNTED(%rdi), %r10d
	shl	$MASK_BITS, %r10d
	mov	%r10d, CELLS + CELL_MASK(%rdi,%r11)
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	mov	%r9d, LEG_OUTSIDE(%r8)
	mov	RECORD_COST(%rdi), %rdx
	add	%rdx, TAKEN(%rdi)
	RETURN

/* ---- waiting for room ----------------------------------------------------- */

	PART	PART_RESERVES
execution_wait:
	mov	%rdx, WAIT_RDX(%rdi)
	mov	%rax, WAIT_RAX(%rdi)
	call	wait_for_room
	mov	WAIT_RDX(%rdi), %rdx
	mov	WAIT_RAX(%rdi), %rax
	jmp	execution_room

hit_wait:
	mov	%rdx, WAIT_RDX(%rdi)
	call	wait_for_room
	mov	WAIT_RDX(%rdi), %rdx
	jmp	hit_room

/* The tool makes room and lets the thread go on at `again`. If the tool is
 * gone, the thread goes on behind the int3, and no thread waits for this ring
 * again. */
wait_for_room:
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, STALL_FROM(%rdi)
wait:
	.byte	INT3
	movq	$-1, LIMIT(%rdi)
again:
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, STALL_TO(%rdi)
	ret
counting_end:

	.section .rodata.counting_parts, "a"
counting_parts_end:

	.section .note.GNU-stack, "", @progbits
