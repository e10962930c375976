/*
 * calls.c - the measured functions, and their callers, who count and check
 *
 * Those in assembly begin with instructions that are awkward to displace. Each
 * call of them is made with known values in all callee-saved registers, in a
 * vector register and in the carry, which none of them changes.
 */
#include <stdlib.h>

#include "victim.h"

#define FILE_NUMBER 1
#define KEEP __attribute__((noinline, noclone, noipa))

uint64_t f1(uint64_t x), f2(uint64_t x), f3(uint64_t x), f6(uint64_t x),
	f8(uint64_t x), f9(uint64_t x), f10(uint64_t x);
uint64_t f0(uint64_t x);
uint64_t f4(uint64_t depth, uint64_t how);
uint64_t f5(uint64_t how);
uint64_t f7(uint64_t x);

#define BEGIN(name)                                                            \
	".balign 16\n.globl " name "\n.type " name ", @function\n" name ":\n"
#define END(name) ".size " name ", .-" name "\n"

__asm__(".text\n"
	/* x + 1 */
	BEGIN("f1") "push %rbx\n"
		    "lea 1(%rdi), %rbx\n"
		    "mov %rbx, %rax\n"
		    "pop %rbx\n"
		    "ret\n" END("f1")
	/* x + 2 */
	BEGIN("f2") "jmp 1f\n"
		    "ud2\n"
		    "1: lea 2(%rdi), %rax\n"
		    "ret\n" END("f2")
	/* what was in rax: the function's address */
	BEGIN("f3") "ret\n" END("f3")
	/* f1(x + 6) */
	BEGIN("f6") "lea 6(%rdi), %rdi\n"
		    "jmp f1\n" END("f6")
	/* x + 8 with the carry, x - 8 without */
	BEGIN("f8") "jnc 1f\n"
		    "lea 8(%rdi), %rax\n"
		    "mov %rax, -16(%rsp)\n"
		    "mov %rdi, -120(%rsp)\n"
		    "mov -16(%rsp), %rax\n"
		    "ret\n"
		    "1: lea -8(%rdi), %rax\n"
		    "mov %rax, -8(%rsp)\n"
		    "mov -8(%rsp), %rax\n"
		    "ret\n" END("f8")
	/* f1(x) + 9 */
	BEGIN("f9") "call f1\n"
		    "lea 9(%rax), %rax\n"
		    "ret\n" END("f9")
	/* x + 10 */
	BEGIN("f10") "mov ten(%rip), %rax\n"
		     "lea (%rax,%rdi), %rax\n"
		     "ret\n" END("f10")
	/* the system call of which all is in the registers */
	BEGIN("f13") "syscall\n"
		     "ret\n" END("f13")
	/* long enter_f13(long number, long a, long b, long c) */
	BEGIN("enter_f13") "sub $8, %rsp\n"
			   "mov %rdi, %rax\n"
			   "mov %rsi, %rdi\n"
			   "mov %rdx, %rsi\n"
			   "mov %rcx, %rdx\n"
			   "call f13\n"
			   "add $8, %rsp\n"
			   "ret\n" END("enter_f13")
	/* uint64_t enter(uint64_t (*f)(uint64_t), uint64_t x, struct seen *) */
	BEGIN("enter") "push %rbx\npush %rbp\n"
		       "push %r12\npush %r13\npush %r14\npush %r15\n"
		       "push %rdx\n"
		       "mov %rdi, %rax\n"
		       "mov %rsi, %rdi\n"
		       "lea 11(%rdi), %rbx\n"
		       "lea 12(%rdi), %rbp\n"
		       "lea 13(%rdi), %r12\n"
		       "lea 14(%rdi), %r13\n"
		       "lea 15(%rdi), %r14\n"
		       "lea 16(%rdi), %r15\n"
		       "movq %rdi, %xmm15\n"
		       "bt $0, %rdi\n"
		       "call *%rax\n"
		       "pop %rdx\n"
		       "setc 56(%rdx)\n"
		       "mov %rbx, (%rdx)\nmov %rbp, 8(%rdx)\n"
		       "mov %r12, 16(%rdx)\nmov %r13, 24(%rdx)\n"
		       "mov %r14, 32(%rdx)\nmov %r15, 40(%rdx)\n"
		       "movq %xmm15, 48(%rdx)\n"
		       "pop %r15\npop %r14\npop %r13\npop %r12\n"
		       "pop %rbp\npop %rbx\n"
		       "ret\n" END("enter")
	/* */
	".section .rodata\n.balign 8\nten: .quad 10\n.text\n");

