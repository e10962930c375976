/*
 * replaced.c - code whose memory or file is replaced while the program runs
 *
 * usage: replaced LIBRARY
 *
 * The program says "ready", and obeys lines:
 *
 *	N		call plugin_work() and own() N times
 *	writable	make the code of plugin_work() writable, not executable
 *	executable	undo that
 *	anonymous	replace that code by an anonymous copy of it
 *	load FILE	load that library
 *
 * It answers "done", and how often each of the two was called.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned long calls;

__attribute__((noipa)) long own(long n)
{
	volatile long sum = n;

	for (long i = 0; i < 3; i++)
		sum += i;
	return sum;
}

static void check(int failed, const char *what)
{
	if (failed) {
		printf("cannot %s\n", what);
		exit(1);
	}
}

static void put_copy(char *page, size_t size)
{
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(copy == MAP_FAILED, "map");
	memcpy(copy, page, size);
	check(mprotect(copy, size, PROT_READ | PROT_EXEC) != 0, "protect");
	check(mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, page) !=
		      page,
	      "move");
}

int main(int argc, char **argv)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
	unsigned (*work)(unsigned);
	char line[512], *page;

	check(!library, "load");
	*(void **)&work = dlsym(library, "plugin_work");
	check(!work, "find plugin_work");
	page = (char *)((uintptr_t)work & ~(size - 1));
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "writable") == 0)
			check(mprotect(page, size, PROT_READ | PROT_WRITE) != 0,
			      "make it writable");
		else if (strcmp(line, "executable") == 0)
			check(mprotect(page, size, PROT_READ | PROT_EXEC) != 0,
			      "make it executable");
		else if (strcmp(line, "anonymous") == 0)
			put_copy(page, size);
		else if (strncmp(line, "load ", 5) == 0)
			check(!dlopen(line + 5, RTLD_NOW), "load another");
		else
			for (long n = atol(line); n > 0; n--, calls++) {
				work(1);
				own(n);
			}
		printf("done %lu\n", calls);
	}
	return 0;
}
