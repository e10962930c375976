/*
 * patch.c - which bytes make one instruction a jump
 *
 * A jmp rel32 has five bytes. If the instruction has fewer bytes, the bytes
 * behind it are the last bytes of the displacement and must stay as they are.
 * Only the bytes of the displacement that are within the instruction can be
 * chosen, so that the jump can lead to a window of addresses. The shorter the
 * instruction, the smaller the window. The tool can put prefixes without effect
 * before the opcode. Each of them moves the jump by one byte towards the end of
 * the instruction, which gives another, smaller window. The bytes between a
 * return and the next function belong to no code. Therefore a jump in the place
 * of such a return has all the room that it needs.
 */
#include <string.h>

#include "emit.h"
#include "perftool/fast_node.h"

#define JUMP_NEAR 0xe9

/* Compute the window of a jump with `prefixes` prefixes: the addresses that the
 * jump can reach if the `free` low bytes of its displacement can be chosen. The
 * other bytes are those of `displacement`. */
static void make_window(const struct insn *insn, uint8_t prefixes,
			uint32_t displacement, unsigned free,
			struct patch_window *out)
{
	uint64_t end = insn->address + prefixes + PATCH_SIZE;
	uint32_t mask = free >= 4 ? UINT32_MAX : (1U << 8 * free) - 1;
	uint32_t low = displacement & ~mask, high = displacement | mask;

	if (free >= 4) {
		low = (uint32_t)INT32_MIN;
		high = INT32_MAX;
	}
	*out = (struct patch_window){
		.low = end + (uint64_t)(int64_t)(int32_t)low,
		.high = end + (uint64_t)(int64_t)(int32_t)high,
		.prefixes = prefixes,
		.prefix = PATCH_PREFIX,
	};
}

size_t patch_windows(const struct insn *insn, size_t room,
		     const uint8_t *following, size_t count,
		     struct patch_window out[PATCH_WINDOWS])
{
	uint8_t bytes[2 * PATCH_SIZE] = {0};
	size_t windows = 0;

	if (room >= PATCH_SIZE) {
		make_window(insn, 0, 0, 4, out);
		return 1;
	}
	for (size_t prefixes = 0; prefixes < room; prefixes++) {
		size_t missing = prefixes + PATCH_SIZE - room;
		uint32_t displacement;

		if (missing > count)
			break;
		memcpy(bytes + room, following, missing);
		memcpy(&displacement, bytes + prefixes + 1,
		       sizeof(displacement));
		make_window(insn, (uint8_t)prefixes, displacement,
			    (unsigned)(room - prefixes - 1), &out[windows++]);
	}
	return windows;
}

void patch_in_window(const struct insn *insn, size_t room,
		     const struct patch_window *window, uint64_t landing,
		     struct patch *out)
{
	uint64_t end = insn->address + window->prefixes + PATCH_SIZE;
	uint8_t whole = (uint8_t)(window->prefixes + PATCH_SIZE);
	uint32_t displacement = (uint32_t)(landing - end);
	uint8_t bytes[2 * PATCH_SIZE];

	memset(bytes, window->prefix, window->prefixes);
	bytes[window->prefixes] = JUMP_NEAR;
	memcpy(bytes + window->prefixes + 1, &displacement,
	       sizeof(displacement));
	*out = (struct patch){
		.kind = room >= PATCH_SIZE ? PATCH_NEAR : PATCH_PUNNED,
		.length = room < whole ? (uint8_t)room : whole,
		.span = room < whole ? whole : (uint8_t)room,
		.landing = landing,
	};
	memcpy(out->bytes, bytes, out->length);
}

bool patch_jump(uint64_t from, uint64_t to, uint8_t bytes[PATCH_SIZE])
{
	uint32_t displacement = (uint32_t)(to - from - PATCH_SIZE);

	if (!emit_in_reach(from + PATCH_SIZE, to))
		return false;
	bytes[0] = JUMP_NEAR;
	memcpy(bytes + 1, &displacement, sizeof(displacement));
	return true;
}
