/*
 * tail_frames.c - frames whose function was left by a tail jump
 *
 * The states of a frame whose end a breakpoint waits for (the frame's "own"
 * function is the one that the breakpoint is about):
 *
 *	leave ──► OUT ──go_to its function──► COMING ──enter──► IN
 *	           ▲                                            │
 *	           └─────────────────leave (one more)───────────┘
 *
 * OUT: another function runs in the frame. COMING: a jump is about to lead back
 * to the own function. IN: the own function runs again.
 *
 * The frame ends with a return of its own function when it is IN, and with a
 * return of another function when it is OUT. An event that does not fit shows
 * that the frame has gone without a return, and that its place on the stack is
 * used by another frame.
 */
#include "tail_frames.h"

#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hit.h"

struct tail_frame {
	uint64_t cfa, stack, caller, function;
	/* for TAIL_IN: the time of the event that made it so */
	uint64_t entered;
	uint32_t breakpoint;
	uint32_t count; /* how often the function was left in this frame */
	enum tail_state state;
};

/* The frames of an owner whose end a breakpoint waits for. */
struct tail_owner {
	VEC(struct tail_frame) frames;
};

static struct tail_owner *find_owner(struct tail_frames *frames,
				     uint64_t number)
{
	/* The number is often the same as before, because events of one owner
	 * follow each other. */
	if (!frames->last_found || frames->last != number) {
		frames->last = number;
		frames->last_found = map_get(&frames->owners, number);
	}
	return frames->last_found;
}

static struct tail_owner *create_owner(struct tail_frames *frames,
				       uint64_t number)
{
	struct tail_owner *owner = xcalloc(1, sizeof(*owner));

	map_set(&frames->owners, number, owner);
	frames->last_found = NULL;
	return owner;
}

static void owner_destroy(struct tail_owner *owner)
{
	if (!owner)
		return;
	vec_free(&owner->frames);
	free(owner);
}

static void forget(struct tail_frames *frames, uint64_t number)
{
	frames->last_found = NULL;
	owner_destroy(map_remove(&frames->owners, number));
}

void tail_frames_deinit(struct tail_frames *frames)
{
	struct tail_owner *owner;
	size_t cursor = 0;

	while ((owner = map_next(&frames->owners, &cursor, NULL)))
		owner_destroy(owner);
	map_deinit(&frames->owners);
	frames->last_found = NULL;
}

/* Does the owner's position show that the frame has gone? That is so if the
 * frame is deeper on the same stack than the owner is now, or if another call
 * has made the owner's frame at the same CFA. */
static bool is_gone(const struct tail_frame *frame,
		    const struct tail_spot *spot)
{
	if (frame->cfa == spot->cfa)
		return frame->caller != spot->caller;
	return spot->stack && frame->stack == spot->stack &&
	       frame->cfa < spot->cfa;
}

static void drop_gone(struct tail_owner *owner, const struct tail_spot *spot)
{
	for (size_t i = owner->frames.count; i-- > 0;)
		if (is_gone(&owner->frames.data[i], spot))
			vec_remove(&owner->frames, i);
}

/* Find the owner, and drop its frames that have gone. NULL if the owner has no
 * frames. */
static struct tail_owner *look(struct tail_frames *frames,
			       const struct tail_spot *spot)
{
	struct tail_owner *owner = find_owner(frames, spot->owner);

	if (owner)
		drop_gone(owner, spot);
	return owner;
}

static struct tail_frame *find_frame(struct tail_owner *owner,
				     const struct tail_spot *spot,
				     uint32_t breakpoint)
{
	for (size_t i = 0; i < owner->frames.count; i++) {
		struct tail_frame *frame = &owner->frames.data[i];

		if (frame->cfa == spot->cfa && frame->breakpoint == breakpoint)
			return frame;
	}
	return NULL;
}

static void add_frame(struct tail_owner *owner, const struct tail_spot *spot,
		      uint32_t breakpoint, enum tail_state state,
		      uint32_t count)
{
	vec_push(&owner->frames, (struct tail_frame){.cfa = spot->cfa,
						     .stack = spot->stack,
						     .caller = spot->caller,
						     .function = spot->function,
						     .breakpoint = breakpoint,
						     .count = count,
						     .state = state});
}

void tail_frames_leave(struct tail_frames *frames, const struct tail_spot *spot,
		       uint32_t breakpoint)
{
	struct tail_owner *owner = look(frames, spot);
	struct tail_frame *frame;

	if (!owner)
		owner = create_owner(frames, spot->owner);
	frame = find_frame(owner, spot, breakpoint);
	if (!frame) {
		add_frame(owner, spot, breakpoint, TAIL_OUT, 1);
		return;
	}
	/* If the frame is not IN, this jump was noted before: by the owner
	 * itself, when it was led back to the jump by the tool, which then took
	 * over the frame (tail_frames_take_over()). */
	frame->count += frame->state == TAIL_IN && frame->count < HIT_MOST_BACK;
	frame->state = TAIL_OUT;
}

