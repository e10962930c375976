/*
 * arch.h - what is particular to x86-64: instructions, registers, slots
 *
 * Knows bytes and registers only, no process. Instructions are decoded with
 * Zydis. `struct user_regs_struct` (sys/user.h) holds registers throughout.
 */
#ifndef PERFTOOL_ARCH_H
#define PERFTOOL_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "perftool/base/error.h"

#define ARCH_MAX_INSN 15
#define ARCH_INT3 0xcc /* an instruction of one byte: a breakpoint */
#define ARCH_PAGE 4096

/* Reads `size` bytes of the target's memory; false when it cannot. */
typedef bool arch_read_fn(void *context, uint64_t address, void *buffer,
			  size_t size);

/* ---- instructions --------------------------------------------------- */

/*
 * Whatever is of no other kind is INSN_PLAIN, also int 0x80 (which comes back)
 * and xbegin (whose target is taken by an abort).
 */
enum insn_kind {
	INSN_PLAIN,         /* falls through to the next instruction */
	INSN_RETURN,        /* ret, ret imm16 */
	INSN_JUMP,          /* unconditional, direct: `target` */
	INSN_JUMP_IF,       /* conditional, direct: jcc, jrcxz, loop */
	INSN_JUMP_INDIRECT, /* through a register or memory */
	INSN_CALL,          /* direct: `target` */
	INSN_CALL_INDIRECT,
	INSN_SYSCALL,
	/* does not fall through: ud2, hlt, int3, int n, far branches, iret */
	INSN_STOP,
};

struct insn {
	uint64_t address;
	uint8_t length;
	uint8_t bytes[ARCH_MAX_INSN];
	enum insn_kind kind;
	uint64_t target; /* of a direct branch */
};

/*
 * Decode one instruction of `bytes`, which holds `size` bytes. Fails with
 * ERROR_OTHER when there is none or when it is cut off.
 */
struct error *arch_decode(const uint8_t *bytes, size_t size, uint64_t address,
			  struct insn *out);

/* How many of these bytes do nothing but fill: no-operations and int3s, as
 * compilers put behind the end of a function. At most `size`; the last of them
 * may be cut off. */
size_t arch_padding(const uint8_t *bytes, size_t size);

/* Would this direct conditional jump be taken with these registers? */
bool arch_jump_taken(const struct insn *insn,
		     const struct user_regs_struct *regs);

/*
 * Where an indirect jump or call, or a return, would go. ERROR_EVALUATE when
 * the memory it goes through cannot be read; ERROR_OTHER when it is no such
 * branch, or one that processors disagree about (prefix 66).
 */
struct error *arch_indirect_target(const struct insn *insn,
				   const struct user_regs_struct *regs,
				   arch_read_fn *read, void *context,
				   uint64_t *target);

/*
 * Jumps and returns that compilers write otherwise, against speculation. What
 * the last of an instruction and the two before it is:
 */
enum arch_end {
	ARCH_END_PLAIN,  /* what the instruction alone says */
	ARCH_END_JUMP,   /* ret behind mov %reg, (%rsp): an indirect jump, whose
			    target is on top of the stack */
	ARCH_END_RETURN, /* jmp *%reg behind pop %reg: a return, when the
			    return address has been popped */
};
enum arch_end arch_end_of(const struct insn *before, const struct insn *further,
			  const struct insn *insn);

/* What a jump to this code does: `*reg` is the register that tells where it
 * leads, as DWARF numbers them. 64 bytes are enough. */
enum arch_thunk {
	ARCH_THUNK_NONE,
	ARCH_THUNK_JUMP,   /* as an indirect jump by the register */
	ARCH_THUNK_RETURN, /* as a return */
};
enum arch_thunk arch_thunk_at(const uint8_t *code, size_t size,
			      uint64_t address, unsigned *reg);

/*
 * How far below the frame pointer rbp the stack pointer is whenever a function
 * reaches the instruction at `offset` of its code, all of which is given. False
 * when that is not plain to see: the function has no such frame, or moves the
 * stack pointer about, or has jumps whose targets are not known.
 */
bool arch_frame_size(const uint8_t *code, size_t size, size_t offset,
		     uint64_t *out);

/* ---- out-of-line slots ---------------------------------------------- */

#define ARCH_SLOT_SIZE 64

/*
 * What to make of a thread found inside a slot, so that nobody ever sees a pc
 * there: at offset `start` and until the next entry, the displaced instruction
 * is either still to be executed (`done` false: `pc` is the site) or complete
 * (`done` true: `pc` is where it leads). Two states need more than a pc: the
 * push of an indirect call that has not jumped yet is taken back, and after a
 * system call rcx must hold the program's pc. See arch_slot_pc().
 */
