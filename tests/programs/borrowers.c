/*
 * borrowers.c - a child that uses its parent's memory, held in a known state
 *
 * usage: borrowers vfork|clone|single [trap]
 *
 * The child belongs to a thread that waits for it (vfork), to the program while
 * no thread waits (clone: only CLONE_VM), or to the only thread of the program
 * (single). With `trap` the program handles SIGTRAP itself, and expects none.
 * Commands are lines on standard input, and each is answered by one line:
 *
 *   child   a child is born; it says `child PID` and reads from file 5
 *   N       call work() N times: `done N`
 *   look    `traced T foreign F caught C wrong W`
 *   end     wait for the child's end: `ended STATUS`
 *
 * (`single` answers nothing but `child` until the child has ended.) The child
 * obeys the bytes that it reads. `w` calls work() 10 times, and the child
 * answers with a `w` on file 6. `s` calls work() until the next byte arrives.
 * `x` executes /bin/true, `e` ends with status 7. W counts the calls of work()
 * with a wrong result, and the SIGTRAPs.
 *
 * Flags: -no-pie -O1
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "clean.h"

static atomic_int wrong;
static atomic_int child;
static sem_t wanted, over;
static int status;
static char stack[1 << 16];

/* If a thread came to the second byte of one of the two instructions, it would
 * execute another instruction. */
unsigned long work(unsigned long n);
__asm__(".text\n.globl work\n.type work, @function\n"
	"work: lea 5(%rdi), %rax\n"
	"ret\n"
	"xor %eax, %eax\n"
	"ret\n"
	".size work, .-work\n");

static void call_work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		if (work(i) != i + 5)
			atomic_fetch_add(&wrong, 1);
}

static void on_trap(int signal)
{
	(void)signal;
	atomic_fetch_add(&wrong, 1);
}

static void call_until_told(void)
{
	struct pollfd told = {.fd = 5, .events = POLLIN};

	while (poll(&told, 1, 0) == 0)
		call_work(10);
}

static int live(void *unused)
{
	static const char *const argv[] = {"true", NULL};
	char text[32], byte;

	(void)unused;
	atomic_store(&child, getpid());
	/* the child uses the parent's memory, so it must not use the parent's
	 * stdio */
	if (write(1, text,
		  (size_t)snprintf(text, sizeof(text), "child %d\n",
				   getpid())) < 0)
		_exit(100);
	while (read(5, &byte, 1) == 1) {
		if (byte == 'w')
			call_work(10);
		else if (byte == 's')
			call_until_told();
		else if (byte == 'x')
			execv("/bin/true", (char *const *)argv);
		else
			_exit(7);
		if (write(6, &byte, 1) != 1)
			_exit(101);
	}
	_exit(102);
}

static void give_birth(void)
{
	if (vfork() == 0)
		live(NULL);
}

static void await_end(void)
{
	if (waitpid(atomic_load(&child), &status, __WALL) < 0)
		abort();
}

static void *give_births(void *unused)
{
	for (;;) {
		sem_wait(&wanted);
		give_birth();
		await_end();
		sem_post(&over);
	}
	return unused;
}

static void look(void)
{
	printf("traced %d foreign %ld caught %llx wrong %d\n", tracer() != 0,
	       foreign_bytes(), self_status("SigCgt", 16), wrong);
}

static void obey(const char *line, char how)
{
	if (strcmp(line, "child\n") == 0 && how == 'v') {
		sem_post(&wanted);
	} else if (strcmp(line, "child\n") == 0 && how == 'c') {
		if (clone(live, stack + sizeof(stack), CLONE_VM | SIGCHLD,
			  NULL) < 0)
			abort();
	} else if (strcmp(line, "child\n") == 0) {
		give_birth();
	} else if (strcmp(line, "end\n") == 0) {
		if (how == 'v')
			sem_wait(&over);
		else
			await_end();
		printf("ended %d\n",
		       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	} else if (strcmp(line, "look\n") == 0) {
		look();
	} else {
		call_work(strtoul(line, NULL, 10));
		printf("done %lu\n", strtoul(line, NULL, 10));
	}
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[64];

	if (argc < 2)
		return 2;
	if (argc > 2)
		signal(SIGTRAP, on_trap);
	sem_init(&wanted, 0, 0);
	sem_init(&over, 0, 0);
	if (argv[1][0] == 'v')
		pthread_create(&thread, NULL, give_births, NULL);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		obey(line, argv[1][0]);
		fflush(stdout);
	}
	return 0;
}
