/*
 * rights.c - prints which rights it has; the set-user-ID tests copy it and give
 * it rights
 */
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) void work(void)
{
	__asm__ volatile("");
}

int main(void)
{
	work();
	printf("rights: uid %u, euid %u, gid %u, egid %u\n", getuid(),
	       geteuid(), getgid(), getegid());
	return 0;
}
