/*
 * segv.c - faults, and how a handler leaves them
 *
 * poke() writes to a page that cannot be written. Every third time the handler
 * jumps out of it. Otherwise the handler makes the page writable and returns,
 * and the instruction is executed once more.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf out;
static unsigned long entered, left, jumps, faults, wrong;
static volatile unsigned char *page;
static volatile int round_number;

/* The fault is in the first instruction of the function, which a probe there
 * has displaced. */
void poke(volatile unsigned char *where);
__asm__(".text\n"
	".globl poke\n"
	".type poke, @function\n"
	"poke:\n"
	"poke_store:\n"
	"	movb $1, (%rdi)\n"
	"poke_after:\n"
	"	incq left_by_poke(%rip)\n"
	"	ret\n"
	".size poke, . - poke\n");
unsigned long left_by_poke;
extern const char poke_store[];

__attribute__((noinline)) void handled(void)
{
	faults++;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;

	(void)signal;
	handled();
	if (info->si_addr != (void *)page)
		wrong++;
	if (at->uc_mcontext.gregs[REG_RIP] != (greg_t)poke_store)
		wrong++;
	if (round_number % 3 == 0)
		siglongjmp(out, 1);
	mprotect((void *)page, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_fault,
				   .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &action, NULL);
	for (round_number = 0; round_number < 300; round_number++) {
		mprotect((void *)page, 4096, PROT_READ);
		if (sigsetjmp(out, 1) == 0) {
			entered++;
			poke(page);
		} else {
			jumps++;
		}
	}
	left = left_by_poke;
	printf("entered %lu\nleft %lu\njumps %lu\nfaults %lu\nwrong %lu\n",
	       entered, left, jumps, faults, wrong);
	return wrong != 0;
}
