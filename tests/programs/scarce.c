/*
 * scarce.c - functions whose jumps have little room, or none
 *
 * Flags: -no-pie
 *
 * usage: scarce ROUNDS [stack]
 *
 * In a program that is not position-independent, a jump can only lead to the 2
 * GiB above it. room_N(n) begins with an instruction of four bytes, and the
 * next byte, N, is the last one of the displacement of a jump in its place: the
 * jump can lead to 16 MiB at 0xN000000 above. The other instructions cannot be
 * jumps. Together these functions lead to addresses all over the 1 GiB in which
 * the kernel may place the heap, and the 1 GiB above it.
 *
 * none(n) begins with a push of one byte. A jump in its place would lead to
 * below 0, and nothing beside it can make room. With `stack`, a signal handler
 * on a stack of its own calls it.
 *
 * The program prints how often it has called each function, and how often the
 * kernel has taken it off its processor while it did so, because it had to
 * wait: each stop for a debugger is such a wait.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

long room_08(long n), room_18(long n), room_28(long n), room_38(long n);
long room_48(long n), none(long n);

/* lea 1(%rdi), %rax; OPCODE %cl, %cl; no-operations, in whose place a jump
 * would lead to below 0; ret; the next function is behind padding, so that the
 * return is no problem */
#define ROOM(number)                                                           \
	".globl room_" number "\n"                                             \
	".type room_" number ", @function\n"                                   \
	".balign 64, 0xcc\n"                                                   \
	"room_" number ":\n"                                                   \
	"	.cfi_startproc\n"                                                    \
	"	lea 1(%rdi), %rax\n"                                                 \
	"	.byte 0x" number ", 0xc9\n"                                    \
	"	.fill 9, 1, 0x90\n"                                                  \
	"	ret\n"                                                               \
	"	.cfi_endproc\n"                                                      \
	".size room_" number ", . - room_" number "\n"                         \
	".balign 64, 0xcc\n"

__asm__(".text\n" ROOM("08") ROOM("18") ROOM("28") ROOM("38")
	/* (In place of `and` there is one with a REX prefix.) */
	".globl room_48\n"
	".type room_48, @function\n"
	".balign 64, 0xcc\n"
	"room_48:\n"
	"	.cfi_startproc\n"
	"	lea 1(%rdi), %rax\n"
	"	.byte 0x48, 0x21, 0xc9\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size room_48, . - room_48\n"
	".globl none\n"
	".type none, @function\n"
	".balign 64, 0xcc\n"
	"none:\n"
	"	.cfi_startproc\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	.cfi_offset %rbx, -16\n"
	"1:	dec %edi\n"
	"	jns 1b\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	nop\n"
	"	xor %eax, %eax\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size none, . - none\n"
	".balign 64, 0xcc\n");

typedef long (*function)(long n);
static const function rooms[] = {room_08, room_18, room_28, room_38, room_48};
static const char *const names[] = {"room_08", "room_18", "room_28", "room_38",
				    "room_48"};
enum { ROOMS = sizeof(rooms) / sizeof(*rooms) };

static long rounds, sum;

static long waits(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw;
}

static void on_signal(int number)
{
	(void)number;
	for (long i = 0; i < rounds; i++)
		sum += none(1);
}

static void call_on_stack(void)
{
	static char memory[1 << 16];
	const stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_ONSTACK};

	if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		abort();
	raise(SIGUSR1);
	printf("none %ld 0\n", rounds);
}

int main(int argc, char **argv)
{
	long before, after;

	rounds = argc > 1 ? atol(argv[1]) : 1;
	if (argc > 2 && strcmp(argv[2], "stack") == 0) {
		call_on_stack();
		return sum != 0;
	}
	/* What the profiler learns at the first calls costs stops. */
	for (long i = 0; i < ROOMS; i++)
		sum += rooms[i](0);
	before = waits();
	for (long n = 1; n < rounds; n++)
		for (long i = 0; i < ROOMS; i++)
			sum += rooms[i](n);
	after = waits();
	for (long i = 0; i < ROOMS; i++)
		printf("%s %ld 0\n", names[i], rounds);
	printf("waits %ld\n", after - before);
	return sum != ROOMS * rounds * (rounds + 1) / 2;
}
