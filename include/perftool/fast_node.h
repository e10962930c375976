/*
 * fast_node.h - fast nodes on x86-64: the tool replaces one instruction by a
 * jump that leads to a trampoline
 *
 * The tool never replaces more than one instruction. Therefore no jump target,
 * no return address and no pc of a thread can be in the middle of what was
 * replaced. The trampoline is code that writes a record (ring.h), and the
 * thread then goes on in the out-of-line slot of the instruction (arch.h). The
 * address to which the jump leads is its landing: the trampoline, or another
 * jump that leads on to the trampoline. A window is a range of addresses in
 * which the landing may be. Rule: doc/RULES.md, "Fast nodes".
 */
#ifndef PERFTOOL_FAST_NODE_H
#define PERFTOOL_FAST_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "perftool/arch.h"
#include "perftool/base/error.h"
#include "perftool/counting.h"

/* ---- patches ------------------------------------------------------------ */

enum patch_kind {
	PATCH_NEAR,   /* a jmp rel32 that fits into the instruction */
	PATCH_PUNNED, /* a jmp rel32 that is longer than the instruction. The
			 last bytes of its displacement are the bytes that
			 follow the instruction; these stay as they are. */
};

#define PATCH_SIZE 5

struct patch {
	enum patch_kind kind;
	uint8_t length; /* number of bytes to write; at most the `room` of
			   patch_windows() */
	uint8_t bytes[PATCH_SIZE];
	/* How many bytes from the first byte of the instruction must not change
	 * while the patch is in memory. For a punned patch these are more bytes
	 * than were written. */
	uint8_t span;
	uint64_t landing; /* the address to which the jump leads */
};

/* The addresses to which a jump in the place of an instruction can lead. */
struct patch_window {
	uint64_t low, high; /* the first address and the last address */
	uint8_t prefixes;   /* number of prefix bytes before the opcode */
	uint8_t prefix;     /* the prefix: PATCH_PREFIX or PATCH_OTHER_PREFIX */
};

/* Prefixes that have no effect on a jmp rel32. The first is cs, which compilers
 * also put before branches to make them longer. The second is fs. */
#define PATCH_PREFIX 0x2e
#define PATCH_OTHER_PREFIX 0x64

#define PATCH_WINDOWS 4

/*
 * Find the windows of a jmp rel32 at `insn`, the widest first. The tool may
 * write `room` bytes from the first byte of the instruction on: the bytes of
 * the instruction and the bytes behind it that are never executed. `following`
 * holds the `count` bytes of memory behind this room. Returns the number of
 * windows; 0 if `count` is too small. A window may reach beyond user space; the
 * caller must check this when it looks for memory there.
 */
size_t patch_windows(const struct insn *insn, size_t room,
		     const uint8_t *following, size_t count,
		     struct patch_window out[PATCH_WINDOWS]);

/* Make the patch that leads to `landing`, which must be within this window of
 * the instruction. */
void patch_in_window(const struct insn *insn, size_t room,
		     const struct patch_window *window, uint64_t landing,
		     struct patch *out);

/* Make the bytes of a jmp rel32 that stands at `from` and leads to `to`. A
 * landing holds such a jump. Returns false if `to` is out of reach. */
bool patch_jump(uint64_t from, uint64_t to, uint8_t bytes[PATCH_SIZE]);

/* ---- programs ----------------------------------------------------------- */

/*
 * A program computes a condition or a value in the measured program's own
 * thread. It has no branches, and works on a stack of at most FAST_STACK
 * numbers of 64 bits with arithmetic that wraps. It reads registers, the stack
 * near them, and memory that is known to be mapped, so that no step can fault.
 *
 * FAST_LOAD reads where a pointer leads that may have any value. It reads only
 * in ranges that the tool has found to be mapped (`readable` in ring.h).
 * Elsewhere the thread traps at `foreign` (struct trampoline), and the tool
 * makes the hit. A thread faults all the same if the program has unmapped the
 * memory since; the tool then puts it back to the site.
 */
