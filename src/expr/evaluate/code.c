/*
 * code.c - a bound expression as a whole: its destruction, and the questions
 * about it that perftool/expr.h declares
 *
 * See code.h.
 */
#include "code.h"
#include "perftool/debuginfo/debug_variables.h"

#include <stdlib.h>

#define RSP 7 /* the DWARF number of rsp */

void instruction_destroy(struct instruction *instruction)
{
	if (instruction->code == CODE_VARIABLE ||
	    instruction->code == CODE_ADDRESS || instruction->code == CODE_SIZE)
		variable_destroy(instruction->variable);
}

void bound_expr_destroy(struct bound_expr *bound)
{
	if (!bound)
		return;
	for (size_t i = 0; i < bound->code.count; i++)
		instruction_destroy(&bound->code.data[i]);
	vec_free(&bound->code);
	expr_destroy(bound->again);
	free(bound);
}

/*
 * Does the evaluation need other registers than rip and rsp? This is computed
 * once, when the expression is bound, because the function looks at all of the
 * code, and the result is needed at every hit.
 */
static bool needs_registers(const struct bound_expr *bound)
{
	for (size_t i = 0; i < bound->code.count; i++) {
		const struct instruction *at = &bound->code.data[i];

		switch (at->code) {
		case CODE_VARIABLE:
		case CODE_ADDRESS:
			if (!variable_find_by_sp(at->variable))
				return true;
			break;
		case CODE_CALLER:
			if (!at->caller.frame &&
			    (!at->caller.has_cfa || at->caller.cfa.reg != RSP))
				return true;
			break;
		case CODE_SIZE: /* any register may be needed to find the bounds
				   of the array */
		case CODE_REGISTER:
		case CODE_VECTOR:
		case CODE_ARGUMENT:
		case CODE_RETURN_VALUE:
		case CODE_GOROUTINE:
			return true;
		default:
			break;
		}
	}
	return false;
}

/* Does every evaluation give the same value? */
static bool is_constant(const struct bound_expr *bound)
{
	for (size_t i = 0; i < bound->code.count; i++) {
		switch (bound->code.data[i].code) {
		case CODE_VARIABLE:
		case CODE_ADDRESS:
		case CODE_SIZE:
		case CODE_FUNCTION: /* depends on where the module is loaded */
		case CODE_REGISTER:
		case CODE_VECTOR:
		case CODE_ARGUMENT:
		case CODE_RETURN_VALUE:
		case CODE_PID:
		case CODE_TID:
		case CODE_GOROUTINE:
		case CODE_COUNT:
		case CODE_CALLER:
		case CODE_LOAD:
		case CODE_VIRTUAL:
		case CODE_BLOCKS:
		case CODE_DYNAMIC:
		case CODE_STRING:
		case CODE_TEXT:
			return false;
		default:
			break;
		}
	}
	return true;
}

void bound_expr_complete(struct bound_expr *bound)
{
	bound->constant = is_constant(bound);
	bound->needs_registers = needs_registers(bound);
}

struct error *bound_expr_require_number(const struct bound_expr *bound)
{
	char name[TYPE_NAME_SIZE];

	switch (type_kind(bound->type)) {
	case DEBUGTYPE_VOID:
	case DEBUGTYPE_ARRAY:
	case DEBUGTYPE_FUNCTION:
		return NULL;
	default:
		return error_create(ERROR_USAGE,
				    "column 1: a value of type '%s' is not a "
				    "number; use one of its members",
				    type_name(bound->type, name));
	}
}

struct error *bound_expr_require_label(const struct bound_expr *bound)
{
	return bound->is_text ? NULL : bound_expr_require_number(bound);
}

bool bound_expr_fits(const struct bound_expr *bound)
{
	return !type_is_wide(bound->type);
}

bool bound_expr_uses_modules(const struct bound_expr *bound)
{
	return bound->uses_modules;
}

bool bound_expr_is_caller(const struct bound_expr *bound)
{
	return bound->form == FORM_CALLER;
}

bool bound_expr_is_constant(const struct bound_expr *bound)
{
	return bound->constant;
}

bool bound_expr_needs_registers(const struct bound_expr *bound)
{
	return bound->needs_registers;
}
