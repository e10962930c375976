/*
 * test_arch_execute.c - relocated instructions against the originals
 *
 * Every form of instruction found in the functions of libc, libsqlite3,
 * python3 and perl (and some that none of them has) is executed at its site
 * and as relocated copies, from the same random states; registers, flags,
 * vectors, memory, the signal if one was raised, and the pc must be the same
 * afterwards. Then the copy is interrupted before each of its instructions,
 * arch_slot_pc() makes of that a state of the program, which goes on at the
 * site: the end must be the same again.
 *
 * Not compared: flags the processor's manual calls undefined; the address of
 * the last x87 instruction (see relocate.c); the results of instructions that
 * measure or draw (rdtsc, rdrand); what forgive_push() says of indirect calls
 * that fault.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "../arch/sites.h"
#include "../arch/trial.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define MAX_REPORTS 20

/* Forms that no program of the four has, or that one of them may lose. */
static const char *const additional[] = {
    "0f05",         /* syscall */
    "cd80",         /* int 0x80 */
    "cc",           /* int3 */
    "f1",           /* int1 */
    "cd05",         /* int 5 */
    "0f0b",         /* ud2 */
    "f4",           /* hlt */
    "c3",           /* ret */
    "f3c3",         /* rep ret */
    "f2c3",         /* bnd ret */
    "c21000",       /* ret 16 */
    "cb",           /* retf */
    "48cf",         /* iretq */
    "eb00",         /* jmp rel8 */
    "e900000000",   /* jmp rel32 */
    "f2e900000000", /* bnd jmp rel32 */
    "7000",         /* jo .. jg rel8 */
    "7100",
    "7200",
    "7300",
    "7400",
    "7500",
    "7600",
    "7700",
    "7800",
    "7900",
    "7a00",
    "7b00",
    "7c00",
    "7d00",
    "7e00",
    "7f00",
    "0f8000000000", /* jo .. jg rel32 */
    "0f8100000000",
    "0f8200000000",
    "0f8300000000",
    "0f8400000000",
    "0f8500000000",
    "0f8600000000",
    "0f8700000000",
    "0f8800000000",
    "0f8900000000",
    "0f8a00000000",
    "0f8b00000000",
    "0f8c00000000",
    "0f8d00000000",
    "0f8e00000000",
    "0f8f00000000",
    "2e7400", /* with branch hints */
    "3e0f8500000000",
    "e300",   /* jrcxz */
    "67e300", /* jecxz */
    "e200",   /* loop */
    "67e200", /* loop by ecx */
    "e100",   /* loope */
    "e000",   /* loopne */
    "67e100",
    "67e000",
    "c7f800000000",     /* xbegin */
    "0f01d5",           /* xend */
    "e800000000",       /* call rel32 */
    "67e800000000",     /* as linkers relax call [rip + x] */
    "666648e800000000", /* as __tls_get_addr is called */
    "ffd0",             /* call rax */
    "41ffd3",           /* call r11 */
    "3effd0",           /* notrack call rax */
    "ff10",             /* call [rax] */
    "ff1500000000",     /* call [rip + x] */
    "6648ff1500000000",
    "f2ff1500000000",
    "67ff1500000000",   /* call [eip + x] */
    "ff142500000000",   /* call [absolute] */
    "ff14c500000000",   /* call [rax * 8 + absolute] */
    "ff14c3",           /* call [rbx + rax * 8] */
    "ff542410",         /* call [rsp + 16] */
    "ff54247c",         /* the displacement outgrows 8 bits */
    "ff542480",         /* call [rsp - 128] */
    "ff942400100000",   /* call [rsp + 4096] */
    "ff1424",           /* call [rsp] */
    "ff14c4",           /* call [rsp + rax * 8] */
    "67ff542410",       /* call [esp + 16] */
    "41ff5424f8",       /* call [r12 - 8] */
    "64ff142510000000", /* call fs:[16] */
    "65ff10",           /* call gs:[rax] */
    "3eff542418",       /* notrack call [rsp + 24] */
    "ffe0",             /* jmp rax */
    "3effe0",           /* notrack jmp rax */
    "ff2500000000",     /* jmp [rip + x] */
    "f2ff2500000000",   /* bnd jmp [rip + x] */
    "ff642408",         /* jmp [rsp + 8] */
    "ff24c500000000",   /* jmp [rax * 8 + absolute] */
    "f30f1efa",         /* endbr64 */
    "54",               /* push rsp */
    "5c",               /* pop rsp */
    "ff342500000000",   /* push [absolute] */
    "ff742408",         /* push [rsp + 8] */
    "8f442408",         /* pop [rsp + 8] */
    "ff3500000000",     /* push [rip + x] */
    "8f0500000000",     /* pop [rip + x] */
    "6a7f",             /* push imm8 */
    "9c",               /* pushf */
    "9d",               /* popf */
    "669c",
    "669d",
    "c8200000",             /* enter 32, 0 */
    "c8200002",             /* enter 32, 2 */
    "c9",                   /* leave */
    "488d0500000000",       /* lea rax, [rip + x] */
    "678d0500000000",       /* lea eax, [eip + x] */
    "488b0500000000",       /* mov rax, [rip + x] */
    "c7050000000078563412", /* mov [rip + x], imm32: displacement inside */
    "803d0000000005",       /* cmp byte [rip + x], imm8 */
    "48a10000000000000000", /* mov rax, [absolute 64] */
    "f0480fb10d00000000",   /* lock cmpxchg [rip + x], rcx */
    "f0480fc70f",           /* lock cmpxchg16b [rdi] */
    "f3a4",                 /* rep movsb */
    "f348a5",               /* rep movsq */
    "f3aa",                 /* rep stosb */
    "f3a6",                 /* repe cmpsb */
    "f2ae",                 /* repne scasb */
    "67f3a4",               /* rep movsb by esi, edi, ecx */
    "d7",                   /* xlat */
    "0fa2",                 /* cpuid */
    "0f31",                 /* rdtsc */
    "0f01d0",               /* xgetbv */
    "48f7f1",               /* div rcx */
    "48f7fb",               /* idiv rbx */
    "f3480fae c8",          /* rdgsbase rax */
    "f3480faed0",           /* wrfsbase rax */
    "660f6f0500000000",     /* movdqa xmm0, [rip + x] */
    "c5fc280500000000",     /* vmovaps ymm0, [rip + x] */
    "62f1fe486f0500000000", /* vmovdqu64 zmm0, [rip + x] */
    "62f1fd496f4001",       /* vmovdqa64 zmm0 {k1}, [rax + 64] */
    "c4e269920488",         /* vgatherdps xmm0, [rax + xmm1 * 4], xmm2 */
    "62f27d49920408",       /* vgatherdps zmm0 {k1}, [rax + zmm1] */
    "c4e3791400 00",        /* vpextrb [rax], xmm0, 0 */
    "c5f877",               /* vzeroupper */
    "0fae00",               /* fxsave [rax] */
    "0fae08",               /* fxrstor [rax] */
    "0fae20",               /* xsave [rax] */
    "0fc720",               /* xsavec [rax] */
    "0fae1500000000",       /* ldmxcsr [rip + x] */
    "d930",                 /* fnstenv [rax] */
    "d920",                 /* fldenv [rax] */
    "dd30",                 /* fnsave [rax] */
    "d8c1",                 /* fadd st, st(1) */
    "d9fa",                 /* fsqrt */
    "dc0500000000",         /* fadd qword [rip + x] */
    "9b",                   /* fwait */
    "0fc8",                 /* bswap eax */
    "480fa308",             /* bt [rax], rcx */
    "480fab0d00000000",     /* bts [rip + x], rcx */
    "f348 0fb8c1",          /* popcnt rax, rcx */
    "0f1f8000000000",       /* nop [rax + x] */
    "0f1f0500000000",       /* nop [rip + x] */
    "0f180d00000000",       /* prefetcht0 [rip + x] */
    "0fae3d00000000",       /* clflush [rip + x] */
    "f30f1ec8",             /* rdsspd eax */
    "ec",                   /* in al, dx: not allowed */
    "fa",                   /* cli: not allowed */
    "0f20c0",               /* mov rax, cr0: not allowed */
};

