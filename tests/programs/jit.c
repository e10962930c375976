/*
 * jit.c - code that is made while the program runs, at a known address
 *
 * usage: jit [again]
 *
 * The program writes a function to 0x20000000, calls ready(), and calls the
 * function 100 times. With `again` it then writes another function over the
 * first one, calls ready_again(), and calls the new function 50 times. Then it
 * unmaps the memory, maps it anew, writes a third function to it, and calls
 * that 25 times.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PLACE ((void *)0x20000000)

static unsigned long calls, sum;

__attribute__((noinline)) void ready(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void ready_again(void)
{
	__asm__ volatile("");
}

/* mov $NUMBER, %eax; lea (%rax,%rdi,2), %eax; ret */
static void make(unsigned char number)
{
	const unsigned char code[] = {0xb8, number, 0,    0,   0,
				      0x8d, 0x04,   0x78, 0xc3};

	memcpy(PLACE, code, sizeof(code));
}

static void map(void)
{
	if (mmap(PLACE, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != PLACE)
		perror("mmap");
}

static void call(unsigned times)
{
	unsigned (*volatile made)(unsigned) =
		(unsigned (*)(unsigned))0x20000000;

	for (unsigned i = 0; i < times; i++)
		sum += made(i);
	calls += times;
}

int main(int argc, char **argv)
{
	map();
	make(3);
	ready();
	call(100);
	if (argc > 1 && strcmp(argv[1], "again") == 0) {
		make(50);
		ready_again();
		call(50);
		munmap(PLACE, 4096);
		map();
		make(70);
		ready_again();
		call(25);
	}
	printf("calls %lu\nsum %lu\n", calls, sum);
	return 0;
}
