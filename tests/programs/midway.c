/*
 * midway.c - tail jumps that lead past the entry of a function
 *
 * Flags: -O2 -fno-reorder-blocks-and-partition
 *
 * copy_end() jumps into copy(), behind its first instruction, as mempcpy() of
 * the C library does with memcpy(). forward() jumps to the entry of copy(),
 * which has another name, move(): if both are timed, threads cannot count them.
 * The loop of around() has one half in a function of its own, pass(), which
 * jumps back into around(). Nothing but these jumps leads from one to the
 * other. All are assembly, so that no compiler can change them.
 */
#include <stdio.h>

unsigned long copy_calls, copy_end_calls, forward_calls, around_calls,
	pass_calls;

long copy(long n);
long copy_end(long n);
long forward(long n);
long around(long n);

__asm__(".text\n"
	".globl copy\n.type copy, @function\n"
	".globl move\n.set move, copy\n"
	"copy:\n"
	"	incq	copy_calls(%rip)\n"
	".Lcopied:\n"
	"	testl	$1, %edi\n"
	"	jz	1f\n"
	"	leaq	0x100(%rdi), %rax\n"
	"	ret\n"
	"	.skip	16, 0x90\n"
	"1:	leaq	0x200(%rdi), %rax\n"
	"	ret\n"
	"	.skip	16, 0x90\n"
	".size copy, .-copy\n"

	".globl copy_end\n.type copy_end, @function\n"
	"copy_end:\n"
	"	incq	copy_end_calls(%rip)\n"
	"	jmp	.Lcopied\n"
	"	.skip	16, 0x90\n"
	".size copy_end, .-copy_end\n"

	".globl forward\n.type forward, @function\n"
	"forward:\n"
	"	incq	forward_calls(%rip)\n"
	"	jmp	copy\n"
	"	.skip	16, 0x90\n"
	".size forward, .-forward\n"

	".globl around\n.type around, @function\n"
	"around:\n"
	"	incq	around_calls(%rip)\n"
	".Lcome_back:\n"
	"	subq	$1, %rdi\n"
	"	jg	pass\n"
	"	leaq	0x100(%rdi), %rax\n"
	"	ret\n"
	"	.skip	16, 0x90\n"
	".size around, .-around\n"

	".globl pass\n.type pass, @function\n"
	"pass:\n"
	"	incq	pass_calls(%rip)\n"
	"	jmp	.Lcome_back\n"
	"	.skip	16, 0x90\n"
	".size pass, .-pass\n");

int main(void)
{
	long sum = 0;

	for (long i = 0; i < 3000; i++) {
		sum += copy_end(i);
		if (i % 3 == 0)
			sum += forward(i);
		if (i % 5 == 0)
			sum += copy(i);
		sum += around(i % 4);
	}
	printf("copy %lu\ncopy_end %lu\nforward %lu\naround %lu\npass %lu\n",
	       copy_calls, copy_end_calls, forward_calls, around_calls,
	       pass_calls);
	return sum == 0;
}
