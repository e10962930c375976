/*
 * alloc.h - allocation of memory that never fails
 *
 * perftool's own tables are small. If not even they can be allocated, the tool
 * cannot continue in a sensible way. So these functions end the tool instead of
 * failing. A program that the tool has launched is killed with it; a program to
 * which the tool is attached goes on. A size that comes from a file or from the
 * program under measurement must be checked against what it describes *before*
 * anything is allocated for it.
 *
 * The caller frees what these functions return with free().
 */
#ifndef PERFTOOL_BASE_ALLOC_H
#define PERFTOOL_BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/*
 * The functions below call out_of_memory() if `size` bytes cannot be allocated
 * (0: the size is not known). main.c has a definition that prints a message and
 * exits. Where main.c is not linked, as in unit tests, a weak definition
 * aborts.
 */
_Noreturn void out_of_memory(size_t size);

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull));
void *xrealloc(void *pointer, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *string) __attribute__((malloc, returns_nonnull));

/* A copy of at most `length` bytes of `string`, terminated. */
char *xstrndup(const char *string, size_t length)
	__attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *format, va_list ap)
	__attribute__((format(printf, 1, 0), returns_nonnull));

/* For `CLEANUP(free_pointer) char *p = ...;`: `p` is freed at the end of the
 * scope. */
void free_pointer(void *pointer_to_pointer);
#define CLEANUP(function) __attribute__((cleanup(function)))

#endif
