/*
 * stumbles.c - handlers that jump out of the first instruction of a function,
 * before handlers that return
 *
 * usage: stumbles [ROUNDS]
 *
 * In each of ROUNDS (500) rounds, look() faults at its first instruction, and
 * the handler jumps out. Then stumble() faults, and the handler leads it past
 * the faulting instruction. Then look() is called in the same frame as before,
 * and returns.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static unsigned long calls, returns, faults;
static sigjmp_buf out;
extern const char stumble_over[], stumble_on[];

long look(const long *at);
void stumble(void);

__asm__(".text\n"
	".globl look\n.type look, @function\n.p2align 4\n"
	"look:\n"
	".cfi_startproc\n"
	"	movq	0(%rdi), %rax\n"
	"	leaq	1000(%rax), %rax\n"
	"	leaq	-1000(%rax), %rax\n"
	"	ret\n"
	".cfi_endproc\n"
	".size look, .-look\n"
	".globl stumble\n.type stumble, @function\n.p2align 4\n"
	"stumble:\n"
	".cfi_startproc\n"
	"	xorl	%eax, %eax\n"
	"stumble_over:\n"
	"	movq	(%rax), %rax\n"
	"stumble_on:\n"
	"	ret\n"
	".cfi_endproc\n"
	".size stumble, .-stumble\n");

static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	faults++;
	if (registers[REG_RIP] != (greg_t)stumble_over)
		siglongjmp(out, 1);
	registers[REG_RIP] = (greg_t)stumble_on;
}

__attribute__((noipa)) static void make_round(void)
{
	const long *volatile nowhere = NULL;
	const long here = 7;

	if (sigsetjmp(out, 1) == 0) {
		calls++;
		look(nowhere);
	}
	stumble();
	calls++;
	if (look(&here) == here)
		returns++;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 500;
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, NULL);
	for (unsigned long i = 0; i < rounds; i++)
		make_round();
	printf("calls %lu\nreturns %lu\nfaults %lu\n", calls, returns, faults);
	return 0;
}
