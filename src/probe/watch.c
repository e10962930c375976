/*
 * watch.c - watchpoints: requests of the user, and threads that have touched
 * what is watched
 */
#include <stdlib.h>

#include "breakpoint.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

size_t probe_watch_count(const struct probe *probe)
{
	size_t count = 0;

	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		count += at && !at->deleted && at->enabled &&
			 at->kind == REQUEST_WATCH;
	}
	return count;
}

bool breakpoint_watches_reads(const struct breakpoint *breakpoint)
{
	return breakpoint->watch.reads;
}

/* The number of the thread's breakpoints that the debug registers have room
 * for is that of the processor. */
static struct error *check_room(const struct probe *probe)
{
	if (probe_watch_count(probe) < TARGET_WATCHES)
		return NULL;
	return error_create(
		ERROR_OTHER,
		"the processor watches %d objects for a thread, and there are "
		"as many watchpoints: delete or disable one of them",
		TARGET_WATCHES);
}

struct error *probe_watch(struct probe *probe,
			  const struct watch_request *request,
			  struct expr *object, struct expr *condition,
			  struct breakpoint **out)
{
	CLEANUP(free_pointer)
	char *address = xasprintf("&(%s)", expr_text(object));
	struct breakpoint *breakpoint;
	struct expr *address_expr = NULL;
	struct error *error = target_check_watching(probe->target);

	if (!error)
		error = check_room(probe);
	if (!error)
		error = expr_parse(address, &address_expr);
	if (error) {
		expr_destroy(object);
		expr_destroy(condition);
		return error;
	}
	breakpoint = breakpoint_enter(probe, REQUEST_WATCH, condition);
	breakpoint->location = (struct location){.text = xstrdup(request->text),
						 .kind = LOCATION_DATA};
	breakpoint->watch.address = address_expr;
	breakpoint->watch.fixed = request->address;
	breakpoint->watch.pid = probe->main;
	breakpoint->watch.size = request->size;
	breakpoint->watch.reads = request->reads;
	expr_destroy(breakpoint->value);
	breakpoint->value = object;
	breakpoint->value_given = true;
	for (size_t i = 0; !error && i < probe->spaces.count; i++)
		error = watches_resolve(probe, probe->spaces.data[i]);
	if (!error && condition)
		error = judge_bound(probe, breakpoint);
	if (error) {
		probe_take_back(probe, breakpoint);
		return error;
	}
	probe_describe_problem(probe, breakpoint);
	*out = breakpoint;
	return NULL;
}

struct error *watch_trap(struct probe *probe, const struct event *event,
			 struct probe_outcome *outcome, bool *handled)
{
	struct thread *thread = event->thread;
	struct space *space = space_of(thread->process);
	struct finished_stop finished;
	unsigned which;

	TRY(target_take_watched(thread, &which));
	*handled = which != 0;
	if (!which)
		return NULL;
	begin_hold(probe, event, &finished);
	/* A trampoline evaluates conditions: it is the tool that reads. */
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (which >> i & 1 && space->watches.list[i].attachment &&
		    !fast_site_at(space, event->pc))
			TRY(count_watch(probe, event,
					space->watches.list[i].attachment,
					outcome));
	if (has_handler(thread))
		TRY(undo_reset(probe, thread, event->pc, true));
	if (outcome->breakpoint) {
		outcome->action = PROBE_STOP;
		outcome->resume_pc = event->pc;
		return NULL;
	}
	if (thread->state == THREAD_STOPPED)
		TRY(target_resume(thread));
	else
		TRY(target_resume_at(thread, event->pc, &finished.resume));
	probe->finished = finished;
	return NULL;
}

struct error *watch_step(struct probe *probe, struct thread *thread)
{
	struct event event = {.kind = EVENT_TRAP,
			      .time = clock_now(probe->clock),
			      .process = thread->process,
			      .thread = thread};
	struct space *space = thread->process->owner;
	struct probe_outcome outcome = {.action = PROBE_HANDLED};
	unsigned which;

	TRY(target_take_watched(thread, &which));
	if (!which || !space)
		return NULL;
	TRY(target_get_pc(thread, &event.pc, &event.sp));
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (which >> i & 1 && space->watches.list[i].attachment)
			TRY(count_watch(probe, &event,
					space->watches.list[i].attachment,
					&outcome));
	return NULL;
}

struct error *watch_enable(struct probe *probe, struct breakpoint *breakpoint,
			   bool enabled)
{
	if (enabled && !breakpoint->enabled)
		TRY(check_room(probe));
	breakpoint->enabled = enabled;
	watches_change(probe, breakpoint);
	return NULL;
}
