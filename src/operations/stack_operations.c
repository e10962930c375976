/*
 * stack_operations.c - SHOWSTACK: the stacks of all threads
 */
#include "desk.h"

#include "perftool/document.h"
#include "perftool/session/stacks.h"

static const char *state_word(char state)
{
	switch (state) {
	case 'R':
		return "RUNNING";
	case 'S':
		return "SLEEPING";
	case 'D':
		return "WAITING"; /* for a device; no signal ends it */
	case 'T':
	case 't':
		return "STOPPED";
	case 'I':
		return "IDLE";
	case 'Z':
	case 'X':
		return "ENDED";
	default:
		return "UNKNOWN";
	}
}

static void add_text(struct json_object *object, const char *name,
		     const char *text)
{
	if (text)
		json_object_object_add(object, name, document_text(text));
}

static struct json_object *frame_object(const struct stack_frame *frame)
{
	struct json_object *object = json_object_new_object();

	add_text(object, "class", frame->file ? frame->file : frame->module);
	add_text(object, "method",
		 frame->is_signal ? "<signal handler called>"
				  : frame->function);
	if (frame->line)
		json_object_object_add(object, "line",
				       json_object_new_int64(frame->line));
	add_text(object, "module", frame->module);
	if (frame->is_inlined)
		json_object_object_add(object, "inlined",
				       json_object_new_boolean(true));
	return object;
}

static struct json_object *thread_object(const struct thread_stack *thread)
{
	struct json_object *object = json_object_new_object();
	struct json_object *stack = json_object_new_array();

	json_object_object_add(object, "id", json_object_new_int(thread->tid));
	add_text(object, "name", thread->name);
	json_object_object_add(
		object, "state",
		json_object_new_string(state_word(thread->state)));
	json_object_object_add(object, "process",
			       json_object_new_int(thread->pid));
	if (thread->is_cut)
		json_object_object_add(object, "cut",
				       json_object_new_boolean(true));
	add_text(object, "problem", thread->problem);
	for (size_t i = 0; i < thread->frames.count; i++)
		json_object_array_add(stack,
				      frame_object(&thread->frames.data[i]));
	json_object_object_add(object, "stack", stack);
	return object;
}

static struct error *show_stack(struct invocation *invocation)
{
	struct desk *desk = invocation->desk;
	struct json_object *result = json_object_new_object();
	struct json_object *threads = json_object_new_array();
	struct thread_stack_list stacks = {0};
	struct error *error;

	error = session_read_stacks(desk->session, desk->max_depth, &stacks,
				    &desk->stood_for_stacks);
	for (size_t i = 0; !error && i < stacks.count; i++)
		json_object_array_add(threads, thread_object(&stacks.data[i]));
	thread_stacks_deinit(&stacks);
	json_object_object_add(
		result, "stood_ns",
		json_object_new_int64((int64_t)desk->stood_for_stacks));
	json_object_object_add(result, "thread", threads);
	invocation->result = result;
	return error;
}

static const struct member stack_reply[] = {
	{"stood_ns", "number",
	 "for how long the program stood still while they were read, in ns"},
	{"thread[].id", "number", "the thread, as the kernel numbers it"},
	{"thread[].name", "text", "its name"},
	{"thread[].state", "text",
	 "RUNNING, SLEEPING, WAITING (for a device), STOPPED, IDLE, ENDED or "
	 "UNKNOWN"},
	{"thread[].process", "number", "the process of the thread"},
	{"thread[].cut", "flag", "the stack has more frames than MAXDEPTH"},
	{"thread[].problem", "text", "why the stack is not known"},
	{"thread[].stack[].class", "text",
	 "source file of a frame; if that is not known, the module. The "
	 "innermost frame is the first."},
	{"thread[].stack[].method", "text",
	 "the function; MODULE+0x and its address in the file if it has no "
	 "symbol"},
	{"thread[].stack[].line", "number", "the source line, if it is known"},
	{"thread[].stack[].module", "text", "the program or library"},
	{"thread[].stack[].inlined", "flag",
	 "the call is inlined into the next frame"},
	{0}};

const struct operation stack_operations[] = {
	{.name = "showstack",
	 .reply_wrapper = "THREADS",
	 .summary = "The call stacks of all threads. The program stands still "
		    "while they are read.",
	 .reply = stack_reply,
	 .run = show_stack},
	{0}};
