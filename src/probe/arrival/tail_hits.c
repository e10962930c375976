/*
 * tail_hits.c - threads that reach places where frames may end after tail jumps
 * (tails.h)
 *
 * Breakpoints of the user may sit at the same place. The entry of a function is
 * noted before the hits of these breakpoints are made, because a hit reports
 * whether the function is back in its frame. Jumps and returns are noted after
 * these hits.
 */
#include "cost.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/target/target_events.h"
#include "plt_stub.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "snapshot.h"
#include "tail_frames.h"
#include "tails.h"

/* Find which owner makes the hit, and in which frame. The numbers of a
 * goroutine stay the same when the goroutine goes on in another thread, or when
 * its stack is copied. */
static struct tail_spot frame_of(const struct hit *hit)
{
	uint64_t goroutine = hit->goroutine | TAIL_GOROUTINE;

	if (!hit->goroutine || !hit->depth)
		return (struct tail_spot){.owner = hit->thread,
					  .cfa = hit->frame,
					  .stack = hit->stack};
	return (struct tail_spot){
		.owner = goroutine, .cfa = -hit->depth, .stack = goroutine};
}

/* The position of the hit's owner, which executes the attachment's function. */
static struct tail_spot spot_of(const struct attachment *at,
				const struct hit *hit, uint64_t caller)
{
	const struct tail_spot frame = frame_of(hit);

	return (struct tail_spot){
		.owner = frame.owner,
		.cfa = frame.cfa,
		.stack = frame.stack,
		.caller = caller,
		.function = at->function.address +
			    (at->module ? at->module->bias : 0),
		.time = hit->time,
	};
}

bool tails_are_awaited(struct probe *probe, uint32_t thread)
{
	return tail_frames_any(&probe->tails.frames, thread);
}

bool tails_is_back(struct probe *probe, const struct attachment *at,
		   const struct hit *hit)
{
	const struct tail_spot spot = spot_of(at, hit, 0);

	return at->role == ROLE_ENTRY && hit->frame &&
	       probe->tails.frames.owners.count &&
	       tail_frames_is_back(&probe->tails.frames, &spot);
}

bool tails_led_to(struct probe *probe, const struct attachment *at,
		  const struct hit *hit, uint64_t caller)
{
	const struct tail_spot spot = spot_of(at, hit, caller);

	return hit->frame && probe->tails.frames.owners.count &&
	       (tail_frames_awaits(&probe->tails.frames, &spot) ||
		tail_frames_is_back(&probe->tails.frames, &spot));
}

/* The attachment's function is left by a jump to `target`. */
static void leave(struct probe *probe, struct space *space,
		  const struct attachment *at, const struct tail_spot *spot,
		  uint64_t target)
{
	struct tail_frames *frames = &probe->tails.frames;
	const uint32_t *watchers;
	size_t count;

	watchers = tails_watchers(space, at, &count);
	for (size_t i = 0; i < count; i++)
		if (!counted_legs_are_calls(&space->fast.counted, watchers[i]))
			tail_frames_leave(frames, spot, watchers[i]);
	tail_frames_go_to(frames, spot, tails_destination(space, target));
}

/* ---- hits ---------------------------------------------------------------- */

/* Does the condition of the breakpoint hold? The frame ends at the return of
 * another function, where variables cannot be evaluated. So the condition holds
 * if it is always true (a constant); for any other condition the function
 * reports an error and returns false. */
static bool holds(struct probe *probe, struct breakpoint *breakpoint)
{
	if (!condition_filters(probe, breakpoint) || breakpoint->is_always)
		return true;
	emit(probe,
	     (struct probe_event){.kind = PROBE_EVENT_ERROR,
				  .breakpoint = breakpoint,
				  .reason = "the frame has ended in another "
					    "function, where the "
					    "condition cannot be evaluated"});
	return false;
}

/* Give the hit no values: only its frame is known, because the frame ends in
 * another function, where the breakpoint's expressions cannot be evaluated. */
static void be_empty(struct probe *probe, const struct breakpoint *breakpoint,
		     struct hit *hit)
{
	vec_clear(&probe->hit_values.keys);
	vec_clear(&probe->hit_values.labels);
	for (size_t i = 0; i < breakpoint->keys.count; i++)
		vec_push(&probe->hit_values.keys,
			 (struct value){.kind = VALUE_NONE});
	for (size_t i = 0; i < breakpoint->labels.count; i++)
		vec_push(&probe->hit_values.labels,
			 (struct label){.value = {.kind = VALUE_NONE}});
	hit->value = (struct value){.kind = VALUE_NONE};
	hit->keys = probe->hit_values.keys.data;
	hit->key_count = (uint32_t)probe->hit_values.keys.count;
	hit->labels = probe->hit_values.labels.data;
	hit->label_count = (uint32_t)probe->hit_values.labels.count;
}

