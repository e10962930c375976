/*
 * reloader.c - loads and unloads a library, thousands of times
 *
 * usage: reloader LIBRARY [TIMES]: loads the library TIMES (10,000) times, and
 * each time calls plugin_work() twice. After a tenth of them and at the end,
 * the program prints its number of mappings, and the kB of its address space.
 *
 * usage: reloader LIBRARY alternate OTHER: loads the two libraries in turn, 200
 * times each, so that each is mapped where the other one was.
 *
 * usage: reloader LIBRARY replace NEW: calls plugin_work() 10 times, renames
 * NEW to LIBRARY, calls plugin_work() 20 times in the old library, unloads
 * that, and calls plugin_work() 40 times in the new library.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"

static unsigned long calls;
static unsigned sum;

static void *load(const char *library, unsigned (**work)(unsigned))
{
	void *handle = dlopen(library, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)work = dlsym(handle, "plugin_work");
	return handle;
}

static void call(unsigned (*work)(unsigned), unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		sum += work(i);
	calls += times;
}

static unsigned mappings(void)
{
	unsigned lines = 0;
	FILE *file = fopen("/proc/self/maps", "r");

	for (int c; file && (c = fgetc(file)) != EOF;)
		lines += c == '\n';
	if (file)
		fclose(file);
	return lines;
}

static void say_memory(const char *when)
{
	printf("%s_mappings %u\n%s_size %llu\n", when, mappings(), when,
	       self_status("VmSize", 10));
}

static void replace(const char *library, const char *new)
{
	unsigned (*work)(unsigned);
	void *handle = load(library, &work);

	call(work, 10);
	if (rename(new, library))
		exit(3);
	call(work, 20);
	dlclose(handle);
	handle = load(library, &work);
	call(work, 40);
	dlclose(handle);
}

static void load_call_unload(const char *library)
{
	unsigned (*work)(unsigned);
	void *handle = load(library, &work);

	call(work, 2);
	dlclose(handle);
}

int main(int argc, char **argv)
{
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 10000;

	if (argc < 2)
		return 2;
	if (argc == 4 && strcmp(argv[2], "replace") == 0) {
		replace(argv[1], argv[3]);
	} else if (argc == 4) {
		for (unsigned i = 0; i < 200; i++) {
			load_call_unload(argv[1]);
			load_call_unload(argv[3]);
		}
	} else {
		for (unsigned i = 0; i < times; i++) {
			load_call_unload(argv[1]);
			if (i == times / 10)
				say_memory("early");
		}
		say_memory("late");
	}
	printf("calls %lu\nsum %u\n", calls, sum);
	return 0;
}
