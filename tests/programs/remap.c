/*
 * remap.c - puts other memory where the program's code was
 *
 * usage: remap LIBRARY
 *
 * The program loads LIBRARY and makes a function at 0x20000000. It says "ready
 * ADDRESS", the address of plugin_work(). Then it obeys its input, a line each,
 * and answers:
 *
 *	call		call both; the answer is the result of the made function
 *	code, data	unload LIBRARY; put a page of 0xcc where plugin_work()
 *			was, executable or not
 *	look		how many bytes of that page are not 0xcc
 *	patch		write over an operand in the made function
 *	move		copy the made function to new memory at its place
 *	fill		fill new memory at its place with 0xcc
 *	overwrite	write the made function over with itself
 *	first		the first byte of the made function
 *	fork		fork a child that does nothing; the answer is its pid
 *	blocked		as call, with SIGTRAP blocked
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MADE ((unsigned char *)0x20000000)
#define PAGE 4096

static void *library;
static unsigned (*work)(unsigned);
static unsigned char *page;

/* nops; mov $5, %eax; lea (%rax,%rdi,2), %eax; ret */
static const unsigned char code[] = {0x90, 0x90, 0x90, 0x90, 0x90, 0x90,
				     0x90, 0x90, 0xb8, 5,    0,    0,
				     0,    0x8d, 0x04, 0x78, 0xc3};

static void map(unsigned char *at, int protection)
{
	if (mmap(at, PAGE, protection | PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at)
		perror("mmap");
}

static unsigned call(void)
{
	unsigned (*volatile made)(unsigned) =
		(unsigned (*)(unsigned))0x20000000;

	work(1);
	return made(1);
}

static unsigned call_blocked(void)
{
	sigset_t trap;
	unsigned result;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	result = call();
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	return result;
}

/* The child ends with its parent. */
static unsigned fork_child(void)
{
	pid_t child = fork();

	while (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
	}
	return (unsigned)child;
}

static void replace(int protection)
{
	page = (unsigned char *)((uintptr_t)work & ~(uintptr_t)(PAGE - 1));
	dlclose(library);
	map(page, protection);
	memset(page, 0xcc, PAGE);
}

static unsigned look(void)
{
	unsigned foreign = 0;

	for (unsigned i = 0; i < PAGE; i++)
		foreign += page[i] != 0xcc;
	return foreign;
}

static unsigned obey(const char *line)
{
	unsigned char copy[sizeof(code)];

	if (strcmp(line, "call\n") == 0)
		return call();
	if (strcmp(line, "code\n") == 0)
		replace(PROT_EXEC);
	if (strcmp(line, "data\n") == 0)
		replace(0);
	if (strcmp(line, "look\n") == 0)
		return look();
	if (strcmp(line, "patch\n") == 0)
		MADE[9] = 6;
	if (strcmp(line, "move\n") == 0) {
		memcpy(copy, MADE, sizeof(copy));
		map(MADE, PROT_EXEC);
		memcpy(MADE, copy, sizeof(copy));
	}
	if (strcmp(line, "fill\n") == 0) {
		map(MADE, PROT_EXEC);
		memset(MADE, 0xcc, PAGE);
	}
	if (strcmp(line, "overwrite\n") == 0)
		memcpy(MADE, code, sizeof(code));
	if (strcmp(line, "first\n") == 0)
		return MADE[8];
	if (strcmp(line, "fork\n") == 0)
		return fork_child();
	if (strcmp(line, "blocked\n") == 0)
		return call_blocked();
	return 0;
}

int main(int argc, char **argv)
{
	char line[80];

	library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	if (!library)
		return 2;
	*(void **)&work = dlsym(library, "plugin_work");
	map(MADE, PROT_EXEC);
	memcpy(MADE, code, sizeof(code));
	printf("ready %lu\n", (unsigned long)(uintptr_t)work);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%u\n", obey(line));
		fflush(stdout);
	}
	return 0;
}
