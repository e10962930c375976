/*
 * counting.c - the description of the counting code (counting.S) for the rest
 * of the tool, checks of the numbers in counting_offsets.h, and the completion
 * of a hit whose thread was found in the middle of that code
 */
#include "perftool/counting.h"

#include <string.h>

#include "counting_text.h"
#include "decode.h"
#include "perftool/base/hit.h"
#include "perftool/ring.h"

#define SAME(a, b) _Static_assert((a) == (b), #b)
#define IN_HEADER(name, member) SAME(name, offsetof(struct ring_header, member))
#define IN_LEG(name, member) SAME(name, offsetof(struct counting_leg, member))
#define IN_OPEN(name, member) SAME(name, offsetof(struct counting_open, member))
#define IN_CELL(name, member) SAME(name, offsetof(struct ring_cell, member))

#include "counting_offsets.h"

IN_HEADER(HEAD, head);
IN_HEADER(LIMIT, limit);
IN_HEADER(MASK, mask);
IN_HEADER(STALL_FROM, stall_from);
IN_HEADER(STALL_TO, stall_to);
IN_HEADER(SAVED_RSP, counting_saved.rsp);
IN_HEADER(SAVED_R8, counting_saved.r8);
IN_HEADER(SAVED_R9, counting_saved.r9);
IN_HEADER(SAVED_R10, counting_saved.r10);
IN_HEADER(SAVED_R11, counting_saved.r11);
IN_HEADER(WAIT_RAX, counting_saved.wait_rax);
IN_HEADER(WAIT_RDX, counting_saved.wait_rdx);
IN_HEADER(END_RSI, counting_saved.end_rsi);
IN_HEADER(END_RDX, counting_saved.end_rdx);
IN_HEADER(END_RCX, counting_saved.end_rcx);
IN_HEADER(END_STEP, counting_saved.end_step);
IN_HEADER(AGAIN_STATE, counting_saved.again_state);
IN_HEADER(AGAIN_BACKS, counting_saved.again_backs);
IN_HEADER(COUNTED, counting.counted);
IN_HEADER(TAKEN, counting.taken);
IN_HEADER(FREE, counting.free);
IN_HEADER(FRESH, counting.fresh);
IN_HEADER(NEXT_BUCKETS, counting.next_buckets);
IN_HEADER(OUT_TOP, counting.out);
IN_HEADER(FOLLOWED, counting.followed);
IN_HEADER(SINCE, counting.since);
IN_HEADER(COST, counting.cost);
IN_HEADER(RECORD_COST, counting.record_cost);
IN_HEADER(OWN, counting.own);
IN_HEADER(MOST, counting.most);
IN_HEADER(SCALE, counting.scale);
IN_HEADER(STACK_LOW, counting.stack_low);
IN_HEADER(STACK_SIZE, counting.stack_size);
IN_HEADER(SKIP_FRAME, counting.skip_frame);
IN_HEADER(SKIP_SITE, counting.skip_site);
IN_HEADER(FOLLOW_COST, counting.follow_cost);
IN_HEADER(NEXT_LEG, counting_next.leg);
IN_HEADER(NEXT_OPEN, counting_next.open);
IN_HEADER(NEXT_FRAME, counting_next.frame);
IN_HEADER(NEXT_START, counting_next.start);
IN_HEADER(NEXT_TAKEN, counting_next.taken);
IN_HEADER(NEXT_ENTERED, counting_next.entered);
IN_HEADER(NEXT_IGNORED_FROM, counting_next.ignored_from);

SAME(CELLS, RING_CELLS);
SAME(LAST_CELL, RING_BYTES - sizeof(struct ring_cell));
SAME(LEGS, COUNTING_LEGS);
SAME(1 << LEG_BITS, sizeof(struct counting_leg));
SAME(MOST_LEGS, COUNTING_MOST_LEGS);
SAME(OPEN, COUNTING_OPEN);
SAME(LAST_OPEN, COUNTING_OPEN_SIZE - sizeof(struct counting_open));
SAME(LAST_OUT, COUNTING_OUT_SIZE - sizeof(struct counting_out));
SAME(OPEN_END, COUNTING_OPEN_SIZE);
SAME(OPEN_BYTES, sizeof(struct counting_open));
SAME(OUT, COUNTING_OUT);
SAME(OUT_END, COUNTING_OUT_SIZE);
SAME(OUT_BYTES, sizeof(struct counting_out));
SAME(SETS, COUNTING_BUCKETS);
SAME(SETS_END, COUNTING_ORDER);
SAME(SET_BYTES, COUNTING_SET_SIZE);
SAME(ORDER, COUNTING_ORDER);
SAME(1 << ORDER_BITS, sizeof(struct counting_open));
SAME(NEXT_SHIFT, COUNTING_NEXT_SHIFT);
SAME(MOST_LEGS + 1, 1 << COUNTING_NEXT_SHIFT);
SAME(KEEPS, COUNTING_KEEPS);

