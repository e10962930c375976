/*
 * heap.c - a heap that grows by brk(2) above a program at a fixed address, and
 * functions whose jumps may lead to where the heap grows
 *
 * usage: heap
 *
 * The program says `ready`, then obeys each line of its standard input. `grow
 * N` lets the heap grow by N MiB, one MiB after the other, without touching the
 * memory. Any other line calls all functions. The program prints the result.
 *
 * reach_N(n) is like land_N(n) of landings.c, and leads to N times 32 MiB above
 * itself.
 *
 * Flags: -fno-pie -no-pie
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS 60

typedef long (*function)(long n);
extern const function functions[FUNCTIONS];

__asm__(".text\n"
	".altmacro\n"
	".macro reach n\n"
	".globl reach_\\n\n"
	".type reach_\\n, @function\n"
	"reach_\\n:\n"
	"	push %rbx\n"
	"1:	.byte 0xb8\n" /* mov ..., %eax */
	"	.long ((\\n << 25) >> 8) & 0xffffff\n"
	"	dec %rdi\n"
	"	jg 1b\n"
	"	pop %rbx\n"
	"	ret\n"
	".size reach_\\n, . - reach_\\n\n"
	".pushsection .rodata\n"
	"	.quad reach_\\n\n"
	".popsection\n"
	".endm\n"
	".pushsection .rodata\n"
	".balign 8\n"
	"functions:\n"
	".popsection\n"
	".set number, 1\n"
	".rept 60\n"
	"reach %number\n"
	".set number, number + 1\n"
	".endr\n"
	".noaltmacro\n");

static void call_all(void)
{
	int right = 1;

	for (long i = 0; i < FUNCTIONS; i++)
		right &= functions[i](1) == (i + 1) << 17;
	puts(right ? "right" : "wrong");
}

static void grow(long size)
{
	for (long i = 0; i < size; i++)
		if (sbrk(1 << 20) == (char *)-1) {
			printf("the heap cannot grow after %ld MiB\n", i);
			return;
		}
	puts("the heap has grown");
}

int main(void)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "grow ", 5) == 0)
			grow(atol(line + 5));
		else
			call_all();
	}
	return 0;
}
