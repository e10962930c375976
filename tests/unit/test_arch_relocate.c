/*
 * test_arch_relocate.c - slots: what is refused, how far they reach, what is
 * made of a pc inside them, and that no bytes whatever upset them
 *
 * That what is in a slot does the right thing is for test_arch_execute.c.
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
#include <stdlib.h>
#include <string.h>

#include "decoded.h"
#include "perftool/arch.h"

#define SITE 0x7f1200001000UL
#define SLOT (SITE + 0x100000)
#define REACH 0x80000000UL /* of 32 bits, either way */

static struct arch_slot relocated(const char *hex, uint64_t site,
				  uint64_t address)
{
	struct insn insn = decoded(hex, site);
	struct error *error;
	struct arch_slot slot;

	error = arch_relocate(&insn, address, &slot);
	if (error)
		fail_msg("%s", error_message(error));
	return slot;
}

static void expect_refusal(const char *hex, uint64_t address,
			   const char *message)
{
	struct insn insn = decoded(hex, SITE);
	struct arch_slot slot;
	struct error *error = arch_relocate(&insn, address, &slot);

	if (!error)
		fail_msg("%s is not refused", hex);
	assert_int_equal(error_code(error), ERROR_OTHER);
	if (!strstr(error_message(error), message))
		fail_msg("%s: %s", hex, error_message(error));
	error_destroy(error);
}

static void test_what_cannot_be_relocated_is_refused(void **state)
{
	(void)state;
	expect_refusal("ffd4", SLOT, "the address in rsp"); /* call rsp */
	expect_refusal("ff5424f8", SLOT, "pushes the return address");
	expect_refusal("ff5424f1", SLOT,
		       "pushes the return address"); /* rsp - 15 */
	expect_refusal("ff5424ff", SLOT,
		       "pushes the return address"); /* rsp - 1 */
	expect_refusal("67ff5424f8", SLOT, "pushes the return address");
	expect_refusal("ff9424f9ffff7f", SLOT, "displacement");
	expect_refusal("3e3e3e3e3e3e3e3e3eff542410", SLOT, "prefix");
	expect_refusal("66e800000000", SLOT, "AMD");
	expect_refusal("66e900000000", SLOT, "AMD");
	expect_refusal("667400", SLOT, "AMD");
	expect_refusal("66ffd0", SLOT, "AMD");
	expect_refusal("66e300", SLOT, "AMD");
	expect_refusal("ff18", SLOT, "far call");
	expect_refusal("0f34", SLOT, "sysenter");
}

/* The neighbours of what is refused are not. */
static void test_similar_instructions_are_not_refused(void **state)
{
	static const char *const hex[] = {
		"ff5424f0",       /* call [rsp - 16]: beside the push */
		"ff1424",         /* call [rsp] */
		"ff9424f7ffff7f", /* the largest displacement */
		"66ffe0",         /* copied: does what it does */
		"66c3",
		"666648e800000000", /* REX.W settles it */
		"ff28",             /* far jmp, retf, iretq: copied */
		"cb",
		"48cf",
		"c7f800000000",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(hex) / sizeof(hex[0]); i++)
		relocated(hex[i], SITE, SLOT);
}

static uint32_t word_at(const struct arch_slot *slot, size_t offset)
{
	uint32_t word;

	memcpy(&word, slot->code + offset, sizeof(word));
	return word;
}

/* Displacements at the very ends of what 32 bits can say. */
static void test_memory_operands_reach_32_bits(void **state)
{
	static const char load[] = "488b0500000000"; /* of SITE + 7 */
	struct arch_slot slot;

	(void)state;
	slot = relocated(load, SITE, SITE + REACH);
	assert_int_equal(word_at(&slot, 3), REACH);
	expect_refusal(load, SITE + REACH + 1, "out of reach");
	slot = relocated(load, SITE, SITE - REACH + 1);
	assert_int_equal(word_at(&slot, 3), REACH - 1);
	expect_refusal(load, SITE - REACH, "out of reach");
	/* an indirect call: its jump stands 6 bytes into the slot */
	slot = relocated("ff1500000000", SITE, SITE + REACH - 6);
	assert_int_equal(word_at(&slot, 8), REACH);
	expect_refusal("ff1500000000", SITE + REACH - 5, "out of reach");
	/* 32-bit addresses wrap, so they reach all */
	relocated("678b0500000000", SITE, SITE + 5 * REACH);
}

