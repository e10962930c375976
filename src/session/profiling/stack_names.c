/* stack_names.c - see stack_names.h */
#include "stack_names.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"
#include "recorder.h"

/* The name of code that is in no file: made at run time. */
#define NO_FILE "[no file]"

/* Returns where the entry of a procedure linkage table begins that is called
 * NAME@plt and contains the address. Such an entry is no function, and a file
 * may have two of one name. 0: there is none. */
static uint64_t find_entry(struct debugfile *file, const char *name,
			   uint64_t address)
{
	struct function_list entries = {0};
	uint64_t nearest = 0;

	error_destroy(debugfile_find_functions(file, name, &entries));
	for (size_t i = 0; i < entries.count; i++) {
		const uint64_t at = entries.data[i].address;

		if (at <= address && at > nearest)
			nearest = at;
	}
	vec_free(&entries);
	return nearest;
}

/* Returns the number of the procedure of a frame at an address. */
static uint32_t number_procedure(struct debugfile *file, const char *module,
				 const struct source_frame *frame,
				 uint64_t address,
				 struct procedures *procedures)
{
	struct function function = {0};
	CLEANUP(free_pointer) char *made_up = NULL;
	struct procedure procedure = {.name = frame->function,
				      .module = module,
				      .file = frame->written_file,
				      .line = frame->written_line};

	if (!frame->inlined && debugfile_function_at(file, address, &function))
		procedure.address = function.address;
	if (procedure.name && !frame->inlined && !function.name)
		procedure.address = find_entry(file, procedure.name, address);
	if (!procedure.name) {
		made_up = nameless_function(file, module, address);
		if (!made_up)
			made_up = xasprintf("%s" NO_FUNCTION, module);
		procedure.name = made_up;
	}
	return procedures_number(procedures, &procedure);
}

uint32_t name_function(const struct module *module, uint64_t address,
		       struct procedures *procedures)
{
	struct debugfile *file = module ? module_file_again(module) : NULL;
	struct source_frame_list frames = {0};
	uint32_t number;

	if (!file)
		return procedures_number(
			procedures,
			&(struct procedure){
				.name = NO_FILE,
				.module = module ? module_name(module) : "",
				.address = address});
	/* The function itself is the last frame, behind inlined calls. */
	debugfile_source_frames(file, address, 0, &frames);
	number = number_procedure(file, module_name(module),
				  &frames.data[frames.count - 1], address,
				  procedures);
	source_frames_clear(&frames);
	return number;
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

/* Is the inlined call a part of the function itself? The compiler may split a
 * function into parts, and inline one of them into another; libc's write() has
 * such a part, which is named __GI___libc_write. */
static bool is_part(const struct source_frame *inlined,
		    const struct source_frame *around)
{
	return inlined->written_file && around->written_file &&
	       inlined->written_line == around->written_line &&
	       str_equal(inlined->written_file, around->written_file);
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
	for (size_t i = 0; i < frames.count; i++) {
		struct source_frame *frame = &frames.data[i];
		uint32_t number;

		if (i + 1 < frames.count && is_part(frame, frame + 1)) {
			frame[1].file = frame->file;
			frame[1].line = frame->line;
			continue;
		}
		number = number_procedure(file, module_name(module), frame, pc,
					  &stacks->procedures);

		vec_push(places,
			 call_stacks_place(
				 stacks,
				 &(struct call_place){.procedure = number,
						      .file = frame->file,
						      .line = frame->line,
						      .address = pc,
						      .is_inlined =
							      frame->inlined}));
	}
	source_frames_clear(&frames);
}

/* ---- all stacks ---------------------------------------------------------- */

struct naming {
	const struct module_numbers *modules;
	const struct map *threads;
	struct map named; /* serial -> 1: the stacks have the thread */
};

static void name_one(void *context, const struct code_address *address,
		     struct call_stacks *stacks, struct call_place_list *places)
{
	const struct naming *naming = context;

	name_address(naming->modules, address, stacks, places);
}

/* Returns the index of the thread of this number and name, or SIZE_MAX. A
 * thread has another serial after an exec that leaves its name as it was. */
static size_t find_thread(const struct call_stacks *stacks,
			  const struct recorded_thread *recorded)
{
	for (size_t i = 0; i < stacks->threads.count; i++) {
		const struct sampled_thread *at = &stacks->threads.data[i];

		if (at->tid == recorded->tid && at->pid == recorded->pid &&
		    at->name && str_equal(at->name, recorded->last.name))
			return i;
	}
	return SIZE_MAX;
}

static uint32_t name_thread(void *context, uint32_t serial,
			    struct call_stacks *stacks)
{
	struct naming *naming = context;
	const struct recorded_thread *recorded =
		map_get(naming->threads, serial);
	struct sampled_thread thread = {.entry = NO_PROCEDURE};
	size_t index;

	map_set_number(&naming->named, serial, 1);
	if (!recorded)
		return call_stacks_thread(stacks, &thread);
	thread = (struct sampled_thread){
		.pid = recorded->pid,
		.tid = recorded->tid,
		.name = recorded->last.name,
		.priorities = str_text(&recorded->priorities),
		.minor_faults = recorded->last.minor - recorded->minor_before,
		.major_faults = recorded->last.major - recorded->major_before,
		.misses_end = recorded->misses_end,
		.entry = NO_PROCEDURE};
	index = find_thread(stacks, recorded);
	if (index == SIZE_MAX)
		return call_stacks_thread(stacks, &thread);
	stacks->threads.data[index].minor_faults += thread.minor_faults;
	stacks->threads.data[index].major_faults += thread.major_faults;
	stacks->threads.data[index].misses_end |= thread.misses_end;
	return (uint32_t)index;
}

/* Enters the threads that have no sample: their page faults are some of their
 * process. */
static void name_others(struct naming *naming, struct call_stacks *stacks)
{
	size_t cursor = 0;
	uint64_t serial;

	while (map_next(naming->threads, &cursor, &serial))
		if (!map_get_number(&naming->named, serial))
			name_thread(naming, (uint32_t)serial, stacks);
}

void resolve_stacks(const struct module_numbers *modules,
		    const struct stack_log *log, const struct map *threads,
		    struct call_stacks *out)
{
	struct naming naming = {.modules = modules, .threads = threads};
	const struct stack_namer namer = {&naming, name_one, name_thread};

	*out = (struct call_stacks){0};
	stack_log_resolve(log, &namer, out);
	name_others(&naming, out);
	map_deinit(&naming.named);
	call_stacks_find_entries(out);
}