struct slot_point {
	uint8_t start;
	bool done;
	uint8_t pushed; /* bytes to add to rsp */
	bool set_rcx;   /* rcx = pc */
	uint64_t pc;
};

#define ARCH_SLOT_POINTS 3

struct arch_slot {
	uint8_t code[ARCH_SLOT_SIZE];
	uint8_t length;
	struct slot_point points[ARCH_SLOT_POINTS];
	uint8_t point_count;
	uint64_t site, address;
};

/*
 * Write the displaced instruction `insn` so that it does the same when it is
 * executed at `slot_address`, followed by a jump back: neither registers nor
 * stack ever hold a slot address (a call is re-encoded as a push of the true
 * return address and a jump). Fails when it cannot be done there, for example
 * when what it refers to is out of reach. What little differs is listed in
 * relocate.c; a process with a shadow stack (CET) must not get relocated calls.
 */
struct error *arch_relocate(const struct insn *insn, uint64_t slot_address,
			    struct arch_slot *out);

/*
 * A thread's pc inside a slot: give `regs` the pc the program expects, before
 * or after the displaced instruction (and whatever else must go with it).
 * False when the pc is not in the slot.
 */
bool arch_slot_pc(const struct arch_slot *slot, struct user_regs_struct *regs);

/*
 * A thread stopped in a system call which the kernel will make again before
 * user code goes on: make `regs` what they are then, the pc at the system call
 * instruction. False when there is none to restart. That is when no handler
 * runs first; when one does, see signal(7). Not for the 32-bit number of
 * restart_syscall, which an int 0x80 has.
 */
bool arch_restart(struct user_regs_struct *regs);

/*
 * A thread at which such a restart would find the int3 of `slot`'s site, which
 * is about to be put there: have it restarted in the slot instead. That is no
 * hit, and with the tool gone the handler of SIGTRAP would end a nanosleep, a
 * poll or the like with EINTR (the run of any handler does). So an int3 is put
 * under a waiting thread only with this, and arch_slot_pc() is applied to one
 * that waits in a slot only when the int3 is out, or to deliver a signal.
 * False when the thread is no such.
 */
bool arch_slot_restart(const struct arch_slot *slot,
		       struct user_regs_struct *regs);

/* In eflags: the thread is single-stepped, by itself or by a tool. */
#define ARCH_TRAP_FLAG 0x100

/* ---- remote calls: scripts that complete by themselves --------------- */

/* One system call of a script. */
struct script_call {
	long number;
	uint64_t args[6];
	int use_saved; /* argument index + 1 that takes the kept result; 0 */
	bool save;     /* keep the result for the calls that follow */
	int use_data;  /* argument index + 1 to which the address of the
			  script's data is added; 0: none */
};

#define ARCH_SCRIPT_CALLS 6
#define ARCH_SCRIPT_SIZE 1024

struct arch_script {
	uint8_t code[ARCH_SCRIPT_SIZE];
	size_t length;
	uint64_t start;                      /* where to set the pc */
	uint64_t returns[ARCH_SCRIPT_CALLS]; /* pc after each system call */
};

/*
 * Straight-line code for `address` that makes the calls, restores the signal
 * mask and every register it used, and jumps back to the interrupted pc, so
 * that it completes by itself if the tool dies. It touches neither the stack
 * nor the flags. An interrupted system call is encoded already restarted.
 * `data` (may be NULL) is placed after the saved mask, at address + 8. The
 * caller writes the script, then sets the pc to `start` and orig_rax to -1 (or
 * the kernel would restart the interrupted call itself) in one register write.
 * Fails when there are too many calls, when it does not fit, or when a call
 * uses a result that none before it has kept.
 */
struct error *arch_script_build(uint64_t address,
				const struct script_call *calls, size_t count,
				const struct user_regs_struct *regs,
				uint64_t signal_mask, const void *data,
				size_t data_size, struct arch_script *out);

/*
 * What a script does from `regs->rip` on, which is in `code`, bytes at
 * `address`: if no system call is left to be made, `regs` becomes what it is
 * when the script has jumped back (orig_rax is the caller's matter).
 */
enum script_place {
	SCRIPT_NONE,  /* it is no script */
	SCRIPT_CALLS, /* a system call is still to be made */
	SCRIPT_ENDS,
};
enum script_place arch_script_end(const uint8_t *code, size_t size,
				  uint64_t address,
				  struct user_regs_struct *regs);

/* ---- the store: what outlives the tool in a target's memory ----------- */

