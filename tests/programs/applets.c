/*
 * applets.c - a program that does what it is called: says its own name, as
 * argv[0] and as the kernel was given it, then calls work()
 *
 * usage: a link to it [stay]; stay: until its standard input ends.
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