struct context {
	struct machine machine;
	struct machine_state patterns;
	struct trial trial;
	struct machine_end original, copy;
	struct sites sites;
	size_t trials, interrupted, failures;
};

/* ---- comparing ----------------------------------------------------------- */

static bool draws(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_RDTSC ||
	       mnemonic == ZYDIS_MNEMONIC_RDTSCP ||
	       mnemonic == ZYDIS_MNEMONIC_RDRAND ||
	       mnemonic == ZYDIS_MNEMONIC_RDSEED ||
	       mnemonic == ZYDIS_MNEMONIC_RDPMC;
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
static void compare(const struct context *context, const struct trial *trial,
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
		      context->machine.xsave_size, out);
	compare_bytes("arena", original->arena, copy->arena, 0, ARENA_SIZE,
		      out);
}

static void describe(const struct insn *insn, struct str *out)
{
	ZydisDisassembledInstruction text;

	for (int i = 0; i < insn->length; i++)
		str_printf(out, "%02x", insn->bytes[i]);
	if (ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64,
					       insn->address, insn->bytes,
					       insn->length, &text)))
		str_printf(out, " (%s)", text.text);
}

static void report(struct context *context, const char *how,
		   const struct str *difference)
{
	struct str text = {0};

	if (!difference->length)
		return;
	if (context->failures++ < MAX_REPORTS) {
		describe(&context->trial.insn, &text);
		fprintf(stderr, "# %s, variant %u, %s:%s\n", str_text(&text),
			context->trial.variant, how, str_text(difference));
	}
	str_deinit(&text);
}

