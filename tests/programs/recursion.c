/*
 * recursion.c - direct and mutual recursion
 */
#include <stdio.h>

static unsigned long depth_calls, even_calls, odd_calls;

unsigned odd(unsigned n);

__attribute__((noinline)) unsigned depth(unsigned n)
{
	depth_calls++;
	return n ? depth(n - 1) + 1 : 0;
}

__attribute__((noinline)) unsigned even(unsigned n)
{
	even_calls++;
	return n ? odd(n - 1) + 1 : 1;
}

__attribute__((noinline)) unsigned odd(unsigned n)
{
	odd_calls++;
	return n ? even(n - 1) + 1 : 0;
}

int main(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 20; i++)
		sum += depth(30) + even(25);
	printf("outermost 20\ndepth %lu\neven %lu\nodd %lu\nsum %u\n",
	       depth_calls, even_calls, odd_calls, sum);
	return 0;
}
