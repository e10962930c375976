/*
 * inspect.h - looking at a program that stands still: its frames, the variables
 * of a frame, and its source
 *
 * No file outside this folder includes this header. The measurement works
 * without the folder.
 */
#ifndef SESSION_INSPECT_H
#define SESSION_INSPECT_H

#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "session/call_frames/call_frames.h"
#include "session/session_state.h"

/* A frame of the source: a call as the source shows it, inlined or not. `frame`
 * is the frame of the machine that stands for it. */
struct source_place {
	struct frame frame;
	unsigned inlined;           /* number among the source frames for which
				     * `frame` stands; 0: the innermost */
	int number;                 /* counted from the thread's innermost frame
				     */
	struct source_frame source; /* source_place_clear() frees its texts */
};

/* inspection.c. Returns the thread that frames and expressions refer to, and
 * has the program stand still: the thread that the user has chosen, or else the
 * first thread that stands still. */
struct error *need_thread(struct session *session, struct thread **out);
/* Finds the frame that expressions and listings refer to: the frame that the
 * user has chosen, if the thread has not moved since the choice; else the
 * innermost frame. The caller calls source_place_clear(). */
struct error *find_place(struct session *session, struct source_place *out);
void source_place_clear(struct source_place *place);

/* Describes the place of a frame to the expression layer. The description also
 * tells whether the frame is at the first instruction of its function, or at an
 * instruction that has a breakpoint at an exit. */
void frame_expr_place(struct session *session, const struct frame *frame,
		      unsigned inlined, struct expr_place *out);

/* Makes the input by which expressions read the frame. `regs` and `scratch`
 * must live as long as `*out`. */
void frame_input(struct session *session, const struct frame *frame,
		 struct user_regs_struct *regs, struct scratch *scratch,
		 struct expr_input *out);

/* Appends the arguments of a frame, for example "x=7, s=...", as a part of the
 * frame's line. */
void print_arguments(struct session *session, const struct frame *frame,
		     unsigned inlined, struct str *out);

#endif
