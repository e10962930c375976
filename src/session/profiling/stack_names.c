/* stack_names.c - see stack_names.h */
#include "stack_names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "recorder.h"

/* The name of code that is in no file: made at run time, or the kernel's own
 * page for system calls (the vDSO). */
#define NO_FILE "[no file]"

/* The function at an address is the last of the source frames. */
static void add_place(struct debugfile *file, const char *module,
		      const struct source_frame *frame, uint64_t address,
		      struct call_stacks *stacks,
		      struct call_place_list *places)
{
	struct function function = {0};
	CLEANUP(free_pointer) char *made_up = NULL;
	struct procedure procedure = {.name = frame->function,
				      .module = module,
				      .file = frame->written_file,
				      .line = frame->written_line};

	if (!frame->inlined && debugfile_function_at(file, address, &function))
		procedure.address = function.address;
	if (!procedure.name) {
		made_up = xasprintf("%s+0x%" PRIx64, module,
				    function_is_known(&function)
					    ? function.address
					    : address);
		procedure.name = made_up;
	}
	vec_push(places,
		 call_stacks_place(
			 stacks,
			 &(struct call_place){
				 .procedure = procedures_number(
					 &stacks->procedures, &procedure),
				 .file = frame->file,
				 .line = frame->line,
				 .address = address,
				 .is_inlined = frame->inlined}));
}

static void add_nameless(const char *module, uint64_t address,
			 struct call_stacks *stacks,
			 struct call_place_list *places)
{
	const struct procedure procedure = {.name = NO_FILE, .module = module};

	vec_push(places, call_stacks_place(
				 stacks, &(struct call_place){
						 .procedure = procedures_number(
							 &stacks->procedures,
							 &procedure),
						 .address = address}));
}

void name_address(const struct module_numbers *modules,
		  const struct code_address *address,
		  struct call_stacks *stacks, struct call_place_list *places)
{
	const struct module *module = numbered_module(modules, address->module);
	struct debugfile *file = module ? module_file_again(module) : NULL;
	const uint64_t pc = address->address - !address->is_exact;
	struct source_frame_list frames = {0};

	if (!file) {
		add_nameless(module ? module_name(module) : "", pc, stacks,
			     places);
		return;
	}
	debugfile_source_frames(file, pc, 0, &frames);
	for (size_t i = 0; i < frames.count; i++)
		add_place(file, module_name(module), &frames.data[i], pc,
			  stacks, places);
	source_frames_clear(&frames);
}

/* ---- all stacks ---------------------------------------------------------- */

struct naming {
	const struct module_numbers *modules;
	const struct map *threads;
};

static void name_one(void *context, const struct code_address *address,
		     struct call_stacks *stacks, struct call_place_list *places)
{
	const struct naming *naming = context;

	name_address(naming->modules, address, stacks, places);
}

static uint32_t name_thread(void *context, uint32_t serial,
			    struct call_stacks *stacks)
{
	const struct naming *naming = context;
	const struct recorded_thread *recorded =
		map_get(naming->threads, serial);
	struct sampled_thread thread = {.entry = NO_PROCEDURE};

	if (recorded)
		thread = (struct sampled_thread){
			.pid = recorded->pid,
			.tid = recorded->tid,
			.name = recorded->last.name,
			.priorities = str_text(&recorded->priorities),
			.minor_faults =
				recorded->last.minor - recorded->minor_before,
			.major_faults =
				recorded->last.major - recorded->major_before,
			.entry = NO_PROCEDURE};
	return call_stacks_thread(stacks, &thread);
}

/* Is this a function from which the C library begins a thread or the program?
 * Without its symbols, such a function has a name like `libc.so.6+0x12a0`. */
static bool begins_threads(const struct procedure *procedure)
{
	static const char *const names[] = {"start_thread",
					    "__libc_start_main",
					    "__libc_start_main_impl",
					    "__libc_start_call_main",
					    "_start",
					    "clone",
					    "__clone",
					    "clone3",
					    "__clone3"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (str_equal(procedure->name, names[i]))
			return true;
	}
	return str_starts(procedure->name, "libc.so.6+0x");
}

/* Returns the start routine of the thread that has this stack: the outermost
 * function that is not one of the C library's beginnings. */
static uint32_t entry_of(const struct call_stacks *stacks,
			 const struct call_stack *stack)
{
	for (size_t i = stack->depth; i-- > 0;) {
		const uint32_t number = call_stack_procedure(stacks, stack, i);
		const struct procedure *procedure =
			&stacks->procedures.list.data[number];

		if (procedure->is_wait)
			break;
		if (!begins_threads(procedure))
			return number;
	}
	return NO_PROCEDURE;
}

void resolve_stacks(const struct module_numbers *modules,
		    const struct stack_log *log, const struct map *threads,
		    struct call_stacks *out)
{
	struct naming naming = {modules, threads};
	const struct stack_namer namer = {&naming, name_one, name_thread};

	*out = (struct call_stacks){0};
	stack_log_resolve(log, &namer, out);
	for (size_t i = 0; i < out->samples.count; i++) {
		const struct call_sample *sample = &out->samples.data[i];
		struct sampled_thread *thread =
			&out->threads.data[sample->thread];
		const struct call_stack *stack =
			&out->stacks.data[sample->stack];

		if (thread->entry == NO_PROCEDURE && !stack->is_broken)
			thread->entry = entry_of(out, stack);
	}
}
