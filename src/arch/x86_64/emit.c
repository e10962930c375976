/* emit.c - see emit.h */
#include "emit.h"

#include <string.h>

#define NEAR_JUMP_SIZE 5
#define FAR_JUMP_SIZE 14

void emit_bytes(struct emit *emit, const void *bytes, size_t size)
{
	if (size > emit->capacity - emit->length) {
		emit->overflow = true;
		return;
	}
	if (size)
		memcpy(emit->code + emit->length, bytes, size);
	emit->length += size;
}

void emit_u8(struct emit *emit, uint8_t value)
{
	emit_bytes(emit, &value, sizeof(value));
}

void emit_u32(struct emit *emit, uint32_t value)
{
	emit_bytes(emit, &value, sizeof(value));
}

void emit_u64(struct emit *emit, uint64_t value)
{
	emit_bytes(emit, &value, sizeof(value));
}

uint64_t emit_here(const struct emit *emit)
{
	return emit->address + emit->length;
}

bool emit_in_reach(uint64_t end, uint64_t target)
{
	int64_t distance = (int64_t)(target - end);

	return distance >= INT32_MIN && distance <= INT32_MAX;
}

size_t emit_jump_size(uint64_t from, uint64_t target)
{
	return emit_in_reach(from + NEAR_JUMP_SIZE, target) ? NEAR_JUMP_SIZE
							    : FAR_JUMP_SIZE;
}

void emit_jump(struct emit *emit, uint64_t target)
{
	uint64_t end = emit_here(emit) + NEAR_JUMP_SIZE;

	if (emit_in_reach(end, target)) {
		emit_u8(emit, 0xe9);
		emit_u32(emit, (uint32_t)(target - end));
	} else {
		emit_bytes(emit, "\xff\x25\0\0\0\0", 6); /* jmp [rip + 0] */
		emit_u64(emit, target);
	}
}

void emit_load(struct emit *emit, unsigned reg, uint64_t value)
{
	uint8_t low = reg & 7, extended = reg > 7;

	if (value <= UINT32_MAX) { /* mov r32, imm32 clears the upper half */
		if (extended)
			emit_u8(emit, 0x41);
		emit_u8(emit, 0xb8 | low);
		emit_u32(emit, (uint32_t)value);
	} else if (value >= (uint64_t)INT32_MIN) { /* sign-extended imm32 */
		emit_u8(emit, 0x48 | extended);
		emit_u8(emit, 0xc7);
		emit_u8(emit, 0xc0 | low);
		emit_u32(emit, (uint32_t)value);
	} else {
		emit_u8(emit, 0x48 | extended);
		emit_u8(emit, 0xb8 | low);
		emit_u64(emit, value);
	}
}
