/*
 * inspect.h - looking at a program that stands still: its frames, the variables
 * of a frame, and its source
 *
 * No file outside this folder includes this header. The measurement works
 * without the folder.
 */
#ifndef SESSION_INSPECT_H
#define SESSION_INSPECT_H

#include "session/session_state.h"

/* A frame of the machine: the frame of one call that was not inlined. Calls
 * that are inlined there have no frame of the machine, so such a frame may
 * stand for several frames of the source. */
struct frame {
	struct thread *thread;
	const struct module *module; /* the module of the pc; NULL: not known */
	struct debugfile *file;      /* file of the module, or NULL */
	struct user_regs_struct regs;
	/* Is the pc the address of the instruction that comes next? Otherwise
	 * the pc is a return address, which may lie behind the end of the
	 * function. */
	bool exact;
};

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
/* Makes a reader through which the debug information of a module (NULL: none)
 * reads the memory and the registers of a thread. `regs` must live as long as
 * `*reader`. */
void make_reader(struct process *process, const struct module *module,
		 const struct user_regs_struct *regs,
		 struct frame_reader *reader);

/* Finds the frame that expressions and listings refer to: the frame that the
 * user has chosen, if the thread has not moved since the choice; else the
 * innermost frame. The caller calls source_place_clear(). */
struct error *find_place(struct session *session, struct source_place *out);
void source_place_clear(struct source_place *place);

/* Returns the address of the instruction that the frame executes, as an address
 * in the module's file, that is, without the load bias. In a frame that has
 * made a call, the result is the return address - 1, which is inside the call
 * instruction. */
uint64_t frame_address(const struct frame *frame);

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
