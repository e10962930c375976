/*
 * rust.c - names as Rust's older mangling makes them
 *
 * Two instances of a generic function differ in a hash alone, which is no part
 * of the name for people. (No Rust is needed for that.)
 */
#include <stdio.h>

int first(int n) __asm__("_ZN1r5inner17h8768f3789d3406c3E");
int second(int n) __asm__("_ZN1r5inner17hd086ca50e563ab30E");
int outer(int n) __asm__("_ZN1r5outer17h78f4b848727febd3E");

__attribute__((noinline)) int first(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline)) int second(int n)
{
	__asm__ volatile("" : "+r"(n));
	return n * 3;
}

__attribute__((noinline)) int outer(int n)
{
	return first(n) + second(n) + second(n + 1);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 10; i++)
		sum += outer(i);
	printf("sum %ld\n", sum);
	return 0;
}
