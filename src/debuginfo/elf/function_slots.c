/*
 * function_slots.c - finds the words into which the run-time linker writes the
 * address of a function (words of the GOT)
 *
 * A word belongs to the function if its relocation is R_X86_64_IRELATIVE and
 * the addend is the function's IFUNC resolver, or if it is R_X86_64_JUMP_SLOT
 * or R_X86_64_GLOB_DAT and its symbol has the function's name.
 */
#include "debugfile.h"
#include "relocations.h"

struct slots {
	uint64_t resolver;
	const char *name;
	debugfile_visit_slot_fn *visit;
	void *context;
};

static bool visit(void *context, const struct relocation *relocation)
{
	const struct slots *slots = context;
	bool is_one = false;

	switch (relocation->type) {
	case R_X86_64_IRELATIVE:
		is_one = slots->resolver &&
			 relocation->addend == slots->resolver;
		break;
	case R_X86_64_JUMP_SLOT:
	case R_X86_64_GLOB_DAT:
		is_one = relocation_is_of(relocation, slots->name);
		break;
	default:
		break;
	}
	return !is_one || slots->visit(slots->context, relocation->address);
}

void debugfile_each_slot(struct debugfile *file, uint64_t resolver,
			 const char *name, debugfile_visit_slot_fn *visit_slot,
			 void *context)
{
	struct slots slots = {resolver, name, visit_slot, context};
	struct relocations relocations;

	relocations_find(&file->image, &relocations);
	relocations_each(&relocations, visit, &slots);
}
