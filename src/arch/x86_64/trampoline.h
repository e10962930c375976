/*
 * trampoline.h - a trampoline under construction
 *
 * Invariants: `depth` is how far rsp is below the program's at the code emitted
 * next; each change of it, and of what `phase` says, is a point.
 */
#ifndef ARCH_TRAMPOLINE_H
#define ARCH_TRAMPOLINE_H

#include "emit.h"
#include "perftool/fast.h"

/*
 *	0 .. -128	the red zone
 *	-136		rax
 *	-144		the flags: ah as lahf has them, al overflow
 *	-152		rcx
 *	-160		rdx
 */
#define SAVED_RAX 136
#define SAVED_FLAGS 144
#define SAVED_RCX 152
#define SAVED_RDX 160

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

enum label {
	LABEL_RECORD, /* it is a hit */
	LABEL_STAYS,  /* the jump is none, but others are hit */
	LABEL_BOTH,
	LABEL_RESTORE,
	LABEL_WAIT,
	LABEL_AGAIN,
	LABEL_FOREIGN,
	LABELS,
};

#define MOST_USES 48

struct builder {
	const struct trampoline_spec *spec;
	struct trampoline_code *out;
	struct emit emit;
	uint16_t depth;
	uint8_t phase;
	bool saved, rax_saved, masked;
	uint16_t labels[LABELS];
	struct {
		uint16_t at; /* of a rel32 */
		uint8_t label;
	} uses[MOST_USES];
	size_t use_count;
	bool overflow; /* of points or uses */
};

/* From here on. */
void mark(struct builder *builder);

void push_register(struct builder *builder, unsigned reg);
void pop_register(struct builder *builder, unsigned reg);

/* rax, rcx or rdx := a register of the program. */
void load_register(struct builder *builder, unsigned to, unsigned reg);
/* rax := what is at rax + offset. */
void load_memory(struct builder *builder, unsigned size, bool is_signed,
		 int32_t offset);

/* jcc; `condition` as the opcode has it. */
void jump_if(struct builder *builder, unsigned condition, enum label label);
void jump(struct builder *builder, enum label label);
void place(struct builder *builder, enum label label);

/* rax := what the program leaves; rcx and rdx are used, the stack is as it
 * was. */
void emit_program(struct builder *builder, const struct fast_program *program);

#endif
