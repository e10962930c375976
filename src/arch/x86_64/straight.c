/* straight.c - see straight.h */
#include "perftool/straight.h"

#include <stdlib.h>

#include "perftool/base/map.h"

/* The largest number of instructions from `address` to a stand, in each
 * direction. This is enough for a prologue that saves six registers and makes
 * room on the stack. */
#define MOST_STEPS (STRAIGHT_STANDS / 2)

void straight_add(struct straight_code *code, uint64_t low, uint8_t *bytes,
		  size_t size)
{
	struct straight_range range = {low, low + size, bytes};
	struct insn insn;

	vec_push(&code->ranges, range);
	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error =
			arch_decode(bytes + at, size - at, low + at, &insn);

		if (error) {
			error_destroy(error);
			code->unclear = true;
			insn.length = 1;
			continue;
		}
		vec_push(&code->starts, low + at);
		switch (insn.kind) {
		case INSN_CALL:
			vec_push(&code->calls, low + at);
			vec_push(&code->targets, insn.target);
			break;
		case INSN_JUMP:
		case INSN_JUMP_IF:
			vec_push(&code->targets, insn.target);
			break;
		case INSN_JUMP_INDIRECT:
			vec_push(&code->jumps, low + at);
			break;
		case INSN_CALL_INDIRECT:
			vec_push(&code->calls, low + at);
			break;
		default:
			break;
		}
	}
}

void straight_deinit(struct straight_code *code)
{
	for (size_t i = 0; i < code->ranges.count; i++)
		free(code->ranges.data[i].bytes);
	vec_free(&code->ranges);
	vec_free(&code->starts);
	vec_free(&code->targets);
	vec_free(&code->jumps);
	vec_free(&code->calls);
	*code = (struct straight_code){0};
}

bool straight_leads(const struct straight_code *code, uint64_t low,
		    uint64_t high)
{
	for (size_t i = 0; i < code->targets.count; i++)
		if (code->targets.data[i] > low &&
		    code->targets.data[i] <= high)
			return true;
	return false;
}

/* Decode the instruction at `address`. Returns false if the address is in none
 * of the ranges. */
static bool decode(const struct straight_code *code, uint64_t address,
		   struct insn *out)
{
	for (size_t i = 0; i < code->ranges.count; i++) {
		const struct straight_range *range = &code->ranges.data[i];
		struct error *error;

		if (address < range->low || address >= range->high)
			continue;
		error = arch_decode(range->bytes + (address - range->low),
				    range->high - address, address, out);
		error_destroy(error);
		return !error;
	}
	return false;
}

/* Note where a thread can go on behind the instruction. A call may never
 * return, and where an indirect jump leads is not known. */
static void push_next(struct straight_list *list, const struct insn *insn)
{
	if (insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_IF)
		vec_push(list, insn->target);
	if (insn->kind == INSN_PLAIN || insn->kind == INSN_JUMP_IF)
		vec_push(list, insn->address + insn->length);
}

bool straight_reaches(const struct straight_code *code, uint64_t entry,
		      uint64_t address)
{
	struct straight_list list = {0};
	struct map seen = {0};
	struct insn insn;
	bool reaches = false;

	if (!straight_leads(code, address - 1, address))
		return false;
	vec_push(&list, entry);
	while (list.count && !reaches) {
		uint64_t at = list.data[--list.count];

		if (map_get_number(&seen, at) || !decode(code, at, &insn))
			continue;
		map_set_number(&seen, at, 1);
		reaches = at == address;
		push_next(&list, &insn);
	}
	map_deinit(&seen);
	vec_free(&list);
	return reaches;
}

/* Decode the instruction that ends at `address`. */
static bool decode_before(const struct straight_code *code, uint64_t address,
			  struct insn *out)
{
	/* `starts` is in order within each range of the code, so the element
	 * before `address` is normally the address of the instruction before
	 * it. Only for the first instruction of a range, that element is of
	 * another range, and the function may miss the instruction; but most
	 * code has only one range. */
	for (size_t i = 1; i < code->starts.count; i++)
		if (code->starts.data[i] == address)
			return decode(code, code->starts.data[i - 1], out) &&
			       out->address + out->length == address;
	return false;
}

static bool is_entered(const struct straight_code *code, uint64_t low,
		       uint64_t high, straight_enters_fn *enters, void *context)
{
	return straight_leads(code, low, high) || enters(context, low, high);
}

/* Find the stands behind `address`, at most `most`. Returns their number. */
static size_t behind(const struct straight_code *code, uint64_t address,
		     straight_enters_fn *enters, void *context,
		     struct stand *out, size_t most)
{
	struct stand stand = {.address = address};
	size_t count = 0;
	struct effect effect;
	struct insn insn;

	while (count < most && decode(code, stand.address, &insn) &&
	       arch_effect(&insn, &effect)) {
		uint64_t next = stand.address + insn.length;

		if (is_entered(code, stand.address, next, enters, context) ||
		    !decode(code, next, &insn))
			break;
		stand.address = next;
		stand.sp -= effect.sp;
		stand.written |= effect.written;
		out[count++] = stand;
	}
	return count;
}

/* Find the stands before `address`, at most `most`. Returns their number. The
 * search ends at an instruction that pushes, because at an earlier instruction
 * the pushed value would not be on the stack yet. */
static size_t before(const struct straight_code *code, uint64_t address,
		     straight_enters_fn *enters, void *context,
		     struct stand *out, size_t most)
{
	struct stand stand = {.address = address};
	size_t count = 0;
	struct effect effect;
	struct insn insn;

	while (count < most && decode_before(code, stand.address, &insn) &&
	       arch_effect(&insn, &effect) && !effect.stores &&
	       !is_entered(code, insn.address, stand.address, enters,
			   context)) {
		stand.address = insn.address;
		stand.sp += effect.sp;
		stand.written |= effect.written;
		out[count++] = stand;
	}
	return count;
}

size_t straight_stands(const struct straight_code *code, uint64_t address,
		       straight_enters_fn *enters, void *context,
		       struct stand out[STRAIGHT_STANDS])
{
	size_t count;

	if (code->unclear)
		return 0;
	count = behind(code, address, enters, context, out, MOST_STEPS);
	return count +
	       before(code, address, enters, context, out + count, MOST_STEPS);
}
