/*
 * classic.c - a hit as textbooks do it: two stops
 *
 * Wait, put the byte back, set the pc back, step over the instruction, wait
 * again, insert the breakpoint again, go on. usage: classic COUNT
 */
#include "tracer.h"

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	pid_t pid = start_tracee(count);
	unsigned long hits = 0;
	unsigned char original;
	int status;

	original = poke_byte(pid, (const void *)hit, INT3);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (wait4(-1, &status, __WALL, NULL) == pid && WIFSTOPPED(status)) {
		if (get_pc(pid) - 1 != (unsigned long)hit)
			fail("a stop that is no hit");
		hits++;
		poke_byte(pid, (const void *)hit, original);
		set_pc(pid, (const void *)hit);
		ptrace(PTRACE_SINGLESTEP, pid, 0, 0);
		if (wait4(pid, &status, __WALL, NULL) != pid ||
		    !WIFSTOPPED(status))
			fail("no stop after a step");
		poke_byte(pid, (const void *)hit, INT3);
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	if (hits != count + count / 10 + 1)
		fail("hits were missed");
	printf("ns %.1f\n", *shared_result);
	return 0;
}
