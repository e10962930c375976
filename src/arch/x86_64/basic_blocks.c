/*
 * basic_blocks.c - see basic_blocks.h
 *
 * A way is a walk over instructions from a known beginning to an instruction
 * behind which execution does not go on, or to one that was walked over before.
 * Each branch begins another way.
 */
#include "perftool/basic_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "jump_table.h"
#include "perftool/base/alloc.h"

/* What is known of each byte of the code. */
enum {
	BYTE_BEGINS = 1, /* an instruction begins here */
	BYTE_INSIDE = 2, /* the byte belongs to an instruction that does not
			    begin here */
	BYTE_BLOCK = 4,  /* a block begins here */
};

/* The largest number of elements that a jump table is taken to have. */
#define MOST_ELEMENTS 65536

struct way {
	uint64_t address;
	struct symbols_held held;
};

struct finder {
	const struct block_request *request;
	uint8_t **bytes; /* for each part: what is known of each byte */
	VEC(struct way) ways;
	uint32_t numbers;
	struct basic_blocks *out;
};

/* The part that contains an address; the number of parts if none does. */
static size_t part_of(const struct block_request *request, uint64_t address)
{
	size_t i;

	for (i = 0; i < request->part_count; i++)
		if (address - request->parts[i].low < request->parts[i].size)
			break;
	return i;
}

static uint8_t *byte_at(const struct finder *finder, uint64_t address)
{
	const struct block_request *request = finder->request;
	size_t part = part_of(request, address);

	return part == request->part_count
		       ? NULL
		       : &finder->bytes[part]
				       [address - request->parts[part].low];
}

/* A block begins at the address; walk from there with what is known. Returns
 * false if the address is not in the function's code. */
static bool begin_block(struct finder *finder, uint64_t address,
			const struct symbols_held *held)
{
	uint8_t *byte = byte_at(finder, address);
	struct way way = {.address = address};

	if (!byte)
		return false;
	*byte |= BYTE_BLOCK;
	if (*byte & BYTE_BEGINS)
		return true;
	if (held)
		way.held = *held;
	else
		symbols_begin(&way.held, &finder->numbers);
	vec_push(&finder->ways, way);
	return true;
}

/* Read an element of a jump table, and return the address to which it leads. */
static bool read_element(const struct finder *finder,
			 const struct jump_table *table, uint32_t index,
			 uint64_t *out)
{
	const struct block_request *request = finder->request;
	uint64_t at = table->address + (uint64_t)index * table->element;
	int32_t number;

	if (table->element == 8)
		return request->read(request->context, at, out, 8);
	if (!request->read(request->context, at, &number, sizeof(number)))
		return false;
	*out = table->base + (uint64_t)(int64_t)number;
	return true;
}

/* Begin blocks at the targets of the table. Returns false if there is none. */
static bool follow_table(struct finder *finder, const struct jump_table *table,
			 const struct symbols_held *held)
{
	bool any = false;
	uint64_t target;

	if (table->count > MOST_ELEMENTS)
		return false;
	for (uint32_t i = 0; i < table->count; i++)
		if (read_element(finder, table, i, &target))
			any |= begin_block(finder, target, held);
	return any;
}

/* Does the indirect jump go through a word at a fixed address, as a tail jump
 * through the global offset table does? */
static bool is_through_word(const struct decoded *decoded)
{
	const ZydisDecodedOperand *operand = &decoded->operands[0];

	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       operand->mem.base == ZYDIS_REGISTER_RIP;
}

static void follow_indirect(struct finder *finder, struct symbols_held *held,
			    const struct decoded *decoded, uint64_t address)
{
	struct jump_table table;
	bool has_no_bound;

	if (is_through_word(decoded))
		return;
	if (!symbols_table(held, decoded, address, &table, &has_no_bound) ||
	    !follow_table(finder, &table, held))
		vec_push(&finder->out->unknown, address);
}

/* Note an instruction. Returns false if the walk has been here before. */
static bool note_instruction(uint8_t *byte, size_t length)
{
	if (*byte & BYTE_BEGINS)
		return false;
	*byte |= BYTE_BEGINS;
	for (size_t i = 1; i < length; i++)
		byte[i] |= BYTE_INSIDE;
	return true;
}

