/*
 * test_sample_code_rules.c - which addresses of memory that belongs to no
 * module can be return addresses: those that have a call in front of them
 *
 * tier: core
 * covers: sample
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/target/remote_calls.h"
#include "target_rig.h"

#include "sample/unwinder.h"
#include "sample_rig.h"

/* Code as a program makes it at run time. The page in front of it and the page
 * behind it are not mapped. */
#define CODE 0x300000000000UL
#define CODE_SIZE 8192UL

#define NOP 0x90

static struct sample_rig rig;
static struct code_rules *rules;
static const struct sampler_host host = {.context = &rig,
					 .find_module = rig_find_module,
					 .generation = rig_generation};

/* The subject is a copy of the test, so it has the page, too. */
static uint8_t *map_code(void)
{
	uint8_t *code = mmap(
		(void *)CODE, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	assert_ptr_equal(code, (void *)CODE);
	memset(code, NOP, CODE_SIZE);
	return code;
}

static void start(void)
{
	sample_rig_start(&rig, rig_count_in_threads);
	rules = code_rules_create(rig.process);
}

static void end(void)
{
	code_rules_destroy(rules);
	sample_rig_end(&rig);
	munmap((void *)CODE, CODE_SIZE);
}

static bool is_no_code(uint64_t pc)
{
	return code_rules_at(rules, &host, pc, false)->is_no_code;
}

struct code {
	const char *bytes;
	size_t length;
	bool is_call;
};
#define CALL(bytes)                                                            \
	{                                                                      \
		bytes, sizeof(bytes) - 1, true                                 \
	}
#define OTHER(bytes)                                                           \
	{                                                                      \
		bytes, sizeof(bytes) - 1, false                                \
	}

static const struct code codes[] = {
	CALL("\xe8\x10\x20\x30\x00"),     /* call rel32 */
	CALL("\xcc\x10\x20\x30\x00"),     /* the same with a breakpoint */
	CALL("\xff\xd0"),                 /* call *%rax */
	CALL("\x41\xff\xd3"),             /* call *%r11 */
	CALL("\xff\x10"),                 /* call *(%rax) */
	CALL("\xff\x50\x08"),             /* call *8(%rax) */
	CALL("\xff\x14\xc8"),             /* call *(%rax,%rcx,8) */
	CALL("\xff\x15\x01\x02\x03\x04"), /* call *0x4030201(%rip) */
	CALL("\xff\x90\x01\x02\x03\x04"), /* call *0x4030201(%rax) */
	CALL("\x41\xff\x94\x24\x01\x02\x03\x04"), /* call *0x4030201(%r12) */
	OTHER("\x90"),                            /* nop */
	OTHER("\xc3"),                            /* ret */
	OTHER("\xff\xe0"),                        /* jmp *%rax */
	OTHER("\xff\x25\x01\x02\x03\x04"),        /* jmp *0x4030201(%rip) */
	OTHER("\xff\x30"),                        /* push (%rax) */
	OTHER("\xe9\x10\x20\x30\x00"),            /* jmp rel32 */
	OTHER("\x50"),                            /* push %rax */
	OTHER("\x48\x89\xe5"),                    /* mov %rsp, %rbp */
};
#define CODES (sizeof(codes) / sizeof(*codes))

/* The distance between the codes is more than the longest of them. */
#define APART 32

static void test_a_return_address_has_a_call_in_front(void **state)
{
	uint8_t *code = map_code();

	(void)state;
	for (size_t i = 0; i < CODES; i++)
		memcpy(code + (i + 1) * APART - codes[i].length, codes[i].bytes,
		       codes[i].length);
	start();
	for (size_t i = 0; i < CODES; i++) {
		uint64_t pc = CODE + (i + 1) * APART;

		if (is_no_code(pc) == codes[i].is_call)
			fail_msg("code %zu", i);
		/* the byte of a direct call is at one place only */
		if (codes[i].length == 5 && !is_no_code(pc + 1))
			fail_msg("behind code %zu", i);
	}
	end();
}

/* What stands in front of the code that a mapping begins with is not mapped. */
static void test_a_mapping_may_begin_with_the_call(void **state)
{
	static const struct code firsts[] = {
		CALL("\xe8\x10\x20\x30\x00"),
		CALL("\xff\xd0"),
		CALL("\xff\x15\x01\x02\x03\x04"),
		OTHER("\xe9\x10\x20\x30\x00"),
		OTHER("\xff\xe0"),
		OTHER("\x90"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(firsts) / sizeof(*firsts); i++) {
		memcpy(map_code(), firsts[i].bytes, firsts[i].length);
		start();
		if (is_no_code(CODE + firsts[i].length) == firsts[i].is_call)
			fail_msg("first code %zu", i);
		end();
	}
}

static void test_a_call_may_lie_across_pages(void **state)
{
	uint8_t *code = map_code();

	(void)state;
	memcpy(code + 4096 - 2, codes[0].bytes, codes[0].length);
	start();
	assert_false(is_no_code(CODE + 4096 + 3));
	assert_true(is_no_code(CODE + 4096 + 4));
	end();
}

static void test_where_nothing_is_mapped_is_no_code(void **state)
{
	(void)state;
	memset(map_code(), 0xe8, CODE_SIZE);
	start();
	assert_true(is_no_code(CODE));
	assert_true(is_no_code(CODE - 1));
	assert_true(is_no_code(CODE + CODE_SIZE + 16));
	assert_true(is_no_code(0));
	assert_true(is_no_code(UINT64_MAX));
	/* what lies between the code and its end is mapped */
	assert_false(is_no_code(CODE + CODE_SIZE));
	end();
}

/* A thread is where it is, whatever stands in front. */
static void test_where_a_thread_executes_is_code(void **state)
{
	(void)state;
	map_code();
	start();
	assert_false(code_rules_at(rules, &host, CODE, true)->is_no_code);
	assert_false(code_rules_at(rules, &host, CODE + 16, true)->is_no_code);
	assert_false(code_rules_at(rules, &host, CODE - 1, true)->is_no_code);
	end();
}

/* A module's call frame information is believed, even where the code in front
 * of the address is not a call: a breakpoint may stand there. */
static void test_addresses_of_a_module_are_code(void **state)
{
	uint64_t address = (uintptr_t)rig_count_in_threads;

	(void)state;
	map_code();
	start();
	for (uint64_t at = address + 1; at < address + 64; at++)
		assert_false(is_no_code(at));
	end();
}

/* ---- what the unwinder makes of it ------------------------------------- */

/* Unwind a stack whose innermost frame has this return address. */
static bool unwind_to(uint64_t return_address, uint64_t *second)
{
	static uint64_t stack[64];
	struct user_regs_struct regs;
	struct stack_reader reader;
	struct unwind_place place;
	enum unwind_result result;

	assert_ok(target_get_regs(rig.process->threads.data[0], &regs));
	/* In front of the first instruction of a function, its return address
	 * is the innermost word of the stack. */
	regs.rip = (uintptr_t)rig_count_in_threads;
	stack[0] = return_address;
	unwind_place_init(&place, &regs);
	stack_reader_copy(&reader, (uint8_t *)stack, regs.rsp, sizeof(stack));
	vec_clear(&rig.frames);
	result = unwind(rules, &host, &reader, &place, &rig.frames);
	assert_true(rig.frames.count >= 1);
	*second = rig.frames.count > 1 ? rig.frames.data[1].address : 0;
	return result == UNWOUND_BROKEN;
}

static void test_a_stack_ends_at_what_is_no_code(void **state)
{
	uint8_t *code = map_code();
	uint64_t second;

	(void)state;
	memcpy(code + 64 - 5, codes[0].bytes, 5);
	start();
	unwind_to(CODE + 64, &second);
	assert_int_equal(second, CODE + 64);
	assert_true(unwind_to(CODE + 128, &second));
	assert_int_equal(second, 0);
	assert_true(unwind_to(0x4141414141414141, &second));
	assert_int_equal(second, 0);
	end();
}

/* ---- the vdso ---------------------------------------------------------- */

static bool has_no_code_of_the_tool(void *context, struct process *process,
				    uint64_t address,
				    struct user_regs_struct *regs,
				    uint64_t *place)
{
	(void)context;
	(void)process;
	(void)address;
	(void)regs;
	(void)place;
	return false;
}

/* A thread makes system calls for the tool behind the end of the vdso's file.
 * The vdso's own functions are the program's. The stack of a thread in code of
 * the tool is not looked at: an attempt that fails would have the kernel copy
 * more of the program's stacks, or the tool stop its threads. */
static void test_scripts_behind_the_vdso_are_the_tools(void **state)
{
	struct sampler_host own = host;
	struct user_regs_struct regs;
	struct stack_reader reader;
	struct unwind_place place;
	uint64_t low, high;

	(void)state;
	map_code();
	start();
	own.own_code = has_no_code_of_the_tool;
	assert_ok(target_vdso_room(rig.process, &low, &high));
	assert_true(low < high);
	assert_non_null(code_rules_module(rules, &own, low - 1));
	assert_null(code_rules_module(rules, &own, low));
	assert_null(code_rules_module(rules, &own, high - 1));
	assert_ok(target_get_regs(rig.process->threads.data[0], &regs));
	for (uint64_t pc = low - 1; pc <= low; pc++) {
		regs.rip = pc;
		unwind_place_init(&place, &regs);
		stack_reader_live(&reader, rig.process);
		vec_clear(&rig.frames);
		if (pc < low)
			unwind(rules, &own, &reader, &place, &rig.frames);
		else
			assert_int_equal(unwind(rules, &own, &reader, &place,
						&rig.frames),
					 UNWOUND);
		assert_int_equal(rig.frames.data[0].address, pc < low ? pc : 0);
		assert_int_equal(
			sampled_in_tool(rig.frames.data, rig.frames.count),
			pc == low);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_return_address_has_a_call_in_front),
		cmocka_unit_test(test_a_mapping_may_begin_with_the_call),
		cmocka_unit_test(test_a_call_may_lie_across_pages),
		cmocka_unit_test(test_where_nothing_is_mapped_is_no_code),
		cmocka_unit_test(test_where_a_thread_executes_is_code),
		cmocka_unit_test(test_addresses_of_a_module_are_code),
		cmocka_unit_test(test_a_stack_ends_at_what_is_no_code),
		cmocka_unit_test(test_scripts_behind_the_vdso_are_the_tools),
	};

	return cmocka_run_group_tests_name("sample_code_rules", tests, NULL,
					   NULL);
}
