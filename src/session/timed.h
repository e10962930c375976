/*
 * timed.h - what `time FUNC` does at once, and what it does when libraries come
 */
#ifndef SESSION_TIMED_H
#define SESSION_TIMED_H

#include "internal.h"

/* More are asked about first. */
#define MOST_FUNCTIONS 1000

/* What one function gets. */
struct timed {
	struct breakpoint *entry, *exit_point;
	uint32_t leg;
};

/* ---- time.c -------------------------------------------------------------- */

/* Entry, exit, leg and histogram of one function (or of a name that nothing has
 * yet). `lenient`: one of several, which need not be split. */
struct error *time_location(struct session *session,
			    const struct time_request *request,
			    const char *location, bool lenient,
			    struct timed *made, struct str *out);

/* The same of each function of the list. */
struct error *time_functions(struct session *session,
			     const struct time_request *request,
			     const struct named_function_list *list,
			     struct str *out);

/* The first of this name in its module? One location has them all. */
bool is_first_named(const struct named_function_list *list, size_t index);

/* Where one of the functions that a pattern names is, as a location; the caller
 * frees it. */
char *timed_location(const char *pattern,
		     const struct named_function_list *list, size_t index);

/* *ADDRESS is no glob, nor is f(char*). */
bool is_function_glob(const char *pattern, bool *has_module);

struct error *ask_if_many(struct session *session, const char *pattern,
			  size_t count);

/* ---- time_later.c -------------------------------------------------------- */

/* Is one in the program that the user has named, or in a library of it? */
bool any_of_program(const struct named_function_list *list);

/* What was asked for may be in a library that is loaded later. `list`: what it
 * names now. `timed`: of a name, what it has got; NULL: it is a pattern. */
void keep_pending(struct session *session, const struct time_request *request,
		  const struct named_function_list *list,
		  const struct timed *timed);

#endif
