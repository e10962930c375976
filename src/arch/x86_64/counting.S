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
 * The program may write anything into the block. So no word that is read there
 * leads beyond the block, and no loop goes on for ever: an activation that is
 * dropped gets a frame that is never dropped again.
 *
 * rdi is the block throughout. r8 is the leg. rsi is the frame, rdx the
 * time-stamp counter, and rcx the argument, until they are not needed.
 */
#define PARTS counting_parts
#define TEXT counting_text
#include "counting_parts.h"

	.section .rodata
	.balign	8

	.globl	counting_layout, counting_parts, counting_text
	.hidden	counting_layout, counting_parts, counting_text

/* The description of the code for C: struct counting_layout. */
counting_layout:
	.quad	(counting_parts_end - counting_parts) / 8
	.quad	counting_end - counting_text
	.quad	enter - counting_text
	.quad	enter_again - counting_text
	.quad	enter_and_go - counting_text
	.quad	leave - counting_text
	.quad	follow - counting_text
	.quad	arrive - counting_text
	.quad	jump - counting_text
	.quad	come - counting_text
	.quad	end - counting_text
	.quad	order_from - counting_text
	.quad	order_to - counting_text
	.quad	order_both - counting_text
	.quad	wait - counting_text
	.quad	again - counting_text

	BEGIN_PARTS

/* Go to `elsewhere` if the frame in rsi is not on the thread's own stack. */
	.macro	CHECK_STACK elsewhere
	mov	%rsi, %rax
	sub	STACK_LOW(%rdi), %rax
	cmp	STACK_SIZE(%rdi), %rax
	ja	\elsewhere
	.endm

/* If the hit was counted before, go to `skip`, which returns or comes back to
 * `counts`. */
	.macro	CHECK_SKIP skip, counts
	cmp	%rsi, SKIP_FRAME(%rdi)
	je	\skip
\counts:
	.endm

	.macro	SKIP counts
	PART	PART_COMPUTES
	mov	%rcx, %rax
	shr	$32, %rax
	cmp	%eax, SKIP_SITE(%rdi)
	jne	\counts
	xor	%eax, %eax
	PART	PART_DONE
	mov	%rax, SKIP_FRAME(%rdi)
	PART	PART_COUNTED
	jmp	return_counted
	.endm

/* If the trampoline has not read the time-stamp counter, read it now into
 * rdx. */
	.macro	NEED_TIME
	test	%rdx, %rdx
	jnz	9f
	push	%rax
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rax, %rdx
	pop	%rax
9:
	.endm

/* Load r8 with the leg whose number is in r8. */
	.macro	FIND_LEG
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
	movq	$-1, OPEN_FRAME(%r9)
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
	CHECK_SKIP enter_skip, enter_counts
	CHECK_STACK tell_hit
	mov	%ecx, %r8d
	FIND_LEG
enter_top:
	mov	LEG_TOP(%r8), %eax
	and	$LAST_OPEN, %eax
	cmp	%rsi, OPEN + OPEN_FRAME(%rdi,%rax)
	jbe	enter_drop
	cmpl	$0, LEG_OUTSIDE(%r8)
	jne	tell_enter
	mov	FREE(%rdi), %r9d
	and	$LAST_OPEN, %r9d
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
	movl	$0, OPEN_BACK(%r11)
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

/* Find the activation that ends with the frame in rsi. Load r9 with it, eax with
 * its offset and rsi with the time of its start. Go to `other` if there is none,
 * to `discarded` if the tool has discarded it, and to `drop` if the innermost
 * activation is unwound. */
	.macro	FIND_OPEN drop, other, discarded
	mov	LEG_TOP(%r8), %eax
	and	$LAST_OPEN, %eax
	lea	OPEN(%rdi,%rax), %r9
	cmp	%rsi, OPEN_FRAME(%r9)
	jb	\drop
	jne	\other
	mov	OPEN_START(%r9), %rsi
	cmp	SINCE(%rdi), %rsi
	jb	\discarded
	.endm

