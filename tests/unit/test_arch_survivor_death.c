/*
 * test_arch_survivor_death.c - the moment at which the tool dies
 *
 * An orphan (orphan.h) is traced, and its tracer dies of SIGKILL: at a hit that
 * it only looked at, after it has moved the pc to where a tool moves it, at or
 * amid a single step. The orphan's own check of its registers tells whether it
 * went on as if nothing had been. Then: what is not ours ends an orphan as it
 * ends any program, with the registers it had.
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

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "../arch/foreign.h"
#include "../arch/orphan.h"
#include "../arch/workload.h"

#define HANGS 100 /* seconds */

/* What orphan and test share. */
struct shared {
	volatile uint64_t rounds, store;
	volatile bool stop;
};

struct context {
	struct shared *shared;
	pid_t orphan;
};

static int orphan_life(struct shared *shared)
{
	static struct comparison comparison;
	struct orphan orphan;

	alarm(HANGS);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	comparison_init(&comparison, workload);
	orphan_init(&orphan, workload);
	orphan_break_all(&orphan, workload, workload_end);
	orphan_live(&orphan);
	shared->store = orphan.store;
	while (!shared->stop) {
		if (comparison_run(&comparison, 1))
			return 1;
		shared->rounds++;
	}
	return 0;
}

/* Wait until the orphan has gone round `more` times; false if it ends. */
static bool goes_on(struct context *context, uint64_t more)
{
	struct shared *shared = context->shared;
	uint64_t wanted = shared->rounds + more;
	siginfo_t info = {0};

	while (shared->rounds < wanted) {
		sched_yield();
		waitid(P_PID, (id_t)context->orphan, &info,
		       WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid)
			return false;
	}
	return true;
}

static int set_up(void **state)
{
	struct context *context = calloc(1, sizeof(*context));

	if (!context)
		return 1;
	*state = context;
	context->shared =
		mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (context->shared == MAP_FAILED)
		return 1;
	context->orphan = fork();
	if (context->orphan == 0)
		_exit(orphan_life(context->shared));
	return !goes_on(context, 1);
}

static int tear_down(void **state)
{
	struct context *context = *state;
	int status = 0;

	context->shared->stop = true;
	waitpid(context->orphan, &status, 0);
	munmap(context->shared, sizeof(struct shared));
	free(context);
	if (status)
		fprintf(stderr, "# the orphan's status: 0x%x\n",
			(unsigned)status);
	return status != 0;
}

/* ---- a tool that dies --------------------------------------------------- */

enum death {
	AT_A_HIT,      /* looked at, nothing done */
	MOVED_TO_SLOT, /* the pc is moved */
	MOVED_TO_SITE, /* so, with the int3 taken out, as at a detach */
	MOVED_TO_SCRIPT,
	AFTER_A_STEP, /* of an instruction, */
	AFTER_A_CALL, /* of a system call */
	IN_A_STEP,
	DEATHS,
};

static const char *const death_names[DEATHS] = {
	[AT_A_HIT] = "at a hit",
	[MOVED_TO_SLOT] = "pc moved to the slot",
	[MOVED_TO_SITE] = "pc moved to the site",
	[MOVED_TO_SCRIPT] = "pc moved to a script",
	[AFTER_A_STEP] = "after a step",
	[AFTER_A_CALL] = "after a step over a system call",
	[IN_A_STEP] = "in a step",
};

struct tool {
	pid_t target;
	uint64_t store;
};

static void tool_must(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "# tool: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/* How it stopped, as in the upper half of a status; nothing is consumed. */
static int tool_peek(struct tool *tool)
{
	siginfo_t info = {0};

	tool_must(!waitid(P_PID, (id_t)tool->target, &info,
			  WSTOPPED | WEXITED | __WALL | WNOWAIT),
		  "waitid");
	tool_must(info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED,
		  "the target has ended");
	return info.si_status;
}

static void tool_read(struct tool *tool, uint64_t address, void *buffer,
		      size_t size)
{
	struct iovec here = {buffer, size};
	struct iovec there = {(void *)address, size}; /* NOLINT */

	tool_must(process_vm_readv(tool->target, &here, 1, &there, 1, 0) ==
			  (ssize_t)size,
		  "read");
}

static void tool_write(struct tool *tool, uint64_t address, const void *bytes,
		       size_t size)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", tool->target);
	fd = open(path, O_RDWR | O_CLOEXEC);
	tool_must(fd >= 0 && pwrite(fd, bytes, size, (off_t)address) ==
				     (ssize_t)size,
		  "write");
	close(fd);
}

static bool tool_find(struct tool *tool, uint64_t site,
		      struct store_entry *entry)
{
	uint32_t place = store_hash(site);

