/*
 * unknown_names.c - names that neither the program nor its libraries have
 *
 * Neither the program nor a library that it is linked with may have a name. The
 * name may still be in a library, or in another program, that is loaded later.
 * More often the user has mistyped the name. The tool asks before the program
 * has run for an hour in vain.
 */
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"

bool learn_linked(struct session *session)
{
	struct debugfile *file = probe_program_file(session->probe);
	const struct debugfile_facts *facts =
		file ? debugfile_facts(file) : NULL;
	struct environment env;
	struct string_list paths = {0};
	bool known;

	if (!facts || session->is_script)
		return false;
	if (facts->is_static) {
		probe_set_linked(session->probe, &paths);
		return true;
	}
	if (!facts->interpreter)
		return false;
	launch_environment(session, &env);
	known = target_linked_libraries(facts->interpreter, session->program,
					env.data, &paths);
	vec_free(&env);
	if (known)
		probe_set_linked(session->probe, &paths);
	string_list_deinit(&paths);
	return known;
}

/* May the place of this breakpoint appear later, so that the user need not be
 * asked? This is so for a name with a module, and for a pattern, because a
 * library that has it may be loaded later; it is also so for an address, which
 * is no name. At a terminal, the tool does ask about a pattern, because a
 * pattern that names no function is mostly a typing error. */
static bool may_come(const struct session *session,
		     const struct breakpoint *breakpoint)
{
	const struct location *location = breakpoint_facts(breakpoint).location;

	if (location->within)
		location = location->within;
	return location->module || location->kind == LOCATION_ADDRESS ||
	       (location->kind == LOCATION_FUNCTION &&
		debuginfo_is_glob(location->name) && !session->ui.interactive);
}

/* Is the name of the breakpoint known? The function also returns true if the
 * tool cannot find out. */
static bool is_known(struct session *session, struct breakpoint *breakpoint)
{
	if (breakpoint_facts(breakpoint).places->count ||
	    may_come(session, breakpoint) || has_no_exit(session, breakpoint))
		return true;
	if (session->followed.count)
		return session->is_script;
	return !learn_linked(session) ||
	       probe_will_find(session->probe, breakpoint);
}

static struct error *ask_to_keep(const struct session *session,
				 const char *name, const char *problem)
{
	CLEANUP(free_pointer)
	char *question = xasprintf(
		"%s. Keep the name for what the program loads later?", problem);

	if (session->ui.confirm(session->ui.context, question))
		return NULL;
	return error_create(ERROR_NOT_FOUND, "the name %s is not kept", name);
}

struct error *check_pattern(const struct session *session, const char *pattern)
{
	CLEANUP(free_pointer)
	char *problem = xasprintf("no function is named %s yet", pattern);
	bool has_module = false;

	is_function_glob(pattern, &has_module);
	if (!session->ui.interactive || session->pending ||
	    session->is_script || has_module)
		return NULL;
	return ask_to_keep(session, pattern, problem);
}

/* Returns an error unless a name that no module has may be kept. `known`: the
 * tool need not ask. */
static struct error *keep_unknown(struct session *session, bool known,
				  const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	const char *text = facts.location->text;
	CLEANUP(str_deinit) struct str advice = {0};

	if (session->pending)
		return NULL;
	if (facts.is_without)
		return error_create(ERROR_NOT_FOUND, "%s", facts.problem);
	if (known)
		return NULL;
	if (session->ui.interactive)
		return ask_to_keep(session, text, facts.problem);
	str_printf(&advice, "%s; if the program loads it later, use ",
		   facts.problem);
	/* The name of a PLT stub has an @ of its own, so @LIBRARY cannot be
	 * added. */
	if (!strchr(text, '@'))
		str_printf(&advice, "`%s@LIBRARY', or ", text);
	return error_create(ERROR_NOT_FOUND, "%s--pending", str_text(&advice));
}

struct error *check_known(struct session *session,
			  struct breakpoint *breakpoint)
{
	bool known;

	if (breakpoint_facts(breakpoint).places->count)
		return NULL;
	known = is_known(session, breakpoint);
	/* The problem is described now, because the libraries are known now, as
	 * far as they can be known. */
	probe_describe_problem(session->probe, breakpoint);
	return keep_unknown(session, known, breakpoint);
}

struct error *check_sought(struct session *session, enum request_kind kind,
			   const char *location, const struct expr *condition,
			   bool *unknown)
{
	struct breakpoint *sought;
	struct error *error = NULL;

	*unknown = false;
	if (!session_runs_on(session) || session->state == RUN_HELD)
		return NULL;
	TRY(probe_seek(session->probe, kind, location, condition, &sought));
	*unknown = !breakpoint_facts(sought).was_found;
	if (*unknown)
		error = keep_unknown(session, is_known(session, sought),
				     sought);
	probe_end_seek(sought);
	return error;
}
