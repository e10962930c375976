/*
 * rust.c - names in the form of Rust's older mangling
 *
 * Two instances of a generic function differ only in a hash, which is no part
 * of the demangled name. (The program needs no Rust compiler for that.)
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
