/*
 * timed_legs.h - the steps of `time FUNC`, which the command itself and the
 * search in later libraries share
 *
 * The work is done in two steps, so that a failure leaves nothing behind. The
 * first step makes the breakpoints of all functions; it also finds out whether
 * conditions and splits have a meaning there. The second step adds the legs
 * between the breakpoints, and it cannot fail.
 */
#ifndef SESSION_TIMED_H
#define SESSION_TIMED_H

#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "session/session_state.h"

/* If a pattern names more functions than this, the tool asks the user first. */
#define MOST_FUNCTIONS 1000

/* One function to time: the breakpoints that it got, and what the user must be
 * told. */
struct timed {
	char *location;
	struct breakpoint *entry, *exit_point; /* NULL: the function is left out
						*/
	/* why the function is not split, or is left out; or NULL */
	char *remark;
	bool split;
};
VEC_STRUCT(timed_list, struct timed);

/* ---- timed_legs.c ------------------------------------------------------ */

/* Makes the entry breakpoint and the return breakpoint of one function, or of a
 * name that no function has yet, and appends them to `list`. `lenient`: the
 * function is one of several. Then it is no error if the split has no meaning
 * in this function, or if the condition has none; in the latter case the
 * function is left out. */
struct error *timed_add(struct session *session,
			const struct time_request *request,
			const char *location, bool lenient,
			struct timed_list *list);

/* Adds the legs and histograms of the listed functions. `out` gets lines about
 * the legs (see MOST_LEGS_SAID). */
struct error *timed_begin(struct session *session,
			  const struct time_request *request,
			  const struct timed_list *list, struct str *out);

/* Removes all breakpoints of the list again. */
void timed_forget(struct session *session, const struct timed_list *list);
void timed_list_deinit(struct timed_list *list);

/* ---- timed_functions.c ------------------------------------------------- */

/* Calls timed_add() for each function that a pattern names. */
struct error *time_functions(struct session *session,
			     const struct time_request *request,
			     const char *pattern,
			     const struct named_function_list *functions,
			     struct timed_list *list);

/* Is the function at `index` the first function of its name in its module? One
 * location stands for all functions of one name in a module. */
bool is_first_named(const struct named_function_list *list, size_t index);

/* Returns the location of one of the functions that a pattern names. The caller
 * frees the text. */
char *timed_location(const char *pattern,
		     const struct named_function_list *list, size_t index);

/* most_functions() returns how many functions a pattern may name without a
 * question. ask_if_many() asks the user if `count` is greater than this number;
 * it returns an error if the user says no. */
size_t most_functions(const struct time_request *request);
struct error *ask_if_many(struct session *session,
			  const struct time_request *request,
			  const char *pattern, size_t count);

/* ---- pending_times.c --------------------------------------------------- */

/* Is one of the functions in the program that the user has named, or in a
 * library of that program? */
bool any_of_program(const struct named_function_list *list);

/* Keeps the request for libraries that are loaded later. `list` has the
 * functions that the pattern names now. `timed`: if the pattern is a plain
 * name, the breakpoints that were made for the name; NULL if the pattern is a
 * glob. */
void keep_pending(struct session *session, const struct time_request *request,
		  const char *pattern, const struct named_function_list *list,
		  const struct timed *timed);

#endif