/* Load r10 with the duration in units, and r11 with the leg's buckets. Go to
 * `tell` if the execution is to be told, and to `first` if the leg has no
 * buckets yet. */
	.macro	FIND_DURATION tell, first
	mov	%rdx, %r10
	sub	%rsi, %r10
	shl	$COST_BITS, %r10
	sub	TAKEN(%rdi), %r10
	add	OPEN_TAKEN(%r9), %r10
	sub	OWN(%rdi), %r10
	sar	$UNIT_SHIFT, %r10
	cmp	MOST(%rdi), %r10
	jge	\tell
	mov	LEG_BUCKETS(%r8), %r11d
	test	%r11d, %r11d
	jz	\first
	cmp	$SETS_END - SET_BYTES, %r11d
	ja	\tell
	.endm

/* From the duration in r10: load rcx with the offset of the bucket, r11d and esi
 * with the new smallest and largest duration, and rdx with the square. */
	.macro	PREPARE_SUMS
	/* the duration in ns, not below 0 */
	mov	%r10, %rsi
	imul	SCALE(%rdi), %rsi
	sar	$32, %rsi
	xor	%ecx, %ecx
	test	%rsi, %rsi
	cmovs	%rcx, %rsi
	/* the bucket */
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
	.endm

	.macro	ADD_SUMS
	incl	(%rdi,%rcx)
	add	%r10, LEG_SUM(%r8)
	add	%rdx, LEG_SQUARES(%r8)
	mov	%r11d, LEG_MIN(%r8)
	mov	%esi, LEG_MAX(%r8)
	.endm

/* Close the activation at eax. edx is lost. */
	.macro	CLOSE
	mov	OPEN + OPEN_BELOW(%rdi,%rax), %edx
	mov	%edx, LEG_TOP(%r8)
	mov	FREE(%rdi), %edx
	mov	%edx, OPEN + OPEN_BELOW(%rdi,%rax)
	mov	%eax, FREE(%rdi)
	.endm

/* The first execution of the leg in this thread: take a set of buckets, or go to
 * `tell` if there is none. If the tool finds the thread here, the set may be
 * lost. */
	.macro	TAKE_BUCKETS tell
	mov	NEXT_BUCKETS(%rdi), %r11d
	cmp	$SETS_END, %r11d
	jae	\tell
	lea	SET_BYTES(%r11), %ecx
	mov	%ecx, NEXT_BUCKETS(%rdi)
	movl	$-1, LEG_MIN(%r8)
	mov	%r11d, LEG_BUCKETS(%r8)
	.endm

	PART	PART_COMPUTES
leave:
	SAVE
	CHECK_SKIP leave_skip, leave_counts
	CHECK_STACK tell_hit
	mov	%ecx, %r8d
	FIND_LEG
leave_top:
	FIND_OPEN leave_drop, leave_other, leave_discarded
	FIND_DURATION tell_execution, leave_first
leave_count:
	PREPARE_SUMS
	PART	PART_DONE
	ADD_SUMS
	CLOSE
	incq	LEG_COUNT(%r8)
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
leave_first:
	TAKE_BUCKETS tell_execution
	jmp	leave_count

leave_drop:
	DROP
	jmp	leave_top

/* The activation was discarded by the tool, so there is none for this *to*. */
leave_discarded:
	PART	PART_DONE
	CLOSE
	incl	LEG_IGNORED(%r8)
	COUNT_HIT
return_counted:
	RETURN

	PART	PART_COMPUTES
leave_other:
	cmpl	$0, LEG_OUTSIDE(%r8)
	jne	tell_leave
	PART	PART_DONE
	incl	LEG_IGNORED(%r8)
	COUNT_HIT
	PART	PART_COUNTED
	jmp	return_counted

/* ---- tail jumps -------------------------------------------------------- */

/* Load r9 with the last frame that was left, and eax with its offset. Go to
 * `other` if there is none, or if it is shallower than the frame in rsi; and to
 * `gone` if it has gone without a return: it is deeper, or was made by another
 * call. */
	.macro	FIND_OUT other, gone
	mov	OUT_TOP(%rdi), %eax
	and	$LAST_OUT, %eax
	jz	\other
	lea	OUT(%rdi,%rax), %r9
	cmp	%rsi, OUT_FRAME(%r9)
	ja	\other
	jb	\gone
	mov	-8(%rsi), %r10
	cmp	%r10, OUT_CALLER(%r9)
	jne	\gone
	.endm

