/*
 * backtrace.c - `where` and `frame`: the calls that a thread has not returned
 * from
 */
#include <inttypes.h>
#include <stdlib.h>

#include "inspect.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"

/* MOST_FRAMES: how many frames are shown. MOST_SOUGHT: among how many frames a
 * chosen frame is searched. */
#define MOST_FRAMES 1000
#define MOST_SOUGHT 1000000

/* Visits the source frames of a thread, innermost first: each frame on the
 * stack (a machine frame), and before it the inlined calls that the thread is
 * in there. The walk ends when `most` source frames have been visited; the
 * inlined calls of the last machine frame may add a few more. `*number` gets
 * the number of visited frames. */
static struct error *each_frame(struct session *session, struct thread *thread,
				const struct visitor *visitor, int most,
				int *number)
{
	struct frame frame = {.thread = thread, .exact = true};

	*number = 0;
	TRY(probe_get_regs(session->probe, thread, &frame.regs));
	frame_enter(session, &frame);
	while (visit_frame(session, visitor, &frame, number) &&
	       *number < most && frame_leave(session, &frame))
		;
	return NULL;
}

/* ---- printing ---------------------------------------------------------- */

/* Appends a frame of the source with its arguments, for example "f (x=1) at
 * x.c:7". */
static void print_source(struct session *session, const struct frame *frame,
			 const struct source_frame *source, unsigned inlined,
			 struct str *out)
{
	str_append(out, source->function ? source->function : "??");
	if (source->function) {
		str_append(out, " (");
		print_arguments(session, frame, inlined, out);
		str_append_char(out, ')');
	}
	if (source->file)
		str_printf(out, " at %s:%u", path_file_name(source->file),
			   source->line);
	else
		str_printf(out, " in %s", module_name(frame->module));
}

static void print_frame(struct session *session, const struct frame *frame,
			const struct source_frame *source, unsigned inlined,
			int number, struct str *out)
{
	str_printf(out, "#%-3d ", number);
	if (frame->file && is_signal_frame(frame)) {
		str_append(out, "<signal handler called>\n");
		return;
	}
	if (source->inlined)
		str_printf(out, "%-14s in ", "(inlined)");
	else
		str_printf(out, "0x%012llx in ", frame->regs.rip);
	if (frame->file) {
		print_source(session, frame, source, inlined, out);
	} else {
		str_append(out, "??");
		if (frame->module)
			str_printf(out, " in %s", module_name(frame->module));
	}
	str_append_char(out, '\n');
}

struct printing {
	struct session *session;
	struct str *out;
};

static bool print_one(void *context, const struct frame *frame,
		      const struct source_frame *source, unsigned inlined,
		      int number)
{
	struct printing *printing = context;

	print_frame(printing->session, frame, source, inlined, number,
		    printing->out);
	return true;
}

struct error *session_where(struct session *session, struct str *out)
{
	struct printing printing = {session, out};
	struct visitor visitor = {print_one, &printing};
	struct thread *thread;
	int number;

	TRY(need_thread(session, &thread));
	TRY(each_frame(session, thread, &visitor, MOST_FRAMES, &number));
	if (number >= MOST_FRAMES)
		str_printf(out, "... and perhaps more frames; `frame N' shows "
				"one of them\n");
	return NULL;
}

/* ---- the frame to look at ---------------------------------------------- */

struct finding {
	int wanted;
	bool found;
	struct source_place *out;
};

static bool find_one(void *context, const struct frame *frame,
		     const struct source_frame *source, unsigned inlined,
		     int number)
{
	struct finding *finding = context;

	if (number < finding->wanted)
		return true;
	finding->found = true;
	*finding->out = (struct source_place){
		.frame = *frame,
		.inlined = inlined,
		.number = number,
		.source = *source,
	};
	/* The list of frames frees its texts, so the texts are copied. */
	if (source->name)
		finding->out->source.name = xstrdup(source->name);
	if (source->function)
		finding->out->source.function = xstrdup(source->function);
	return false;
}

void source_place_clear(struct source_place *place)
{
	free(place->source.name);
	free(place->source.function);
	place->source.name = place->source.function = NULL;
}

static struct error *find_number(struct session *session, struct thread *thread,
				 int number, struct source_place *out)
{
	struct finding finding = {.wanted = number, .out = out};
	struct visitor visitor = {find_one, &finding};
	int count;

	TRY(each_frame(session, thread, &visitor, MOST_SOUGHT, &count));
	if (finding.found)
		return NULL;
	if (count >= MOST_SOUGHT)
		return error_create(ERROR_NOT_FOUND,
				    "there may be a frame %d, but perftool "
				    "looks only at the innermost %d frames",
				    number, MOST_SOUGHT);
	return error_create(ERROR_NOT_FOUND,
			    "there is no frame %d; the outermost is %d", number,
			    count - 1);
}

