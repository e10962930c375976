/*
 * counting_action.c - what the trampoline of a site has the counting code do,
 * if threads count hits by themselves (counting.h of arch)
 */
#include "fast_site.h"
#include "perftool/base/hash.h"
#include "perftool/counting.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* The parts of a site as far as counting is concerned. */
struct counting_parts {
	/* the only breakpoint of the user, and the parts of the tool's own
	 * breakpoint that follows frames: at the entry of a function, and at a
	 * jump or a return; NULL: none */
	const struct attachment *user, *entry, *tail;
	bool is_too_many;
	bool has_condition; /* one of several parts has a condition */
	bool has_value;     /* the breakpoint of the user has a value */
	/* If threads count calls by themselves: the breakpoint of a profile,
	 * and its part. */
	const struct attachment *called;
	size_t call_part;
	bool has_two_calls;
};

static bool is_counted_call(const struct space *space,
			    const struct attachment *attachment)
{
	return space->fast.counts_calls && attachment->breakpoint->is_of_calls;
}

static struct counting_parts parts_of(const struct space *space,
				      const struct trampoline_spec *spec,
				      const struct fast_site *fast)
{
	struct counting_parts parts = {0};

	for (size_t i = 0; i < fast->part_count; i++) {
		const struct attachment *at = fast->parts[i].attachment;
		const struct attachment **place = !is_of_tails(at) ? &parts.user
						  : at->role == ROLE_ENTRY
							  ? &parts.entry
							  : &parts.tail;

		if (is_counted_call(space, at)) {
			parts.has_two_calls |= parts.called != NULL;
			parts.called = at;
			parts.call_part = i;
			continue;
		}
		parts.has_value |= !is_of_tails(at) &&
				   fast->parts[i].value != FAST_NO_VALUE;
		parts.is_too_many |= *place != NULL;
		*place = at;
		parts.has_condition |=
			fast->part_count > 1 && spec->parts[i].count;
	}
	return parts;
}

/* Has the record of a hit values that counting cannot do without? The value of
 * a breakpoint of the user is for a histogram, which the node of a counted leg
 * does not have. */
static bool has_needed_values(const struct trampoline_spec *spec,
			      const struct counting_parts *parts)
{
	size_t values = 0;

	values += parts->has_value;
	values += parts->called && parts->called->role == ROLE_ENTRY;
	values += parts->entry != NULL;
	values += parts->tail != NULL;
	values += spec->target_value != 0;
	return spec->value_count > values;
}

/* If the jump brings frames back to the function of a leg, the threads note
 * that. */
static void choose_come(struct space *space, const struct counting_parts *parts,
			struct trampoline_spec *spec)
{
	const struct counted_leg *leg = counted_leg_come_to(space, parts->tail);

	if (!leg || parts->has_condition)
		return;
	spec->comes = true;
	spec->comes_to = leg->leg;
}

/* Choose what the threads note about frames that functions have left by tail
 * jumps. (The notes of a jump, and of a return, include those of an entry at
 * the same place.) Where there is nothing else to note, a thread notes that
 * deeper frames have gone: their places on the stack may be used again by
 * frames that look the same. */
static void choose_first(struct space *space,
			 const struct counting_parts *parts,
			 struct trampoline_spec *spec)
{
	const struct attachment *at = parts->tail ? parts->tail : parts->entry;
	const struct counted_leg *leg;

	if (!at)
		return;
	spec->first = TRAMPOLINE_NOTES_ENTRY;
	if (at->role == ROLE_RETURN) {
		if (counted_legs_reach(&space->fast.counted, at) &
		    REACH_COUNTED)
			spec->first = TRAMPOLINE_ENDS_FRAMES;
		return;
	}
	leg = counted_leg_left(space, at);
	if (leg)
		spec->leg = leg->leg;
	if (leg && is_jump(at->role))
		spec->first = TRAMPOLINE_NOTES_JUMP;
	if (is_jump(at->role))
		choose_come(space, parts, spec);
}

/* May the threads count the hits by themselves, as far as the parts are
 * concerned? */
static bool may_count(const struct trampoline_spec *spec,
		      const struct counting_parts *parts)
{
	return !parts->has_condition && !has_needed_values(spec, parts) &&
	       !(spec->when == FAST_JUMP_LEAVES && spec->whichever);
}

/* The counted legs that begin and that end at a breakpoint of the user; NULL:
 * none. */
struct legs_at {
	const struct counted_leg *from, *to;
};

