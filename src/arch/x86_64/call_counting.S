/*
 * call_counting.S - the code by which threads count calls by themselves
 *
 * Trampolines call this code at the entries, the tail jumps and the returns of
 * the functions of a profile. It works on the call block of the thread
 * (perftool/base/call_block.h), by the rules of profile/call_activations.h,
 * whose C does the same. perftool/counting.h describes how it is called.
 *
 * The tool may find a thread anywhere in this code. It consists of parts, as
 * counting.S does, whose first comment explains them.
 *
 * What seldom happens is left to the tool: a frame that is not on the thread's
 * own stack, an index of arcs that must grow, a stack of activations that is
 * full. The thread then traps at `trap`, and the tool makes the hit.
 *
 * The program may write anything into the block. So no word that is read there
 * leads beyond the block, and no loop goes on for ever: the frame of an
 * activation that has ended is set to one that does not end again.
 *
 * rdi is the thread's block throughout. rsi is the frame, rdx the time-stamp
 * counter, and rcx the argument, until they are not needed. r8 is the innermost
 * activation.
 */
#define PARTS call_parts
#define TEXT call_text
#include "call_counting_offsets.h"
#include "counting_parts.h"

	.section .rodata
	.balign	8

	.globl	call_layout, call_parts, call_text
	.hidden	call_layout, call_parts, call_text

/* The description of the code for C: struct call_layout. */
call_layout:
	.quad	(call_parts_end - call_parts) / 8
	.quad	call_end - call_text
	.quad	call_enter - call_text
	.quad	call_leave - call_text
	.quad	call_jump - call_text
	.quad	call_trap - call_text

	BEGIN_PARTS

/* Load r8 with the innermost activation. rax is lost. */
	.macro	FIND_TOP
	mov	CALLS_TOP(%rdi), %eax
	and	$LAST_OPENED, %eax
	shl	$OPENED_BITS, %eax
	lea	OPENS(%rdi,%rax), %r8
	.endm

/* Go to `skip` if the hit was counted before; it returns or comes back to
 * `counts`. Go to call_untold if the frame in rsi is not on the thread's own
 * stack. Load r8 with the innermost activation. */
	.macro	BEGIN skip, counts
	SAVE
	cmp	%rsi, CALLS_SKIP_FRAME(%rdi)
	je	\skip
\counts:
	mov	%rsi, %rax
	sub	CALLS_STACK_LOW(%rdi), %rax
	cmp	CALLS_STACK_SIZE(%rdi), %rax
	ja	call_untold
	FIND_TOP
	.endm

	.macro	SKIP_CALL counts
	mov	%rcx, %rax
	shr	$32, %rax
	cmp	%eax, CALLS_SKIP_SITE(%rdi)
	jne	\counts
	xor	%eax, %eax
	PART	PART_DONE
	mov	%rax, CALLS_SKIP_FRAME(%rdi)
	PART	PART_COUNTED
	jmp	call_counted
	.endm

	.macro	COUNT_HIT
	mov	CALLS_COST(%rdi), %rdx
	add	%rdx, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	incq	CALLS_HITS(%rdi)
	.endm

/* The activation in r8 ends: load r10 with its elapsed time, r11 with what of it
 * is its own, r9 with its arc, rcx with the address of the depth of its
 * function, and rax with what the arc's `outermost` grows by. */
	.macro	PREPARE_END
	mov	%rdx, %r10
	sub	OPENED_START(%r8), %r10
	shl	$COST_BITS, %r10
	sub	TAKEN(%rdi), %r10
	sub	HELD(%rdi), %r10
	add	OPENED_TAKEN(%r8), %r10
	sub	CALLS_OWN(%rdi), %r10
	sar	$UNIT_SHIFT, %r10
	mov	%r10, %r11
	sub	OPENED_CHILDREN(%r8), %r11
	mov	OPENED_ARC(%r8), %r9d
	and	$LAST_ARC, %r9d
	shl	$ARC_BITS, %r9d
	lea	ARCS(%rdi,%r9), %r9
	mov	OPENED_FUNCTION(%r8), %ecx
	and	$LAST_FUNCTION, %ecx
	lea	DEPTHS(%rdi,%rcx,4), %rcx
	xor	%eax, %eax
	cmpl	$1, (%rcx)
	cmove	%r10, %rax
	.endm