static void test_far_jumps_take_the_long_form(void **state)
{
	static const char jump[] = "e9fbffffff"; /* to SITE */
	struct arch_slot slot;

	(void)state;
	slot = relocated(jump, SITE, SITE + REACH - 5);
	assert_int_equal(slot.length, 5);
	assert_int_equal(word_at(&slot, 1), REACH);
	slot = relocated(jump, SITE, SITE + REACH - 4);
	assert_int_equal(slot.length, 14);
	slot = relocated(jump, SITE, SITE - REACH - 4);
	assert_int_equal(slot.length, 5);
	assert_int_equal(word_at(&slot, 1), REACH - 1);
	slot = relocated(jump, SITE, SITE - REACH - 5);
	assert_int_equal(slot.length, 14);
	assert_memory_equal(slot.code, "\xff\x25\0\0\0\0", 6);
	assert_memory_equal(slot.code + 6, &(uint64_t){SITE}, 8);
}

/* xbegin cannot be executed everywhere: its bytes are checked. */
static void test_xbegin_keeps_its_fallback_address(void **state)
{
	static const char xbegin[] = "c7f800100000"; /* to SITE + 0x1006 */
	struct arch_slot slot;

	(void)state;
	slot = relocated(xbegin, SITE, SLOT);
	assert_memory_equal(slot.code, "\xc7\xf8", 2);
	assert_int_equal(word_at(&slot, 2), (uint32_t)(SITE + 0x1000 - SLOT));
	assert_int_equal(slot.code[6], 0xe9);
	assert_int_equal(word_at(&slot, 7), (uint32_t)(SITE + 6 - (SLOT + 11)));
	/* far: to a jump behind the jump back */
	slot = relocated(xbegin, SITE, SITE + 3 * REACH);
	assert_int_equal(word_at(&slot, 2), 14);
	assert_memory_equal(slot.code + 12, &(uint64_t){SITE + 6}, 8);
	assert_memory_equal(slot.code + 26, &(uint64_t){SITE + 0x1006}, 8);
	assert_int_equal(slot.point_count, 3);
	assert_int_equal(slot.points[2].start, 20);
	assert_int_equal(slot.points[2].pc, SITE + 0x1006);
}

static void expect_pc(const struct arch_slot *slot, uint64_t offset,
		      uint64_t pc, uint64_t rsp, uint64_t rcx)
{
	struct user_regs_struct regs = {
		.rip = slot->address + offset,
		.rsp = 0x1000,
		.rcx = 0x2000,
	};

	assert_true(arch_slot_pc(slot, &regs));
	assert_int_equal(regs.rip, pc);
	assert_int_equal(regs.rsp, rsp);
	assert_int_equal(regs.rcx, rcx);
}

static void test_pc_in_slot_becomes_pc_of_program(void **state)
{
	struct arch_slot slot = relocated("55", SITE, SLOT);
	struct user_regs_struct regs = {.rip = SLOT - 1};

	(void)state;
	assert_int_equal(slot.site, SITE);
	assert_int_equal(slot.address, SLOT);
	expect_pc(&slot, 0, SITE, 0x1000, 0x2000);
	expect_pc(&slot, 1, SITE + 1, 0x1000, 0x2000);
	assert_false(arch_slot_pc(&slot, &regs));
	regs.rip = SLOT + slot.length;
	assert_false(arch_slot_pc(&slot, &regs));
	assert_int_equal(regs.rip, SLOT + slot.length);

	slot = relocated("e800010000", SITE, SLOT);
	expect_pc(&slot, 0, SITE, 0x1000, 0x2000);
	expect_pc(&slot, 6, SITE + 0x105, 0x1000, 0x2000);
	slot = relocated("ffd0", SITE, SLOT);
	expect_pc(&slot, 0, SITE, 0x1000, 0x2000);
	expect_pc(&slot, 6, SITE, 0x1008, 0x2000); /* the push undone */
	slot = relocated("0f05", SITE, SLOT);
	expect_pc(&slot, 0, SITE, 0x1000, 0x2000);
	expect_pc(&slot, 2, SITE + 2, 0x1000, SITE + 2);
	slot = relocated("e310", SITE, SLOT);
	expect_pc(&slot, 0, SITE, 0x1000, 0x2000);
	expect_pc(&slot, 2, SITE + 2, 0x1000, 0x2000);
	expect_pc(&slot, 7, SITE + 0x12, 0x1000, 0x2000);
}

