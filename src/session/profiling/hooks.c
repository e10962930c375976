/*
 * hooks.c - what the profiles learn of the run: the functions that run/ calls
 * (session_state.h)
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "profiling.h"

struct profiling *profiling_create(struct session *session)
{
	struct profiling *profiling = xcalloc(1, sizeof(*profiling));

	spy_init(&profiling->spy, session);
	tick_profile_init(&profiling->ticks, session);
	top_profile_init(&profiling->top, session);
	return profiling;
}

void profiling_destroy(struct profiling *profiling)
{
	top_profile_deinit(&profiling->top);
	tick_profile_deinit(&profiling->ticks);
	spy_deinit(&profiling->spy);
	module_numbers_deinit(&profiling->modules);
	free(profiling);
}

void profiling_event(struct session *session, const struct event *event)
{
	spy_event(&session->profiling->spy, event);
	recorder_event(&session->profiling->ticks.recorder, event);
	recorder_event(&session->profiling->top.recorder, event);
}

void profiling_clock(struct session *session, bool runs, uint64_t time)
{
	recorder_clock(&session->profiling->spy.recorder, runs, time);
	recorder_clock(&session->profiling->ticks.recorder, runs, time);
	recorder_clock(&session->profiling->top.recorder, runs, time);
}

void profiling_process_came(struct session *session, struct process *process)
{
	recorder_process_came(&session->profiling->spy.recorder, process);
	recorder_process_came(&session->profiling->ticks.recorder, process);
	recorder_process_came(&session->profiling->top.recorder, process);
}

void profiling_process_left(struct session *session, struct process *process)
{
	recorder_process_left(&session->profiling->spy.recorder, process);
	recorder_process_left(&session->profiling->ticks.recorder, process);
	recorder_process_left(&session->profiling->top.recorder, process);
}

void profiling_hit(struct session *session, const struct probe_event *event)
{
	spy_hit(&session->profiling->spy, event);
}
