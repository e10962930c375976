/*
 * loader.c - loads a library, calls it, unloads it, and does all this once more
 *
 * usage: loader LIBRARY: plugin_work() is called 100 times the first time, 50
 * times the second time
 */
#include <dlfcn.h>
#include <stdio.h>

static int use(const char *library, unsigned calls)
{
	void *handle = dlopen(library, RTLD_NOW);
	unsigned (*work)(unsigned);
	unsigned sum = 0;

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&work = dlsym(handle, "plugin_work");
	for (unsigned i = 0; i < calls; i++)
		sum += work(i);
	printf("calls %u\nsum %u\n", calls, sum);
	return dlclose(handle);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	return use(argv[1], 100) || use(argv[1], 50);
}
