/*
 * survivor.S - the handler of SIGTRAP that outlives the tool
 *
 * Copied to STORE_CODE of a store in the target's memory, it does what the
 * tool did at an int3, should the tool be gone. Installed with SA_SIGINFO,
 * SA_ONSTACK, SA_NODEFER, SA_RESTORER and an empty mask, it runs in any thread
 * at any moment, on whatever stack is there. So it
 *
 *  - uses no library and no memory but the store, which it only reads, and a
 *    few words of the stack below it;
 *  - makes no system call unless the SIGTRAP is not ours;
 *  - may lie anywhere: it finds the store by its own address.
 *
 * What it decides, from the signal's si_code and the pc of the saved frame:
 *
 *	int3, the byte before the pc is a site	go on in the site's slot
 *	int3, pc in the store or in an area	go on there: the tool had moved
 *	int3, pc is a site			the pc, and died before the
 *						signal was taken back
 *	a step, no trap flag in the frame	go on: a tracer's step, not the
 *						program's (the kernel hides the
 *						flag that a tracer's step sets);
 *						one over a system call has the
 *						si_code of an int1
 *	anything else				not ours
 *
 * The first of these comes first. A tool must therefore never move a thread
 * that stands at an int3 to a site which follows another site of one byte: it
 * would be taken for a hit of that one. Its slot is always right.
 *
 * Not ours is what was sent (kill, raise, sigqueue), an int3 or int1 of the
 * program's own, even a displaced one whose copy was executed in its slot, a
 * step of a program that steps itself, and a site that has no slot. It does
 * what SIGTRAP does by default, which is why the program must be one that has
 * left it at that.
 */
#include "survivor.h"

	.section .rodata
	.balign	8

	.globl	survivor_layout, survivor_code
	.hidden	survivor_layout, survivor_code

/* What C asks: struct survivor_layout. */
survivor_layout:
	.quad	survivor_end - survivor_code
	.quad	survivor_handler - survivor_code
	.quad	survivor_restorer - survivor_code

	.set	store, survivor_code - CODE_OFFSET
	.set	index, store + INDEX_OFFSET
	.set	table, store + TABLE_OFFSET
	.set	FIRST_ENTRY, TABLE_OFFSET - INDEX_OFFSET

	.balign	64
survivor_code:

/* rdi signal, rsi siginfo_t, rdx ucontext_t: those two stay there. r8: pc. */
survivor_handler:
	endbr64
	mov	CONTEXT_RIP(%rdx), %r8
	mov	INFO_CODE(%rsi), %eax
	cmp	$CODE_INT3, %eax
	je	trapped
	cmp	$CODE_STEP, %eax
	je	stepped
	cmp	$CODE_INT1, %eax
	jne	foreign
	cmpb	$INT1, -1(%r8)
	je	foreign
	cmpb	$INT1, (%r8)		/* some virtual machines stay at it */
	je	foreign
stepped:
	testl	$FLAGS_TF, CONTEXT_FLAGS(%rdx)
	jnz	foreign
	ret

trapped:
	lea	-1(%r8), %rdi
	call	find
	test	%rax, %rax
	jz	moved
	mov	ENTRY_SLOT(%rax), %rax
	test	%rax, %rax
	jz	foreign
	mov	%rax, CONTEXT_RIP(%rdx)
	ret

moved:
	lea	store(%rip), %rcx
	mov	%r8, %rax
	sub	%rcx, %rax
	cmp	$SLOTS_OFFSET, %rax
	jb	done

	mov	HEADER_AREA_COUNT(%rcx), %rax
	mov	$MOST_AREAS, %r9d
	cmp	%r9, %rax
	cmova	%r9, %rax
	add	$HEADER_AREAS, %rcx
next_area:
	sub	$1, %rax
	jb	no_area
	cmp	AREA_LOW(%rcx), %r8
	jb	other_area
	cmp	AREA_HIGH(%rcx), %r8
	jb	in_area
other_area:
	add	$AREA_SIZE, %rcx
	jmp	next_area

no_area:
	mov	%r8, %rdi
	call	find
	test	%rax, %rax
	jz	foreign
done:
	ret

/*
 * A displaced int3 of the program's traps in its slot. Whether this is one
 * only the table can tell; it is searched by slot, once in a program's life.
 */
