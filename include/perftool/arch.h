/*
 * arch.h - what is particular to x86-64: instructions, registers, slots
 *
 * This layer works on bytes and on registers only. It knows no process. It
 * decodes instructions with Zydis. All functions take the registers of a thread
 * as a `struct user_regs_struct` (sys/user.h).
 *
 * A site is an address at which the tool replaces an instruction of the program
 * by an int3 or a jump. A thread executes the displaced instruction in an
 * out-of-line slot: a small piece of code elsewhere in the program's memory. A
 * script is code that the tool puts into the program to make system calls
 * there. The store is memory of the program that keeps what the program needs
 * to run on if the tool dies.
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
#define ARCH_INT3 0xcc /* int3, an instruction of one byte: a breakpoint */
#define ARCH_PAGE 4096

/* Reads `size` bytes of the target's memory at `address` into `buffer`. Returns
 * false if the memory cannot be read. */
typedef bool arch_read_fn(void *context, uint64_t address, void *buffer,
			  size_t size);

/* ---- instructions --------------------------------------------------- */

/*
 * An instruction that belongs to no other kind is INSN_PLAIN. Two instructions
 * are INSN_PLAIN although they look like branches: int 0x80, because the kernel
 * returns behind it, and xbegin, because the processor goes to its target only
 * if the transaction aborts.
 */
enum insn_kind {
	INSN_PLAIN,         /* execution goes on at the next instruction */
	INSN_RETURN,        /* ret, ret imm16 */
	INSN_JUMP,          /* unconditional and direct; `target` is set */
	INSN_JUMP_IF,       /* conditional and direct: jcc, jrcxz, loop */
	INSN_JUMP_INDIRECT, /* the target is in a register or in memory */
	INSN_CALL,          /* direct; `target` is set */
	INSN_CALL_INDIRECT,
	INSN_SYSCALL,
	/* Execution does not go on at the next instruction: ud2, hlt, int3, int
	 * n, far branches, iret. */
	INSN_STOP,
};

struct insn {
	uint64_t address;
	uint8_t length;
	uint8_t bytes[ARCH_MAX_INSN];
	enum insn_kind kind;
	uint64_t target; /* where a direct branch leads */
};

/* Decode the first instruction of `bytes`, which holds `size` bytes; the
 * instruction stands at `address`. Fails with ERROR_OTHER if the bytes are no
 * instruction or if `size` cuts the instruction off. */
struct error *arch_decode(const uint8_t *bytes, size_t size, uint64_t address,
			  struct insn *out);

/* How many bytes at the beginning of `bytes` only fill space: no-operations and
 * int3s, which compilers put behind the end of a function. The result is at
 * most `size`. An instruction that `size` cuts off does not count. */
size_t arch_padding(const uint8_t *bytes, size_t size);

/* Would the processor take this direct jump if the thread had these registers?
 * (Always true of an unconditional direct jump.) */
bool arch_jump_taken(const struct insn *insn,
		     const struct user_regs_struct *regs);

/*
 * Where an indirect jump, an indirect call or a return would lead if the thread
 * had these registers. Fails with ERROR_EVALUATE if the memory that holds the
 * target cannot be read. Fails with ERROR_OTHER if the instruction is no such
 * branch, or if its meaning depends on the vendor of the processor (prefix 66).
 */
struct error *arch_indirect_target(const struct insn *insn,
				   const struct user_regs_struct *regs,
				   arch_read_fn *read, void *context,
				   uint64_t *target);

/*
 * A thread stands behind this instruction of one byte. Has it come there by an
 * int3 in place of the instruction, which it has not executed yet? Registers
 * and stack tell, except of instructions that access no stack: false.
 */
bool arch_is_unexecuted(const struct insn *insn,
			const struct user_regs_struct *regs, arch_read_fn *read,
			void *context);

/*
 * Some compilers write jumps and returns as other instructions, so that the
 * processor cannot speculate on their targets (thunk.c has the patterns).
 * arch_end_of() tells what `insn` is. `before` is the instruction directly
 * before `insn`; `further` is the instruction before that.
 */
