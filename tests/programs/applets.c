/*
 * applets.c - a program that depends on the name by which it is called
 *
 * It prints its own name, both argv[0] and the name that the kernel was given,
 * then calls work().
 *
 * usage: call it by a link to it, with the argument `stay` or without; with
 * `stay` it runs until its standard input ends
 */
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	printf("%s %s\n", argv[0], (char *)getauxval(AT_EXECFN));
	fflush(stdout);
	work();
	if (argc > 1 && strcmp(argv[1], "stay") == 0)
		while (getchar() != EOF)
			;
	return 0;
}
