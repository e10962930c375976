/*
 * forbid.c - preloaded: programs of the tests may not read the processor's
 * counter. (The C library's loader reads it, so it is forbidden afterwards. A
 * program that was executed inherits the prohibition, so `within`, which
 * executes the commands of the tests, is left out.)
 */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

__attribute__((constructor)) static void forbid(void)
{
	char path[4096] = "";

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
		abort();
	if (!strstr(path, "/tests/programs/") || strstr(path, "/within"))
		return;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		abort();
}