/* The owner returns at the spot: make the hits of the breakpoints that wait for
 * the end of this frame. `like` is what these hits have in common. `*stop` is
 * set to the first breakpoint that stops the program. */
static void make_ends(struct probe *probe, const struct tail_spot *spot,
		      const struct hit *like, struct breakpoint **stop)
{
	struct tail_end_list *ends = &probe->tails.ends;
	bool is_counted = calls_are_counted(probe, like);

	vec_clear(ends);
	tail_frames_return(&probe->tails.frames, spot, ends);
	for (size_t i = 0; i < ends->count; i++) {
		struct breakpoint *at =
			probe_find(probe, ends->data[i].breakpoint);
		struct hit hit = *like;

		if (!at || !at->enabled || !holds(probe, at) ||
		    (at->is_of_calls && is_counted))
			continue;
		be_empty(probe, at, &hit);
		for (uint32_t j = 0; j < ends->data[i].count; j++) {
			at->hits++; /* at no place of the breakpoint */
			if (tell_hit(probe, at, &hit) && stop && !*stop)
				*stop = at;
		}
	}
}

/* ---- at an int3 ---------------------------------------------------------- */

static struct error *read_spot(struct snapshot *snapshot,
			       const struct attachment *at,
			       const struct event *event, struct hit *hit,
			       struct tail_spot *spot)
{
	struct stop_in_hand hold =
		stop_of(snapshot->probe, snapshot->thread, event->time);
	uint64_t caller = 0;

	*hit = (struct hit){.thread = snapshot->thread->serial,
			    .pid = snapshot->thread->process->pid,
			    .tid = snapshot->thread->tid,
			    .time = hold.arrival,
			    .cost_before = hold.cost.before,
			    .is_off_known = hold.is_off_known};
	TRY(find_frame(snapshot, at, hit));
	TRY(find_goroutine(snapshot, at, hit));
	snapshot_memory(snapshot, hit->frame - sizeof(caller), &caller,
			sizeof(caller));
	*spot = spot_of(at, hit, caller);
	return NULL;
}

struct error *tails_arrive(struct snapshot *snapshot, const struct site *site,
			   const struct event *event)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		struct tail_spot spot;
		struct hit hit;

		if (!is_of_tails(at) || at->role != ROLE_ENTRY)
			continue;
		TRY(read_spot(snapshot, at, event, &hit, &spot));
		tail_frames_enter(&snapshot->probe->tails.frames, &spot);
	}
	return NULL;
}

/* Has a profile of calls a breakpoint at this return? Then its hit has ended
 * the calls of the frame. */
static bool has_end_of_calls(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];

		if (at->breakpoint->is_of_calls && at->role == ROLE_RETURN)
			return true;
	}
	return false;
}

static struct error *depart_one(struct snapshot *snapshot,
				const struct site *site,
				const struct attachment *at,
				const struct event *event,
				struct breakpoint **stop)
{
	struct space *space = space_of(snapshot->thread->process);
	struct tail_spot spot;
	struct hit hit;
	uint64_t target = at->target;
	bool reached;

	TRY(is_reached(snapshot, site, at, &reached));
	if (!reached)
		return NULL;
	TRY(read_spot(snapshot, at, event, &hit, &spot));
	if (tails_is_linker(space, at)) {
		if (!tails_binding(space, &spot))
			return NULL;
		tails_end_binding(space, &spot);
	}
	if (at->role == ROLE_JUMP_INDIRECT)
		TRY(find_target(snapshot, site, at, &target));
	if (!has_end_of_calls(site))
		calls_take_tail(snapshot->probe, snapshot->thread, at, &hit,
				target);
	if (counts_take_tail(snapshot->probe, snapshot->thread, at, &hit,
			     target))
		return NULL;
	if (at->role == ROLE_RETURN) {
		make_ends(snapshot->probe, &spot, &hit, stop);
		return NULL;
	}
	leave(snapshot->probe, space, at, &spot, target);
	return NULL;
}

/* Does a breakpoint wait for the end of the frame that is left by the jump of
 * this attachment? If threads count by themselves, the tool does not know which
 * frames they wait for, so each frame in such a function may be one. */
static bool is_awaited(struct probe *probe, const struct thread *thread,
		       const struct attachment *at, const struct hit *hit,
		       const struct tail_spot *spot)
{
	const struct space *space = space_of(thread->process);
	size_t watchers;

	tails_watchers(space, at, &watchers);
	return watchers || tails_is_stub(space, at) ||
	       counted_legs_reach(&space->fast.counted, at) & REACH_COUNTED ||
	       calls_await(thread, hit->frame) ||
	       tail_frames_awaits(&probe->tails.frames, spot);
}

/* A thread is at an exit of the run-time linker. If it has bound a stub in this
 * frame, the frame goes on in the function to which the exit leads. */
