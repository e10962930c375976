/* call_activations.c - see perftool/profile/call_activations.h */
#include "perftool/profile/call_activations.h"

#include <string.h>

void call_activations_deinit(struct call_activations *activations)
{
	vec_free(&activations->signal);
	vec_free(&activations->others);
}

/* ---- one activation ------------------------------------------------------ */

/* Computes the time of an activation that ends, without what hits have cost. */
static int64_t elapsed_time(const struct call_block *block,
			    const struct call_activation *activation,
			    uint64_t time)
{
	uint64_t elapsed = (time - activation->start) << CALL_COST_BITS;
	uint64_t taken = block->taken - activation->taken;

	return (int64_t)(elapsed - taken - (uint64_t)block->own) >>
	       (CALL_COST_BITS - CALL_UNIT_BITS);
}

/* An activation ends. The caller removes it. `parent` may be the first element
 * of the activations, which is none. */
static void close_activation(struct call_block *block,
			     const struct call_activation *activation,
			     struct call_activation *parent, uint64_t time,
			     bool is_return)
{
	/* (A program may have written anything into its block.) */
	uint32_t number = activation->arc & (block->most_arcs - 1);
	uint32_t function = activation->function < block->functions
				    ? activation->function
				    : 0;
	struct call_block_arc *arc = call_block_arc(block, number);
	struct call_block_cold *cold = call_block_cold(block, number);
	int64_t elapsed = elapsed_time(block, activation, time);
	uint64_t waited = block->waited - activation->waited;

	arc->count++;
	call_block_add(&arc->elapsed, elapsed);
	call_block_add(&arc->self, (int64_t)((uint64_t)elapsed -
					     (uint64_t)activation->children));
	if (!is_return)
		cold->unreturned++;
	call_block_add(&cold->self_waiting,
		       (int64_t)(waited - activation->children_waited));
	if (--*call_block_depth(block, function) == 0) {
		call_block_add(&arc->outermost, elapsed);
		call_block_add(&cold->waiting, (int64_t)waited);
	}
	if (!parent)
		return;
	call_block_add(&parent->children, elapsed);
	parent->children_waited += waited;
}

/* A function was entered. `parent` may be NULL or the first activation. If a
 * tail jump of `parent` led here, this jump is over. */
static struct call_activation open_activation(struct call_block *block,
					      const struct call_hit *hit,
					      struct call_activation *parent)
{
	bool jumped = parent && parent->frame == hit->frame;
	uint32_t caller = parent ? parent->function : CALL_NO_FUNCTION;
	struct call_activation activation = {
		.frame = hit->frame,
		.function = hit->function,
		.arc = call_block_find_arc(block, jumped ? 0 : hit->caller,
					   caller, hit->function),
		.start = hit->time,
		.taken = block->taken + block->cost,
		.coming = CALL_NO_FUNCTION,
		.waited = block->waited,
	};

	if (jumped)
		parent->coming = CALL_NO_FUNCTION;
	++*call_block_depth(block, hit->function);
	return activation;
}

/* Is the activation open when the hit enters a function in its frame? */
static bool has_jumped(const struct call_activation *activation,
		       const struct call_hit *hit)
{
	return activation->frame == hit->frame &&
	       (activation->coming == hit->function ||
		activation->coming == CALL_ANY_FUNCTION);
}

/* ---- the thread's own stack ----------------------------------------------
 *
 * The first activation, which is none, would end each search, but a program may
 * have written over it. */

static struct call_activation *own_top(const struct call_block *block)
{
	return call_block_open(block, block->top);
}

static void close_own(struct call_block *block, uint64_t time, bool is_return)
{
	struct call_activation *top = own_top(block);

	close_activation(block, top, top - 1, time, is_return);
	block->top--;
}

