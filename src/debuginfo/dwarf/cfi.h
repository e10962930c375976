/*
 * cfi.h - call frame information: turns the bytes of .eh_frame or .debug_frame
 * into rules that say how to find the caller's registers
 *
 * The parser needs nothing but the bytes of the section (DWARF 5, 6.4; LSB,
 * "Exception Frames"). Each FDE describes the code of a function and refers to
 * a CIE, which has what several FDEs have in common. The parser returns the
 * rules; frames/unwinding.c applies them.
 */
#ifndef PERFTOOL_DEBUGINFO_CFI_H
#define PERFTOOL_DEBUGINFO_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/vec.h"

/* The registers with rules: the DWARF numbers 0 to 15, and 16, which is the
 * return address. */
#define CFI_REGISTERS 17

struct cfi_section {
	struct bytes bytes;
	/* the link-time address of the first byte; pointers that are relative
	 * to their own place need it */
	uint64_t address;
	bool eh; /* the section is .eh_frame; else .debug_frame */
};

/* The code that one FDE describes: [low, high). */
struct cfi_entry {
	uint64_t low, high;
	uint64_t offset; /* offset of the FDE in its section */
};
VEC_STRUCT(cfi_index, struct cfi_entry);

/* Append to `out` an entry for each FDE of the section that can be read, in the
 * order of the section. The caller frees the index with vec_free(). */
void cfi_read_index(const struct cfi_section *section, struct cfi_index *out);

/* Where to find the value that a register has in the caller's frame. */
enum cfi_kind {
	/* The register was not saved, because it still has the caller's value.
	 * A register without a rule has this kind, too. */
	CFI_SAME,
	CFI_UNDEFINED,    /* the caller's value is lost */
	CFI_OFFSET,       /* the value is saved at CFA + offset */
	CFI_VALUE_OFFSET, /* the value is CFA + offset */
	CFI_REGISTER,     /* the value is in register `reg` */
	/* a DWARF expression gives the address of the value */
	CFI_EXPRESSION,
	CFI_VALUE_EXPRESSION, /* a DWARF expression gives the value */
};

struct cfi_rule {
	enum cfi_kind kind;
	uint64_t reg;
	int64_t offset;
	struct bytes expression;
};

/* The rules at one address: how to compute the CFA, and where the caller's
 * value of each register is. The bytes of expressions belong to the section. */
struct cfi_row {
	bool cfa_is_expression;
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct bytes cfa_expression;
	struct cfi_rule rules[CFI_REGISTERS];
	unsigned return_register;
	uint64_t low; /* the first address that the FDE describes */
	/* the address of the table of landing pads for exceptions (LSDA); 0:
	 * there is none */
	uint64_t table;
	/* The code is a signal trampoline. Its caller is the code that the
	 * signal interrupted, so the pc that the rules give for the caller is
	 * an exact pc and not a return address. */
	bool signal_frame;
};

/* Run the FDE at `offset` to get the rules at `address`. False: the FDE does
 * not describe the address, or the FDE or its CIE cannot be read. */
bool cfi_row_at(const struct cfi_section *section, uint64_t offset,
		uint64_t address, struct cfi_row *out);

#endif
