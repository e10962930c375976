/*
 * landings.c - functions whose jumps each lead to another piece of memory
 *
 * usage: landings
 *
 * The program says `ready`, then obeys each line of its standard input. A
 * number is how many rounds it makes, after which it prints how many they were,
 * and whether all sums were right. `grow N` lets the heap grow by N MiB, by
 * brk(2). `get N` allocates N MiB by malloc(3), 64 KiB at a time, until the
 * program ends.
 *
 * land_N(n) begins with a push of one byte. The next four bytes are those of an
 * instruction. As the displacement of a jump they lead to 1 GiB below, and 64
 * KiB more for each N. The program maps a page next to each of these places, so
 * that no free piece there is larger than a few pages. There can be no jump in
 * place of the second instruction, because a loop leads there. land_near(n) and
 * land_far(n) begin in the same way. One leads to 100 MiB above, the other to
 * 900 MiB above: within and beyond what is left to the heap in any case, if the
 * heap begins above the program.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS 4300
#define PAGE 4096UL

typedef long (*function)(long n);
extern const function functions[FUNCTIONS];
long land_near(long n), land_far(long n);

/* The function returns the displacement without its last byte. */
#define LAND(name, displacement)                                               \
	".globl " name "\n"                                                    \
	".type " name ", @function\n" name ":\n"                               \
	"	push %rbx\n"                                                         \
	"1:	.byte 0xb8\n" /* mov ..., %eax */                              \
	"	.long ((" displacement ") >> 8) & 0xffffff\n"                  \
	"	dec %rdi\n"                                                          \
	"	jg 1b\n"                                                             \
	"	pop %rbx\n"                                                          \
	"	ret\n"                                                               \
	".size " name ", . - " name "\n"

__asm__(".text\n"
	".altmacro\n"
	".macro land n\n" LAND(
		"land_\\n",
		"0xc0000000 - \\n * 0x10000") ".pushsection "
					      ".data.rel.ro.local, \"aw\"\n"
					      "	.quad land_\\n\n"
					      ".popsection\n"
					      ".endm\n"
					      ".pushsection "
					      ".data.rel.ro.local, \"aw\"\n"
					      ".balign 8\n"
					      "functions:\n"
					      ".popsection\n"
					      ".set number, 0\n"
					      ".rept 4300\n"
					      "land %number\n"
					      ".set number, number + 1\n"
					      ".endr\n"
					      ".noaltmacro\n" LAND("land_near",
								   "100 << 20")
						      LAND("land_far",
							   "900 << 20"));

static uint64_t landing_of(function function)
{
	int32_t displacement;

	memcpy(&displacement, (const char *)function + 1, sizeof(displacement));
	return (uint64_t)function + 5 + (uint64_t)(int64_t)displacement;
}

static void map_beside(function function)
{
	uint64_t page = (landing_of(function) & ~(PAGE - 1)) ^ 8 * PAGE;

	if (mmap((void *)page, PAGE, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) != (void *)page)
		abort();
}

static int is_right(void)
{
	long sum = 0, wanted = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		for (int n = 0; n <= i % 3; n++) {
			sum += functions[i](n);
			wanted += (0xc0000000 - i * 0x10000L) >> 8;
		}
	return sum == wanted && land_near(1) == 100 << 12 &&
	       land_far(2) == 900 << 12;
}

static void work(long rounds)
{
	int right = 1;

	for (long i = 0; i < rounds; i++)
		right &= is_right();
	printf("%ld rounds, %s\n", rounds, right ? "right" : "wrong");
}

static void grow(long size)
{
	/* nothing touches the new memory, because only its addresses matter */
	puts(sbrk(size << 20) == (char *)-1 ? "the heap cannot grow"
					    : "the heap has grown");
}

static void get(long size)
{
	for (long i = 0; i < size * 16; i++) {
		char *memory = malloc(65536);

		if (!memory) {
			puts("no memory");
			return;
		}
		memset(memory, 1, 65536);
	}
	puts("got it");
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < FUNCTIONS; i++)
		map_beside(functions[i]);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "grow ", 5) == 0)
			grow(atol(line + 5));
		else if (strncmp(line, "get ", 4) == 0)
			get(atol(line + 4));
		else
			work(atol(line));
	}
	return 0;
}
