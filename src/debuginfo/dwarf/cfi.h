/*
 * cfi.h - call frame information: bytes of .eh_frame or .debug_frame to rules
 *
 * A parser that knows only bytes (DWARF 5, 6.4; LSB, "Exception Frames"). The
 * rules it gives are applied by frames/unwinding.c.
 */
#ifndef PERFTOOL_DEBUGINFO_CFI_H
#define PERFTOOL_DEBUGINFO_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "debuginfo/elf/elf.h"
#include "perftool/base/vec.h"

#define CFI_REGISTERS 17 /* 0 .. 15, and 16: the return address */

struct cfi_section {
	struct bytes bytes;
	uint64_t address; /* of its first byte, for relative pointers */
	bool eh;          /* .eh_frame, else .debug_frame */
};

/* The part of code that one FDE describes. */
struct cfi_entry {
	uint64_t low, high;
	uint64_t offset; /* of the FDE in its section */
};
VEC_STRUCT(cfi_index, struct cfi_entry);

/* Append the entries of all FDEs that can be read. */
void cfi_read_index(const struct cfi_section *section, struct cfi_index *out);

enum cfi_kind {
	CFI_SAME, /* not saved; also what no rule was given for */
	CFI_UNDEFINED,
	CFI_OFFSET,           /* saved at CFA + offset */
	CFI_VALUE_OFFSET,     /* is CFA + offset */
	CFI_REGISTER,         /* is in another register */
	CFI_EXPRESSION,       /* saved where an expression says */
	CFI_VALUE_EXPRESSION, /* is what an expression says */
};

struct cfi_rule {
	enum cfi_kind kind;
	uint64_t reg;
	int64_t offset;
	struct bytes expression;
};

/* The rules at one address. */
struct cfi_row {
	bool cfa_is_expression;
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct bytes cfa_expression;
	struct cfi_rule rules[CFI_REGISTERS];
	unsigned return_register;
	bool has_pads;     /* the function has a table for exceptions */
	bool signal_frame; /* the pc is exact, not a return address */
};

/* The rules of the FDE at `offset` for `address`; false: none that can be
 * read. */
bool cfi_row_at(const struct cfi_section *section, uint64_t offset,
		uint64_t address, struct cfi_row *out);

#endif
