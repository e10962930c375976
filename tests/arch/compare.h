/*
 * compare.h - did a copy end as the original did?
 *
 * Included by one test program; it holds its code.
 *
 * Not compared: flags the processor's manual calls undefined; the address of
 * the last x87 instruction (see relocate.c); the results of instructions that
 * measure or draw (rdtsc, rdrand), and why a transaction was aborted; what
 * forgive_push() says of indirect calls that fault.
 */
#ifndef TESTS_ARCH_COMPARE_H
#define TESTS_ARCH_COMPARE_H

#include <inttypes.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "trial.h"

static bool draws(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_RDTSC ||
	       mnemonic == ZYDIS_MNEMONIC_RDTSCP ||
	       mnemonic == ZYDIS_MNEMONIC_RDRAND ||
	       mnemonic == ZYDIS_MNEMONIC_RDSEED ||
	       mnemonic == ZYDIS_MNEMONIC_RDPMC ||
	       mnemonic == ZYDIS_MNEMONIC_XBEGIN; /* why it was aborted */
}

/* Registers that an instruction draws are taken over from the original. */
static void take_over_drawn(const struct trial *trial,
			    const struct machine_end *original,
			    struct machine_end *copy)
{
	struct trial *end = xcalloc(1, sizeof(*end));

	for (int i = 0; i < trial->zydis.operand_count; i++) {
		const ZydisDecodedOperand *operand = &trial->operands[i];
		uint64_t value;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		end->state.regs = original->regs;
		if (!trial_register(end, operand->reg.value))
			continue;
		value = *trial_register(end, operand->reg.value);
		end->state.regs = copy->regs;
		*trial_register(end, operand->reg.value) = value;
		copy->regs = end->state.regs;
	}
	free(end);
}

#define RESUME_FLAG 0x10000UL /* a stop may set it; no program sees it */

static void compare_registers(const struct trial *trial,
			      const struct machine_end *original,
			      const struct machine_end *copy, struct str *out)
{
	uint64_t ignored = RESUME_FLAG;

	if (trial->zydis.cpu_flags)
		ignored |= trial->zydis.cpu_flags->undefined;
	for (size_t i = 0; arch_register_names[i]; i++) {
		const char *name = arch_register_names[i];
		struct arch_register reg;
		uint64_t expected, found;

		assert_true(arch_register_find(name, &reg));
		expected = arch_register_read(&reg, &original->regs);
		found = arch_register_read(&reg, &copy->regs);
		if (str_equal(name, "eflags")) {
			expected &= ~ignored;
			found &= ~ignored;
		}
		if (expected != found)
			str_printf(out, " %s=%" PRIx64 " not %" PRIx64, name,
				   found, expected);
	}
}

static void compare_bytes(const char *what, const uint8_t *expected,
			  const uint8_t *found, size_t from, size_t to,
			  struct str *out)
{
	if (memcmp(expected + from, found + from, to - from) == 0)
		return;
	while (expected[from] == found[from])
		from++;
	str_printf(out, " %s+0x%zx=%02x not %02x", what, from, found[from],
		   expected[from]);
}

/*
 * An indirect call that faulted: its copy has pushed first (see relocate.c).
 * So the memory below the stack is written, and where neither the stack nor
 * the operand can be accessed the stack's fault comes first.
 */
static void forgive_push(const struct trial *trial,
			 const struct machine_end *original,
			 struct machine_end *copy)
{
	uint64_t pushed = original->regs.rsp - 8, offset = pushed - ARENA;

	if (trial->insn.kind != INSN_CALL_INDIRECT ||
	    original->regs.rip != SITE)
		return;
	if (offset <= ARENA_SIZE - 8)
		memcpy(copy->arena + offset, original->arena + offset, 8);
	else if ((uint64_t)copy->signal.si_addr == pushed)
		copy->signal.si_addr = original->signal.si_addr;
}

/* What is different, appended to `out`. */
static void compare(const struct machine *machine, const struct trial *trial,
		    const struct machine_end *original,
		    struct machine_end *copy, struct str *out)
{
	const siginfo_t *expected = &original->signal, *found = &copy->signal;

	forgive_push(trial, original, copy);
	if (draws(trial->zydis.mnemonic))
		take_over_drawn(trial, original, copy);
	compare_registers(trial, original, copy, out);
	if (expected->si_signo != found->si_signo ||
	    expected->si_code != found->si_code ||
	    expected->si_addr != found->si_addr)
		str_printf(out, " signal %d code %d at %p not %d code %d at %p",
			   found->si_signo, found->si_code, found->si_addr,
			   expected->si_signo, expected->si_code,
			   expected->si_addr);
	compare_bytes("x87 state", original->xsave, copy->xsave, 0,
		      XSAVE_X87_IP, out);
	compare_bytes("x87 state", original->xsave, copy->xsave,
		      XSAVE_X87_IP + 8, XSAVE_X87, out);
	for (size_t i = 0; i < 8; i++)
		compare_bytes("x87", original->xsave, copy->xsave,
			      XSAVE_X87 + i * 16,
			      XSAVE_X87 + i * 16 + XSAVE_X87_BYTES, out);
	compare_bytes("sse", original->xsave, copy->xsave, XSAVE_SSE,
		      XSAVE_SSE + 16 * 16, out);
	compare_bytes("vectors", original->xsave, copy->xsave, XSAVE_EXTENDED,
		      machine->xsave_size, out);
	compare_bytes("arena", original->arena, copy->arena, 0, ARENA_SIZE,
		      out);
}

#endif
