/*
 * probe_events.c - passes the events of the probe layer to the measure layer
 *
 * The measure layer counts a hit of a breakpoint with a condition while the
 * monitor is on. Any other hit stops the program, as a breakpoint of a debugger
 * does.
 */
#include <inttypes.h>

#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/user_interface.h"
#include "perftool/target/target_events.h"
#include "run.h"
#include "session/requests/requests.h"

static bool is_measured(const struct session *session,
			const struct breakpoint *breakpoint)
{
	return breakpoint_has_condition(breakpoint) &&
	       measure_monitor(session->measure);
}

/* Is the breakpoint one of the session's own, for a profile? */
static bool is_apart(const struct breakpoint *breakpoint)
{
	return breakpoint_id(breakpoint) & PROBE_APART;
}

/* Does the breakpoint neither count nor stop the program, because
 * session_suspend() has suspended the nodes, or because nobody has asked for
 * it (`set detail auto')? */
static bool is_suspended(const struct session *session,
			 const struct breakpoint *breakpoint)
{
	bool is_out;

	return (session->is_suspended &&
		breakpoint_has_condition(breakpoint)) ||
	       recorded_made_node(session, breakpoint_id(breakpoint), &is_out);
}

static bool on_stops(void *context, const struct breakpoint *breakpoint)
{
	return !is_apart(breakpoint) && !is_measured(context, breakpoint) &&
	       !is_suspended(context, breakpoint);
}

bool hit_stops(const struct session *session,
	       const struct breakpoint *breakpoint, pid_t pid, pid_t tid)
{
	return !is_apart(breakpoint) && !is_measured(session, breakpoint) &&
	       !is_suspended(session, breakpoint) &&
	       (!session->tracked_pid || session->tracked_pid == pid) &&
	       (!session->tracked_tid || session->tracked_tid == tid);
}

/* ---- hits that there is no time for ------------------------------------ */

/* A program can make hits much faster than perftool counts them, if each hit
 * belongs to hundreds of legs. If the user asks for the end of the run, the
 * tool still counts the hits that were made before, but not for longer than
 * PATIENCE. */
#define PATIENCE 1000000000u /* ns */
#define HITS_BETWEEN_LOOKS 256

static bool is_too_late(struct session *session)
{
	struct session_ui *ui = &session->ui;
	uint64_t now;

	if (++session->hits_told % HITS_BETWEEN_LOOKS)
		return false;
	now = clock_now(&session->clock);
	/* The event loop may not have noticed yet that the user asks for the
	 * end, because the loop is busy with these hits. */
	if (!session->asked_at && ui->interrupting &&
	    ui->interrupting(ui->context))
		session->asked_at = now;
	return session->asked_at && now - session->asked_at > PATIENCE;
}

static bool is_skipped(struct session *session)
{
	if (!session->uncounted) {
		if (!is_too_late(session))
			return false;
		measure_discard_open(session->measure);
	}
	session->uncounted++;
	return true;
}

void note_uncounted(struct session *session)
{
	if (session->uncounted)
		session_note(session,
			     "%" PRIu64
			     " hits were not counted, the last ones before the "
			     "end that you asked for: counting them would have "
			     "taken too long",
			     session->uncounted);
	session->uncounted = 0;
}

static void on_hit(struct session *session, const struct probe_event *event)
{
	if (is_over(session) || is_skipped(session))
		return;
	if (is_apart(event->breakpoint)) {
		recorded_hit(session, event);
		return;
	}
	if (!event->is_conditional || !measure_monitor(session->measure))
		return;
	if (session->stacks != STACKS_OFF)
		event->hit->origin =
			origin_take(session, event->breakpoint, event->hit);
	measure_hit(session->measure, event->hit);
	origin_release(event->hit->origin);
}

static bool on_stops_thread(void *context, const struct breakpoint *breakpoint,
			    pid_t pid, pid_t tid)
{
	const struct session *session = context;

	return !is_over(session) && !session->uncounted &&
	       hit_stops(session, breakpoint, pid, tid);
}