enum arch_end {
	ARCH_END_PLAIN,  /* what `insn` is by itself */
	ARCH_END_JUMP,   /* a ret behind mov %reg, (%rsp). This is an indirect
			    jump; its target is on top of the stack. */
	ARCH_END_RETURN, /* a jmp *%reg behind pop %reg. This is a return; the
			    return address has already been popped. */
};
enum arch_end arch_end_of(const struct insn *before, const struct insn *further,
			  const struct insn *insn);

/*
 * Is the instruction a jump through memory at rbx, rbp, r12, r13, r14 or r15
 * plus a constant? The System V ABI gives these registers back to the caller
 * before a function is left, so no tail jump of code that keeps to the ABI
 * reads its target there. Code of GHC (Haskell) leaves all functions so: its
 * stack and its closures are in these registers.
 */
bool arch_jumps_through_saved(const struct insn *insn);

/* Does the instruction load the stack pointer from a register that is not the
 * frame pointer, or from memory? */
bool arch_loads_stack_pointer(const struct insn *insn);

/*
 * What a jump to the code at `address` does. Compilers put such code (a thunk)
 * in the place of an indirect jump or a return. For ARCH_THUNK_JUMP, `*reg`
 * becomes the DWARF number of the register that holds the target. 64 bytes of
 * code are enough for all known thunks.
 */
enum arch_thunk {
	ARCH_THUNK_NONE,
	ARCH_THUNK_JUMP,   /* the same as an indirect jump through `*reg` */
	ARCH_THUNK_RETURN, /* the same as a return */
};
enum arch_thunk arch_thunk_at(const uint8_t *code, size_t size,
			      uint64_t address, unsigned *reg);

/* Does the code at `address` only jump through a word of memory, as a stub of a
 * procedure linkage table does? `*word` becomes the address of that word. */
bool arch_stub_word(const uint8_t *code, size_t size, uint64_t address,
		    uint64_t *word);

/*
 * How many bytes the stack pointer is below the frame pointer rbp each time
 * when the function reaches the instruction at `offset` of its code. `code` is
 * the complete code of the function. Returns false if the code does not show
 * this plainly: the function has no frame of this form, or moves the stack
 * pointer in its body, or has jumps whose targets are not known. frame.c has
 * the rules.
 */
bool arch_frame_size(const uint8_t *code, size_t size, size_t offset,
		     uint64_t *out);

/* ---- out-of-line slots ---------------------------------------------- */

#define ARCH_SLOT_SIZE 64

/*
 * What the tool does with a thread that it finds inside a slot, because neither
 * the user nor the program may see a pc there. A point is valid from offset
 * `start` of the slot's code to the next point. In this part of the slot the
 * displaced instruction is either still to be executed (`done` is false, and
 * `pc` is the site) or complete (`done` is true, and `pc` is where the
 * instruction leads). Two states need more than a pc. If an indirect call has
 * pushed its return address but has not jumped yet, the push is taken back.
 * After a system call, rcx must hold the program's pc, because the processor
 * puts the pc there. arch_slot_pc() makes these changes.
 */
