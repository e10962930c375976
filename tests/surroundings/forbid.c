/*
 * forbid.c - preloaded: programs of the tests may not read the processor's
 * counter. (The C library's loader reads it, so it is forbidden afterwards.)
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
	if (!strstr(path, "/tests/programs/"))
		return;
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		abort();
}
