/*
 * hits.c - from the probe layer's callbacks to the measure layer
 *
 * A hit of a breakpoint with a condition is measured while the monitor is on;
 * any other hit stops the program, as a debugger's breakpoint would.
 */
#include <inttypes.h>

#include "session_state.h"

static bool is_measured(const struct session *session,
			const struct breakpoint *breakpoint)
{
	return breakpoint->condition && measure_monitor(session->measure);
}

static bool on_stops(void *context, const struct breakpoint *breakpoint)
{
	return !is_measured(context, breakpoint);
}

bool hit_stops(const struct session *session,
	       const struct breakpoint *breakpoint, pid_t pid, pid_t tid)
{
	return !is_measured(session, breakpoint) &&
	       (!session->tracked_pid || session->tracked_pid == pid) &&
	       (!session->tracked_tid || session->tracked_tid == tid);
}

/* ---- hits that there is no time for -----------------------------------------
 */

/* A program can make hits much faster than perftool counts them, if each hit
 * belongs to hundreds of legs. A user who asks for the end waits until the hits
 * of before are counted, but not for longer than this. */
#define PATIENCE 1000000000u /* ns */
#define HITS_BETWEEN_LOOKS 256

static bool is_too_late(struct session *session)
{
	struct session_ui *ui = &session->ui;
	uint64_t now;

	if (++session->hits_told % HITS_BETWEEN_LOOKS)
		return false;
	now = clock_now(&session->clock);
	/* the event loop has not heard of it yet */
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
			     "%" PRIu64 " hits were not counted, the last ones "
			     "before the end that you asked for: to count them "
			     "would have taken too long",
			     session->uncounted);
	session->uncounted = 0;
}

static bool on_hit(void *context, struct breakpoint *breakpoint,
		   struct hit *hit)
{
	struct session *session = context;

	if (is_over(session) || is_skipped(session))
		return false;
	hit->node = breakpoint->id;
	if (is_measured(session, breakpoint))
		measure_hit(session->measure, hit);
	return hit_stops(session, breakpoint, hit->pid, hit->tid);
}

static void on_fast_hit(void *context, struct breakpoint *breakpoint,
			struct hit *hit)
{
	struct session *session = context;

	if (is_over(session) || is_skipped(session))
		return;
	hit->node = breakpoint->id;
	if (is_measured(session, breakpoint))
		measure_fast_hit(session->measure, hit);
	else
		measure_hold(session->measure, hit->thread, hit->pid, hit->tid,
			     hit->time, hit->time, hit->cost_before,
			     hit->cost_before);
}

/* Said once, of the first leg: it is the program that is told of. */
void note_mixed(void *context, const struct measure_leg *leg, int32_t tid)
{
	struct session *session = context;
	const struct breakpoint *from =
		probe_find(session->probe, leg->spec.from);
	const struct breakpoint *to = probe_find(session->probe, leg->spec.to);

	measure_set_mixed(session->measure, NULL, NULL);
	session_note(session,
		     "thread %d begins leg %u (%s to %s) on one stack while it "
		     "is open on another: where stacks take turns "
		     "(coroutines), only a key tells what belongs together: "
		     "`delete leg %u', then `add leg %u %u key=EXPR'",
		     tid, leg->id, from ? from->location.text : "?",
		     to ? to->location.text : "?", leg->id, leg->spec.from,
		     leg->spec.to);
}

static void on_error(void *context, struct breakpoint *breakpoint,
		     const char *reason)
{
	struct session *session = context;

	if (is_over(session))
		return;
	if (measure_monitor(session->measure)) {
		measure_node_error(session->measure, breakpoint->id, reason);
	} else if (!breakpoint->told) {
		/* no table will tell why it does not stop */
		breakpoint->told = true;
		session_note(session, "breakpoint %u (%s) does not stop: %s",
			     breakpoint->id, breakpoint->location.text, reason);
	}
}

static void on_passed(void *context, pid_t pid, pid_t tid)
{
	struct session *session = context;

	if (!is_over(session))
		measure_pass(session->measure, pid, tid);
}

static void on_followed(void *context, pid_t pid, pid_t tid)
{
	struct session *session = context;

	if (!is_over(session))
		measure_follow(session->measure, pid, tid);
}

