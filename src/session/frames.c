/*
 * frames.c - `where`: the calls that are under way in a thread
 *
 * By call frame information; where there is none (code that was made at run
 * time), by the chain of frame pointers as long as that makes sense.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "internal.h"

#define MOST_FRAMES 1000

/* A frame of the machine. */
struct frame {
	struct process *process;
	const struct module *module; /* NULL: not known */
	struct debugfile *file;      /* of it, or NULL */
	struct user_regs_struct regs;
	bool exact; /* the pc is that of an instruction yet to come, and no
		       return address, which may be behind the function */
};

/* The address of the instruction that the frame is at. */
static uint64_t pc_of(const struct frame *frame)
{
	return frame->regs.rip - !frame->exact;
}

static void enter(struct session *session, struct frame *frame)
{
	frame->module =
		probe_module_at(session->probe, frame->process, pc_of(frame));
	frame->file = frame->module ? module_file(frame->module) : NULL;
}

static bool is_signal_frame(const struct frame *frame)
{
	/* its pc is the handler's return address, yet no call is before it */
	return frame->file &&
	       debugfile_is_signal_frame(frame->file,
					 frame->regs.rip -
						 module_bias(frame->module));
}

/* By the chain of frame pointers: rbp points to the caller's, which is
 * followed by the return address. */
static bool follow_chain(struct session *session, const struct frame *frame,
			 struct user_regs_struct *caller)
{
	uint64_t words[2];

	*caller = frame->regs;
	if (frame->regs.rbp < frame->regs.rsp || frame->regs.rbp % 8 ||
	    !target_read_callback(frame->process, frame->regs.rbp, words,
				  sizeof(words)))
		return false;
	caller->rbp = words[0];
	caller->rip = words[1];
	caller->rsp = frame->regs.rbp + sizeof(words);
	return words[1] &&
	       probe_module_at(session->probe, frame->process, words[1] - 1);
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
	make_reader(frame->process, frame->module, &regs, &reader);
	error = debugfile_unwind(frame->file, &reader, caller);
	if (!error)
		return true;
	/* the outermost frame has information, which says so */
	if (debugfile_has_frame(frame->file,
				regs.rip - module_bias(frame->module)) ||
	    !follow_chain(session, frame, caller)) {
		error_destroy(error);
		return false;
	}
	error_destroy(error);
	return true;
}

/* Step out to the caller; false: this was the last frame. */
static bool leave(struct session *session, struct frame *frame)
{
	bool signal = is_signal_frame(frame);
	struct user_regs_struct caller;

	if (!find_caller(session, frame, signal, &caller) || !caller.rip)
		return false;
	/* the stack grows down, but a signal may have come on another one */
	if (!signal && caller.rsp <= frame->regs.rsp)
		return false;
	frame->regs = caller;
	frame->exact = signal;
	enter(session, frame);
	return true;
}

/* ---- printing ------------------------------------------------------------ */

static void print_source_frame(const struct frame *frame,
			       const struct source_frame *source, int number,
			       struct str *out)
{
	if (source->inlined)
		str_printf(out, "#%-3d %-14s in ", number, "(inlined)");
	else
		str_printf(out, "#%-3d 0x%012llx in ", number, frame->regs.rip);
	describe_source_frame(source, frame->module, out);
	str_append(out, "\n");
}

/* The frame as the source has it: `*number` counts on. */
static void print_frame(const struct frame *frame, int *number, struct str *out)
{
	struct source_frame_list frames = {0};

	if (!frame->file) {
		str_printf(out, "#%-3d 0x%012llx in ??", (*number)++,
			   frame->regs.rip);
		if (frame->module)
			str_printf(out, " in %s", module_name(frame->module));
		str_append(out, "\n");
		return;
	}
	if (is_signal_frame(frame)) {
		str_printf(out, "#%-3d <signal handler called>\n", (*number)++);
		return;
	}
	debugfile_source_frames(frame->file,
				pc_of(frame) - module_bias(frame->module),
				&frames);
	for (size_t i = 0; i < frames.count; i++)
		print_source_frame(frame, &frames.data[i], (*number)++, out);
	source_frames_clear(&frames);
}

struct error *session_where(struct session *session, struct str *out)
{
	struct frame frame = {.exact = true};
	struct thread *thread;
	int number = 0;

	TRY(need_thread(session, &thread));
	TRY(probe_get_regs(session->probe, thread, &frame.regs));
	frame.process = thread->process;
	enter(session, &frame);
	do
		print_frame(&frame, &number, out);
	while (number < MOST_FRAMES && leave(session, &frame));
	if (number >= MOST_FRAMES)
		str_printf(out, "... and more than %d frames in all\n",
			   MOST_FRAMES);
	return NULL;
}
