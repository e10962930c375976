/*
 * returns.c - every way out of a function
 *
 * Flags: -O2 -fno-reorder-blocks-and-partition
 *
 * many() has several returns. tail() leaves by a jump to another function,
 * choose() by a conditional jump that is taken every fourth time, and hop() by
 * an indirect jump. stay() jumps about within itself before it returns. All but
 * the first are assembly, so that no compiler can change them.
 */
#include <stdio.h>

unsigned long many_calls, target_calls, tail_calls, choose_calls, choose_jumps,
	hop_calls, stay_calls;

__attribute__((noinline)) int many(int n)
{
	many_calls++;
	if (n % 7 == 1)
		return printf("%s", "");
	if (n % 7 == 2)
		return n * 13;
	for (int i = 0; i < n % 5; i++) {
		__asm__ volatile("" : "+r"(n));
		if (n % 3 == i)
			return i;
	}
	return n / 3;
}

__attribute__((noinline, used)) int target(int n)
{
	target_calls++;
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

int tail(int n);
int choose(int n);
int hop(int n);
int stay(int n);

__asm__(".text\n"
	".globl tail\n.type tail, @function\n"
	"tail:\n"
	"	incq	tail_calls(%rip)\n"
	"	jmp	target\n"
	".size tail, .-tail\n"

	".globl choose\n.type choose, @function\n"
	"choose:\n"
	"	incq	choose_calls(%rip)\n"
	"	testl	$3, %edi\n"
	"	jz	target\n"
	"	leal	2(%rdi), %eax\n"
	"	ret\n"
	".size choose, .-choose\n"

	".globl hop\n.type hop, @function\n"
	"hop:\n"
	"	incq	hop_calls(%rip)\n"
	"	leaq	target(%rip), %rax\n"
	"	jmp	*%rax\n"
	".size hop, .-hop\n"

	".globl stay\n.type stay, @function\n"
	"stay:\n"
	"	incq	stay_calls(%rip)\n"
	"	xorl	%eax, %eax\n"
	"	leaq	2f(%rip), %rdx\n"
	"	jmp	*%rdx\n"
	"1:	addl	%edi, %eax\n"
	"	ret\n"
	"2:	incl	%eax\n"
	"	cmpl	$3, %eax\n"
	"	jl	2b\n"
	"	jmp	1b\n"
	".size stay, .-stay\n");

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 400; i++) {
		sum += many(i) + tail(i) + choose(i) + hop(i) + stay(i);
		choose_jumps += i % 4 == 0;
	}
	printf("many %lu\ntail %lu\nchoose %lu\njumps %lu\nhop %lu\n"
	       "stay %lu\ntarget %lu\nsum %ld\n",
	       many_calls, tail_calls, choose_calls, choose_jumps, hop_calls,
	       stay_calls, target_calls, sum);
	return 0;
}