enum fast_operation {
	/* These operations push one number. */
	FAST_CONSTANT, /* `number` */
	FAST_REGISTER, /* the value of register `reg` (0 to 15 as instructions
			  encode it: rax, rcx ...) that the program had before
			  the instruction */
	FAST_FRAME,    /* the memory at `reg` + `number`, `size` bytes */
	FAST_THREAD,   /* the 8 bytes at the thread pointer (fs) + `number` */
	FAST_MEMORY,   /* the memory at `number`, `size` bytes */
	/* These operations replace the top of the stack. */
	FAST_FOLLOW, /* the top is a pointer; it is replaced by the 8 bytes at
			this pointer + `number`. A null pointer stays a null
			pointer. Any other pointer must be valid. */
	FAST_LOAD,   /* the top is a pointer; it is replaced by the `size` bytes
			at this pointer + `number`, a number of 32 bits */
	FAST_EXTEND, /* the low `size` bytes of the top, extended to 64 bits;
			with the sign if `is_signed` */
	FAST_NEGATE,
	FAST_COMPLEMENT,
	FAST_NOT,    /* 1 if the top is 0, else 0 */
	FAST_LEFT,   /* the top, shifted left by `number` bits */
	FAST_RIGHT,  /* the top, shifted right by `number` bits; an arithmetic
			shift if `is_signed` */
	FAST_DIVIDE, /* the top, divided by `number`, which must be neither 0
			nor -1 */
	FAST_REMAINDER, /* the remainder of the same division */
	/* These operations replace the two upper numbers by one. */
	FAST_ADD,
	FAST_SUBTRACT,
	FAST_MULTIPLY,
	FAST_AND,
	FAST_OR,
	FAST_XOR,
	FAST_BOTH,   /* 1 if neither number is 0, else 0 */
	FAST_EITHER, /* 1 if at least one number is not 0, else 0 */
	FAST_EQUAL,
	FAST_NOT_EQUAL,
	FAST_LESS, /* the comparison is signed if `is_signed` */
	FAST_LESS_EQUAL,
	FAST_GREATER,
	FAST_GREATER_EQUAL,
	/* This operation replaces the three upper numbers by one. */
	FAST_CHOOSE, /* the second if the first (the lowest) is not 0, else the
			third (the top) */
};

struct fast_step {
	uint8_t operation; /* enum fast_operation */
	uint8_t reg;
	uint8_t size; /* bytes in memory: 1, 2, 4 or 8; 0 stands for 8 */
	bool is_signed;
	uint64_t number;
};

#define FAST_STEPS 32
#define FAST_STACK 8

struct fast_program {
	uint8_t count; /* 0: there is no program */
	struct fast_step steps[FAST_STEPS];
};

/* Append a step. Returns false if the program has FAST_STEPS already. */
bool fast_add(struct fast_program *program, struct fast_step step);

/* Convert the DWARF number of a register, 0 to 15, to its number in
 * instructions. */
uint8_t fast_register(unsigned dwarf);

/* Does the program leave exactly one number on its stack, does its stack never
 * hold more than FAST_STACK numbers, and are all its steps valid? */
bool fast_is_sound(const struct fast_program *program);

/* ---- trampolines -------------------------------------------------------- */

/* When does a thread that reaches the instruction make a hit? */
enum fast_when {
	FAST_ALWAYS,      /* each time */
	FAST_JUMP_TAKEN,  /* if the conditional jump is taken */
	FAST_JUMP_LEAVES, /* if the indirect jump leads to `entry`, or outside
			     of all ranges of `inside` */
};

#define FAST_RANGES 4
#define FAST_KNOWN 96
#define FAST_PARTS 8
#define FAST_VALUES 8

struct fast_range {
	uint64_t low, high; /* the first address, and the address behind the
			       last one */
};