IN_LEG(LEG_TOP, top);
IN_LEG(LEG_BUCKETS, buckets);
IN_LEG(LEG_ENTERED, entered);
IN_LEG(LEG_COUNT, count);
IN_LEG(LEG_SUM, sum);
IN_LEG(LEG_SQUARES, squares);
IN_LEG(LEG_MIN, min);
IN_LEG(LEG_MAX, max);
IN_LEG(LEG_IGNORED, ignored);
IN_LEG(LEG_IGNORED_FROM, ignored_from);
IN_LEG(LEG_UNWOUND, unwound);
IN_LEG(LEG_OUTSIDE, outside);

IN_OPEN(OPEN_FRAME, frame);
IN_OPEN(OPEN_START, start);
IN_OPEN(OPEN_TAKEN, taken);
IN_OPEN(OPEN_BELOW, below);
IN_OPEN(OPEN_BACK, back);

SAME(OUT_FRAME, offsetof(struct counting_out, frame));
SAME(OUT_CALLER, offsetof(struct counting_out, caller));
SAME(OUT_LEG, offsetof(struct counting_out, leg));
SAME(OUT_STATE, offsetof(struct counting_out, state));
SAME(OUT_BACKS, offsetof(struct counting_out, backs));
SAME(LEFT_OUT, COUNTING_OUT_OF_FRAME);
SAME(LEFT_COMING, COUNTING_COMING);
SAME(LEFT_IN, COUNTING_IN_FRAME);
SAME(MOST_BACK, HIT_MOST_BACK);

SAME(NO_LEG, COUNTING_NO_LEG);

SAME(CELL_BYTES, sizeof(struct ring_cell));
IN_CELL(CELL_TIME, time);
IN_CELL(CELL_SITE, site);
IN_CELL(CELL_MASK, mask);
IN_CELL(CELL_BASE, base);
IN_CELL(CELL_VALUE, value);

SAME(MASK_BITS, RING_MASK_BITS);
SAME(SITE_SHIFT, RING_SITE_SHIFT);
SAME(TOLD, RING_TOLD);
SAME(COST_BITS, COUNTING_COST_BITS);
SAME(UNIT_SHIFT, COUNTING_COST_BITS - COUNTING_UNIT_BITS);
SAME(BUCKET_BITS, COUNTING_BITS);

_Static_assert(sizeof(struct ring_header) + 256 <= COUNTING_STACK,
	       "the stack of the counting code does not reach the header");

/* What counting.S says about itself. */
struct counting_layout {
	uint64_t part_count; /* how many elements counting_parts has */
	uint64_t size, enter, enter_again, enter_and_go, leave, follow, arrive,
		jump, come, end, order_from, order_to, order_both, wait, again;
};

extern const struct counting_layout counting_layout;
extern const struct counting_part counting_parts[];
extern const uint8_t counting_text[];

/* The code for calls comes behind the code for legs. */
static uint64_t call_start(void)
{
	return (counting_layout.size + 63) & ~UINT64_C(63);
}

void arch_counting(struct counting_code *out)
{
	uint64_t start = call_start();

	*out = (struct counting_code){
		.enter = counting_layout.enter,
		.enter_again = counting_layout.enter_again,
		.enter_and_go = counting_layout.enter_and_go,
		.leave = counting_layout.leave,
		.follow = counting_layout.follow,
		.arrive = counting_layout.arrive,
		.jump = counting_layout.jump,
		.come = counting_layout.come,
		.end = counting_layout.end,
		.order_from = counting_layout.order_from,
		.order_to = counting_layout.order_to,
		.order_both = counting_layout.order_both,
		.wait = counting_layout.wait,
		.again = counting_layout.again,
	};
	out->size = start + call_profile_text(out).size;
	out->call_enter += start;
	out->call_leave += start;
	out->call_jump += start;
	out->untold += start;
}

void arch_counting_write(uint8_t *out)
{
	struct counting_code unused;
	struct counting_text calls = call_profile_text(&unused);

	memset(out, ARCH_INT3, call_start());
	memcpy(out, counting_text, counting_layout.size);
	memcpy(out + call_start(), calls.code, calls.size);
}

/* Find the text in which `*offset` of the whole code is, and make it an offset
 * in that text. */
static struct counting_text text_at(uint64_t *offset)
{
	struct counting_code unused;

	if (*offset >= call_start()) {
		*offset -= call_start();
		return call_profile_text(&unused);
	}
	return (struct counting_text){.code = counting_text,
				      .size = counting_layout.size,
				      .parts = counting_parts,
				      .part_count = counting_layout.part_count};
}

/* ---- the rest of a part ------------------------------------------------ */

struct finish {
	struct user_regs_struct *regs;
	arch_read_fn *read;
	counting_write_fn *write;
	void *context;
};

