/*
 * recorded_profiles.c - what the profiles learn of the run: the functions that
 * run/ calls (session_state.h)
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/target/target_events.h"
#include "recorded_profiles.h"

struct recorded_profiles *recorded_create(struct session *session)
{
	struct recorded_profiles *recorded = xcalloc(1, sizeof(*recorded));

	spy_init(&recorded->spy, session);
	tick_profile_init(&recorded->ticks, session);
	top_profile_init(&recorded->top, session);
	adaptive_detail_init(&recorded->detail, session);
	source_profiles_init(&recorded->source, session);
	lock_waits_init(&recorded->locks, session);
	return recorded;
}

void recorded_destroy(struct recorded_profiles *recorded)
{
	lock_waits_deinit(&recorded->locks);
	source_profiles_deinit(&recorded->source);
	adaptive_detail_deinit(&recorded->detail);
	top_profile_deinit(&recorded->top);
	tick_profile_deinit(&recorded->ticks);
	spy_deinit(&recorded->spy);
	str_deinit(&recorded->ticks_told);
	free(recorded);
}

bool recorded_has_requests(const struct session *session)
{
	return session->recorded->source.list.count ||
	       session->recorded->locks.is_on ||
	       session->recorded->spy.state != SPY_OFF ||
	       session->recorded->ticks.recorder.is_on ||
	       session->recorded->detail.is_on;
}

void recorded_event(struct session *session, const struct event *event)
{
	spy_event(&session->recorded->spy, event);
	recorder_event(&session->recorded->ticks.recorder, event);
	recorder_event(&session->recorded->top.recorder, event);
	recorder_event(&session->recorded->detail.recorder, event);
}

void recorded_clock(struct session *session, bool runs, uint64_t time)
{
	recorder_clock(&session->recorded->spy.recorder, runs, time);
	recorder_clock(&session->recorded->ticks.recorder, runs, time);
	recorder_clock(&session->recorded->top.recorder, runs, time);
	lock_waits_clock(&session->recorded->locks, runs, time);
	recorder_clock(&session->recorded->detail.recorder, runs, time);
}

void recorded_process_came(struct session *session, struct process *process)
{
	if (session->followed.count <= 1)
		recorded_detail_begins(session);
	recorder_process_came(&session->recorded->spy.recorder, process);
	recorder_process_came(&session->recorded->ticks.recorder, process);
	recorder_process_came(&session->recorded->top.recorder, process);
	recorder_process_came(&session->recorded->detail.recorder, process);
}

void recorded_process_left(struct session *session, struct process *process)
{
	recorder_process_left(&session->recorded->spy.recorder, process);
	recorder_process_left(&session->recorded->ticks.recorder, process);
	recorder_process_left(&session->recorded->top.recorder, process);
	lock_waits_process_gone(&session->recorded->locks, process->pid);
	recorder_process_left(&session->recorded->detail.recorder, process);
}

void recorded_hit(struct session *session, const struct probe_event *event)
{
	if (!lock_waits_hit(&session->recorded->locks, event) &&
	    !spy_hit(&session->recorded->spy, event))
		source_profiles_hit(&session->recorded->source, event);
}

void recorded_stood(struct session *session, uint64_t from, uint64_t to)
{
	lock_waits_stood(&session->recorded->locks, from, to);
}

void recorded_program_changed(struct session *session, pid_t pid)
{
	lock_waits_process_gone(&session->recorded->locks, pid);
}

void recorded_zero(struct session *session)
{
	lock_waits_clear(&session->recorded->locks);
}

void recorded_watch_locks(struct session *session, bool on)
{
	lock_waits_switch(&session->recorded->locks, on);
}
