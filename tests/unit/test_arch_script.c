/*
 * test_arch_script.c - scripts of remote system calls, executed
 *
 * A traced child is set to a script's start and left alone until it is back
 * where it was: then every register, the flags, the vectors, the memory (stack
 * and red zone included) and the signal mask must be what they were.
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

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>

#include "../arch/machine.h"
#include "perftool/base/alloc.h"

#define SCRIPT (CODE + 0x100)
#define INTERRUPTED (CODE + 0x2000)
#define NEW_MAPPING 0x50000000UL
#define MASK 0x4000000000000a00UL

struct context {
	struct machine machine;
	struct machine_state before;
	struct machine_end after;
	struct arch_script script;
};

static int set_up(void **state)
{
	struct context *context = xcalloc(1, sizeof(*context));
	struct user_regs_struct *regs = &context->before.regs;
	unsigned long long value = 0x1111111111111111;

	machine_init(&context->machine);
	machine_get_regs(&context->machine, regs);
	memcpy(context->before.xsave, context->machine.template,
	       sizeof(context->machine.template));
	for (size_t i = 0; i < ARENA_SIZE; i++)
		context->before.arena[i] = (uint8_t)(i * 7 + i / 251);
	/* registers of every size of constant, and negative ones */
	regs->rax = value * 2;
	regs->rbx = 0x33;
	regs->rcx = UINT64_MAX;
	regs->rdx = 0xffffffff;
	regs->rsi = 0x100000000;
	regs->rdi = (unsigned long long)INT32_MIN;
	regs->r8 = (unsigned long long)INT32_MIN - 1;
	regs->r9 = 0x7fffffff;
	regs->r10 = 0x80000000;
	regs->r11 = value * 4;
	regs->r12 = value * 5;
	regs->r13 = value * 6;
	regs->r14 = value * 7;
	regs->r15 = value * 8;
	regs->rbp = value * 9;
	regs->rsp = ARENA + 0x8000;
	regs->eflags = 0xed7; /* all arithmetic flags and DF */
	regs->rip = INTERRUPTED;
	regs->orig_rax = UINT64_MAX;
	*state = context;
	return 0;
}

static int tear_down(void **state)
{
	struct context *context = *state;

	machine_deinit(&context->machine);
	free(context);
	return 0;
}

static uint64_t mask_of(struct context *context)
{
	uint64_t mask = 0;

	assert_int_equal(ptrace(PTRACE_GETSIGMASK, context->machine.child,
				sizeof(mask), &mask),
			 0);
	return mask;
}

static void set_mask(struct context *context, uint64_t mask)
{
	assert_int_equal(ptrace(PTRACE_SETSIGMASK, context->machine.child,
				sizeof(mask), &mask),
			 0);
}

/* Build a script and let the child run it, undisturbed, to its end. */
static void run_and_keep(struct context *context,
			 const struct script_call *calls, size_t count,
			 const void *data, size_t data_size)
{
	struct arch_script *script = &context->script;
	struct machine_state start = context->before;

	assert_null(arch_script_build(SCRIPT, calls, count,
				      &context->before.regs, MASK, data,
				      data_size, script));
	assert_true(script->length <= sizeof(script->code));
	memcpy(machine_memory(SCRIPT), script->code, script->length);
	start.regs.orig_rax = UINT64_MAX;
	/* as while a script runs: nothing but what cannot be blocked */
	set_mask(context, UINT64_MAX);
	machine_start(&context->machine, &start, script->start);
	machine_finish(&context->machine, &context->after);
}

static void run(struct context *context, const struct script_call *calls,
		size_t count, const void *data, size_t data_size)
{
	run_and_keep(context, calls, count, data, data_size);
	memset(machine_memory(SCRIPT), 0xcc, context->script.length);
}

/* All is as before, the pc at `pc` and rax `rax`. */
static void expect_undisturbed(struct context *context, uint64_t pc,
			       uint64_t rax)
{
	struct user_regs_struct expected = context->before.regs;
	struct user_regs_struct *found = &context->after.regs;

	assert_int_equal(context->after.signal.si_signo, SIGTRAP);
	expected.rip = pc + 1; /* behind the int3 that is there */
	expected.rax = rax;
	expected.orig_rax = UINT64_MAX;
	expected.eflags &= ~0x10000UL;
	found->eflags &= ~0x10000UL;
	assert_memory_equal(&expected, found, sizeof(expected));
	assert_memory_equal(context->before.arena, context->after.arena,
			    ARENA_SIZE);
	assert_memory_equal(context->before.xsave + XSAVE_SSE,
			    context->after.xsave + XSAVE_SSE, 256);
	assert_int_equal(mask_of(context), MASK);
}

static void test_empty_script_disturbs_nothing(void **state)
{
	struct context *context = *state;

	run(context, NULL, 0, NULL, 0);
	assert_int_equal(context->script.start, SCRIPT + 8);
	expect_undisturbed(context, INTERRUPTED, context->before.regs.rax);
}

