/*
 * origins.c - `set stacks slowest`: how threads came to the beginnings of
 * executions
 *
 * Only at its end it is known whether an execution is one of the slowest of its
 * leg. So the stack is unwound, and the arguments are read, whenever a leg
 * begins: the thread stands at an int3 there. The frames get their names when
 * the execution has turned out to be slow. The debug information of arguments
 * is looked up once for a place.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"
#include "run.h"

#define LONGEST_VALUE 96

/* A parameter at a place. If it cannot be read there, `bound` is NULL, and
 * `problem` says why. */
struct place_parameter {
	char *name;
	struct bound_expr *bound;
	const char *problem;
};

/* A place at which a leg begins: an address of a file. */
struct origin_place {
	struct debugfile *file; /* or NULL */
	uint64_t address;
	unsigned frame; /* as in struct place */
	VEC(struct place_parameter) parameters;
};

struct taken_origin {
	struct origin origin;
	bool is_named;
	unsigned frame; /* of the place */
	struct sampled_frame_list frames;
};

/* ---- the parameters of a place ------------------------------------------- */

static void place_destroy(struct origin_place *place)
{
	for (size_t i = 0; i < place->parameters.count; i++) {
		free(place->parameters.data[i].name);
		bound_expr_destroy(place->parameters.data[i].bound);
	}
	vec_free(&place->parameters);
	free(place);
}

void origins_forget_places(struct session *session)
{
	struct origin_place *place;
	size_t cursor = 0;

	while ((place = map_next(&session->origin_places, &cursor, NULL)))
		place_destroy(place);
	map_deinit(&session->origin_places);
}

struct parameter_search {
	struct expr_place where;
	struct origin_place *place;
};

static const char *problem_of(const struct error *error)
{
	return strstr(error_message(error), "optimized out") ? "<optimized out>"
							     : "<unknown>";
}

static bool add_parameter(void *context, const char *name, bool is_parameter,
			  struct variable *variable, struct error *error)
{
	struct parameter_search *search = context;
	struct place_parameter parameter = {0};

	if (!is_parameter) {
		variable_destroy(variable);
		error_destroy(error);
		return false;
	}
	parameter.name = xstrdup(name);
	if (variable)
		error = expr_bind_variable(&search->where, name, variable,
					   &parameter.bound);
	if (parameter.bound)
		error = bound_expr_require_label(parameter.bound);
	if (error && parameter.bound) {
		/* It has members, which are not read. */
		bound_expr_destroy(parameter.bound);
		parameter.bound = NULL;
		parameter.problem = "{...}";
	} else if (error) {
		parameter.problem = problem_of(error);
	}
	error_destroy(error);
	vec_push(&search->place->parameters, parameter);
	return true;
}

/* Returns the place of the breakpoint at this run-time address, or NULL. */
static const struct place *find_place(const struct breakpoint *breakpoint,
				      uint64_t pc)
{
	const struct place_list *places = breakpoint_facts(breakpoint).places;

	for (size_t i = 0; i < places->count; i++)
		if (places->data[i].address == pc)
			return &places->data[i];
	return NULL;
}

static struct origin_place *describe_place(const struct breakpoint *breakpoint,
					   struct process *process,
					   const struct module *module,
					   uint64_t pc)
{
	struct origin_place *out = xcalloc(1, sizeof(*out));
	const struct place *place = find_place(breakpoint, pc);
	struct parameter_search search = {.place = out};
	struct function function;

	out->file = module ? module_file(module) : NULL;
	out->address = pc - (module ? module_bias(module) : 0);
	out->frame = place ? place->frame : 0;
	if (!out->file)
		return out;
	search.where = (struct expr_place){
		.file = out->file,
		.address = out->address,
		.inlined = out->frame,
		.at_entry = debugfile_function_at(out->file, out->address,
						  &function) &&
			    function.address == out->address,
		.modules = probe_expr_modules(process)};
	debugfile_each_frame_variable(out->file, out->address,
				      search.where.at_entry, out->frame,
				      add_parameter, &search);
	return out;
}

static const struct origin_place *
get_place(struct session *session, const struct breakpoint *breakpoint,
	  struct process *process, const struct module *module, uint64_t pc)
{
	struct debugfile *file = module ? module_file(module) : NULL;
	uint64_t address = pc - (module ? module_bias(module) : 0);
	struct origin_place *place = map_get(&session->origin_places, address);

	/* Two files may have places of the same address: the one that was
	 * reached last is remembered. */
	if (place && place->file == file)
		return place;
	if (place)
		place_destroy(place);
	place = describe_place(breakpoint, process, module, pc);
	map_set(&session->origin_places, address, place);
	return place;
}

/* ---- taking an origin ---------------------------------------------------- */

static void destroy(struct origin *origin)
{
	struct taken_origin *taken = (struct taken_origin *)origin;

	for (size_t i = 0; i < origin->arguments.count; i++) {
		free(origin->arguments.data[i].name);
		free(origin->arguments.data[i].value);
	}
	for (size_t i = 0; i < origin->frames.count; i++) {
		free(origin->frames.data[i].function);
		free(origin->frames.data[i].module);
		free(origin->frames.data[i].file);
	}
	vec_free(&origin->arguments);
	vec_free(&origin->frames);
	vec_free(&taken->frames);
	free(taken);
}

