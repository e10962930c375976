/*
 * calls.h - the program that is linked in every way there is
 *
 * usage: PROGRAM [N]: calls work() N times (1,000), and half() every second
 * time.
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long work_calls, half_calls;

__attribute__((noinline)) unsigned long half(unsigned long n)
{
	half_calls++;
	return n / 2;
}

__attribute__((noinline)) unsigned long work(unsigned long n)
{
	work_calls++;
	if (n % 2)
		return half(n) + 1;
	return n + 1;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	unsigned long sum = 0;

	for (unsigned long i = 0; i < n; i++)
		sum += work(i);
	printf("work %lu\nhalf %lu\nsum %lu\n", work_calls, half_calls, sum);
	return 0;
}
