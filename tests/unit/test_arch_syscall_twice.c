/*
 * test_arch_syscall_twice.c - system calls that return twice, made from within
 * a slot: parent and child both go on as if there were none
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

#include <linux/sched.h>
#include <sched.h>
#include <sys/wait.h>

#include "../arch/calls.h"
#include "../arch/orphan.h"

#define HANGS 100 /* seconds */

static uint8_t child_stack[16384] __attribute__((aligned(16)));

struct doubled {
	const char *name;
	struct call call;
};

static struct clone_args clone_args = {
	.flags = CLONE_VM | CLONE_VFORK,
	.exit_signal = SIGCHLD,
	.stack = (uint64_t)child_stack,
	.stack_size = sizeof(child_stack),
};

/* rcx != 0: a child is to end */
static const struct doubled doubles[] = {
	{"fork", {.rax = SYS_fork, .rcx = 1}},
	{"vfork", {.rax = SYS_vfork, .rcx = 1}},
	{"clone", {.rax = SYS_clone, .rdi = SIGCHLD, .rcx = 1}},
	{"clone, memory shared",
	 {.rax = SYS_clone,
	  .rdi = SIGCHLD | CLONE_VM,
	  .rsi = (uint64_t)(child_stack + sizeof(child_stack)),
	  .rcx = 1}},
	{"clone3",
	 {.rax = SYS_clone3,
	  .rdi = (uint64_t)&clone_args,
	  .rsi = sizeof(clone_args),
	  .rcx = 1}},
};

#define DOUBLES (sizeof(doubles) / sizeof(doubles[0]))

static int be_doubled(const struct doubled *doubled, bool traced)
{
	struct call call = doubled->call;
	struct orphan orphan;
	int status;

	alarm(HANGS);
	orphan_init(&orphan, call_site);
	orphan_break(&orphan, call_site);
	orphan_live(&orphan);
	if (traced) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
	}
	make_call(&call);
	if ((int64_t)call.rax <= 0 || call.rcx != (uint64_t)call_site + 2)
		return 2;
	if (waitpid((pid_t)call.rax, &status, 0) != (pid_t)call.rax)
		return 3;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7 ? 4 : 0;
}

static void test_children_made_in_a_slot_go_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < DOUBLES; i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(be_doubled(&doubles[i], false));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (status)
			fail_msg("%s: 0x%x", doubles[i].name, (unsigned)status);
	}
}

/* Give a stopped thread the program's pc and text, and leave it. */
static void clean_up(pid_t pid, const struct arch_slot *slot)
{
	struct user_regs_struct regs;

	get_regs(pid, &regs);
	assert_int_equal(regs.rip, slot->address + 2);
	assert_true(arch_slot_pc(slot, &regs));
	assert_int_equal(regs.rip, slot->site + 2);
	assert_int_equal(regs.rcx, slot->site + 2);
	set_regs(pid, &regs);
	write_memory(pid, slot->site, slot->code, 1);
	assert_int_equal(ptrace(PTRACE_DETACH, pid, NULL, NULL), 0);
}

/* Parent and child are both found in the slot; both go on in the text. */
static void double_traced(const struct doubled *doubled,
			  const struct arch_slot *slot)
{
	unsigned long message, options = PTRACE_O_TRACEFORK |
					 PTRACE_O_TRACEVFORK |
					 PTRACE_O_TRACECLONE;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(be_doubled(doubled, true));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, pid, NULL, options), 0);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	for (;;) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		if (status >> 16)
			break;
		ptrace(PTRACE_CONT, pid, NULL, (long)WSTOPSIG(status));
	}
	assert_int_equal(ptrace(PTRACE_GETEVENTMSG, pid, NULL, &message), 0);
	assert_int_equal(waitpid((pid_t)message, &status, __WALL), message);
	assert_true(WIFSTOPPED(status));
	clean_up((pid_t)message, slot);
	clean_up(pid, slot);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("%s: 0x%x", doubled->name, (unsigned)status);
}

static void test_children_taken_out_of_a_slot_go_on(void **state)
{
	uint64_t store = orphan_store(call_site);
	struct arch_slot slot;
	struct insn insn;

	(void)state;
	assert_null(arch_decode(call_site, 2, (uint64_t)call_site, &insn));
	assert_null(arch_relocate(&insn, store + STORE_SLOTS, &slot));
	for (size_t i = 0; i < DOUBLES; i++)
		double_traced(&doubles[i], &slot);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_made_in_a_slot_go_on),
		cmocka_unit_test(test_children_taken_out_of_a_slot_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
