/*
 * abreast.c - functions without padding between them, so that each return of
 * one byte stands directly before the entry of the next function
 *
 * Flags: -no-pie
 *
 * usage: abreast [N]: calls each function N (1,000) times, three times, with
 * step() before each time, and prints how often it has called them all
 *
 * The jump in place of a return ends in the first four bytes of the next
 * function. If these are the jump in place of that function's first
 * instruction, the last one of them is a byte that the landing of the other
 * jump determines. The program is not position-independent: a jump can only
 * lead to the 2 GiB above, so that about half of all landings leave the return
 * without room.
 */
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS 64

/* (All are in one page.) Each function is `lea NUMBER(%rdi), %rax; cmp $-1,
 * %rdi; jne 1f; 1: ret`. The branch keeps the return from being recorded at an
 * instruction before it. */
__asm__(".text\n.balign 1024\n"
	".macro abreast number\n"
	".globl abreast_\\number\n"
	".type abreast_\\number, @function\n"
	"abreast_\\number:\n"
	".cfi_startproc\n"
	"lea \\number(%rdi), %rax\n"
	"cmp $-1, %rdi\n"
	"jne 1f\n"
	"1: ret\n"
	".cfi_endproc\n"
	".size abreast_\\number, . - abreast_\\number\n"
	".endm\n"
	".set number, 0\n"
	".altmacro\n"
	".rept 64\n"
	"abreast %number\n"
	".set number, number + 1\n"
	".endr\n"
	".noaltmacro\n"
	".skip 16, 0xcc\n"
	".data\n"
	".balign 8\n"
	"functions:\n"
	".set number, 0\n"
	".macro entry number\n"
	".quad abreast_\\number\n"
	".endm\n"
	".altmacro\n"
	".rept 64\n"
	"entry %number\n"
	".set number, number + 1\n"
	".endr\n"
	".noaltmacro\n"
	".text\n");

extern long (*const functions[FUNCTIONS])(long n);

__attribute__((noinline)) static void step(void)
{
	__asm__ volatile("nop; nop; nop; nop; nop");
}

static long call_all(long count)
{
	step();
	for (long i = 0; i < count; i++)
		for (long j = 0; j < FUNCTIONS; j++)
			if (functions[j](i) != i + j)
				abort();
	return count * FUNCTIONS;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000, calls = 0;

	for (int i = 0; i < 3; i++)
		calls += call_all(count);
	printf("abreast %ld\n", calls);
	return 0;
}
