/* alloc.c - see alloc.h */
#include "perftool/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((weak)) _Noreturn void out_of_memory(size_t size)
{
	(void)size;
	abort();
}

static void *checked(void *pointer, size_t size)
{
	if (!pointer)
		out_of_memory(size);
	return pointer;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1),
		       count * size);
}

void *xrealloc(void *pointer, size_t size)
{
	return checked(realloc(pointer, size ? size : 1), size);
}

char *xstrdup(const char *string)
{
	return checked(strdup(string), strlen(string) + 1);
}

char *xstrndup(const char *string, size_t length)
{
	return checked(strndup(string, length), length + 1);
}

char *xvasprintf(const char *format, va_list ap)
{
	char *text;

	if (vasprintf(&text, format, ap) < 0)
		out_of_memory(0);
	return text;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	text = xvasprintf(format, ap);
	va_end(ap);
	return text;
}

void free_pointer(void *pointer_to_pointer)
{
	free(*(void **)pointer_to_pointer);
}
