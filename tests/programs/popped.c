/*
 * popped.c - code whose stack pointer has no free memory below it
 *
 * usage: popped N [wait]
 *
 * The program does two things N times. It sums an array with `pop`: the stack
 * pointer points into the program's data, and below it are the elements that
 * were already read. popped_next is reached for each of the 64 elements. And it
 * calls tight() on a stack that has room for the return address only, because
 * the page below cannot be written.
 *
 * The program prints "intact", or which of the two was harmed. With `wait` it
 * first prints its pid and waits for a line of input.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ELEMENTS 64
#define PAGE 4096

uint64_t sum_popped(const uint64_t *array, uint64_t count);
void call_tight(void *stack);

__asm__(".text\n"
	".globl sum_popped, popped_next, call_tight, tight\n"
	".type sum_popped, @function\n"
	"sum_popped:\n"
	"	mov %rsp, %r11\n"
	"	mov %rdi, %rsp\n"
	"	xor %eax, %eax\n"
	"popped_next:\n"
	"	nopl 0x0(%rax, %rax, 1)\n" /* this is long enough for a jump */
	"	pop %rdx\n"
	"	add %rdx, %rax\n"
	"	dec %rsi\n"
	"	jnz popped_next\n"
	"	mov %r11, %rsp\n"
	"	ret\n"
	".size sum_popped, . - sum_popped\n"
	".type call_tight, @function\n"
	"call_tight:\n"
	"	mov %rsp, %r11\n"
	"	mov %rdi, %rsp\n"
	"	call tight\n"
	"	mov %r11, %rsp\n"
	"	ret\n"
	".size call_tight, . - call_tight\n"
	".p2align 4\n"
	".type tight, @function\n"
	"tight:\n"
	"	nopl 0x0(%rax, %rax, 1)\n"
	"	ret\n"
	".size tight, . - tight\n"
	"	.skip 16, 0x90\n");

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;
	uint64_t array[ELEMENTS], copy[ELEMENTS], sum = 0;
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) != 0)
		return 2;
	for (size_t i = 0; i < ELEMENTS; i++)
		sum += array[i] = 0x0101010101010101 * i;
	memcpy(copy, array, sizeof(array));
	if (argc > 2) {
		printf("%d\n", getpid());
		fflush(stdout);
		getchar();
	}
	for (long i = 0; i < count; i++) {
		if (sum_popped(array, ELEMENTS) != sum ||
		    memcmp(array, copy, sizeof(array)) != 0) {
			puts("the array was harmed");
			return 1;
		}
		call_tight(pages + PAGE + sizeof(void *));
	}
	puts("intact");
	return 0;
}
