/*
 * detail_ticks.c - from the ticks of a slice to the ticks of classes and of
 * functions
 *
 * A tick belongs to the class of the innermost frame that is in no system
 * class, and to each function on the stack, once. The function that a thread
 * began with, and those that have called it, are on every stack of the thread
 * and are not called again: they are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "adaptive_detail.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/probe/loaded_modules.h"
#include "top_profile.h"

#define NO_NUMBER UINT32_MAX

/* What a procedure of the slice is for the decision. */
struct meaning {
	uint32_t class, function;
	size_t counted; /* the last sample that the function was counted in */
};

static const char *class_of(const struct procedure *procedure)
{
	if (procedure->file)
		return path_file_name(procedure->file);
	return *procedure->module ? procedure->module : procedure->name;
}

/* Returns the path of the module that has this file name, or NULL. */
static const char *module_path_of(const struct session *session,
				  const char *name)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++)
		if (str_equal(module_name(module), name))
			return module_path(module);
	return NULL;
}

static bool is_system(const struct adaptive_detail *detail,
		      const struct procedure *procedure)
{
	const struct session_class class = {
		.source = procedure->file ? path_file_name(procedure->file)
					  : NULL,
		.source_path = procedure->file,
		.module = procedure->module,
		.module_path =
			module_path_of(detail->session, procedure->module)};

	if (!*procedure->module)
		return true;
	return detail->is_system(detail->system_context, &class);
}

/* Returns the location that means the function, which the caller frees, or
 * NULL. A name that would be a pattern is no location. */
static char *location_of(const struct procedures *procedures, uint32_t number)
{
	const struct procedure *procedure = &procedures->list.data[number];
	char *location = top_location(procedures, number);

	if (!location || !strpbrk(location, "*?[") || location[0] == '*')
		return location;
	free(location);
	return xasprintf("*0x%lx@%s", procedure->address, procedure->module);
}

/* Notes where a function that is new to the decision is. */
static uint32_t number_function(struct adaptive_detail *detail,
				const struct procedures *procedures,
				uint32_t number, uint32_t class)
{
	const struct procedure *procedure = &procedures->list.data[number];
	CLEANUP(free_pointer) char *location = location_of(procedures, number);
	struct detailed_function *function;
	uint32_t of;

	if (!location)
		return NO_NUMBER;
	of = detail_choice_function(&detail->choice, location, class);
	function = detailed_function(detail, of);
	if (!function->module) {
		function->module = xstrdup(procedure->module);
		function->address = procedure->address;
	}
	return of;
}

static struct meaning *find_meanings(struct adaptive_detail *detail,
				     const struct procedures *procedures)
{
	struct meaning *meanings =
		xcalloc(procedures->list.count + 1, sizeof(*meanings));

	for (uint32_t i = 0; i < procedures->list.count; i++) {
		const struct procedure *at = &procedures->list.data[i];
		uint32_t class =
			detail_choice_class(&detail->choice, class_of(at));

		detail->choice.classes.data[class].is_system =
			is_system(detail, at);
		meanings[i] =
			(struct meaning){.class = class,
					 .function = number_function(
						 detail, procedures, i, class)};
	}
	return meanings;
}

/* Returns the number of frames that are inside of the function that the thread
 * began with. */
static size_t depth_inside(const struct call_stacks *stacks,
			   const struct call_stack *stack, uint32_t entry)
{
	for (size_t i = stack->depth; entry != NO_PROCEDURE && i-- > 0;)
		if (call_stack_procedure(stacks, stack, i) == entry)
			return i;
	return stack->depth;
}

static void add_sample(struct adaptive_detail *detail,
		       const struct call_stacks *stacks,
		       struct meaning *meanings,
		       const struct call_sample *sample, size_t serial)
{
	const struct call_stack *stack = &stacks->stacks.data[sample->stack];
	const uint32_t entry = stacks->threads.data[sample->thread].entry;
	const size_t inside = depth_inside(stacks, stack, entry);
	const uint32_t weight = (uint32_t)sample->weight;
	uint32_t class = NO_NUMBER;

	detail_choice_add(&detail->choice, weight);
	for (size_t i = call_stack_innermost(stacks, stack); i < stack->depth;
	     i++) {
		struct meaning *at =
			&meanings[call_stack_procedure(stacks, stack, i)];

		if (class == NO_NUMBER &&
		    !detail->choice.classes.data[at->class].is_system)
			class = at->class;
		if (i >= inside || at->function == NO_NUMBER ||
		    at->counted == serial)
			continue;
		at->counted = serial;
		detail_choice_add_function(&detail->choice, at->function,
					   weight);
	}
	if (class != NO_NUMBER)
		detail_choice_add_class(&detail->choice, class, weight);
}

void adaptive_take_ticks(struct adaptive_detail *detail)
{
	struct call_stacks stacks = {0};
	struct meaning *meanings;

	recorder_resolve(&detail->recorder, &stacks);
	meanings = find_meanings(detail, &stacks.procedures);
	for (size_t i = 0; i < stacks.samples.count; i++) {
		const struct call_sample *sample = &stacks.samples.data[i];
		pid_t tid = stacks.threads.data[sample->thread].tid;

		if (session_uses_thread(detail->session, tid))
			add_sample(detail, &stacks, meanings, sample, i + 1);
	}
	free(meanings);
	call_stacks_deinit(&stacks);
	recorder_flush(&detail->recorder);
}
