/*
 * test_arch_decode.c - kinds and targets of instructions, what branches do
 * with given registers, registers by name and number
 *
 * tier: core
 * covers: arch
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdio.h>
#include <string.h>

#include "decoded.h"
#include "perftool/arch.h"

#define ADDRESS 0x401000UL

static void test_instructions_have_kind_and_target(void **state)
{
	static const struct {
		const char *hex;
		enum insn_kind kind;
		uint64_t target;
	} cases[] = {
		{"55", INSN_PLAIN, 0},
		{"f30f1efa", INSN_PLAIN, 0},
		{"488b0510000000", INSN_PLAIN, 0},
		{"cd80", INSN_PLAIN, 0},
		{"c7f800000000", INSN_PLAIN, 0},
		{"0f01d5", INSN_PLAIN, 0},
		{"0f45c1", INSN_PLAIN, 0},
		{"c3", INSN_RETURN, 0},
		{"f3c3", INSN_RETURN, 0},
		{"c20800", INSN_RETURN, 0},
		{"eb10", INSN_JUMP, ADDRESS + 0x12},
		{"ebfe", INSN_JUMP, ADDRESS},
		{"e900ffffff", INSN_JUMP, ADDRESS + 5 - 0x100},
		{"f2e900000000", INSN_JUMP, ADDRESS + 6},
		{"7410", INSN_JUMP_IF, ADDRESS + 0x12},
		{"0f8f00010000", INSN_JUMP_IF, ADDRESS + 0x106},
		{"e3f0", INSN_JUMP_IF, ADDRESS + 2 - 0x10},
		{"67e310", INSN_JUMP_IF, ADDRESS + 0x13},
		{"e2fe", INSN_JUMP_IF, ADDRESS},
		{"e1fe", INSN_JUMP_IF, ADDRESS},
		{"e0fe", INSN_JUMP_IF, ADDRESS},
		{"ffe0", INSN_JUMP_INDIRECT, 0},
		{"3effe0", INSN_JUMP_INDIRECT, 0},
		{"ff2500000000", INSN_JUMP_INDIRECT, 0},
		{"e800000080", INSN_CALL, ADDRESS + 5 - 0x80000000UL},
		{"666648e810000000", INSN_CALL, ADDRESS + 0x18},
		{"67e810000000", INSN_CALL, ADDRESS + 0x16},
		{"ffd0", INSN_CALL_INDIRECT, 0},
		{"ff1500000000", INSN_CALL_INDIRECT, 0},
		{"ff542410", INSN_CALL_INDIRECT, 0},
		{"0f05", INSN_SYSCALL, 0},
		{"0f0b", INSN_STOP, 0},
		{"0fb9c0", INSN_STOP, 0},
		{"f4", INSN_STOP, 0},
		{"cc", INSN_STOP, 0},
		{"f1", INSN_STOP, 0},
		{"cd03", INSN_STOP, 0},
		{"cb", INSN_STOP, 0},
		{"48cf", INSN_STOP, 0},
		{"ff28", INSN_STOP, 0},
		{"ff18", INSN_STOP, 0},
		{"0f07", INSN_STOP, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = decoded(cases[i].hex, ADDRESS);

		if (insn.kind != cases[i].kind ||
		    insn.target != cases[i].target)
			fail_msg("%s: kind %d, target %lx", cases[i].hex,
				 (int)insn.kind, insn.target);
	}
}

static void expect_no_instruction(const char *bytes, size_t size,
				  const char *message)
{
	struct insn insn = {.length = 77};
	struct error *error =
		arch_decode((const uint8_t *)bytes, size, ADDRESS, &insn);

	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_OTHER);
	assert_string_equal(error_message(error), message);
	assert_int_equal(insn.length, 77); /* untouched on failure */
	error_destroy(error);
}

static void test_bytes_of_no_instruction_give_an_error(void **state)
{
	const char *cut_off =
		"the code ends within the instruction at 0x401000";

	(void)state;
	expect_no_instruction("", 0, cut_off);
	expect_no_instruction("\x0f", 1, cut_off);
	expect_no_instruction("\xe8\0\0\0", 4, cut_off);
	expect_no_instruction("\x06", 1, "no valid instruction at 0x401000");
	expect_no_instruction("\xf0\x90", 2,
			      "no valid instruction at 0x401000");
	/* sixteen bytes are too many */
	expect_no_instruction("\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66"
			      "\x66\x66\x66\x90",
			      16, "no valid instruction at 0x401000");
}