static struct legs_at legs_at(const struct space *space,
			      const struct attachment *user)
{
	const struct counted_legs *counted = &space->fast.counted;

	if (!user)
		return (struct legs_at){0};
	return (struct legs_at){counted_leg_from(counted, user->breakpoint),
				counted_leg_to(counted, user->breakpoint)};
}

static bool is_by_order(const struct legs_at *legs)
{
	return (legs->from && legs->from->by_order) ||
	       (legs->to && legs->to->by_order);
}

static void choose_nested(const struct legs_at *legs,
			  struct trampoline_spec *spec)
{
	spec->action =
		legs->from ? TRAMPOLINE_COUNTS_FROM : TRAMPOLINE_COUNTS_TO;
	spec->leg = legs->from ? legs->from->leg : legs->to->leg;
}

/* A thread that does not know where a jump leads asks the tool, which would
 * then make the hit by itself: such a place is not counted. */
static void choose_order(const struct legs_at *legs,
			 struct trampoline_spec *spec)
{
	if (spec->asks)
		return;
	if (legs->from && legs->to)
		spec->action = TRAMPOLINE_ORDER_BOTH;
	else
		spec->action = legs->from ? TRAMPOLINE_ORDER_FROM
					  : TRAMPOLINE_ORDER_TO;
	if (legs->to)
		spec->order = legs->to->leg;
	if (legs->from)
		spec->order |= legs->to ? legs->from->leg << COUNTING_NEXT_SHIFT
					: legs->from->leg;
	if (legs->from && legs->from->keeps_first)
		spec->order |= COUNTING_KEEPS;
}

/* Choose whether the threads count the hits at the site by themselves. */
static void choose_action(const struct space *space,
			  const struct counting_parts *parts,
			  struct trampoline_spec *spec)
{
	const struct counted_legs *counted = &space->fast.counted;
	const struct legs_at legs = legs_at(space, parts->user);

	if (!may_count(spec, parts) ||
	    (parts->tail &&
	     counted_legs_reach(counted, parts->tail) & REACH_TOLD) ||
	    (parts->entry &&
	     counted_legs_reach(counted, parts->entry) & REACH_TOLD))
		return;
	if (is_by_order(&legs))
		choose_order(&legs, spec);
	else if (legs.from || legs.to)
		choose_nested(&legs, spec);
	else if (!parts->user)
		spec->action = TRAMPOLINE_FOLLOWS;
}

/* If frames may come back to the function that is entered here, its entry is
 * noted when the hit is counted. */
static void choose_again(const struct space *space,
			 const struct counting_parts *parts,
			 struct trampoline_spec *spec)
{
	const struct counted_leg *leg =
		parts->entry ? counted_leg_left(space, parts->entry) : NULL;

	if (!leg || !counted_leg_is_in_ring(&space->fast.counted, leg) ||
	    spec->action != TRAMPOLINE_COUNTS_FROM || spec->leg != leg->leg ||
	    spec->first == TRAMPOLINE_ENDS_FRAMES)
		return;
	spec->again = true;
	if (spec->first == TRAMPOLINE_NOTES_ENTRY)
		spec->first = TRAMPOLINE_NOTES_NOTHING;
}

/* Is what is needed of the frame known? The order of hits needs no frame. */
static bool is_frame_known(const struct space *space,
			   const struct counting_parts *parts)
{
	const struct legs_at legs = legs_at(space, parts->user);

	if (parts->user && !parts->user->has_cfa)
		return is_by_order(&legs) && !parts->entry && !parts->tail;
	return (!parts->entry || parts->entry->has_cfa) &&
	       (!parts->tail || parts->tail->has_cfa);
}

/* ---- profiles of calls --------------------------------------------------- */

/* The value of `call` of a trampoline at this attachment of the tool's own
 * breakpoint, if threads count calls by themselves. */
static unsigned call_at_tail(const struct space *space,
			     const struct attachment *tail)
{
	if (!tail || !counted_legs_follow_calls(&space->fast.counted, tail))
		return TRAMPOLINE_NO_CALL;
	if (tail->role == ROLE_RETURN)
		return TRAMPOLINE_LEAVES_CALL;
	return is_jump(tail->role) ? TRAMPOLINE_JUMPS_FROM_CALL
				   : TRAMPOLINE_NO_CALL;
}

/* The number of the function to which a tail jump leads: see
 * counted_legs_called(). */
static uint32_t called_by(struct space *space, const struct attachment *jump)
{
	const uint64_t *targets;
	size_t count;

	targets = tails_targets(space, jump, &count);
	return jump->role != ROLE_JUMP_INDIRECT && count == 1
		       ? counted_legs_called(space, targets[0])
		       : CALL_ANY_FUNCTION;
}

