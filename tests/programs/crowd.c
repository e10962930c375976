/*
 * crowd.c - ten thousand functions
 *
 * usage: crowd [THREADS]
 *
 * In a round, the program calls crowd_0() to crowd_9999(), crowd_N()
 * times_of(N) times, and checks the sum of their results. Without THREADS it
 * makes one round and says whether the sum is right. With THREADS it obeys
 * lines: a number is how many rounds every thread makes; after `go` the threads
 * make rounds until `stop`. The program prints how many rounds there were, and
 * whether all were right.
 *
 * crowd_N() adds N to %rax, except for the functions that are a lone return.
 * The last digit of N says how they begin:
 *
 *	0, 1, 7, 8	an instruction of four bytes and more
 *	2		a return, and padding
 *	3		a push of one byte, and others
 *	4, 9		two or three bytes, and others
 *	5		a loop of two bytes, three times
 *	6		a jump of two bytes, over padding
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS 10000

extern const uint64_t functions[FUNCTIONS];
uint64_t call_crowd(uint64_t sum, uint64_t function, uint64_t loops);

__asm__(".text\n"
	".altmacro\n"
	".macro crowd n\n"
	".globl crowd_\\n\n"
	".type crowd_\\n, @function\n"
	"crowd_\\n:\n"
	".if \\n % 10 == 0\n"
	"	movabs $\\n, %rdx\n"
	"	add %rdx, %rax\n"
	".elseif \\n % 10 == 1\n"
	"	lea \\n(%rax), %rax\n"
	".elseif \\n % 10 == 3\n"
	"	push %rbx\n"
	"	mov $\\n, %ebx\n"
	"	add %rbx, %rax\n"
	"	pop %rbx\n"
	".elseif \\n % 10 == 4\n"
	"	xor %edx, %edx\n"
	"	mov $\\n, %dx\n"
	"	add %rdx, %rax\n"
	".elseif \\n % 10 == 5\n"
	"1:	loop 1b\n"
	"	add $\\n, %rax\n"
	".elseif \\n % 10 == 6\n"
	"	jmp 1f\n"
	"	.byte 0xcc, 0xcc, 0xcc\n"
	"1:	add $\\n, %rax\n"
	".elseif \\n % 10 == 7\n"
	"	endbr64\n"
	"	add $\\n, %rax\n"
	".elseif \\n % 10 == 8\n"
	"	mov two(%rip), %rdx\n"
	"	lea \\n - 2(%rax, %rdx), %rax\n"
	".elseif \\n % 10 == 9\n"
	"	inc %rax\n"
	"	add $\\n - 1, %rax\n"
	".endif\n"
	"	ret\n"
	".if \\n % 10 == 2\n"
	"	.balign 16, 0xcc\n"
	".endif\n"
	".size crowd_\\n, . - crowd_\\n\n"
	".pushsection .data.rel.ro.local, \"aw\"\n"
	"	.quad crowd_\\n\n"
	".popsection\n"
	".endm\n"
	".pushsection .data.rel.ro.local, \"aw\"\n"
	".balign 8\n"
	"two:	.quad 2\n"
	"functions:\n"
	".popsection\n"
	".set number, 0\n"
	".rept 10000\n"
	"crowd %number\n"
	".set number, number + 1\n"
	".endr\n"
	".noaltmacro\n"
	".type call_crowd, @function\n"
	"call_crowd:\n"
	"	mov %rdi, %rax\n"
	"	mov %rdx, %rcx\n"
	"	sub $8, %rsp\n"
	"	call *%rsi\n"
	"	add $8, %rsp\n"
	"	ret\n"
	".size call_crowd, . - call_crowd\n");

static int times_of(int number)
{
	return 1 + (number + number / 10) % 7;
}

static uint64_t wanted(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		if (i % 10 != 2)
			sum += (uint64_t)times_of(i) * (uint64_t)i;
	return sum;
}

/* Makes a round, and returns whether its sum was right. */
static int round_of_calls(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
		for (int n = times_of(i); n > 0; n--)
			sum = call_crowd(sum, functions[i], 3);
	return sum == wanted();
}

static atomic_long rounds, wrong;
static atomic_int stopped;
static long most;

static void *work(void *unused)
{
	for (long i = 0; i < most && !stopped; i++) {
		wrong += !round_of_calls();
		rounds++;
	}
	return unused;
}

#define THREADS 16

static void start(pthread_t *threads, int count)
{
	rounds = wrong = stopped = 0;
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			abort();
}

static void finish(const pthread_t *threads, int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%ld rounds, %s\n", rounds, wrong ? "wrong" : "right");
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t threads[THREADS];
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (count > THREADS)
		return 2;
	if (!count) {
		printf("1 rounds, %s\n", round_of_calls() ? "right" : "wrong");
		return 0;
	}
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		if (strcmp(line, "stop\n") == 0) {
			stopped = 1;
			finish(threads, count);
			continue;
		}
		most = strcmp(line, "go\n") == 0 ? INT64_MAX : atol(line);
		start(threads, count);
		if (most != INT64_MAX)
			finish(threads, count);
		else
			puts("going");
	}
	return 0;
}