/* ---- conditions ------------------------------------------------------- */

/* What the processor itself says of the 16 conditions. */
static unsigned conditions_by_processor(uint64_t flags)
{
	uint8_t held[16];
	unsigned result = 0;

#define SET(number, name) "set" name " " #number "(%[held])\n\t"
	__asm__ volatile(
		"lea -128(%%rsp), %%rsp\n\t" /* the red zone */
		"push %[flags]\n\tpopf\n\t"
		/* clang-format off */
			 SET(0, "o") SET(1, "no") SET(2, "b") SET(3, "ae")
			 SET(4, "e") SET(5, "ne") SET(6, "be") SET(7, "a")
			 SET(8, "s") SET(9, "ns") SET(10, "p") SET(11, "np")
			 SET(12, "l") SET(13, "ge") SET(14, "le") SET(15, "g")
		/* clang-format on */
		"lea 128(%%rsp), %%rsp"
		:
		: [flags] "r"(flags), [held] "r"(held)
		: "cc", "memory");
	for (int i = 0; i < 16; i++)
		result |= (unsigned)held[i] << i;
	return result;
}

static void test_flags_decide_conditional_jumps(void **state)
{
	static const uint64_t flags[] = {0x1, 0x4, 0x40, 0x80, 0x800};

	(void)state;
	for (unsigned set = 0; set < 32; set++) {
		struct user_regs_struct regs = {.eflags = 0x202};
		unsigned truth;

		for (int i = 0; i < 5; i++)
			regs.eflags |= set >> i & 1 ? flags[i] : 0;
		truth = conditions_by_processor(regs.eflags);
		for (unsigned condition = 0; condition < 16; condition++) {
			bool holds = truth >> condition & 1;
			char near[13], brief[5];
			struct insn insn;

			snprintf(brief, sizeof(brief), "7%x10", condition);
			snprintf(near, sizeof(near), "0f8%x10000000",
				 condition);
			insn = decoded(brief, ADDRESS);
			assert_int_equal(arch_jump_taken(&insn, &regs), holds);
			insn = decoded(near, ADDRESS);
			assert_int_equal(arch_jump_taken(&insn, &regs), holds);
		}
	}
}

static void test_rcx_decides_counting_branches(void **state)
{
	static const struct {
		const char *hex;
		uint64_t rcx;
		bool zero, taken;
	} cases[] = {
		{"e310", 0, false, true},
		{"e310", 1, false, false},
		{"e310", 1UL << 32, false, false},
		{"67e310", 1UL << 32, false, true},
		{"67e310", 1, true, false},
		{"e210", 1, false, false},
		{"e210", 0, false, true},
		{"e210", 2, true, true},
		{"67e210", (1UL << 32) + 1, false, false},
		{"e210", (1UL << 32) + 1, false, true},
		{"e110", 2, true, true},
		{"e110", 2, false, false},
		{"e110", 1, true, false},
		{"e010", 2, false, true},
		{"e010", 2, true, false},
		{"e010", 1, false, false},
	};
	struct insn jump = decoded("eb10", ADDRESS),
		    plain = decoded("90", ADDRESS);
	struct user_regs_struct none = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct user_regs_struct regs = {
			.rcx = cases[i].rcx,
			.eflags = cases[i].zero ? 0x40 : 0,
		};
		struct insn insn = decoded(cases[i].hex, ADDRESS);

		if (arch_jump_taken(&insn, &regs) != cases[i].taken)
			fail_msg("%s with rcx %lx", cases[i].hex, cases[i].rcx);
	}
	assert_true(arch_jump_taken(&jump, &none));
	assert_false(arch_jump_taken(&plain, &none));
}

/* ---- indirect branches -------------------------------------------------- */

struct memory {
	uint64_t address; /* the only one there is */
	uint64_t value;
};

