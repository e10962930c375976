/*
 * emit.h - machine code under construction, for slots, scripts and trampolines
 *
 * Invariant: `length` never exceeds `capacity`. Code that does not fit is
 * dropped, and `overflow` is set; the caller checks `overflow` at the end.
 */
#ifndef ARCH_EMIT_H
#define ARCH_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emit {
	uint8_t *code;
	size_t length, capacity;
	uint64_t address; /* the address at which code[0] will be executed */
	bool overflow;
};

void emit_bytes(struct emit *emit, const void *bytes, size_t size);
void emit_u8(struct emit *emit, uint8_t value);
void emit_u32(struct emit *emit, uint32_t value);
void emit_u64(struct emit *emit, uint64_t value);

/* The address of the next byte that is emitted. */
uint64_t emit_here(const struct emit *emit);

/* Can an instruction that ends at `end` reach `target` with a displacement of
 * 32 bits? */
bool emit_in_reach(uint64_t end, uint64_t target);

/* Emit a jmp rel32 if such a jump reaches `target`, else a jmp through an
 * address that is stored directly behind the instruction. */
void emit_jump(struct emit *emit, uint64_t target);
/* The size of the jump to `target` that emit_jump() emits at the address
 * `from`. */
size_t emit_jump_size(uint64_t from, uint64_t target);

/* Emit a mov of a constant to a register, in the shortest form. `reg` is the
 * number of the register in instructions: 0 is rax, 1 is rcx and so on. */
void emit_load(struct emit *emit, unsigned reg, uint64_t value);

#endif
