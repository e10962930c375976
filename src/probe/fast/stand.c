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
