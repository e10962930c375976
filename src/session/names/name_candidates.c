/*
 * name_candidates.c - completion: the candidates for the word under the cursor
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/session_settings.h"

/* Visits the names of functions that begin with `prefix`. For an empty prefix,
 * only the functions of the program itself are visited. */
static void complete_functions(struct session *session, const char *prefix,
			       session_visit_fn *visit, void *context)
{
	const struct module *module;

	if (!*prefix) {
		if (probe_program_file(session->probe))
			debugfile_each_name(probe_program_file(session->probe),
					    prefix, visit, context);
		return;
	}
	for (size_t i = 0; (module = probe_module(session->probe, i)); i++)
		if (module_file(module))
			debugfile_each_name(module_file(module), prefix, visit,
					    context);
}

struct sources {
	const char *prefix;
	session_visit_fn *visit;
	void *context;
};

static bool visit_source(void *context, const char *path)
{
	const struct sources *sources = context;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char candidate[256];

	if (!str_starts(name, sources->prefix))
		return true;
	snprintf(candidate, sizeof(candidate), "%s:", name);
	return sources->visit(sources->context, candidate);
}

static void complete_numbers(struct session *session, enum complete_what what,
			     const char *prefix, session_visit_fn *visit,
			     void *context)
{
	struct breakpoint *breakpoint;
	const struct measure_node *node;
	const struct measure_leg *leg;
	char text[16];
	size_t cursor = 0;

	for (size_t i = 0;; i++) {
		uint32_t number;

		if (what == COMPLETE_BREAK) {
			breakpoint = probe_next(session->probe, &cursor);
			if (!breakpoint)
				return;
			if (breakpoint_facts(breakpoint).deleted)
				continue;
			number = breakpoint_id(breakpoint);
		} else if (what == COMPLETE_NODE) {
			node = measure_node_at(session->measure, i);
			if (!node)
				return;
			number = node->id;
		} else {
			leg = measure_leg_at(session->measure, i);
			if (!leg)
				return;
			number = leg->id;
		}
		snprintf(text, sizeof(text), "%" PRIu32, number);
		if (str_starts(text, prefix) && !visit(context, text))
			return;
	}
}

static bool visit_number(int number, const char *prefix,
			 session_visit_fn *visit, void *context)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return !str_starts(text, prefix) || visit(context, text);
}

static void complete_processes(struct session *session, const char *prefix,
			       session_visit_fn *visit, void *context)
{
	for (size_t i = 0; i < session->followed.count; i++)
		if (!visit_number(session->followed.data[i].pid, prefix, visit,
				  context))
			return;
}

static void complete_threads(struct session *session, const char *prefix,
			     session_visit_fn *visit, void *context)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		const struct thread_list *threads =
			&session->followed.data[i].process->threads;

		for (size_t j = 0; j < threads->count; j++)
			if (!visit_number(threads->data[j]->tid, prefix, visit,
					  context))
				return;
	}
}

static bool visit_prefixed(void *context, const char *name)
{
	const struct sources *sources = context;

	return !str_starts(name, sources->prefix) ||
	       sources->visit(sources->context, name);
}

static void complete_variables(struct session *session,
			       const struct sources *sources)
{
	struct user_regs_struct regs;
	const struct module *module;
	struct error *error;

	if (!session->selected || session_runs_on(session))
		return;
	error = probe_get_regs(session->probe, session->selected, &regs);
	if (error) {
		error_destroy(error);
		return;
	}
	module = probe_module_at(session->probe, session->selected->process,
				 regs.rip);
	if (module && module_file(module))
		debugfile_each_variable(module_file(module),
					regs.rip - module_bias(module),
					visit_prefixed, (void *)sources);
}

void session_complete(struct session *session, enum complete_what what,
		      const char *prefix, session_visit_fn *visit,
		      void *context)
{
	struct sources sources = {prefix, visit, context};
	const struct module *module;

	switch (what) {
	case COMPLETE_FUNCTION:
		if (str_starts(prefix, "probe:"))
			complete_probes(session, prefix, visit, context);
		complete_functions(session, prefix, visit, context);
		if (*prefix && probe_program_file(session->probe))
			debugfile_each_source(
				probe_program_file(session->probe),
				visit_source, &sources);
		break;
	case COMPLETE_MODULE:
		for (size_t i = 0; (module = probe_module(session->probe, i));
		     i++)
			if (str_starts(module_name(module), prefix) &&
			    !visit(context, module_name(module)))
				return;
		break;
	case COMPLETE_BREAK:
	case COMPLETE_NODE:
	case COMPLETE_LEG:
		complete_numbers(session, what, prefix, visit, context);
		break;
	case COMPLETE_THREAD:
		complete_threads(session, prefix, visit, context);
		break;
	case COMPLETE_PROCESS:
		complete_processes(session, prefix, visit, context);
		break;
	case COMPLETE_VARIABLE:
		complete_variables(session, &sources);
		break;
	case COMPLETE_CONTEXT:
		complete_contexts(session, prefix, visit, context);
		break;
	case COMPLETE_PROGRAM:
		module = probe_module(session->probe, 0);
		if (module)
			visit_prefixed(&sources, module_name(module));
		break;
	}
}