/* FIND_OUT has found the frame in rsi. If the function of the leg in ecx has
 * left this frame, load r9 with the element of that leg and go to `found`. */
	.macro	FIND_LEFT found
.Lsame\@:
	cmp	%ecx, OUT_LEG(%r9)
	je	\found
	sub	$OUT_BYTES, %r9
	cmp	%rsi, OUT_FRAME(%r9)
	je	.Lsame\@
	.endm

/* Remove the last frame that was left. */
	.macro	POP_OUT
	addl	$-OUT_BYTES, OUT_TOP(%rdi)
	.endm

/* The function of the leg was called: if it has left the same frame before, that
 * frame has gone without a return. */
	PART	PART_COMPUTES
arrive:
	SAVE
	cmpl	$0, OUT_TOP(%rdi)
	je	arrive_return
	CHECK_STACK arrive_return
arrive_top:
	FIND_OUT arrive_return, arrive_gone
	FIND_LEFT arrive_found
arrive_return:
	RETURN	PART_COMPUTES

arrive_found:
	PART	PART_AGAIN
	movl	$NO_LEG, OUT_LEG(%r9)
	PART	PART_COMPUTES
	jmp	arrive_return

arrive_gone:
	PART	PART_AGAIN
	POP_OUT
	PART	PART_COMPUTES
	jmp	arrive_top

jump:
	SAVE
	CHECK_STACK jump_return
jump_top:
	FIND_OUT jump_push, jump_gone
	FIND_LEFT jump_found
jump_push:
	cmp	$OUT_END - OUT_BYTES, %eax
	jae	jump_return
	mov	%rsi, OUT + OUT_BYTES + OUT_FRAME(%rdi,%rax)
	mov	-8(%rsi), %r10
	mov	%r10, OUT + OUT_BYTES + OUT_CALLER(%rdi,%rax)
	mov	%ecx, OUT + OUT_BYTES + OUT_LEG(%rdi,%rax)
	movl	$LEFT_OUT, OUT + OUT_BYTES + OUT_STATE(%rdi,%rax)
	movl	$0, OUT + OUT_BYTES + OUT_BACKS(%rdi,%rax)
	PART	PART_AGAIN
	addl	$OUT_BYTES, OUT_TOP(%rdi)
jump_return:
	RETURN	PART_COMPUTES

/* Load r10d with how often the function has come back to the frame in r9, if it
 * comes back and leaves it once more. */
	.macro	COUNT_BACK
	mov	OUT_BACKS(%r9), %r10d
	cmp	$MOST_BACK - 1, %r10d
	adc	$0, %r10d
	.endm

/* The function has left this frame before. If it had come back, it leaves the
 * frame once more. If not, the hit was made before and is made again, or a
 * function begins with this jump: enter_and_go notes that it comes back. */
jump_found:
	cmpl	$LEFT_IN, OUT_STATE(%r9)
	jne	jump_return
	COUNT_BACK
	PART	PART_AGAIN
	movl	$LEFT_OUT, OUT_STATE(%r9)
	mov	%r10d, OUT_BACKS(%r9)
	PART	PART_COMPUTES
	jmp	jump_return

jump_gone:
	PART	PART_AGAIN
	POP_OUT
	PART	PART_COMPUTES
	jmp	jump_top

/* A tail jump is about to lead to the function of the leg: if that function has
 * left this frame, it comes back. */
come:
	SAVE
	cmpl	$0, OUT_TOP(%rdi)
	je	arrive_return
	CHECK_STACK arrive_return
come_top:
	FIND_OUT arrive_return, come_gone
	FIND_LEFT come_found
	jmp	arrive_return

come_found:
	cmpl	$LEFT_OUT, OUT_STATE(%r9)
	jne	arrive_return
	PART	PART_AGAIN
	movl	$LEFT_COMING, OUT_STATE(%r9)
	PART	PART_COMPUTES
	jmp	arrive_return

