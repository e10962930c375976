/* thread_stacks.c - the call stacks of all threads: see
 * perftool/session/stacks.h */
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/stacks.h"
#include "perftool/target/process_status.h"

#include <stdlib.h>

#include "call_frames.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "session/run/run.h"

/* A thread that is looked at, and its frames, which have no names yet. */
struct looked {
	struct thread *thread;
	struct frame_list frames;
};
VEC_STRUCT(looked_list, struct looked);

/* Appends all threads, with their names and states. A thread that the tool has
 * stopped has another state, so this comes before the program stands still. */
static void list_threads(struct session *session, struct thread_stack_list *out)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		struct process *process = session->followed.data[i].process;

		for (size_t j = 0; j < process->threads.count; j++) {
			const struct thread *thread = process->threads.data[j];
			struct thread_stack stack = {.pid = process->pid,
						     .tid = thread->tid};
			char name[17];

			target_thread_info(thread, &stack.state, name);
			stack.name = xstrdup(name);
			vec_push(out, stack);
		}
	}
}

/* Finds the frames of the thread, which stands still. */
static void look(struct session *session, struct thread_stack *stack,
		 size_t most, struct looked *out)
{
	struct thread *thread = followed_thread(session, stack->tid);
	struct error *error;

	out->thread = thread;
	if (!thread || thread->state == THREAD_RUNNING) {
		stack->problem = xstrdup(
			thread ? "the thread waits for its child of vfork"
			       : "the thread has ended");
		return;
	}
	error = machine_frames(session, thread, most, &out->frames);
	if (error)
		stack->problem = xstrdup(error_message(error));
	error_destroy(error);
	stack->is_cut = out->frames.count >= most;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* Returns the name of the function of a frame, or NULL. */
static char *name_of(const struct frame *frame,
		     const struct source_frame *source)
{
	const char *name = source->name ? source->name : source->function;

	if (name)
		return xstrdup(name);
	return frame->file && frame->module
		       ? nameless_function(frame->file,
					   module_name(frame->module),
					   frame_address(frame))
		       : NULL;
}

static bool keep_frame(void *context, const struct frame *frame,
		       const struct source_frame *source, unsigned inlined,
		       int number)
{
	struct thread_stack *stack = context;

	(void)inlined;
	(void)number;
	vec_push(&stack->frames,
		 (struct stack_frame){
			 .function = name_of(frame, source),
			 .module = frame->module
					   ? copy(module_name(frame->module))
					   : NULL,
			 .file = source->file
					 ? copy(path_file_name(source->file))
					 : NULL,
			 .line = source->file ? source->line : 0,
			 .address = frame->regs.rip,
			 .is_inlined = source->inlined,
			 .is_signal = is_signal_frame(frame)});
	return true;
}

static void name_frames(struct session *session, const struct looked *looked,
			struct thread_stack *stack)
{
	const struct visitor visitor = {keep_frame, stack};
	int number = 0;

	for (size_t i = 0; i < looked->frames.count; i++)
		visit_frame(session, &visitor, &looked->frames.data[i],
			    &number);
}

struct error *session_read_stacks(struct session *session, size_t most,
				  struct thread_stack_list *out,
				  uint64_t *stood_ns)
{
	uint64_t before = session->stood;
	struct looked_list looked = {0};
	struct error *error;

	*stood_ns = 0;
	TRY(need_process(session));
	list_threads(session, out);
	TRY(need_still(session));
	for (size_t i = 0; i < out->count; i++) {
		struct looked one = {0};

		look(session, &out->data[i], most, &one);
		vec_push(&looked, one);
	}
	/* No event of the program is handled before the names are found, so the
	 * modules of the frames stay. */
	error = go_on(session);
	*stood_ns = session->stood - before;
	for (size_t i = 0; i < looked.count; i++) {
		if (!error)
			name_frames(session, &looked.data[i], &out->data[i]);
		vec_free(&looked.data[i].frames);
	}
	vec_free(&looked);
	return error;
}

void thread_stacks_deinit(struct thread_stack_list *stacks)
{
	for (size_t i = 0; i < stacks->count; i++) {
		struct thread_stack *stack = &stacks->data[i];

		for (size_t j = 0; j < stack->frames.count; j++) {
			free(stack->frames.data[j].function);
			free(stack->frames.data[j].module);
			free(stack->frames.data[j].file);
		}
		vec_free(&stack->frames);
		free(stack->name);
		free(stack->problem);
	}
	vec_free(stacks);
}
