/*
 * counted_leg.c - which legs the threads of a space count by themselves
 *
 * A thread can count a leg only if each hit of its two breakpoints can be
 * counted: each of their sites must be a jump whose trampoline calls the
 * counting code, or an int3 from which the tool leads threads to such a
 * trampoline. Whether a site can be that is known only when it was updated. So
 * the tool first assumes that all can, updates the sites, and refuses the legs
 * for which this was wrong. The sites of those are updated once more. (The legs
 * of sites that cannot count anyway are refused at once: most updates are for
 * one new target of a tail jump, and no site would have to be updated twice.)
 *
 * Tail jumps connect legs. If the function of a leg jumps to another function,
 * the execution ends with a return of that function. If the tool itself waits
 * for such an end (REACH_TOLD), the returns of that function must be recorded,
 * so its leg is not counted either. If a thread waits for it by itself
 * (REACH_COUNTED), these returns must call the counting code. If one of them
 * cannot (REACH_BLOCKED), the leg of the first function is not counted.
 *
 * A function may come back to its own frame (REACH_RING). Its leg is counted if
 * the thread notes each jump that brings the frame back: each such jump must
 * lead to this function only, and its trampoline must call the counting code.
 *
 * A leg that matches by order has nothing to do with frames. But if one of its
 * breakpoints waits for the end of frames that a function leaves by tail jumps,
 * the tool itself makes hits of this breakpoint, so the leg is not counted.
 * Such legs are connected by their breakpoints: a breakpoint at which one leg
 * ends and another one begins is either a part of two counted legs or of none.
 */
#include "counted_leg.h"

#include "fast_site.h"
#include "perftool/counting.h"
#include "perftool/debuginfo/go_program.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

static void add_leg(struct counted_legs *legs, const struct counted_leg *leg)
{
	void *number;

	vec_push(&legs->list, *leg);
	number = (void *)(uintptr_t)legs->list.count;
	map_set(&legs->of_from, leg->from, number);
	map_set(&legs->of_to, leg->to, number);
	map_set(&legs->of_leg, leg->leg + UINT64_C(1), number);
}

/* The leg to which the number leads in one of the maps, unless it is refused.
 */
static struct counted_leg *leg_in(const struct counted_legs *legs,
				  const struct map *map, uint64_t number)
{
	size_t index = (uintptr_t)map_get(map, number);
	struct counted_leg *leg = index ? &legs->list.data[index - 1] : NULL;

	return leg && !leg->is_refused ? leg : NULL;
}

static struct counted_leg *leg_from(const struct counted_legs *legs,
				    uint32_t breakpoint)
{
	return leg_in(legs, &legs->of_from, breakpoint);
}

static struct counted_leg *leg_to(const struct counted_legs *legs,
				  uint32_t breakpoint)
{
	return leg_in(legs, &legs->of_to, breakpoint);
}

const struct counted_leg *counted_leg_from(const struct counted_legs *legs,
					   const struct breakpoint *breakpoint)
{
	return leg_from(legs, breakpoint->id);
}

const struct counted_leg *counted_leg_to(const struct counted_legs *legs,
					 const struct breakpoint *breakpoint)
{
	return leg_to(legs, breakpoint->id);
}

/* The leg that matches by frame and of which the breakpoint is a part. */
static struct counted_leg *nested_leg_of(const struct counted_legs *legs,
					 uint32_t breakpoint)
{
	struct counted_leg *leg = leg_from(legs, breakpoint);

	if (!leg)
		leg = leg_to(legs, breakpoint);
	return leg && !leg->by_order ? leg : NULL;
}

const struct counted_leg *counted_leg_find(const struct counted_legs *legs,
					   uint32_t leg)
{
	return leg_in(legs, &legs->of_leg, leg + UINT64_C(1));
}

const struct counted_leg *counted_leg_left(const struct space *space,
					   const struct attachment *jump)
{
	const uint32_t *watchers;
	uint32_t only = 0;
	size_t count;

	watchers = tails_watchers(space, jump, &count);
	for (size_t i = 0; i < count; i++) {
		if (counted_legs_are_calls(&space->fast.counted, watchers[i]))
			continue;
		if (only)
			return NULL;
		only = watchers[i];
	}
	return only ? nested_leg_of(&space->fast.counted, only) : NULL;
}

/* ---- tail jumps -------------------------------------------------------- */

static struct counted_leg *leg_of_function(const struct counted_legs *legs,
					   uint64_t function)
{
	return leg_in(legs, &legs->of_function, function);
}