come_gone:
	PART	PART_AGAIN
	POP_OUT
	PART	PART_COMPUTES
	jmp	come_top

/* The function of the leg is entered, by a call or by a tail jump that brings it
 * back to a frame which it has left. If it is back, a further activation is
 * opened in that frame. Otherwise this is what `arrive` and `enter` do.
 * (AGAIN_STATE is LEFT_OUT if the function begins with a tail jump, which was
 * noted already.) */
	PART	PART_SAVES
enter_and_go:
	movl	$LEFT_OUT, AGAIN_STATE(%rdi)
	jmp	again_start
enter_again:
	movl	$LEFT_IN, AGAIN_STATE(%rdi)
again_start:
	SAVE
	CHECK_SKIP again_skip, again_counts
	CHECK_STACK tell_hit
	mov	%ecx, %r8d
	FIND_LEG
again_top:
	FIND_OUT enter_top, again_gone
	FIND_LEFT again_found
	jmp	enter_top

again_found:
	cmpl	$LEFT_COMING, OUT_STATE(%r9)
	je	again_back
	cmpl	$LEFT_OUT, AGAIN_STATE(%rdi)
	je	again_first
	PART	PART_AGAIN
	movl	$NO_LEG, OUT_LEG(%r9)
	PART	PART_COMPUTES
	jmp	enter_top

/* The jump with which the function begins is the first out of a new frame. */
again_first:
	PART	PART_AGAIN
	movl	$0, OUT_BACKS(%r9)
	PART	PART_COMPUTES
	jmp	enter_top

again_gone:
	PART	PART_AGAIN
	POP_OUT
	PART	PART_COMPUTES
	jmp	again_top

/* Deeper activations are unwound. Those of this frame are not, unless the tool
 * has discarded them. */
again_drop:
	DROP
	jmp	again_top

/* The function has come back to the frame in r9. esi is lost. */
	.macro	SET_STATE
	mov	AGAIN_STATE(%rdi), %esi
	mov	%esi, OUT_STATE(%r9)
	mov	AGAIN_BACKS(%rdi), %esi
	mov	%esi, OUT_BACKS(%r9)
	.endm

/* r9 is the element of the frame; let r10d be how often the function has come
 * back to the frame. */
again_back:
	mov	OUT_BACKS(%r9), %r10d
	cmpl	$LEFT_OUT, AGAIN_STATE(%rdi)
	jne	again_in
	COUNT_BACK
again_in:
	mov	%r10d, AGAIN_BACKS(%rdi)
	mov	LEG_TOP(%r8), %eax
	and	$LAST_OPEN, %eax
	cmp	%rsi, OPEN + OPEN_FRAME(%rdi,%rax)
	jb	again_drop
	mov	$0, %r10d
	jne	again_open
	mov	OPEN + OPEN_START(%rdi,%rax), %r11
	cmp	SINCE(%rdi), %r11
	jb	again_drop
	mov	OPEN + OPEN_BACK(%rdi,%rax), %r10d
	inc	%r10d
	cmp	$MOST_BACK, %r10d
	jae	again_ignored
again_open:
	cmpl	$0, LEG_OUTSIDE(%r8)
	jne	tell_enter
	mov	FREE(%rdi), %r11d
	and	$LAST_OPEN, %r11d
	jz	again_fresh
again_push:
	lea	OPEN(%rdi,%r11), %rcx
	mov	%rsi, OPEN_FRAME(%rcx)
	mov	%rdx, OPEN_START(%rcx)
	mov	%r10d, OPEN_BACK(%rcx)
	mov	TAKEN(%rdi), %rdx
	add	COST(%rdi), %rdx
	mov	%rdx, OPEN_TAKEN(%rcx)
	mov	OPEN_BELOW(%rcx), %r10d
	PART	PART_DONE
	mov	%r10d, FREE(%rdi)
	mov	%eax, OPEN_BELOW(%rcx)
	mov	%r11d, LEG_TOP(%r8)
	SET_STATE
	incq	LEG_ENTERED(%r8)
	mov	%rdx, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	RETURN

