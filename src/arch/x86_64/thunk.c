/*
 * thunk.c - jumps and returns that compilers write in another form
 *
 * To prevent speculation, some compilers write an indirect jump as a jump to a
 * thunk, or put the code of the thunk in the place of the jump. They write a
 * return as a jump to a thunk, or as a pop and an indirect jump.
 *
 * An indirect jump by gcc -mindirect-branch and clang -mretpoline:
 *		call 1f
 *	2:	pause; lfence; jmp 2b
 *	1:	mov %reg, (%rsp)
 *		ret
 *
 * A return by gcc -mfunction-return:
 *		call 1f
 *	2:	pause; lfence; jmp 2b
 *	1:	lea 8(%rsp), %rsp
 *		ret
 *
 * An indirect jump and a return by clang -mlvi-hardening:
 *		lfence; jmp *%reg
 *		pop %reg; lfence; jmp *%reg
 *
 * Encodings: Intel's Software Developer's Manual, volume 2.
 */
#include <string.h>

#include "perftool/arch.h"

#define REX_R 4
#define REX_B 1

static bool is(const struct insn *insn, const char *bytes, size_t length)
{
	return insn->length == length &&
	       memcmp(insn->bytes, bytes, length) == 0;
}

/* The DWARF number of a register that has the number `reg` in instructions. */
static unsigned dwarf_number(unsigned reg)
{
	static const uint8_t first[] = {0, 2, 1, 3, 7, 6, 4, 5};

	return reg < sizeof(first) ? first[reg] : reg;
}

/* Is this mov %reg, (%rsp)? */
static bool stores_target(const struct insn *insn, unsigned *reg)
{
	const uint8_t *bytes = insn->bytes;

	if (insn->length != 4 || (bytes[0] & ~REX_R) != 0x48 ||
	    bytes[1] != 0x89 || (bytes[2] & 0xc7) != 0x04 || bytes[3] != 0x24)
		return false;
	*reg = dwarf_number((bytes[0] & REX_R ? 8u : 0u) |
			    (bytes[2] >> 3 & 7u));
	return true;
}

/* Skip the prefixes that an indirect jump may have. Returns the rest of the
 * instruction, which has `*length` bytes. `*high`: its register is one of r8 to
 * r15. */
static const uint8_t *skip_prefixes(const struct insn *insn, size_t *length,
				    bool *high)
{
	const uint8_t *bytes = insn->bytes;
	const uint8_t *const end = bytes + insn->length;

	if (bytes < end && *bytes == 0x3e) /* notrack */
		bytes++;
	*high = bytes < end && *bytes == (0x40 | REX_B);
	if (*high)
		bytes++;
	*length = (size_t)(end - bytes);
	return bytes;
}

/* Is this jmp *%reg? */
static bool jumps_by(const struct insn *insn, unsigned *reg)
{
	bool high;
	size_t length;
	const uint8_t *bytes = skip_prefixes(insn, &length, &high);

	if (length != 2 || bytes[0] != 0xff || (bytes[1] & 0xf8) != 0xe0)
		return false;
	*reg = dwarf_number((high ? 8u : 0u) | (bytes[1] & 7u));
	return true;
}

bool arch_jumps_through_saved(const struct insn *insn)
{
	bool high;
	size_t length;
	const uint8_t *bytes = skip_prefixes(insn, &length, &high);

	/* jmp *m64 is ff /4; mod 3 would be a register, and mod 0 with base
	 * rbp or r13 a relative or absolute address. rm 4 has a SIB byte: an
	 * index, or base r12, for which the byte is 0x24. */
	if (length < 2 || bytes[0] != 0xff || (bytes[1] & 0x38) != 0x20 ||
	    bytes[1] >> 6 == 3)
		return false;
	switch (bytes[1] & 7) {
	case 3: /* rbx; r11 */
		return !high;
	case 4: /* r12 */
		return high && length > 2 && bytes[2] == 0x24;
	case 5: /* rbp; r13 */
		return bytes[1] >> 6 != 0;
	case 6: /* rsi; r14 */
	case 7: /* rdi; r15 */
		return high;
	default:
		return false;
	}
}

/* Is this pop %reg? */
static bool pops(const struct insn *insn, unsigned *reg)
{
	const uint8_t *bytes = insn->bytes;
	bool high = insn->length == 2 && bytes[0] == (0x40 | REX_B);

	if (insn->length != 1u + high || (bytes[high] & 0xf8) != 0x58)
		return false;
	*reg = dwarf_number((high ? 8u : 0u) | (bytes[high] & 7u));
	return true;
}

static bool is_fence(const struct insn *insn)
{
	return is(insn, "\x0f\xae\xe8", 3);
}

/* Is this lea 8(%rsp), %rsp or add $8, %rsp? */
static bool drops_word(const struct insn *insn)
{
	return is(insn, "\x48\x8d\x64\x24\x08", 5) ||
	       is(insn, "\x48\x83\xc4\x08", 4);
}

enum arch_end arch_end_of(const struct insn *before, const struct insn *further,
			  const struct insn *insn)
{
	unsigned reg, popped;

	if (insn->kind == INSN_RETURN && stores_target(before, &reg))
		return ARCH_END_JUMP;
	if (insn->kind != INSN_JUMP_INDIRECT || !jumps_by(insn, &reg))
		return ARCH_END_PLAIN;
	if (is_fence(before))
		before = further;
	return pops(before, &popped) && popped == reg ? ARCH_END_RETURN
						      : ARCH_END_PLAIN;
}

static bool decode_at(const uint8_t *code, size_t size, uint64_t address,
		      size_t offset, struct insn *out)
{
	struct error *error;

	if (offset >= size)
		return false;
	error = arch_decode(code + offset, size - offset, address + offset,
			    out);
	if (!error)
		return true;
	error_destroy(error);
	return false;
}

enum arch_thunk arch_thunk_at(const uint8_t *code, size_t size,
			      uint64_t address, unsigned *reg)
{
	struct insn first, second, third;

	if (!decode_at(code, size, address, 0, &first))
		return ARCH_THUNK_NONE;
	if (is_fence(&first))
		return decode_at(code, size, address, first.length, &second) &&
				       jumps_by(&second, reg)
			       ? ARCH_THUNK_JUMP
			       : ARCH_THUNK_NONE;
	if (first.kind != INSN_CALL || first.target < address ||
	    !decode_at(code, size, address, first.target - address, &second) ||
	    !decode_at(code, size, address,
		       first.target - address + second.length, &third) ||
	    third.kind != INSN_RETURN)
		return ARCH_THUNK_NONE;
	if (stores_target(&second, reg))
		return ARCH_THUNK_JUMP;
	return drops_word(&second) ? ARCH_THUNK_RETURN : ARCH_THUNK_NONE;
}
