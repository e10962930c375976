/*
 * spy_breaks.c - the breaks of the Spy
 *
 * A break that makes samples is armed while the Spy is on and watches breaks. A
 * start or stop break is armed after `spy starts on`. Recording goes on while
 * there were more starts than stops, over all threads, so that the breaks may
 * be in recursive procedures. A stop break at a function acts at the function's
 * exit; a frame that was unwound has stopped, too, which is seen at the next
 * hit of a break of its thread.
 *
 * All of these breaks are int3s, because the tool reads the stack of the thread
 * that is stopped there.
 */
#include <stdlib.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe_event.h"
#include "recorded_profiles.h"
#include "session/names/names.h"
#include "session/requests/requests.h"

/* ---- the list of breaks -------------------------------------------------- */

static void free_break(struct spied_break *at)
{
	free(at->location);
	free(at->condition);
	free(at);
}

void spy_breaks_deinit(struct spied_breaks *breaks)
{
	for (size_t i = 0; i < breaks->list.count; i++)
		free_break(breaks->list.data[i]);
	vec_free(&breaks->list);
	vec_free(&breaks->open);
}

bool spy_has_breaks(const struct spy *spy, enum spy_break_kind kind)
{
	for (size_t i = 0; i < spy->breaks.list.count; i++) {
		if (spy->breaks.list.data[i]->kind == kind)
			return true;
	}
	return false;
}

/* ---- arming -------------------------------------------------------------- */

static struct error *insert(struct session *session, enum request_kind kind,
			    const struct spied_break *at,
			    struct breakpoint **out)
{
	struct expr *condition = NULL;
	struct error *error;

	if (at->condition)
		TRY(expr_parse(at->condition, &condition));
	error = probe_add_apart(session->probe, kind, at->location, condition,
				out);
	if (error)
		return error;
	probe_want_thread(session->probe, *out);
	probe_want_frame(session->probe, *out);
	probe_want_stack(*out);
	return NULL;
}

static void withdraw(struct session *session, struct breakpoint **breakpoint)
{
	if (*breakpoint) {
		probe_remove(session->probe, *breakpoint);
		probe_forget(session->probe, *breakpoint);
	}
	*breakpoint = NULL;
}

static void disarm(struct session *session, struct spied_break *at)
{
	withdraw(session, &at->entry);
	withdraw(session, &at->exit);
}

static struct error *arm(struct session *session, struct spied_break *at)
{
	struct error *error;

	if (!at->is_at_exit)
		return insert(session, REQUEST_PLACE, at, &at->entry);
	TRY(insert(session, REQUEST_ENTRY, at, &at->entry));
	error = insert(session, REQUEST_RETURN, at, &at->exit);
	if (error)
		disarm(session, at);
	return error;
}

static struct error *arm_kind(struct spy *spy, enum spy_break_kind kind)
{
	for (size_t i = 0; i < spy->breaks.list.count; i++) {
		struct spied_break *at = spy->breaks.list.data[i];

		if (at->kind == kind)
			TRY(arm(spy->recorder.session, at));
	}
	return NULL;
}

struct error *spy_breaks_arm(struct spy *spy, bool starts)
{
	struct error *error = NULL;

	spy->breaks.depth = 0;
	vec_clear(&spy->breaks.open);
	/* Breakpoints of one address are hit in the order in which they were
	 * inserted: a sample counts if it is where the recording starts, or
	 * where it stops. */
	if (starts)
		error = arm_kind(spy, SPY_BREAK_START);
	if (!error && spy->watch == SPY_BREAKS)
		error = arm_kind(spy, SPY_BREAK_SAMPLE);
	if (!error && starts)
		error = arm_kind(spy, SPY_BREAK_STOP);
	if (error)
		spy_breaks_disarm(spy);
	return error;
}

void spy_breaks_disarm(struct spy *spy)
{
	for (size_t i = 0; i < spy->breaks.list.count; i++)
		disarm(spy->recorder.session, spy->breaks.list.data[i]);
}

/* ---- hits ---------------------------------------------------------------- */

static void start(struct spy *spy, pid_t tid)
{
	if (!spy->breaks.depth++)
		spy_started(spy, tid);
}

static void stop(struct spy *spy)
{
	if (!spy->breaks.depth || --spy->breaks.depth)
		return;
	recorder_pause(&spy->recorder, true);
	spy->state = SPY_ARMED;
}

/* Reads the return address of a frame, which is below its CFA; 0: it cannot be
 * read. */
static uint64_t return_address_of(const struct spy *spy, pid_t tid,
				  uint64_t frame)
{
	struct thread *thread =
		target_find_thread(spy->recorder.session->target, tid);
	uint64_t address = 0;
	struct error *error;

	if (!thread)
		return 0;
	error = target_read(thread->process, frame - sizeof(address), &address,
			    sizeof(address));
	if (error)
		address = 0;
	error_destroy(error);
	return address;
}

/* Has the thread left the frame without a return? The stack grows down, so a
 * frame below the stack pointer is gone, and so is one below the frame that the
 * thread is in: the end of a frame may be told without the stack pointer. Above
 * that, another function may have its frame there now; that function returns to
 * another place, or is entered by this hit. */
static bool is_unwound(const struct spy *spy, const struct spy_frame *open,
		       const struct hit *hit, bool is_entry)
{
	if (open->thread != hit->thread || open->stack != hit->stack)
		return false;
	return open->frame <= hit->sp || open->frame < hit->frame ||
	       (is_entry && open->frame == hit->frame) ||
	       return_address_of(spy, hit->tid, open->frame) !=
		       open->return_address;
}