static void on_held(void *context, const struct holder *holder,
		    uint64_t arrival, uint64_t resume, double before,
		    double after)
{
	struct session *session = context;

	if (!is_over(session))
		measure_hold(session->measure, holder->serial, holder->pid,
			     holder->tid, arrival, resume, before, after);
}

static void on_stalled(void *context, const struct holder *holder,
		       uint64_t from, uint64_t to)
{
	struct session *session = context;

	if (!is_over(session))
		measure_stall(session->measure, holder->serial, holder->pid,
			      holder->tid, from, to);
}

static void on_libraries(void *context)
{
	session_time_pending(context);
}

static void on_stood(void *context, uint64_t from, uint64_t to)
{
	struct session *session = context;

	if (session->state == RUN_STARTING || is_over(session) ||
	    !session->clock_runs)
		return;
	measure_skip(session->measure, from, to);
	session->still_ns += to - from;
}

static void on_calibrated(void *context, enum hit_mechanism mechanism,
			  double cost, double spread)
{
	struct session *session = context;

	measure_set_calibration(session->measure, mechanism, cost, spread);
}

static bool on_wants_switches(void *context)
{
	const struct session *session = context;

	return session->cpu_time != CPU_TIME_OFF &&
	       (measure_leg_at(session->measure, 0) ||
		measure_add_successor(session->measure));
}

static void on_watched(void *context, const struct holder *holder,
		       uint64_t time)
{
	struct session *session = context;

	measure_watch(session->measure, holder->serial, holder->pid, time);
}

static void on_switched(void *context, const struct holder *holder,
			uint64_t time, bool on)
{
	struct session *session = context;

	measure_switch(session->measure, holder->serial, time, on);
}

static void on_switches_lost(void *context, const struct holder *holder)
{
	struct session *session = context;

	measure_switches_lost(session->measure, holder->serial);
}

static void on_cpu_cost(void *context, double cost)
{
	struct session *session = context;

	measure_set_cpu_cost(session->measure, cost);
}

static void on_began(void *context)
{
	struct session *session = context;
	uint64_t now = clock_now(&session->clock);

	if (session->state == RUN_STARTING) {
		/* the program's first instruction comes next */
		enter_state(session, RUN_FOREGROUND);
		session->still_ns += now - session->started;
		run_clock(session, true, now);
	}
}

static void on_note(void *context, const char *text)
{
	struct session *session = context;

	session->ui.note(session->ui.context, text);
}

bool session_node_count(void *context, uint32_t node, uint64_t *count)
{
	struct session *session = context;
	const struct measure_node *found = measure_node(session->measure, node);

	/* a breakpoint becomes a node when it is first reached */
	*count = found ? found->count : 0;
	return found || probe_find(session->probe, node);
}

static void on_child(void *context, struct process *process,
		     struct process *parent)
{
	(void)parent;
	follow(context, process);
}

static void on_exec(void *context, struct process *process)
{
	struct session *session = context;
	struct followed *followed = find_followed(session, process->pid);

	if (followed)
		tell_process_name(session, followed);
	measure_process_gone(session->measure, process->pid);
	if (followed)
		read_process_name(followed);
	note_lost_rights(session, process->pid);
	if (session->selected && session->selected->process == process)
		session->selected = NULL;
}

static void on_left(void *context, struct process *process)
{
	struct session *session = context;

	/* at a prompt it is as after `detach' */
	if (process == session->process && !session->attached &&
	    !session->ui.interactive)
		session->awaited = process->pid;
	process_left(session, process, process->pid);
}

void session_probe_ops(struct session *session, struct probe_ops *ops)
{
	*ops = (struct probe_ops){.context = session,
				  .interrupt = session_interrupt(session),
				  .stops = on_stops,
				  .hit = on_hit,
				  .fast_hit = on_fast_hit,
				  .error = on_error,
				  .passed = on_passed,
				  .followed = on_followed,
				  .held = on_held,
				  .stalled = on_stalled,
				  .libraries = on_libraries,
				  .stood = on_stood,
				  .calibrated = on_calibrated,
				  .wants_switches = on_wants_switches,
				  .watched = on_watched,
				  .switched = on_switched,
				  .switches_lost = on_switches_lost,
				  .cpu_cost = on_cpu_cost,
				  .began = on_began,
				  .note = on_note,
				  .node_count = session_node_count,
				  .child = on_child,
				  .exec = on_exec,
				  .left = on_left};
}