static bool read_memory(void *context, uint64_t address, void *buffer,
			size_t size)
{
	const struct memory *memory = context;

	if (address != memory->address || size != sizeof(memory->value))
		return false;
	memcpy(buffer, &memory->value, size);
	return true;
}

static void test_indirect_branches_have_their_targets(void **state)
{
	static const struct user_regs_struct regs = {
		.rax = 0x10000,
		.rbx = 0x20000,
		.rcx = 0x30000,
		.rdx = 0x40000,
		.rsi = 0x50000,
		.rdi = 0x60000,
		.rbp = 0x70000,
		.rsp = 0x80000,
		.r8 = 0x90000,
		.r9 = 0xa0000,
		.r12 = 0x123400001000,
		.r15 = 5,
		.fs_base = 0x7f0000000000,
		.gs_base = 0x7e0000000000,
	};
	static const struct {
		const char *hex;
		uint64_t address; /* 0: the target is in a register */
		uint64_t target;
	} cases[] = {
		{"ffe0", 0, 0x10000},
		{"ffe1", 0, 0x30000},
		{"ffe2", 0, 0x40000},
		{"ffe3", 0, 0x20000},
		{"ffe4", 0, 0x80000},
		{"ffe5", 0, 0x70000},
		{"ffd6", 0, 0x50000},
		{"ffd7", 0, 0x60000},
		{"41ffe0", 0, 0x90000},
		{"41ffd1", 0, 0xa0000},
		{"41ffe7", 0, 5},
		{"ff20", 0x10000, 1},
		{"ff60f8", 0xfff8, 2},
		{"ff1510000000", ADDRESS + 0x16, 3},
		{"ff1424", 0x80000, 4},
		{"ff542410", 0x80010, 5},
		{"ff24c3", 0xa0000, 6},
		{"42ff24fd00100000", 0x1028, 7},
		{"41ff2424", 0x123400001000, 8},
		{"6741ff2424", 0x1000, 9},
		{"67ff1510000000", ADDRESS + 0x17, 10},
		{"64ff142510000000", 0x7f0000000010, 11},
		{"65ff10", 0x7e0000010000, 12},
		{"c3", 0x80000, 13},
		{"ff1425f0ffffff", -16UL, 14},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn insn = decoded(cases[i].hex, ADDRESS);
		struct memory memory = {cases[i].address, cases[i].target};
		uint64_t target = 0;
		struct error *error = arch_indirect_target(
			&insn, &regs, read_memory, &memory, &target);

		if (error || target != cases[i].target)
			fail_msg("%s: %lx, %s", cases[i].hex, target,
				 error ? error_message(error) : "");
	}
}

static void test_unreadable_indirect_target_is_an_error(void **state)
{
	struct user_regs_struct regs = {.rax = 0x1000};
	struct insn insn = decoded("ff20", ADDRESS),
		    plain = decoded("90", ADDRESS);
	struct memory memory = {.address = 0x2000};
	uint64_t target = 99;
	struct error *error;

	(void)state;
	error = arch_indirect_target(&insn, &regs, read_memory, &memory,
				     &target);
	assert_int_equal(error_code(error), ERROR_EVALUATE);
	error_destroy(error);
	error = arch_indirect_target(&plain, &regs, read_memory, &memory,
				     &target);
	assert_int_equal(error_code(error), ERROR_OTHER);
	error_destroy(error);
	assert_int_equal(target, 99);
}

/* ---- registers -------------------------------------------------------------
 */

static uint64_t value_of(const char *name, const struct user_regs_struct *regs)
{
	struct arch_register reg;

	if (!arch_register_find(name, &reg))
		fail_msg("no register %s", name);
	return arch_register_read(&reg, regs);
}

