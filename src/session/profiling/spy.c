/*
 * spy.c - the Spy: what it watches, when it records, and its samples
 */
#include <inttypes.h>

#include "recorded_profiles.h"

#include "perftool/base/host.h"
#include "perftool/session/spy.h"
#include "perftool/target/target_events.h"
#include "session/run/run.h"

/* The Spy of 1982 woke up 80 times a second. A number that has no common factor
 * with the periods of usual timers sees more of a program that these drive. */
#define DEFAULT_RATE 97
#define MOST_RATE 10000

void spy_init(struct spy *spy, struct session *session)
{
	*spy = (struct spy){.rate = DEFAULT_RATE, .is_seen = true};
	recorder_init(&spy->recorder, session);
}

void spy_deinit(struct spy *spy)
{
	spy_breaks_deinit(&spy->breaks);
	vec_free(&spy->spaces);
	allocations_deinit(&spy->allocations);
	recorder_deinit(&spy->recorder);
}

static struct spy *spy_of(const struct session *session)
{
	return &session->recorded->spy;
}

const char *spy_watch_word(enum spy_watch watch)
{
	static const char *const words[] = {
		[SPY_CPU] = "cpu",
		[SPY_PAGEFAULTS] = "pagefaults",
		[SPY_ALLOCATIONS] = "allocations",
		[SPY_WORDS] = "words",
		[SPY_SPACES] = "spaces",
		[SPY_BREAKS] = "breaks",
	};

	return words[watch];
}

/* ---- what is watched ----------------------------------------------------- */

static struct error *check_off(const struct spy *spy)
{
	if (spy->state == SPY_OFF)
		return NULL;
	return error_create(ERROR_OTHER, "the Spy is on; `spy off' first");
}

struct error *session_spy_watch(struct session *session, enum spy_watch watch)
{
	TRY(check_off(spy_of(session)));
	spy_of(session)->watch = watch;
	return NULL;
}

struct error *session_spy_rate(struct session *session, double hz)
{
	TRY(check_off(spy_of(session)));
	if (!(hz >= 0.1 && hz <= MOST_RATE))
		return error_create(ERROR_USAGE,
				    "the rate is a number of ticks a second "
				    "from 0.1 to %d",
				    MOST_RATE);
	spy_of(session)->rate = hz;
	spy_of(session)->has_rate = true;
	return NULL;
}

struct error *session_spy_process_break(struct session *session)
{
	TRY(check_off(spy_of(session)));
	spy_of(session)->tid = 0;
	spy_of(session)->by_break_thread = true;
	return NULL;
}

struct error *session_spy_process(struct session *session, pid_t tid)
{
	TRY(check_off(spy_of(session)));
	if (tid && !session->followed.count)
		return error_create(ERROR_NOT_FOUND,
				    "there is no process yet, and so no thread "
				    "%d; `spy process break' watches the "
				    "thread that comes to a start break first",
				    tid);
	if (tid && !followed_thread(session, tid))
		return error_create(ERROR_NOT_FOUND,
				    "there is no thread %d; `list threads' "
				    "lists all",
				    tid);
	spy_of(session)->tid = tid;
	spy_of(session)->by_break_thread = false;
	return NULL;
}

/* ---- recording ----------------------------------------------------------- */

/* Does the sampler make the samples, and not a breakpoint? */
static bool is_sampled(const struct spy *spy)
{
	return spy->watch == SPY_CPU || spy->watch == SPY_PAGEFAULTS;
}

/* Begins what needs more than the sampler and the user's breaks. */
static struct error *watch_more(struct spy *spy)
{
	struct session *session = spy->recorder.session;

	if (spy->watch == SPY_SPACES) {
		target_get_call_stops(session->target, &spy->calls_before);
		spaces_watch(session, true);
	}
	if (spy->watch == SPY_ALLOCATIONS || spy->watch == SPY_WORDS)
		return allocations_watch(&spy->allocations, session,
					 spy->watch == SPY_WORDS);
	return NULL;
}