/* ---- running ---------------------------------------------------------------
 */

static void place_original(const struct trial *trial)
{
	memcpy(machine_memory(SITE), trial->insn.bytes, trial->insn.length);
}

/* As the probe layer leaves it: int3 over the first byte only. */
static void place_copy(const struct trial *trial, const struct arch_slot *slot)
{
	place_original(trial);
	*machine_memory(SITE) = 0xcc;
	memcpy(machine_memory(slot->address), slot->code, slot->length);
}

static void clear_code(const struct arch_slot *slot)
{
	memset(machine_memory(SITE), 0xcc, ARCH_MAX_INSN);
	if (slot)
		memset(machine_memory(slot->address), 0xcc, ARCH_SLOT_SIZE);
}

static bool in_slot(const struct arch_slot *slot, uint64_t address)
{
	return address - slot->address < slot->length;
}

/* Make of a stop what the program is to see: nothing of a slot. */
static void map_back(const struct arch_slot *slot, struct machine_end *end)
{
	uint64_t address = (uint64_t)end->signal.si_addr;
	bool faulted = in_slot(slot, address) && address == end->regs.rip;

	arch_slot_pc(slot, &end->regs);
	if (faulted)
		end->signal.si_addr = (void *)end->regs.rip; /* NOLINT */
}

static void run_original(struct context *context)
{
	place_original(&context->trial);
	machine_start(&context->machine, &context->trial.state, SITE);
	machine_finish(&context->machine, &context->original);
	clear_code(NULL);
}