/* Has the child a mapping described so? */
static bool is_mapped(const struct context *context, const char *beginning)
{
	char path[64], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", context->machine.child);
	maps = fopen(path, "re");
	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps))
		found = strncmp(line, beginning, strlen(beginning)) == 0;
	fclose(maps);
	return found;
}

/*
 * As the probe layer's first script: a file by a name in the data, which is of
 * odd size, its size, a mapping of it, another call in between, closed again.
 */
static void test_calls_use_kept_results(void **state)
{
	static const char name[] = "perftool-test";
	const struct script_call calls[] = {
		{.number = SYS_memfd_create,
		 .args = {SCRIPT + 8, 0},
		 .save = true},
		{.number = SYS_ftruncate, .args = {0, 8192}, .use_saved = 1},
		{.number = SYS_mmap,
		 .args = {NEW_MAPPING, 8192, PROT_READ, MAP_SHARED | MAP_FIXED,
			  0, 0},
		 .use_saved = 5},
		{.number = SYS_getppid},
		{.number = SYS_fcntl,
		 .args = {0, F_DUPFD, 200},
		 .use_saved = 1},
		{.number = SYS_close, .use_saved = 1},
	};
	struct context *context = *state;
	char path[64], target[128] = "";

	run(context, calls, 6, name, sizeof(name));
	assert_int_equal(context->script.start, SCRIPT + 8 + sizeof(name));
	expect_undisturbed(context, INTERRUPTED, context->before.regs.rax);
	/* the copy with the number asked for is left, the first is closed */
	snprintf(path, sizeof(path), "/proc/%d/fd/200", context->machine.child);
	assert_true(readlink(path, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/memfd:perftool-test (deleted)");
	assert_true(is_mapped(context, "50000000-50002000 r--s"));
}

#define HELPER_FLAGS (CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD)

static size_t count_entries(pid_t pid, const char *folder)
{
	size_t count = 0;
	char path[64];
	DIR *entries;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, folder);
	entries = opendir(path);
	assert_non_null(entries);
	while (readdir(entries))
		count++;
	closedir(entries);
	return count;
}

/*
 * The same file and its mapping, made by a thread that the script creates, and
 * that has a table of files of its own: nothing is closed, and nothing is left
 * open. The thread that has created it goes on at once.
 */
static void test_helper_has_files_of_its_own(void **state)
{
	static const char name[] = "perftool-test";
	const struct script_call calls[] = {
		{.number = SYS_clone, .args = {HELPER_FLAGS}},
		{.number = SYS_memfd_create,
		 .args = {SCRIPT + 8, 0},
		 .save = true,
		 .by_helper = true},
		{.number = SYS_ftruncate,
		 .args = {0, 8192},
		 .use_saved = 1,
		 .by_helper = true},
		{.number = SYS_mmap,
		 .args = {NEW_MAPPING, 8192, PROT_READ, MAP_SHARED | MAP_FIXED,
			  0, 0},
		 .use_saved = 5,
		 .by_helper = true},
	};
	struct context *context = *state;
	const pid_t pid = context->machine.child;
	const size_t files = count_entries(pid, "fd");

	/* The helper may execute the script for longer than the thread. */
	run_and_keep(context, calls, 4, name, sizeof(name));
	expect_undisturbed(context, INTERRUPTED, context->before.regs.rax);
	assert_true(context->script.has_helper);
	while (count_entries(pid, "task") > 3)
		sched_yield(); /* the helper is still there */
	assert_true(is_mapped(context, "50000000-50002000 r--s"));
	assert_int_equal(count_entries(pid, "fd"), files);
}

/* `returns` says where each call's result can be seen. */
static void test_each_result_is_seen_where_the_call_returns(void **state)
{
	const struct script_call calls[] = {
		{.number = SYS_getpid, .save = true},
		{.number = -1},
		{.number = SYS_getpgid, .use_saved = 1},
		{.number = SYS_dup, .args = {UINT64_MAX}},
	};
	struct context *context = *state;
	const pid_t pid = context->machine.child;
	const int64_t results[] = {pid, -ENOSYS, getpgid(pid), -EBADF};
	struct machine_state start = context->before;
	struct user_regs_struct regs;

	assert_null(arch_script_build(SCRIPT, calls, 4, &start.regs, MASK, NULL,
				      0, &context->script));
	memcpy(machine_memory(SCRIPT), context->script.code,
	       context->script.length);
	start.regs.orig_rax = UINT64_MAX;
	start.regs.rip = context->script.start;
	assert_int_equal(ptrace(PTRACE_SETREGS, pid, NULL, &start.regs), 0);
	for (int i = 0; i < 4; i++) {
		for (int half = 0; half < 2; half++) {
			assert_int_equal(
				ptrace(PTRACE_SYSCALL, pid, NULL, NULL), 0);
			assert_int_equal(machine_wait(&context->machine),
					 SIGTRAP);
		}
		machine_get_regs(&context->machine, &regs);
		assert_int_equal(regs.rip, context->script.returns[i]);
		assert_int_equal(regs.rax, results[i]);
	}
	/* alone to the end */
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	machine_wait(&context->machine);
	machine_get_regs(&context->machine, &regs);
	assert_int_equal(regs.rip, INTERRUPTED + 1);
}

/* What a thread in a system call does next, had it not been interrupted. */
static void test_only_restartable_calls_restart(void **state)
{
	static const struct {
		uint64_t orig_rax;
		int64_t rax;
		uint64_t expected_rax;
		bool restarted;
	} cases[] = {
		{SYS_read, -512, SYS_read, true},
		{SYS_futex, -513, SYS_futex, true},
		{SYS_pause, -514, SYS_pause, true},
		{SYS_nanosleep, -516, SYS_restart_syscall, true},
		{SYS_read, -EINTR, (uint64_t)-EINTR, false},
		{SYS_read, 512, 512, false},
		{SYS_read, -515, (uint64_t)-515, false},
		{UINT64_MAX, -512, (uint64_t)-512, false},
	};
	const struct script_call call = {.number = SYS_getpid};
	struct context *context = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		context->before.regs.orig_rax = cases[i].orig_rax;
		context->before.regs.rax = (uint64_t)cases[i].rax;
		/* no call at all: the way back only */
		for (size_t count = 0; count < 2; count++) {
			run(context, &call, count, NULL, 0);
			expect_undisturbed(context,
					   INTERRUPTED -
						   (cases[i].restarted ? 2 : 0),
					   cases[i].expected_rax);
		}
	}
}