static void enter_own(struct call_block *block, const struct call_hit *hit)
{
	struct call_activation *top;

	while ((top = own_top(block))->frame <= hit->frame && block->top &&
	       !has_jumped(top, hit))
		close_own(block, hit->time, false);
	if (block->top + 1 == block->most_open) {
		uint32_t arc = call_block_find_arc(
			block, top->frame == hit->frame ? 0 : hit->caller,
			top->function, hit->function);

		call_block_arc(block, arc)->count++;
		block->deep++;
		return;
	}
	top[1] = open_activation(block, hit, top);
	block->top++;
}

static void jump_own(struct call_block *block, const struct call_hit *hit)
{
	struct call_activation *top;

	while ((top = own_top(block))->frame < hit->frame && block->top)
		close_own(block, hit->time, false);
	if (top->frame == hit->frame)
		top->coming = hit->function;
}

static void exit_own(struct call_block *block, const struct call_hit *hit)
{
	while (block->top && own_top(block)->frame < hit->frame)
		close_own(block, hit->time, false);
	if (own_top(block)->frame != hit->frame)
		block->ignored++;
	while (block->top && own_top(block)->frame == hit->frame)
		close_own(block, hit->time, true);
}

/* ---- the stack of signal handlers ---------------------------------------- */

/* Returns the caller of the activation at `index`. The outermost handler
 * interrupted what the thread did on its own stack. */
static struct call_activation *
signal_parent(const struct call_activations *activations, size_t index)
{
	if (index)
		return &activations->signal.data[index - 1];
	return own_top(activations->block);
}

/* Ends the activations whose frames are deeper than `frame`. */
static void close_signal(struct call_activations *activations, uint64_t frame,
			 uint64_t time, bool is_return)
{
	size_t i;

	while ((i = activations->signal.count) > 0) {
		struct call_activation *top = &activations->signal.data[i - 1];

		if (top->frame >= frame)
			return;
		close_activation(activations->block, top,
				 signal_parent(activations, i - 1), time,
				 is_return);
		activations->signal.count--;
	}
}

static struct call_activation *
signal_top(const struct call_activations *activations)
{
	size_t count = activations->signal.count;

	return count ? &activations->signal.data[count - 1] : NULL;
}

static void enter_signal(struct call_activations *activations,
			 const struct call_hit *hit)
{
	struct call_activation *top, new;

	close_signal(activations, hit->frame, hit->time, false);
	top = signal_top(activations);
	if (top && top->frame == hit->frame && !has_jumped(top, hit))
		close_signal(activations, hit->frame + 1, hit->time, false);
	/* (The list may move when it grows, and its last element is the
	 * caller.) */
	new = open_activation(
		activations->block, hit,
		signal_parent(activations, activations->signal.count));
	vec_push(&activations->signal, new);
}

static void jump_signal(struct call_activations *activations,
			const struct call_hit *hit)
{
	struct call_activation *top;

	close_signal(activations, hit->frame, hit->time, false);
	top = signal_top(activations);
	if (top && top->frame == hit->frame)
		top->coming = hit->function;
}

static void exit_signal(struct call_activations *activations,
			const struct call_hit *hit)
{
	struct call_activation *top;

	close_signal(activations, hit->frame, hit->time, false);
	top = signal_top(activations);
	if (!top || top->frame != hit->frame)
		activations->block->ignored++;
	close_signal(activations, hit->frame + 1, hit->time, true);
}

/* ---- stacks of the program's own making ---------------------------------- */

