/*
 * exit_condition.c - a condition of the trampoline that tests whether the
 * instruction is an exit this time
 *
 * If an exit is written as a jump, the trampoline itself determines where the
 * jump leads (`when` in struct trampoline_spec). This file handles jumps that
 * go through a thunk or are written as a return, and exits of functions that
 * run on a stack of their own (-fsplit-stack).
 */
#include <errno.h>

#include "fast_site.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

/* the numbers that instructions give to registers */
#define RAX 0
#define RSP 4
#define RDI 7

static bool add(struct fast_program *program, enum fast_operation operation,
		uint64_t number)
{
	return fast_add(program,
			(struct fast_step){.operation = (uint8_t)operation,
					   .reg = RSP,
					   .number = number});
}

static bool add_register(struct fast_program *program, unsigned dwarf)
{
	return fast_add(program,
			(struct fast_step){.operation = FAST_REGISTER,
					   .reg = fast_register(dwarf)});
}

/* Add steps that test whether the topmost number of the steps' stack is in that
 * range. */
static bool add_is_in(struct fast_program *program, const struct range *range)
{
	return add(program, FAST_CONSTANT, range->low) &&
	       add(program, FAST_SUBTRACT, 0) &&
	       add(program, FAST_CONSTANT, range->high - range->low) &&
	       add(program, FAST_LESS, 0);
}

/* Add a step that pushes the address to which the jump leads. */
static bool add_target(const struct attachment *attachment,
		       struct fast_program *program)
{
	if (attachment->thunk)
		return add_register(program, attachment->thunk - 1u);
	return add(program, FAST_FRAME, 0);
}

/* Add steps that test whether the jump leaves the function: its target is
 * outside of all the function's ranges, or it is the function's entry. */
static bool add_leaves(const struct attachment *attachment,
		       struct fast_program *program)
{
	const struct range_list *ranges = &attachment->ranges;
	uint64_t entry =
		attachment->function.address + attachment->module->bias;

	if (!ranges->count)
		return add(program, FAST_CONSTANT, 1);
	for (size_t i = 0; i < ranges->count; i++)
		if (!add_target(attachment, program) ||
		    !add_is_in(program, &ranges->data[i]) ||
		    (i && !add(program, FAST_EITHER, 0)))
			return false;
	return add(program, FAST_NOT, 0) && add_target(attachment, program) &&
	       add(program, FAST_CONSTANT, entry) &&
	       add(program, FAST_EQUAL, 0) && add(program, FAST_EITHER, 0);
}

/* Add steps that test whether the return address is in none of the ranges from
 * which the place does not count. */
static bool add_unless(const struct attachment *attachment,
		       struct fast_program *program)
{
	uint64_t caller = (uint64_t)attachment->cfa.offset - sizeof(uint64_t);

	for (size_t i = 0; i < attachment->unless_count; i++)
		if (!add(program, FAST_FRAME, caller) ||
		    !add_is_in(program, &attachment->unless[i]) ||
		    (i && !add(program, FAST_EITHER, 0)))
			return false;
	return add(program, FAST_NOT, 0);
}

/* Add steps that test whether eax is this number. */
static bool add_result(struct fast_program *program, uint64_t number)
{
	return fast_add(program, (struct fast_step){.operation = FAST_REGISTER,
						    .reg = RAX}) &&
	       fast_add(program, (struct fast_step){.operation = FAST_EXTEND,
						    .size = 4}) &&
	       add(program, FAST_CONSTANT, number) &&
	       add(program, FAST_EQUAL, 0);
}

static bool add_taken(const struct attachment *attachment,
		      struct fast_program *program)
{
	return add_result(program, 0) && add_result(program, EOWNERDEAD) &&
	       add(program, FAST_EITHER, 0) &&
	       (attachment->taken != TAKEN_AGAIN ||
		(add_result(program, ETIMEDOUT) &&
		 add(program, FAST_EITHER, 0)));
}

static bool add_argument(struct fast_program *program)
{
	return fast_add(program, (struct fast_step){.operation = FAST_REGISTER,
						    .reg = RDI}) &&
	       add(program, FAST_NOT, 0) && add(program, FAST_NOT, 0);
}

bool fast_add_way(const struct site *site, const struct attachment *attachment,
		  struct fast_program *condition)
{
	bool any = condition->count != 0;

	if (attachment->role == ROLE_JUMP_INDIRECT &&
	    site->insn.kind != INSN_JUMP_INDIRECT) {
		if (!add_leaves(attachment, condition) ||
		    (any && !add(condition, FAST_BOTH, 0)))
			return false;
		any = true;
	}
	if (attachment->unless_count) {
		if (!add_unless(attachment, condition) ||
		    (any && !add(condition, FAST_BOTH, 0)))
			return false;
		any = true;
	}
	if (attachment->taken) {
		if (!add_taken(attachment, condition) ||
		    (any && !add(condition, FAST_BOTH, 0)))
			return false;
		any = true;
	}
	if (!attachment->needs_argument)
		return true;
	return add_argument(condition) &&
	       (!any || add(condition, FAST_BOTH, 0));
}