/* What the registers held after a call. */
struct seen {
	uint64_t saved[6], vector;
	uint8_t carry;
};
uint64_t enter(uint64_t (*function)(uint64_t), uint64_t x, struct seen *seen);
long enter_f13(long number, long a, long b, long c);

/* ---- counting ------------------------------------------------------------ */

static void count(atomic_ulong *counter, unsigned long by)
{
	atomic_fetch_add(counter, by);
}

void count_begun(enum function function)
{
	count(&truth->calls[kind][function].begun, 1);
}

void count_returned(enum function function)
{
	count(&truth->calls[kind][function].returned, 1);
}

void count_unwound(enum function function, unsigned long times)
{
	count(&truth->calls[kind][function].unwound, times);
}

/* ---- those that only compute ----------------------------------------------
 */

KEEP uint64_t f0(uint64_t x)
{
	uint64_t sum = x;

	for (unsigned i = 0; i < 5; i++)
		sum = sum * 0x9e3779b97f4a7c15u + i;
	return sum;
}

KEEP uint64_t f7(uint64_t x)
{
	return x * 3 + 7;
}

static uint64_t expected(enum function function, uint64_t x)
{
	switch (function) {
	case F1:
		return x + 1;
	case F2:
		return x + 2;
	case F3:
		return (uint64_t)f3;
	case F6:
		return x + 7;
	case F8:
		return x & 1 ? x + 8 : x - 8;
	case F9:
		return x + 10;
	default:
		return x + 10;
	}
}

static uint64_t (*const assembled[FUNCTIONS])(uint64_t) = {
	[F1] = f1, [F2] = f2, [F3] = f3,   [F6] = f6,
	[F8] = f8, [F9] = f9, [F10] = f10,
};

/* f6 and f9 call f1, each once. */
static bool calls_f1(enum function function)
{
	return function == F6 || function == F9;
}

void call_as(enum kind as, enum function function, uint64_t x)
{
	struct calls *calls = truth->calls[as];
	struct seen seen;
	uint64_t result;

	count(&calls[function].begun, 1);
	if (calls_f1(function))
		count(&calls[F1].begun, 1);
	result = enter(assembled[function], x, &seen);
	count(&calls[function].returned, 1);
	if (calls_f1(function))
		count(&calls[F1].returned, 1);
	CHECK_EQUAL(result, expected(function, x));
	for (unsigned i = 0; i < 6; i++)
		CHECK_EQUAL(seen.saved[i], x + 11 + i);
	CHECK_EQUAL(seen.vector, x);
	CHECK_EQUAL(seen.carry, x & 1);
}

/* What f0 computes, written out. */
static void call_f0(uint64_t x)
{
	const uint64_t m = 0x9e3779b97f4a7c15u;
	uint64_t result;

	count_begun(F0);
	result = f0(x);
	count_returned(F0);
	CHECK_EQUAL(result, ((((x * m) * m + 1) * m + 2) * m + 3) * m + 4);
}

void call_plain(uint64_t *random)
{
	static const enum function functions[] = {F1, F2, F3, F6, F8, F9, F10};
	uint64_t x = next_random(random);
	unsigned which = (unsigned)(x >> 32) % 8;

	if (which == 7)
		call_f0(x);
	else
		call_as(kind, functions[which], x);
}

void call_handler(uint64_t x)
{
	uint64_t result;

	count_begun(F7);
	result = f7(x);
	count_returned(F7);
	CHECK_EQUAL(result, x * 3 + 7);
}

void call_library(uint64_t (*g0)(uint64_t), uint64_t x)
{
	uint64_t result;

	count_begun(G0);
	result = g0(x);
	count_returned(G0);
	CHECK_EQUAL(result, x ^ 0x5555);
}