/* A call ends that took long: prepare the record of it, and load rsi with its
 * cell. Go to `full` if the ring has no room. */
	.macro	PREPARE_RECORD full
	push	%rax
	mov	HEAD(%rdi), %rax
	add	$CELL_BYTES, %rax
	cmp	LIMIT(%rdi), %rax
	ja	\full
	sub	$CELL_BYTES, %eax
	and	MASK(%rdi), %eax
	and	$LAST_CELL, %eax
	lea	CELLS(%rdi,%rax), %rsi
	pop	%rax
	mov	%rdx, CELL_TIME(%rsi)
	mov	OPENED_START(%r8), %rdx
	mov	%rdx, CELL_BASE(%rsi)
	mov	OPENED_ARC(%r8), %edx
	cmpl	$1, (%rcx)
	jne	9f
	bts	$OUTERMOST_BIT, %rdx
9:
	mov	%rdx, CELL_VALUE(%rsi)
	mov	COUNTED(%rdi), %edx
	shl	$MASK_BITS, %edx
	mov	%edx, CELL_MASK(%rsi)
	mov	CELL_TIME(%rsi), %rdx
	.endm

/* Only the thread itself adds to `head`. */
	.macro	WRITE_RECORD
	addq	$CELL_BYTES, HEAD(%rdi)
	movl	$TOLD_CALL, CELL_SITE(%rsi)
	.endm

/* If the thread dies in between, the tool ends what is open. So the activation
 * is no longer open before its call counts, and no call counts twice. */
	.macro	END_CALL
	addl	$-1, CALLS_TOP(%rdi)
	incq	ARC_COUNT(%r9)
	add	%r10, ARC_ELAPSED(%r9)
	add	%r11, ARC_SELF(%r9)
	add	%rax, ARC_OUTERMOST(%r9)
	add	%r10, OPENED_CHILDREN - OPENED_BYTES(%r8)
	addl	$-1, (%rcx)
	.endm

	.balign	64
call_text:

/* ---- entries --------------------------------------------------------------- */

call_enter:
	BEGIN	enter_skip, enter_counts
	mov	%ecx, %r10d
enter_top:
	cmp	%rsi, OPENED_FRAME(%r8)
	jbe	enter_gone
	mov	-8(%rsi), %r9
/* r8 is the activation of the caller, r9 the call site, and r10 the function.
 * Find the arc. */
enter_find:
	mov	OPENED_FUNCTION(%r8), %r11d
	mov	%r10, %rcx
	shl	$32, %rcx
	mov	%r11, %rax
	shl	$44, %rax
	or	%rcx, %r11
	xor	%rcx, %rax
	xor	%r9, %rax
	movabs	$HASH_FACTOR, %rcx
	imul	%rcx, %rax
	mov	CALLS_INDEX_SHIFT(%rdi), %ecx
	shr	%cl, %rax
	and	$LAST_SLOT, %eax
	mov	INDEX(%rdi,%rax,4), %ecx
	and	$LAST_ARC, %ecx
	jz	enter_new
	shl	$ARC_BITS, %ecx
	cmp	%r9, ARCS + ARC_SITE(%rdi,%rcx)
	jne	enter_other
	cmp	%r11, ARCS + ARC_CALLER(%rdi,%rcx)
	jne	enter_other
enter_found:
	shr	$ARC_BITS, %ecx
enter_push:
	mov	CALLS_TOP(%rdi), %eax
	and	$LAST_OPENED, %eax
	inc	%eax
	cmp	$LAST_OPENED, %eax
	ja	call_untold
	mov	%rsi, OPENED_BYTES + OPENED_FRAME(%r8)
	mov	%r10d, OPENED_BYTES + OPENED_FUNCTION(%r8)
	mov	%ecx, OPENED_BYTES + OPENED_ARC(%r8)
	mov	%rdx, OPENED_BYTES + OPENED_START(%r8)
	mov	TAKEN(%rdi), %rdx
	add	CALLS_COST(%rdi), %rdx
	mov	HELD(%rdi), %rcx
	add	%rdx, %rcx
	mov	%rcx, OPENED_BYTES + OPENED_TAKEN(%r8)
	movq	$0, OPENED_BYTES + OPENED_CHILDREN(%r8)
	mov	$NO_FUNCTION, %r9d
	mov	%r9d, OPENED_BYTES + OPENED_COMING(%r8)
	mov	OPENED_COMING(%r8), %r11d
	cmp	%rsi, OPENED_FRAME(%r8)
	cmove	%r9d, %r11d
	PART	PART_DONE
	mov	%r11d, OPENED_COMING(%r8)
	mov	%eax, CALLS_TOP(%rdi)
	incl	DEPTHS(%rdi,%r10,4)
	mov	%rdx, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	incq	CALLS_HITS(%rdi)
	RETURN