unsigned counted_legs_reach(const struct counted_legs *legs,
			    const struct attachment *attachment)
{
	return tail_graph_reach(&legs->tails, tail_function_of(attachment));
}

static bool is_tail_jump(const struct attachment *attachment)
{
	return is_of_tails(attachment) && is_jump(attachment->role);
}

static bool refuse(struct counted_leg *leg)
{
	if (!leg || leg->is_refused)
		return false;
	leg->is_refused = true;
	return true;
}

/* Refuse the legs that match by order and that begin or end at the
 * breakpoint. */
static bool refuse_order_at(const struct counted_legs *legs,
			    uint32_t breakpoint)
{
	struct counted_leg *from = leg_from(legs, breakpoint);
	struct counted_leg *to = leg_to(legs, breakpoint);
	bool is_refused = false;

	if (from && from->by_order)
		is_refused |= refuse(from);
	if (to && to->by_order)
		is_refused |= refuse(to);
	return is_refused;
}

/* Find out which functions tail jumps may lead to, for whom, and which may come
 * back to themselves. Returns true if a leg was refused, because the tool
 * itself makes hits of it. */
static bool find_reach(struct counted_legs *legs)
{
	const struct tail_watcher_list *watchers = &legs->tails.watchers;
	bool is_refused = false;

	tail_graph_clear(&legs->tails);
	for (size_t i = 0; i < watchers->count; i++) {
		const struct tail_watcher *at = &watchers->data[i];

		is_refused |= refuse_order_at(legs, at->breakpoint);
		tail_graph_add_reach(
			&legs->tails, at->function,
			at->is_of_calls ? REACH_CALLS
			: at->is_only && nested_leg_of(legs, at->breakpoint)
				? REACH_COUNTED
				: REACH_TOLD);
	}
	tail_graph_spread(&legs->tails);
	tail_graph_find_rings(&legs->tails);
	return is_refused;
}

/* The leg of the function, if frames may come back to it. */
static struct counted_leg *leg_in_ring(const struct counted_legs *legs,
				       uint64_t function)
{
	return tail_graph_reach(&legs->tails, function) & REACH_RING
		       ? leg_of_function(legs, function)
		       : NULL;
}

bool counted_leg_is_in_ring(const struct counted_legs *legs,
			    const struct counted_leg *leg)
{
	return tail_graph_reach(&legs->tails, leg->function) & REACH_RING;
}

const struct counted_leg *counted_leg_come_to(struct space *space,
					      const struct attachment *jump)
{
	const uint64_t *targets;
	size_t count;

	targets = tails_targets(space, jump, &count);
	return jump->role != ROLE_JUMP_INDIRECT && count == 1
		       ? counted_leg_led_to(space, targets[0])
		       : NULL;
}

const struct counted_leg *counted_leg_led_to(struct space *space,
					     uint64_t target)
{
	return leg_in_ring(&space->fast.counted,
			   tails_destination(space, target));
}

/* Refuse the legs whose function has something in this set. */
static bool refuse_functions(struct counted_legs *legs, unsigned reach)
{
	bool is_refused = false;

	for (size_t i = 0; i < legs->list.count; i++)
		if (tail_graph_reach(&legs->tails,
				     legs->list.data[i].function) &
		    reach)
			is_refused |= refuse(&legs->list.data[i]);
	return is_refused;
}

/* ---- before the update ------------------------------------------------- */

/* Enter the legs that begin at this breakpoint. */
static void plan_breakpoint(const struct probe *probe,
			    const struct breakpoint *at,
			    const struct counted_legs *before,
			    struct counted_legs *legs)
{
	const struct breakpoint *to;
	struct countable leg;

	if (!at || !at->enabled || at->is_of_calls ||
	    !fast_is_wanted(probe, at) ||
	    !probe->client.countable(probe->client.context, at, &leg) ||
	    leg.from != at->id || leg.leg >= COUNTING_MOST_LEGS)
		return;
	to = probe_find(probe, leg.to);
	if (!to || !to->enabled || !fast_is_wanted(probe, to) ||
	    (leg.is_open && !counted_leg_from(before, at)))
		return;
	add_leg(legs, &(struct counted_leg){.leg = leg.leg,
					    .from = leg.from,
					    .to = leg.to,
					    .by_order = leg.by_order,
					    .keeps_first = leg.keeps_first,
					    .from_ends = leg.from_ends,
					    .to_begins = leg.to_begins});
}

/* Is it certain before the update that the site will not count, whichever legs
 * are counted? */
