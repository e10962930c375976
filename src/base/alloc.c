/* alloc.c - see alloc.h */
#include "perftool/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *pointer)
{
	if (!pointer)
		abort();
	return pointer;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *pointer, size_t size)
{
	return checked(realloc(pointer, size ? size : 1));
}

char *xstrdup(const char *string)
{
	return checked(strdup(string));
}

char *xstrndup(const char *string, size_t length)
{
	return checked(strndup(string, length));
}

char *xvasprintf(const char *format, va_list ap)
{
	char *text;

	if (vasprintf(&text, format, ap) < 0)
		abort();
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