/* While spaces are watched, threads stop at the entry and at the exit of every
 * system call. */
static void count_call_stops(struct spy *spy)
{
	struct sampler_account *account = &spy->recorder.account;
	struct call_stops stops;
	double held;

	target_get_call_stops(spy->recorder.session->target, &stops);
	held = (double)(stops.ns - spy->calls_before.ns);
	account->spent_ns += held;
	account->stopped_ns +=
		held + (double)(stops.count - spy->calls_before.count) *
			       recorder_stop_cost(&spy->recorder);
}

static void watch_no_more(struct spy *spy)
{
	struct session *session = spy->recorder.session;

	if (spy->watch == SPY_SPACES) {
		spaces_watch(session, false);
		count_call_stops(spy);
	}
	allocations_end(&spy->allocations, session);
}

/* Says what cannot be sampled, and what else can. */
static struct error *explain(const struct spy *spy, struct error *error)
{
	struct error *explained = error;

	if (error && spy->watch == SPY_PAGEFAULTS) {
		explained = error_create(
			error_code(error),
			"page faults cannot be sampled: %s; `spy watch cpu' "
			"takes ticks without that",
			error_message(error));
		error_destroy(error);
	}
	return explained;
}

/* Begins to sample, unless the thread that is to be watched is not known yet,
 * or breakpoints make the samples. */
static struct error *begin_recording(struct spy *spy)
{
	const struct sampling sampling = {.event = spy->watch == SPY_PAGEFAULTS
							   ? SAMPLED_FAULTS
							   : SAMPLED_TICKS,
					  .rate = spy->rate,
					  .tid = spy->tid};

	if (is_sampled(spy) && !(spy->by_break_thread && !spy->tid))
		return explain(spy, recorder_start(&spy->recorder, &sampling));
	recorder_begin(&spy->recorder);
	return NULL;
}

struct error *spy_begin(struct spy *spy, bool is_paused)
{
	struct error *error;

	spy->recorder.is_paused = is_paused;
	TRY(begin_recording(spy));
	error = watch_more(spy);
	if (error) {
		recorder_stop(&spy->recorder);
		return error;
	}
	spy->recorded_watch = spy->watch;
	spy->recorded_tid = spy->tid;
	if (!spy->was_on)
		spy->began = host_time();
	spy->was_on = true;
	spy->used_starts = is_paused;
	spy->is_seen = false;
	spy->state = is_paused ? SPY_ARMED : SPY_RECORDING;
	return NULL;
}

/* The thread of the first start break is known now. */
static void watch_thread(struct spy *spy, pid_t tid)
{
	struct error *error;

	spy->tid = spy->recorded_tid = tid;
	recorder_stop(&spy->recorder);
	error = begin_recording(spy);
	if (error)
		session_note(spy->recorder.session, "the Spy: %s",
			     error_message(error));
	error_destroy(error);
}

void spy_started(struct spy *spy, pid_t tid)
{
	if (spy->by_break_thread && !spy->tid)
		watch_thread(spy, tid);
	recorder_pause(&spy->recorder, false);
	spy->state = SPY_RECORDING;
}

bool spy_watches(const struct spy *spy, pid_t tid)
{
	return spy->state == SPY_RECORDING && (!spy->tid || spy->tid == tid);
}

void spy_event(struct spy *spy, const struct event *event)
{
	recorder_event(&spy->recorder, event);
	if (event->kind == EVENT_CALL) {
		if (spy_watches(spy, event->thread->tid))
			spaces_event(&spy->recorder, &spy->spaces, event);
		recorder_held(&spy->recorder, event->time, 0);
	} else if (event->kind == EVENT_EXEC ||
		   event->kind == EVENT_PROCESS_GONE)
		spaces_forget(&spy->spaces, event->process->pid);
}

