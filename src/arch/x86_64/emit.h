/*
 * emit.h - machine code under construction, for slots and scripts
 *
 * Invariant: `length` never exceeds `capacity`; what does not fit is dropped
 * and `overflow` says so.
 */
#ifndef ARCH_EMIT_H
#define ARCH_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emit {
	uint8_t *code;
	size_t length, capacity;
	uint64_t address; /* where code[0] will be executed */
	bool overflow;
};

void emit_bytes(struct emit *emit, const void *bytes, size_t size);
void emit_u8(struct emit *emit, uint8_t value);
void emit_u32(struct emit *emit, uint32_t value);
void emit_u64(struct emit *emit, uint64_t value);

/* The address of what is emitted next. */
uint64_t emit_here(const struct emit *emit);

/* Can an instruction that ends at `end` name `target` with 32 bits? */
bool emit_in_reach(uint64_t end, uint64_t target);

/* jmp rel32 where that reaches, else jmp through an address behind it. */
void emit_jump(struct emit *emit, uint64_t target);
size_t emit_jump_size(uint64_t from, uint64_t target);

/* mov of a constant, in the shortest form; `reg` as encoded: 0 rax, 1 rcx .. */
void emit_load(struct emit *emit, unsigned reg, uint64_t value);

#endif