/* The jump back reaches every address. */
static void test_jump_back_reaches_every_address(void **state)
{
	struct context *context = *state;

	context->before.regs.rip = FAR_CODE + 0x10;
	run(context, NULL, 0, NULL, 0);
	expect_undisturbed(context, FAR_CODE + 0x10, context->before.regs.rax);
}

static void expect_error(const struct script_call *calls, size_t count,
			 size_t data_size, const char *message)
{
	static const uint8_t data[ARCH_SCRIPT_SIZE];
	const struct user_regs_struct regs = {0};
	struct arch_script script = {.start = 1};
	struct error *error;

	error = arch_script_build(SCRIPT, calls, count, &regs, 0, data,
				  data_size, &script);
	assert_non_null(error);
	assert_string_equal(error_message(error), message);
	error_destroy(error);
	assert_int_equal(script.start, 1);
}

static void test_impossible_scripts_give_errors(void **state)
{
	const struct script_call calls[ARCH_SCRIPT_CALLS + 1] = {
		[1] = {.number = 5, .use_saved = 1},
		[2] = {.number = 6, .use_saved = 7},
	};

	const struct script_call mixed[] = {
		{.number = SYS_clone},
		{.number = SYS_getpid, .by_helper = true},
		{.number = SYS_getpid},
	};

	(void)state;
	expect_error(mixed, 3, 0,
		     "internal error: a call of a script follows those of a "
		     "helper");
	expect_error(calls, ARCH_SCRIPT_CALLS + 1, 0,
		     "internal error: a script makes at most 24 system calls");
	expect_error(calls, 2, 0,
		     "internal error: system call 5 of a script uses a result "
		     "that was not "
		     "kept");
	expect_error(calls + 2, 1, 0,
		     "internal error: system call 6 of a script uses a result "
		     "that was not "
		     "kept");
	expect_error(calls, 1, ARCH_SCRIPT_SIZE,
		     "internal error: a script of 1 system calls and 1024 "
		     "bytes of data is too "
		     "long");
}

/* Six calls with the widest constants in all places fit, with 256 bytes of
 * data; and as many calls as there can be, of which two arguments differ. */
static void test_largest_scripts_fit(void **state)
{
	static const uint8_t data[256];
	struct script_call calls[ARCH_SCRIPT_CALLS];
	struct user_regs_struct regs;
	struct arch_script script;

	(void)state;
	memset(&regs, 0x77, sizeof(regs));
	memset(calls, 0, sizeof(calls));
	for (int i = 0; i < ARCH_SCRIPT_CALLS; i++)
		for (int k = 0; k < 6; k++)
			calls[i].args[k] = 0x123456789abcdef0 + (uint64_t)i;
	assert_null(arch_script_build(SCRIPT, calls, 6, &regs, 0, data,
				      sizeof(data), &script));
	for (int i = 0; i < ARCH_SCRIPT_CALLS; i++)
		for (int k = 2; k < 6; k++)
			calls[i].args[k] = 7;
	assert_null(arch_script_build(SCRIPT, calls, ARCH_SCRIPT_CALLS, &regs,
				      0, data, 16, &script));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define EXECUTED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
		EXECUTED(test_empty_script_disturbs_nothing),
		EXECUTED(test_calls_use_kept_results),
		EXECUTED(test_helper_has_files_of_its_own),
		EXECUTED(test_each_result_is_seen_where_the_call_returns),
		EXECUTED(test_only_restartable_calls_restart),
		EXECUTED(test_jump_back_reaches_every_address),
		cmocka_unit_test(test_impossible_scripts_give_errors),
		cmocka_unit_test(test_largest_scripts_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
