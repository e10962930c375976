/*
 * longjmp.c - frames that are entered and never left
 *
 * descend() calls itself down to a depth. Every third time it jumps out from
 * there; otherwise it returns.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>

static jmp_buf top;
static unsigned long entered, left, jumps;

__attribute__((noinline)) unsigned descend(unsigned n, bool jump)
{
	unsigned result = 1;

	entered++;
	if (n)
		result += descend(n - 1, jump);
	else if (jump)
		longjmp(top, 1);
	left++;
	return result;
}

int main(void)
{
	for (volatile unsigned i = 0; i < 300; i++) {
		if (setjmp(top) == 0)
			descend(i % 5, i % 3 == 0);
		else
			jumps++;
	}
	printf("entered %lu\nleft %lu\nunwound %lu\njumps %lu\n", entered, left,
	       entered - left, jumps);
	return 0;
}
