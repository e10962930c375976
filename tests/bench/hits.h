/*
 * hits.h - a place that is hit, for every way of hitting it
 *
 * hit() is an instruction and a return; hit_slot is a copy of the instruction
 * that goes on behind it, for those who do not bring their own.
 */
#ifndef BENCH_HITS_H
#define BENCH_HITS_H

#include <stdint.h>
#include <time.h>

int hit(int n);
extern char hit_slot[];

__asm__(".text\n"
	".globl hit\n.type hit, @function\n.p2align 4\n"
	"hit:\n"
	"	movl	%edi, %eax\n"
	"	ret\n"
	".size hit, .-hit\n"
	".globl hit_slot\n"
	"hit_slot:\n"
	"	movl	%edi, %eax\n"
	"	jmp	hit + 2\n");

static inline double clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* What one call costs, ns: the mean of `count`. */
static inline double time_hits(unsigned long count)
{
	double start = clock_ns();

	for (unsigned long i = 0; i < count; i++)
		hit((int)i);
	return (clock_ns() - start) / (double)count;
}

#endif