/* A register as it is numbered in instructions. */
static unsigned long long *register_of(struct user_regs_struct *regs,
				       ZydisRegister name)
{
	static const size_t offsets[] = {
		offsetof(struct user_regs_struct, rax),
		offsetof(struct user_regs_struct, rcx),
		offsetof(struct user_regs_struct, rdx),
		offsetof(struct user_regs_struct, rbx),
		offsetof(struct user_regs_struct, rsp),
		offsetof(struct user_regs_struct, rbp),
		offsetof(struct user_regs_struct, rsi),
		offsetof(struct user_regs_struct, rdi),
		offsetof(struct user_regs_struct, r8),
		offsetof(struct user_regs_struct, r9),
		offsetof(struct user_regs_struct, r10),
		offsetof(struct user_regs_struct, r11),
	};

	return (unsigned long long *)((char *)regs +
				      offsets[ZydisRegisterGetId(name)]);
}

static uint64_t address_of(const struct finish *finish,
			   const ZydisDecodedOperand *operand)
{
	uint64_t address = (uint64_t)operand->mem.disp.value;

	if (operand->mem.base != ZYDIS_REGISTER_NONE)
		address += *register_of(finish->regs, operand->mem.base);
	if (operand->mem.index != ZYDIS_REGISTER_NONE)
		address += *register_of(finish->regs, operand->mem.index) *
			   operand->mem.scale;
	return address;
}

static bool load(const struct finish *finish,
		 const ZydisDecodedOperand *operand, uint64_t *value)
{
	*value = 0;
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_REGISTER:
		*value = *register_of(finish->regs, operand->reg.value);
		return true;
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		*value = operand->imm.value.u;
		return true;
	case ZYDIS_OPERAND_TYPE_MEMORY:
		return finish->read(finish->context,
				    address_of(finish, operand), value,
				    operand->size / 8U);
	default:
		return false;
	}
}

static bool store(const struct finish *finish,
		  const ZydisDecodedOperand *operand, uint64_t value)
{
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return finish->write(finish->context,
				     address_of(finish, operand), &value,
				     operand->size / 8U);
	/* An instruction that writes the low half of a register sets the upper
	 * half to 0. */
	*register_of(finish->regs, operand->reg.value) =
		operand->size == 32 ? (uint32_t)value : value;
	return true;
}

#define FLAG_CARRY 1

/* Do what one instruction does. The flags are not changed, because no part has
 * an instruction that depends on an earlier one of the same part. */
static bool execute(const struct finish *finish,
		    const ZydisDecodedInstruction *insn,
		    const ZydisDecodedOperand *operands)
{
	uint64_t first, second = 1;

	if (!load(finish, &operands[0], &first) ||
	    (insn->mnemonic != ZYDIS_MNEMONIC_INC &&
	     !load(finish, &operands[1], &second)))
		return false;
	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		return store(finish, &operands[0], second);
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_INC:
		return store(finish, &operands[0], first + second);
	case ZYDIS_MNEMONIC_SBB:
		return store(finish, &operands[0],
			     first - second -
				     (finish->regs->eflags & FLAG_CARRY));
	default:
		return false;
	}
}

/* Do what the code from one offset to another does. */
static bool execute_rest(const struct finish *finish, const uint8_t *code,
			 uint64_t offset, uint64_t end)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	for (; offset < end; offset += insn.length)
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code + offset,
						       end - offset, &insn,
						       operands)) ||
		    !execute(finish, &insn, operands))
			return false;
	return true;
}

static const struct counting_part *find_part(const struct counting_text *text,
					     uint64_t offset)
{
	const struct counting_part *part = text->parts;

	for (uint64_t i = 1; i < text->part_count; i++)
		if (text->parts[i].start <= offset)
			part = &text->parts[i];
	return part;
}

static bool restore(const struct finish *finish)
{
	struct counting_saved saved;
	uint64_t address = finish->regs->rdi +
			   offsetof(struct ring_header, counting_saved);

	if (!finish->read(finish->context, address, &saved, sizeof(saved)))
		return false;
	finish->regs->r8 = saved.r8;
	finish->regs->r9 = saved.r9;
	finish->regs->r10 = saved.r10;
	finish->regs->r11 = saved.r11;
	return true;
}

bool counting_finish(uint64_t offset, struct user_regs_struct *regs,
		     arch_read_fn *read, counting_write_fn *write,
		     void *context, struct counting_undone *out)
{
	const struct finish finish = {regs, read, write, context};
	const struct counting_text text = text_at(&offset);
	const struct counting_part *part = find_part(&text, offset);

	*out = (struct counting_undone){
		.counted =
			part->kind == PART_DONE || part->kind == PART_COUNTED,
		.reserved = part->kind == PART_RESERVES,
		.position = regs->r11 % RING_BYTES,
	};
	if (part->kind == PART_SAVES)
		return true;
	if ((part->kind == PART_DONE || part->kind == PART_AGAIN) &&
	    !execute_rest(&finish, text.code, offset, part[1].start))
		return false;
	return restore(&finish);
}
