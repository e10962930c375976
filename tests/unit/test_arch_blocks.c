/*
 * test_arch_blocks.c - basic blocks: of instructions written by hand, and of
 * functions of this program, which are executed one instruction at a time to
 * see where their blocks really begin
 *
 * tier: core
 * covers: arch/x86_64
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perftool/basic_blocks.h"
#include "perftool/debuginfo.h"

#define LOW 0x1000

static size_t read_hex(const char *hex, uint8_t *bytes)
{
	size_t size = 0;
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[size++] = (uint8_t)byte;
	return size;
}

/* The table of test_tables_are_read() is at 0x2000: four elements, relative to
 * the table or absolute. */
static bool read_table(void *context, uint64_t address, void *buffer,
		       size_t size)
{
	const uint8_t *table = context;

	if (!table || address < 0x2000 || address + size > 0x2000 + 32)
		return false;
	memcpy(buffer, table + (address - 0x2000), size);
	return true;
}

/* Finds the blocks of code at LOW, and compares the offsets of their beginnings
 * with the list, which ends with -1. */
static void expect(const char *hex, void *table, const int *starts,
		   size_t unknown, size_t within, uint64_t unreached)
{
	uint8_t code[256];
	struct block_code part = {LOW, read_hex(hex, code), code};
	const uint64_t entry = LOW;
	struct basic_blocks blocks;
	size_t count = 0;

	arch_find_blocks(&(struct block_request){.parts = &part,
						 .part_count = 1,
						 .known = &entry,
						 .known_count = 1,
						 .read = read_table,
						 .context = table},
			 &blocks);
	while (starts[count] >= 0) {
		if (count >= blocks.starts.count ||
		    blocks.starts.data[count] != LOW + (unsigned)starts[count])
			fail_msg("%s: block %zu", hex, count);
		count++;
	}
	assert_int_equal(blocks.starts.count, count);
	assert_int_equal(blocks.unknown.count, unknown);
	assert_int_equal(blocks.within.count, within);
	assert_int_equal(blocks.unreached, unreached);
	arch_blocks_deinit(&blocks);
}

static void test_branches_begin_blocks(void **state)
{
	(void)state;
	/* xor eax,eax; ret */
	expect("31c0c3", NULL, (const int[]){0, -1}, 0, 0, 0);
	/* test edi,edi; je +2; inc eax; ret */
	expect("85ff7402ffc0c3", NULL, (const int[]){0, 4, 6, -1}, 0, 0, 0);
	/* dec edi; jne -4; ret: the entry is a target, too */
	expect("ffcf75fcc3", NULL, (const int[]){0, 4, -1}, 0, 0, 0);
	/* a call does not end a block */
	expect("e800000000c3", NULL, (const int[]){0, -1}, 0, 0, 0);
	/* jmp +1; (int3); ret: the int3 is padding */
	expect("eb01ccc3", NULL, (const int[]){0, 3, -1}, 0, 0, 0);
	/* a jump out of the function (a tail call) begins no block */
	expect("e900010000", NULL, (const int[]){0, -1}, 0, 0, 0);
	/* jrcxz and loop are branches */
	expect("e3029090e2fac3", NULL, (const int[]){0, 2, 4, 6, -1}, 0, 0, 0);
}

static void test_what_is_unknown_is_told(void **state)
{
	(void)state;
	/* jmp *rax; ud2 behind it is reached by nothing that is known */
	expect("ffe00f0b", NULL, (const int[]){0, -1}, 1, 0, 2);
	/* jmp *word(%rip) is a tail call through the GOT */
	expect("ff2500100000", NULL, (const int[]){0, -1}, 0, 0, 0);
	/* je +1; lock incl (rdi); ret: the target is behind the lock prefix */
	expect("7401f0ff07c3", NULL, (const int[]){0, 2, -1}, 0, 1, 0);
}

/* cmp $3,%edi; ja default; ...; jmp; then four targets: 2 bytes each (inc or
 * dec of a register), which all go on to the next; ret at the end */
#define TARGETS "ffc0ffc1ffc2ffc3c3"

static void test_tables_are_read(void **state)
{
	int32_t relative[8] = {0};
	uint64_t absolute[4];

	(void)state;
	/* 0: cmp $3,%edi (3)  3: ja +26 (2)  5: lea 0x2000(%rip),%rdx (7)
	 * 12: mov %edi,%edi (2)  14: movslq (%rdx,%rdi,4),%rax (4)
	 * 18: add %rdx,%rax (3)  21: jmp *%rax (2)  23: targets; ret at 31 */
	for (int i = 0; i < 4; i++)
		relative[i] = LOW + 23 + 2 * (3 - i) - 0x2000;
	expect("83ff03771a488d15f40f000089ff486304ba4801d0ffe0" TARGETS,
	       relative, (const int[]){0, 5, 23, 25, 27, 29, 31, -1}, 0, 0, 0);
	/* 0: cmp $3,%edi  3: ja  5: mov %edi,%edi
	 * 7: jmp *0x2000(,%rdi,8) (7)  14: targets */
	for (unsigned i = 0; i < 4; i++)
		absolute[i] = LOW + 14 + 2 * i;
	expect("83ff037711"
	       "89ff"
	       "ff24fd00200000" TARGETS,
	       absolute, (const int[]){0, 5, 14, 16, 18, 20, 22, -1}, 0, 0, 0);
	/* without the comparison the bound is not known */
	expect("89ff"
	       "ff24fd00200000" TARGETS,
	       absolute, (const int[]){0, -1}, 1, 0, 9);
}

