/*
 * jump_table.c - see jump_table.h
 *
 * The state is a guess about one way only and never grows: what an instruction
 * does that is not listed here makes its registers unknown numbers.
 */
#include "jump_table.h"

#include <string.h>

#define NO_REGISTER 16

/* The number 0 to 15 of the general register that contains `reg`. */
static unsigned register_number(ZydisRegister reg)
{
	ZydisRegister whole;

	if (reg == ZYDIS_REGISTER_NONE)
		return NO_REGISTER;
	whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64,
						 reg);
	if (whole < ZYDIS_REGISTER_RAX || whole > ZYDIS_REGISTER_R15)
		return NO_REGISTER;
	return (unsigned)(whole - ZYDIS_REGISTER_RAX);
}

static struct symbol fresh(uint32_t *numbers, uint32_t bound)
{
	return (struct symbol){.kind = SYMBOL_NUMBER,
			       .scale = 1,
			       .number = ++*numbers,
			       .bound = bound};
}

static struct symbol constant(uint64_t value)
{
	return (struct symbol){.kind = SYMBOL_CONSTANT, .value = value};
}

void symbols_begin(struct symbols_held *held, uint32_t *numbers)
{
	*held = (struct symbols_held){.memory_base = NO_REGISTER};
	for (unsigned i = 0; i < SYMBOL_REGISTERS; i++)
		held->registers[i] = fresh(numbers, 0);
}

static bool is_index(const struct symbol *symbol)
{
	return symbol->kind == SYMBOL_NUMBER || symbol->kind == SYMBOL_SCALED;
}

/* The sum of two symbols; an unknown number if it is of no use. */
static struct symbol sum(const struct symbol *a, const struct symbol *b,
			 uint32_t *numbers)
{
	struct symbol out;

	if (a->kind == SYMBOL_CONSTANT && b->kind == SYMBOL_CONSTANT)
		return constant(a->value + b->value);
	if (b->kind == SYMBOL_CONSTANT) {
		const struct symbol *other = a;

		a = b;
		b = other;
	}
	if (a->kind != SYMBOL_CONSTANT)
		return fresh(numbers, 0);
	out = *b;
	if (is_index(b)) {
		out.kind = SYMBOL_ADDRESS;
		out.value = a->value;
	} else if (b->kind == SYMBOL_ADDRESS) {
		out.value += a->value;
	} else if (b->kind == SYMBOL_ELEMENT && b->scale == 4 && !b->is_sum) {
		out.is_sum = true;
		out.base = a->value;
	} else {
		out = fresh(numbers, 0);
	}
	return out;
}

static struct symbol scaled(const struct symbol *symbol, uint8_t scale,
			    uint32_t *numbers)
{
	struct symbol out = *symbol;

	if (symbol->kind == SYMBOL_CONSTANT)
		return constant(symbol->value * scale);
	if (scale == 1)
		return out;
	if (!is_index(symbol) || symbol->scale * scale > 8)
		return fresh(numbers, 0);
	out.kind = SYMBOL_SCALED;
	out.scale = (uint8_t)(symbol->scale * scale);
	return out;
}

static struct symbol register_symbol(const struct symbols_held *held,
				     ZydisRegister reg, uint32_t *numbers)
{
	unsigned number = register_number(reg);

	return number == NO_REGISTER ? fresh(numbers, 0)
				     : held->registers[number];
}

/* The address that a memory operand has. `address` is that of the instruction
 * behind this one. */
static struct symbol operand_address(const struct symbols_held *held,
				     const ZydisDecodedOperand *operand,
				     uint64_t behind, uint32_t *numbers)
{
	struct symbol out = constant((uint64_t)operand->mem.disp.value), part;

	if (operand->mem.segment == ZYDIS_REGISTER_FS ||
	    operand->mem.segment == ZYDIS_REGISTER_GS)
		return fresh(numbers, 0);
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		return constant(behind + out.value);
	if (operand->mem.base != ZYDIS_REGISTER_NONE) {
		part = register_symbol(held, operand->mem.base, numbers);
		out = sum(&out, &part, numbers);
	}
	if (operand->mem.index != ZYDIS_REGISTER_NONE) {
		part = register_symbol(held, operand->mem.index, numbers);
		part = scaled(&part, operand->mem.scale, numbers);
		out = sum(&out, &part, numbers);
	}
	return out;
}