static void on_fast_hit(struct session *session,
			const struct probe_event *event)
{
	const struct hit *hit = event->hit;

	if (is_over(session) || is_skipped(session))
		return;
	if (is_apart(event->breakpoint))
		recorded_hit(session, event);
	if (!is_apart(event->breakpoint) && event->is_conditional &&
	    measure_monitor(session->measure))
		measure_fast_hit(session->measure, hit);
	else
		measure_hold(session->measure, hit->thread, hit->pid, hit->tid,
			     hit->time, hit->time, hit->cost_before,
			     hit->cost_before);
}

/* Tells the user that one thread executes a leg on several stacks, so that the
 * order of the hits does not show which beginning and which end belong
 * together. The remark is about the program rather than the leg, so the user
 * gets it once, for the first such leg. */
void note_mixed(void *context, const struct measure_leg *leg, int32_t tid)
{
	struct session *session = context;
	const struct breakpoint *from =
		probe_find(session->probe, leg->spec.from);
	const struct breakpoint *to = probe_find(session->probe, leg->spec.to);

	measure_set_mixed(session->measure, NULL, NULL);
	session_note(session,
		     "thread %d begins leg %u (%s to %s) on one stack while "
		     "the leg is open on another stack: in a program with "
		     "coroutines, only a key tells which start and end belong "
		     "together: `delete leg %u', then `add leg %u %u key=EXPR'",
		     tid, leg->id,
		     from ? breakpoint_facts(from).location->text : "?",
		     to ? breakpoint_facts(to).location->text : "?", leg->id,
		     leg->spec.from, leg->spec.to);
}

static void on_error(struct session *session, struct breakpoint *breakpoint,
		     const char *reason)
{
	if (is_over(session))
		return;
	if (measure_monitor(session->measure)) {
		measure_node_error(session->measure, breakpoint_id(breakpoint),
				   reason);
	} else if (probe_tell_once(breakpoint)) {
		/* While the monitor is off, no table shows that the condition
		 * of this breakpoint could not be evaluated. So the user gets
		 * one remark about it. */
		session_note(session,
			     "an expression of breakpoint %u (%s) cannot be "
			     "evaluated (if it is the condition, the "
			     "breakpoint does not stop the program): %s",
			     breakpoint_id(breakpoint),
			     breakpoint_facts(breakpoint).location->text,
			     reason);
	}
}

static void on_held(struct session *session, const struct probe_event *event)
{
	const struct holder *holder = event->holder;

	measure_hold(session->measure, holder->serial, holder->pid, holder->tid,
		     event->from, event->to, event->before, event->after);
}

static void on_stalled(struct session *session, const struct probe_event *event)
{
	const struct holder *holder = event->holder;

	measure_stall(session->measure, holder->serial, holder->pid,
		      holder->tid, event->from, event->to);
}

static void on_told(struct session *session, const struct probe_event *event)
{
	const struct holder *holder = event->counter;
	const struct measure_told told = {.leg = event->leg,
					  .thread = holder->serial,
					  .pid = holder->pid,
					  .tid = holder->tid,
					  .from = event->began,
					  .to = event->ended,
					  .taken = event->taken,
					  .shares_to = event->shares_to};

	if (event->kind == PROBE_EVENT_TOLD)
		measure_told(session->measure, &told);
	else
		measure_hand_over(session->measure, &told, event->frame);
}

/* Handles what a thread has counted by itself. */
static void on_counts(struct session *session, const struct probe_event *event)
{
	struct measure *measure = session->measure;
	const struct holder *holder = event->counter;

	if (is_over(session))
		return;
	switch (event->kind) {
	case PROBE_EVENT_COUNTED:
		measure_counted(measure, holder->serial, holder->pid,
				holder->tid, event->leg, event->counted);
		break;
	case PROBE_EVENT_TOLD:
	case PROBE_EVENT_HANDED_OVER:
		on_told(session, event);
		break;
	case PROBE_EVENT_COUNTED_HITS:
		measure_counted_hits(measure, holder->serial, holder->pid,
				     holder->tid, event->taken);
		break;
	case PROBE_EVENT_COUNTED_OVERHEAD:
		measure_counted_overhead(measure, holder->serial, holder->pid,
					 holder->tid, event->taken,
					 event->count);
		break;
	case PROBE_EVENT_COUNTED_UNTIL:
		measure_counted_until(measure, event->from, event->to);
		break;
	case PROBE_EVENT_OPEN_SINCE:
		measure_open_since(measure, holder->serial, event->times,
				   event->count);
		break;
	default:
		break;
	}
}

