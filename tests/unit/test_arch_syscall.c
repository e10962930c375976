/*
 * test_arch_syscall.c - system calls made from within a slot
 *
 * An orphan (orphan.h) has a breakpoint on its system call instruction, so that
 * it waits in the kernel with its pc in the slot. There it is stopped and
 * treated in each way a tool has: left alone, given the program's pc by
 * arch_slot_pc() with the int3 in place or taken out, driven through a script.
 * The kernel restarts the call by moving the pc back two bytes; whichever place
 * that is, the call must do what it would have done. Then: other ways into the
 * kernel. Calls that return twice are for test_arch_syscall_twice.c.
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
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../arch/calls.h"
#include "../arch/orphan.h"

#define HANGS 100 /* seconds */

/* ---- what is shared -------------------------------------------------------
 */

struct shared {
	volatile uint64_t store, calls;
	volatile uint32_t futex;
	volatile bool enough;
	volatile char failure[100];
	int pipe[2];
};

enum waiting {
	IN_READ,      /* restarts as it is */
	IN_NANOSLEEP, /* restarts by restart_syscall, for the rest of it */
	IN_FUTEX,     /* the same, and is woken */
	IN_PAUSE,     /* restarts unless a handler runs */
	IN_READ_32,   /* by int 0x80 */
	WAITINGS,
};

static const char *const waiting_names[WAITINGS] = {
	"read", "nanosleep", "futex", "pause", "read by int 0x80",
};

#define NAP_NS 30000000

static int say(struct shared *shared, const char *what, uint64_t value)
{
	snprintf((char *)shared->failure, sizeof(shared->failure), "%s: 0x%lx",
		 what, value);
	return 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void on_signal(int signal)
{
	(void)signal;
}

/* One call and all that can be wrong about it. `low`: below 4 GiB. */
static int wait_once(struct shared *shared, enum waiting waiting, char *low)
{
	const struct timespec nap = {0, NAP_NS}, hour = {3600, 0};
	const struct call calls[WAITINGS] = {
		[IN_READ] = {.rax = SYS_read,
			     .rdi = (uint64_t)shared->pipe[0],
			     .rsi = (uint64_t)low,
			     .rdx = 2},
		[IN_NANOSLEEP] = {.rax = SYS_nanosleep, .rdi = (uint64_t)&nap},
		[IN_FUTEX] = {.rax = SYS_futex,
			      .rdi = (uint64_t)&shared->futex,
			      .rsi = FUTEX_WAIT,
			      .rdx = shared->futex,
			      .r10 = (uint64_t)&hour},
		[IN_PAUSE] = {.rax = SYS_pause},
		[IN_READ_32] = {.rax = 3,
				.rdi = (uint64_t)shared->pipe[0],
				.rsi = (uint64_t)low,
				.rdx = 2},
	};
	static const int64_t results[WAITINGS] = {
		[IN_READ] = 1,
		[IN_PAUSE] = -EINTR,
		[IN_READ_32] = 1,
	};
	struct call call = calls[waiting];
	double start = now();

	low[0] = 0;
	if (waiting == IN_READ_32)
		make_call_32(&call);
	else
		make_call(&call);
	if ((int64_t)call.rax != results[waiting])
		return say(shared, "result", call.rax);
	if (call.rcx !=
	    (waiting == IN_READ_32 ? (uint64_t)low : (uint64_t)call_site + 2))
		return say(shared, "rcx", call.rcx);
	if (waiting == IN_NANOSLEEP && now() - start < NAP_NS)
		return say(shared, "too early by ns",
			   (uint64_t)(NAP_NS - (now() - start)));
	if (results[waiting] == 1 && low[0] != 'x')
		return say(shared, "read", (uint8_t)low[0]);
	return 0;
}

static int live(struct shared *shared, enum waiting waiting)
{
	const struct sigaction action = {.sa_handler = on_signal};
	char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct orphan orphan;

	alarm(HANGS);
	orphan_must(low != MAP_FAILED, "MAP_32BIT");
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	orphan_init(&orphan, call_site);
	orphan_break(&orphan, waiting == IN_READ_32 ? call_32_site : call_site);
	orphan_live(&orphan);
	shared->store = orphan.store;
	while (!shared->enough) {
		if (wait_once(shared, waiting, low))
			return 1;
		shared->calls++;
	}
	return 0;
}

/* ---- the tool -------------------------------------------------------------
 */

struct tool {
	struct shared *shared;
	pid_t pid;
	enum waiting waiting;
	struct arch_slot slot;
	uint64_t site;
};

static void wait_for(const struct tool *tool, int *status)
{
	assert_int_equal(waitpid(tool->pid, status, __WALL), tool->pid);
	if (!WIFSTOPPED(*status))
		fail_msg("in %s it ended: status 0x%x: %s",
			 waiting_names[tool->waiting], (unsigned)*status,
			 (const char *)tool->shared->failure);
}

/* Attached, and stopped while it waits in the kernel at `pc`. */
static void catch (const struct tool *tool, uint64_t pc,
		   struct user_regs_struct *regs)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SEIZE, tool->pid, NULL, NULL), 0);
	for (;;) {
		ptrace(PTRACE_INTERRUPT, tool->pid, NULL, NULL);
		wait_for(tool, &status);
		get_regs(tool->pid, regs);
		if (status >> 16 == PTRACE_EVENT_STOP && regs->rip == pc &&
		    (int64_t)regs->orig_rax >= 0)
			return;
		ptrace(PTRACE_CONT, tool->pid, NULL,
		       (long)(status >> 16 ? 0 : WSTOPSIG(status)));
		sched_yield();
	}
}

