/*
 * unwinding.c - see unwinding.h
 *
 * The rules of the call frame information are applied to the registers of one
 * frame. The result is the registers of the caller's frame.
 */
#include "unwinding.h"

#include "debuginfo/dwarf/dwarf.h"
#include "debuginfo/locations/locations.h"
#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"

static struct error *no_information(uint64_t address)
{
	return error_create(ERROR_NOT_FOUND,
			    "no call frame information at %#lx", address);
}

static struct error *row_cfa(const struct frame_reader *reader,
			     const struct cfi_row *row, uint64_t *cfa)
{
	struct location_context context = {.reader = reader};
	uint64_t base;

	if (row->cfa_is_expression)
		return location_evaluate(&context, row->cfa_expression, NULL,
					 cfa);
	if (row->cfa_register > UINT8_MAX ||
	    !arch_dwarf_register((unsigned)row->cfa_register, reader->regs,
				 &base))
		return error_create(ERROR_EVALUATE,
				    "the address of the frame depends on a "
				    "register that perftool does not support");
	*cfa = base + (uint64_t)row->cfa_offset;
	return NULL;
}

struct error *frames_cfa(struct debugfile *file,
			 const struct frame_reader *reader, uint64_t *cfa)
{
	uint64_t address = reader->regs->rip - reader->bias;
	struct cfi_row row;

	if (!frames_row_at(file, address, &row))
		return no_information(address);
	return row_cfa(reader, &row, cfa);
}

static struct error *read_word(const struct frame_reader *reader,
			       uint64_t address, uint64_t *out)
{
	if (!reader->read(reader->context, address, out, sizeof(*out)))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", address);
	return NULL;
}

/* Compute the value that one register had in the caller's frame, by the rule
 * for it. *known tells whether the value is available. */
static struct error *apply(const struct frame_reader *reader,
			   const struct cfi_rule *rule, uint64_t cfa,
			   unsigned number, uint64_t *value, bool *known)
{
	struct location_context context = {.reader = reader};
	uint64_t address;

	*known = true;
	switch (rule->kind) {
	case CFI_UNDEFINED:
		*known = false;
		return NULL;
	case CFI_SAME:
		*known = arch_dwarf_register(number, reader->regs, value);
		return NULL;
	case CFI_REGISTER:
		*known = rule->reg < CFI_REGISTERS &&
			 arch_dwarf_register((unsigned)rule->reg, reader->regs,
					     value);
		return NULL;
	case CFI_OFFSET:
		return read_word(reader, cfa + (uint64_t)rule->offset, value);
	case CFI_VALUE_OFFSET:
		*value = cfa + (uint64_t)rule->offset;
		return NULL;
	case CFI_EXPRESSION:
		TRY(location_evaluate(&context, rule->expression, &cfa,
				      &address));
		return read_word(reader, address, value);
	case CFI_VALUE_EXPRESSION:
		return location_evaluate(&context, rule->expression, &cfa,
					 value);
	}
	return NULL;
}

struct error *debugfile_unwind(struct debugfile *file,
			       const struct frame_reader *reader,
			       struct user_regs_struct *caller)
{
	uint64_t address = reader->regs->rip - reader->bias, cfa;
	struct user_regs_struct regs = *reader->regs;
	struct cfi_row row;

	if (!frames_row_at(file, address, &row))
		return no_information(address);
	/* The call frame information of _start and of clone() says that the
	 * return address is undefined, because these functions have no caller.
	 */
	if (row.rules[row.return_register].kind == CFI_UNDEFINED)
		return error_create(ERROR_NOT_FOUND,
				    "the frame is the outermost one");
	TRY(row_cfa(reader, &row, &cfa));
	regs.rsp = cfa; /* the default; a rule for rsp may give another value */
	for (unsigned i = 0; i < CFI_REGISTERS; i++) {
		uint64_t value = 0;
		bool known;

		if (i == 7 && row.rules[i].kind == CFI_SAME)
			continue;
		TRY(apply(reader, &row.rules[i], cfa, i, &value, &known));
		if (known)
			arch_dwarf_set_register(i == row.return_register ? 16
									 : i,
						&regs, value);
		else if (i == row.return_register)
			return error_create(ERROR_NOT_FOUND,
					    "the frame is the outermost one");
	}
	*caller = regs;
	return NULL;
}
