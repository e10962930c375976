/*
 * test_target_death.c - the tool is killed before each of its system calls
 *
 * A tool attaches to a subject, maps memory in it by remote calls, and lets
 * it go. The test traces that tool and kills it at the n-th of the calls that
 * can change the subject (ptrace, pwrite), for every n until it comes through.
 * The subject must go on as if nothing had been: its sum of a long computation
 * that uses all registers, its signals, its system calls.
 *
 * tier: full
 * covers: target/remote target/attach
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "target_rig.h"

static void subject(struct shared *shared)
{
	const char *build = getenv("PERFTOOL_BUILD");
	char path[4096], number[16];

	(void)shared;
	snprintf(path, sizeof(path), "%s/tests/programs/target_subject",
		 build ? build : "build");
	snprintf(number, sizeof(number), "%d", RIG_PAGE);
	execl(path, path, number, NULL);
	_exit(127);
}

/* Somewhere in its code. */
static struct error *find_code(const struct rig *rig, uint64_t *code)
{
	struct mapping_list maps;

	TRY(target_read_maps(rig->pid, &maps));
	*code = 0;
	for (size_t i = 0; i < maps.count && !*code; i++)
		if (maps.data[i].executable)
			*code = maps.data[i].low;
	mapping_list_deinit(&maps);
	return NULL;
}

/* What the tool does; returns an exit status. */
static int be_tool(struct rig *rig)
{
	struct process *process;
	struct thread *thread;
	struct error *error;
	uint64_t code, address;

	error = target_attach(rig->target, rig->pid, &process);
	if (!error)
		error = find_code(rig, &code);
	if (!error)
		error = target_finish_scripts(process, 0, 0);
	for (size_t i = 0; !error && i < process->threads.count; i++) {
		/* each of them, the sleeping one too */
		thread = process->threads.data[i];
		error = target_map_near(thread, code, code + 1, 1UL << 30,
					0x1000, "perftool-test", &address);
		if (!error)
			error = target_remote_calls(
				thread,
				&(struct script_call){
					.number = SYS_munmap,
					.args = {address, 0x1000}},
				1, NULL, 0, &(int64_t){0});
	}
	if (!error) {
		error = target_calling_thread(process, &thread);
		target_detach(process);
	}
	if (error)
		fprintf(stderr, "# %s\n", error_message(error));
	return error ? 3 : 0;
}

static bool changes_something(long number)
{
	return number == SYS_ptrace || number == SYS_pwrite64;
}

/* Run a tool and kill it before its n-th call; true: it came through. */
static bool run_tool(struct rig *rig, unsigned long n)
{
	unsigned long calls = 0;
	bool entering = true;
	pid_t tool = fork();
	int status;

	assert_true(tool >= 0);
	if (tool == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(be_tool(rig));
	}
	assert_int_equal(waitpid(tool, &status, 0), tool);
	ptrace(PTRACE_SETOPTIONS, tool, 0,
	       PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		int signal = 0;

		if (WIFSTOPPED(status) && WSTOPSIG(status) != SIGSTOP &&
		    WSTOPSIG(status) != (SIGTRAP | 0x80))
			signal = WSTOPSIG(status);
		ptrace(PTRACE_SYSCALL, tool, 0, (long)signal);
		assert_int_equal(waitpid(tool, &status, 0), tool);
		if (!WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (entering) {
			long number = ptrace(
				PTRACE_PEEKUSER, tool,
				offsetof(struct user_regs_struct, orig_rax), 0);

			if (changes_something(number) && ++calls == n)
				kill(tool, SIGKILL);
		}
		entering = !entering;
	}
	if (WIFEXITED(status))
		assert_int_equal(WEXITSTATUS(status), 0);
	return WIFEXITED(status);
}

static bool all_go_on(struct rig *rig)
{
	for (int i = COUNT; i <= WAKES; i++)
		if (atomic_load(&rig->shared->counters[i]) <= rig->marks[i])
			return false;
	return true;
}

static void test_subject_goes_on_after_every_death_of_the_tool(void **state)
{
	struct rig rig;
	unsigned long n;

	(void)state;
	rig_start(&rig, subject);
	assert_true(rig_until(rig_is_ready, &rig));
	for (n = 1; !run_tool(&rig, n); n++) {
		for (int i = COUNT; i <= WAKES; i++)
			rig.marks[i] =
				atomic_load(&rig.shared->counters[i]) + 2;
		if (!rig_until(all_go_on, &rig))
			print_message("# after death %lu\n", n);
		assert_true(rig_until(all_go_on, &rig));
		assert_int_equal(atomic_load(&rig.shared->errors), 0);
		assert_int_equal(waitpid(rig.pid, NULL, WNOHANG), 0);
	}
	print_message("# %lu deaths\n", n - 1);
	assert_true(n > 50);
	rig_end(&rig);
}

#define ROOM 0x4000
#define NAMED 0x2100 /* by an old frame, as it seems */

/* The last word of its stack, which the kernel has left empty. */
static uint64_t stack_end(const struct rig *rig)
{
	struct mapping_list maps;
	uint64_t end = 0;

	assert_ok(target_read_maps(rig->pid, &maps));
	for (size_t i = 0; i < maps.count; i++)
		if (str_equal(maps.data[i].path, "[stack]"))
			end = maps.data[i].high;
	mapping_list_deinit(&maps);
	assert_true(end > 0);
	return end - sizeof(uint64_t);
}

/* What an old frame names stays, and nothing else does: or else the room for
 * scripts was full after some hundred deaths. */
static void test_scripts_of_dead_tools_are_cleared(void **state)
{
	uint8_t scripts[ROOM];
	struct process *process;
	struct thread *thread;
	uint64_t code, low, name;
	struct rig rig;

	(void)state;
	rig_start(&rig, subject);
	assert_true(rig_until(rig_is_ready, &rig));
	assert_ok(target_attach(rig.target, rig.pid, &process));
	assert_ok(find_code(&rig, &code));
	assert_ok(target_calling_thread(process, &thread));
	assert_ok(target_map_near(thread, code, code + 1, 1UL << 30, ROOM,
				  "perftool-test", &low));
	memset(scripts, 0x90, ROOM);
	assert_ok(target_write(process, low, scripts, ROOM));
	name = low + NAMED;
	assert_ok(target_write(process, stack_end(&rig), &name, sizeof(name)));
	assert_ok(target_finish_scripts(process, low, low + ROOM));
	assert_ok(target_read(process, low, scripts, ROOM));
	for (size_t i = 0; i < ROOM; i++)
		assert_int_equal(scripts[i],
				 i >= NAMED - ARCH_SCRIPT_SIZE &&
						 i < NAMED + ARCH_SCRIPT_SIZE
					 ? 0x90
					 : 0);
	/* and when nothing does any more */
	name = 0;
	assert_ok(target_write(process, stack_end(&rig), &name, sizeof(name)));
	assert_ok(target_finish_scripts(process, low, low + ROOM));
	assert_ok(target_read(process, low, scripts, ROOM));
	for (size_t i = 0; i < ROOM; i++)
		assert_int_equal(scripts[i], 0);
	target_detach(process);
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_subject_goes_on_after_every_death_of_the_tool),
		cmocka_unit_test(test_scripts_of_dead_tools_are_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