static void run_copy(struct context *context, const struct arch_slot *slot,
		     const char *how)
{
	struct str difference = {0};

	place_copy(&context->trial, slot);
	machine_start(&context->machine, &context->trial.state, slot->address);
	machine_finish(&context->machine, &context->copy);
	clear_code(slot);
	map_back(slot, &context->copy);
	if (in_slot(slot, context->copy.regs.rip))
		str_append(&difference, " the pc is in the slot");
	compare(context, &context->trial, &context->original, &context->copy,
		&difference);
	report(context, how, &difference);
	str_deinit(&difference);
}

/* Stop before the slot's byte `offset`, then go on at the program's pc. */
static void run_interrupted(struct context *context,
			    const struct arch_slot *slot, uint8_t offset)
{
	uint64_t stop = slot->address + offset;
	struct str difference = {0};
	struct user_regs_struct regs;

	place_copy(&context->trial, slot);
	*machine_memory(stop) = 0xcc;
	machine_start(&context->machine, &context->trial.state, slot->address);
	machine_get_regs(&context->machine, &regs);
	if (regs.rip != stop + 1) { /* it does not come by here */
		clear_code(slot);
		return;
	}
	clear_code(slot);
	place_original(&context->trial);
	regs.rip = stop;
	if (!arch_slot_pc(slot, &regs))
		str_append(&difference, " not known as a pc of the slot");
	machine_continue(&context->machine, &regs);
	machine_finish(&context->machine, &context->copy);
	clear_code(NULL);
	compare(context, &context->trial, &context->original, &context->copy,
		&difference);
	report(context, "interrupted in the slot", &difference);
	str_deinit(&difference);
	context->interrupted++;
}

/* Where the instructions of a slot begin; addresses among them are left out. */
static size_t slot_boundaries(const struct trial *trial,
			      const struct arch_slot *slot,
			      uint8_t boundaries[ARCH_SLOT_SIZE])
{
	static const uint8_t jump_absolute[] = {0xff, 0x25, 0, 0, 0, 0};
	size_t end = slot->length, count = 0, offset = 0;

	if (trial->insn.kind == INSN_CALL ||
	    trial->insn.kind == INSN_CALL_INDIRECT)
		end -= 8; /* the return address */
	while (offset < end) {
		struct insn insn;

		assert_null(arch_decode(slot->code + offset, end - offset,
					slot->address + offset, &insn));
		boundaries[count++] = (uint8_t)offset;
		offset += insn.length;
		if (insn.length == sizeof(jump_absolute) &&
		    !memcmp(insn.bytes, jump_absolute, sizeof(jump_absolute)))
			offset += 8;
	}
	assert_int_equal(offset, end);
	return count;
}

static bool read_arena(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct trial *trial = data;

	if (address - ARENA > ARENA_SIZE - size)
		return false;
	memcpy(buffer, trial->state.arena + (address - ARENA), size);
	return true;
}

/* arch_jump_taken() and arch_indirect_target() against what happened. */
static void check_prediction(struct context *context)
{
	struct trial *trial = &context->trial;
	const struct machine_end *end = &context->original;
	uint64_t at = end->regs.rip - (end->signal.si_signo == SIGTRAP);
	uint64_t target = 0;
	struct str difference = {0};
	struct error *error;

	switch (trial->insn.kind) {
	case INSN_JUMP:
	case INSN_JUMP_IF:
		if ((at == trial->insn.target) !=
		    arch_jump_taken(&trial->insn, &trial->state.regs))
			str_append(&difference, " taken or not, it is wrong");
		break;
	case INSN_RETURN:
	case INSN_JUMP_INDIRECT:
	case INSN_CALL_INDIRECT:
		if (at == SITE) /* the branch itself faulted */
			break;
		error = arch_indirect_target(&trial->insn, &trial->state.regs,
					     read_arena, trial, &target);
		if (error || at != target)
			str_printf(&difference,
				   " leads to %" PRIx64 " not %" PRIx64, at,
				   target);
		error_destroy(error);
		break;
	default:
		break;
	}
	report(context, "prediction", &difference);
	str_deinit(&difference);
}