/* The innermost activation is not that of a caller that called by `call`. A tail
 * jump has led to the function if the frame is the same and the jump was
 * announced. Otherwise the frame of that activation has gone. */
	PART	PART_COMPUTES
enter_gone:
	jb	enter_drop
	xor	%r9d, %r9d
	cmp	%r10d, OPENED_COMING(%r8)
	je	enter_find
	cmpl	$ANY_FUNCTION, OPENED_COMING(%r8)
	je	enter_find
enter_drop:
	call	drop
	jmp	enter_top

/* The slot at eax has another arc: look at the next ones. Slots behind the last
 * one are those at the beginning. Load r8 with how many of them are looked at;
 * the activation is found again afterwards. */
enter_other:
	push	%rdx
	push	%r8
	mov	CALLS_INDEX_SHIFT(%rdi), %ecx
	mov	$-1, %rdx
	shr	%cl, %rdx
	mov	$MOST_PROBES, %r8d
enter_next:
	inc	%eax
	and	%edx, %eax
	and	$LAST_SLOT, %eax
	mov	INDEX(%rdi,%rax,4), %ecx
	and	$LAST_ARC, %ecx
	jz	enter_stop
	shl	$ARC_BITS, %ecx
	cmp	%r9, ARCS + ARC_SITE(%rdi,%rcx)
	jne	enter_more
	cmp	%r11, ARCS + ARC_CALLER(%rdi,%rcx)
	je	enter_stop
enter_more:
	dec	%r8d
	jnz	enter_next
	pop	%r8
	pop	%rdx
	jmp	call_untold
enter_stop:
	pop	%r8
	pop	%rdx
	test	%ecx, %ecx
	jnz	enter_found

/* The arc is not there, and the slot at eax is free. If there is no room for
 * another arc, the call counts in the first one. */
enter_new:
	push	%rax
	mov	CALLS_ARC_COUNT(%rdi), %eax
	mov	$63, %ecx
	sub	CALLS_INDEX_SHIFT(%rdi), %ecx
	shr	%cl, %eax
	test	%eax, %eax
	pop	%rax
	jz	enter_arc
	mov	CALLS_INDEX_SHIFT(%rdi), %ecx
	cmp	CALLS_LAST_SHIFT(%rdi), %ecx
	ja	call_untold
	xor	%ecx, %ecx
	cmpl	$LAST_ARC, CALLS_ARC_COUNT(%rdi)
	ja	enter_push
enter_arc:
	push	%rdx
	mov	CALLS_ARC_COUNT(%rdi), %ecx
	and	$LAST_ARC, %ecx
	lea	1(%rcx), %edx
	shl	$ARC_BITS, %rcx
	lea	ARCS(%rdi,%rcx), %rcx
	mov	%r9, ARC_SITE(%rcx)
	mov	%r11, ARC_CALLER(%rcx)
	lea	INDEX(%rdi,%rax,4), %rax
	lea	-1(%rdx), %ecx
	PART	PART_AGAIN
	mov	%edx, CALLS_ARC_COUNT(%rdi)
	mov	%ecx, (%rax)
	PART	PART_COMPUTES
	pop	%rdx
	jmp	enter_push

/* Load rdx with what is seldom of the arc of the activation in r8. */
	.macro	FIND_COLD
	mov	OPENED_ARC(%r8), %edx
	and	$LAST_ARC, %edx
	shl	$COLD_BITS, %edx
	lea	COLD(%rdi,%rdx), %rdx
	.endm

/* ---- gone frames ----------------------------------------------------------- */

/* The activation in r8 ends without a return. Load r8 with the next one. r10, rcx
 * and rdx are kept. */