/* ---- real functions, executed one instruction at a time ------------------ */

__attribute__((noinline)) int classify(int x, volatile int *sum);
__attribute__((noinline)) int classify(int x, volatile int *sum)
{
	switch (x) {
	case 0:
		*sum += 1;
		break;
	case 1:
		*sum ^= 0x55;
		break;
	case 2:
		*sum = abs(*sum) * 3;
		break;
	case 3:
		*sum -= 7;
		break;
	case 4:
		*sum = *sum / 2 + (x > *sum);
		break;
	case 5:
		for (int i = 0; i < *sum % 5; i++)
			*sum += i & 1 ? i : -i;
		break;
	default:
		return -1;
	}
	return *sum && x;
}

static bool read_own(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	memcpy(buffer, (const void *)(uintptr_t)address, size);
	return true;
}

/* The blocks of a function of this program, at run-time addresses. */
static void blocks_of(const char *name, uint64_t address,
		      struct range_list *ranges, struct basic_blocks *out)
{
	struct function_list functions = {0};
	struct block_code_list parts = {0};
	struct debugfile *file;
	uint64_t bias;

	assert_null(debugfile_open("/proc/self/exe", &file));
	assert_null(debugfile_find_functions(file, name, &functions));
	assert_int_equal(functions.count, 1);
	bias = address - functions.data[0].address;
	assert_null(
		debugfile_function_ranges(file, &functions.data[0], ranges));
	for (size_t i = 0; i < ranges->count; i++) {
		struct range *range = &ranges->data[i];

		range->low += bias;
		range->high += bias;
		vec_push(&parts,
			 (struct block_code){
				 range->low, range->high - range->low,
				 (const uint8_t *)(uintptr_t)range->low});
	}
	arch_find_blocks(&(struct block_request){.parts = parts.data,
						 .part_count = parts.count,
						 .known = &address,
						 .known_count = 1,
						 .read = read_own},
			 out);
	vec_free(&parts);
	vec_free(&functions);
	debugfile_close(file);
}

static bool is_start(const struct basic_blocks *blocks, uint64_t address)
{
	for (size_t i = 0; i < blocks->starts.count; i++)
		if (blocks->starts.data[i] == address)
			return true;
	return false;
}

static pid_t run_child(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	raise(SIGSTOP);
	for (int i = -2; i < 60; i++) {
		volatile int sum = i * 3 - 20;

		classify(i % 8, &sum);
	}
	_exit(0);
}

/* Where does execution of the function not go on at the next instruction? Each
 * such address begins a block, and each block that was entered was entered at
 * its beginning. */
static void check_steps(pid_t pid, const struct range_list *ranges,
			const struct basic_blocks *blocks, size_t *entered)
{
	bool seen[256] = {false};
	struct insn last = {0};
	int status;

	while (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) == 0 &&
	       waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		struct user_regs_struct regs;
		uint64_t pc;

		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		pc = regs.rip;
		if (!range_list_has(ranges, pc)) {
			if (last.kind != INSN_CALL)
				last = (struct insn){0};
			continue;
		}
		if (last.length &&
		    (last.kind == INSN_JUMP || last.kind == INSN_JUMP_IF ||
		     last.kind == INSN_JUMP_INDIRECT))
			assert_true(is_start(blocks, pc));
		for (size_t i = 0; i < blocks->starts.count; i++)
			if (blocks->starts.data[i] == pc && i < 256)
				seen[i] = true;
		assert_null(arch_decode((const uint8_t *)(uintptr_t)pc, 15, pc,
					&last));
	}
	for (size_t i = 0; i < blocks->starts.count && i < 256; i++)
		*entered += seen[i];
}

static void test_blocks_are_those_that_are_executed(void **state)
{
	struct range_list ranges = {0};
	struct basic_blocks blocks;
	size_t entered = 0;
	int status;
	pid_t pid;

	(void)state;
	blocks_of("classify", (uint64_t)(uintptr_t)classify, &ranges, &blocks);
	assert_int_equal(blocks.unknown.count, 0);
	assert_int_equal(blocks.within.count, 0);
	assert_true(blocks.starts.count > 8);
	pid = run_child();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	check_steps(pid, &ranges, &blocks, &entered);
	/* The child has been in all of them, or in all but one or two that the
	 * compiler has made for values that do not occur. */
	assert_true(entered + 2 >= blocks.starts.count);
	arch_blocks_deinit(&blocks);
	vec_free(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_branches_begin_blocks),
		cmocka_unit_test(test_what_is_unknown_is_told),
		cmocka_unit_test(test_tables_are_read),
		cmocka_unit_test(test_blocks_are_those_that_are_executed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