static void relocate_to(struct context *context, uint64_t address,
			const char *how, bool interrupt)
{
	const struct trial *trial = &context->trial;
	struct str difference = {0};
	struct arch_slot slot;
	struct error *error;

	error = arch_relocate(&trial->insn, address, &slot);
	if (error) {
		str_printf(&difference, " %s", error_message(error));
		error_destroy(error);
		report(context, how, &difference);
		str_deinit(&difference);
		return;
	}
	run_copy(context, &slot, how);
	if (interrupt) {
		uint8_t boundaries[ARCH_SLOT_SIZE];
		size_t count = slot_boundaries(trial, &slot, boundaries);

		for (size_t i = 0; i < count; i++)
			run_interrupted(context, &slot, boundaries[i]);
	}
}

static bool names_memory_by_rip(const struct trial *trial)
{
	for (int i = 0; i < trial->zydis.operand_count_visible; i++)
		if (trial->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    trial->operands[i].mem.base == ZYDIS_REGISTER_RIP)
			return true;
	return false;
}

/* A far slot cannot reach memory by rip: that must be refused. */
static void expect_refusal(struct context *context)
{
	struct str difference = {0};
	struct arch_slot slot;
	struct error *error;

	error = arch_relocate(&context->trial.insn, FAR_SLOT, &slot);
	if (!error)
		str_append(&difference, " memory out of reach not noticed");
	error_destroy(error);
	report(context, "far slot", &difference);
	str_deinit(&difference);
}

/* Returns the signal that ended it; SIGTRAP is that of the landing's int3. */
static int try_variant(struct context *context, const struct insn *insn,
		       unsigned variant, bool interrupt)
{
	struct trial *trial = &context->trial;

	trial_init(trial, &context->machine, insn, variant, &context->patterns);
	context->trials++;
	run_original(context);
	check_prediction(context);
	relocate_to(context, NEAR_SLOT, "near slot", interrupt);
	if (names_memory_by_rip(trial))
		expect_refusal(context);
	else
		relocate_to(context, FAR_SLOT, "far slot", interrupt);
	return context->original.signal.si_signo;
}

/* ---- the binaries ---------------------------------------------------------
 */

/* The file that the dynamic loader takes for a library. */
static char *find_library(const char *name)
{
	FILE *list = popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p", "r");
	char line[1024], wanted[256], *found = NULL;

	assert_non_null(list);
	snprintf(wanted, sizeof(wanted), "\t%s (libc6,x86-64", name);
	while (!found && fgets(line, sizeof(line), list)) {
		char *arrow = strstr(line, "=> ");

		if (!str_starts(line, wanted) || !arrow)
			continue;
		arrow[strcspn(arrow, "\n")] = '\0';
		found = xstrdup(arrow + 3);
	}
	while (fgets(line, sizeof(line), list))
		; /* ldconfig is not to die of a closed pipe */
	pclose(list);
	return found;
}

