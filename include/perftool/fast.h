/*
 * fast.h - fast nodes on x86-64: one instruction made a jump, and the
 * trampoline that it leads to
 *
 * Only one instruction is ever replaced, so that nobody can be in the middle of
 * what was: no jump target, no return address, no pc of a thread. The
 * trampoline writes a record (ring.h) and goes on in the instruction's slot
 * (arch.h). Rule: spec of probes, "Fast nodes".
 */
#ifndef PERFTOOL_FAST_H
#define PERFTOOL_FAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

#include "perftool/arch.h"
#include "perftool/base/error.h"

/* ---- patches --------------------------------------------------------------
 */

enum patch_kind {
	PATCH_NEAR,   /* jmp rel32, the instruction being as long or longer */
	PATCH_PUNNED, /* the last bytes of its displacement are those that
			 follow the instruction, and stay as they are */
};

#define PATCH_SIZE 5

struct patch {
	enum patch_kind kind;
	uint8_t length; /* bytes to write: no more than there is room */
	uint8_t bytes[PATCH_SIZE];
	/* how many bytes from the instruction's first must stay as they are
	 * while the patch is in: more than were written, if it is punned */
	uint8_t span;
	uint64_t landing; /* where it leads */
};

/* Where a jump in place of an instruction can lead. */
struct patch_window {
	uint64_t low, high; /* the first address, and the last */
	uint8_t prefixes;   /* bytes before the opcode, */
	uint8_t prefix;     /* and which: PATCH_PREFIX or PATCH_OTHER_PREFIX */
};

/* Prefixes that mean nothing to a jmp rel32: cs, which compilers, too, put
 * before branches to make them longer, and fs. */
#define PATCH_PREFIX 0x2e
#define PATCH_OTHER_PREFIX 0x64

#define PATCH_WINDOWS 4

/*
 * The windows of a jmp rel32 at `insn`, the widest first. `room` bytes from its
 * first may be written: those of the instruction, and what is never executed
 * behind it. `following` is what memory holds behind these, `count` bytes of
 * it. Returns how many; 0 where too few bytes follow. Windows may reach beyond
 * user space: whoever looks for memory there knows.
 */
size_t patch_windows(const struct insn *insn, size_t room,
		     const uint8_t *following, size_t count,
		     struct patch_window out[PATCH_WINDOWS]);

/* The patch that leads to a landing within a window of the instruction. */
void patch_in_window(const struct insn *insn, size_t room,
		     const struct patch_window *window, uint64_t landing,
		     struct patch *out);

/* A jmp rel32 at an address, as for a landing. */
bool patch_jump(uint64_t from, uint64_t to, uint8_t bytes[PATCH_SIZE]);

/* ---- programs -------------------------------------------------------------
 */

/*
 * A condition or a value, to be computed in the program's own thread. Straight
 * on, on a stack of at most FAST_STACK numbers of 64 bits, with arithmetic that
 * wraps; nothing in it can fault: it reads registers, the stack near them and
 * memory that is known to be mapped.
 */
enum fast_operation {
	/* one number more */
	FAST_CONSTANT, /* `number` */
	FAST_REGISTER, /* `reg`: 0 .. 15 as instructions have it (rax, rcx ..);
			  of the program, before the instruction */
	FAST_FRAME,    /* what is at `reg` + `number`, loaded by `size` */
	FAST_THREAD,   /* the 8 bytes at the thread pointer (fs) + `number` */
	FAST_MEMORY,   /* what is at `number`, loaded by `size` */
	/* the top replaced */
	FAST_FOLLOW, /* by the 8 bytes `number` behind where it points to; a
			null pointer stays one, and no other may be bad */
	FAST_EXTEND, /* by its low `size` bytes, extended */
	FAST_NEGATE,
	FAST_COMPLEMENT,
	FAST_NOT,       /* 1 if it is 0, else 0 */
	FAST_LEFT,      /* by `number` */
	FAST_RIGHT,     /* arithmetic, if `is_signed` */
	FAST_DIVIDE,    /* by `number`, which is not 0, and not -1 */
	FAST_REMAINDER, /* the same */
	/* two become one */
	FAST_ADD,
	FAST_SUBTRACT,
	FAST_MULTIPLY,
	FAST_AND,
	FAST_OR,
	FAST_XOR,
	FAST_BOTH,   /* 1 if neither is 0 */
	FAST_EITHER, /* 1 if not both are 0 */
	FAST_EQUAL,
	FAST_NOT_EQUAL,
	FAST_LESS, /* signed, if `is_signed` */
	FAST_LESS_EQUAL,
	FAST_GREATER,
	FAST_GREATER_EQUAL,
	/* three become one */
	FAST_CHOOSE, /* the second if the first is not 0, else the third */
};

struct fast_step {
	uint8_t operation; /* enum fast_operation */
	uint8_t reg;
	uint8_t size; /* bytes in memory, 1 2 4 8; 0 is 8 */
	bool is_signed;
	uint64_t number;
};

#define FAST_STEPS 32
#define FAST_STACK 8

struct fast_program {
	uint8_t count; /* 0: there is none */
	struct fast_step steps[FAST_STEPS];
};

/* One step more; false: too many of them. */
bool fast_add(struct fast_program *program, struct fast_step step);

/* DWARF's number of a register, 0 .. 15, as instructions have it. */
uint8_t fast_register(unsigned dwarf);

