/*
 * tail_frames.h - frames whose function was left by a tail jump
 *
 * A function that ends in a jump leaves its frame to the function that it jumps
 * to: the return address on the stack stays, and the frame ends when whoever
 * runs in it at last returns. Here it is remembered, for each thread, which
 * breakpoints wait for the end of which frame, and it is decided whether a
 * return is that end. Pure: events come in the order of the
 * owner's execution, and answers go out.
 *
 * The owner is a thread, or in a Go program a goroutine, which may go on in
 * another thread and on another stack while its frame is waited for.
 *
 * A frame is named by its CFA, which a tail jump does not change, and by the
 * return address in it (`caller`): one of the same CFA with another return
 * address was made by another call, so the one before it has gone without a
 * return (longjmp, an exception).
 *
 * A function may come back to its own frame, when one that it has jumped to
 * jumps to it. Each time it is entered counts, and ends with the frame.
 */
#ifndef PROBE_TAIL_FRAMES_H
#define PROBE_TAIL_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/map.h"
#include "perftool/base/vec.h"

/* What the number of a goroutine has, to be none of a thread's. */
#define TAIL_GOROUTINE (UINT64_C(1) << 63)

/* Where an owner is: in which function of which frame. */
struct tail_spot {
	uint64_t owner;  /* a thread's serial number, or a goroutine's */
	uint64_t cfa;    /* of a goroutine: how deep, negated */
	uint64_t stack;  /* as in struct hit; 0: not known */
	uint64_t caller; /* the frame's return address */
	uint64_t function;
	uint64_t time;
};

/* So many hits does a breakpoint get from a frame that has ended. */
struct tail_end {
	uint32_t breakpoint;
	uint32_t count;
};
VEC_STRUCT(tail_end_list, struct tail_end);

/* Zero is the empty one. */
struct tail_frames {
	struct map owners;             /* by number */
	uint64_t last;                 /* the owner that was looked up last */
	struct tail_owner *last_found; /* NULL: it must be looked up */
};

void tail_frames_deinit(struct tail_frames *frames);

/* The function of the spot is left by a jump; the breakpoint waits for the end
 * of its frame. */
void tail_frames_leave(struct tail_frames *frames, const struct tail_spot *spot,
		       uint32_t breakpoint);
/* The jump leads to that function's entry. */
void tail_frames_go_to(struct tail_frames *frames, const struct tail_spot *spot,
		       uint64_t function);
/* The function of the spot is entered, by a jump or by a call. */
void tail_frames_enter(struct tail_frames *frames,
		       const struct tail_spot *spot);
/* It returns: which breakpoints' frames end, appended. */
void tail_frames_return(struct tail_frames *frames,
			const struct tail_spot *spot,
			struct tail_end_list *out);

/* Does a breakpoint wait for the end of a frame of this owner? (Frames that
 * have gone without a return are there until another event shows it.) */
bool tail_frames_any(struct tail_frames *frames, uint64_t owner);
/* Does a breakpoint wait for the end of this frame? */
bool tail_frames_awaits(struct tail_frames *frames,
			const struct tail_spot *spot);
/* Is the function, just entered, back in its own frame? (`caller` is not
 * asked.) */
bool tail_frames_is_back(struct tail_frames *frames,
			 const struct tail_spot *spot);

/* A forked child is in the same frames as the thread that has forked it. */
void tail_frames_inherit(struct tail_frames *frames, uint32_t parent,
			 uint32_t child);
void tail_frames_forget_thread(struct tail_frames *frames, uint32_t thread);
void tail_frames_forget_breakpoint(struct tail_frames *frames,
				   uint32_t breakpoint);

#endif