/* As at enter_fresh. */
	PART	PART_COMPUTES
again_fresh:
	mov	FRESH(%rdi), %r11d
	cmp	$OPEN_END, %r11d
	jae	tell_enter
	movl	$0, OPEN + OPEN_BELOW(%rdi,%r11)
	addl	$OPEN_BYTES, FRESH(%rdi)
	jmp	again_push

/* The frame has as many activations as one may have. */
again_ignored:
	PART	PART_DONE
	SET_STATE
	incl	LEG_IGNORED_FROM(%r8)
	COUNT_HIT
	PART	PART_COUNTED
	jmp	return_counted

/* `end` closes one execution at a time. Load r9 with the address of what becomes
 * smaller when it does, and END_STEP with how much this is added to: the element
 * counts how many more executions end, and is removed with the last one. */
	.macro	FIND_STEP
	movl	$-1, END_STEP(%rdi)
	mov	OUT_TOP(%rdi), %r9d
	and	$LAST_OUT, %r9d
	lea	OUT + OUT_BACKS(%rdi,%r9), %r9
	cmpl	$0, (%r9)
	jne	9f
	movl	$-OUT_BYTES, END_STEP(%rdi)
	lea	OUT_TOP(%rdi), %r9
9:
	.endm

/* ecx is lost. */
	.macro	STEP
	mov	END_STEP(%rdi), %ecx
	add	%ecx, (%r9)
	.endm

/*
 * Close the executions whose functions have left the frame that ends here. If
 * the function that returns has left the same frame before and has come back,
 * all its executions but the last one are closed, and the last one is left to
 * `leave`. If it has not come back, it was called once more, and the frame that
 * it had left has gone. So has that of a function that had come back and is not
 * the one that returns. (A function that comes is one whose *from* only the tool
 * knows.)
 */
	PART	PART_COMPUTES
end:
	SAVE
	cmpl	$0, OUT_TOP(%rdi)
	je	end_return
	CHECK_STACK end_return
	mov	%rsi, END_RSI(%rdi)
	mov	%rdx, END_RDX(%rdi)
	mov	%rcx, END_RCX(%rdi)
end_top:
	FIND_OUT end_return, end_pop
	mov	OUT_LEG(%r9), %r8d
	cmp	%ecx, %r8d
	je	end_own
	cmpl	$LEFT_IN, OUT_STATE(%r9)
	je	end_pop
end_ends:
	cmp	$MOST_LEGS, %r8d
	ja	end_pop
	cmpl	$MOST_BACK, OUT_BACKS(%r9)
	jae	end_pop
	FIND_LEG
	NEED_TIME
	mov	%rdx, END_RDX(%rdi)
end_open:
	FIND_OPEN end_drop, end_other, end_discarded
	FIND_DURATION end_tell, end_first
end_count:
	PREPARE_SUMS
	FIND_STEP
	PART	PART_AGAIN
	ADD_SUMS
	CLOSE
	incq	LEG_COUNT(%r8)
	STEP
	PART	PART_COMPUTES
end_next:
	mov	END_RSI(%rdi), %rsi
	mov	END_RDX(%rdi), %rdx
	mov	END_RCX(%rdi), %rcx
	jmp	end_top
end_return:
	RETURN	PART_COMPUTES

end_own:
	cmpl	$LEFT_OUT, OUT_STATE(%r9)
	jne	end_ends

end_pop:
	PART	PART_AGAIN
	POP_OUT
	PART	PART_COMPUTES
	jmp	end_top

end_first:
	TAKE_BUCKETS end_tell
	jmp	end_count

end_drop:
	DROP
	jmp	end_open

end_discarded:
	FIND_STEP
	PART	PART_AGAIN
	CLOSE
	incl	LEG_IGNORED(%r8)
	STEP
	PART	PART_COMPUTES
	jmp	end_next

end_other:
	FIND_STEP
	PART	PART_AGAIN
	incl	LEG_IGNORED(%r8)
	STEP
	PART	PART_COMPUTES
	jmp	end_next

