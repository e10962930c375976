/*
 * cold.c - a tail call that is seldom made, to a function that is called all
 * the time from elsewhere
 *
 * Flags: -O2
 *
 * The program prints whether perftool has changed the code of that function,
 * before the first of these tail calls and after it. Before it, nothing may be
 * changed.
 */
#include <stdio.h>

int hot(int x);

__asm__(".text\n"
	".globl hot\n"
	".type hot, @function\n"
	"hot:\n"
	"	.cfi_startproc\n"
	"	lea 1(%rdi, %rdi, 2), %eax\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size hot, . - hot\n"
	"	.skip 16, 0x90\n"
	".globl hot_end\n"
	"hot_end:\n");

extern const unsigned char hot_end[];

__attribute__((noinline)) int fun(int x)
{
	if (x < 0)
		return hot(x - 1);
	return x ^ hot(5);
}

__attribute__((noinline)) static int loop(int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += hot(i);
	return sum;
}

/* Does the code have the byte of an int3 or of a jump? Neither is in the code
 * as the compiler has made it. */
static int is_patched(void)
{
	const volatile unsigned char *code = (const unsigned char *)(void *)hot;

	for (long i = 0; code + i < hot_end; i++)
		if (code[i] == 0xcc || code[i] == 0xe9)
			return 1;
	return 0;
}

int main(void)
{
	int sum = 0, before;

	for (int i = 0; i < 10; i++)
		sum += fun(i);
	sum += loop(1000);
	before = is_patched();
	for (int i = 0; i < 3; i++)
		sum += fun(-1);
	printf("before %d after %d sum %d\n", before, is_patched(), sum);
	return 0;
}