void tail_frames_take_over(struct tail_frames *frames,
			   const struct tail_spot *spot, uint32_t breakpoint,
			   enum tail_state state, uint32_t count)
{
	struct tail_owner *owner = find_owner(frames, spot->owner);
	struct tail_frame *frame;

	if (!owner)
		owner = create_owner(frames, spot->owner);
	frame = find_frame(owner, spot, breakpoint);
	if (frame)
		vec_remove(&owner->frames,
			   (size_t)(frame - owner->frames.data));
	add_frame(owner, spot, breakpoint, state, count);
}

void tail_frames_go_to(struct tail_frames *frames, const struct tail_spot *spot,
		       uint64_t function)
{
	struct tail_owner *owner = look(frames, spot);

	for (size_t i = 0; owner && i < owner->frames.count; i++) {
		struct tail_frame *frame = &owner->frames.data[i];

		if (frame->cfa == spot->cfa && frame->state == TAIL_OUT &&
		    frame->function == function)
			frame->state = TAIL_COMING;
	}
}

void tail_frames_enter(struct tail_frames *frames, const struct tail_spot *spot)
{
	struct tail_owner *owner = look(frames, spot);

	if (!owner)
		return;
	for (size_t i = owner->frames.count; i-- > 0;) {
		struct tail_frame *frame = &owner->frames.data[i];

		if (frame->cfa != spot->cfa ||
		    frame->function != spot->function)
			continue;
		if (frame->state == TAIL_COMING) {
			frame->state = TAIL_IN;
			frame->entered = spot->time;
		} else {
			/* A call has made a new frame with the same CFA. */
			vec_remove(&owner->frames, i);
		}
	}
}

void tail_frames_return(struct tail_frames *frames,
			const struct tail_spot *spot, struct tail_end_list *out)
{
	struct tail_owner *owner = look(frames, spot);

	if (!owner)
		return;
	for (size_t i = 0; i < owner->frames.count;) {
		struct tail_frame *frame = &owner->frames.data[i];
		bool is_own = frame->function == spot->function;

		if (frame->cfa != spot->cfa) {
			i++;
			continue;
		}
		if (frame->state == (is_own ? TAIL_IN : TAIL_OUT))
			vec_push(out, (struct tail_end){frame->breakpoint,
							frame->count});
		vec_remove(&owner->frames, i);
	}
	/* The tool is not told when a goroutine ends. So the entry of a
	 * goroutine is freed as soon as no breakpoint waits for the end of one
	 * of its frames. */
	if (!owner->frames.count && spot->owner & TAIL_GOROUTINE)
		forget(frames, spot->owner);
}

bool tail_frames_any(struct tail_frames *frames, uint64_t owner)
{
	const struct tail_owner *at = find_owner(frames, owner);

	return at && at->frames.count;
}

bool tail_frames_awaits(struct tail_frames *frames,
			const struct tail_spot *spot)
{
	const struct tail_owner *owner = find_owner(frames, spot->owner);

	for (size_t i = 0; owner && i < owner->frames.count; i++) {
		const struct tail_frame *frame = &owner->frames.data[i];

		if (frame->cfa == spot->cfa && frame->caller == spot->caller &&
		    frame->state != TAIL_IN)
			return true;
	}
	return false;
}

bool tail_frames_is_back(struct tail_frames *frames,
			 const struct tail_spot *spot)
{
	const struct tail_owner *owner = find_owner(frames, spot->owner);

	for (size_t i = 0; owner && i < owner->frames.count; i++) {
		const struct tail_frame *frame = &owner->frames.data[i];

		if (frame->cfa == spot->cfa &&
		    frame->function == spot->function &&
		    frame->state == TAIL_IN && frame->entered == spot->time)
			return true;
	}
	return false;
}

void tail_frames_inherit(struct tail_frames *frames, uint32_t parent,
			 uint32_t child)
{
	const struct tail_owner *from = find_owner(frames, parent);
	struct tail_owner *to;

	if (!from || !from->frames.count)
		return;
	to = create_owner(frames, child);
	for (size_t i = 0; i < from->frames.count; i++)
		vec_push(&to->frames, from->frames.data[i]);
}

void tail_frames_forget_thread(struct tail_frames *frames, uint32_t thread)
{
	forget(frames, thread);
}

void tail_frames_forget_breakpoint(struct tail_frames *frames,
				   uint32_t breakpoint)
{
	struct tail_owner *owner;
	size_t cursor = 0;

	while ((owner = map_next(&frames->owners, &cursor, NULL)))
		for (size_t i = owner->frames.count; i-- > 0;)
			if (owner->frames.data[i].breakpoint == breakpoint)
				vec_remove(&owner->frames, i);
}

void tail_frames_keep(struct tail_frames *frames,
		      bool (*is_kept)(const void *context, uint32_t breakpoint),
		      const void *context)
{
	struct tail_owner *owner;
	size_t cursor = 0;

	while ((owner = map_next(&frames->owners, &cursor, NULL)))
		for (size_t i = owner->frames.count; i-- > 0;)
			if (!is_kept(context, owner->frames.data[i].breakpoint))
				vec_remove(&owner->frames, i);
}
