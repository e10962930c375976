/*
 * trampoline.h - a trampoline under construction
 *
 * Invariant: there is a point (struct trampoline_point) at each offset of the
 * code at which a member of the point changes: the phase, or where the
 * registers of the program are.
 */
#ifndef ARCH_TRAMPOLINE_H
#define ARCH_TRAMPOLINE_H

#include "emit.h"
#include "perftool/fast_node.h"

/*
 * How far below the program's stack pointer the registers are in a trampoline
 * that saves them on the stack (`on_stack` in fast_node.h). From the highest
 * address down the order is that of struct ring_saved.
 *
 *	0 .. -128	the red zone
 */
#define STACK_RAX 136
#define STACK_FLAGS 144
#define STACK_RCX 152
#define STACK_RDX 160

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

enum label {
	LABEL_RECORD, /* the thread's arrival is a hit */
	LABEL_FAR,    /* the target is none of those near the first one */
	LABEL_KNOWN,  /* the tool knows the target of the jump */
	LABEL_STAYS,  /* the jump stays inside, but the parts of `whichever` are
			 hit */
	LABEL_BOTH,   /* the code behind LABEL_RECORD and the code behind
			 LABEL_STAYS both lead here */
	LABEL_RESTORE,
	LABEL_WAIT,
	LABEL_AGAIN,
	LABEL_FOREIGN,
	LABELS,
};

#define MOST_USES (48 + FAST_KNOWN)

struct builder {
	const struct trampoline_spec *spec;
	struct trampoline_code *out;
	struct emit emit;
	/* number of bytes that rsp is below the program's rsp */
	uint16_t below;
	uint16_t scratch; /* number of words of the block's scratch that are in
			     use */
	uint8_t phase;
	/* as in struct trampoline_point */
	bool saved, rax_saved, more_saved, rsp_saved, call_counted;
	uint16_t labels[LABELS];
	struct {
		uint16_t at; /* offset of a rel32 in the code */
		uint8_t label;
	} uses[MOST_USES];
	size_t use_count;
	bool overflow; /* there were too many points, or too many uses of labels
			  or of the scratch */
};

/* ---- trampoline_code.c: what the code is made of ------------------------ */

#define CODE(builder, bytes)                                                   \
	emit_bytes(&(builder)->emit, bytes, sizeof(bytes) - 1)

/* Add a point: from here on, the state in `builder` is valid. */
void mark(struct builder *builder);

/* The block's scratch is a stack of words. keep_register() stores rax, rcx or
 * rdx in the next word. take_register() loads the word that was kept last and
 * frees it. */
void keep_register(struct builder *builder, unsigned reg);
void take_register(struct builder *builder, unsigned reg);
/* Emit an `or` of rax into the word of the scratch that keep_register() stored
 * last. */
void combine_kept(struct builder *builder);
/* Emit a mov of the word that was kept last to rax; the word stays. */
void load_kept(struct builder *builder);

/* Emit a mov between `reg` (rax, rcx or rdx) and the word at `offset` in the
 * header of the thread's block (struct ring_header). */
void store_in_header(struct builder *builder, unsigned reg, size_t offset);
void load_from_header(struct builder *builder, unsigned reg, size_t offset);

/* Load rax, rcx or rdx (`to`) with the value that register `reg` has in the
 * program. */
void load_register(struct builder *builder, unsigned to, unsigned reg);
/* Load rax with the `size` bytes at rax + offset, extended to 64 bits. */
void load_memory(struct builder *builder, unsigned size, bool is_signed,
		 int32_t offset);

/* Emit a jcc to a label; `condition` is the number of the condition in the
 * opcode. */
void jump_if(struct builder *builder, unsigned condition, enum label label);
void jump(struct builder *builder, enum label label);
/* Let the label stand for the present end of the code. */
void place(struct builder *builder, enum label label);
/* Fill in the displacements of all jumps to labels. This is the last step. */
void resolve_labels(struct builder *builder);

/* Emit an instruction whose operand is in the header of the thread's block, at
 * `offset`; gs leads to the block. `opcode` has all bytes between the gs prefix
 * and the displacement. */
void on_header(struct builder *builder, const char *opcode, size_t size,
	       size_t offset);

/* ---- trampoline_counting.c ---------------------------------------------- */

/* Does the trampoline count the hit, and record nothing? (counting.h) */
bool is_counting(const struct trampoline_spec *spec);
/* Does the trampoline call the counting code? */
bool calls_counting(const struct trampoline_spec *spec);
/* Emit the calls of the counting code. */
void call_counting(struct builder *builder);
/* Emit the code that adds the cost of a recorded hit to what hits have cost the
 * thread. The code changes rax. */
void add_record_cost(struct builder *builder);
/* Emit the code that adds the time-stamp counter, which is in eax and edx, to
 * what stops have taken from the thread's calls (`resumes` of the spec). Of a
 * thread that is found behind this code, `call_counted` is true. */
void add_resumed(struct builder *builder);
/* Emit the code that puts the number of hits that the thread has counted into
 * the upper bits of eax, for `mask` of a record. `has_mask`: eax has the mask
 * of the parts already. The code changes rdx. */
void combine_counted(struct builder *builder, bool has_mask);

/* ---- trampoline.c ------------------------------------------------------- */

/* Emit the jump to the slot, in which the thread executes the displaced
 * instruction. */
void go_to_slot(struct builder *builder);

/* ---- trampoline_hit.c --------------------------------------------------- */

/* An error "the instruction at .. WHY". The caller owns it. */
struct error *refuse(const struct builder *builder, const char *why);
/* Emit a jump to the slot if the conditional jump is not taken. This must come
 * before anything is saved, while the flags are those of the program. */
struct error *when_taken(struct builder *builder);
/* Load rax with the target of the instruction, which must be an indirect jump.
 * The code changes rcx. */
struct error *load_target(struct builder *builder);
/* Does the record have a mask that tells which parts (trampoline_spec.parts)
 * are hit? No mask is needed if every record means that all parts are hit: if
 * no part has a condition, or if there is only one part. But a mask is always
 * needed if the spec has parts of `whichever`: if the jump does not leave the
 * function, only these parts are hit. */
bool has_mask(const struct trampoline_spec *spec);
/* Emit the tests whether the arrival of the thread is a hit. If it is, the
 * thread goes on behind the tests; the mask of the record, if the record has a
 * mask, is then in the scratch. Else the thread goes on at LABEL_RESTORE. */
struct error *is_it_a_hit(struct builder *builder);

/* ---- trampoline_program.c ----------------------------------------------- */

/* Load rax with the result of the program. The code changes rcx and rdx, and
 * leaves the scratch as it was. */
void emit_program(struct builder *builder, const struct fast_program *program);
/* Rax is the address of a text: keep this value, and the address from which so
 * many words of the text are read, which is another one if the value is a null
 * pointer. The code changes rcx and rdx. */
void keep_text(struct builder *builder, unsigned words);

#endif