static bool will_not_count(const struct space *space, const struct site *site)
{
	return site->is_jump && site->fast && site->fast->cannot_count &&
	       !site->is_outdated && !space->fast.updates_all;
}

/* Note the function of each leg that matches by frame and has places at this
 * site. If such a leg has places in several functions, it is refused. */
static void find_functions(struct space *space, const struct site *site)
{
	struct counted_legs *legs = &space->fast.counted;

	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		uint64_t function = tail_function_of(at);
		struct counted_leg *leg;

		if (is_of_tails(at))
			continue;
		leg = nested_leg_of(legs, at->breakpoint->id);
		if (will_not_count(space, site)) {
			refuse(leg);
			refuse_order_at(legs, at->breakpoint->id);
		}
		if (!leg)
			continue;
		if (!function || (leg->function && leg->function != function))
			refuse(leg);
		leg->function = function;
	}
}

/* Note the numbers of the functions of a profile of calls that have places at
 * this site. */
static void find_called(struct space *space, const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];
		uint64_t function = tail_function_of(at);

		if (at->breakpoint->is_of_calls && function &&
		    at->role == ROLE_ENTRY)
			map_set(&space->fast.counted.called, function,
				(void *)((uintptr_t)at->called + 1));
	}
}

/* Find the functions of the legs, and the tail jumps. */
static void find_all(struct space *space)
{
	struct counted_legs *legs = &space->fast.counted;
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		find_functions(space, site);
		if (space->fast.counts_calls)
			find_called(space, site);
		if (site->inserted)
			tail_graph_see(space, site);
	}
	tail_graph_complete(&legs->tails);
	for (size_t i = 0; i < legs->list.count; i++)
		if (legs->list.data[i].function)
			map_set(&legs->of_function, legs->list.data[i].function,
				(void *)(uintptr_t)(i + 1));
}

/* Refuse the legs of which one breakpoint is a part of another leg, too, if
 * that leg is not counted. */
static bool refuse_unconnected(struct counted_legs *legs)
{
	bool is_refused = false, is_changed;

	do {
		is_changed = false;
		for (size_t i = 0; i < legs->list.count; i++) {
			struct counted_leg *leg = &legs->list.data[i];

			if ((leg->from_ends && !leg_to(legs, leg->from)) ||
			    (leg->to_begins && !leg_from(legs, leg->to)))
				is_changed |= refuse(leg);
		}
		is_refused |= is_changed;
	} while (is_changed);
	return is_refused;
}

/* Refuse legs until no function of a leg has returns that the tool itself needs
 * to know of, and until the legs that are left need no other ones. */
static void settle_reach(struct counted_legs *legs)
{
	bool is_refused;

	do {
		is_refused = find_reach(legs);
		is_refused |= refuse_functions(legs, REACH_TOLD);
		is_refused |= refuse_unconnected(legs);
	} while (is_refused);
}

/* In a program that is to outlive the tool, trampolines must know when the tool
 * is gone. */
static bool may_count(const struct probe *probe, const struct space *space)
{
	return (!space->process->survives || space->fast.life) &&
	       !space_refuses_jumps(probe, space);
}

/* A goroutine goes on in other threads, and its stack is copied to other
 * places: the tool itself counts its calls. */
static bool has_goroutines(const struct space *space)
{
	for (size_t i = 0; i < space->modules.count; i++)
		if (debugfile_go(module_file(space->modules.data[i].module)))
			return true;
	return false;
}

/* Decide whether the threads count the calls of a profile by themselves. */
static void plan_calls(const struct probe *probe, struct space *space)
{
	struct counted_legs *legs = &space->fast.counted;

	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		const struct breakpoint *at = probe->breakpoints.data[i];

		if (at && at->is_of_calls && at->enabled &&
		    request_is_at_end(at->kind))
			map_set(&legs->of_calls, at->id,
				(void *)(uintptr_t)at->id);
	}
	space->fast.counts_calls =
		legs->of_calls.count && space->fast.has_rings &&
		may_count(probe, space) &&
		probe->client.counts_calls(probe->client.context) &&
		probe->called.list.count < COUNTING_MOST_FUNCTIONS &&
		!has_goroutines(space);
	if (!space->fast.counts_calls)
		counted_legs_leave_calls(space);
}

void counted_legs_leave_calls(struct space *space)
{
	struct counted_legs *legs = &space->fast.counted;

	space->fast.counts_calls = false;
	map_deinit(&legs->of_calls);
	legs->of_calls = (struct map){0};
}

