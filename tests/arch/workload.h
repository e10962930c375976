/*
 * workload.h - code to put breakpoints on, and whole states of registers
 *
 * Included by one test program; it holds its code. Every instruction of
 * workload() is a site: what reads and sets flags, uses the red zone, names
 * memory by rip, calls (directly, through a register, through memory), returns,
 * branches, loops, enters the kernel, and one with no stack at all.
 */
#ifndef TESTS_ARCH_WORKLOAD_H
#define TESTS_ARCH_WORKLOAD_H

#include <stdint.h>
#include <string.h>

/* What run_state() loads before and stores after; rsp is its own. */
struct state {
	uint64_t rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13,
		r14, r15, flags;
	uint8_t vectors[16][16];
	uint8_t memory[256]; /* rdi points to its middle */
};

_Static_assert(offsetof(struct state, flags) == 120, "as run_state() has it");
_Static_assert(offsetof(struct state, vectors) == 128, "as run_state() has it");

/* Call `function` with all registers as `state` says, and note them after. */
void run_state(struct state *state, const uint8_t *function);

extern const uint8_t workload[], workload_end[];
/* mov, with a stack pointer of 0; needs an alternate signal stack */
extern const uint8_t no_stack[], no_stack_end[];
/* a lone nop; the program's own traps */
extern const uint8_t lone_nop[], own_int3[], own_int1[], own_step[];

__asm__(".text\n"
	".balign 64\n"
	".globl workload, workload_end\n"
	"workload:\n"
	"	push	%rbx\n"
	"	mov	%rdi, %rbx\n"
	"	adc	$3, %rsi\n"
	"	mov	%rsi, -24(%rsp)\n"
	"	setc	%dl\n"
	"	lea	workload(%rip), %r8\n"
	"	imul	$0x5851f42d, %rsi, %rsi\n"
	"	add	-24(%rsp), %rsi\n"
	"	xor	workload_pointer(%rip), %r9\n"
	"	call	workload_helper\n"
	"	lea	workload_helper(%rip), %rax\n"
	"	call	*%rax\n"
	"	call	*workload_pointer(%rip)\n"
	"	push	%rax\n"
	"	call	*(%rsp)\n"
	"	pop	%rax\n"
	"	push	%rsp\n"
	"	pop	%r10\n"
	"	sub	%rsp, %r10\n"
	"	test	$1, %sil\n"
	"	jz	1f\n"
	"	rol	$5, %rsi\n"
	"1:	mov	$3, %ecx\n"
	"2:	add	%rcx, %rsi\n"
	"	loop	2b\n"
	"	jrcxz	3f\n"
	"	mov	$0, %esi\n"
	"3:	movups	(%rbx), %xmm1\n"
	"	paddq	%xmm2, %xmm1\n"
	"	movups	%xmm1, 16(%rbx)\n"
	"	mov	$5, %ecx\n"
	"	mov	%rbx, %rdi\n"
	"	rep stosb\n"
	"	mov	$39, %eax\n" /* getpid */
	"	syscall\n"
	"	xchg	%rcx, 32(%rbx)\n"
	"	pushfq\n"
	"	cmp	%rsi, %r8\n"
	"	popfq\n"
	"	jmp	4f\n"
	"	ud2\n"
	"4:	pop	%rbx\n"
	"	ret\n"
	"workload_helper:\n"
	"	adc	%rsi, %r9\n"
	"	sbb	%r9, %rsi\n"
	"	ret\n"
	"workload_end:\n"

	".globl no_stack, no_stack_end\n"
	"no_stack:\n"
	"	mov	%rsp, %rax\n"
	"	xor	%esp, %esp\n"
	"	adc	$1, %rsi\n"
	"	mov	%rax, %rsp\n"
	"	mov	$0, %eax\n"
	"	ret\n"
	"no_stack_end:\n"

	".globl lone_nop, own_int3, own_int1, own_step\n"
	"lone_nop:\n"
	"	nop\n"
	"	ret\n"
	"own_int3:\n"
	"	int3\n"
	"	ret\n"
	"own_int1:\n"
	"	.byte	0xf1\n"
	"	ret\n"
	"own_step:\n"
	"	pushfq\n"
	"	orq	$0x100, (%rsp)\n"
	"	popfq\n"
	"	nop\n"
	"	ret\n"

	".globl run_state\n"
	"run_state:\n"
	"	push	%rbx\n"
	"	push	%rbp\n"
	"	push	%r12\n"
	"	push	%r13\n"
	"	push	%r14\n"
	"	push	%r15\n"
	"	push	%rdi\n"
	"	push	%rsi\n"
	"	mov	%rdi, %rax\n"
	".set	i, 0\n"
	".irp	xmm, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups	128 + 16 * i(%rax), %xmm\\xmm\n"
	"	.set	i, i + 1\n"
	".endr\n"
	".set	i, 1\n"
	".irp	reg, rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n"
	"	mov	8 * i(%rax), %\\reg\n"
	"	.set	i, i + 1\n"
	".endr\n"
	"	push	120(%rax)\n"
	"	mov	(%rax), %rax\n"
	"	popfq\n"
	"	call	*(%rsp)\n"
	"	pushfq\n"
	"	cld\n"
	"	push	%rax\n"
	"	mov	24(%rsp), %rax\n"
	".set	i, 1\n"
	".irp	reg, rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n"
	"	mov	%\\reg, 8 * i(%rax)\n"
	"	.set	i, i + 1\n"
	".endr\n"
	".set	i, 0\n"
	".irp	xmm, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
	"	movups	%xmm\\xmm, 128 + 16 * i(%rax)\n"
	"	.set	i, i + 1\n"
	".endr\n"
	"	popq	(%rax)\n"
	"	popq	120(%rax)\n"
	"	add	$16, %rsp\n"
	"	pop	%r15\n"
	"	pop	%r14\n"
	"	pop	%r13\n"
	"	pop	%r12\n"
	"	pop	%rbp\n"
	"	pop	%rbx\n"
	"	ret\n"

	".section .data.rel.local, \"aw\"\n"
	".balign 8\n"
	"workload_pointer:\n"
	"	.quad	workload_helper\n"
	".text\n");