follow:
	SAVE
	CHECK_SKIP follow_skip, follow_counts
	CHECK_STACK tell_hit
	mov	FOLLOW_COST(%rdi), %rdx
	PART	PART_DONE
	incq	FOLLOWED(%rdi)
	add	%rdx, TAKEN(%rdi)
	RETURN

/* ---- legs that match by order ------------------------------------------ */

/* Load r8 with the leg whose number is in the low bits of ecx, and r9 with its
 * activation. */
	.macro	FIND_IN_ORDER
	mov	%ecx, %r8d
	and	$MOST_LEGS, %r8d
	mov	%r8d, %r9d
	shl	$ORDER_BITS, %r9d
	lea	ORDER(%rdi,%r9), %r9
	FIND_LEG
	.endm

/* The activation in r9 of the leg in r8 is open, and the leg begins once more.
 * If that is on another stack, note it. The frame of the activation becomes that
 * of the hit then, so that a hit that is made again does not note it again. rax
 * is lost. */
	.macro	CHECK_MIXED
	mov	%rsi, %rax
	sub	OPEN_FRAME(%r9), %rax
	add	$ONE_STACK, %rax
	cmp	$2 * ONE_STACK, %rax
	jbe	9f
	CHECK_STACK 7f
	mov	OPEN_FRAME(%r9), %rax
	sub	STACK_LOW(%rdi), %rax
	cmp	STACK_SIZE(%rdi), %rax
	jbe	9f
7:
	PART	PART_AGAIN
	mov	%rsi, OPEN_FRAME(%r9)
	incl	LEG_UNWOUND(%r8)
	PART	PART_COMPUTES
9:
	.endm

	PART	PART_COMPUTES
order_from:
	SAVE
	CHECK_SKIP order_from_skip, order_from_counts
	FIND_IN_ORDER
	mov	TAKEN(%rdi), %r10
	add	COST(%rdi), %r10
	mov	OPEN_START(%r9), %rax
	cmp	SINCE(%rdi), %rax
	jae	order_from_open
	PART	PART_DONE
	mov	%rsi, OPEN_FRAME(%r9)
	mov	%rdx, OPEN_START(%r9)
	mov	%r10, OPEN_TAKEN(%r9)
	incq	LEG_ENTERED(%r8)
	mov	%r10, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	RETURN

	PART	PART_COMPUTES
order_from_open:
	CHECK_MIXED
	test	$KEEPS, %ecx
	jnz	order_from_keeps
	PART	PART_DONE
	mov	%rsi, OPEN_FRAME(%r9)
	mov	%rdx, OPEN_START(%r9)
	mov	%r10, OPEN_TAKEN(%r9)
	incl	LEG_IGNORED_FROM(%r8)
	mov	%r10, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	PART	PART_COUNTED
	jmp	return_counted

	PART	PART_COMPUTES
order_from_keeps:
	PART	PART_DONE
	incl	LEG_IGNORED_FROM(%r8)
	mov	%r10, TAKEN(%rdi)
	incq	COUNTED(%rdi)
	PART	PART_COUNTED
	jmp	return_counted

/* Load rsi with the time of the start of the activation in r9. Go to `other` if
 * it is not open. */
	.macro	FIND_START other
	mov	OPEN_START(%r9), %rsi
	cmp	SINCE(%rdi), %rsi
	jb	\other
	.endm

	PART	PART_COMPUTES
order_to:
	SAVE
	CHECK_SKIP order_to_skip, order_to_counts
	FIND_IN_ORDER
	FIND_START order_to_ignored
	FIND_DURATION order_to_tell, order_to_first
order_to_count:
	PREPARE_SUMS
	PART	PART_DONE
	ADD_SUMS
	movq	$0, OPEN_START(%r9)
	incq	LEG_COUNT(%r8)
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
order_to_first:
	TAKE_BUCKETS order_to_tell
	jmp	order_to_count

order_to_ignored:
	PART	PART_DONE
	incl	LEG_IGNORED(%r8)
	COUNT_HIT
	PART	PART_COUNTED
	jmp	return_counted

