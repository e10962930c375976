/*
 * stack_variables.c - variables that can be found with the stack pointer alone
 *
 * The tool knows the stack pointer at every stop. To read the other registers
 * takes half a microsecond more. Code that is not optimized addresses its
 * variables relative to the frame pointer. In most functions the distance
 * between frame pointer and stack pointer is fixed, and the function's code
 * shows it (arch_frame_size()). This file then makes the variable's place
 * relative to the stack pointer.
 */
#include <stdlib.h>

#include "debuginfo/elf/elf.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/scopes/scopes.h"
#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "variable.h"

/* DWARF register numbers. */
#define RBP 6
#define RSP 7

/* The most bytes of code that a function may have. Larger functions are not
 * examined. */
#define MAX_FUNCTION 65536

/* Find how many bytes the stack pointer is below the frame pointer at the
 * variable's address. False: not known. */
static bool frame_size(const struct variable *variable, uint64_t *out)
{
	struct debugfile *file = variable->file;
	struct unit *unit = unit_at(file, variable->address);
	const struct scopes *scopes = unit ? unit_scopes(file, unit) : NULL;
	const struct scope *function, *list;
	uint32_t index;
	uint8_t *code;
	size_t size;
	bool known;

	index = scopes ? scopes_function_at(scopes, variable->address)
		       : NO_SCOPE;
	if (index == NO_SCOPE)
		return false;
	list = scopes->list.data;
	function = &list[index];
	/* If the function's code is in several ranges, the code of one range
	 * may change the distance in a way that another range does not show. */
	if ((index && list[index - 1].die == function->die) ||
	    (index + 1 < scopes->list.count &&
	     list[index + 1].die == function->die))
		return false;
	size = (size_t)(function->high - function->low);
	if (size > MAX_FUNCTION)
		return false;
	code = xmalloc(size);
	known = debugfile_read(file, function->low, code, size) == size &&
		arch_frame_size(code, size,
				(size_t)(variable->address - function->low),
				out);
	free(code);
	return known;
}

/* Does the variable's location consist of the operation `opcode` with its
 * operand, a number, and nothing else? */
static bool is_offset(const struct variable *variable, unsigned opcode,
		      int64_t *offset)
{
	struct cursor cursor = cursor_at(variable->location, 0);

	if (cursor_u8(&cursor) != opcode)
		return false;
	*offset = cursor_sleb(&cursor);
	return !cursor.failed && !cursor_left(&cursor);
}

static bool has_frame_base(const struct variable *variable, unsigned opcode)
{
	return variable->frame_base.size == 1 &&
	       variable->frame_base.data[0] == opcode;
}

static bool find_by_sp(struct variable *variable)
{
	struct cfa_rule *rule = &variable->cfa.rule;
	bool by_pointer;
	uint64_t size;
	int64_t offset;

	if (!variable->is_in_frame &&
	    ((has_frame_base(variable, DW_OP_reg7) &&
	      is_offset(variable, DW_OP_fbreg, &offset)) ||
	     is_offset(variable, DW_OP_breg7, &offset)))
		return true;
	by_pointer = !variable->is_in_frame &&
		     has_frame_base(variable, DW_OP_reg6) &&
		     is_offset(variable, DW_OP_fbreg, &offset);
	if (!variable->cfa.file || (!variable->is_in_frame && !by_pointer))
		return false;
	if (rule->reg == RSP && variable->is_in_frame)
		return true;
	if (rule->reg != RBP || rule->offset != 16 ||
	    !frame_size(variable, &size))
		return false;
	if (by_pointer) {
		variable->is_in_frame = true;
		variable->frame_offset = offset - rule->offset;
	}
	*rule = (struct cfa_rule){RSP, rule->offset + (int64_t)size};
	return true;
}

bool variable_find_by_sp(struct variable *variable)
{
	switch (variable->source) {
	case SOURCE_CONSTANT:
	case SOURCE_NOWHERE:
		return true;
	case SOURCE_SYMBOL:
		return !variable->symbol.is_thread_local;
	case SOURCE_LOCATION:
		return location_is_address(variable->location) ||
		       find_by_sp(variable);
	case SOURCE_ENTRY:
		break;
	}
	return false;
}