static void let_go(const struct tool *tool)
{
	assert_int_equal(ptrace(PTRACE_DETACH, tool->pid, NULL, NULL), 0);
}

/* Let the call end that waits, if it is not one that ends by itself. */
static void end_call(const struct tool *tool)
{
	struct shared *shared = tool->shared;
	uint64_t before = shared->calls;
	siginfo_t info = {0};

	if (tool->waiting == IN_READ || tool->waiting == IN_READ_32)
		assert_int_equal(write(shared->pipe[1], "x", 1), 1);
	while (shared->calls == before && !info.si_pid) {
		if (tool->waiting == IN_FUTEX)
			syscall(SYS_futex, &shared->futex, FUTEX_WAKE, 1);
		if (tool->waiting == IN_PAUSE)
			kill(tool->pid, SIGUSR1);
		sched_yield();
		waitid(P_PID, (id_t)tool->pid, &info,
		       WEXITED | WNOHANG | WNOWAIT);
	}
	if (info.si_pid && info.si_status)
		fail_msg("in %s it ended: code %d status %d: %s",
			 waiting_names[tool->waiting], info.si_code,
			 info.si_status, (const char *)shared->failure);
}

enum treatment {
	LEFT_ALONE,
	MAPPED,      /* the pc is the program's, the int3 gone */
	MAPPED_ONLY, /* the int3 still there */
	TWICE,       /* restarted in the slot, then mapped */
	BY_SCRIPT,   /* which resumes it in the slot */
	BY_SCRIPT_MAPPED,
	TREATMENTS,
};

static const char *const treatment_names[TREATMENTS] = {
	"left alone",    "mapped",      "mapped, int3 in place",
	"stopped twice", "by a script", "by a script, mapped",
};

static void map(const struct tool *tool, struct user_regs_struct *regs)
{
	assert_true(arch_slot_pc(&tool->slot, regs));
	assert_int_equal(regs->rip, tool->site + 2);
	if (tool->waiting != IN_READ_32)
		assert_int_equal(regs->rcx, tool->site + 2);
}

/* A script in place of going on, as target_remote_calls() would. */
static void start_script(const struct tool *tool, struct user_regs_struct *regs)
{
	const struct script_call call = {.number = SYS_getpid};
	uint64_t address = tool->shared->store + STORE_SCRIPTS, mask;
	uint64_t all = UINT64_MAX;
	struct arch_script script;

	assert_int_equal(
		ptrace(PTRACE_GETSIGMASK, tool->pid, sizeof(mask), &mask), 0);
	assert_null(arch_script_build(address, &call, 1, regs, mask, NULL, 0,
				      &script));
	write_memory(tool->pid, address, script.code, script.length);
	assert_int_equal(
		ptrace(PTRACE_SETSIGMASK, tool->pid, sizeof(all), &all), 0);
	regs->rip = script.start;
	regs->orig_rax = UINT64_MAX;
}

