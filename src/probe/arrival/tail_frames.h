/*
 * tail_frames.h - frames whose function was left by a tail jump
 *
 * A function that ends in a tail jump leaves its frame to the function to which
 * it jumps: the return address stays on the stack, and the frame ends when the
 * last of the functions that run in it returns. For each owner, this module
 * remembers which breakpoints wait for the end of which frame, and it decides
 * whether a return is that end. The module is pure: it is told the events in
 * the order in which the owner executed them, and it returns answers.
 *
 * The owner is a thread, or in a Go program a goroutine. A goroutine may go on
 * in another thread and on another stack while a breakpoint waits for the end
 * of its frame.
 *
 * A frame is named by its CFA, which a tail jump does not change, and by the
 * return address in it (`caller`). A frame with the same CFA and another return
 * address was made by another call, so the earlier frame has gone without a
 * return (by longjmp or an exception).
 *
 * A function may come back to its own frame: it jumps to another function,
 * which jumps back to its entry. Each such entry counts as a call, and all
 * these calls end with the frame.
 */
#ifndef PROBE_TAIL_FRAMES_H
#define PROBE_TAIL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* This bit is set in the number of a goroutine, so that it is never the number
 * of a thread. */
#define TAIL_GOROUTINE (UINT64_C(1) << 63)

/* A position of an owner: in which function of which frame it is. */
struct tail_spot {
	/* the serial number of a thread, or the number of a goroutine */
	uint64_t owner;
	/* the CFA of the frame; for a goroutine, the depth of the frame in its
	 * stack, negated */
	uint64_t cfa;
	/* the number of the stack, as in struct hit; 0: not known */
	uint64_t stack;
	uint64_t caller; /* the return address of the frame */
	uint64_t function;
	uint64_t time;
};

/* The state of a frame, see tail_frames.c. */
enum tail_state { TAIL_OUT, TAIL_COMING, TAIL_IN };

/* A frame has ended: the breakpoint gets this many hits from it. */
struct tail_end {
	uint32_t breakpoint;
	uint32_t count;
};
VEC_STRUCT(tail_end_list, struct tail_end);

/* An all-zero struct is empty and valid. */
struct tail_frames {
	struct map owners; /* the number of an owner -> struct tail_owner */
	uint64_t last;     /* the number of the owner that was looked up last */
	/* the owner with the number `last`; NULL: it must be looked up again */
	struct tail_owner *last_found;
};

void tail_frames_deinit(struct tail_frames *frames);

/* The owner leaves the function of the spot by a jump, and the breakpoint waits
 * for the end of the frame. */
void tail_frames_leave(struct tail_frames *frames, const struct tail_spot *spot,
		       uint32_t breakpoint);
/* The breakpoint waits for the end of the frame of the spot, whose function was
 * left `count` times. The owner has noted this until now. It may be in a deeper
 * frame already. */
void tail_frames_take_over(struct tail_frames *frames,
			   const struct tail_spot *spot, uint32_t breakpoint,
			   enum tail_state state, uint32_t count);
/* The owner is about to jump, as was just reported with tail_frames_leave(), to
 * the entry of `function`. */
void tail_frames_go_to(struct tail_frames *frames, const struct tail_spot *spot,
		       uint64_t function);
/* The owner enters the function of the spot, by a jump or by a call. */
void tail_frames_enter(struct tail_frames *frames,
		       const struct tail_spot *spot);
/* The owner returns from the function of the spot. The breakpoints whose frames
 * end with this return are appended to `out`. */
void tail_frames_return(struct tail_frames *frames,
			const struct tail_spot *spot,
			struct tail_end_list *out);

/* Does a breakpoint wait for the end of a frame of this owner? (A frame that
 * has gone without a return is still counted until another event shows that it
 * has gone.) */
bool tail_frames_any(struct tail_frames *frames, uint64_t owner);
/* Does a breakpoint wait for the end of this frame? */
bool tail_frames_awaits(struct tail_frames *frames,
			const struct tail_spot *spot);
/* Has the function of the spot, which was just entered, come back to its own
 * frame? (`caller` of the spot is not used.) */
bool tail_frames_is_back(struct tail_frames *frames,
			 const struct tail_spot *spot);

/* Note that a forked child is in the same frames as the thread that has forked
 * it. */
void tail_frames_inherit(struct tail_frames *frames, uint32_t parent,
			 uint32_t child);
void tail_frames_forget_thread(struct tail_frames *frames, uint32_t thread);
void tail_frames_forget_breakpoint(struct tail_frames *frames,
				   uint32_t breakpoint);
/* Forget the frames of all breakpoints for which `is_kept` returns false. */
void tail_frames_keep(struct tail_frames *frames,
		      bool (*is_kept)(const void *context, uint32_t breakpoint),
		      const void *context);

#endif
