/*
 * machine_frames.c - the frames of a thread that stands still
 *
 * The tool finds the callers by call frame information. Code that was made at
 * run time has no such information. There the tool follows the chain of frame
 * pointers (rbp), as long as the chain makes sense.
 */
#include "call_frames.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"

void make_reader(struct process *process, const struct module *module,
		 const struct user_regs_struct *regs,
		 struct frame_reader *reader)
{
	*reader =
		(struct frame_reader){.read = target_read_callback,
				      .context = process,
				      .regs = regs,
				      .bias = module ? module_bias(module) : 0};
}

/* Returns the address of the instruction that the frame executes. The pc of a
 * calling frame is a return address, so the address of the call is before the
 * pc. */
static uint64_t pc_of(const struct frame *frame)
{
	return frame->regs.rip - !frame->exact;
}

uint64_t frame_address(const struct frame *frame)
{
	return pc_of(frame) - (frame->module ? module_bias(frame->module) : 0);
}

void frame_enter(struct session *session, struct frame *frame)
{
	frame->module = probe_module_at(session->probe, frame->thread->process,
					pc_of(frame));
	frame->file = frame->module ? module_file(frame->module) : NULL;
}

bool is_signal_frame(const struct frame *frame)
{
	/* The pc of a signal frame is the return address of the handler. There
	 * is no call before this pc, so the lookup uses the pc itself. */
	return frame->file &&
	       debugfile_is_signal_frame(frame->file,
					 frame->regs.rip -
						 module_bias(frame->module));
}

/* Finds the caller by the chain of frame pointers: rbp points to the saved rbp
 * of the caller, and the return address follows it. */
static bool follow_chain(struct session *session, const struct frame *frame,
			 struct user_regs_struct *caller)
{
	uint64_t words[2];

	*caller = frame->regs;
	if (frame->regs.rbp < frame->regs.rsp || frame->regs.rbp % 8 ||
	    !target_read_callback(frame->thread->process, frame->regs.rbp,
				  words, sizeof(words)))
		return false;
	caller->rbp = words[0];
	caller->rip = words[1];
	caller->rsp = frame->regs.rbp + sizeof(words);
	return words[1] &&
	       probe_module_at(session->probe, frame->thread->process,
			       words[1] - 1);
}

static bool find_caller(struct session *session, const struct frame *frame,
			bool signal, struct user_regs_struct *caller)
{
	struct user_regs_struct regs = frame->regs;
	struct frame_reader reader;
	struct error *error;

	if (!frame->file)
		return follow_chain(session, frame, caller);
	if (!signal)
		regs.rip = pc_of(frame);
	make_reader(frame->thread->process, frame->module, &regs, &reader);
	error = debugfile_unwind(frame->file, &reader, caller);
	if (!error)
		return true;
	/* The outermost frame has call frame information which says that there
	 * is no caller. The chain of frame pointers must not be tried there. */
	if (debugfile_has_frame(frame->file,
				regs.rip - module_bias(frame->module)) ||
	    !follow_chain(session, frame, caller)) {
		error_destroy(error);
		return false;
	}
	error_destroy(error);
	return true;
}

/* Replaces the frame by the frame of its caller. Returns false if this was the
 * last frame. */
bool frame_leave(struct session *session, struct frame *frame)
{
	bool signal = is_signal_frame(frame);
	struct user_regs_struct caller;

	if (!find_caller(session, frame, signal, &caller) || !caller.rip)
		return false;
	/* The stack grows down, so the caller's stack pointer is higher. A
	 * signal handler is an exception: it may run on another stack. */
	if (!signal && caller.rsp <= frame->regs.rsp)
		return false;
	frame->regs = caller;
	frame->exact = signal;
	frame_enter(session, frame);
	return true;
}

/* ---- the frames of the source ------------------------------------------ */

bool visit_frame(struct session *session, const struct visitor *visitor,
		 const struct frame *frame, int *number)
{
	static const struct source_frame unknown;
	struct source_frame_list frames = {0};
	unsigned first = 0;
	bool more = true;

	if (!frame->file || is_signal_frame(frame))
		return visitor->visit(visitor->context, frame, &unknown, 0,
				      (*number)++);
	if (!*number)
		first = frames_ahead(session, frame->module, pc_of(frame));
	debugfile_source_frames(frame->file, frame_address(frame), first,
				&frames);
	for (size_t i = 0; more && i < frames.count; i++)
		more = visitor->visit(visitor->context, frame, &frames.data[i],
				      first + (unsigned)i, (*number)++);
	source_frames_clear(&frames);
	return more;
}

struct error *machine_frames(struct session *session, struct thread *thread,
			     size_t most, struct frame_list *out)
{
	struct frame frame = {.thread = thread, .exact = true};

	TRY(probe_get_regs(session->probe, thread, &frame.regs));
	frame_enter(session, &frame);
	do
		vec_push(out, frame);
	while (out->count < most && frame_leave(session, &frame));
	return NULL;
}
