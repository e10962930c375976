/*
 * call_activations.h - the machine that matches the entries of named functions
 * with their ends, and adds up counts and times of calls by arc
 *
 * Rules (doc/RULES.md, "Profiles"):
 *
 *  - At an entry, the activations of the same stack whose frames are equal or
 *    deeper are gone, for the memory of their frames is in use again. They end
 *    at this hit without a return. There is one exception: a tail jump has
 *    brought the frame of the innermost activation to this function. That
 *    activation stays open, and is the caller.
 *    (A function may jump to its own entry, too: a loop that begins there is
 *    tail recursion.)
 *  - At an exit, the activations whose frames are deeper are gone in the same
 *    way. Then all activations of the frame end by a return, from the innermost
 *    to the outermost: one return ends a chain of tail jumps.
 *  - An unwinding ends the activations whose frames have gone, at once.
 *  - `elapsed` is the time from the entry to the end, less what the hits
 *    meanwhile have cost. `self` is the rest of it when the elapsed time of the
 *    named functions that were called from there has been taken away.
 *  - `outermost` is the elapsed time of those calls during which the thread had
 *    no other activation of the same function open.
 *
 * The frames of different stacks are not compared. Where the bounds of a stack
 * are not known (coroutines), an activation only ends when its own frame is
 * left or is in use again.
 *
 * There is one machine for each thread. It feeds on hits in the order in which
 * the thread has made them. The machine in the program (arch layer) obeys the
 * same rules for the thread's own stack.
 */
#ifndef PERFTOOL_PROFILE_CALL_ACTIVATIONS_H
#define PERFTOOL_PROFILE_CALL_ACTIVATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/call_block.h"
#include "perftool/base/vec.h"

/* How far above the frame of an entry, in bytes, its caller's frame may be on a
 * stack whose bounds are not known. Stacks of coroutines may lie side by side
 * and are larger than this. */
#define CALL_OTHER_DISTANCE 8192

enum call_hit_stack {
	CALL_STACK_OWN, /* the thread's own */
	/* that of signal handlers (sigaltstack(2)). A hit on another stack
	 * shows that the handlers are gone. */
	CALL_STACK_SIGNAL,
	CALL_STACK_OTHER, /* a stack that the program made itself */
};

/* A hit of one thread. */
struct call_hit {
	uint64_t time;  /* ticks */
	uint64_t frame; /* CFA of the function's frame, not 0 */
	/* At an entry: the return address. */
	uint64_t caller;
	/* At an entry: the function. At a jump: the function that is entered
	 * next in this frame, CALL_NO_FUNCTION if it is none of the named
	 * ones, or CALL_ANY_FUNCTION if that is not known. */
	uint32_t function;
	enum call_hit_stack stack;
};

/* An activation on a stack of the program's own making. */
struct call_other {
	struct call_activation activation;
	uint64_t serial, parent; /* 0: none was found */
};

struct call_activations {
	struct call_block *block; /* with the activations of the own stack; the
				     caller owns it */
	VEC(struct call_activation) signal; /* outermost first */
	/* ordered by frame, the deepest first; in the same frame innermost
	 * first */
	VEC(struct call_other) others;
	uint64_t serial; /* of the last one in `others` */
};

/* All zero, and `block` set, is a machine without open activations on other
 * stacks. */
void call_activations_deinit(struct call_activations *activations);

/* A function was entered. */
void call_activations_enter(struct call_activations *activations,
			    const struct call_hit *hit);
/* A function is about to leave its frame to another function by a tail jump. */
void call_activations_jump(struct call_activations *activations,
			   const struct call_hit *hit);
/* A function has returned. Activations that its frame left by tail jumps end,
 * too. */
void call_activations_exit(struct call_activations *activations,
			   const struct call_hit *hit);
/* The thread has left frames by longjmp or an exception. The frame of the hit
 * is its stack pointer now. Activations whose frames are not above it end
 * without a return. (On a stack of the program's own making this ends nothing:
 * the thread may have come from another stack.) */
void call_activations_unwind(struct call_activations *activations,
			     const struct call_hit *hit);
/* The thread, or its program, has ended at `time`: everything that is open ends
 * without a return. */
void call_activations_end(struct call_activations *activations, uint64_t time);

/*
 * Forget what has been counted. What is open counts as if it had begun at
 * `time`. The thread must stand still.
 */
void call_activations_restart(struct call_activations *activations,
			      uint64_t time);

/*
 * Copy what has been counted, and what is open, to a machine whose block is not
 * smaller, has just been made, and is used only to end what is open.
 */
void call_activations_copy(const struct call_activations *from,
			   struct call_activations *to);

/* How many activations are open. */
size_t call_activations_count(const struct call_activations *activations);

#endif
