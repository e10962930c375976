/*
 * alloc.h - memory that is always there
 *
 * perftool's own tables are small; when even they cannot be had, nothing
 * sensible can follow, so these functions end the tool instead of failing (a
 * launched program is killed with the tool, an attached one goes on). Sizes
 * that come from a file or from the program under measurement are checked
 * against what they describe *before* anything is allocated for them.
 */
#ifndef PERFTOOL_BASE_ALLOC_H
#define PERFTOOL_BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/*
 * So many bytes cannot be had (0: not known how many). main.c has its own,
 * which says so and exits; where there is none, as in unit tests, this one
 * aborts.
 */
_Noreturn void out_of_memory(size_t size);

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size)
	__attribute__((malloc, returns_nonnull));
void *xrealloc(void *pointer, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *string) __attribute__((malloc, returns_nonnull));

/* At most `length` bytes of `string`, terminated. */
char *xstrndup(const char *string, size_t length)
	__attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *format, va_list ap)
	__attribute__((format(printf, 1, 0), returns_nonnull));

/* For `CLEANUP(free_pointer) char *p = ...;` : freed as the scope ends. */
void free_pointer(void *pointer_to_pointer);
#define CLEANUP(function) __attribute__((cleanup(function)))

#endif
