/*
 * trampoline.h - a trampoline under construction
 *
 * Invariant: each change of what the thread's registers hold, or of `phase`, is
 * a point (fast.h).
 */
#ifndef ARCH_TRAMPOLINE_H
#define ARCH_TRAMPOLINE_H

#include "emit.h"
#include "perftool/fast.h"

/*
 * How far below the program's stack pointer a trampoline that saves on the
 * stack (`on_stack` in fast.h) has its registers; the order is that of struct
 * ring_saved from the highest address down.
 *
 *	0 .. -128	the red zone
 */
#define STACK_RAX 136
#define STACK_FLAGS 144
#define STACK_RCX 152
#define STACK_RDX 160

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

enum label {
	LABEL_RECORD, /* it is a hit */
	LABEL_KNOWN,  /* .. and it is known where the jump leads */
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
	uint16_t below;   /* bytes that rsp is below the program's */
	uint16_t scratch; /* words of the block's scratch that are in use */
	uint8_t phase;
	bool saved, rax_saved;
	uint16_t labels[LABELS];
	struct {
		uint16_t at; /* of a rel32 */
		uint8_t label;
	} uses[MOST_USES];
	size_t use_count;
	bool overflow; /* of points or uses */
};

/* ---- trampoline_code.c: what the code is made of --------------------------
 */

#define CODE(builder, bytes)                                                   \
	emit_bytes(&(builder)->emit, bytes, sizeof(bytes) - 1)

/* From here on. */
void mark(struct builder *builder);

/* Keep rax, rcx or rdx in the block's scratch; and load what was kept last. */
void keep_register(struct builder *builder, unsigned reg);
void take_register(struct builder *builder, unsigned reg);
/* or the word that was kept last, rax */
void combine_kept(struct builder *builder);

/* mov between rax, rcx or rdx and gs:[offset in the header] */
void store_in_header(struct builder *builder, unsigned reg, size_t offset);
void load_from_header(struct builder *builder, unsigned reg, size_t offset);

/* rax, rcx or rdx := a register of the program. */
void load_register(struct builder *builder, unsigned to, unsigned reg);
/* rax := what is at rax + offset. */
void load_memory(struct builder *builder, unsigned size, bool is_signed,
		 int32_t offset);

/* jcc; `condition` as the opcode has it. */
void jump_if(struct builder *builder, unsigned condition, enum label label);
void jump(struct builder *builder, enum label label);
void place(struct builder *builder, enum label label);
/* In the end: where the jumps lead. */
void resolve_labels(struct builder *builder);

/* An instruction on gs:[offset], without the prefix. */
void on_header(struct builder *builder, const char *opcode, size_t size,
	       size_t offset);

/* ---- trampoline.c ---------------------------------------------------------
 */

/* To what the instruction does, and on. */
void go_to_slot(struct builder *builder);

/* ---- trampoline_hit.c -----------------------------------------------------
 */

/* "the instruction at .. WHY" */
struct error *refuse(const struct builder *builder, const char *why);
/* On to the slot if a conditional jump is not taken. Before anything is saved:
 * the flags are the program's. */
struct error *when_taken(struct builder *builder);
/* rax := where the instruction, an indirect jump, goes; rcx is used. */
struct error *load_target(struct builder *builder);
/* Whether the record tells by its mask which parts are hit; it need not where
 * there is one part, for without its hit there is no record. */
bool has_mask(const struct trampoline_spec *spec);
/* Go on to the record, with its mask on the stack if it has one, or restore. */
struct error *is_it_a_hit(struct builder *builder);

/* ---- trampoline_program.c -------------------------------------------------
 */

/* rax := what the program leaves; rcx and rdx are used, the stack is as it
 * was. */
void emit_program(struct builder *builder, const struct fast_program *program);

#endif
