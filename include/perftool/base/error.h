/*
 * error.h - how functions of perftool fail
 *
 * A function that can fail returns a `struct error *`. NULL means success.
 * Anything else is an error that the caller owns. The caller handles the error
 * and destroys it, or returns it to its own caller. Results go to trailing
 * out-parameters, which the function does not touch if it fails. Only main.c
 * turns an error into a message and an exit status.
 */
#ifndef PERFTOOL_BASE_ERROR_H
#define PERFTOOL_BASE_ERROR_H

#include <stdarg.h>

/* The kinds of failure. There is a code for each case in which a caller decides
 * differently; the codes are not a classification. */
enum error_code {
	ERROR_OTHER,          /* a caller need not distinguish this case */
	ERROR_USAGE,          /* the form of a command or an option is wrong */
	ERROR_SYSTEM,         /* a system call failed; error_errno() says how */
	ERROR_NOT_FOUND,      /* there is no such function, file, node, leg or
				 variable */
	ERROR_BAD_FILE,       /* a file is truncated or corrupt, or not of the
				 expected kind */
	ERROR_NOT_EXECUTABLE, /* PROGRAM cannot be executed: exit status 126 */
	ERROR_NO_PROGRAM,     /* PROGRAM was not found: exit status 127 */
	ERROR_EVALUATE,       /* a value cannot be computed here and now */
	ERROR_GONE, /* the thread or the process does not exist any more */
	ERROR_INTERRUPTED, /* the user has asked the tool to stop */
};

struct error;

/* Create an error. The message is one line, without a full stop and without a
 * newline. */
struct error *error_create(enum error_code code, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Create an ERROR_SYSTEM. Its message is "MESSAGE: text of errno_value". */
struct error *error_system(int errno_value, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Put "MESSAGE: " before the message of `error`. Returns `error`. */
struct error *error_prefix(struct error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/* Free an error. The function does nothing if `error` is NULL. */
void error_destroy(struct error *error);

/* Returns NULL if `error` has this code, and destroys it, because the caller
 * does not regard this code as a failure. Returns any other error, and NULL,
 * unchanged. */
struct error *error_unless(struct error *error, enum error_code code);

/* Returns `error` if it has this code. Destroys any other error, because the
 * caller can do without what has failed, and returns NULL. `error` may be NULL.
 */
struct error *error_only(struct error *error, enum error_code code);

/* Of the errors of two calls in a row, return the first. The function destroys
 * the other. Either may be NULL. */
struct error *error_first(struct error *first, struct error *next);

enum error_code error_code(const struct error *error);

/* The errno value of an ERROR_SYSTEM; 0 for any other error. */
int error_errno(const struct error *error);

/* The message, which is one line. The error owns it. */
const char *error_message(const struct error *error);

/* If the call fails, return its error from the present function. */
#define TRY(call)                                                              \
	do {                                                                   \
		struct error *try_error_ = (call);                             \
		if (try_error_)                                                \
			return try_error_;                                     \
	} while (0)

#endif
