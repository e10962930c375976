/*
 * cramped.c - functions whose first instruction leaves no room for a jump
 *
 * usage: cramped [N [HOW]]
 *
 * The program calls each function N (1,000) times and prints how often. With
 * HOW `alarms`, signals arrive, each 100 us after the handler of the one
 * before, and the handler calls saves(), too. With `threads`, four threads do
 * everything. With `amid`, only saves() is called, until a signal has come N
 * times while saves() was being executed; the handler then calls amid().
 *
 * The functions begin with a push of one byte. The next four bytes would be the
 * displacement of a jump in its place, and would lead to the middle of this
 * very code, where no landing can be. The second instruction, `mov $0, %eax`,
 * is long enough for a jump; but in some functions a thread can reach it
 * without executing the first one. leaves() is only an indirect jump. locks()
 * jumps past a lock prefix when N is even. brief() has four bytes, and
 * follows() begins directly behind it. aborts() and constant() have a return of
 * one byte. In aborts() an instruction follows it to which the function jumps,
 * in constant() data. A jump leads to the data, too, but no thread ever reaches
 * that jump. In resumes() a jump leads there that stands behind a call, in
 * switches() a jump through a table, and in fails() a call follows, which is
 * never executed. In embeds() data follows, and a call within the function,
 * which leads past it, has data behind it that looks like a jump to there.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

long saves(long n), frames(long n), loops(long n), entered(long n),
	enters(long n), tables(long n), begins(long n), begun(long n),
	leaves(long n), locks(long n), brief(long n), follows(long n),
	aborts(long n), constant(long n), resumes(long n), switches(long n),
	fails(long n), embeds(long n);
long five(long n), (*left_to)(long n) = five, locked[2];

#define BEGIN(name)                                                            \
	".globl " name "\n.type " name ", @function\n" name                    \
	":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", . - " name "\n"
#define PUSH "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_offset %rbx, -16\n"
#define POP "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore %rbx\n"
#define ZERO ".byte 0xb8, 0, 0, 0, 0\n" /* mov $0, %eax */

__asm__(".text\n"
	/* returns 2n + 1; there is no room for a jump at its return, either */
	BEGIN("saves") PUSH ZERO "mov %rdi, %rbx\n"
				 "lea 1(%rbx, %rbx), %rax\n"
				 "mov $1, %ecx\n" POP
				 "ret\n" END("saves") ".skip 5, 0\n"
	/* returns n + 1, by an indirect jump that leads behind the whole
	   prologue */
	BEGIN("frames") PUSH ZERO
	"sub $16, %rsp\n.cfi_adjust_cfa_offset 16\n"
	"lea 1f(%rip), %rcx\n"
	"mov %rdi, %rax\n"
	"jmp *%rcx\n"
	"1: inc %rax\n"
	"add $16, %rsp\n.cfi_adjust_cfa_offset -16\n" POP "ret\n" END("frames")
	/* returns n by a loop, which leads behind the push */
	BEGIN("loops") PUSH "1:\n" ZERO "dec %rdi\n"
			    "jg 1b\n"
			    "lea 1(%rax), %rax\n" POP "ret\n" END("loops")
	/* returns 3, also to callers that come through enters() */
	BEGIN("entered") PUSH "entered_by:\n" ZERO "add $3, %eax\n" POP
			      "ret\n" END("entered")
	/* this is far from entered_by, so that the branch has four bytes of
	   displacement */
	".skip 256, 0x90\n" BEGIN("enters") PUSH
	"jmp entered_by\n" END("enters")
	/* returns 4, by an indirect jump that may lead behind the push, for all
	   that a tool can see */
	BEGIN("tables") PUSH "1:\n" ZERO "dec %rdi\n"
			     "js 2f\n"
			     "xor %edi, %edi\n"
			     "lea 1b(%rip), %rcx\n"
			     "jmp *%rcx\n"
			     "2: add $4, %eax\n" POP "ret\n" END("tables")
	/* returns 5: one function begins with the second instruction of the
	   other */
	BEGIN("begins") PUSH END("begins") BEGIN("begun") ZERO
	".cfi_adjust_cfa_offset 8\n"
	"add $5, %eax\n" POP "ret\n" END("begun")
	/* returns 5 */
	BEGIN("leaves") "jmp *left_to(%rip)\n" END("leaves")
	/* returns 6 */
	BEGIN("locks") "test $1, %dil\n"
		       "lea locked(%rip), %rax\n"
		       "je 1f\n"
		       "lock\n"
		       "1: incq 8(%rax)\n"
		       "lock incq 8(%rax)\n"
		       "mov $6, %eax\n"
		       "ret\n" END("locks")
	/* returns n + 1 */
	BEGIN("brief") "lea 1(%rdi), %eax\n"
		       "ret\n" END("brief")
	/* returns n */
	BEGIN("follows") PUSH "sub $16, %rsp\n.cfi_adjust_cfa_offset 16\n"
			      "mov %rdi, %rax\n"
			      "add $16, %rsp\n.cfi_adjust_cfa_offset -16\n" POP
			      "ret\n" END("follows")
	/* returns 0, or 4 if n is a multiple of 4 */
	BEGIN("aborts") "test $3, %dil\n"
			"je 2f\n"
			"xor %eax, %eax\n"
			"cmp $-1, %rdi\n"
			"jne 1f\n"
			"1: ret\n"
			"2: .byte 0xb8, 4, 0, 0, 0\n" /* mov $4, %eax */
			"ret\n" END("aborts")
	/* returns 8 */
	BEGIN("constant") "mov 2f(%rip), %eax\n"
			  "cmp $-1, %rdi\n"
			  "jne 1f\n"
			  "1: ret\n"
			  "2: .byte 8, 0, 0, 0\n"
			  "jmp 2b\n" END("constant")
	/* returns 5, or 4 if five(n) is 0 */
	BEGIN("resumes") "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"
			 "call *left_to(%rip)\n"
			 "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
			 "test %eax, %eax\n"
			 "je 2f\n"
			 "cmp $-1, %rax\n"
			 "jne 1f\n"
			 "1: ret\n"
			 "2: .byte 0xb8, 4, 0, 0, 0\n" /* mov $4, %eax */
			 "ret\n" END("resumes")
	/* returns 6, or 7 if n is 1 */
	BEGIN("switches") "cmp $1, %edi\n"
			  "ja 1f\n"
			  "mov %edi, %edi\n"
			  "lea 4f(%rip), %rdx\n"
			  "movslq (%rdx, %rdi, 4), %rax\n"
			  "add %rdx, %rax\n"
			  "jmp *%rax\n"
			  "1: mov $6, %eax\n"
			  "cmp $-1, %rax\n"
			  "jne 2f\n"
			  "2: ret\n"
			  "3: .byte 0xb8, 7, 0, 0, 0\n" /* mov $7, %eax */
			  "ret\n"
			  ".section .rodata\n.balign 4\n"
			  "4: .long 1b - 4b, 3b - 4b\n.text\n" END("switches")
	/* returns n; a call of the next function is behind the return */
	BEGIN("fails") "mov %rdi, %rax\n"
		       "cmp $-1, %rdi\n"
		       "je 2f\n"
		       "cmp $-2, %rdi\n"
		       "jne 1f\n"
		       "1: ret\n"
		       "2: call never_called\n" END("fails")
			       BEGIN("never_called") "ud2\n" END("never_called")
	/* returns 8 */
	BEGIN("embeds") "call 3f\n"
			"jmp 2f\n"
			"3: pop %rdx\n"
			"mov 2f(%rip), %eax\n"
			"cmp $-1, %rdi\n"
			"jne 1f\n"
			"1: ret\n"
			"2: .byte 8, 0, 0, 0\n" END("embeds"));