/* Find out what the hit will store when it opens an activation of the next leg,
 * whose number is in ecx, too. If that is the leg in r8, its activation in r9
 * will have been closed before. If it is another leg, and open, go to `open`,
 * which comes back to `prepared`. r10 is the start of its activation then, r11 is
 * the activation. */
	.macro	PREPARE_NEXT open, prepared
	mov	%ecx, %r10d
	shr	$NEXT_SHIFT, %r10d
	and	$MOST_LEGS, %r10d
	mov	%r10d, %r11d
	shl	$LEG_BITS, %r10
	shl	$ORDER_BITS, %r11
	lea	LEGS(%rdi,%r10), %r10
	lea	ORDER(%rdi,%r11), %r11
	mov	%r10, NEXT_LEG(%rdi)
	mov	%r11, NEXT_OPEN(%rdi)
	mov	%rsi, NEXT_FRAME(%rdi)
	mov	%rdx, NEXT_START(%rdi)
	mov	TAKEN(%rdi), %r10
	add	COST(%rdi), %r10
	mov	%r10, NEXT_TAKEN(%rdi)
	movl	$1, NEXT_ENTERED(%rdi)
	movl	$0, NEXT_IGNORED_FROM(%rdi)
	cmp	%r9, %r11
	je	\prepared
	mov	OPEN_START(%r11), %r10
	cmp	SINCE(%rdi), %r10
	jae	\open
\prepared:
	.endm

/* Open the next leg. r8 to r10 are lost. */
	.macro	OPEN_NEXT
	mov	NEXT_LEG(%rdi), %r8
	mov	NEXT_OPEN(%rdi), %r9
	mov	NEXT_FRAME(%rdi), %r10
	mov	%r10, OPEN_FRAME(%r9)
	mov	NEXT_START(%rdi), %r10
	mov	%r10, OPEN_START(%r9)
	mov	NEXT_TAKEN(%rdi), %r10
	mov	%r10, OPEN_TAKEN(%r9)
	mov	NEXT_ENTERED(%rdi), %r10d
	add	%r10, LEG_ENTERED(%r8)
	mov	NEXT_IGNORED_FROM(%rdi), %r10d
	add	%r10d, LEG_IGNORED_FROM(%r8)
	.endm

	PART	PART_COMPUTES
order_both:
	SAVE
	CHECK_SKIP order_both_skip, order_both_counts
	FIND_IN_ORDER
	PREPARE_NEXT next_is_open, next_is_prepared
	FIND_START order_both_ignored
	FIND_DURATION order_both_tell, order_both_first
order_both_count:
	PREPARE_SUMS
	PART	PART_DONE
	ADD_SUMS
	movq	$0, OPEN_START(%r9)
	incq	LEG_COUNT(%r8)
	OPEN_NEXT
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
order_both_first:
	TAKE_BUCKETS order_both_tell
	jmp	order_both_count

order_both_ignored:
	PART	PART_DONE
	incl	LEG_IGNORED(%r8)
	OPEN_NEXT
	COUNT_HIT
	PART	PART_COUNTED
	jmp	return_counted

/* The next leg is open: its activation, in r11, is replaced or stays. */
	PART	PART_COMPUTES
next_is_open:
	push	%r8
	push	%r9
	mov	NEXT_LEG(%rdi), %r8
	mov	%r11, %r9
	CHECK_MIXED
	movl	$0, NEXT_ENTERED(%rdi)
	movl	$1, NEXT_IGNORED_FROM(%rdi)
	test	$KEEPS, %ecx
	jz	7f
	mov	OPEN_FRAME(%r9), %rax
	mov	%rax, NEXT_FRAME(%rdi)
	mov	%r10, NEXT_START(%rdi)
	mov	OPEN_TAKEN(%r9), %rax
	mov	%rax, NEXT_TAKEN(%rdi)
7:
	pop	%r9
	pop	%r8
	jmp	next_is_prepared

/* ---- hits that were counted before ------------------------------------- */

enter_skip:
	SKIP	enter_counts
again_skip:
	SKIP	again_counts
leave_skip:
	SKIP	leave_counts
follow_skip:
	SKIP	follow_counts
