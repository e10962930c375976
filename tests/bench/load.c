/*
 * load.c - load a library, and call a function of it
 *
 * usage: load LIBRARY FUNCTION: one that takes a number.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library;
	int (*function)(int);

	if (argc != 3) {
		fprintf(stderr, "usage: load LIBRARY FUNCTION\n");
		return 2;
	}
	library = dlopen(argv[1], RTLD_LAZY);
	*(void **)&function = library ? dlsym(library, argv[2]) : NULL;
	if (!function) {
		fprintf(stderr, "load: %s\n", dlerror());
		return 1;
	}
	printf("%d\n", function(0));
	return 0;
}