static char *value_text(const struct place_parameter *parameter,
			const struct expr_input *input)
{
	char value[LONGEST_VALUE];
	struct error *error;

	if (!parameter->bound)
		return xstrdup(parameter->problem);
	input->reader.scratch->used = 0;
	error = bound_expr_label(parameter->bound, input, value, sizeof(value));
	error_destroy(error);
	if (error)
		return xstrdup("<cannot be read>");
	if (bound_expr_is_string(parameter->bound) && !str_equal(value, "NULL"))
		return xasprintf("\"%s\"", value);
	return xstrdup(value);
}

static void read_arguments(const struct origin_place *place,
			   struct thread *thread, const struct module *module,
			   const struct user_regs_struct *regs,
			   struct origin *out)
{
	struct scratch scratch;
	const struct expr_input input = {
		.reader = {.regs = regs,
			   .read = target_thread_read,
			   .read_vectors = target_thread_vectors,
			   .context = thread,
			   .scratch = &scratch,
			   .bias = module ? module_bias(module) : 0},
		.pid = thread->process->pid,
		.tid = thread->tid,
		.modules = probe_expr_modules(thread->process)};

	for (size_t i = 0; i < place->parameters.count; i++) {
		const struct place_parameter *at = &place->parameters.data[i];

		vec_push(&out->arguments,
			 (struct origin_argument){xstrdup(at->name),
						  value_text(at, &input)});
	}
}

/* The registers of a thread that stands at an int3, as they are before the
 * instruction that the int3 has displaced. */
static bool read_registers(struct session *session, struct thread *thread,
			   struct user_regs_struct *regs)
{
	struct error *error = probe_get_regs(session->probe, thread, regs);

	error_destroy(error);
	regs->rip--;
	return !error;
}

bool origins_are_wanted(const struct session *session, uint32_t node)
{
	return session->stacks == STACKS_SLOWEST &&
	       measure_begins_leg(session->measure, node);
}

struct origin *origin_take(struct session *session,
			   const struct breakpoint *breakpoint,
			   const struct hit *hit)
{
	struct thread *thread = target_find_thread(session->target, hit->tid);
	const struct origin_place *place;
	const struct module *module;
	struct user_regs_struct regs;
	struct taken_origin *taken;

	if (!thread || hit->mechanism != HIT_INT3 ||
	    !origins_are_wanted(session, hit->node) ||
	    !read_registers(session, thread, &regs))
		return NULL;
	taken = xcalloc(1, sizeof(*taken));
	taken->origin.references = 1;
	taken->origin.destroy = destroy;
	module = probe_module_at(session->probe, thread->process, regs.rip);
	place = get_place(session, breakpoint, thread->process, module,
			  regs.rip);
	taken->frame = place->frame;
	read_arguments(place, thread, module, &regs, &taken->origin);
	sampler_unwind(session_sampler(session), thread->process, &regs,
		       &taken->frames, &taken->origin.is_broken);
	return &taken->origin;
}

/* ---- naming its frames --------------------------------------------------- */

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* The name of a function that has none: by its first address in the file. */
static char *nameless(const struct module *module, uint64_t pc)
{
	struct function function;

	if (debugfile_function_at(module_file(module), pc, &function))
		pc = function.address;
	return xasprintf("%s+0x%" PRIx64, module_name(module), pc);
}

static void add_source_frames(const struct module *module, uint64_t pc,
			      unsigned first, struct origin *out)
{
	struct source_frame_list frames = {0};

	debugfile_source_frames(module_file(module), pc, first, &frames);
	for (size_t i = 0; i < frames.count; i++) {
		const struct source_frame *at = &frames.data[i];

		vec_push(&out->frames,
			 (struct origin_frame){
				 .function = at->function
						     ? xstrdup(at->function)
						     : nameless(module, pc),
				 .module = xstrdup(module_name(module)),
				 .file = copy(at->file),
				 .line = at->line,
				 .inlined = at->inlined});
	}
	source_frames_clear(&frames);
}

static void add_frame(const struct session *session,
		      const struct sampled_frame *frame, unsigned first,
		      struct origin *out)
{
	const struct module *module =
		numbered_module(session->modules, frame->module);
	struct debugfile *file = module ? module_file(module) : NULL;
	uint64_t pc = frame->address - !frame->is_exact;

	if (!file)
		vec_push(&out->frames,
			 (struct origin_frame){
				 .function = xasprintf("0x%" PRIx64,
						       frame->address)});
	else if (debugfile_is_signal_frame(file, frame->address))
		vec_push(&out->frames,
			 (struct origin_frame){
				 .function = xstrdup("<signal handler called>"),
				 .module = xstrdup(module_name(module))});
	else
		add_source_frames(module, pc, first, out);
}

void origin_keep(void *context, struct origin *origin)
{
	const struct session *session = context;
	struct taken_origin *taken = (struct taken_origin *)origin;

	if (taken->is_named)
		return;
	taken->is_named = true;
	for (size_t i = 0; i < taken->frames.count; i++)
		add_frame(session, &taken->frames.data[i], i ? 0 : taken->frame,
			  origin);
	vec_free(&taken->frames);
}