bool counted_legs_are_calls(const struct counted_legs *legs,
			    uint32_t breakpoint)
{
	return map_get(&legs->of_calls, breakpoint) != NULL;
}

bool counted_legs_follow_calls(const struct counted_legs *legs,
			       const struct attachment *attachment)
{
	return counted_legs_reach(legs, attachment) & REACH_CALLS;
}

uint32_t counted_legs_called(struct space *space, uint64_t target)
{
	const struct counted_legs *legs = &space->fast.counted;
	uint64_t function = tails_destination(space, target);
	uintptr_t number = (uintptr_t)map_get(&legs->called, function);

	if (number)
		return (uint32_t)number - 1;
	return tail_graph_is_followed(&legs->tails, function)
		       ? CALL_NO_FUNCTION
		       : CALL_ANY_FUNCTION;
}

void counted_legs_plan(const struct probe *probe, struct space *space,
		       const struct counted_legs *before)
{
	space->fast.counted = (struct counted_legs){0};
	plan_calls(probe, space);
	/* In a program that is to outlive the tool, trampolines must know when
	 * the tool is gone. */
	if (may_count(probe, space))
		for (size_t i = 0; i < probe->breakpoints.count; i++)
			plan_breakpoint(probe, probe->breakpoints.data[i],
					before, &space->fast.counted);
	if (!space->fast.counted.list.count && !space->fast.counts_calls)
		return;
	find_all(space);
	settle_reach(&space->fast.counted);
}

/* ---- after the update -------------------------------------------------- */

/* Do threads note at this jump which leg's function it brings frames back to?
 * If not, refuse these legs. Returns true if a leg was refused. */
static bool check_way_back(struct space *space, const struct attachment *jump,
			   const struct fast_site *fast)
{
	const struct counted_legs *legs = &space->fast.counted;
	bool is_refused = false;
	const uint64_t *targets;
	size_t count;

	if (!(tail_graph_reach(&legs->tails, tail_function_of(jump)) &
	      REACH_RING))
		return false;
	targets = tails_targets(space, jump, &count);
	for (size_t i = 0; i < count; i++) {
		struct counted_leg *leg =
			leg_in_ring(legs, tails_destination(space, targets[i]));

		if (leg && !(fast && fast->comes && fast->comes_to == leg->leg))
			is_refused |= refuse(leg);
	}
	return is_refused;
}

/* Block the function of this jump if threads count its leg, and do not note
 * here that they leave the frame. */
static void check_jump(struct space *space, const struct attachment *jump,
		       const struct fast_site *fast)
{
	struct counted_legs *legs = &space->fast.counted;
	size_t count;

	tails_targets(space, jump, &count);
	if (count && counted_leg_left(space, jump) &&
	    !(fast && fast->first == TRAMPOLINE_NOTES_JUMP))
		tail_graph_add_reach(&legs->tails, tail_function_of(jump),
				     REACH_BLOCKED);
}

static void check_return(struct counted_legs *legs, const struct attachment *at,
			 const struct fast_site *fast)
{
	if (tail_graph_reach(&legs->tails, tail_function_of(at)) &
		    REACH_COUNTED &&
	    !(fast && fast->first == TRAMPOLINE_ENDS_FRAMES))
		tail_graph_add_reach(&legs->tails, tail_function_of(at),
				     REACH_BLOCKED);
}

static void check_entry(struct counted_legs *legs, const struct attachment *at,
			const struct fast_site *fast)
{
	struct counted_leg *leg = leg_of_function(legs, tail_function_of(at));

	if (leg)
		leg->is_entered_again = fast && fast->again;
}

/* Does the site what is needed for an attachment of the tool's own breakpoint?
 * If not, refuse legs, or block the function. Returns true if a leg was
 * refused. */
static bool check_tails(struct space *space, const struct attachment *at,
			const struct fast_site *fast)
{
	struct counted_legs *legs = &space->fast.counted;

	if (fast && fast->is_counting)
		tail_graph_add_reach(&legs->tails, tail_function_of(at),
				     REACH_QUIET);
	if (at->role == ROLE_ENTRY)
		check_entry(legs, at, fast);
	if (at->role == ROLE_RETURN)
		check_return(legs, at, fast);
	if (!is_jump(at->role))
		return false;
	check_jump(space, at, fast);
	return check_way_back(space, at, fast);
}

/* Does the site count the hits of one of the user's breakpoints? If not, refuse
 * its legs. */