/* Execute one instruction of the way. Returns false if the way ends. */
static bool step(struct finder *finder, struct way *way)
{
	const struct block_request *request = finder->request;
	size_t number = part_of(request, way->address);
	const struct block_code *part = &request->parts[number];
	struct decoded decoded;
	struct error *error;
	struct insn insn;
	uint64_t at;

	if (number == request->part_count)
		return false;
	at = way->address - part->low;
	error = arch_decode(part->bytes + at, part->size - at, way->address,
			    &insn);
	if (!error &&
	    !note_instruction(&finder->bytes[number][at], insn.length))
		return false;
	error = error ? error : decode_full(&insn, &decoded);
	if (error) {
		finder->out->is_undecoded = true;
		error_destroy(error);
		return false;
	}
	way->address += insn.length;
	switch (insn.kind) {
	case INSN_RETURN:
	case INSN_STOP:
		return false;
	case INSN_JUMP:
		begin_block(finder, insn.target, &way->held);
		return false;
	case INSN_JUMP_INDIRECT:
		follow_indirect(finder, &way->held, &decoded, insn.address);
		return false;
	case INSN_JUMP_IF: {
		struct symbols_held taken = way->held;

		symbols_branch(&taken, &decoded, true);
		begin_block(finder, insn.target, &taken);
		symbols_branch(&way->held, &decoded, false);
		begin_block(finder, way->address, &way->held);
		return false;
	}
	default:
		symbols_execute(&way->held, &decoded, insn.address,
				&finder->numbers);
		return true;
	}
}

static void walk(struct finder *finder)
{
	while (finder->ways.count) {
		struct way way = finder->ways.data[--finder->ways.count];

		while (step(finder, &way))
			;
	}
}

static void collect_part(struct finder *finder, size_t number)
{
	const struct block_code *part = &finder->request->parts[number];
	const uint8_t *bytes = finder->bytes[number];

	for (size_t i = 0; i < part->size; i++) {
		size_t end = i;

		if (bytes[i] & BYTE_BLOCK && bytes[i] & BYTE_INSIDE)
			vec_push(&finder->out->within, part->low + i);
		else if (bytes[i] & BYTE_BLOCK && bytes[i] & BYTE_BEGINS)
			vec_push(&finder->out->starts, part->low + i);
		while (end < part->size &&
		       !(bytes[end] & (BYTE_BEGINS | BYTE_INSIDE)))
			end++;
		if (end == i)
			continue;
		finder->out->unreached +=
			end - i - arch_padding(part->bytes + i, end - i);
		vec_push(&finder->out->gaps,
			 (struct block_gap){part->low + i, part->low + end});
		i = end - 1;
	}
}

static int compare_addresses(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct block_addresses *list)
{
	if (list->count)
		qsort(list->data, list->count, sizeof(*list->data),
		      compare_addresses);
}

void arch_find_blocks(const struct block_request *request,
		      struct basic_blocks *out)
{
	struct finder finder = {.request = request, .out = out};

	*out = (struct basic_blocks){0};
	finder.bytes = xcalloc(request->part_count + 1, sizeof(*finder.bytes));
	for (size_t i = 0; i < request->part_count; i++)
		finder.bytes[i] = xcalloc(request->parts[i].size + 1, 1);
	for (size_t i = 0; i < request->known_count; i++) {
		begin_block(&finder, request->known[i], NULL);
		walk(&finder);
	}
	for (size_t i = 0; i < request->part_count; i++) {
		collect_part(&finder, i);
		free(finder.bytes[i]);
	}
	free(finder.bytes);
	vec_free(&finder.ways);
	sort(&out->starts);
	sort(&out->unknown);
	sort(&out->within);
}

void arch_blocks_deinit(struct basic_blocks *blocks)
{
	vec_free(&blocks->starts);
	vec_free(&blocks->unknown);
	vec_free(&blocks->within);
	vec_free(&blocks->gaps);
}
