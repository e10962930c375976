/*
 * stack_variables.c - variables that can be found by the stack pointer alone
 *
 * It is known at every stop; to ask for the other registers costs half a
 * microsecond more. What is not optimized has its variables by the frame
 * pointer, which mostly is at a fixed distance, as its code shows (arch.h).
 */
#include <stdlib.h>

#include "debuginfo/elf/elf.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/scopes/scopes.h"
#include "perftool/arch.h"
#include "perftool/base/alloc.h"
#include "variable.h"

/* By DWARF's numbers. */
#define RBP 6
#define RSP 7

/* Of code; a larger function is not looked at. */
#define MAX_FUNCTION 65536

/* How far the pointers are from each other, if that is known. */
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
	/* of several parts: one may do what cannot be seen in the other */
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

/* Is its location `opcode`, a number and no more? */
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