static bool check_user(struct counted_legs *legs, const struct attachment *at,
		       const struct fast_site *fast)
{
	struct counted_leg *from = leg_from(legs, at->breakpoint->id);
	struct counted_leg *to = leg_to(legs, at->breakpoint->id);
	bool is_refused;

	if (fast && fast->is_counting) {
		/* The hits of a leg that matches by order are not recorded,
		 * whichever function they are in. */
		if ((from && from->by_order) || (to && to->by_order))
			tail_graph_add_reach(&legs->tails, tail_function_of(at),
					     REACH_QUIET);
		return false;
	}
	is_refused = refuse(from);
	return refuse(to) || is_refused;
}

static bool check_attachment(struct space *space, const struct site *site,
			     const struct attachment *at)
{
	const struct fast_site *fast =
		site->is_jump || site->is_detour ? site->fast : NULL;

	if (!at->breakpoint->enabled)
		return false;
	return is_of_tails(at) ? check_tails(space, at, fast)
			       : check_user(&space->fast.counted, at, fast);
}

/* Refuse the legs to whose functions frames may come back in a way that threads
 * do not note. */
static bool check_rings(struct counted_legs *legs)
{
	const struct tail_edge_list *edges = &legs->tails.edges;
	bool is_refused = false;

	for (size_t i = 0; i < legs->list.count; i++) {
		struct counted_leg *leg = &legs->list.data[i];

		if (counted_leg_is_in_ring(legs, leg) && !leg->is_entered_again)
			is_refused |= refuse(leg);
	}
	for (size_t i = 0; i < edges->count; i++) {
		const struct tail_edge *edge = &edges->data[i];

		if (edge->is_guess &&
		    legs->tails.joined.data[edge->from].reach & REACH_RING)
			is_refused |= refuse(leg_in_ring(
				legs,
				legs->tails.joined.data[edge->to].function));
	}
	return is_refused;
}

bool counted_legs_check(struct space *space)
{
	struct counted_legs *legs = &space->fast.counted;
	const struct site *site;
	bool is_refused;
	size_t cursor = 0;

	if (!legs->list.count)
		return false;
	for (size_t i = 0; i < legs->list.count; i++)
		legs->list.data[i].is_entered_again = false;
	is_refused = find_reach(legs);
	while ((site = map_next(&space->sites, &cursor, NULL)))
		for (size_t i = 0;
		     site->inserted && i < site->attachments.count; i++)
			is_refused |= check_attachment(
				space, site, site->attachments.data[i]);
	is_refused |= check_rings(legs);
	tail_graph_spread_back(&legs->tails);
	is_refused |= refuse_functions(legs, REACH_BLOCKED);
	if (is_refused)
		settle_reach(legs);
	return is_refused;
}

/* Does the jump lead to a function where something is not recorded that the
 * tool itself needs to know now? */
static bool leads_to_quiet(struct space *space, const struct attachment *jump)
{
	const struct counted_legs *legs = &space->fast.counted;
	const uint64_t *targets;
	size_t count;

	targets = tails_targets(space, jump, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t function = tails_function(space, targets[i]);

		/* Threads keep the hits of a leg to themselves, the ends of
		 * other frames among them. */
		if (tail_graph_reach(&legs->tails, function) & REACH_QUIET ||
		    leg_of_function(legs, function))
			return true;
	}
	return false;
}

bool counted_legs_are_left(struct space *space, const struct site *site)
{
	const struct counted_legs *legs = &space->fast.counted;

	for (size_t i = 0; space->is_outdated && i < site->attachments.count;
	     i++) {
		const struct attachment *at = site->attachments.data[i];

		if (is_tail_jump(at) &&
		    (counted_leg_left(space, at) ||
		     counted_legs_reach(legs, at) & REACH_COUNTED ||
		     leads_to_quiet(space, at)))
			return true;
	}
	return false;
}

void counted_legs_copy(const struct counted_legs *from, struct counted_legs *to)
{
	*to = (struct counted_legs){0};
	tail_graph_copy(&from->tails, &to->tails);
	map_copy(&from->of_function, &to->of_function);
	map_copy(&from->called, &to->called);
	map_copy(&from->of_calls, &to->of_calls);
	for (size_t i = 0; i < from->list.count; i++)
		add_leg(to, &from->list.data[i]);
}

void counted_legs_deinit(struct counted_legs *legs)
{
	vec_free(&legs->list);
	map_deinit(&legs->of_from);
	map_deinit(&legs->of_to);
	map_deinit(&legs->of_leg);
	map_deinit(&legs->of_function);
	map_deinit(&legs->called);
	map_deinit(&legs->of_calls);
	tail_graph_deinit(&legs->tails);
}
