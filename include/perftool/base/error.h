/*
 * error.h - how functions of perftool fail
 *
 * A function that can fail returns `struct error *`: NULL is success, anything
 * else is owned by the caller, who handles it (and destroys it) or returns it
 * further up. Results go to trailing out-parameters, which are untouched on
 * failure. Only main.c turns an error into a message and an exit status.
 */
#ifndef PERFTOOL_BASE_ERROR_H
#define PERFTOOL_BASE_ERROR_H

#include <stdarg.h>

/* What kind of failure; chosen so that a caller can decide, not to classify. */
enum error_code {
	ERROR_OTHER,          /* nothing a caller would act upon */
	ERROR_USAGE,          /* a command or option is wrong in form */
	ERROR_SYSTEM,         /* a system call failed: error_errno() says how */
	ERROR_NOT_FOUND,      /* no such function, file, node, leg, variable */
	ERROR_BAD_FILE,       /* not what it should be: truncated, corrupt */
	ERROR_NOT_EXECUTABLE, /* PROGRAM cannot be executed: exit status 126 */
	ERROR_NO_PROGRAM,     /* PROGRAM was not found: exit status 127 */
	ERROR_EVALUATE,       /* a value cannot be had here and now */
	ERROR_GONE,           /* the thread or process is no more */
	ERROR_INTERRUPTED,    /* the user asked to stop */
};

struct error;

/* A new error; the message is one line, without a full stop or newline. */
struct error *error_create(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* A new ERROR_SYSTEM: "MESSAGE: text of errno_value". */
struct error *error_system(int errno_value, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Put "MESSAGE: " before the message of `error`; returns `error`. */
struct error *error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* NULL is allowed and does nothing. */
void error_destroy(struct error *error);

/* NULL for an error of that code, which is destroyed: it is no failure here.
 * Any other is returned, NULL too. */
struct error *error_unless(struct error *error, enum error_code code);

/* What to return of two failures in a row, either of which may be NULL: the
 * first one. The other is destroyed. */
struct error *error_first(struct error *first, struct error *next);

enum error_code error_code(const struct error *error);

/* The errno value of an ERROR_SYSTEM, else 0. */
int error_errno(const struct error *error);

/* One line, owned by the error. */
const char *error_message(const struct error *error);

/* Return the error of a call that failed, else go on. */
#define TRY(call)                                                              \
	do {                                                                   \
		struct error *try_error_ = (call);                             \
		if (try_error_)                                                \
			return try_error_;                                     \
	} while (0)

#endif
