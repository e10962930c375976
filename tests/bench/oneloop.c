/*
 * oneloop.c - the least that a hit can cost with ptrace
 *
 * One stop a hit: wait, read the clock and the pc, look the place up, set the
 * pc to the copy of the displaced instruction, read the clock, go on. What is
 * measured is thrown away. usage: oneloop COUNT
 */
#include "tracer.h"

enum { TABLE_SIZE = 256 };

struct site {
	unsigned long address;
	const void *slot;
	uint64_t hits, held;
};

static struct site table[TABLE_SIZE];

static struct site *site_at(unsigned long address)
{
	return &table[address % TABLE_SIZE];
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	struct site *site = site_at((unsigned long)hit);
	pid_t pid = start_tracee(count);
	uint64_t arrival;
	int status;

	*site = (struct site){.address = (unsigned long)hit, .slot = hit_slot};
	poke_byte(pid, (const void *)hit, INT3);
	ptrace(PTRACE_CONT, pid, 0, 0);
	while (wait4(-1, &status, __WALL, NULL) == pid && WIFSTOPPED(status)) {
		arrival = __rdtsc();
		site = site_at(get_pc(pid) - 1);
		if (WSTOPSIG(status) != SIGTRAP || !site->address)
			fail("a stop that is no hit");
		set_pc(pid, site->slot);
		site->hits++;
		site->held += __rdtsc() - arrival;
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	if (site->hits != count + count / 10 + 1)
		fail("hits were missed");
	printf("ns %.1f\n", *shared_result);
	return 0;
}
