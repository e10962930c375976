/*
 * names.h - how a name that the user types is understood: the module context
 * (the file or library in which names are looked up first), patterns, names
 * that no module has, and the candidates for completion
 *
 * This folder uses no other folder of the layer.
 */
#ifndef SESSION_NAMES_H
#define SESSION_NAMES_H

#include "perftool/session/session_settings.h"
#include "session/session_state.h"

/* unknown_names.c. Returns an error if neither the program nor its libraries
 * have the name that the breakpoint was given, unless the user wants to keep
 * the breakpoint. */
struct error *check_known(struct session *session,
			  struct breakpoint *breakpoint);
/* Tells the probe layer which libraries the program will load at its start.
 * Returns false if the tool cannot find this out. */
bool learn_linked(struct session *session);

/* Does what check_known() does before the breakpoint is made, while the program
 * still runs, because the search and the text about an unknown name may take
 * long. `*unknown`: no module has the name, and the caller may keep it all the
 * same, so it need not call check_known(). If the program does not run, the
 * function does nothing. */
struct error *check_sought(struct session *session, enum request_kind kind,
			   const char *location, const struct expr *condition,
			   bool *unknown);
/* Returns an error if the user does not want to keep a pattern of `time' that
 * names no function. Where no user can be asked, the pattern is kept. */
struct error *check_pattern(const struct session *session, const char *pattern);

/* nameless_functions.c. If the text is MODULE+0xADDRESS, as tables call a
 * function that no symbol names, returns the place *0xADDRESS@MODULE, which the
 * caller frees; else NULL. */
char *place_of_nameless(const struct session *session, const char *text);

/* Returns the place as the user wrote it. If the file or library of the module
 * context has this place, the result names that file or library, too; and a
 * function without a name has the place that place_of_nameless() returns. The
 * caller frees the text. */
char *in_context(struct session *session, const char *text);

/* function_list.c. Returns the pattern for a command that expects functions. In
 * a place, *NAME means the address of a function. In such a command *NAME is a
 * glob, and the function changes the text so that it is parsed as a glob. Every
 * other pattern stays as it is. The caller frees the text. */
char *function_pattern(const char *pattern);
/* Returns a pattern that names all functions of the module context; NULL: no
 * context is set. The caller frees the text. */
char *all_of_context(const struct session *session);
/* context_root() returns the name of the program, context_module() the name of
 * the context's file or library, as `show` prints them; "none" where there is
 * none. */
const char *context_root(const struct session *session);
const char *context_module(const struct session *session);
/* Visits the candidates for a module context: source files of the program, and
 * libraries. */
void complete_contexts(struct session *session, const char *prefix,
		       session_visit_fn *visit, void *context);

/* Visits the places probe:PROVIDER:NAME that begin with `prefix`. */
void complete_probes(struct session *session, const char *prefix,
		     session_visit_fn *visit, void *context);

/* Is the pattern a glob for functions? *ADDRESS and f(char*) are no globs.
 * `*has_module` (may be NULL) tells whether the pattern names a module. */
bool is_function_glob(const char *pattern, bool *has_module);

#endif
