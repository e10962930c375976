/*
 * traps.c - a program that uses SIGTRAP itself
 *
 * usage: traps raise | int3 | step | block | block-handled | ignore
 *
 * What it prints is what it saw; run alone and run under a tool it should be
 * the same, and work() is called as often as it says.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { CALLS = 100, MOST_STEPS = 200 };

static volatile int work_calls, traps, wrong, expected_code;
static long steps[MOST_STEPS];
static volatile int step_count;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

/* Sets the trap flag, calls stepped() and flags(), and clears it. */
unsigned long step_region(void);
void own_int3(void);
__asm__(".text\n"
	".globl stepped, flags, step_region, own_int3\n"
	".type stepped, @function\n"
	"stepped:\n"
	"	mov $1, %eax\n"
	"	add $2, %eax\n"
	"	ret\n"
	".size stepped, . - stepped\n"
	".type flags, @function\n"
	"flags:\n"
	"	pushfq\n"
	"	pop %rax\n"
	"	ret\n"
	".size flags, . - flags\n"
	".type step_region, @function\n"
	"step_region:\n"
	"	pushfq\n"
	"	orq $0x100, (%rsp)\n"
	"	popfq\n"
	"	call stepped\n"
	"	nop\n"
	"	call stepped\n"
	"	call flags\n"
	"	pushfq\n"
	"	andq $~0x100, (%rsp)\n"
	"	popfq\n"
	"	ret\n"
	".size step_region, . - step_region\n"
	".type own_int3, @function\n"
	"own_int3:\n"
	"	int3\n"
	"own_int3_after:\n"
	"	ret\n"
	".size own_int3, . - own_int3\n");
extern const char stepped[], own_int3_after[];

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	traps++;
	if (info->si_code != expected_code)
		wrong++;
}

static void on_int3(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;

	on_trap(signal, info, context);
	if (at->uc_mcontext.gregs[REG_RIP] != (greg_t)own_int3_after)
		wrong++;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	long pc = (long)at->uc_mcontext.gregs[REG_RIP];

	on_trap(signal, info, context);
	if ((long)info->si_addr != pc)
		wrong++;
	if (step_count < MOST_STEPS)
		steps[step_count++] = pc - (long)stepped;
}

static void handle(void (*handler)(int, siginfo_t *, void *), int code)
{
	struct sigaction action = {.sa_sigaction = handler,
				   .sa_flags = SA_SIGINFO};

	expected_code = code;
	sigaction(SIGTRAP, &action, NULL);
}

static void raise_them(void)
{
	handle(on_trap, SI_TKILL);
	for (int i = 0; i < CALLS; i++) {
		work();
		raise(SIGTRAP);
	}
}

static void execute_int3(void)
{
	handle(on_int3, SI_KERNEL);
	for (int i = 0; i < CALLS; i++) {
		work();
		own_int3();
	}
}

static void step_itself(void)
{
	unsigned long flags = 0;

	handle(on_step, TRAP_TRACE);
	for (int round = 0; round < 3; round++) {
		step_count = 0;
		flags = step_region();
		work();
		printf("flags %lx\nsteps", flags & 0x100);
		for (int i = 0; i < step_count; i++)
			printf(" %lx", steps[i]);
		printf("\n");
	}
}

/* Both the mask and the disposition are to stay as they are. */
static void check_blocked(const char *what)
{
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigaction(SIGTRAP, NULL, &action);
	printf("%s: blocked %d, %s\n", what, sigismember(&mask, SIGTRAP),
	       action.sa_sigaction == on_trap ? "handled"
	       : action.sa_handler == SIG_IGN ? "ignored"
					      : "default");
	fflush(stdout);
}

static void block_it(int handled, int ignored)
{
	sigset_t set;

	if (handled)
		handle(on_trap, SI_TKILL);
	if (ignored)
		signal(SIGTRAP, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	if (!ignored)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	check_blocked("before");
	for (int i = 0; i < CALLS; i++)
		work();
	check_blocked("after");
	if (handled) {
		raise(SIGTRAP);
		printf("pending %d\n", traps);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	}
	if (ignored)
		raise(SIGTRAP);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "raise";

	if (strcmp(how, "raise") == 0)
		raise_them();
	else if (strcmp(how, "int3") == 0)
		execute_int3();
	else if (strcmp(how, "step") == 0)
		step_itself();
	else
		block_it(strcmp(how, "block-handled") == 0,
			 strcmp(how, "ignore") == 0);
	printf("work %d\ntraps %d\nwrong %d\n", work_calls, traps, wrong);
	return 0;
}
