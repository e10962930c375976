/*
 * goroutine_hits.c - hits that goroutines make, in Go programs
 *
 * In code that Go has compiled, a hit reports which goroutine makes it, if a
 * leg needs that, and the depth of the hit's frame in the goroutine's stack.
 * Other code of a Go program runs on the stacks of threads, not of goroutines.
 */
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "site_hits.h"

static bool is_go_code(const struct module *module, uint64_t address)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	return file && debugfile_is_go_code(file, address - module->bias);
}

const struct go_runtime *goroutine_runtime(const struct probe *probe,
					   const struct attachment *attachment)
{
	const struct go_runtime *go;

	/* (The tool's own breakpoint, which follows frames, works for all
	 * breakpoints, so it always needs the goroutine.) */
	if ((!attachment->breakpoint->wants_goroutine &&
	     !probe->wants_goroutines && !is_of_tails(attachment)) ||
	    !is_go_code(attachment->module, attachment->address))
		return NULL;
	go = debugfile_go(module_file(attachment->module));
	return go->has_slot ? go : NULL;
}

bool is_known_not_go(const struct attachment *attachment)
{
	const struct module *module = attachment->module;

	return !module || (module_file(module) &&
			   !is_go_code(module, attachment->address));
}

bool probe_is_go(const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < breakpoint->places.count; i++) {
		const struct place *place = &breakpoint->places.data[i];

		if (is_go_code(place->module, place->address))
			return true;
	}
	return false;
}

/* From now on hits must report what the flag stands for. The trampolines of
 * fast sites must be made again for that. */
static void want(struct probe *probe, bool *what)
{
	if (*what)
		return;
	*what = true;
	for (size_t i = 0; i < probe->spaces.count; i++)
		space_outdate(probe->spaces.data[i]);
}

void probe_want_frame(struct probe *probe, struct breakpoint *breakpoint)
{
	want(probe, &breakpoint->wants_frame);
}

void probe_want_goroutine(struct probe *probe, struct breakpoint *breakpoint)
{
	want(probe, &breakpoint->wants_goroutine);
}

void probe_want_goroutines(struct probe *probe)
{
	want(probe, &probe->wants_goroutines);
}