struct trampoline_spec {
	const struct insn *insn; /* the instruction at its site */
	/* what the trampoline writes as the `site` of its records
	 * (RING_SITE_SHIFT in ring.h); neither 0 nor RING_VOID */
	uint32_t site;
	uint32_t cookie; /* the cookie of this tool (struct ring_header) */
	enum fast_when when;
	/* The parts of `parts` that are hit whether or not the jump leaves the
	 * ranges, one bit for each part. Only for FAST_JUMP_LEAVES. */
	uint32_t whichever;
	struct fast_range inside[FAST_RANGES];
	size_t range_count;
	uint64_t entry;
	/* If the jump leaves the ranges and its target is none of `known`, the
	 * thread traps at `foreign` (struct trampoline) before anything is
	 * recorded, because the tool must look at the function to which the
	 * jump leads. */
	bool asks;
	uint64_t known[FAST_KNOWN];
	size_t known_count;
	/*
	 * Read the time only after all instructions before the site have been
	 * executed (lfence before rdtsc, by Intel's manual on RDTSC). Without
	 * this, the processor may execute some of them later, and their time
	 * would count for the code behind the site.
	 */
	bool ordered;
	/* The thread goes on from a stop: it adds the time of the record to
	 * `held` of struct counting_calls. */
	bool resumes;
	/*
	 * Save the registers below the red zone of the stack, and not in the
	 * thread's block. This is for a process that must survive the tool.
	 * Without the tool, a signal can find a thread in a trampoline, and a
	 * new thread has the block of its creator, so that each of them needs
	 * its own place. Allowed only where the stack pointer is known to point
	 * to a stack as the ABI describes it.
	 */
	bool on_stack;
	/* In such a process: the address of `life` (struct ring_pool_head).
	 * When the tool is gone, the trampoline does nothing. 0: there is no
	 * such word, and the trampoline must not call the counting code. */
	uint64_t life;
	uint8_t base; /* the register to record, 0 to 15 as instructions encode
			 it */
	/* The trampoline writes a record if the condition of at least one part
	 * is true. The condition of a part without steps is always true. */
	struct fast_program parts[FAST_PARTS];
	size_t part_count; /* at least 1 */
	struct fast_program values[FAST_VALUES];
	size_t value_count;
	/* The value with this index is the address of a text, and the record
	 * has so many words of the text (at most RING_TEXT bytes), behind all
	 * values; 0: it is no text. A null pointer is recorded with words that
	 * have no meaning. */
	uint8_t text_words[FAST_VALUES];
	/* Index + 1 of the value that is the target of the indirect jump; 0:
	 * none. */
	size_t target_value;
	/* What the trampoline does with a hit. */
	enum {
		TRAMPOLINE_RECORDS,
		/* It records the hit for a thread that counts other hits by
		 * itself (counting.h). */
		TRAMPOLINE_RECORDS_AMID_COUNTS,
		/* It calls the counting code: the hit is a *from* or a *to* of
		 * `leg`, or nothing to count. Only for a spec that needs no
		 * mask and has no values. */
		TRAMPOLINE_COUNTS_FROM,
		TRAMPOLINE_COUNTS_TO,
		TRAMPOLINE_FOLLOWS,
		/* The same for legs that match by order: the hit is a *from*, a
		 * *to*, or both. */
		TRAMPOLINE_ORDER_FROM,
		TRAMPOLINE_ORDER_TO,
		TRAMPOLINE_ORDER_BOTH,
		/* Only the call is counted, see `call`. */
		TRAMPOLINE_COUNTS_CALL,
	} action;
	/* What it has the counting code do for the profile of calls, before
	 * `first` and `action`: at the entry of `function`, at a tail jump that
	 * leads to `jumps_to`, or where frames end; at a function that begins
	 * with such a jump, both. */
	enum {
		TRAMPOLINE_NO_CALL,
		TRAMPOLINE_ENTERS_CALL,
		TRAMPOLINE_JUMPS_FROM_CALL,
		TRAMPOLINE_LEAVES_CALL,
		TRAMPOLINE_ENTERS_AND_JUMPS,
	} call;
	uint32_t function, jumps_to; /* as the argument of counting.h */
	/* Which legs these are: see COUNTING_NEXT_SHIFT in counting.h. */
	uint32_t order;
	/* What it has the counting code do before that: note that the thread
	 * enters the function of `leg` by a call (without a leg: only that
	 * deeper frames have gone), that it leaves its frame by a tail jump, or
	 * that frames end that were left so. */
	enum {
		TRAMPOLINE_NOTES_NOTHING,
		TRAMPOLINE_NOTES_ENTRY,
		TRAMPOLINE_NOTES_JUMP,
		TRAMPOLINE_ENDS_FRAMES,
	} first;
	/* Only with TRAMPOLINE_COUNTS_FROM, and without TRAMPOLINE_NOTES_ENTRY:
	 * the thread enters the function by a call, or by a tail jump that
	 * brings it back to a frame that it has left. */
	bool again;
	/* After that it notes that a tail jump leads to the function of the leg
	 * `comes_to`. */
	bool comes;
	uint32_t comes_to;
	uint32_t leg; /* of the function, or COUNTING_NO_LEG */
	/* the frame, from the register `base` */
	int32_t frame_offset;
};

/* Does a program of the trampoline read through pointers that may have any
 * value? */
bool trampoline_follows_pointers(const struct trampoline_spec *spec);
/* How many values, with the words of texts, its records have. */
uint32_t trampoline_values(const struct trampoline_spec *spec);

#define TRAMPOLINE_SIZE 3072
#define TRAMPOLINE_POINTS 240

