/*
 * frame_rules.h - how to unwind the frames of an ELF file
 */
#ifndef PERFTOOL_DEBUGINFO_FRAME_RULES_H
#define PERFTOOL_DEBUGINFO_FRAME_RULES_H

#include "perftool/debuginfo.h"

/* How to compute the CFA (the value that the stack pointer had before the call
 * that made the frame) at an instruction: a register plus an offset. */
struct cfa_rule {
	unsigned reg; /* DWARF number: 7 is rsp, 6 is rbp */
	int64_t offset;
};

/* Read the rule for the CFA at `address` from .eh_frame or .debug_frame. False:
 * there is no rule, or the rule is an expression. */
bool debugfile_cfa_rule(struct debugfile *file, uint64_t address,
			struct cfa_rule *out);

/*
 * Room for values that are not in the target's memory as a whole: in
 * registers, in pieces, or known without being stored. The reader puts such a
 * value together in the scratch and gives it an address that no program can
 * have, because it is not canonical. frame_read() can then read members of the
 * value, and what points to it, like everything else.
 */
#define SCRATCH_BASE 0x8000000000000000ULL
#define SCRATCH_SIZE 4096
struct scratch {
	size_t used;
	/* one bit for each byte in use; 1: the byte is optimized out */
	uint8_t missing[SCRATCH_SIZE / 8];
	uint8_t bytes[SCRATCH_SIZE];
};

/* Is this the address of a value in a scratch? Such a value has no address in
 * the program. */
static inline bool scratch_has(uint64_t address)
{
	return address - SCRATCH_BASE < SCRATCH_SIZE;
}

/* How the reader reaches a target's memory and registers. `bias` is the load
 * bias of the file: run-time address = file address + bias. */
struct frame_reader {
	bool (*read)(void *context, uint64_t address, void *buffer,
		     size_t size);
	void *context;
	const struct user_regs_struct *regs; /* rip is a run-time address */
	/* Read the thread's x87 and vector registers. NULL, or a false result:
	 * they are not available. The reader calls this only if a value is in
	 * one of them. */
	bool (*read_vectors)(void *context, struct user_fpregs_struct *out);
	uint64_t bias;
	/* NULL: a value that needs the scratch is ERROR_EVALUATE. The caller
	 * sets `used` to 0 and keeps the bytes as long as addresses in the
	 * scratch are used. */
	struct scratch *scratch;
};

/* Read the target's memory, or the scratch. False: the memory cannot be read,
 * or some of these bytes in the scratch are optimized out. */
bool frame_read(const struct frame_reader *reader, uint64_t address,
		void *buffer, size_t size);

/* Is there call frame information for the code at `address`? */
bool debugfile_has_frame(struct debugfile *file, uint64_t address);
/* The range of code around an address for which the same entry of call frame
 * information is: a function, or a part of one. False: there is none. */
bool debugfile_frame_range(struct debugfile *file, uint64_t address,
			   struct range *out);

/* Has the function that contains `address` landing pads? A landing pad is code
 * that catches an exception, or that cleans up when an exception leaves the
 * function. */
bool debugfile_has_pads(struct debugfile *file, uint64_t address);

/* Is the code at `address` what a signal handler returns to? The caller's pc
 * is then the address where the signal arrived, and not a return address. */
bool debugfile_is_signal_frame(struct debugfile *file, uint64_t address);

/*
 * Compute the caller's registers, as far as the call frame information at the
 * pc tells how to recover them. `regs->rip` becomes the return address. For
 * the next frame, and for names and lines, use return address - 1, because a
 * call that never returns may be the last instruction of a function.
 * ERROR_NOT_FOUND: there is no information, or this is the outermost frame.
 * ERROR_EVALUATE: memory that is needed cannot be read.
 */
struct error *debugfile_unwind(struct debugfile *file,
			       const struct frame_reader *reader,
			       struct user_regs_struct *caller);

/*
 * What the call frame information at one address says, in a form that can be
 * kept and applied quickly. Most rows are UNWIND_PLAIN: the CFA is a register
 * plus an offset, and the caller's values are saved at offsets from the CFA.
 */
enum unwind_kind {
	UNWIND_NONE, /* there is no usable information for this address */
	UNWIND_END,  /* the frame is the outermost one */
	UNWIND_PLAIN,
	/* only debugfile_unwind() can apply the rules */
	UNWIND_FULL,
};

/* The registers that functions preserve, by DWARF number: rbx, rbp, r12 to
 * r15. */
#define UNWIND_REGISTERS 6
extern const uint8_t unwind_registers[UNWIND_REGISTERS];

/* The value of `saved[i]` if the caller has the same value in the register. */
#define UNWIND_SAME INT32_MAX

struct unwind_row {
	uint8_t kind; /* enum unwind_kind */
	/* the caller's pc is exact and not a return address */
	bool is_signal_frame;
	uint8_t cfa_register; /* DWARF number */
	int32_t cfa_offset;
	int32_t return_offset; /* from the CFA to the return address */
	/* from the CFA to where the value of register i of `unwind_registers`
	 * is saved, or UNWIND_SAME */
	int32_t saved[UNWIND_REGISTERS];
};

/* Read the row at `address`, which need not have one. A CFA that is an
 * expression makes a plain row, too, if its value is always the same distance
 * from rsp or rbp (as in a procedure linkage table). */
void debugfile_unwind_row(struct debugfile *file, uint64_t address,
			  struct unwind_row *out);

#endif
