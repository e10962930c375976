/*
 * adjoined.c - two returns of one byte, one behind the other, and an
 * instruction behind them to which the function jumps
 *
 * Flags: -no-pie
 *
 * Usage: adjoined N: calls returns() N times, and step() before, three
 * times
 *
 * The program is not position-independent, so that a jump far back leads to no
 * address. The jump in place of the first return, at returns+20, needs the
 * instruction behind the second return, at returns+21, to make room. The jump
 * in place of the second return ends in the bytes of that instruction, too.
 */
#include <stdlib.h>

long returns(long n);

/* returns 4 if n is a multiple of 4, else 0 */
__asm__(".text\n"
	".p2align 6\n"
	".globl returns\n.type returns, @function\nreturns:\n"
	".cfi_startproc\n"
	"test $3, %dil\n"
	"je 3f\n"
	"xor %eax, %eax\n"
	"test $1, %dil\n"
	"je 2f\n"
	"cmp $-1, %rdi\n"
	"jne 1f\n"
	"1: ret\n"
	"2: ret\n"
	"3: mov %rdi, %rax\n"
	"movzbq %al, %rax\n"
	"and $0, %rax\n"
	"lea 4(%rax), %rax\n"
	"ret\n"
	".cfi_endproc\n.size returns, . - returns\n");

__attribute__((noinline)) static void step(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop");
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;

	for (int i = 0; i < 3; i++) {
		step();
		for (long j = 0; j < n; j++)
			if (returns(j) != (j % 4 ? 0 : 4))
				abort();
	}
	return 0;
}