drop:
	push	%r10
	push	%rcx
	push	%rdx
	PREPARE_END
	cmp	CALLS_MOST(%rdi), %r10
	jge	drop_tell
	FIND_COLD
	PART	PART_AGAIN
	incq	COLD_UNRETURNED(%rdx)
	END_CALL
	movq	$-1, OPENED_FRAME(%r8)
	PART	PART_COMPUTES
drop_end:
	FIND_TOP
	pop	%rdx
	pop	%rcx
	pop	%r10
	ret

drop_tell:
	push	%rsi
	PREPARE_RECORD drop_full
	FIND_COLD
	PART	PART_AGAIN
	WRITE_RECORD
	incq	COLD_UNRETURNED(%rdx)
	END_CALL
	movq	$-1, OPENED_FRAME(%r8)
	PART	PART_COMPUTES
	pop	%rsi
	jmp	drop_end

drop_full:
	lea	6 * 8(%rsp), %rsp
	jmp	call_untold

/* ---- returns --------------------------------------------------------------- */

call_leave:
	BEGIN	leave_skip, leave_counts
leave_top:
	cmp	%rsi, OPENED_FRAME(%r8)
	jb	leave_drop
	jne	leave_none
	PREPARE_END
	cmp	CALLS_MOST(%rdi), %r10
	jge	leave_tell
	cmp	%rsi, OPENED_FRAME - OPENED_BYTES(%r8)
	je	leave_more
	PART	PART_DONE
	END_CALL
	COUNT_HIT
call_counted:
	RETURN

/* The activation below was left by a tail jump, and ends with the same
 * return. */
	PART	PART_COMPUTES
leave_more:
	PART	PART_AGAIN
	END_CALL
	movq	$-1, OPENED_FRAME(%r8)
	PART	PART_COMPUTES
	FIND_TOP
	jmp	leave_top

leave_drop:
	call	drop
	jmp	leave_top

leave_tell:
	push	%rsi
	PREPARE_RECORD leave_full
	push	%rax
	mov	8(%rsp), %rax
	cmp	%rax, OPENED_FRAME - OPENED_BYTES(%r8)
	pop	%rax
	je	leave_tell_more
	lea	8(%rsp), %rsp
	PART	PART_DONE
	WRITE_RECORD
	END_CALL
	COUNT_HIT
	PART	PART_COUNTED
	jmp	call_counted

	PART	PART_COMPUTES
leave_tell_more:
	PART	PART_AGAIN
	WRITE_RECORD
	END_CALL
	movq	$-1, OPENED_FRAME(%r8)
	PART	PART_COMPUTES
	pop	%rsi
	FIND_TOP
	jmp	leave_top

leave_full:
	lea	2 * 8(%rsp), %rsp
	jmp	call_untold

leave_none:
	PART	PART_DONE
	incq	CALLS_IGNORED(%rdi)
	COUNT_HIT
	PART	PART_COUNTED
	jmp	call_counted

/* ---- tail jumps ------------------------------------------------------------ */

	PART	PART_COMPUTES
call_jump:
	BEGIN	jump_skip, jump_counts
	mov	%ecx, %r10d
jump_top:
	cmp	%rsi, OPENED_FRAME(%r8)
	jb	jump_drop
	jne	jump_none
	PART	PART_DONE
	mov	%r10d, OPENED_COMING(%r8)
	COUNT_HIT
	PART	PART_COUNTED
	jmp	call_counted

	PART	PART_COMPUTES
jump_drop:
	call	drop
	jmp	jump_top

jump_none:
	PART	PART_DONE
	COUNT_HIT
	PART	PART_COUNTED
	jmp	call_counted

/* ---- hits that were counted before ----------------------------------------- */

	PART	PART_COMPUTES
enter_skip:
	SKIP_CALL enter_counts
	PART	PART_COMPUTES
leave_skip:
	SKIP_CALL leave_counts
	PART	PART_COMPUTES
jump_skip:
	SKIP_CALL jump_counts

/* ---- hits that the tool makes ---------------------------------------------- */

/* The tool makes the hit, and the thread goes on behind the site. If the tool is
 * gone, the thread goes on behind the int3. */
	PART	PART_COMPUTES
call_untold:
	TRAP_STACK
call_trap:
	.byte	INT3
	mov	%rdx, %rsp
	RETURN	PART_COMPUTES
call_end:

	END_PARTS call_parts_end

	.section .note.GNU-stack, "", @progbits