/* ---- any bytes ---------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* Random bytes; often prefixes, escapes and branches come first. */
static size_t random_bytes(uint64_t *random, uint8_t *bytes)
{
	static const uint8_t heads[] = {
		0x66, 0x67, 0xf0, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x65, 0x48,
		0x41, 0x0f, 0xc4, 0xc5, 0x62, 0xff, 0xe8, 0xe9, 0xeb, 0xe0,
		0xe1, 0xe2, 0xe3, 0x70, 0x7f, 0xc7, 0xc3, 0xc2, 0xcd, 0x8f,
	};
	size_t size = next_random(random) % 17;
	size_t headed = next_random(random) % 5;

	for (size_t i = 0; i < size; i++) {
		uint64_t value = next_random(random);

		bytes[i] = i < headed ? heads[value % sizeof(heads)]
				      : (uint8_t)(value >> 8);
	}
	return size;
}

static bool read_anything(void *context, uint64_t address, void *buffer,
			  size_t size)
{
	(void)context;
	memset(buffer, (int)address & 0xff, size);
	return address & 1;
}

static void check_slot(const struct insn *insn, const struct arch_slot *slot)
{
	assert_true(slot->length > 0 && slot->length <= ARCH_SLOT_SIZE);
	assert_true(slot->point_count > 0 &&
		    slot->point_count <= ARCH_SLOT_POINTS);
	assert_int_equal(slot->points[0].start, 0);
	assert_false(slot->points[0].done);
	for (int i = 0; i < slot->point_count; i++) {
		const struct slot_point *point = &slot->points[i];

		assert_true(point->start < slot->length);
		if (i)
			assert_true(point->start > point[-1].start);
		if (!point->done)
			assert_int_equal(point->pc, insn->address);
	}
	for (unsigned offset = 0; offset < slot->length; offset++) {
		struct user_regs_struct regs = {.rip = slot->address + offset};

		assert_true(arch_slot_pc(slot, &regs));
	}
}

#define ATTEMPTS 400000

static void test_any_bytes_relocate_or_give_an_error(void **state)
{
	uint64_t random = 42;
	size_t decodable = 0, relocatable = 0;

	(void)state;
	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t site = next_random(&random) >> 17;
		uint64_t near = site + (uint32_t)next_random(&random) - REACH;
		uint64_t far = next_random(&random) >> (i & 31);
		struct user_regs_struct regs;
		struct arch_slot slot;
		struct error *error;
		struct insn insn;
		uint8_t *bytes;
		uint64_t target, buffer[3];
		size_t size = random_bytes(&random, (uint8_t *)buffer);

		/* exactly as large as said, for the sanitizer to watch */
		bytes = malloc(size ? size : 1);
		assert_non_null(bytes);
		memcpy(bytes, buffer, size);
		error = arch_decode(bytes, size, site, &insn);
		free(bytes);
		if (error) {
			error_destroy(error);
			continue;
		}
		decodable++;
		assert_true(insn.length > 0 && insn.length <= size);
		memset(&regs, (int)random & 0xff, sizeof(regs));
		arch_jump_taken(&insn, &regs);
		error_destroy(arch_indirect_target(&insn, &regs, read_anything,
						   NULL, &target));
		for (int where = 0; where < 2; where++) {
			error = arch_relocate(&insn, where ? far : near, &slot);
			if (!error) {
				check_slot(&insn, &slot);
				relocatable++;
			}
			error_destroy(error);
		}
	}
	fprintf(stderr, "# %d byte strings, %zu instructions, %zu slots\n",
		ATTEMPTS, decodable, relocatable);
	assert_true(decodable > ATTEMPTS / 10);
	assert_true(relocatable > decodable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_cannot_be_relocated_is_refused),
		cmocka_unit_test(test_similar_instructions_are_not_refused),
		cmocka_unit_test(test_memory_operands_reach_32_bits),
		cmocka_unit_test(test_far_jumps_take_the_long_form),
		cmocka_unit_test(test_xbegin_keeps_its_fallback_address),
		cmocka_unit_test(test_pc_in_slot_becomes_pc_of_program),
		cmocka_unit_test(test_any_bytes_relocate_or_give_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