static void on_stood(struct session *session, uint64_t from, uint64_t to)
{
	if (session->state == RUN_STARTING || is_over(session) ||
	    !session->clock_runs)
		return;
	measure_skip(session->measure, from, to);
	recorded_stood(session, from, to);
	session->still_ns += to - from;
}

/* Does the breakpoint count for each of its places? Threads that count by
 * themselves do not tell where. */
static bool counts_by_place(const struct session *session, uint32_t id)
{
	const struct breakpoint *breakpoint = probe_find(session->probe, id);

	return breakpoint &&
	       breakpoint_facts(breakpoint).kind >= REQUEST_BLOCKS;
}

static bool on_inspects(void *context, const struct breakpoint *breakpoint)
{
	const struct session *session = context;

	return is_measured(session, breakpoint) &&
	       origins_are_wanted(session, breakpoint_id(breakpoint));
}

static bool on_countable(void *context, const struct breakpoint *breakpoint,
			 struct countable *out)
{
	const struct session *session = context;
	struct measure_countable leg;

	if (session->counting == COUNTING_RING || is_apart(breakpoint) ||
	    !is_measured(session, breakpoint) || session->tracked_tid ||
	    session_chooses_threads(session) ||
	    !measure_is_countable(session->measure, breakpoint_id(breakpoint),
				  &leg))
		return false;
	if (counts_by_place(session, leg.from) ||
	    counts_by_place(session, leg.to))
		return false;
	/* All threads are stopped, and may begin to count by themselves. */
	measure_keep_histories(session->measure, clock_now(&session->clock));
	*out = (struct countable){.leg = leg.leg,
				  .from = leg.from,
				  .to = leg.to,
				  .is_open = leg.is_open,
				  .by_order = leg.by_order,
				  .keeps_first = leg.keeps_first,
				  .from_ends = leg.from_ends,
				  .to_begins = leg.to_begins};
	return true;
}

static bool on_counts_calls(void *context)
{
	const struct session *session = context;

	/* A thread takes the cost of its hits out by itself, and knows nothing
	 * of what is tracked. */
	return session->counting != COUNTING_RING && session->compensation &&
	       !session->tracked_pid && !session->tracked_tid &&
	       !session_chooses_threads(session);
}

static void on_leg_name(void *context, uint32_t leg, struct str *out)
{
	struct session *session = context;
	const struct measure_leg *of = measure_leg(session->measure, leg);

	if (of)
		leg_name(session, of, out);
}

static bool on_wants_switches(void *context)
{
	const struct session *session = context;

	return session->cpu_time != CPU_TIME_OFF &&
	       (profile_wants_switches(session) ||
		measure_leg_at(session->measure, 0) ||
		measure_add_successor(session->measure));
}

static void on_began(struct session *session)
{
	uint64_t now = clock_now(&session->clock);

	if (session->state == RUN_STARTING) {
		/* The next thing that the program executes is its first
		 * instruction. */
		enter_state(session, RUN_FOREGROUND);
		session->still_ns += now - session->started;
		if (!session->holds_start)
			run_clock(session, true, now);
		else if (!session->failure)
			session->failure = target_stop_all(session->target);
	}
}

static void on_exec(struct session *session, struct process *process)
{
	struct followed *followed = find_followed(session, process->pid);

	if (process == session->process)
		session->has_executed = true;
	if (followed)
		tell_process_name(session, followed);
	measure_process_gone(session->measure, process->pid);
	profile_process_gone(session, process->pid);
	recorded_program_changed(session, process->pid);
	if (followed)
		read_process_name(followed);
	note_lost_rights(session, process->pid);
	if (session->selected && session->selected->process == process)
		session->selected = NULL;
}

static void on_left(struct session *session, struct process *process)
{
	await_if_main(session, process);
	process_left(session, process, process->pid);
}

/* ---- the stream of events ---------------------------------------------- */

/* Handles an event of a thread. Once the run is over, such an event is not
 * counted. */