/* Returns the number of the frame that the user has chosen, if the thread has
 * not moved since; else 0. */
static int chosen_number(const struct session *session,
			 const struct thread *thread,
			 const struct user_regs_struct *regs)
{
	return session->chosen.tid == thread->tid &&
			       session->chosen.pc == regs->rip &&
			       session->chosen.sp == regs->rsp
		       ? session->chosen.number
		       : 0;
}

struct error *find_place(struct session *session, struct source_place *out)
{
	struct user_regs_struct regs;
	struct thread *thread;

	TRY(need_thread(session, &thread));
	TRY(probe_get_regs(session->probe, thread, &regs));
	return find_number(session, thread,
			   chosen_number(session, thread, &regs), out);
}

struct error *session_frame(struct session *session, const uint32_t *number,
			    struct str *out)
{
	struct user_regs_struct regs;
	struct source_place place;
	struct thread *thread;

	TRY(need_thread(session, &thread));
	TRY(probe_get_regs(session->probe, thread, &regs));
	if (!number) {
		TRY(find_place(session, &place));
	} else {
		TRY(find_number(session, thread,
				*number < INT32_MAX ? (int)*number : INT32_MAX,
				&place));
		session->chosen.tid = thread->tid;
		session->chosen.pc = regs.rip;
		session->chosen.sp = regs.rsp;
		session->chosen.number = place.number;
		/* The next `list source` begins at the chosen frame. */
		free(session->listed_file);
		session->listed_file = NULL;
	}
	print_frame(session, &place.frame, &place.source, place.inlined,
		    place.number, out);
	source_place_clear(&place);
	return NULL;
}

/* ---- expressions in a frame -------------------------------------------- */

/* Notes what breakpoints at this address say of the place: that it is an exit
 * or a return of a function, or a static probe. */
static void note_breakpoints(struct session *session, uint64_t pc,
			     struct expr_place *out)
{
	struct breakpoint *breakpoint;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);
		bool is_end = request_is_at_end(facts.kind);
		bool is_probe = facts.location->kind == LOCATION_PROBE &&
				debugfile_probe_at(out->file, out->address);

		if (facts.deleted || (!is_end && !is_probe))
			continue;
		for (size_t i = 0; i < facts.places->count; i++)
			if (facts.places->data[i].address == pc) {
				out->at_exit |= is_end;
				out->at_probe |= is_probe;
			}
	}
}

void frame_expr_place(struct session *session, const struct frame *frame,
		      unsigned inlined, struct expr_place *out)
{
	struct function function;

	*out = (struct expr_place){
		.file = frame->file,
		.address = frame_address(frame),
		.inlined = inlined,
		.modules = probe_expr_modules(frame->thread->process)};
	if (!frame->exact || !frame->file)
		return;
	out->at_entry =
		debugfile_function_at(frame->file, out->address, &function) &&
		function.address == out->address;
	note_breakpoints(session, frame->regs.rip, out);
}

/* Appends ` <name+4>` for an address: the symbol is that of the module in which
 * the address lies. */
static void describe_symbol(void *context, uint64_t address, struct str *out)
{
	struct session *session = context;
	const struct module *module =
		session->selected
			? probe_module_at(session->probe,
					  session->selected->process, address)
			: NULL;

	if (module && module_file(module))
		debugfile_append_symbol(module_file(module),
					address - module_bias(module), out);
}

void frame_input(struct session *session, const struct frame *frame,
		 struct user_regs_struct *regs, struct scratch *scratch,
		 struct expr_input *out)
{
	*regs = frame->regs;
	regs->rip -= !frame->exact;
	scratch->used = 0;
	*out = (struct expr_input){
		.is_caller = !frame->exact,
		.pid = frame->thread->process->pid,
		.tid = frame->thread->tid,
		.modules = probe_expr_modules(frame->thread->process),
		.node_count = session_node_count,
		.describe = describe_symbol,
		.context = session,
	};
	make_reader(frame->thread->process, frame->module, regs, &out->reader);
	out->reader.read = target_thread_read;
	out->reader.read_vectors = target_thread_vectors;
	out->reader.context = frame->thread;
	out->reader.scratch = scratch;
}