/* What is loaded from a table at this address. */
static struct symbol element(const struct symbol *at, unsigned bits,
			     uint32_t *numbers)
{
	struct symbol out = *at;

	if (at->kind != SYMBOL_ADDRESS || at->scale * 8u != bits ||
	    (bits != 32 && bits != 64))
		return fresh(numbers, 0);
	out.kind = SYMBOL_ELEMENT;
	out.is_sum = false;
	return out;
}

static bool is_memory_of(const struct symbols_held *held,
			 const ZydisDecodedOperand *operand)
{
	return held->memory_base != NO_REGISTER &&
	       operand->mem.index == ZYDIS_REGISTER_NONE &&
	       register_number(operand->mem.base) == held->memory_base &&
	       operand->mem.disp.value == held->memory_at;
}

static struct symbol loaded(const struct symbols_held *held,
			    const ZydisDecodedOperand *operand, uint64_t behind,
			    uint32_t *numbers)
{
	struct symbol at = operand_address(held, operand, behind, numbers);
	struct symbol out = element(&at, operand->size, numbers);

	if (out.kind == SYMBOL_NUMBER && held->memory_bound &&
	    is_memory_of(held, operand))
		out.bound = held->memory_bound;
	return out;
}

/* The value of a source operand of mov, movzx or movsxd. */
static struct symbol source(const struct symbols_held *held,
			    const ZydisDecodedOperand *operand, uint64_t behind,
			    uint32_t *numbers)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		return register_symbol(held, operand->reg.value, numbers);
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return constant(operand->imm.value.u);
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return loaded(held, operand, behind, numbers);
	default:
		return fresh(numbers, 0);
	}
}

/* The value is extended from 8 bits without a sign, so it has a bound. */
static void extend(struct symbol *symbol, unsigned bits, uint32_t *numbers)
{
	if (bits != 8)
		return;
	if (symbol->kind != SYMBOL_NUMBER)
		*symbol = fresh(numbers, 0);
	if (!symbol->bound || symbol->bound > 256)
		symbol->bound = 256;
}

static void forget_written(struct symbols_held *held,
			   const struct decoded *decoded, uint32_t *numbers)
{
	for (int i = 0; i < decoded->zydis.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		unsigned number;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		number = register_number(operand->reg.value);
		if (number != NO_REGISTER)
			held->registers[number] = fresh(numbers, 0);
	}
}

/* By the calling convention a function may change these registers. */
static void forget_scratch(struct symbols_held *held, uint32_t *numbers)
{
	static const uint8_t scratch[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};

	for (size_t i = 0; i < sizeof(scratch); i++)
		held->registers[scratch[i]] = fresh(numbers, 0);
	held->compared = 0;
	held->memory_bound = 0;
}

static void compare(struct symbols_held *held, const struct decoded *decoded)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	held->compared = 0;
	held->memory_base = NO_REGISTER;
	held->memory_bound = 0;
	if (operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return;
	held->limit = operands[1].imm.value.u;
	if (operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		unsigned number = register_number(operands[0].reg.value);

		if (number != NO_REGISTER &&
		    held->registers[number].kind == SYMBOL_NUMBER)
			held->compared = held->registers[number].number;
	} else if (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   operands[0].mem.index == ZYDIS_REGISTER_NONE &&
		   register_number(operands[0].mem.base) != NO_REGISTER) {
		held->memory_base =
			(uint8_t)register_number(operands[0].mem.base);
		held->memory_at = operands[0].mem.disp.value;
		held->compared = UINT32_MAX;
	}
}

/* Set the register of an operand, which is one of 32 or 64 bits. */
static void set(struct symbols_held *held, const ZydisDecodedOperand *operand,
		struct symbol symbol)
{
	unsigned number = register_number(operand->reg.value);

	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    number != NO_REGISTER && operand->size >= 32)
		held->registers[number] = symbol;
}

static struct symbol masked(const struct decoded *decoded, uint32_t *numbers)
{
	const ZydisDecodedOperand *mask = &decoded->operands[1];
	uint64_t most = mask->imm.value.u;

	return fresh(numbers,
		     mask->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && most < 65536
			     ? (uint32_t)most + 1
			     : 0);
}

/* What the instruction writes into its first operand, if it is an instruction
 * of which that matters. */
