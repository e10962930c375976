/*
 * diverted.c - a signal handler that makes its context look like a call, as Go
 * does to make a goroutine give way
 *
 * usage: diverted N
 *
 * The program calls leaf() N times. Meanwhile the handler of a timer makes the
 * interrupted code call a routine first, which changes nothing. The program
 * prints how many calls there were, and whether they were diverted.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

#define RED_ZONE 128

static volatile sig_atomic_t diverted;
void detour(void);

/* The routine returns to the interrupted instruction, and skips the red zone.
 */
__asm__(".text\n"
	".type detour, @function\n"
	"detour:\n"
	"	pushfq\n"
	"	push %rax\n"
	"	incq detours(%rip)\n"
	"	pop %rax\n"
	"	popfq\n"
	"	ret $128\n"
	".size detour, . - detour\n");

uint64_t detours;
extern char __executable_start, etext;

static void divert(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)registers[REG_RIP];

	(void)signal, (void)info;
	/* code outside of the program may not bear the diversion */
	if (pc < (uintptr_t)&__executable_start || pc >= (uintptr_t)&etext ||
	    pc - (uintptr_t)detour < 64)
		return;
	registers[REG_RSP] -= RED_ZONE + sizeof(uint64_t);
	*(uint64_t *)registers[REG_RSP] = pc;
	registers[REG_RIP] = (greg_t)detour;
	diverted++;
}

__attribute__((noinline)) uint64_t leaf(uint64_t a, uint64_t b)
{
	__asm__ volatile("" ::: "memory");
	return a * 31 + b;
}

static uint64_t work(long count)
{
	uint64_t hash = 1;

	for (long i = 0; i < count; i++)
		hash = leaf(hash, (uint64_t)i);
	return hash;
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = divert,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval timer = {.it_interval.tv_usec = 1000,
				  .it_value.tv_usec = 1000};
	long count = argc > 1 ? atol(argv[1]) : 1;
	uint64_t expected = work(count);

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	if (work(count) != expected) {
		puts("harmed");
		return 1;
	}
	timer = (struct itimerval){0};
	setitimer(ITIMER_REAL, &timer, NULL);
	printf("%ld calls, %s\n", 2 * count,
	       diverted && detours == (uint64_t)diverted ? "diverted"
							 : "not diverted");
	return 0;
}
