/*
 * counter.c - ends with status 0 if the program may not read the processor's
 * counter: prctl(PR_SET_TSC). (Some hypervisors do not enforce that.)
 */
#include <sys/prctl.h>

int main(void)
{
	int setting;

	return prctl(PR_GET_TSC, &setting) != 0 || setting != PR_TSC_SIGSEGV;
}
