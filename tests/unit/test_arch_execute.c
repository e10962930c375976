/*
 * test_arch_execute.c - relocated instructions against the originals
 *
 * Every form of instruction found in the functions of libc, libsqlite3,
 * python3 and perl (and some that none of them has, and random ones) is
 * executed at its site and as relocated copies, from the same random states;
 * registers, flags, vectors, memory, the signal if one was raised, and the pc
 * must be the same afterwards. Then the copy is interrupted before each of its
 * instructions, arch_slot_pc() makes of that a state of the program, which goes
 * on at the site: the end must be the same again. What cannot be compared is
 * listed in compare.h.
 *
 * tier: core full
 * covers: arch
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "../arch/additional.h"
#include "../arch/compare.h"
#include "../arch/locate.h"
#include "../arch/sites.h"
#include "sampling.h"

#define MAX_REPORTS 20

struct context {
	struct machine machine;
	struct machine_state patterns;
	struct trial trial;
	struct machine_end original, copy;
	struct sites sites;
	size_t trials, interrupted, failures;
	bool resumes_with_any_rsp;
};

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
	compare(&context->machine, &context->trial, &context->original,
		&context->copy, &difference);
	report(context, how, &difference);
	str_deinit(&difference);
}

/*
 * ptrace takes no null selector with a privilege level, which a program can
 * load into a segment register; such a state cannot be resumed by a test. Some
 * hypervisors resume no state whose rsp is no address.
 */
static bool is_settable(const struct context *context,
			const struct user_regs_struct *regs)
{
	const int64_t canonical = (int64_t)(regs->rsp << 16) >> 16;
	const uint64_t selectors[] = {regs->ds, regs->es, regs->fs, regs->gs};

	for (int i = 0; i < 4; i++)
		if (selectors[i] && (selectors[i] & 3) != 3)
			return false;
	return context->resumes_with_any_rsp || canonical == (int64_t)regs->rsp;
}

/* Does a program come to an int3 if its rsp is no address? */
static bool resumes_with_any_rsp(struct machine *machine,
				 const struct user_regs_struct *any)
{
	struct user_regs_struct regs = *any;

	*machine_memory(SITE) = 0xcc;
	regs.rip = SITE;
	regs.rsp = 0x1234567812345678;
	machine_continue(machine, &regs);
	machine_get_regs(machine, &regs);
	clear_code(NULL);
	return regs.rip == SITE + 1;
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
	/* it may not come by here */
	if (regs.rip != stop + 1 || !is_settable(context, &regs)) {
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
	compare(&context->machine, &context->trial, &context->original,
		&context->copy, &difference);
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

/* The prefix 66 on a branch: Intel ignores it, AMD does not. */
static bool depends_on_vendor(const struct trial *trial)
{
	for (int i = 0; i < trial->zydis.raw.prefix_count; i++)
		if (trial->zydis.raw.prefixes[i].value == 0x66)
			return !trial->zydis.raw.rex.W;
	return false;
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
		if (depends_on_vendor(trial) ? !error : error || at != target)
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

/* ---- the tests --------------------------------------------------------- */

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
	context->resumes_with_any_rsp = resumes_with_any_rsp(
		&context->machine, &context->patterns.regs);
	if (!context->resumes_with_any_rsp)
		fprintf(stderr, "# a state whose rsp is no address cannot be "
				"resumed here\n");
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

/* Execute the samples of a form; false when it was never completed. */
static bool try_form(struct context *context, const struct form *form,
		     bool *illegal)
{
	bool completed = false;

	*illegal = false;
	for (int s = 0; s < form->sample_count; s++) {
		const struct insn *insn = &form->samples[s].insn;
		unsigned variants =
			insn->kind == INSN_JUMP_IF ? BRANCH_VARIANTS : VARIANTS;

		for (unsigned v = 0; v < variants; v++) {
			int signal = try_variant(context, insn, v, s == 0);

			completed |= signal == SIGTRAP;
			*illegal |= signal == SIGILL;
		}
	}
	return completed;
}

static void try_all(struct context *context, const struct sites *sites,
		    bool verbose)
{
	size_t lacking = 0, faulting = 0;

	for (size_t i = 0; i < sites->forms.count; i++) {
		const struct form *form = sites->forms.data[i];
		bool illegal;

		if (!one_in(8, i) || try_form(context, form, &illegal))
			continue;
		lacking += illegal;
		faulting += !illegal;
		if (verbose)
			note(&form->samples[0].insn,
			     illegal ? "illegal here, at its site and in a slot"
				     : "not allowed, at its site or in a slot");
	}
	fprintf(stderr,
		"# %zu forms in %zu states, %zu interruptions, %zu runs; %zu "
		"forms illegal here, %zu not allowed\n",
		sites->forms.count, context->trials, context->interrupted,
		context->machine.runs, lacking, faulting);
	assert_int_equal(context->failures, 0);
}

static void test_relocated_copies_act_as_the_originals(void **state)
{
	struct context *context = *state;
	size_t count = sizeof(additional) / sizeof(additional[0]);

	for (size_t i = 0; i < count; i++)
		add_hex(&context->sites, additional[i]);
	try_all(context, &context->sites, true);
}

#define RANDOM_STRINGS 10000

/* What is refused is none of a test of execution. */
static void add_random(struct sites *sites, uint64_t *random)
{
	static const uint8_t heads[] = {
		0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x65, 0x48,
		0x41, 0x4f, 0x0f, 0x0f, 0x0f, 0xc4, 0xc5, 0x62, 0xff, 0x8f,
	};
	size_t headed = next_random(random) % 5;
	uint8_t bytes[ARCH_MAX_INSN];
	struct arch_slot slot;
	struct error *error;
	struct insn insn;

	for (size_t i = 0; i < sizeof(bytes); i++) {
		uint64_t value = next_random(random);

		bytes[i] = i < headed ? heads[value % sizeof(heads)]
				      : (uint8_t)(value >> 8);
	}
	error = arch_decode(bytes, sizeof(bytes), 0x1000, &insn);
	if (!error)
		error = arch_relocate(&insn, 0x100000, &slot);
	if (!error)
		sites_add(sites, &insn);
	error_destroy(error);
}

/* Instructions that no compiler writes. */
static void test_random_copies_act_as_the_originals(void **state)
{
	struct context *context = *state;
	struct sites sites = {0};
	uint64_t random = 1;

	for (int i = 0; i < RANDOM_STRINGS; i++)
		add_random(&sites, &random);
	assert_true(sites.forms.count > RANDOM_STRINGS / 10);
	try_all(context, &sites, false);
	sites_deinit(&sites);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_instruction_relocates),
		cmocka_unit_test(test_relocated_copies_act_as_the_originals),
		cmocka_unit_test(test_random_copies_act_as_the_originals),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
