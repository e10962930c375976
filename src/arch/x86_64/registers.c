/*
 * registers.c - registers by name, by DWARF number and by the calling
 * convention
 */
#include "perftool/arch.h"

#include <string.h>

/* X(name, member of struct user_regs_struct, first byte, bytes) */
#define REGISTER_FAMILY(X, q, d, w, b)                                         \
	X(q, q, 0, 8) X(d, q, 0, 4) X(w, q, 0, 2) X(b, q, 0, 1)
#define REGISTERS(X)                                                           \
	REGISTER_FAMILY(X, rax, eax, ax, al)                                   \
	REGISTER_FAMILY(X, rbx, ebx, bx, bl)                                   \
	REGISTER_FAMILY(X, rcx, ecx, cx, cl)                                   \
	REGISTER_FAMILY(X, rdx, edx, dx, dl)                                   \
	X(ah, rax, 1, 1)                                                       \
	X(bh, rbx, 1, 1)                                                       \
	X(ch, rcx, 1, 1)                                                       \
	X(dh, rdx, 1, 1)                                                       \
	REGISTER_FAMILY(X, rsi, esi, si, sil)                                  \
	REGISTER_FAMILY(X, rdi, edi, di, dil)                                  \
	REGISTER_FAMILY(X, rbp, ebp, bp, bpl)                                  \
	REGISTER_FAMILY(X, rsp, esp, sp, spl)                                  \
	REGISTER_FAMILY(X, r8, r8d, r8w, r8b)                                  \
	REGISTER_FAMILY(X, r9, r9d, r9w, r9b)                                  \
	REGISTER_FAMILY(X, r10, r10d, r10w, r10b)                              \
	REGISTER_FAMILY(X, r11, r11d, r11w, r11b)                              \
	REGISTER_FAMILY(X, r12, r12d, r12w, r12b)                              \
	REGISTER_FAMILY(X, r13, r13d, r13w, r13b)                              \
	REGISTER_FAMILY(X, r14, r14d, r14w, r14b)                              \
	REGISTER_FAMILY(X, r15, r15d, r15w, r15b)                              \
	X(rip, rip, 0, 8)                                                      \
	X(eflags, eflags, 0, 4)                                                \
	X(cs, cs, 0, 2)                                                        \
	X(ss, ss, 0, 2)                                                        \
	X(ds, ds, 0, 2)                                                        \
	X(es, es, 0, 2)                                                        \
	X(fs, fs, 0, 2)                                                        \
	X(gs, gs, 0, 2)                                                        \
	X(fs_base, fs_base, 0, 8)                                              \
	X(gs_base, gs_base, 0, 8)                                              \
	X(orig_rax, orig_rax, 0, 8)

#define NAME(name, member, first, bytes) #name,
#define PLACE(name, member, first, bytes)                                      \
	{offsetof(struct user_regs_struct, member) + (first), bytes},

const char *const arch_register_names[] = {REGISTERS(NAME) NULL};
static const struct arch_register places[] = {REGISTERS(PLACE)};

/* In the order of the System V ABI, figure 3.36. Number 16 is the return
 * address, which is rip here. */
static const uint8_t dwarf_offsets[] = {
	offsetof(struct user_regs_struct, rax),
	offsetof(struct user_regs_struct, rdx),
	offsetof(struct user_regs_struct, rcx),
	offsetof(struct user_regs_struct, rbx),
	offsetof(struct user_regs_struct, rsi),
	offsetof(struct user_regs_struct, rdi),
	offsetof(struct user_regs_struct, rbp),
	offsetof(struct user_regs_struct, rsp),
	offsetof(struct user_regs_struct, r8),
	offsetof(struct user_regs_struct, r9),
	offsetof(struct user_regs_struct, r10),
	offsetof(struct user_regs_struct, r11),
	offsetof(struct user_regs_struct, r12),
	offsetof(struct user_regs_struct, r13),
	offsetof(struct user_regs_struct, r14),
	offsetof(struct user_regs_struct, r15),
	offsetof(struct user_regs_struct, rip),
};

bool arch_register_find(const char *name, struct arch_register *out)
{
	for (size_t i = 0; arch_register_names[i]; i++) {
		if (strcmp(arch_register_names[i], name) == 0) {
			*out = places[i];
			return true;
		}
	}
	return false;
}

uint64_t arch_register_read(const struct arch_register *reg,
			    const struct user_regs_struct *regs)
{
	uint64_t value = 0;

	memcpy(&value, (const uint8_t *)regs + reg->offset, reg->size);
	return value;
}

bool arch_dwarf_register(unsigned number, const struct user_regs_struct *regs,
			 uint64_t *value)
{
	if (number >= sizeof(dwarf_offsets))
		return false;
	memcpy(value, (const uint8_t *)regs + dwarf_offsets[number],
	       sizeof(*value));
	return true;
}

bool arch_dwarf_set_register(unsigned number, struct user_regs_struct *regs,
			     uint64_t value)
{
	if (number >= sizeof(dwarf_offsets))
		return false;
	memcpy((uint8_t *)regs + dwarf_offsets[number], &value, sizeof(value));
	return true;
}

bool arch_is_dwarf_vector(unsigned number)
{
	return number >= 17 && number <= 40;
}

size_t arch_dwarf_vector(unsigned number, const struct user_fpregs_struct *regs,
			 uint8_t bytes[static 16])
{
	if (number < 33) {
		memcpy(bytes,
		       (const uint8_t *)regs->xmm_space +
			       (size_t)(number - 17) * 16,
		       16);
		return 16;
	}
	/* st_space has the registers in the order of the x87 stack: st(0) is
	 * the first. */
	memset(bytes, 0, 16);
	memcpy(bytes,
	       (const uint8_t *)regs->st_space + (size_t)(number - 33) * 16,
	       10);
	return 10;
}

uint64_t arch_argument(const struct user_regs_struct *regs, unsigned index)
{
	switch (index) {
	case 0:
		return regs->rdi;
	case 1:
		return regs->rsi;
	case 2:
		return regs->rdx;
	case 3:
		return regs->rcx;
	case 4:
		return regs->r8;
	case 5:
		return regs->r9;
	default:
		return 0;
	}
}

uint64_t arch_return_value(const struct user_regs_struct *regs)
{
	return regs->rax;
}
