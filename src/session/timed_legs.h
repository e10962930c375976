/*
 * timed_legs.h - what `time FUNC` does at once, and what it does when libraries
 * come
 *
 * It is done in two steps, so that what fails leaves nothing behind: first the
 * breakpoints of all functions are made, which also tells whether conditions
 * and splits have a meaning there; then the legs between them, which cannot
 * fail.
 */
#ifndef SESSION_TIMED_H
#define SESSION_TIMED_H

#include "session_state.h"

/* More are asked about first. */
#define MOST_FUNCTIONS 1000

/* What one function gets. */
struct timed {
	char *location;
	struct breakpoint *entry, *exit_point; /* NULL: it is left out */
	char *remark; /* why it is not split, or left out; or NULL */
	bool split;
};
VEC_STRUCT(timed_list, struct timed);

/* ---- timed_legs.c
 * ------------------------------------------------------------- */

/* Entry and exit of one function (or of a name that nothing has yet), appended.
 * `lenient`: one of several, which need not be split, and may be left out where
 * the condition has no meaning. */
struct error *timed_add(struct session *session,
			const struct time_request *request,
			const char *location, bool lenient,
			struct timed_list *list);

/* Their legs and histograms; told in `out`. */
struct error *timed_begin(struct session *session,
			  const struct time_request *request,
			  const struct timed_list *list, struct str *out);

/* Nothing of them stays. */
void timed_forget(struct session *session, const struct timed_list *list);
void timed_list_deinit(struct timed_list *list);

/* ---- timed_functions.c
 * -------------------------------------------------------------- */

/* timed_add() of each function that a pattern names. */
struct error *time_functions(struct session *session,
			     const struct time_request *request,
			     const char *pattern,
			     const struct named_function_list *functions,
			     struct timed_list *list);

/* The first of this name in its module? One location has them all. */
bool is_first_named(const struct named_function_list *list, size_t index);

/* Where one of the functions that a pattern names is, as a location; the caller
 * frees it. */
char *timed_location(const char *pattern,
		     const struct named_function_list *list, size_t index);

/* *ADDRESS is no glob, nor is f(char*). */
bool is_function_glob(const char *pattern, bool *has_module);

/* How many functions a pattern may name unasked. */
size_t most_functions(const struct time_request *request);
struct error *ask_if_many(struct session *session,
			  const struct time_request *request,
			  const char *pattern, size_t count);

/* ---- pending_times.c --------------------------------------------------------
 */

/* Is one in the program that the user has named, or in a library of it? */
bool any_of_program(const struct named_function_list *list);

/* What was asked for may be in a library that is loaded later. `list`: what it
 * names now. `timed`: of a name, what it has got; NULL: it is a pattern. */
void keep_pending(struct session *session, const struct time_request *request,
		  const char *pattern, const struct named_function_list *list,
		  const struct timed *timed);

#endif