in_area:
	cmp	AREA_LOW(%rcx), %r8
	je	done			/* nothing before it to look at */
	cmpb	$INT3, -1(%r8)
	jne	done
	lea	-1(%r8), %rdi
	lea	table(%rip), %rcx
	mov	$MOST_ENTRIES, %eax
next_entry:
	cmp	%rdi, ENTRY_SLOT(%rcx)
	je	displaced
	add	$1 << ENTRY_SIZE_BITS, %rcx
	dec	%eax
	jnz	next_entry
	ret
displaced:
	mov	ENTRY_SITE(%rcx), %rax
	test	%rax, %rax
	jz	done
	inc	%rax			/* as if it had trapped at its site */
	mov	%rax, CONTEXT_RIP(%rdx)

/*
 * Die of it as by default, at the program's pc: with SIGTRAP blocked, the
 * disposition reset and the signal sent anew, it waits until the return from
 * here restores the mask. rbx, r12: siginfo_t and ucontext_t.
 */
foreign:
	push	%rbx
	push	%r12
	mov	%rsi, %rbx
	mov	%rdx, %r12

	/*
	 * The init of a container dies of no signal that is merely sent and
	 * left at its default, but does of its own traps.
	 */
	mov	$CALL_GETPID, %eax
	syscall
	cmp	$1, %eax
	jne	1f
	cmpl	$0, INFO_CODE(%rbx)
	jle	2f
	jmp	in_vain
1:
	push	%rax			/* the pid, for later */

	push	$TRAP_BIT
	mov	$CALL_RT_SIGPROCMASK, %eax
	mov	$HOW_BLOCK, %edi
	mov	%rsp, %rsi
	xor	%edx, %edx
	mov	$MASK_BYTES, %r10d
	syscall
	pop	%rcx

	push	$0			/* four words of a struct sigaction */
	push	$0
	push	$0
	push	$0
	mov	$CALL_RT_SIGACTION, %eax
	mov	$TRAP_SIGNAL, %edi
	mov	%rsp, %rsi
	xor	%edx, %edx
	mov	$MASK_BYTES, %r10d
	syscall
	add	$32, %rsp
	pop	%rdi			/* the pid */
	test	%rax, %rax
	js	in_vain

	mov	$CALL_GETTID, %eax
	syscall
	mov	%eax, %esi
	mov	$TRAP_SIGNAL, %edx
	mov	%rbx, %r10
	mov	$CALL_RT_TGSIGQUEUEINFO, %eax
	syscall
	test	%rax, %rax
	jns	2f
	mov	$CALL_TGKILL, %eax	/* the kernel may refuse some siginfo */
	syscall
	test	%rax, %rax
	js	in_vain
2:
	pop	%r12
	pop	%rbx
	ret

/*
 * Sending is in vain, or a seccomp filter denies the calls. An int3 in a thread that blocks SIGTRAP
 * kills whatever the disposition is; only the pc is not the program's then.
 */
in_vain:
	orq	$TRAP_BIT, CONTEXT_MASK(%r12)
	lea	3f(%rip), %rax
	mov	%rax, CONTEXT_RIP(%r12)
	jmp	2b
3:
	int3
	jmp	3b

/*
 * rax: the entry of site rdi, or 0. Changes rcx, r9, r10. See store_hash(). A
 * full index has no free place to stop at, so the places are counted.
 */
find:
	movabs	$HASH_FACTOR, %rax
	imul	%rdi, %rax
	shr	$64 - INDEX_BITS, %rax
	lea	index(%rip), %r9
	mov	$1 << INDEX_BITS, %r10d
next_place:
	mov	(%r9,%rax,4), %ecx	/* the entry's number + 1 */
	test	%ecx, %ecx
	jz	absent
	shl	$ENTRY_SIZE_BITS, %rcx
	lea	FIRST_ENTRY -(1<<ENTRY_SIZE_BITS)(%r9,%rcx), %rcx
	cmp	%rdi, ENTRY_SITE(%rcx)
	je	found
	inc	%eax
	and	$(1 << INDEX_BITS) - 1, %eax
	dec	%r10d
	jnz	next_place
absent:
	xor	%eax, %eax
	ret
found:
	mov	%rcx, %rax
	ret

/* In the very bytes by which unwinders know a signal frame. */
survivor_restorer:
	mov	$CALL_RT_SIGRETURN, %rax
	syscall

survivor_end:

	.section .note.GNU-stack, "", @progbits
