/*
 * frames.c - a stack on which there is an address, alone or in what looks like
 * the frame of a signal
 *
 * At `word ADDRESS` the program keeps the hexadecimal address on the stack, in
 * the memory of a function that is being executed. At `frame ADDRESS` it keeps
 * it together with the registers that the kernel saves beside the pc. At `none`
 * it forgets the address. For each number N it calls work() N times. It answers
 * each line with `done`.
 *
 * Flags: -no-pie
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The registers in the order in which the kernel saves them (struct
 * sigcontext). */
enum { SP, PC, FLAGS, SEGMENTS, REGISTERS };

static volatile unsigned long calls;

__attribute__((noipa)) void work(void)
{
	calls++;
}

static void keep(const char *line, volatile unsigned long *kept)
{
	const char *address = strchr(line, ' ');

	memset((void *)kept, 0, REGISTERS * sizeof(*kept));
	if (!address)
		return;
	kept[SP] = (unsigned long)kept;
	kept[PC] = strtoul(address, NULL, 16);
	if (line[0] != 'f')
		return;
	kept[FLAGS] = 0x202;
	kept[SEGMENTS] = 0x002b000000000033; /* cs and ss of 64-bit programs */
}

int main(void)
{
	volatile unsigned long kept[REGISTERS] = {0};
	char line[80];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		unsigned long count = strtoul(line, NULL, 10);

		if (!count)
			keep(line, kept);
		while (count--)
			work();
		puts("done");
	}
	return 0;
}