/* The first program on PATH of that name that is an ELF file. */
static char *find_program(const char *name)
{
	const char *environment = getenv("PATH");
	char *path = xstrdup(environment ? environment : "/usr/bin:/bin");
	char *rest = path, *directory, *found = NULL;

	while (!found && (directory = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", directory, name);
		FILE *stream = fopen(file, "re");
		char magic[4] = "";

		if (stream && fread(magic, 1, 4, stream) == 4 &&
		    memcmp(magic, ELFMAG, SELFMAG) == 0)
			found = xstrdup(file);
		if (stream)
			fclose(stream);
		free(file);
	}
	free(path);
	return found;
}

static void note(const struct insn *insn, const char *why)
{
	struct str text = {0};

	describe(insn, &text);
	fprintf(stderr, "# %s: %s\n", str_text(&text), why);
	str_deinit(&text);
}

static void sweep(struct sites *sites, const char *name, char *path,
		  const char *package)
{
	struct binary binary;
	size_t before = sites->instructions;

	if (!path)
		fail_msg("%s is not there: install the Debian package %s", name,
			 package);
	if (!binary_open(path, &binary))
		fail_msg("%s: its functions cannot be found", path);
	sites_sweep(sites, &binary, note);
	fprintf(stderr, "# %s: %zu functions, %zu instructions relocated\n",
		path, binary.functions.count, sites->instructions - before);
	assert_true(sites->instructions > before);
	binary_close(&binary);
	free(path);
}

static void add_hex(struct sites *sites, const char *hex)
{
	uint8_t bytes[ARCH_MAX_INSN];
	struct error *error;
	struct insn insn;
	size_t size = 0;
	unsigned byte;
	int used;

	for (; size < sizeof(bytes) && sscanf(hex, "%2x%n", &byte, &used) == 1;
	     hex += used)
		bytes[size++] = (uint8_t)byte;
	error = arch_decode(bytes, size, 0x1000, &insn);
	if (error)
		fail_msg("%s", error_message(error));
	assert_int_equal(insn.length, size);
	sites_add(sites, &insn);
}

static int set_up(void **state)
{
	struct context *context = xcalloc(1, sizeof(*context));
	uint64_t random = 1;

	*state = context;
	machine_init(&context->machine);
	machine_get_regs(&context->machine, &context->patterns.regs);
	random_fill(&random, context->patterns.arena, ARENA_SIZE);
	return 0;
}

static int tear_down(void **state)
{
	struct context *context = *state;

	machine_deinit(&context->machine);
	sites_deinit(&context->sites);
	free(context);
	return 0;
}

static void test_every_instruction_relocates(void **state)
{
	struct context *context = *state;
	struct sites *sites = &context->sites;

	sweep(sites, "libc.so.6", find_library("libc.so.6"), "libc6");
	sweep(sites, "libsqlite3.so.0", find_library("libsqlite3.so.0"),
	      "libsqlite3-0");
	sweep(sites, "python3", find_program("python3"), "python3");
	sweep(sites, "perl", find_program("perl"), "perl-base");
	fprintf(stderr,
		"# %zu instructions (%zu returns, %zu jumps and calls) of %zu "
		"functions, %zu forms\n",
		sites->instructions, sites->returns, sites->branches,
		sites->functions, sites->forms.count);
	assert_int_equal(sites->undecoded, 0);
	assert_int_equal(sites->refused, 0);
}

static void test_copies_do_the_same(void **state)
{
	struct context *context = *state;
	struct sites *sites = &context->sites;
	size_t lacking = 0, faulting = 0;

	for (size_t i = 0; i < sizeof(additional) / sizeof(additional[0]); i++)
		add_hex(sites, additional[i]);
	for (size_t i = 0; i < sites->forms.count; i++) {
		const struct form *form = sites->forms.data[i];
		bool completed = false, illegal = false;

		for (int s = 0; s < form->sample_count; s++) {
			const struct insn *insn = &form->samples[s].insn;
			unsigned variants = insn->kind == INSN_JUMP_IF
						? BRANCH_VARIANTS
						: VARIANTS;

			for (unsigned v = 0; v < variants; v++) {
				int signal =
				    try_variant(context, insn, v, s == 0);

				completed |= signal == SIGTRAP;
				illegal |= signal == SIGILL;
			}
		}
		if (completed)
			continue;
		lacking += illegal;
		faulting += !illegal;
		note(&form->samples[0].insn,
		     illegal ? "illegal here, at its site and in the slot"
			     : "not allowed, at its site and in the slot");
	}
	fprintf(stderr,
		"# %zu forms in %zu states, %zu interruptions, %zu runs; %zu "
		"forms illegal here, %zu not allowed\n",
		sites->forms.count, context->trials, context->interrupted,
		context->machine.runs, lacking, faulting);
	assert_int_equal(context->failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_instruction_relocates),
	    cmocka_unit_test(test_copies_do_the_same),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
