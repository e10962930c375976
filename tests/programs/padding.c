/*
 * padding.c - a no-operation behind a return that is no padding, because a jump
 * leads there
 *
 * usage: padding N: calls choose() N times with 0, and N times with 1, and
 * prints "right", or what was wrong
 *
 * Go's compiler writes such code.
 */
#include <stdio.h>
#include <stdlib.h>

int choose(int which);

__asm__(".text\n"
	".p2align 4\n"
	".globl choose\n"
	".type choose, @function\n"
	"choose:\n"
	"	.cfi_startproc\n"
	"	test %edi, %edi\n"
	"	jnz 1f\n"
	"	mov $10, %eax\n"
	"	ret\n"
	"1:	nop\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	mov $11, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size choose, . - choose\n"
	"	.skip 16, 0xcc\n");

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;

	for (long i = 0; i < 2 * count; i++) {
		int got = choose(i & 1);

		if (got != 10 + (i & 1)) {
			printf("choose(%ld) was %d\n", i & 1, got);
			return 1;
		}
	}
	puts("right");
	return 0;
}