order_from_skip:
	SKIP	order_from_counts
order_to_skip:
	SKIP	order_to_counts
order_both_skip:
	SKIP	order_both_counts

/* ---- records ----------------------------------------------------------- */

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
	.macro	WRITE_EXECUTION room, waiting
	mov	TAKEN(%rdi), %r10
	sub	OPEN_TAKEN(%r9), %r10
	RESERVE	\room, \waiting
	mov	%rdx, CELLS + CELL_TIME(%rdi,%r11)
	mov	%rsi, CELLS + CELL_BASE(%rdi,%r11)
	mov	%r10, CELLS + CELL_VALUE(%rdi,%r11)
	mov	COUNTED(%rdi), %r10d
	shl	$MASK_BITS, %r10d
	mov	%r10d, CELLS + CELL_MASK(%rdi,%r11)
	/* the number of the leg, for `site` */
	mov	%r8, %rcx
	sub	%rdi, %rcx
	sub	$LEGS, %rcx
	shr	$LEG_BITS - SITE_SHIFT, %ecx
	or	$TOLD, %ecx
	.endm

	PART	PART_COMPUTES
tell_execution:
	WRITE_EXECUTION execution_room, execution_wait
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	CLOSE
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
end_tell:
	WRITE_EXECUTION end_room, end_wait
	FIND_STEP
	PART	PART_AGAIN
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	CLOSE
	STEP
	PART	PART_COMPUTES
	jmp	end_next

	PART	PART_COMPUTES
order_to_tell:
	WRITE_EXECUTION order_to_room, order_to_wait
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	movq	$0, OPEN_START(%r9)
	COUNT_HIT
	RETURN

	PART	PART_COMPUTES
order_both_tell:
	WRITE_EXECUTION order_both_room, order_both_wait
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	movq	$0, OPEN_START(%r9)
	OPEN_NEXT
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

/* Write a record of the hit, whose value is the return address of the frame.
 * Then store r9d as the number of activations that
 * only the tool has. */
tell:
	NEED_TIME
	shr	$32, %rcx
	RESERVE	hit_room, hit_wait
	mov	%rdx, CELLS + CELL_TIME(%rdi,%r11)
	mov	%rsi, CELLS + CELL_BASE(%rdi,%r11)
	mov	-8(%rsi), %r10
	mov	%r10, CELLS + CELL_VALUE(%rdi,%r11)
	mov	COUNTED(%rdi), %r10d
	shl	$MASK_BITS, %r10d
	mov	%r10d, CELLS + CELL_MASK(%rdi,%r11)
	PART	PART_DONE
	mov	%ecx, CELLS + CELL_SITE(%rdi,%r11)
	mov	%r9d, LEG_OUTSIDE(%r8)
	mov	RECORD_COST(%rdi), %rdx
	add	%rdx, TAKEN(%rdi)
	RETURN

/* ---- waiting for room -------------------------------------------------- */

	PART	PART_RESERVES
	.macro	WAIT room
	mov	%rdx, WAIT_RDX(%rdi)
	mov	%rax, WAIT_RAX(%rdi)
	call	wait_for_room
	mov	WAIT_RDX(%rdi), %rdx
	mov	WAIT_RAX(%rdi), %rax
	jmp	\room
	.endm

execution_wait:
	WAIT	execution_room
end_wait:
	WAIT	end_room

hit_wait:
	WAIT	hit_room

order_to_wait:
	WAIT	order_to_room

order_both_wait:
	WAIT	order_both_room

/* The tool makes room and lets the thread go on at `again`. If the tool is
 * gone, the thread goes on behind the int3, and no thread waits for this ring
 * again. At the int3 the thread has the program's stack pointer: see
 * TRAP_STACK. */
wait_for_room:
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, STALL_FROM(%rdi)
	TRAP_STACK
wait:
	.byte	INT3
	movq	$-1, LIMIT(%rdi)
again:
	mov	%rdx, %rsp
	lfence
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, STALL_TO(%rdi)
	ret
counting_end:

	END_PARTS counting_parts_end

	.section .note.GNU-stack, "", @progbits