static unsigned long handled;
static const struct itimerval once = {.it_value = {0, 100}};

/* Each signal sets the timer for the next one. If the timer repeated by itself,
 * and a signal took longer to arrive than the timer runs, the program would
 * have no time for anything else. */
static void on_alarm(int signal)
{
	(void)signal;
	__atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
	if (saves(7) != 15)
		abort();
	setitimer(ITIMER_REAL, &once, NULL);
}

/* Only the first thread calls this. */
__attribute__((noinline)) void first(long i)
{
	__asm__ volatile("" ::"r"(i) : "memory");
}

/* The handler calls this when it has interrupted saves(). */
__attribute__((noinline)) void amid(long i)
{
	__asm__ volatile("" ::"r"(i) : "memory");
}

static volatile long amid_times;
static volatile sig_atomic_t has_come;

static void on_alarm_amid(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *at = context;
	long pc = at->uc_mcontext.gregs[REG_RIP];

	(void)signal, (void)info;
	if (pc >= (long)saves && pc < (long)frames)
		amid(++amid_times);
	has_come = 1;
}

static unsigned long call_amid(long times)
{
	struct sigaction action = {.sa_sigaction = on_alarm_amid,
				   .sa_flags = SA_SIGINFO};
	long count = 0;

	sigaction(SIGALRM, &action, NULL);
	while (amid_times < times) {
		first(count);
		has_come = 0;
		setitimer(ITIMER_REAL, &once, NULL);
		while (!has_come) {
			count++;
			if (saves(count) != 2 * count + 1)
				abort();
		}
	}
	return (unsigned long)count;
}

long five(long n)
{
	return n ? 5 : 0;
}

static pthread_t main_thread;

static void *call(void *arg)
{
	long count = *(long *)arg;

	for (long i = 1; i <= count; i++) {
		if (pthread_equal(pthread_self(), main_thread))
			first(i);
		if (saves(i) != 2 * i + 1 || frames(i) != i + 1 ||
		    loops(i % 5) != 1 || entered(i) != 3 || enters(i) != 3 ||
		    tables(i) != 4 || begins(i) != 5 || leaves(i) != 5 ||
		    locks(i) != 6 || brief(i) != i + 1 || follows(i) != i ||
		    aborts(i) != (i % 4 ? 0 : 4) || constant(i) != 8 ||
		    resumes(i % 5) != (i % 5 ? 5 : 4) ||
		    switches(i % 3) != (i % 3 == 1 ? 7 : 6) || fails(i) != i ||
		    embeds(i) != 8)
			abort();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000, times = 1;
	const char *how = argc > 2 ? argv[2] : "";
	struct itimerval none = {0};
	struct sigaction action = {.sa_handler = on_alarm};
	pthread_t threads[3];

	main_thread = pthread_self();
	if (strcmp(how, "amid") == 0) {
		printf("saves %lu\n", call_amid(count));
		return 0;
	}
	if (strcmp(how, "alarms") == 0) {
		sigaction(SIGALRM, &action, NULL);
		setitimer(ITIMER_REAL, &once, NULL);
	}
	if (strcmp(how, "threads") == 0)
		for (times = 1; times < 4; times++)
			pthread_create(&threads[times - 1], NULL, call, &count);
	call(&count);
	signal(SIGALRM, SIG_IGN);
	setitimer(ITIMER_REAL, &none, NULL);
	for (long i = 1; i < times; i++)
		pthread_join(threads[i - 1], NULL);
	printf("saves %lu\nothers %ld\n",
	       (unsigned long)(times * count) + handled, times * count);
	return 0;
}
