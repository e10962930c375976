/*
 * contained.c - calls whose containment is known: of the stacks main-P-U-C,
 * main-P-V-C and main-Q-U-D the Spy's display has C under P and D under U
 *
 * `mark` is executed below each of them, so that a break there samples all
 * stacks. The program prints how often each function was in such a stack.
 */
#include <stdio.h>

#define KEPT __attribute__((noinline, noclone))

static volatile int marks;

static KEPT void mark(void)
{
	marks++;
}

static KEPT void C(int times)
{
	for (int i = 0; i < times; i++)
		mark();
}

static KEPT void D(int times)
{
	for (int i = 0; i < times; i++)
		mark();
}

static KEPT void U(void (*callee)(int), int times)
{
	callee(times);
	marks++;
}

static KEPT void V(int times)
{
	C(times);
	marks++;
}

static KEPT void P(void)
{
	U(C, 3);
	V(4);
	marks++;
}

static KEPT void Q(void)
{
	U(D, 2);
	marks++;
}

/* Recursive: a stack has it up to three times. */
static KEPT void R(int depth)
{
	mark();
	if (depth > 1)
		R(depth - 1);
	marks++;
}

int main(void)
{
	P();
	Q();
	R(3);
	puts("main 12 P 7 Q 2 U 5 V 4 C 7 D 2 R 3 mark 12");
	return 0;
}