static void end(struct spy *spy)
{
	recorder_stop(&spy->recorder);
	spy->recorder.is_paused = false;
	watch_no_more(spy);
	spy_breaks_disarm(spy);
	spy->state = SPY_OFF;
}

/* Asks the user whether samples that nobody has seen may be forgotten. */
static struct error *check_seen(struct session *session)
{
	struct spy *spy = spy_of(session);

	if (spy->is_seen || !spy->recorder.log.stacks)
		return NULL;
	if (!session->ui.confirm(session->ui.context,
				 "The Spy has samples that were not displayed. "
				 "Forget them?"))
		return error_create(ERROR_OTHER,
				    "the Spy has samples that were not "
				    "displayed; `spy display' or `spy flush' "
				    "first");
	return NULL;
}

/* Samples of different kinds cannot be displayed together. */
static bool is_other_kind(const struct spy *spy)
{
	return spy->recorded_watch != spy->watch ||
	       spy->recorded_tid != spy->tid;
}

static struct error *check_kind(const struct spy *spy)
{
	if (!spy->recorder.log.stacks || !is_other_kind(spy))
		return NULL;
	return error_create(ERROR_OTHER,
			    "the Spy has samples of another kind than it would "
			    "take now; `spy on' begins a new measurement");
}

/* Forgets the samples of the last measurement, unless it is to go on. */
static struct error *begin_anew(struct session *session, bool resumes)
{
	struct spy *spy = spy_of(session);

	if (resumes && spy->was_on)
		return check_kind(spy);
	TRY(check_seen(session));
	if (!spy->is_seen || spy->recorder.log.stacks || is_other_kind(spy)) {
		recorder_flush(&spy->recorder);
		vec_clear(&spy->spaces);
		spy->was_on = false;
	}
	return NULL;
}

/* Refuses what could never record anything. */
static struct error *check_choices(struct session *session)
{
	const struct spy *spy = spy_of(session);

	if (spy->watch == SPY_BREAKS && !spy_has_breaks(spy, SPY_BREAK_SAMPLE))
		return error_create(ERROR_OTHER,
				    "the Spy watches breaks, and there is none "
				    "that makes samples; `spy break LOC' makes "
				    "one");
	if (spy->tid && !spy->by_break_thread &&
	    !followed_thread(session, spy->tid))
		return error_create(ERROR_NOT_FOUND,
				    "thread %d, which the Spy watches, does "
				    "not exist any more; `spy process all', or "
				    "`spy process TID' (`list threads' lists "
				    "all)",
				    spy->tid);
	return NULL;
}

/* Tells of what the user has chosen and the Spy does not use. */
static void tell_of_unused(const struct spy *spy, bool by_starts,
			   struct str *out)
{
	const char *watch = spy_watch_word(spy->watch);

	if (!by_starts && (spy_has_breaks(spy, SPY_BREAK_START) ||
			   spy_has_breaks(spy, SPY_BREAK_STOP)))
		str_append(out, "The Spy records from now on, and does not use "
				"the start breaks and stop breaks; `spy starts "
				"on' would.\n");
	if (spy->watch != SPY_BREAKS && spy_has_breaks(spy, SPY_BREAK_SAMPLE))
		str_printf(out,
			   "The Spy watches %s, and does not use the breaks "
			   "that make samples; `spy watch breaks' would.\n",
			   watch);
	if (spy->has_rate && spy->watch != SPY_CPU)
		str_printf(
			out,
			"The Spy watches %s, and does not use the rate; `spy "
			"watch cpu' would.\n",
			watch);
}

static void describe_recorded(const struct spy *spy, bool by_starts,
			      struct str *out)
{
	static const char *const each[] = {
		[SPY_PAGEFAULTS] = "each page fault",
		[SPY_ALLOCATIONS] = "each allocation",
		[SPY_WORDS] = "each allocation, by its size",
		[SPY_SPACES] = "each mapping that is made, changed or deleted",
		[SPY_BREAKS] = "each hit of the breaks",
	};