static bool result_of(const struct symbols_held *held,
		      const struct decoded *decoded, uint64_t behind,
		      uint32_t *numbers, struct symbol *out)
{
	const ZydisDecodedOperand *operands = decoded->operands;
	struct symbol left, right;

	switch (decoded->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_LEA:
		*out = operand_address(held, &operands[1], behind, numbers);
		/* lea 0(,%rax,4) has a base of 0. */
		if (out->kind == SYMBOL_ADDRESS && !out->value)
			out->kind = SYMBOL_SCALED;
		return true;
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
		*out = source(held, &operands[1], behind, numbers);
		return true;
	case ZYDIS_MNEMONIC_MOVZX:
		*out = source(held, &operands[1], behind, numbers);
		extend(out, operands[1].size, numbers);
		return true;
	case ZYDIS_MNEMONIC_CDQE:
		*out = held->registers[0];
		return true;
	case ZYDIS_MNEMONIC_ADD:
		left = source(held, &operands[0], behind, numbers);
		right = source(held, &operands[1], behind, numbers);
		*out = sum(&left, &right, numbers);
		return true;
	case ZYDIS_MNEMONIC_SHL:
		left = source(held, &operands[0], behind, numbers);
		*out = operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
				       operands[1].imm.value.u < 4
			       ? scaled(&left,
					(uint8_t)(1u
						  << operands[1].imm.value.u),
					numbers)
			       : fresh(numbers, 0);
		return true;
	case ZYDIS_MNEMONIC_AND:
		*out = masked(decoded, numbers);
		return true;
	default:
		return false;
	}
}

static bool keeps_flags(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_MOV ||
	       mnemonic == ZYDIS_MNEMONIC_MOVSXD ||
	       mnemonic == ZYDIS_MNEMONIC_MOVZX ||
	       mnemonic == ZYDIS_MNEMONIC_LEA ||
	       mnemonic == ZYDIS_MNEMONIC_CDQE ||
	       mnemonic == ZYDIS_MNEMONIC_NOP ||
	       mnemonic == ZYDIS_MNEMONIC_PUSH;
}

void symbols_execute(struct symbols_held *held, const struct decoded *decoded,
		     uint64_t address, uint32_t *numbers)
{
	ZydisMnemonic mnemonic = decoded->zydis.mnemonic;
	struct symbol result = {.kind = SYMBOL_NUMBER};
	bool has_result;

	if (mnemonic == ZYDIS_MNEMONIC_CALL) {
		forget_scratch(held, numbers);
		return;
	}
	if (mnemonic == ZYDIS_MNEMONIC_CMP) {
		compare(held, decoded);
		return;
	}
	has_result = result_of(held, decoded, address + decoded->zydis.length,
			       numbers, &result);
	forget_written(held, decoded, numbers);
	if (decoded->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	    decoded->operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		held->memory_bound = 0;
	if (has_result)
		set(held, &decoded->operands[0], result);
	if (!keeps_flags(mnemonic))
		held->compared = 0;
}

/* The bound of the number for which a conditional jump goes this way; 0: there
 * is none. */
static uint32_t bound_of(ZydisMnemonic mnemonic, bool is_taken, uint64_t limit)
{
	if (limit >= 65535)
		return 0;
	if (mnemonic == (is_taken ? ZYDIS_MNEMONIC_JBE : ZYDIS_MNEMONIC_JNBE))
		return (uint32_t)limit + 1;
	if (mnemonic == (is_taken ? ZYDIS_MNEMONIC_JB : ZYDIS_MNEMONIC_JNB))
		return (uint32_t)limit;
	return 0;
}

void symbols_branch(struct symbols_held *held, const struct decoded *decoded,
		    bool is_taken)
{
	uint32_t bound =
		bound_of(decoded->zydis.mnemonic, is_taken, held->limit);

	if (!held->compared || !bound)
		return;
	if (held->compared == UINT32_MAX) {
		held->memory_bound = bound;
		return;
	}
	for (unsigned i = 0; i < SYMBOL_REGISTERS; i++) {
		struct symbol *symbol = &held->registers[i];

		if (symbol->kind != SYMBOL_CONSTANT &&
		    symbol->number == held->compared)
			symbol->bound = bound;
	}
}

bool symbols_table(const struct symbols_held *held,
		   const struct decoded *decoded, uint64_t address,
		   struct jump_table *out, bool *has_no_bound)
{
	const ZydisDecodedOperand *operand = &decoded->operands[0];
	uint32_t numbers = UINT32_MAX / 2;
	struct symbol to = source(held, operand,
				  address + decoded->zydis.length, &numbers);

	*has_no_bound = false;
	if (to.kind != SYMBOL_ELEMENT || (to.scale == 4 && !to.is_sum))
		return false;
	if (!to.bound) {
		*has_no_bound = true;
		return false;
	}
	*out = (struct jump_table){.address = to.value,
				   .base = to.is_sum ? to.base : 0,
				   .element = to.scale,
				   .count = to.bound};
	return true;
}