static void on_thread_event(struct session *session,
			    const struct probe_event *event)
{
	if (is_over(session))
		return;
	switch (event->kind) {
	case PROBE_EVENT_PASSED:
		measure_pass(session->measure, event->pid, event->tid);
		break;
	case PROBE_EVENT_FOLLOWED:
		measure_follow(session->measure, event->pid, event->tid,
			       event->at_int3 ? HIT_INT3 : HIT_FAST);
		break;
	case PROBE_EVENT_HELD:
		on_held(session, event);
		break;
	case PROBE_EVENT_STALLED:
		on_stalled(session, event);
		break;
	default:
		break;
	}
}

static void on_event(void *context, const struct probe_event *event)
{
	struct session *session = context;
	struct measure *measure = session->measure;

	profile_event(session, event);
	switch (event->kind) {
	case PROBE_EVENT_CALL: /* profile_event() has counted these. */
	case PROBE_EVENT_CALLS_COUNTED:
	case PROBE_EVENT_CALL_TOLD:
		break;
	case PROBE_EVENT_FAST_HIT:
		on_fast_hit(session, event);
		break;
	case PROBE_EVENT_HIT:
		on_hit(session, event);
		break;
	case PROBE_EVENT_PASSED:
	case PROBE_EVENT_FOLLOWED:
	case PROBE_EVENT_HELD:
	case PROBE_EVENT_STALLED:
		on_thread_event(session, event);
		break;
	case PROBE_EVENT_COUNTED:
	case PROBE_EVENT_TOLD:
	case PROBE_EVENT_HANDED_OVER:
	case PROBE_EVENT_COUNTED_HITS:
	case PROBE_EVENT_COUNTED_OVERHEAD:
	case PROBE_EVENT_COUNTED_UNTIL:
	case PROBE_EVENT_OPEN_SINCE:
		on_counts(session, event);
		break;
	case PROBE_EVENT_ERROR:
		on_error(session, event->breakpoint, event->reason);
		break;
	case PROBE_EVENT_STOOD:
		on_stood(session, event->from, event->to);
		break;
	case PROBE_EVENT_WATCHED:
		measure_watch(measure, event->holder->serial,
			      event->holder->pid, event->from);
		break;
	case PROBE_EVENT_SWITCHED:
		measure_switch(measure, event->holder->serial, event->from,
			       event->on);
		break;
	case PROBE_EVENT_SWITCHES_LOST:
		measure_switches_lost(measure, event->holder->serial);
		break;
	case PROBE_EVENT_CALIBRATED:
		measure_set_calibration(measure, event->mechanism, event->cost,
					event->spread);
		break;
	case PROBE_EVENT_CPU_COST:
		measure_set_cpu_cost(measure, event->cost);
		break;
	case PROBE_EVENT_BEGAN:
		on_began(session);
		break;
	case PROBE_EVENT_LIBRARIES:
		session_time_pending(session);
		break;
	case PROBE_EVENT_CHILD:
		follow(session, event->process);
		break;
	case PROBE_EVENT_EXEC:
		on_exec(session, event->process);
		break;
	case PROBE_EVENT_FAILED:
		note_unmeasured(session, event->process, event->why);
		recorded_process_left(session, event->process);
		break;
	case PROBE_EVENT_LEFT:
		on_left(session, event->process);
		break;
	case PROBE_EVENT_LEFT_COUNTS:
		keep_left_counts(session, event->left_counts);
		break;
	case PROBE_EVENT_NOTE:
		session->ui.note(session->ui.context, event->text);
		break;
	}
}

static void on_working(void *context, const char *what, size_t done,
		       size_t count)
{
	const struct session *session = context;
	bool is_lent = session->group && (session->state == RUN_FOREGROUND ||
					  session->state == RUN_ENDING);

	/* While the program has the terminal, it may have written a part of a
	 * line there. */
	if (session->ui.working && !is_lent)
		session->ui.working(session->ui.context, what, done, count);
}

void session_probe_client(struct session *session, struct probe_client *out)
{
	*out = (struct probe_client){.context = session,
				     .event = on_event,
				     .interrupt = session_interrupt(session),
				     .working = on_working,
				     .stops = on_stops,
				     .stops_thread = on_stops_thread,
				     .inspects = on_inspects,
				     .countable = on_countable,
				     .counts_calls = on_counts_calls,
				     .leg_name = on_leg_name,
				     .wants_switches = on_wants_switches,
				     .node_count = session_node_count};
}