/* Stops once for each frame that the thread has left without a return. */
static void drop_unwound(struct spy *spy, const struct hit *hit, bool is_entry)
{
	struct spied_breaks *breaks = &spy->breaks;

	for (size_t i = breaks->open.count; i-- > 0;) {
		if (!is_unwound(spy, &breaks->open.data[i], hit, is_entry))
			continue;
		vec_remove(&breaks->open, i);
		stop(spy);
	}
}

/* A function with a stop break is left: the frame is open no more. */
static void leave(struct spy *spy, const struct spied_break *at,
		  const struct hit *hit)
{
	struct spied_breaks *breaks = &spy->breaks;

	for (size_t i = breaks->open.count; i-- > 0;) {
		const struct spy_frame *open = &breaks->open.data[i];

		if (open->thread == hit->thread && open->of == at &&
		    open->frame == hit->frame) {
			vec_remove(&breaks->open, i);
			break;
		}
	}
	stop(spy);
}

static void take_sample(struct spy *spy, const struct hit *hit)
{
	struct user_regs_struct regs;
	struct thread *thread;

	if (!spy_watches(spy, hit->tid))
		return;
	if (recorder_stands(&spy->recorder, hit, &thread, &regs))
		recorder_add(&spy->recorder, thread, &regs, SAMPLE_BREAK, 1);
	else
		recorder_lose(&spy->recorder);
}

static struct spied_break *find_break(const struct spy *spy,
				      const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < spy->breaks.list.count; i++) {
		struct spied_break *at = spy->breaks.list.data[i];

		if (at->entry == breakpoint || at->exit == breakpoint)
			return at;
	}
	return NULL;
}

static bool handle_hit(struct spy *spy, const struct probe_event *event)
{
	const struct hit *hit = event->hit;
	struct spied_break *at = find_break(spy, event->breakpoint);

	if (!at)
		return allocations_hit(&spy->allocations, &spy->recorder, event,
				       spy_watches(spy, hit->tid));
	drop_unwound(spy, hit, at->exit && event->breakpoint == at->entry);
	at->hits += event->breakpoint == (at->exit ? at->exit : at->entry);
	if (at->kind == SPY_BREAK_SAMPLE)
		take_sample(spy, hit);
	else if (at->kind == SPY_BREAK_START)
		start(spy, hit->tid);
	else if (!at->is_at_exit)
		stop(spy);
	else if (event->breakpoint == at->exit)
		leave(spy, at, hit);
	else
		vec_push(&spy->breaks.open,
			 (struct spy_frame){.thread = hit->thread,
					    .frame = hit->frame,
					    .stack = hit->stack,
					    .return_address = return_address_of(
						    spy, hit->tid, hit->frame),
					    .of = at});
	return true;
}

bool spy_hit(struct spy *spy, const struct probe_event *event)
{
	const struct hit *hit = event->hit;

	if (!handle_hit(spy, event))
		return false;
	if (spy->stop_cost <= 0)
		spy->stop_cost = recorder_stop_cost(&spy->recorder);
	recorder_held(&spy->recorder, hit->time,
		      spy->stop_cost > hit->cost_before ? spy->stop_cost
							: hit->cost_before);
	return true;
}

/* ---- commands ------------------------------------------------------------ */

static const char *kind_word(enum spy_break_kind kind)
{
	static const char *const words[] = {
		[SPY_BREAK_SAMPLE] = "Spy break",
		[SPY_BREAK_START] = "Start break",
		[SPY_BREAK_STOP] = "Stop break",
	};

	return words[kind];
}

/* Does the location name a function as such, and not a place in it? */
static bool names_function(const char *text)
{
	struct location location;
	struct error *error = location_parse(text, &location);
	bool names = !error && location.kind == LOCATION_FUNCTION;

	if (!error)
		location_deinit(&location);
	error_destroy(error);
	return names;
}

/* Checks that the break can be armed, so that a wrong name fails at the
 * command. `out` gets a line that says where the break is. */
static struct error *try_out(struct session *session, struct spied_break *at,
			     struct str *out)
{
	struct error *error;

	TRY(stand_still(session));
	TRY(arm(session, at));
	error = check_known(session, at->entry);
	if (!error) {
		str_printf(out, "%s: ", kind_word(at->kind));
		describe_breakpoint(session, at->exit ? at->exit : at->entry,
				    out);
		str_append(out, ".\n");
		if (at->exit && breakpoint_facts(at->exit).leaves_out_copies)
			str_printf(out,
				   "%s is also inlined; the break does not act "
				   "at the end of these calls.\n",
				   at->location);
	}
	disarm(session, at);
	return error;
}

struct error *session_spy_break(struct session *session,
				enum spy_break_kind kind, const char *location,
				const char *condition, struct str *out)
{
	struct spy *spy = &session->recorded->spy;
	struct spied_break *at;
	struct error *error;

	TRY(need_program(session));
	if (spy->state != SPY_OFF)
		return error_create(ERROR_OTHER,
				    "the Spy is on; `spy off' first");
	at = xcalloc(1, sizeof(*at));
	at->kind = kind;
	at->location = in_context(session, location);
	at->condition = condition ? xstrdup(condition) : NULL;
	at->is_at_exit = kind == SPY_BREAK_STOP && names_function(location);
	error = try_out(session, at, out);
	if (error)
		free_break(at);
	else
		vec_push(&spy->breaks.list, at);
	return error;
}

struct error *session_spy_clear(struct session *session, bool samples)
{
	struct spy *spy = &session->recorded->spy;

	TRY(session_spy_off(session));
	for (size_t i = spy->breaks.list.count; i-- > 0;) {
		struct spied_break *at = spy->breaks.list.data[i];

		if ((at->kind == SPY_BREAK_SAMPLE) != samples)
			continue;
		vec_remove(&spy->breaks.list, i);
		free_break(at);
	}
	return NULL;
}