static void test_register_names_give_values(void **state)
{
	const struct user_regs_struct regs = {
		.rax = 0x1122334455667788,
		.rsi = 0xaabbccdd,
		.r10 = 0xfedcba9876543210,
		.rip = 0x401000,
		.eflags = 0x246,
		.cs = 0x33,
		.fs_base = 0x7f0000000000,
		.gs_base = 0x12345,
		.orig_rax = UINT64_MAX,
	};
	struct arch_register reg;

	(void)state;
	assert_int_equal(value_of("rax", &regs), 0x1122334455667788);
	assert_int_equal(value_of("eax", &regs), 0x55667788);
	assert_int_equal(value_of("ax", &regs), 0x7788);
	assert_int_equal(value_of("al", &regs), 0x88);
	assert_int_equal(value_of("ah", &regs), 0x77);
	assert_int_equal(value_of("sil", &regs), 0xdd);
	assert_int_equal(value_of("r10", &regs), 0xfedcba9876543210);
	assert_int_equal(value_of("r10d", &regs), 0x76543210);
	assert_int_equal(value_of("r10w", &regs), 0x3210);
	assert_int_equal(value_of("r10b", &regs), 0x10);
	assert_int_equal(value_of("rip", &regs), 0x401000);
	assert_int_equal(value_of("eflags", &regs), 0x246);
	assert_int_equal(value_of("cs", &regs), 0x33);
	assert_int_equal(value_of("fs_base", &regs), 0x7f0000000000);
	assert_int_equal(value_of("gs_base", &regs), 0x12345);
	assert_int_equal(value_of("orig_rax", &regs), UINT64_MAX);
	assert_false(arch_register_find("r16", &reg));
	assert_false(arch_register_find("RAX", &reg));
	assert_false(arch_register_find("", &reg));
	for (size_t i = 0; arch_register_names[i]; i++) {
		assert_true(arch_register_find(arch_register_names[i], &reg));
		assert_true(reg.offset + reg.size <= sizeof(regs));
	}
}

static void test_dwarf_numbers_mean_their_registers(void **state)
{
	static const char *const names[] = {
		"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8",
		"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip",
	};
	struct user_regs_struct regs = {0};
	uint64_t value = 0;

	(void)state;
	for (unsigned i = 0; i < 17; i++)
		assert_true(arch_dwarf_set_register(i, &regs, 1000 + i));
	for (unsigned i = 0; i < 17; i++) {
		assert_true(arch_dwarf_register(i, &regs, &value));
		assert_int_equal(value, 1000 + i);
		assert_int_equal(value_of(names[i], &regs), 1000 + i);
	}
	assert_false(arch_dwarf_register(17, &regs, &value));
	assert_false(arch_dwarf_set_register(17, &regs, 1));
}

/* System V ABI, figure 3.4. */
static void test_arguments_and_result_are_in_abi_registers(void **state)
{
	const struct user_regs_struct regs = {
		.rdi = 1,
		.rsi = 2,
		.rdx = 3,
		.rcx = 4,
		.r8 = 5,
		.r9 = 6,
		.rax = 7,
	};

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(arch_argument(&regs, i), i + 1);
	assert_int_equal(arch_argument(&regs, 6), 0);
	assert_int_equal(arch_return_value(&regs), 7);
}

/* What fills the space between functions does nothing. An xchg of two
 * registers is no padding, although its opcode is that of a nop. */
static void test_nops_and_int3_are_padding(void **state)
{
	static const struct {
		size_t padding;
		uint8_t bytes[8];
	} cases[] = {
		{1, {0x90, 0xc3}},
		{2, {0x66, 0x90, 0xc3}},
		{3, {0xcc, 0x66, 0x90, 0xc3}},
		{4, {0x0f, 0x1f, 0x40, 0x00, 0xc3}},
		{0, {0x49, 0x90, 0xc3}}, /* xchg %r8, %rax */
		{0, {0x93, 0xc3}},       /* xchg %ebx, %eax */
		{0, {0xc3}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(
			arch_padding(cases[i].bytes, sizeof(cases[i].bytes)),
			cases[i].padding);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions_have_kind_and_target),
		cmocka_unit_test(test_bytes_of_no_instruction_give_an_error),
		cmocka_unit_test(test_nops_and_int3_are_padding),
		cmocka_unit_test(test_flags_decide_conditional_jumps),
		cmocka_unit_test(test_rcx_decides_counting_branches),
		cmocka_unit_test(test_indirect_branches_have_their_targets),
		cmocka_unit_test(test_unreadable_indirect_target_is_an_error),
		cmocka_unit_test(test_register_names_give_values),
		cmocka_unit_test(test_dwarf_numbers_mean_their_registers),
		cmocka_unit_test(
			test_arguments_and_result_are_in_abi_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