/* Does it leave exactly one number, and never need more than FAST_STACK? */
bool fast_is_sound(const struct fast_program *program);

/* ---- trampolines ----------------------------------------------------------
 */

/* When the instruction's being reached is a hit. */
enum fast_when {
	FAST_ALWAYS,
	FAST_JUMP_TAKEN,  /* a conditional jump that is taken */
	FAST_JUMP_LEAVES, /* an indirect jump to none of `inside`, or to `entry`
			   */
};

#define FAST_RANGES 4
#define FAST_KNOWN 8
#define FAST_PARTS 8
#define FAST_VALUES 8

struct fast_range {
	uint64_t low, high; /* the first address, and the one after the last */
};

struct trampoline_spec {
	const struct insn *insn; /* at its site */
	uint32_t site;           /* what to call it: not 0, nor RING_VOID */
	uint32_t cookie;
	enum fast_when when;
	/* parts that are hit whichever way a jump goes that `when` is about,
	 * a bit each; only for FAST_JUMP_LEAVES */
	uint32_t whichever;
	struct fast_range inside[FAST_RANGES];
	size_t range_count;
	uint64_t entry;
	/* A jump that leaves for none of `known` traps before it is recorded,
	 * at `foreign`: the tool is to look where it leads. */
	bool asks;
	uint64_t known[FAST_KNOWN];
	size_t known_count;
	/* The time is read when what stands before the site has been done
	 * (Intel's manual on RDTSC: lfence before it). Else it may be done
	 * later, and would be timed with what comes next. */
	bool ordered;
	/* Save registers below the stack pointer's red zone, not in the
	 * thread's block. Without a tool signals find threads in trampolines,
	 * and new threads have their maker's block: both must have places of
	 * their own then. Only where the stack is known to be the one of the
	 * ABI. */
	bool on_stack;
	uint8_t base; /* register to record, 0 .. 15 as instructions have it */
	/* there is a record if the condition of one part is true; one without
	 * steps is */
	struct fast_program parts[FAST_PARTS];
	size_t part_count; /* at least 1 */
	struct fast_program values[FAST_VALUES];
	size_t value_count;
	/* the value that is where an indirect jump leads, + 1; 0: none */
	size_t target_value;
};

#define TRAMPOLINE_SIZE 2048
#define TRAMPOLINE_POINTS 240

/* What a pc in a trampoline means. */
enum trampoline_phase {
	TRAMPOLINE_BEFORE,   /* nothing is recorded */
	TRAMPOLINE_RESERVED, /* cells are reserved, but not complete */
	TRAMPOLINE_AFTER,    /* the record is complete, or none is wanted */
};

struct trampoline_point {
	uint16_t start; /* offset: from here to the next point */
	uint8_t phase;  /* enum trampoline_phase */
	bool saved;     /* rax, rcx, rdx and flags are those in memory */
	bool rax_saved; /* rax alone is */
	uint16_t below; /* bytes that rsp is below the program's */
};

/* Where a trampoline is, and what its code means: this is kept. */
struct trampoline {
	uint64_t address, slot, site; /* slot 0: that in the ring's header */
	uint16_t length;
	uint16_t wait;    /* offset of the int3 where a full ring is waited
			     for, .. */
	uint16_t again;   /* .. and of where the thread goes on when it has
			     room */
	uint16_t foreign; /* offset of the int3 of a thread without a block of
			     ours, or whose jump is to be looked at: its
			     registers are the program's, and it goes on in the
			     slot */
	uint8_t cells;    /* of a record */
	bool on_stack;    /* as in its spec */
	uint8_t point_count;
	const struct trampoline_point *points;
};

/* As it is built. */
struct trampoline_code {
	struct trampoline trampoline; /* its points are those below */
	uint8_t bytes[TRAMPOLINE_SIZE];
	struct trampoline_point points[TRAMPOLINE_POINTS];
};

/*
 * Write the trampoline for `address`, which goes on in the slot at `slot`, or,
 * if that is 0, where the header of the thread's ring says.
 * Fails with the reason why there can be none: it is too long, the instruction
 * is no jump of the kind that `when` wants, or one whose target cannot be
 * foreseen.
 *
 * While it runs, it changes nothing that the program could see: it saves in the
 * thread's block (struct ring_saved), or, where the spec says so, below the red
 * zone of the stack, restores the registers and the flags it has used, and uses
 * no vector register at all. Should the tool be gone when it waits for a
 * full ring, then whoever handles the SIGTRAP has it go on behind the int3: no
 * thread waits from then on.
 */
struct error *trampoline_build(const struct trampoline_spec *spec,
			       uint64_t address, uint64_t slot,
			       struct trampoline_code *out);

/*
 * A thread was found in a trampoline: make `regs` those of the program. The pc
 * becomes the site if the hit was not recorded (it will be, when the thread
 * goes on), else the start of the slot. False: the pc is not in it, or what it
 * has saved cannot be read.
 */
struct undone {
	bool recorded;
	bool reserved;     /* but not recorded: the cells are to be voided */
	uint64_t position; /* of the first of them, modulo the ring's size
			      or RING_BYTES */
};
bool trampoline_undo(const struct trampoline *trampoline,
		     struct user_regs_struct *regs, arch_read_fn *read,
		     void *context, struct undone *out);

#endif