/* CF, DF and OF are those that workload() lets through or depends on. */
static inline void state_init(struct state *state, uint64_t seed)
{
	static const uint64_t flags[] = {0x1,  0x4,   0x10, 0x40,
					 0x80, 0x400, 0x800};
	uint64_t *words = (uint64_t *)state;

	for (size_t i = 0; i < sizeof(*state) / sizeof(*words); i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		words[i] = seed ^ seed >> 29;
	}
	state->flags = 0x202;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (seed >> (40 + i) & 1)
			state->flags |= flags[i];
	state->rdi = (uint64_t)(state->memory + sizeof(state->memory) / 2);
}

#define SEEDS 64

/* The same state at the same address, with and without int3s. */
struct comparison {
	const uint8_t *function;
	struct state state, expected[SEEDS];
};

static inline void comparison_init(struct comparison *comparison,
				   const uint8_t *function)
{
	comparison->function = function;
	for (size_t i = 0; i < SEEDS; i++) {
		state_init(&comparison->state, i);
		run_state(&comparison->state, function);
		comparison->expected[i] = comparison->state;
	}
}

/* Fails when something is different. */
static inline int comparison_run(struct comparison *comparison, size_t rounds)
{
	for (size_t i = 0; i < rounds; i++) {
		state_init(&comparison->state, i % SEEDS);
		run_state(&comparison->state, comparison->function);
		if (memcmp(&comparison->state, &comparison->expected[i % SEEDS],
			   sizeof(comparison->state)) != 0)
			return 1;
	}
	return 0;
}

#endif
