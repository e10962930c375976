/*
 * traps.c - a program that uses SIGTRAP itself
 *
 * usage: traps raise | int3 | step | block | block-handled | ignore | change |
 *	once | fork | thread | spawn | inherited | serve | kept | raw |
 *	pending
 *
 * The program prints what it saw. The output must be the same whether the
 * program runs alone or under a tool, and work() is called as often as the
 * output says. `serve` reads numbers and calls work() that often. `kept` ends
 * when the program's handler is still there after a call of work(), and `raw`
 * does the same with a handler of which libc does not know.
 *
 * Flags: -no-pie
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

/* Print the mask and the disposition, both of which must stay as they are. */
static void check_blocked(const char *what)
{
	struct sigaction action;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigaction(SIGTRAP, NULL, &action);
	printf("%s: blocked %d, %s\n", what, sigismember(&mask, SIGTRAP),
	       action.sa_sigaction == on_trap   ? "handled"
	       : action.sa_sigaction == on_int3 ? "handled by another"
	       : action.sa_handler == SIG_IGN   ? "ignored"
						: "default");
	fflush(stdout);
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	pthread_sigmask(how, &set, NULL);
}

static void work_and_check(const char *what)
{
	for (int i = 0; i < CALLS; i++)
		work();
	check_blocked(what);
}

/* Change the disposition several times while SIGTRAP is blocked. */
static void change(void)
{
	handle(on_trap, SI_TKILL);
	mask(SIG_BLOCK);
	work_and_check("one");
	handle(on_int3, SI_TKILL);
	work_and_check("another");
	signal(SIGUSR1, SIG_IGN);
	work_and_check("of another signal");
	mask(SIG_UNBLOCK);
	signal(SIGTRAP, SIG_IGN);
	work_and_check("ignored");
	work_and_check("ignored still");
	handle(on_trap, SI_TKILL);
	work_and_check("handled, not blocked");
	signal(SIGTRAP, SIG_DFL);
	work_and_check("default");
	handle(on_trap, SI_TKILL);
	mask(SIG_BLOCK);
	work_and_check("handled again");
	raise(SIGTRAP);
	mask(SIG_UNBLOCK);
}

/* A handler with SA_RESETHAND is gone after one signal, and must stay gone. */
static void once(void)
{
	struct sigaction action = {.sa_sigaction = on_trap,
				   .sa_flags = SA_SIGINFO | (int)SA_RESETHAND};

	expected_code = SI_TKILL;
	sigaction(SIGTRAP, &action, NULL);
	mask(SIG_BLOCK);
	work_and_check("before");
	mask(SIG_UNBLOCK);
	raise(SIGTRAP);
	work_and_check("after");
}

static void fork_it(void)
{
	pid_t child;

	handle(on_trap, SI_TKILL);
	mask(SIG_BLOCK);
	work_and_check("before the fork");
	child = fork();
	if (child) {
		waitpid(child, NULL, 0);
		work_and_check("parent");
		/* the calls of the child count, too */
		work_calls += CALLS;
		return;
	}
	work_and_check("child");
	signal(SIGTRAP, SIG_IGN);
	check_blocked("child, of its own");
	_exit(0);
}

static void *other_thread(void *unused)
{
	mask(SIG_BLOCK);
	work_and_check("thread");
	return unused;
}

static void start_thread(void)
{
	pthread_t thread;

	handle(on_trap, SI_TKILL);
	work_and_check("before");
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	work_and_check("after");
	raise(SIGTRAP);
}

static void spawn(void)
{
	handle(on_trap, SI_TKILL);
	mask(SIG_BLOCK);
	work_and_check("before");
	if (system("exit 3") != 3 << 8)
		wrong++;
	work_and_check("after");
}

static void serve(void)
{
	char line[64];

	handle(on_trap, SI_TKILL);
	mask(SIG_BLOCK);
	check_blocked("ready");
	while (fgets(line, sizeof(line), stdin)) {
		for (int n = atoi(line); n > 0; n--)
			work();
		check_blocked("worked");
	}
}

/* Set a handler by the system call itself, with the restorer of a handler that
 * libc has set. */
static void handle_raw(void)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} action;

	signal(SIGUSR1, SIG_DFL);
	syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8);
	action.handler = (void *)on_trap;
	action.flags |= SA_SIGINFO;
	syscall(SYS_rt_sigaction, SIGTRAP, &action, NULL, 8);
}

/* Wait until the handler is kept. A tool that is not told of the handler may
 * see it a little later. */
static void wait_until_kept(int is_raw)
{
	struct sigaction action = {0};
	int tries = 0;

	mask(SIG_BLOCK);
	while (action.sa_sigaction != on_trap && ++tries < 2000) {
		if (is_raw)
			handle_raw();
		else
			handle(on_trap, SI_TKILL);
		mask(SIG_BLOCK);
		usleep(10000);
		work();
		sigaction(SIGTRAP, NULL, &action);
	}
	check_blocked("kept");
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

/* A SIGTRAP is pending whenever work() is called. */
static void call_with_pending(void)
{
	sigset_t set;

	handle(on_trap, SI_TKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	for (int i = 0; i < CALLS; i++) {
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		raise(SIGTRAP);
		work();
		if (traps != i)
			wrong++;
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		if (traps != i + 1)
			wrong++;
	}
	check_blocked("after");
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
	else if (strcmp(how, "change") == 0)
		change();
	else if (strcmp(how, "once") == 0)
		once();
	else if (strcmp(how, "fork") == 0)
		fork_it();
	else if (strcmp(how, "thread") == 0)
		start_thread();
	else if (strcmp(how, "spawn") == 0)
		spawn();
	else if (strcmp(how, "inherited") == 0)
		work_and_check("inherited");
	else if (strcmp(how, "serve") == 0)
		serve();
	else if (strcmp(how, "kept") == 0)
		wait_until_kept(0);
	else if (strcmp(how, "raw") == 0)
		wait_until_kept(1);
	else if (strcmp(how, "pending") == 0)
		call_with_pending();
	else
		block_it(strcmp(how, "block-handled") == 0,
			 strcmp(how, "ignore") == 0);
	printf("work %d\ntraps %d\nwrong %d\n", work_calls, traps, wrong);
	return 0;
}
