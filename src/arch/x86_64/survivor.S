/*
 * survivor.S - the handler of SIGTRAP that outlives the tool
 *
 * The tool copies this code to STORE_CODE of a store in the target's memory. If
 * the tool dies, the handler does what the tool did at an int3. It is installed
 * with SA_SIGINFO, SA_ONSTACK, SA_NODEFER, SA_RESTORER and an empty mask. So it
 * may run in any thread at any moment, on any stack. Therefore the handler
 *
 *  - uses no library, and no memory except the store, which it only reads, and
 *    a few words of the stack below it;
 *  - makes no system call unless the SIGTRAP is foreign;
 *  - may be at any address, because it finds the store by its own address.
 *
 * The handler decides by the si_code of the signal and by the pc of the saved
 * frame. The first line that is true counts:
 *
 *	int3, the byte before the pc is a site	go on in the slot of the site
 *	int3, pc in the store or in an area	go on there: the tool had moved
 *	int3, pc is a site			the pc, and died before it could
 *						cancel the signal
 *	a step, no trap flag in the frame	go on: this is a step of a
 *						tracer and not of the program
 *						(the kernel hides the flag that
 *						a tracer's step sets); a step
 *						over a system call has the
 *						si_code of an int1
 *	a debug register			go on: the tool had the thread
 *						watch memory
 *	anything else				foreign
 *
 * Because the first line counts, a tool must never move a thread that stands at
 * an int3 to a site that stands directly behind a site of one byte. The handler
 * would conclude that the thread has just executed the int3 of the site of one
 * byte. The slot of the site is always a right place for the thread.
 *
 * These SIGTRAPs are foreign:
 *
 *  - a signal that was sent (kill, raise, sigqueue);
 *  - an int3 or int1 of the program itself, even if it was displaced and its
 *    copy was executed in the slot;
 *  - a step of a program that steps itself;
 *  - an int3 at a site that has no slot.
 *
 * A foreign SIGTRAP has its default effect. For this reason the tool installs
 * the handler only in a program that has the default disposition of SIGTRAP.
 */
#include "survivor.h"

	.section .rodata
	.balign	8

	.globl	survivor_layout, survivor_code
	.hidden	survivor_layout, survivor_code

/* The description of the code for C: struct survivor_layout. */
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

/* On entry rdi is the signal, rsi the siginfo_t and rdx the ucontext_t. rsi and
 * rdx stay unchanged. r8 becomes the pc. */
survivor_handler:
	endbr64
	mov	CONTEXT_RIP(%rdx), %r8
	mov	INFO_CODE(%rsi), %eax
	cmp	$CODE_INT3, %eax
	je	trapped
	cmp	$CODE_STEP, %eax
	je	stepped
	cmp	$CODE_WATCH, %eax
	je	done
	cmp	$CODE_INT1, %eax
	jne	foreign
	cmpb	$INT1, -1(%r8)
	je	foreign
	cmpb	$INT1, (%r8)		/* here under some hypervisors */
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
 * The pc is in an area. Either the tool has moved the thread there, or the
 * thread has executed, in a slot, the copy of an int3 that belongs to the
 * program. Only the table tells whether the byte before the pc is the slot of
 * such an int3. The index cannot be searched by slot, so all entries are
 * compared. This happens at most once in the life of a program, because the
 * program then dies of the int3.
 */
in_area:
	cmp	AREA_LOW(%rcx), %r8
	je	done			/* no slot ends at the pc */
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
	inc	%rax			/* the pc behind an int3 at the site */
	mov	%rax, CONTEXT_RIP(%rdx)

/*
 * Let the program die of the signal, as it would by default, at the program's
 * own pc. The code blocks SIGTRAP, resets the disposition, and sends the signal
 * again. The signal stays pending until the return from this handler restores
 * the mask. rbx and r12 hold siginfo_t and ucontext_t.
 */
foreign:
	push	%rbx
	push	%r12
	mov	%rsi, %rbx
	mov	%rdx, %r12

	/*
	 * The init process of a container does not die of a signal that is sent
	 * to it and has its default disposition; but it dies of its own traps.
	 */
	mov	$CALL_GETPID, %eax
	syscall
	cmp	$1, %eax
	jne	1f
	cmpl	$0, INFO_CODE(%rbx)
	jle	2f
	jmp	in_vain
1:
	push	%rax			/* the pid, for rt_tgsigqueueinfo */

	push	$TRAP_BIT
	mov	$CALL_RT_SIGPROCMASK, %eax
	mov	$HOW_BLOCK, %edi
	mov	%rsp, %rsi
	xor	%edx, %edx
	mov	$MASK_BYTES, %r10d
	syscall
	pop	%rcx

	push	$0			/* a struct sigaction of four words */
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
	mov	$CALL_TGKILL, %eax	/* the kernel may refuse the siginfo */
	syscall
	test	%rax, %rax
	js	in_vain
2:
	pop	%r12
	pop	%rbx
	ret

/*
 * The signal cannot be sent, or a seccomp filter denies the system calls. An
 * int3 in a thread that blocks SIGTRAP kills the process, whatever the
 * disposition is. So the thread returns from the handler to an int3 with
 * SIGTRAP blocked. The only difference is that the pc is not that of the
 * program.
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
 * Find the entry of the site rdi, as store_hash() in arch.h describes. rax
 * becomes the address of the entry, or 0. The code changes rcx, r9 and r10. A
 * full index has no free place at which the search could end, so the code
 * counts the places.
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

/* The restorer has exactly the bytes by which unwinders recognise the frame of
 * a signal. */
survivor_restorer:
	mov	$CALL_RT_SIGRETURN, %rax
	syscall

survivor_end:

	.section .note.GNU-stack, "", @progbits