/* Returns the index of the first activation whose frame is not deeper. */
static size_t find_other(const struct call_activations *activations,
			 uint64_t frame)
{
	size_t low = 0, high = activations->others.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (activations->others.data[middle].activation.frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the activation at `index` if its frame is the hit's, or NULL. */
static struct call_activation *
other_at(const struct call_activations *activations, size_t index,
	 uint64_t frame)
{
	struct call_other *other = activations->others.data + index;

	if (index == activations->others.count ||
	    other->activation.frame != frame)
		return NULL;
	return &other->activation;
}

static void close_other(struct call_activations *activations, size_t index,
			uint64_t time, bool is_return)
{
	struct call_other *other = &activations->others.data[index];
	struct call_activation *parent = NULL;

	for (size_t i = index + 1;
	     other->parent && i < activations->others.count; i++) {
		struct call_other *above = &activations->others.data[i];

		if (above->activation.frame - other->activation.frame >
		    CALL_OTHER_DISTANCE)
			break;
		if (above->serial != other->parent)
			continue;
		parent = &above->activation;
		break;
	}
	close_activation(activations->block, &other->activation, parent, time,
			 is_return);
	vec_remove(&activations->others, index);
}

static void enter_other(struct call_activations *activations,
			const struct call_hit *hit)
{
	size_t index = find_other(activations, hit->frame);
	struct call_other new = {.serial = ++activations->serial};
	struct call_activation *parent = NULL, *same;

	while ((same = other_at(activations, index, hit->frame)) &&
	       !has_jumped(same, hit))
		close_other(activations, index, hit->time, false);
	if (index < activations->others.count &&
	    activations->others.data[index].activation.frame - hit->frame <=
		    CALL_OTHER_DISTANCE) {
		parent = &activations->others.data[index].activation;
		new.parent = activations->others.data[index].serial;
	}
	new.activation = open_activation(activations->block, hit, parent);
	vec_push(&activations->others, new);
	memmove(&activations->others.data[index + 1],
		&activations->others.data[index],
		(activations->others.count - 1 - index) * sizeof(new));
	activations->others.data[index] = new;
}

static void jump_other(struct call_activations *activations,
		       const struct call_hit *hit)
{
	size_t index = find_other(activations, hit->frame);
	struct call_activation *same = other_at(activations, index, hit->frame);

	if (same)
		same->coming = hit->function;
}

static void exit_other(struct call_activations *activations,
		       const struct call_hit *hit)
{
	size_t index = find_other(activations, hit->frame);

	if (!other_at(activations, index, hit->frame))
		activations->block->ignored++;
	while (other_at(activations, index, hit->frame))
		close_other(activations, index, hit->time, true);
}

/* ---- hits ---------------------------------------------------------------- */

/* Signal handlers are gone if the thread is on another stack. */
static void begin_hit(struct call_activations *activations,
		      const struct call_hit *hit)
{
	if (hit->stack != CALL_STACK_SIGNAL)
		close_signal(activations, UINT64_MAX, hit->time, false);
}

static void end_hit(struct call_activations *activations)
{
	activations->block->taken += activations->block->cost;
	activations->block->hits++;
}

void call_activations_enter(struct call_activations *activations,
			    const struct call_hit *hit)
{
	begin_hit(activations, hit);
	switch (hit->stack) {
	case CALL_STACK_OWN:
		enter_own(activations->block, hit);
		break;
	case CALL_STACK_SIGNAL:
		enter_signal(activations, hit);
		break;
	case CALL_STACK_OTHER:
		enter_other(activations, hit);
		break;
	}
	end_hit(activations);
}

void call_activations_jump(struct call_activations *activations,
			   const struct call_hit *hit)
{
	begin_hit(activations, hit);
	switch (hit->stack) {
	case CALL_STACK_OWN:
		jump_own(activations->block, hit);
		break;
	case CALL_STACK_SIGNAL:
		jump_signal(activations, hit);
		break;
	case CALL_STACK_OTHER:
		jump_other(activations, hit);
		break;
	}
	end_hit(activations);
}

void call_activations_exit(struct call_activations *activations,
			   const struct call_hit *hit)
{
	begin_hit(activations, hit);
	switch (hit->stack) {
	case CALL_STACK_OWN:
		exit_own(activations->block, hit);
		break;
	case CALL_STACK_SIGNAL:
		exit_signal(activations, hit);
		break;
	case CALL_STACK_OTHER:
		exit_other(activations, hit);
		break;
	}
	end_hit(activations);
}

void call_activations_unwind(struct call_activations *activations,
			     const struct call_hit *hit)
{
	begin_hit(activations, hit);
	switch (hit->stack) {
	case CALL_STACK_OWN:
		while (activations->block->top &&
		       own_top(activations->block)->frame <= hit->frame)
			close_own(activations->block, hit->time, false);
		break;
	case CALL_STACK_SIGNAL:
		close_signal(activations, hit->frame + 1, hit->time, false);
		break;
	case CALL_STACK_OTHER:
		break;
	}
	end_hit(activations);
}

void call_activations_end(struct call_activations *activations, uint64_t time)
{
	close_signal(activations, UINT64_MAX, time, false);
	while (activations->block->top)
		close_own(activations->block, time, false);
	while (activations->others.count)
		close_other(activations, 0, time, false);
}

/* ---- forgetting ---------------------------------------------------------- */

static void restart_activation(const struct call_block *block,
			       struct call_activation *activation,
			       uint64_t time)
{
	activation->start = time;
	activation->taken = block->taken;
	activation->children = 0;
	activation->waited = block->waited;
	activation->children_waited = 0;
}

/* Sets the counts of an arc to 0. The arc itself stays, because activations
 * name it by its number. */
static void forget_arc(struct call_block *block, uint32_t number)
{
	struct call_block_arc *arc = call_block_arc(block, number);

	arc->count = 0;
	arc->elapsed = arc->self = arc->outermost = 0;
	*call_block_cold(block, number) = (struct call_block_cold){0};
}

void call_activations_restart(struct call_activations *activations,
			      uint64_t time)
{
	struct call_block *block = activations->block;

	for (uint32_t i = 0; i < block->arc_count; i++)
		forget_arc(block, i);
	for (uint32_t i = 1; i <= block->top; i++)
		restart_activation(block, call_block_open(block, i), time);
	for (size_t i = 0; i < activations->signal.count; i++)
		restart_activation(block, &activations->signal.data[i], time);
	for (size_t i = 0; i < activations->others.count; i++)
		restart_activation(
			block, &activations->others.data[i].activation, time);
	block->ignored = block->deep = 0;
}

size_t call_activations_count(const struct call_activations *activations)
{
	return activations->block->top + activations->signal.count +
	       activations->others.count;
}

static void copy_depth(const struct call_block *from, struct call_block *to,
		       const struct call_activation *activation)
{
	if (activation->function >= from->functions)
		return;
	*call_block_depth(to, activation->function) =
		*call_block_depth(from, activation->function);
}

void call_activations_copy(const struct call_activations *from,
			   struct call_activations *to)
{
	const struct call_block *block = from->block;

	*to = (struct call_activations){.block = to->block,
					.serial = from->serial};
	to->block->taken = block->taken;
	to->block->hits = block->hits;
	to->block->top = block->top;
	to->block->arc_count = block->arc_count;
	to->block->ignored = block->ignored;
	to->block->deep = block->deep;
	to->block->own = block->own;
	to->block->waited = block->waited;
	memcpy(call_block_open(to->block, 0), call_block_open(block, 0),
	       ((size_t)block->top + 1) * sizeof(struct call_activation));
	memcpy(call_block_arc(to->block, 0), call_block_arc(block, 0),
	       block->arc_count * sizeof(struct call_block_arc));
	memcpy(call_block_cold(to->block, 0), call_block_cold(block, 0),
	       block->arc_count * sizeof(struct call_block_cold));
	for (uint32_t i = 1; i <= block->top; i++)
		copy_depth(block, to->block, call_block_open(block, i));
	for (size_t i = 0; i < from->signal.count; i++) {
		vec_push(&to->signal, from->signal.data[i]);
		copy_depth(block, to->block, &from->signal.data[i]);
	}
	for (size_t i = 0; i < from->others.count; i++) {
		vec_push(&to->others, from->others.data[i]);
		copy_depth(block, to->block, &from->others.data[i].activation);
	}
}