/* Back in, which may be under a thread that waits there. */
static void put_int3(const struct tool *tool)
{
	uint64_t in_text = tool->site + 2;
	struct user_regs_struct regs;

	if (read_byte(tool->pid, tool->site) == 0xcc)
		return;
	catch (tool, in_text, &regs);
	if ((int64_t)regs.rax < -511)
		assert_true(arch_slot_restart(&tool->slot, &regs));
	else
		assert_false(arch_slot_restart(&tool->slot, &regs));
	set_regs(tool->pid, &regs);
	write_memory(tool->pid, tool->site, "\xcc", 1);
	let_go(tool);
}

static void treat(const struct tool *tool, enum treatment treatment)
{
	uint64_t in_slot = tool->slot.address + 2, in_text = tool->site + 2;
	const uint8_t *bytes = tool->slot.code; /* two, the same there */
	struct user_regs_struct regs;

	catch (tool, in_slot, &regs);
	switch (treatment) {
	case LEFT_ALONE:
		let_go(tool);
		break;
	case TWICE:
		let_go(tool);
		catch (tool, in_slot, &regs);
		/* fall through */
	case MAPPED:
		map(tool, &regs);
		write_memory(tool->pid, tool->site, bytes, 1);
		set_regs(tool->pid, &regs);
		let_go(tool);
		if (tool->waiting != IN_NANOSLEEP) {
			/* it waits at the site: that is where it restarted */
			catch (tool, in_text, &regs);
			let_go(tool);
		}
		break;
	case MAPPED_ONLY:
		map(tool, &regs);
		set_regs(tool->pid, &regs);
		let_go(tool);
		break;
	case BY_SCRIPT_MAPPED:
		map(tool, &regs);
		write_memory(tool->pid, tool->site, bytes, 1);
		/* fall through */
	case BY_SCRIPT:
		start_script(tool, &regs);
		set_regs(tool->pid, &regs);
		let_go(tool);
		break;
	case TREATMENTS:
		break;
	}
	end_call(tool);
	put_int3(tool);
}

/*
 * Is it continued by restart_syscall? The run of a handler ends that: so none
 * of these is to be restarted at a site with its int3 in place and no tool.
 */
static bool is_continued(enum waiting waiting)
{
	return waiting == IN_NANOSLEEP || waiting == IN_FUTEX;
}

#define REPETITIONS 3

static void expect_restarts(enum waiting waiting)
{
	const uint8_t *site = waiting == IN_READ_32 ? call_32_site : call_site;
	struct tool tool = {.waiting = waiting, .site = (uint64_t)site};
	struct shared *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct insn insn;
	int status;

	assert_true(shared != MAP_FAILED);
	tool.shared = shared;
	assert_int_equal(pipe(shared->pipe), 0);
	tool.pid = fork();
	assert_true(tool.pid >= 0);
	if (tool.pid == 0)
		_exit(live(shared, waiting));
	while (!shared->store)
		sched_yield();
	assert_null(arch_decode(site, 2, (uint64_t)site, &insn));
	assert_null(
		arch_relocate(&insn, shared->store + STORE_SLOTS, &tool.slot));
	for (int i = 0; i < REPETITIONS * TREATMENTS; i++) {
		if (i % TREATMENTS == MAPPED_ONLY && is_continued(waiting))
			continue;
		fprintf(stderr, "# %s: %s\n", waiting_names[waiting],
			treatment_names[i % TREATMENTS]);
		treat(&tool, (enum treatment)(i % TREATMENTS));
	}
	shared->enough = true;
	end_call(&tool);
	assert_int_equal(waitpid(tool.pid, &status, 0), tool.pid);
	assert_int_equal(status, 0);
	close(shared->pipe[0]);
	close(shared->pipe[1]);
	munmap(shared, sizeof(*shared));
}

