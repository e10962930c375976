/*
 * unwind_row.c - the rules of the call frame information at one address, in
 * the compact form of struct unwind_row
 */
#include <stdlib.h>
#include <string.h>

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"

#define RBP 6
#define RSP 7

const uint8_t unwind_registers[UNWIND_REGISTERS] = {3, RBP, 12, 13, 14, 15};

static bool no_memory(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	(void)context, (void)address, (void)buffer, (void)size;
	return false;
}

/* Evaluate the CFA's expression with registers that have arbitrary values, each
 * another one. False: it needs memory. */
static bool try_expression(const struct bytes *expression, uint64_t pc,
			   uint64_t seed, struct user_regs_struct *regs,
			   uint64_t *cfa)
{
	const struct frame_reader reader = {.read = no_memory, .regs = regs};
	struct location_context context = {.reader = &reader};
	struct error *error;

	*regs = (struct user_regs_struct){0};
	for (unsigned i = 0; i < 16; i++)
		arch_dwarf_set_register(i, regs, seed * (i + 3) << 12);
	regs->rip = pc;
	error = location_evaluate(&context, *expression, NULL, cfa);
	error_destroy(error);
	return !error;
}

/* Is the CFA always at the same distance from rsp, or from rbp? The pc is the
 * same whenever the row is used, so an expression may depend on it. */
static bool expression_is_plain(const struct bytes *expression, uint64_t pc,
				struct unwind_row *out)
{
	struct user_regs_struct regs[2];
	uint64_t cfa[2];

	if (!try_expression(expression, pc, 0x1234567, &regs[0], &cfa[0]) ||
	    !try_expression(expression, pc, 0x7f3a5d1, &regs[1], &cfa[1]))
		return false;
	if (cfa[0] - regs[0].rsp == cfa[1] - regs[1].rsp) {
		out->cfa_register = RSP;
		out->cfa_offset = (int32_t)(cfa[0] - regs[0].rsp);
		return true;
	}
	if (cfa[0] - regs[0].rbp == cfa[1] - regs[1].rbp) {
		out->cfa_register = RBP;
		out->cfa_offset = (int32_t)(cfa[0] - regs[0].rbp);
		return true;
	}
	return false;
}

static bool fits(int64_t offset)
{
	return offset > INT32_MIN && offset < INT32_MAX;
}

static int saved_index(unsigned number)
{
	for (int i = 0; i < UNWIND_REGISTERS; i++)
		if (unwind_registers[i] == number)
			return i;
	return -1;
}

/* Enter the rule for one register. False: a plain row cannot express it. */
static bool enter_rule(const struct cfi_rule *rule, unsigned number,
		       struct unwind_row *out)
{
	int index = saved_index(number);

	switch (rule->kind) {
	case CFI_SAME:
	case CFI_UNDEFINED:
		return true;
	case CFI_OFFSET:
		if (index < 0 || !fits(rule->offset))
			return false;
		out->saved[index] = (int32_t)rule->offset;
		return true;
	case CFI_VALUE_OFFSET:
		return number == RSP && !rule->offset;
	case CFI_REGISTER:
	case CFI_EXPRESSION:
	case CFI_VALUE_EXPRESSION:
		return false;
	}
	return false;
}

static bool is_plain(const struct cfi_row *row, uint64_t pc,
		     struct unwind_row *out)
{
	const struct cfi_rule *back = &row->rules[row->return_register];

	if (row->return_register != CFI_REGISTERS - 1 ||
	    back->kind != CFI_OFFSET || !fits(back->offset))
		return false;
	out->return_offset = (int32_t)back->offset;
	if (row->cfa_is_expression) {
		if (!expression_is_plain(&row->cfa_expression, pc, out))
			return false;
	} else if (row->cfa_register < CFI_REGISTERS - 1 &&
		   fits(row->cfa_offset)) {
		out->cfa_register = (uint8_t)row->cfa_register;
		out->cfa_offset = (int32_t)row->cfa_offset;
	} else {
		return false;
	}
	for (unsigned i = 0; i < CFI_REGISTERS - 1; i++)
		if (!enter_rule(&row->rules[i], i, out))
			return false;
	return true;
}

void debugfile_unwind_row(struct debugfile *file, uint64_t address,
			  struct unwind_row *out)
{
	struct cfi_row row;

	*out = (struct unwind_row){.kind = UNWIND_NONE};
	for (size_t i = 0; i < UNWIND_REGISTERS; i++)
		out->saved[i] = UNWIND_SAME;
	if (!frames_row_at(file, address, &row))
		return;
	out->is_signal_frame = row.signal_frame;
	switch (row.rules[row.return_register].kind) {
	case CFI_UNDEFINED:
		out->kind = UNWIND_END;
		return;
	case CFI_SAME:
		/* The information does not say where the return address is. */
		return;
	default:
		/* The pc of a PLT entry's expression is compared modulo 16, so
		 * an address of the file does as well as the run-time pc. */
		out->kind = is_plain(&row, address, out) ? UNWIND_PLAIN
							 : UNWIND_FULL;
		return;
	}
}