static bool is_call_counted(const struct counting_parts *parts,
			    const struct trampoline_spec *spec)
{
	const struct attachment *at =
		parts->called ? parts->called : parts->tail;
	uint32_t call_part =
		parts->called ? UINT32_C(1) << parts->call_part : 0;

	return at->has_cfa && !parts->has_two_calls &&
	       !(spec->part_count > 1 && parts->called &&
		 spec->parts[parts->call_part].count) &&
	       !(parts->has_condition && !parts->called) &&
	       !(spec->when == FAST_JUMP_LEAVES &&
		 spec->whichever & ~call_part);
}

/* Choose what the threads count of a profile of calls. Returns the reason why
 * the site cannot be a jump, or NULL. */
static const char *choose_call(struct space *space,
			       const struct counting_parts *parts,
			       struct trampoline_spec *spec,
			       struct fast_site *fast)
{
	unsigned call = call_at_tail(space, parts->tail);

	if (parts->called)
		fast->of_calls = UINT32_C(1) << parts->call_part;
	if (call == TRAMPOLINE_JUMPS_FROM_CALL)
		spec->jumps_to = called_by(space, parts->tail);
	if (parts->called && parts->called->role == ROLE_ENTRY) {
		call = call == TRAMPOLINE_JUMPS_FROM_CALL
			       ? TRAMPOLINE_ENTERS_AND_JUMPS
			       : TRAMPOLINE_ENTERS_CALL;
		spec->function = parts->called->called;
	} else if (parts->called) {
		call = TRAMPOLINE_LEAVES_CALL;
	}
	if (call == TRAMPOLINE_NO_CALL)
		return NULL;
	if (!is_call_counted(parts, spec))
		return "threads cannot count its calls by themselves there";
	spec->call = call;
	return NULL;
}

/* Let nothing of the hit be recorded. */
static void record_nothing(struct trampoline_spec *spec, struct fast_site *fast)
{
	/* What is recorded all the same has one value, the return address. */
	spec->value_count = spec->target_value = 0;
	for (size_t i = 0; i < fast->part_count; i++)
		fast->parts[i].value = is_of_tails(fast->parts[i].attachment)
					       ? 0
					       : FAST_NO_VALUE;
}

/* Is the hit of no interest but for the profile? */
static bool is_only_call(const struct space *space,
			 const struct counting_parts *parts)
{
	const struct counted_legs *counted = &space->fast.counted;

	return !parts->user &&
	       !(parts->tail && counted_legs_reach(counted, parts->tail) &
					(REACH_TOLD | REACH_COUNTED)) &&
	       !(parts->entry && counted_legs_reach(counted, parts->entry) &
					 (REACH_TOLD | REACH_COUNTED));
}

static int32_t frame_offset(const struct counting_parts *parts)
{
	const struct attachment *any = parts->user     ? parts->user
				       : parts->called ? parts->called
				       : parts->tail   ? parts->tail
						       : parts->entry;

	if (!any->has_cfa && parts->called)
		any = parts->called;
	return any->has_cfa ? (int32_t)any->cfa.offset : 0;
}

/* ---- all of it ----------------------------------------------------------- */

static void choose_of_legs(struct space *space,
			   const struct counting_parts *parts,
			   struct trampoline_spec *spec, struct fast_site *fast)
{
	fast->cannot_count = parts->is_too_many || !may_count(spec, parts);
	if (parts->is_too_many || !is_frame_known(space, parts))
		return;
	choose_first(space, parts, spec);
	choose_action(space, parts, spec);
	choose_again(space, parts, spec);
	fast->first = spec->first;
	fast->again = spec->again;
	fast->comes = spec->comes;
	fast->comes_to = spec->comes_to;
	fast->is_counting = spec->action != TRAMPOLINE_RECORDS_AMID_COUNTS;
	if (fast->is_counting)
		record_nothing(spec, fast);
}

const char *choose_counting(struct space *space, struct trampoline_spec *spec,
			    struct fast_site *fast)
{
	const struct counting_parts parts = parts_of(space, spec, fast);
	bool has_legs = space->fast.counted.list.count;
	const char *refusal = NULL;