/* Which states are taken for such, and what is made of them. */
static void test_only_restartable_calls_restart(void **state)
{
	static const struct {
		int64_t orig_rax, rax, expected;
		bool restarts;
	} cases[] = {
		{SYS_read, -512, SYS_read, true},
		{SYS_read, -513, SYS_read, true},
		{SYS_pause, -514, SYS_pause, true},
		{SYS_read, -515, -515, false},
		{SYS_poll, -516, SYS_restart_syscall, true},
		{SYS_read, -EINTR, -EINTR, false},
		{SYS_read, 512, 512, false},
		{-1, -512, -512, false},
	};
	const struct arch_slot slot = {.site = 0x1000, .address = 0x2000};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct user_regs_struct before = {
			.orig_rax = (uint64_t)cases[i].orig_rax,
			.rax = (uint64_t)cases[i].rax,
			.rip = 0x1002,
		};
		struct user_regs_struct regs = before;
		bool restarts = cases[i].restarts;

		assert_int_equal(arch_restart(&regs), restarts);
		assert_int_equal(regs.rax, cases[i].expected);
		assert_int_equal(regs.rip, restarts ? 0x1000 : 0x1002);
		regs = before;
		assert_int_equal(arch_slot_restart(&slot, &regs), restarts);
		assert_int_equal(regs.rip, restarts ? 0x2002 : 0x1002);
		assert_int_equal(regs.rax, before.rax);
		/* with a prefix: it restarts behind that, and the int3 */
		regs.rip = 0x1003;
		assert_false(arch_slot_restart(&slot, &regs));
		assert_int_equal(regs.rip, 0x1003);
	}
}

/* The kernel has set the pc back, and the thread was stopped again before it
 * has executed anything. */
static void test_calls_set_back_go_on_in_the_slot(void **state)
{
	static const struct {
		int64_t orig_rax, rax;
		uint64_t rip, rcx;
		bool restarts;
	} cases[] = {
		{SYS_read, SYS_read, 0x1000, 0x1002, true},
		{SYS_poll, SYS_restart_syscall, 0x1000, 0x1002, true},
		{3, 3, 0x1000, 7, true}, /* int $0x80 leaves rcx alone */
		/* it comes to the site for the first time: by a jump, and from
		 * a system call that is in front of it */
		{-1, SYS_read, 0x1000, 0x1002, false},
		{SYS_read, SYS_read, 0x1000, 0x1000, false},
		{SYS_read, 5, 0x1000, 0x1002, false},
		{SYS_read, SYS_read, 0x1002, 0x1002, false},
	};
	const struct arch_slot slot = {.site = 0x1000, .address = 0x2000};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct user_regs_struct regs = {
			.orig_rax = (uint64_t)cases[i].orig_rax,
			.rax = (uint64_t)cases[i].rax,
			.rip = cases[i].rip,
			.rcx = cases[i].rcx,
		};

		assert_int_equal(arch_slot_restart(&slot, &regs),
				 cases[i].restarts);
		assert_int_equal(regs.rip,
				 cases[i].restarts ? 0x2000 : cases[i].rip);
	}
}

static void test_calls_restart_in_a_slot(void **state)
{
	(void)state;
	for (int i = 0; i < WAITINGS; i++)
		if (i != IN_READ_32)
			expect_restarts((enum waiting)i);
}

/* ---- other ways into the kernel -------------------------------------------
 */

static int try_int80(void)
{
	struct call call = {.rax = 20 /* getpid */};

	make_call_32(&call);
	return call.rax != (uint64_t)getpid();
}

static int try_vsyscall(void)
{
	return call_time() <= 0;
}

/* Does it work here at all, without a breakpoint? */
static bool works(int (*attempt)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		/* cmocka's handler would go on with the next test */
		signal(SIGSEGV, SIG_DFL);
		_exit(attempt());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static void test_int80_restarts_in_a_slot(void **state)
{
	(void)state;
	if (!works(try_int80)) {
		/* (Of cmocka's skip(), prove makes a failure.) */
		fprintf(stderr, "# skipped: no int 0x80 in this kernel\n");
		return;
	}
	expect_restarts(IN_READ_32);
}

static int break_on_vsyscall(void)
{
	struct orphan orphan;
	long before, within;

	before = call_time();
	orphan_init(&orphan, call_site);
	orphan_break(&orphan, time_site);
	orphan_live(&orphan);
	within = call_time();
	return within < before || within > before + HANGS;
}

static void test_vsyscall_works_with_a_breakpoint(void **state)
{
	(void)state;
	if (!works(try_vsyscall)) {
		fprintf(stderr, "# skipped: no vsyscall page here\n");
		return;
	}
	assert_true(works(break_on_vsyscall));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_restartable_calls_restart),
		cmocka_unit_test(test_calls_set_back_go_on_in_the_slot),
		cmocka_unit_test(test_calls_restart_in_a_slot),
		cmocka_unit_test(test_int80_restarts_in_a_slot),
		cmocka_unit_test(test_vsyscall_works_with_a_breakpoint),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