	for (;; place = (place + 1) % STORE_PLACES) {
		uint32_t number;

		tool_read(tool,
			  tool->store + STORE_INDEX + place * sizeof(number),
			  &number, sizeof(number));
		if (!number)
			return false;
		tool_read(tool,
			  tool->store + STORE_TABLE +
				  (number - 1) * sizeof(*entry),
			  entry, sizeof(*entry));
		if (entry->site == site)
			return true;
	}
}

static void tool_continue(struct tool *tool, int signal)
{
	tool_must(!ptrace(PTRACE_CONT, tool->target, NULL, (long)signal),
		  "PTRACE_CONT");
}

static void tool_get_regs(struct tool *tool, struct user_regs_struct *regs)
{
	tool_must(!ptrace(PTRACE_GETREGS, tool->target, NULL, regs),
		  "PTRACE_GETREGS");
}

static void tool_set_regs(struct tool *tool,
			  const struct user_regs_struct *regs)
{
	tool_must(!ptrace(PTRACE_SETREGS, tool->target, NULL, regs),
		  "PTRACE_SETREGS");
}

/* As a tool does it, `hits` times; ends at another, looked at only. */
static void tool_serve(struct tool *tool, int hits,
		       struct user_regs_struct *regs, struct store_entry *entry)
{
	for (;;) {
		tool_must(tool_peek(tool) == SIGTRAP, "not a hit");
		tool_get_regs(tool, regs);
		tool_must(tool_find(tool, regs->rip - 1, entry), "no site");
		if (hits-- == 0)
			return;
		regs->rip = entry->slot;
		tool_set_regs(tool, regs);
		tool_continue(tool, 0);
	}
}

static void move_to_site(struct tool *tool, struct user_regs_struct *regs,
			 const struct store_entry *entry)
{
	struct store_entry before;

	if (tool_find(tool, entry->site - 1, &before)) {
		regs->rip = entry->slot; /* see survivor.S */
	} else {
		regs->rip = entry->site;
		tool_write(tool, entry->site, entry->original, 1);
	}
	tool_set_regs(tool, regs);
}

static void move_to_script(struct tool *tool, struct user_regs_struct *regs,
			   const struct store_entry *entry)
{
	const struct script_call call = {.number = SYS_getpid};
	uint64_t address = tool->store + STORE_SCRIPTS, mask, all = UINT64_MAX;
	struct arch_script script;

	tool_must(!ptrace(PTRACE_GETSIGMASK, tool->target, sizeof(mask), &mask),
		  "PTRACE_GETSIGMASK");
	regs->rip = entry->slot;
	tool_must(!arch_script_build(address, &call, 1, regs, mask, NULL, 0,
				     &script),
		  "arch_script_build");
	tool_write(tool, address, script.code, script.length);
	regs->rip = script.start;
	regs->orig_rax = UINT64_MAX;
	tool_set_regs(tool, regs);
	tool_must(!ptrace(PTRACE_SETSIGMASK, tool->target, sizeof(all), &all),
		  "PTRACE_SETSIGMASK");
}

