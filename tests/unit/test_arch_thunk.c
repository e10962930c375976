/*
 * test_arch_thunk.c - jumps and returns that compilers write otherwise
 *
 * tier: core
 * covers: arch
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "perftool/arch.h"

#define AT 0x1000

/* The code up to a string's end. */
#define thunk(code, reg)                                                       \
	arch_thunk_at((const uint8_t *)(code), sizeof(code) - 1, AT, reg)

static void test_thunks_are_recognized(void **state)
{
	unsigned reg = 99;

	(void)state;
	/* call 1f; 2: pause; lfence; jmp 2b; 1: mov %rax, (%rsp); ret */
	assert_int_equal(thunk("\xe8\x07\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9"
			       "\x48\x89\x04\x24\xc3",
			       &reg),
			 ARCH_THUNK_JUMP);
	assert_int_equal(reg, 0);
	/* the same by r11, and by rsi, which DWARF numbers otherwise */
	assert_int_equal(thunk("\xe8\x07\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9"
			       "\x4c\x89\x1c\x24\xc3",
			       &reg),
			 ARCH_THUNK_JUMP);
	assert_int_equal(reg, 11);
	assert_int_equal(thunk("\xe8\x07\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9"
			       "\x48\x89\x34\x24\xc3",
			       &reg),
			 ARCH_THUNK_JUMP);
	assert_int_equal(reg, 4);
	/* lfence; jmp *%r11 */
	assert_int_equal(thunk("\x0f\xae\xe8\x41\xff\xe3", &reg),
			 ARCH_THUNK_JUMP);
	assert_int_equal(reg, 11);
	/* .. 1: lea 8(%rsp), %rsp; ret */
	assert_int_equal(thunk("\xe8\x07\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9"
			       "\x48\x8d\x64\x24\x08\xc3",
			       &reg),
			 ARCH_THUNK_RETURN);
}

static void test_other_code_is_no_thunk(void **state)
{
	unsigned reg;

	(void)state;
	assert_int_equal(thunk("\xc3", &reg), ARCH_THUNK_NONE);
	assert_int_equal(thunk("\xff\xe0", &reg), ARCH_THUNK_NONE);
	/* a call of something behind it, which returns */
	assert_int_equal(thunk("\xe8\x01\0\0\0\xc3\x31\xc0\xc3", &reg),
			 ARCH_THUNK_NONE);
	/* a call of what is before, or far away; and what is cut off */
	assert_int_equal(thunk("\xe8\xf0\xff\xff\xff\xc3", &reg),
			 ARCH_THUNK_NONE);
	assert_int_equal(thunk("\xe8\0\0\x10\0\xc3", &reg), ARCH_THUNK_NONE);
	assert_int_equal(thunk("\xe8\x07\0\0\0\xf3\x90\x0f\xae\xe8\xeb\xf9"
			       "\x48\x89\x04\x24",
			       &reg),
			 ARCH_THUNK_NONE);
	assert_int_equal(thunk("\x0f\xae\xe8", &reg), ARCH_THUNK_NONE);
	assert_int_equal(arch_thunk_at(NULL, 0, AT, &reg), ARCH_THUNK_NONE);
}

static struct insn decode(const char *bytes, size_t size)
{
	struct insn insn;

	assert_null(arch_decode((const uint8_t *)bytes, size, AT, &insn));
	return insn;
}

#define INSN(bytes) decode(bytes, sizeof(bytes) - 1)

static enum arch_end end_of(struct insn further, struct insn before,
			    struct insn insn)
{
	return arch_end_of(&before, &further, &insn);
}

static void test_pop_and_jump_is_a_return(void **state)
{
	const struct insn nop = INSN("\x90"), fence = INSN("\x0f\xae\xe8");
	const struct insn jump = INSN("\xff\xe1"), pop = INSN("\x59");
	const struct insn none = {0};

	(void)state;
	/* pop %rcx; lfence; jmp *%rcx, with the fence and without */
	assert_int_equal(end_of(pop, fence, jump), ARCH_END_RETURN);
	assert_int_equal(end_of(nop, pop, jump), ARCH_END_RETURN);
	/* another register; a pop further up */
	assert_int_equal(end_of(INSN("\x41\x59"), fence, jump), ARCH_END_PLAIN);
	assert_int_equal(end_of(INSN("\x41\x59"), fence, INSN("\x41\xff\xe1")),
			 ARCH_END_RETURN);
	assert_int_equal(end_of(pop, nop, jump), ARCH_END_PLAIN);
	/* mov %rax, (%rsp); ret */
	assert_int_equal(end_of(nop, INSN("\x48\x89\x04\x24"), INSN("\xc3")),
			 ARCH_END_JUMP);
	assert_int_equal(
		end_of(nop, INSN("\x48\x89\x44\x24\x08"), INSN("\xc3")),
		ARCH_END_PLAIN);
	assert_int_equal(end_of(none, none, INSN("\xc3")), ARCH_END_PLAIN);
	assert_int_equal(end_of(none, none, jump), ARCH_END_PLAIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thunks_are_recognized),
		cmocka_unit_test(test_other_code_is_no_thunk),
		cmocka_unit_test(test_pop_and_jump_is_a_return),
	};

	return cmocka_run_group_tests_name("arch_thunk", tests, NULL, NULL);
}
