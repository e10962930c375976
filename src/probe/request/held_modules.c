/*
 * held_modules.c - which modules were searched before the program stands still,
 * and what was said of a name that none of them has
 *
 * To write why a name is unknown takes long: all names of all modules are
 * compared with it, for suggestions, and dpkg's lists are read. So this is done
 * while the program runs. When the breakpoint is then made and the same modules
 * are loaded, the text is used again.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "request.h"

void probe_hold_modules(struct probe *probe, struct held_modules *out)
{
	const struct module *module;

	*out = (struct held_modules){0};
	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		vec_push(out, module_ref((struct module *)module));
}

bool held_modules_are_all(struct probe *probe, const struct held_modules *held)
{
	for (size_t i = 0; i < held->count; i++)
		if (probe_module(probe, i) != held->data[i])
			return false;
	return !probe_module(probe, held->count);
}

void held_modules_let_go(struct held_modules *held)
{
	for (size_t i = 0; i < held->count; i++)
		module_unref(held->data[i]);
	vec_free(held);
}

void forget_problem(struct probe *probe)
{
	struct known_problem *known = &probe->search.known;

	held_modules_let_go(&known->modules);
	free(known->location);
	free(known->text);
	*known = (struct known_problem){0};
}

void keep_problem(struct probe *probe, const struct breakpoint *breakpoint)
{
	struct known_problem *known = &probe->search.known;

	forget_problem(probe);
	known->kind = breakpoint->kind;
	known->is_without = breakpoint->is_without;
	known->location = xstrdup(breakpoint->location.text);
	known->text = xstrdup(str_text(&breakpoint->problem));
	probe_hold_modules(probe, &known->modules);
}

/* Do the two kinds of a breakpoint of `time FUNC` say the same of a name that
 * is not there? */
static bool is_same_kind(enum request_kind a, enum request_kind b)
{
	return a == b || (a == REQUEST_ENTRY && b == REQUEST_RETURN);
}

bool know_problem(struct probe *probe, struct breakpoint *breakpoint)
{
	const struct known_problem *known = &probe->search.known;

	if (!known->location ||
	    !str_equal(known->location, breakpoint->location.text) ||
	    !is_same_kind(known->kind, breakpoint->kind) ||
	    !held_modules_are_all(probe, &known->modules))
		return false;
	breakpoint->is_without = known->is_without;
	str_append(&breakpoint->problem, known->text);
	return true;
}
