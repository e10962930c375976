/*
 * rseq.c - threads that count on each processor in a restartable sequence
 *
 * usage: rseq THREADS COUNT
 *
 * Each thread adds 1 COUNT times. `lost` is what is missing in the end.
 * `inside` is an instruction within the sequence, and `before` is the function
 * that makes the sequence.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/rseq.h>

enum { PROCESSORS = 1024, MOST_THREADS = 64 };

static struct {
	volatile long count;
	char apart[56];
} processors[PROCESSORS];

static long wanted;

static struct rseq *self(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() +
			       __rseq_offset);
}

/* Add 1 in the sequence of `processor`. Returns 0 if the kernel has aborted the
 * sequence. A loop makes the sequence long enough to be interrupted. */
static inline __attribute__((always_inline)) int add(volatile long *count,
						     unsigned processor)
{
	struct rseq *own = self();

	__asm__ goto volatile(
		".pushsection __rseq_cs, \"aw\"\n"
		"	.balign	32\n"
		"3:	.long	0, 0\n"
		"	.quad	1f, 2f - 1f, 4f\n"
		".popsection\n"
		"	leaq	3b(%%rip), %%rax\n"
		"	movq	%%rax, %[sequence]\n"
		"1:	cmpl	%[processor], %[current]\n"
		"	jnz	4f\n"
		"	movq	(%[count]), %%rcx\n"
		".globl inside\n"
		".type inside, @function\n"
		"inside:\n"
		"	movl	$2000, %%edx\n"
		"5:	decl	%%edx\n"
		"	jnz	5b\n"
		"	incq	%%rcx\n"
		"	movq	%%rcx, (%[count])\n"
		"2:\n"
		".pushsection .text.unlikely, \"ax\"\n"
		"	.byte	0x0f, 0xb9, 0x3d\n"
		"	.long	0x53053053\n" /* RSEQ_SIG */
		"4:	jmp	%l[aborted]\n"
		".popsection\n"
		:
		: [sequence] "m"(own->rseq_cs), [current] "m"(own->cpu_id),
		  [processor] "r"(processor), [count] "r"(count)
		: "rax", "rcx", "rdx", "memory", "cc"
		: aborted);
	return 1;
aborted:
	return 0;
}

__attribute__((noinline)) void before(void)
{
	unsigned processor;

	do
		processor = self()->cpu_id_start;
	while (!add(&processors[processor].count, processor));
}

static void *count_up(void *unused)
{
	for (long i = 0; i < wanted; i++)
		before();
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t all[MOST_THREADS];
	long sum = 0;

	wanted = argc > 2 ? atol(argv[2]) : 1000;
	if (!__rseq_size || threads > MOST_THREADS)
		return 2;
	for (int i = 0; i < threads; i++)
		pthread_create(&all[i], NULL, count_up, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
	for (int i = 0; i < PROCESSORS; i++)
		sum += processors[i].count;
	printf("counted %ld\nlost %ld\n", threads * wanted,
	       threads * wanted - sum);
	return 0;
}