	if (spy->watch != SPY_CPU)
		str_append(out, each[spy->watch]);
	else if (spy->tid || spy->by_break_thread)
		str_printf(out, "%g ticks a second, with what it waits for",
			   spy->rate);
	else
		str_printf(out, "%g ticks a second of each thread's CPU time",
			   spy->rate);
	if (spy->by_break_thread && !spy->tid)
		str_append(out, ", of the thread that comes to a start first");
	else if (spy->tid)
		str_printf(out, ", of thread %d", spy->tid);
	if (by_starts)
		str_append(out, ", from the first start break on");
}

/* Says what is recorded. */
static void confirm_on(const struct spy *spy, bool by_starts, struct str *out)
{
	str_append(out, "The Spy records ");
	describe_recorded(spy, by_starts, out);
	str_append(out, "; `spy display' shows them.\n");
}

void session_spy_show(const struct session *session, struct str *out)
{
	const struct spy *spy = spy_of(session);
	bool by_starts = spy->state != SPY_OFF && spy->used_starts;

	str_append(out, spy->state == SPY_OFF ? "The Spy is off; `spy on' has "
						"it record "
					      : "The Spy is on, and records ");
	describe_recorded(spy, by_starts, out);
	str_append(out, ".\n");
	if (spy->state == SPY_ARMED)
		str_append(out, "It waits for a start break.\n");
	if (spy->was_on && spy->recorder.log.stacks)
		str_printf(out,
			   "It has recorded %" PRIu64 " sample%s; `spy "
			   "display' shows them.\n",
			   spy->recorder.log.stacks,
			   spy->recorder.log.stacks == 1 ? "" : "s");
}

static struct error *turn_on(struct session *session, bool by_starts,
			     bool resumes, struct str *out)
{
	struct spy *spy = spy_of(session);
	struct error *error;

	if (spy->state != SPY_OFF)
		return error_create(ERROR_OTHER, "the Spy is on already; `spy "
						 "off' first");
	if (spy->by_break_thread) {
		if (!by_starts)
			return error_create(
				ERROR_OTHER,
				"the Spy watches the thread of the first start "
				"break: `spy starts on', or `spy process all'");
		spy->tid = 0;
	}
	TRY(check_choices(session));
	TRY(begin_anew(session, resumes));
	TRY(stand_still(session));
	TRY(spy_breaks_arm(spy, by_starts));
	error = spy_begin(spy, by_starts);
	if (error) {
		spy_breaks_disarm(spy);
		return error;
	}
	confirm_on(spy, by_starts, out);
	tell_of_unused(spy, by_starts, out);
	return NULL;
}

struct error *session_spy_on(struct session *session, struct str *out)
{
	return turn_on(session, false, false, out);
}

struct error *session_spy_resume(struct session *session, struct str *out)
{
	return turn_on(session, false, true, out);
}

struct error *session_spy_starts(struct session *session, bool on,
				 struct str *out)
{
	if (!on)
		return session_spy_off(session);
	if (!spy_has_breaks(spy_of(session), SPY_BREAK_START))
		return error_create(ERROR_OTHER,
				    "there is no start break; `spy start LOC' "
				    "makes one");
	return turn_on(session, true, false, out);
}

struct error *session_spy_off(struct session *session)
{
	struct spy *spy = spy_of(session);

	if (spy->state == SPY_OFF)
		return NULL;
	TRY(stand_still(session));
	end(spy);
	return NULL;
}

struct error *session_spy_flush(struct session *session)
{
	struct spy *spy = spy_of(session);

	recorder_flush(&spy->recorder);
	vec_clear(&spy->spaces);
	spy->is_seen = true;
	spy->was_on = spy->state != SPY_OFF;
	return NULL;
}

bool session_spy_was_on(const struct session *session)
{
	return spy_of(session)->was_on;
}

void session_spy_stacks(struct session *session, struct call_stacks *out)
{
	recorder_resolve(&spy_of(session)->recorder, out);
}
