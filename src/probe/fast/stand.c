/*
 * stand.c - stands: other instructions at which the hits of a place can be seen
 *
 * If the instruction of a place cannot become a jump, its hits can be seen
 * equally well at an instruction before or behind it, provided that a thread
 * never reaches one of the two instructions without the other. straight.h tells
 * where the function's own branches lead, and code_map.h which other branches
 * may lead between the two instructions. If a symbol names an address between
 * them, a branch may lead there, too.
 */
#include "stand.h"
#include "perftool/probe/loaded_modules.h"

#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

/* The length and the first byte of a direct call. */
#define DIRECT_CALL 5
#define DIRECT_CALL_OPCODE 0xe8

bool is_way_shared(const struct space *space, uint64_t low, uint64_t high,
		   uint64_t home)
{
	for (uint64_t at = low; at <= high; at++) {
		const struct site *site = map_get(&space->sites, at);

		for (size_t i = 0; site && i < site->attachments.count; i++)
			if (site->attachments.data[i]->address != home)
				return true;
	}
	return false;
}

struct question {
	struct space *space;
	struct code_map *map;
	struct debugfile *file;
	uint64_t bias, home;
};

static bool enters(void *context, uint64_t low, uint64_t high)
{
	const struct question *question = context;
	struct function function;

	return is_way_shared(question->space, low + question->bias,
			     high + question->bias, question->home) ||
	       (debugfile_function_at(question->file, high, &function) &&
		function.address > low && function.address <= high) ||
	       is_leapt_to(question->map, question->file, high) ||
	       others_lead(question->map, question->file, low, high);
}

/* Read the function that contains the address. Returns false if nothing can be
 * known about its code. */
static bool ask(struct space *space, uint64_t address,
		struct question *question)
{
	struct module *module = space_module_at(space, address);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;

	if (!file ||
	    !debugfile_function_at(file, address - module->bias, &function))
		return false;
	if (!module->code)
		module->code = code_map_create(file);
	*question = (struct question){.space = space,
				      .map = module->code,
				      .file = file,
				      .bias = module->bias,
				      .home = address};
	return !module->code->is_too_large &&
	       code_map_know(module->code, file, &function);
}

bool is_jumped_into(struct space *space, const struct insn *insn)
{
	struct question question;
	uint64_t low, high;

	if (!ask(space, insn->address, &question))
		return true;
	low = insn->address - question.bias;
	high = low + insn->length - 1;
	return straight_leads(&question.map->code, low, high) ||
	       others_lead(question.map, question.file, low, high);
}

bool is_branched_to(struct space *space, uint64_t address)
{
	struct question question;

	if (!ask(space, address, &question))
		return false;
	address -= question.bias;
	return straight_reaches(&question.map->code, question.map->function,
				address) ||
	       begins_block(question.map, question.file, address);
}

/* The direct call in front of a return address, with an int3 in its first byte
 * or not, leads to `*target`. False: there is no such call. */
static bool find_call(struct thread *thread, uint64_t back, uint64_t *target)
{
	uint8_t bytes[DIRECT_CALL];
	struct error *error;
	struct insn call;
	bool is_call;

	if (!target_thread_read(thread, back - DIRECT_CALL, bytes, DIRECT_CALL))
		return false;
	if (bytes[0] == ARCH_INT3)
		bytes[0] = DIRECT_CALL_OPCODE;
	error = arch_decode(bytes, DIRECT_CALL, back - DIRECT_CALL, &call);
	is_call = !error && call.kind == INSN_CALL;
	error_destroy(error);
	*target = is_call ? call.target : 0;
	return is_call;
}

bool was_led_behind(struct thread *thread, const struct insn *insn, uint64_t sp)
{
	struct space *space = space_of(thread->process);
	uint64_t next = insn->address + insn->length, back, target;
	const struct module *module = space_module_at(space, insn->address);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;

	if (!begins_function(space, next))
		return is_branched_to(space, next);
	/* If the next function was called, the call in front of the return
	 * address leads there, or to a function that has jumped there. If not,
	 * it is the call of the function that returns. */
	return target_thread_read(thread, sp, &back, sizeof(back)) &&
	       find_call(thread, back, &target) &&
	       begins_function(space, target) && file &&
	       debugfile_function_at(file, insn->address - module->bias,
				     &function) &&
	       function.address + module->bias != target;
}

size_t find_stands(struct space *space, const struct site *site,
		   struct stand out[STRAIGHT_STANDS])
{
	struct question question;
	size_t count;

	if (!ask(space, site->address, &question))
		return 0;
	count = straight_stands(&question.map->code,
				site->address - question.bias, enters,
				&question, out);
	for (size_t i = 0; i < count; i++)
		out[i].address += question.bias;
	return count;
}