/*
 * One mapping, private, readable and executable, named by a memfd, so that
 * another perftool finds it in /proc/PID/maps:
 *
 *	STORE_HEADER	struct store_header; the magic is written last
 *	STORE_CODE	a handler of SIGTRAP (arch_survivor_code)
 *	STORE_SCRIPTS	room for scripts of remote calls, zero where free
 *	STORE_INDEX	uint32_t, a hash table of sites: the number of a site's
 *			entry + 1, 0 where free
 *	STORE_TABLE	struct store_entry, by their numbers
 *	STORE_SLOTS	the first area of slots
 *
 * Should the tool die, the handler does what the tool did at an int3: it sends
 * the thread on through the slot. An entry is complete before the index names
 * it, and nothing is ever taken out of either, so that they are right at every
 * moment. A tool that died may have left entries that the index does not name,
 * gaps before them, and gaps in the index; no int3 is in memory of a site that
 * is not found. A SIGTRAP that is not ours does what it would have done by
 * default; so does one of a site whose slot is 0.
 *
 * A thread that is stopped by the signal of an int3 may be moved, before the
 * tool dies, into the store, into an area, or to a site; but not to a site that
 * follows another of one byte, for which it would be taken (its slot will do).
 */
#define STORE_NAME "perftool"
#define STORE_MAGIC "PERFTOOL"
#define STORE_VERSION 3
#define STORE_AREAS 64
#define STORE_INDEX_BITS 17
#define STORE_PLACES (1U << STORE_INDEX_BITS)
/* With more, looking for a free place of the index would take its time. */
#define STORE_ENTRIES (STORE_PLACES / 4 * 3)

#define STORE_HEADER 0x0
#define STORE_CODE 0x1000
#define STORE_SCRIPTS 0x2000
#define STORE_SCRIPTS_SIZE 0xe000
#define STORE_INDEX 0x10000
#define STORE_TABLE (STORE_INDEX + 4UL * STORE_PLACES)
#define STORE_SLOTS (STORE_TABLE + 64UL * STORE_ENTRIES)

/* Memory for slots, never reused for another instruction. */
struct store_area {
	uint64_t low, high;
	uint64_t used; /* bytes of it */
};

struct store_header {
	char magic[8];
	uint64_t self; /* its own address: not so in a copy elsewhere */
	uint32_t version;
	uint32_t live;    /* sites are in; 0: cleaned */
	uint64_t handles; /* SIGTRAP is handled by STORE_CODE, by our doing */
	uint64_t area_count;
	struct store_area areas[STORE_AREAS];
};

#define STORE_BEFORE 8

/*
 * The rest is for the next tool, which must not take what the program has put
 * there since for what is ours: what was mapped when the int3 was put in, as
 * /proc/PID/maps says (all 0: no file), the instruction, and what precedes it
 * in the same page (0 where the page begins).
 */
struct store_entry {
	uint64_t site; /* 0: none, or a gap */
	uint64_t slot;
	uint8_t length;                  /* bytes that the patch replaced */
	uint8_t original[ARCH_MAX_INSN]; /* the instruction, and 0s */
	uint64_t device, inode;
	uint64_t offset; /* of the site, in the file */
	uint8_t before[STORE_BEFORE];
};

/* Where in the index to look for a site first; on from there by one, around
 * the end, until the site or a free place. */
uint32_t store_hash(uint64_t site);

/* What STORE_CODE holds: position-independent, but for being there. Offsets
 * in it of the handler (SA_SIGINFO) and of its restorer. */
struct survivor {
	const uint8_t *code;
	size_t size;
	size_t handler, restorer;
};
void arch_survivor(struct survivor *out);

/* ---- registers ------------------------------------------------------- */

/* "rax", "eax", "al", "rip", "eflags" ...: bits of a register, or false. */
struct arch_register {
	uint8_t offset; /* in struct user_regs_struct */
	uint8_t size;   /* bytes */
};
bool arch_register_find(const char *name, struct arch_register *out);
uint64_t arch_register_read(const struct arch_register *reg,
			    const struct user_regs_struct *regs);

/* DWARF register numbers 0 .. 16 (System V ABI, figure 3.36). */
bool arch_dwarf_register(unsigned number, const struct user_regs_struct *regs,
			 uint64_t *value);
bool arch_dwarf_set_register(unsigned number, struct user_regs_struct *regs,
			     uint64_t value);

/* Numbers 17 .. 32, xmm0 to xmm15 (of 16 bytes: the upper half of an AVX
 * register is not in it), and 33 .. 40, st(0) to st(7) (of 10). */
bool arch_is_dwarf_vector(unsigned number);

/* The bytes of one of these, and how many. */
size_t arch_dwarf_vector(unsigned number, const struct user_fpregs_struct *regs,
			 uint8_t bytes[static 16]);

/* Integer argument `index` (0 .. 5) and the return value, by the ABI. */
uint64_t arch_argument(const struct user_regs_struct *regs, unsigned index);
uint64_t arch_return_value(const struct user_regs_struct *regs);

/* All register names, NULL-terminated, for completion. */
extern const char *const arch_register_names[];

#endif