long call_system(long number, long a, long b, long c)
{
	long result;

	count_begun(F13);
	result = enter_f13(number, a, b, c);
	count_returned(F13);
	return result;
}

/* ---- those that are left in other ways ------------------------------------
 */

enum { RETURN, JUMP, FAULT, WAYS };

static __thread sigjmp_buf *catcher;

KEEP uint64_t f5(uint64_t how)
{
	volatile uint64_t local = how;

	if (how == JUMP)
		siglongjmp(*catcher, 1);
	if (how == FAULT)
		*(volatile char *)8 = 1; /* on_segv() jumps */
	return local + 5;
}

KEEP uint64_t f4(uint64_t depth, uint64_t how)
{
	uint64_t below;

	if (depth) {
		count_begun(F4);
		below = f4(depth - 1, how);
		count_returned(F4);
		return below + depth;
	}
	count_begun(F5);
	below = f5(how);
	count_returned(F5);
	return below;
}

static void on_segv(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	if (!catcher) {
		note_bad(FILE_NUMBER, __LINE__, (uint64_t)info->si_addr, 8);
		_Exit(99);
	}
	CHECK_EQUAL(info->si_addr, 8);
	siglongjmp(*catcher, 1);
}

static void call_f4(uint64_t depth, uint64_t how)
{
	sigjmp_buf here;
	uint64_t result;

	catcher = &here;
	if (sigsetjmp(here, 1)) {
		count_unwound(F4, depth + 1);
		count_unwound(F5, 1);
		atomic_fetch_add(&truth->unwindings, 1);
		CHECK_EQUAL(how == RETURN, false);
	} else {
		count_begun(F4);
		result = f4(depth, how);
		count_returned(F4);
		CHECK_EQUAL(result, how + 5 + depth * (depth + 1) / 2);
	}
	catcher = NULL;
}

void call_deep(uint64_t *random)
{
	call_f4(next_random(random) % 6, RETURN);
}

void call_out(uint64_t *random)
{
	uint64_t x = next_random(random);

	call_f4(x % 4, (x >> 32) % WAYS);
}

void call_any(uint64_t *random)
{
	switch (next_random(random) % 16) {
	case 0:
		call_deep(random);
		break;
	case 1:
		call_out(random);
		break;
	default:
		call_plain(random);
	}
}

KEEP uint64_t f11(uint64_t x, void (*leave)(void *), void *context)
{
	volatile uint64_t local = x * 11;

	leave(context);
	return local + 11;
}

/* ---- workers ---------------------------------------------------------------
 */

void catch_faults(void)
{
	struct sigaction action = {.sa_sigaction = on_segv,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigaction(SIGSEGV, &action, NULL);
}

/* Every second worker has its signals on a stack of their own. */
static void set_up_worker(struct thread *thread)
{
	enum { SIZE = 65536 };
	stack_t stack = {.ss_size = SIZE};

	if (thread->number % 2 == 0)
		return;
	thread->own = stack.ss_sp = malloc(SIZE);
	sigaltstack(&stack, NULL);
}

static void ready_for_signals(struct thread *thread)
{
	set_up_worker(thread);
	unblock(SIGALRM);
	unblock(SIGUSR1);
	unblock(SIGRTMIN + 1);
}

static void tear_down_worker(struct thread *thread)
{
	stack_t none = {.ss_flags = SS_DISABLE};

	if (thread->own)
		sigaltstack(&none, NULL);
	free(thread->own);
}

static void work(struct thread *thread)
{
	for (unsigned i = 0; i < 32; i++)
		call_any(&thread->random);
}

static void work_blocked(struct thread *thread)
{
	for (unsigned i = 0; i < 32; i++)
		call_plain(&thread->random);
}

/* It wants SIGTRAP blocked: what no tool can leave so. */
static void block_trap(struct thread *thread)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	atomic_store(&thread->slot->blocks_trap, 1);
}

const struct feature worker_features[] = {
	{"worker", 2, 1, ready_for_signals, work, tear_down_worker, NULL},
	{"blocked", 1, 1, block_trap, work_blocked, NULL, NULL},
	{0},
};