static struct error *learn_binding(struct snapshot *snapshot,
				   const struct attachment *at,
				   const struct event *event, uint64_t target,
				   bool *learned)
{
	struct space *space = space_of(snapshot->thread->process);
	const struct binding *binding;
	struct tail_spot spot;
	struct hit hit;

	TRY(read_spot(snapshot, at, event, &hit, &spot));
	binding = tails_binding(space, &spot);
	if (!binding)
		return NULL;
	*learned = true;
	return tails_follow_binding(snapshot->probe, space, at, binding,
				    target);
}

static struct error *learn_one(struct snapshot *snapshot,
			       const struct site *site, struct attachment *at,
			       const struct event *event, bool *learned,
			       uint64_t *goes_to)
{
	struct probe *probe = snapshot->probe;
	struct space *space = space_of(snapshot->thread->process);
	struct tail_spot spot;
	uint64_t target = at->target, linker;
	struct hit hit;
	bool reached;

	TRY(is_reached(snapshot, site, at, &reached));
	if (!reached)
		return NULL;
	if (at->role == ROLE_JUMP_INDIRECT)
		TRY(find_target(snapshot, site, at, &target));
	if (tails_is_linker(space, at))
		return learn_binding(snapshot, at, event, target, learned);
	if (!tails_is_followed(space, at, target)) {
		TRY(read_spot(snapshot, at, event, &hit, &spot));
		if (stub_is_unbound(space, target, &linker)) {
			*goes_to = target;
			return tails_bind(probe, space, at, &spot, linker);
		}
		/* If the site is a jump, the target is followed even if no
		 * breakpoint waits for the end of this frame: below, the
		 * trampoline learns the target, and it does not ask about this
		 * target again. */
		if (at->role == ROLE_JUMP_INDIRECT && !site->is_jump &&
		    !is_awaited(probe, snapshot->thread, at, &hit, &spot))
			return NULL;
		TRY(tails_follow(probe, space, at, target));
		*learned = true;
	}
	/* The trampoline of the jump must know the target to which the jump has
	 * led. */
	*learned |= tails_note_target(space, at->address, target);
	return NULL;
}

/* About how much time an int3 costs, ns. */
#define INT3_NS 10000

/*
 * Turn int3s into jumps, if what the tool has learned about tail jumps allows
 * it. All threads have to stop for such an update, and all sites are looked at.
 * So the tool does this only when the int3s that were hit meanwhile have cost
 * as much time as the last update took.
 */
static struct error *make_jumps(struct probe *probe, struct space *space,
				bool learned)
{
	struct tails *tails = &probe->tails;

	if (!learned && !tails->int3s)
		return NULL;
	if (!space->is_outdated) {
		tails->int3s = 0;
		return NULL;
	}
	tails->int3s++;
	if (tails->int3s * INT3_NS < space->fast.update_ns)
		return NULL;
	tails->int3s = 0;
	return fast_update_soon(probe, space);
}

struct error *tails_learn(struct probe *probe, const struct event *event,
			  const struct site *site, bool *postpone,
			  uint64_t *goes_to)
{
	struct space *space = space_of(event->process);
	struct snapshot snapshot;
	bool learned = false;

	*goes_to = 0;
	probe->tails.must_remake = false;
	snapshot_begin(&snapshot, probe, event);
	/* learn_one() may add attachments to this site, so the list can grow
	 * meanwhile. */
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];

		if (tails_is_untaken(space, at) ||
		    (is_of_tails(at) && at->role == ROLE_JUMP_INDIRECT))
			TRY(learn_one(&snapshot, site, at, event, &learned,
				      goes_to));
	}
	*postpone = probe->tails.must_remake;
	return make_jumps(probe, space, learned);
}

struct error *tails_depart(struct snapshot *snapshot, struct site *site,
			   const struct event *event,
			   struct probe_outcome *outcome)
{
	bool any = false;

	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];

		if (!is_of_tails(at) || at->role == ROLE_ENTRY)
			continue;
		any = true;
		TRY(depart_one(snapshot, site, at, event,
			       &outcome->breakpoint));
	}
	return any ? tails_settle(snapshot->probe,
				  space_of(snapshot->thread->process), site)
		   : NULL;
}

/* ---- at a jump ----------------------------------------------------------- */

void tails_arrive_fast(struct probe *probe, const struct attachment *at,
		       const struct hit *hit, uint64_t caller)
{
	const struct tail_spot spot = spot_of(at, hit, caller);

	if (at->role == ROLE_ENTRY)
		tail_frames_enter(&probe->tails.frames, &spot);
}

void tails_depart_fast(struct probe *probe, struct space *space,
		       const struct attachment *at, const struct hit *hit,
		       uint64_t caller, uint64_t target)
{
	const struct tail_spot spot = spot_of(at, hit, caller);

	if (at->role == ROLE_RETURN)
		make_ends(probe, &spot, hit, NULL);
	else if (at->role != ROLE_ENTRY)
		leave(probe, space, at, &spot, target);
}