	if (!has_legs && !space->fast.counts_calls)
		return NULL;
	spec->action = TRAMPOLINE_RECORDS_AMID_COUNTS;
	spec->leg = COUNTING_NO_LEG;
	spec->frame_offset = frame_offset(&parts);
	if (space->fast.counts_calls)
		refusal = choose_call(space, &parts, spec, fast);
	if (!refusal && has_legs)
		choose_of_legs(space, &parts, spec, fast);
	if (!refusal && spec->call && is_only_call(space, &parts)) {
		spec->action = TRAMPOLINE_COUNTS_CALL;
		fast->is_counting = false;
		record_nothing(spec, fast);
	} else if (!refusal && !has_legs && !spec->call &&
		   is_only_call(space, &parts)) {
		spec->action = TRAMPOLINE_FOLLOWS;
		record_nothing(spec, fast);
	}
	fast->call = spec->call;
	return refusal;
}

/* ---- may the choice have changed? ---------------------------------------- */

/* What the functions above read of the space must be in the hash. */

static uint64_t hash_leg(uint64_t hash, const struct counted_leg *leg)
{
	const uint32_t number = leg ? leg->leg : COUNTING_NO_LEG;

	hash = hash_bytes(hash, &number, sizeof(number));
	return leg ? hash_byte(hash, (unsigned char)(leg->by_order |
						     leg->keeps_first << 1))
		   : hash;
}

static uint64_t hash_user(uint64_t hash, const struct space *space,
			  const struct attachment *user)
{
	const struct legs_at legs = legs_at(space, user);

	return hash_leg(hash_leg(hash, legs.from), legs.to);
}

static uint64_t hash_tail(uint64_t hash, struct space *space,
			  const struct attachment *attachment)
{
	const struct counted_legs *counted = &space->fast.counted;
	const struct counted_leg *left = counted_leg_left(space, attachment);
	unsigned char bits = counted_legs_reach(counted, attachment) &
			     (REACH_TOLD | REACH_COUNTED);

	bits |= left && counted_leg_is_in_ring(counted, left) ? REACH_RING : 0;
	bits |= counted_legs_follow_calls(counted, attachment) ? 1 : 0;
	if (bits & 1 && is_jump(attachment->role)) {
		uint32_t called = called_by(space, attachment);

		hash = hash_bytes(hash, &called, sizeof(called));
	}
	hash = hash_leg(hash_byte(hash, bits), left);
	return is_jump(attachment->role)
		       ? hash_leg(hash, counted_leg_come_to(space, attachment))
		       : hash;
}

uint64_t counting_inputs(struct space *space, const struct site *site)
{
	const struct counted_legs *counted = &space->fast.counted;
	uint64_t hash = HASH_START;

	if (!counted->list.count && !space->fast.counts_calls)
		return 0;
	hash = hash_byte(hash, space->fast.counts_calls);
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct attachment *at = site->attachments.data[i];

		hash = is_of_tails(at) ? hash_tail(hash, space, at)
				       : hash_user(hash, space, at);
	}
	return hash;
}

/* The calibration makes up a frame. */
static void calibrate_call(unsigned call, uint8_t base,
			   struct trampoline_spec *spec)
{
	spec->action = TRAMPOLINE_COUNTS_CALL;
	spec->call = call;
	spec->function = COUNTING_CALIBRATED_FUNCTION;
	spec->leg = COUNTING_NO_LEG;
	spec->base = base;
	spec->frame_offset = sizeof(uint64_t);
}

void choose_calibration(const struct site *site, struct trampoline_spec *spec)
{
	switch (site->purpose) {
	case SITE_COUNT_FROM:
		spec->action = TRAMPOLINE_COUNTS_FROM;
		break;
	case SITE_COUNT_TO:
		spec->action = TRAMPOLINE_COUNTS_TO;
		break;
	case SITE_FOLLOW:
		spec->action = TRAMPOLINE_FOLLOWS;
		spec->first = TRAMPOLINE_ENDS_FRAMES;
		break;
	case SITE_CALL_ENTRY:
		calibrate_call(TRAMPOLINE_ENTERS_CALL, CALIBRATED_FRAME, spec);
		return;
	case SITE_CALL_RETURN:
		calibrate_call(TRAMPOLINE_LEAVES_CALL, CALIBRATED_FRAME, spec);
		return;
	case SITE_WARM_ENTRY:
		calibrate_call(TRAMPOLINE_ENTERS_CALL, OTHER_FRAME, spec);
		return;
	case SITE_WARM_RETURN:
		calibrate_call(TRAMPOLINE_LEAVES_CALL, OTHER_FRAME, spec);
		return;
	default: /* The hit is recorded. */
		return;
	}
	spec->leg = COUNTING_CALIBRATION;
	spec->frame_offset = sizeof(uint64_t);
}