static bool is_syscall(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

/* A step over these shows: they store the flags, with the one that steps. */
static bool stores_flags(const uint8_t *code)
{
	return code[0] == 0x9c /* pushf */ || is_syscall(code);
}

/* Continue to an event stop; all hits before it are served by the orphan. */
static void tool_interrupt(struct tool *tool)
{
	int status;

	for (;;) {
		tool_must(!ptrace(PTRACE_INTERRUPT, tool->target, NULL, NULL),
			  "PTRACE_INTERRUPT");
		if (tool_peek(tool) == (SIGTRAP | PTRACE_EVENT_STOP << 8))
			break;
		tool_continue(tool, SIGTRAP);
	}
	tool_must(waitpid(tool->target, &status, __WALL) == tool->target,
		  "waitpid");
}

static void tool_step(struct tool *tool)
{
	tool_must(!ptrace(PTRACE_SINGLESTEP, tool->target, NULL, NULL),
		  "PTRACE_SINGLESTEP");
}

/* The next instructions, at an event stop. */
static uint64_t tool_code(struct tool *tool, uint8_t code[2])
{
	struct user_regs_struct regs;

	tool_get_regs(tool, &regs);
	tool_read(tool, regs.rip, code, 2);
	return regs.rip;
}

/* To where a step shows nothing. */
static void tool_reach_any(struct tool *tool)
{
	uint8_t code[2];

	for (;;) {
		tool_interrupt(tool);
		tool_code(tool, code);
		if (!stores_flags(code))
			return;
		tool_continue(tool, 0);
	}
}

/* To the system call by which the handler returns, which restores all. */
static void tool_reach_return(struct tool *tool)
{
	uint64_t code_start = tool->store + STORE_CODE;
	uint8_t code[2];
	int status;

	for (;;) {
		tool_interrupt(tool);
		while (tool_code(tool, code) - code_start < 0x1000) {
			if (is_syscall(code))
				return;
			tool_step(tool);
			tool_must(waitpid(tool->target, &status, __WALL) ==
					  tool->target,
				  "waitpid");
		}
		tool_continue(tool, 0);
	}
}

static void tool_die(struct tool *tool, enum death death, int when)
{
	struct user_regs_struct regs;
	struct store_entry entry;

	tool_must(!ptrace(PTRACE_SEIZE, tool->target, NULL, NULL),
		  "PTRACE_SEIZE");
	switch (death) {
	case AT_A_HIT:
		tool_serve(tool, when, &regs, &entry);
		break;
	case MOVED_TO_SLOT:
		tool_serve(tool, when, &regs, &entry);
		regs.rip = entry.slot;
		tool_set_regs(tool, &regs);
		break;
	case MOVED_TO_SITE:
		tool_serve(tool, when, &regs, &entry);
		move_to_site(tool, &regs, &entry);
		break;
	case MOVED_TO_SCRIPT:
		tool_serve(tool, when, &regs, &entry);
		move_to_script(tool, &regs, &entry);
		break;
	case AFTER_A_STEP:
		tool_reach_any(tool);
		tool_step(tool);
		tool_peek(tool);
		break;
	case AFTER_A_CALL:
		tool_reach_return(tool);
		tool_step(tool);
		tool_peek(tool);
		break;
	case IN_A_STEP:
		tool_reach_any(tool);
		tool_step(tool);
		break;
	case DEATHS:
		break;
	}
	raise(SIGKILL);
}

#define REPETITIONS 60

static void test_orphan_survives_each_death_of_the_tool(void **state)
{
	struct context *context = *state;

	for (int death = 0; death < DEATHS; death++) {
		for (int i = 0; i < REPETITIONS; i++) {
			struct tool tool = {context->orphan,
					    context->shared->store};
			pid_t pid = fork();
			int status;

			assert_true(pid >= 0);
			if (pid == 0)
				tool_die(&tool, (enum death)death, i);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			assert_true(WIFSIGNALED(status));
			assert_int_equal(WTERMSIG(status), SIGKILL);
			if (!goes_on(context, 3))
				fail_msg("the tool died %s: so did the orphan",
					 death_names[death]);
		}
		fprintf(stderr, "# %d deaths %s\n", REPETITIONS,
			death_names[death]);
	}
}

/* ---- what is not ours --------------------------------------------------- */

static void be_traced(const struct foreign *foreign)
{
	struct orphan orphan;

	alarm(HANGS);
	orphan_for(&orphan, foreign);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	foreign->trap();
	_exit(0);
}

struct seen {
	struct user_regs_struct regs;
	siginfo_t info;
};

static void look(pid_t pid, struct seen *seen)
{
	assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &seen->regs), 0);
	assert_int_equal(ptrace(PTRACE_GETSIGINFO, pid, NULL, &seen->info), 0);
	seen->regs.orig_rax = 0; /* of the call that sent it */
	seen->regs.eflags &= ~0x10000UL;
}

/* Every SIGTRAP is delivered; the last one kills, and is as the first was. */
static void expect_as_by_default(const struct foreign *foreign)
{
	struct seen first = {0}, last = {0};
	int status, traps = 0;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		be_traced(foreign);
	for (;;) {
		int signal;

		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		signal = WSTOPSIG(status);
		if (signal == SIGTRAP)
			look(pid, traps++ ? &last : &first);
		ptrace(PTRACE_CONT, pid, NULL,
		       (long)(signal == SIGSTOP ? 0 : signal));
	}
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTRAP);
	/* a displaced one traps at its site, in its slot, and to die */
	assert_int_equal(traps, foreign->site && !foreign->slotless ? 3 : 2);
	assert_memory_equal(&first.regs, &last.regs, sizeof(first.regs));
	assert_int_equal(first.info.si_code, foreign->expected_code);
	assert_memory_equal(&first.info, &last.info, sizeof(first.info));
}

static void test_foreign_traps_kill_as_by_default(void **state)
{
	(void)state;
	for (size_t i = 0; i < FOREIGNERS; i++) {
		fprintf(stderr, "# %s\n", foreigners[i].name);
		expect_as_by_default(&foreigners[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_orphan_survives_each_death_of_the_tool, set_up,
			tear_down),
		cmocka_unit_test(test_foreign_traps_kill_as_by_default),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