struct slot_point {
	uint8_t start;
	bool done;
	uint8_t pushed; /* bytes to add to rsp, which takes a push back */
	bool set_rcx;   /* set rcx to `pc` */
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
 * Write a version of the displaced instruction `insn` that has the same effect
 * when it is executed at `slot_address`. A jump back to the program follows.
 * Neither the registers nor the stack ever hold an address of the slot; a call
 * therefore becomes a push of the true return address and a jump. Fails if no
 * such version is possible at this address, for example because the memory that
 * the instruction names is out of reach. relocate.c lists the few differences.
 * A process with a shadow stack (CET) must not get relocated calls.
 */
struct error *arch_relocate(const struct insn *insn, uint64_t slot_address,
			    struct arch_slot *out);

/*
 * The pc of a thread is inside the slot. Change `regs` so that the pc is one
 * that the program expects, before or behind the displaced instruction, and
 * change the other registers that belong to this pc. Returns false, and changes
 * nothing, if the pc is not in the slot.
 */
bool arch_slot_pc(const struct arch_slot *slot, struct user_regs_struct *regs);

/*
 * A thread is stopped in a system call, and the kernel will make the call again
 * before the thread returns to user code. Change `regs` to the registers that
 * the thread will have when the kernel makes the call again; the pc is then at
 * the system call instruction. Returns false if the thread has no system call
 * to restart. The result is right if no signal handler runs before the restart;
 * signal(7) says what happens if a handler runs. The function is not for a
 * thread that made its call by int 0x80, because restart_syscall has another
 * number there.
 */
bool arch_restart(struct user_regs_struct *regs);

/*
 * The tool is about to put an int3 at the site of `slot`, and the restart of a
 * system call (arch_restart()) would lead the thread to this int3. Change
 * `regs` so that the kernel restarts the call in the slot instead. There are
 * two reasons. The restart is not a new arrival at the site and must not count
 * as a hit. And if the tool has died, the SIGTRAP handler would end a
 * nanosleep, a poll or a similar call with EINTR, because the run of any
 * handler does so. Therefore the tool puts an int3 under a waiting thread only
 * together with this function. For the same reason the tool applies
 * arch_slot_pc() to a thread that waits in a slot only after the int3 has been
 * removed, or to deliver a signal. On a busy machine a thread may also be
 * stopped when the kernel has moved its pc back already, and has not let it go
 * on; its pc is then moved to the beginning of the slot. Returns false, and
 * changes nothing, if the thread is not in this situation.
 */
bool arch_slot_restart(const struct arch_slot *slot,
		       struct user_regs_struct *regs);

/* The trap flag in eflags. While it is set, the processor single-steps the
 * thread: the program itself has set it, or a tool. */
#define ARCH_TRAP_FLAG 0x100

/* ---- remote calls: scripts that complete by themselves --------------- */

/* One system call of a script. */
struct script_call {
	long number;
	uint64_t args[6];
	int use_saved; /* index + 1 of the argument that is replaced by the kept
			  result; 0: none */
	bool save;     /* keep the result for the calls behind this one */
	int use_data;  /* index + 1 of the argument to which the address of the
			  script's data must be added; 0: none. The caller of
			  arch_script_build() adds it. */
	/* A helper makes the call: the thread that the call before the first
	 * call of this kind has created by clone(2). After the last of these
	 * calls the helper ends. No other call may follow them. */
	bool by_helper;
};

#define ARCH_SCRIPT_CALLS 24
#define ARCH_SCRIPT_SIZE 1024

struct arch_script {
	uint8_t code[ARCH_SCRIPT_SIZE];
	size_t length;
	uint64_t start; /* the address at which the thread must begin */
	/* the pc behind each system call */
	uint64_t returns[ARCH_SCRIPT_CALLS];
	bool has_helper; /* some calls are made by a helper */
};

/*
 * Build straight-line code for `address` that makes the system calls, restores
 * the signal mask and every register that the code has used, and jumps back to
 * the interrupted pc. The script thus completes by itself if the tool dies. It
 * changes neither the stack nor the flags. If the thread was interrupted in a
 * system call that the kernel restarts, the script leads to the restart.
 *
 * `regs` are the registers of the interrupted thread. `data` may be NULL; it is
 * placed behind the saved mask, at address + 8. The caller writes the script
 * into the target, and then sets the pc to `start` and orig_rax to -1 in one
 * write of the registers. Without the -1 the kernel would restart the
 * interrupted call itself.
 *
 * A helper (by_helper) has the stack pointer of the thread that has created it,
 * and does not use it.
 *
 * Fails if there are too many calls, if the script does not fit into
 * ARCH_SCRIPT_SIZE, if a call uses a result that no call before it has kept, or
 * if a call follows those of a helper.
 */
struct error *arch_script_build(uint64_t address,
				const struct script_call *calls, size_t count,
				const struct user_regs_struct *regs,
				uint64_t signal_mask, const void *data,
				size_t data_size, struct arch_script *out);

/*
 * Build a script for `address` by which a thread that has just executed a
 * program becomes as if it had asked its parent to trace it before that: it
 * makes ptrace(PTRACE_TRACEME), sends itself the SIGTRAP of the exec, and gets
 * `regs` and the signal mask by one rt_sigreturn, so that it stops for its
 * parent with these registers. The thread needs no memory but the script. It
 * must begin with all signals masked, because without the parent SIGTRAP would
 * end it. If the parent may not trace it, it gets no SIGTRAP.
 */
struct error *arch_script_trace(uint64_t address,
				const struct user_regs_struct *regs,
				uint64_t signal_mask, struct arch_script *out);

/*
 * What a script still does from `regs->rip` on. `code` holds `size` bytes of
 * memory at `address`. If the script has no more system calls to make, `regs`
 * becomes the registers that the thread will have when the script has jumped
 * back to the program; the caller sets orig_rax. Else `regs` stays as it is.
 */
enum script_place {
	SCRIPT_NONE,  /* the code is not that of a script */
	SCRIPT_CALLS, /* the script still has a system call to make */
	SCRIPT_ENDS,  /* the script only restores registers and jumps back */
};
enum script_place arch_script_end(const uint8_t *code, size_t size,
				  uint64_t address,
				  struct user_regs_struct *regs);

/* ---- the store: what outlives the tool in a target's memory ----------- */

/*
 * The store is one mapping in the target. It is private, readable and
 * executable, and has the name of a memfd, so that another perftool finds it in
 * /proc/PID/maps:
 *
 *	STORE_HEADER	struct store_header; its magic is written last
 *	STORE_CODE	a handler of SIGTRAP (arch_survivor())
 *	STORE_SCRIPTS	room for scripts of remote calls; zero where free
 *	STORE_INDEX	uint32_t, a hash table of sites: the number of a site's
 *			entry + 1, 0 where free
 *	STORE_TABLE	struct store_entry, by their numbers
 *	STORE_SLOTS	the first area of slots
 *
 * If the tool dies, the handler does what the tool did at an int3: it sends the
 * thread on through the slot of the site. Index and table are right at every
 * moment, because an entry is complete before the index names it, and nothing
 * is ever removed from either of them. A SIGTRAP that does not come from an
 * int3 of the tool has its default effect; so has a SIGTRAP from a site whose
 * slot is 0.
 *
 * If a tool dies while it enters sites, some of its writes may be missing: the
 * index may not name an entry, and entries or places of the index that the tool
 * had taken may still be 0 (gaps). A search of the index (store_hash()) ends at
 * a gap, so it may not find a site whose entry is named behind the gap. This
 * does no harm, because the int3 of a site is written last: no int3 is in
 * memory for a site that a search does not find. The next perftool may write
 * into a gap of the index (store_table.c).
 *
 * While a thread is stopped by the signal of an int3, the tool may move the
 * thread into the store, into an area, or to a site, and may then die before it
 * has cancelled the signal. The handler recognises these three cases. But the
 * tool must not move the thread to a site that stands directly behind a site of
 * one byte. The byte before the pc would then be a site, and the handler would
 * conclude that the thread has just executed the int3 of that site. So the tool
 * moves the thread to the slot of the second site instead.
 */
#define STORE_NAME "perftool"
#define STORE_MAGIC "PERFTOOL"
#define STORE_VERSION 6
#define STORE_AREAS 64
#define STORE_INDEX_BITS 17
#define STORE_PLACES (1U << STORE_INDEX_BITS)
/* Number of entries of the table. With more entries, a search for a free place
 * of the index would take too long. */
#define STORE_ENTRIES (STORE_PLACES / 4 * 3)

#define STORE_HEADER 0x0
#define STORE_CODE 0x1000
#define STORE_SCRIPTS 0x2000
#define STORE_SCRIPTS_SIZE 0xe000
#define STORE_INDEX 0x10000
#define STORE_TABLE (STORE_INDEX + 4UL * STORE_PLACES)
#define STORE_SLOTS (STORE_TABLE + 64UL * STORE_ENTRIES)

/* An area: memory for slots, or for trampolines and other code of the tool. A
 * slot is never used again for another instruction. The memory of trampolines
 * is used again when no thread can be in it: reclamation.c of probe. */
struct store_area {
	uint64_t low, high;
	uint64_t used;            /* bytes of the area that are in use */
	uint64_t is_of_fast_code; /* 0: the area has slots */
};

struct store_header {
	char magic[8];
	uint64_t self; /* the address of this header; in a copy of the mapping
			  at another address the value does not match */
	uint32_t version;
	uint32_t live; /* 1: the tool may have int3s in the program; 0: the tool
			  has removed all its int3s */
	/* not 0: the tool has made STORE_CODE the handler of SIGTRAP */
	uint64_t handles;
	uint64_t area_count;
	struct store_area areas[STORE_AREAS];
};

#define STORE_BEFORE 8

/*
 * Where the slot of a site is, for the handler, and what the site was, for the
 * next perftool that attaches. The program may have put other code or data
 * where an int3 was, and the next perftool must not take this for an int3 of
 * the tool. So the entry keeps what was mapped when the int3 was written (as
 * /proc/PID/maps says; all 0 if no file was mapped), the original instruction,
 * and the bytes before it in the same page (0 for bytes before the page).
 */
struct store_entry {
	uint64_t site; /* 0: the entry is not in use, or is a gap */
	uint64_t slot;
	uint8_t length; /* number of bytes that the patch replaced */
	/* the instruction, filled up with 0s */
	uint8_t original[ARCH_MAX_INSN];
	uint64_t device, inode;
	uint64_t offset; /* offset of the site in the mapped file */
	uint8_t before[STORE_BEFORE];
};

/* The number of the place (element of the array) of the store's index at which
 * the search for the address `site` begins. The search goes on place by place,
 * and after the last place at the first one, until it finds a place that names
 * the site's entry, or a free place. */
uint32_t store_hash(uint64_t site);

/*
 * The handler of SIGTRAP that takes over from a tool that has died: the code
 * that the tool copies to STORE_CODE. The code may be at any address, but must
 * be at STORE_CODE of a store, because it finds the store by its own address.
 * `handler` and `restorer` are offsets in the code: of the SIGTRAP handler (to
 * be installed with SA_SIGINFO) and of its restorer. The caller must not free
 * `code`.
 */
struct survivor {
	const uint8_t *code;
	size_t size;
	size_t handler, restorer;
};
void arch_survivor(struct survivor *out);

/* ---- registers ------------------------------------------------------- */

/* A register by its name: "rax", "eax", "al", "rip", "eflags" and so on. The
 * result says which bytes of struct user_regs_struct hold the register. */
struct arch_register {
	uint8_t offset; /* offset in struct user_regs_struct */
	uint8_t size;   /* bytes */
};
/* Returns false if no register has this name. */
bool arch_register_find(const char *name, struct arch_register *out);
uint64_t arch_register_read(const struct arch_register *reg,
			    const struct user_regs_struct *regs);

/* Read or set a register by its DWARF number, 0 to 16 (System V ABI, figure
 * 3.36; 16 is the pc). Returns false for any other number. */
bool arch_dwarf_register(unsigned number, const struct user_regs_struct *regs,
			 uint64_t *value);
bool arch_dwarf_set_register(unsigned number, struct user_regs_struct *regs,
			     uint64_t value);

/* Is this the DWARF number of a vector or x87 register? Numbers 17 to 32 are
 * xmm0 to xmm15 of 16 bytes (the upper half of an AVX register is not part of
 * them); numbers 33 to 40 are st(0) to st(7) of 10 bytes. */
bool arch_is_dwarf_vector(unsigned number);

/* Copy the bytes of a vector or x87 register to `bytes`, and return their
 * number. `number` is a number that arch_is_dwarf_vector() accepts. */
size_t arch_dwarf_vector(unsigned number, const struct user_fpregs_struct *regs,
			 uint8_t bytes[static 16]);

/* Integer argument `index` (0 to 5) at the entry of a function, and the return
 * value at its return, by the calling convention of the System V ABI. */
uint64_t arch_argument(const struct user_regs_struct *regs, unsigned index);
uint64_t arch_return_value(const struct user_regs_struct *regs);

/* The names of all registers, for completion. The array ends with NULL. */
extern const char *const arch_register_names[];

#endif
