/*
 * call_frames.h - the call stacks of threads that stand still, as frames of the
 * machine and of the source
 */
#ifndef SESSION_CALL_FRAMES_H
#define SESSION_CALL_FRAMES_H

#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
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

VEC_STRUCT(frame_list, struct frame);

/* Makes a reader through which the debug information of a module (NULL: none)
 * reads the memory and the registers of a thread. `regs` must live as long as
 * `*reader`. */
void make_reader(struct process *process, const struct module *module,
		 const struct user_regs_struct *regs,
		 struct frame_reader *reader);

/* Returns the address of the instruction that the frame executes, as an address
 * in the module's file, that is, without the load bias. In a frame that has
 * made a call, the result is the return address - 1, which is inside the call
 * instruction. */
uint64_t frame_address(const struct frame *frame);

/* A walk through the frames: frame_enter() finds the module of a frame of which
 * the thread and the registers are set. frame_leave() replaces the frame by
 * that of its caller, and returns false if there is none. */
void frame_enter(struct session *session, struct frame *frame);
bool frame_leave(struct session *session, struct frame *frame);

/* machine_frames() appends the frames of a thread that stands
 * still, innermost first, `most` at most. */
struct error *machine_frames(struct session *session, struct thread *thread,
			     size_t most, struct frame_list *out);
/* Is it the frame through which the kernel has called a signal handler? */
bool is_signal_frame(const struct frame *frame);

/* A function that is called for each frame of the source. */
struct visitor {
	/* Returns false to end the walk. The source frame is valid only during
	 * the call. */
	bool (*visit)(void *context, const struct frame *frame,
		      const struct source_frame *source, unsigned inlined,
		      int number);
	void *context;
};
/* Visits the frames of the source for which one frame of the machine stands: a
 * call and the calls that are inlined there. `*number` is the number of the
 * next frame. Returns false if a visit did. */
bool visit_frame(struct session *session, const struct visitor *visitor,
		 const struct frame *frame, int *number);

#endif