/* What the pc of a thread that is in a trampoline means. */
enum trampoline_phase {
	TRAMPOLINE_BEFORE, /* the hit is not recorded */
	/* cells of the ring are reserved, but not complete */
	TRAMPOLINE_RESERVED,
	/* the record is complete, or there is none to write */
	TRAMPOLINE_AFTER,
};

/* The state of a thread whose pc is in one stretch of a trampoline: from the
 * offset `start` to the `start` of the next point. */
struct trampoline_point {
	uint16_t start; /* offset, in the trampoline, of the stretch */
	uint8_t phase;  /* enum trampoline_phase */
	bool saved; /* the program's rax, rcx, rdx and flags are in memory */
	bool rax_saved; /* the program's rax is in memory */
	/* the program's rsi and rdi are in the block */
	bool more_saved;
	/* the program's rsp is in the block, and the thread has the stack of
	 * the counting code */
	bool rsp_saved;
	/* The call is counted (`call` of the spec). */
	bool call_counted;
	/* number of bytes that rsp is below the program's rsp */
	uint16_t below;
};

#define TRAMPOLINE_NO_WAIT UINT16_MAX

/* Where a trampoline is and what its code means. The tool keeps this structure
 * as long as the trampoline exists. */
struct trampoline {
	/* `slot` is 0 if the thread takes the address of the slot from the
	 * header of its ring */
	uint64_t address, slot, site;
	uint16_t length;
	/* Offset in the trampoline of the int3 at which a thread waits while
	 * its ring is full; TRAMPOLINE_NO_WAIT: there is none. */
	uint16_t wait;
	uint16_t again; /* Offset in the trampoline at which the tool lets this
			   thread go on when the ring has room. */
	/* Offset in the trampoline of the int3 at which a thread traps that has
	 * no block of the tool, or whose jump the tool must look at. The thread
	 * has the program's registers there, and goes on in the slot. */
	uint16_t foreign;
	uint8_t cells; /* number of cells of one record */
	bool on_stack; /* as in struct trampoline_spec */
	uint8_t point_count;
	const struct trampoline_point *points;
};

/* A trampoline as trampoline_build() returns it. */
struct trampoline_code {
	/* its `points` is the array `points` of this structure */
	struct trampoline trampoline;
	uint8_t bytes[TRAMPOLINE_SIZE];
	struct trampoline_point points[TRAMPOLINE_POINTS];
};

/*
 * Write the code of the trampoline that will be at `address`. A thread at the
 * end of the trampoline goes on in the slot at `slot`; if `slot` is 0, it goes
 * on at the address that the header of its ring holds. Fails with the reason
 * why no trampoline is possible: the code is too long, the instruction is not a
 * jump of the kind that `when` needs, or the target of the jump cannot be
 * computed in advance.
 *
 * A running trampoline changes nothing that the program could see. It saves
 * registers and flags in the thread's block (struct ring_saved), or below the
 * red zone of the stack if the spec says so. It restores what it has used, and
 * uses no vector register. If the tool has died when a thread waits for room in
 * a full ring, the handler of SIGTRAP lets the thread go on behind the int3,
 * and the code there switches waiting off for this ring.
 */
struct error *trampoline_build(const struct trampoline_spec *spec,
			       uint64_t address, uint64_t slot,
			       struct trampoline_code *out);

/*
 * A thread was found in a trampoline. Change `regs` to the registers of the
 * program. If the hit was not recorded, the pc becomes the site, and the hit
 * will be recorded when the thread goes on. Else the pc becomes the start of
 * the slot. Returns false if the pc is not in the trampoline, or if the saved
 * registers cannot be read.
 */
struct undone {
	bool recorded;
	/* The call is counted, and the rest of the hit is not: the caller must
	 * see to it that the call is not counted again (`skip_frame` of struct
	 * call_block). */
	bool call_counted;
	bool reserved; /* cells of the ring are reserved but not complete; the
			  caller must mark them as void (RING_VOID) */
	uint64_t position; /* position of the first of these cells, modulo the
			      size of the ring or RING_BYTES */
};
bool trampoline_undo(const struct trampoline *trampoline,
		     struct user_regs_struct *regs, arch_read_fn *read,
		     void *context, struct undone *out);

/* Do the same for a thread that was found in the counting code, which the
 * trampoline has called; it would have returned to `called_from`.
 * counting_finish() has found out `inside`. */
bool trampoline_undo_call(const struct trampoline *trampoline,
			  uint64_t called_from,
			  const struct counting_undone *inside,
			  struct user_regs_struct *regs, arch_read_fn *read,
			  void *context, struct undone *out);

#endif
