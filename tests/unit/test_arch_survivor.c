/*
 * test_arch_survivor.c - the handler of SIGTRAP that outlives the tool
 *
 * Each test runs in a child that makes an orphan of itself (orphan.h): a store
 * in its memory, int3s over its code, no tool. Whatever it then does must come
 * out as it did before. That a thread's pc may be anywhere when the tool dies,
 * and what it does at a step, is for test_arch_survivor_death.c.
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

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "../arch/foreign.h"
#include "../arch/orphan.h"
#include "../arch/workload.h"

#define FAILED 1
#define HANGS 60 /* seconds: an orphan that is not done is stuck */

/* The status of a child that runs `body` and exits with what it returns. */
static int status_of(int (*body)(void *argument), void *argument)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		alarm(HANGS);
		_exit(body(argument));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void expect_success(int (*body)(void *argument), void *argument)
{
	assert_int_equal(status_of(body, argument), 0);
}

static void expect_trapped(int (*body)(void *argument), void *argument)
{
	int status = status_of(body, argument);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTRAP);
}

/* ---- the workload, before and after ------------------------------------- */

static bool is_handled(void)
{
	struct kernel_action action;

	return !syscall(SYS_rt_sigaction, SIGTRAP, NULL, &action, 8) &&
	       action.handler > 1;
}

/* An orphan of all of workload(). */
static size_t orphan_workload(struct orphan *orphan)
{
	size_t count;

	orphan_init(orphan, workload);
	count = orphan_break_all(orphan, workload, workload_end);
	orphan_live(orphan);
	return count;
}

static int everything_unchanged(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;

	(void)argument;
	comparison_init(&comparison, workload);
	if (orphan_workload(&orphan) < 40)
		return FAILED;
	return comparison_run(&comparison, 1000) || !is_handled();
}

static void test_orphaned_program_computes_as_before(void **state)
{
	(void)state;
	expect_success(everything_unchanged, NULL);
}

/* ---- stacks, signals, threads ------------------------------------------- */

#define STACK_SIZE 65536

/* Returns what to give leave_alternate_stack(). */
static stack_t use_alternate_stack(void)
{
	stack_t stack = {.ss_sp = malloc(STACK_SIZE), .ss_size = STACK_SIZE};
	stack_t before = {0};

	orphan_must(stack.ss_sp && !sigaltstack(&stack, &before),
		    "sigaltstack");
	return before;
}

static void leave_alternate_stack(stack_t before)
{
	stack_t stack;

	orphan_must(!sigaltstack(&before, &stack), "sigaltstack");
	free(stack.ss_sp);
}

static int without_stack(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;

	(void)argument;
	use_alternate_stack();
	comparison_init(&comparison, no_stack);
	orphan_init(&orphan, workload);
	orphan_break_all(&orphan, no_stack, no_stack_end);
	orphan_live(&orphan);
	return comparison_run(&comparison, 1000);
}

static void test_orphan_survives_with_alternate_stack_only(void **state)
{
	(void)state;
	expect_success(without_stack, NULL);
}

static struct comparison in_handler;
static volatile int handled, handler_failures;

static void run_in_handler(int signal)
{
	(void)signal;
	handled++;
	if (comparison_run(&in_handler, 3))
		handler_failures++;
}

/* A timer interrupts hits at any point, its handler hits the same sites. */
static int within_handlers(void *argument)
{
	static struct comparison comparison;
	const struct itimerval often = {{0, 200}, {0, 200}};
	const struct sigaction action = {
		.sa_handler = run_in_handler,
		.sa_flags = SA_RESTART | (argument ? SA_ONSTACK : 0),
	};
	struct orphan orphan;

	if (argument)
		use_alternate_stack();
	comparison_init(&comparison, workload);
	comparison_init(&in_handler, workload);
	orphan_workload(&orphan);
	sigaction(SIGVTALRM, &action, NULL);
	raise(SIGVTALRM);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	while (handled < 20)
		if (comparison_run(&comparison, 20))
			return FAILED;
	return handler_failures;
}

static void test_orphan_survives_hits_in_signal_handlers(void **state)
{
	(void)state;
	expect_success(within_handlers, NULL);
	expect_success(within_handlers, "on the alternate stack");
}

static void *run_in_thread(void *argument)
{
	struct comparison *comparison = argument;
	stack_t before = use_alternate_stack();
	int failed = comparison_run(comparison, 200);

	leave_alternate_stack(before);
	return failed ? comparison : NULL;
}

#define THREADS 6

static int in_threads(void *argument)
{
	static struct comparison comparisons[THREADS];
	pthread_t threads[THREADS];
	struct orphan orphan;
	int failures = 0;
	void *result;

	(void)argument;
	for (int i = 0; i < THREADS; i++)
		comparison_init(&comparisons[i], workload);
	orphan_workload(&orphan);
	for (int i = 0; i < THREADS; i++)
		orphan_must(!pthread_create(&threads[i], NULL, run_in_thread,
					    &comparisons[i]),
			    "pthread_create");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		failures += result != NULL;
	}
	return failures;
}

static void test_threads_of_an_orphan_survive(void **state)
{
	(void)state;
	expect_success(in_threads, NULL);
}

static int run_child(void *argument)
{
	return comparison_run(argument, 200);
}

/* The children of an orphan are orphans. What getpid says is another. */
static int in_children(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;
	pid_t pid;
	int status;

	(void)argument;
	use_alternate_stack();
	comparison_init(&comparison, no_stack);
	orphan_init(&orphan, workload);
	orphan_break_all(&orphan, no_stack, no_stack_end);
	orphan_live(&orphan);
	pid = vfork();
	if (pid == 0)
		_exit(run_child(&comparison));
	if (waitpid(pid, &status, 0) != pid || status)
		return FAILED;
	return status_of(run_child, &comparison) || run_child(&comparison);
}

static void test_children_of_an_orphan_survive(void **state)
{
	(void)state;
	expect_success(in_children, NULL);
}

/* ---- the index ---------------------------------------------------------- */

static int with_many_entries(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;

	(void)argument;
	comparison_init(&comparison, workload);
	orphan_init(&orphan, workload);
	for (uint64_t i = 0; i < 90000; i++)
		orphan_fill(&orphan,
			    orphan_free_place(&orphan, 0x8000000000000000 + i),
			    i);
	orphan_break_all(&orphan, workload, workload_end);
	orphan_live(&orphan);
	return comparison_run(&comparison, SEEDS);
}

/* No place is free: as many entries as there can be, and the last one again. */
static void fill_index(struct orphan *orphan)
{
	for (uint32_t i = 0; i < STORE_PLACES; i++) {
		if (orphan->index[i])
			continue;
		if (orphan->entries < STORE_ENTRIES)
			orphan_fill(orphan, &orphan->index[i], i);
		else
			orphan->index[i] = STORE_ENTRIES;
	}
}

/* The last place looked at is the site's. */
static int with_full_index(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;
	uint32_t hash = store_hash((uint64_t)lone_nop);
	uint32_t place = (hash + STORE_PLACES - 1) % STORE_PLACES;

	(void)argument;
	comparison_init(&comparison, lone_nop);
	orphan_init(&orphan, workload);
	orphan_break_at(&orphan, &orphan.index[place], lone_nop, true);
	fill_index(&orphan);
	orphan_live(&orphan);
	if (hash == 0 || place == STORE_PLACES - 1)
		return FAILED; /* then it would not be wrapped around */
	return comparison_run(&comparison, SEEDS);
}

/* Full up to the index's end, so that sites are found at its beginning. */
static int around_the_end(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;
	uint32_t hash = store_hash((uint64_t)lone_nop);

	(void)argument;
	comparison_init(&comparison, lone_nop);
	orphan_init(&orphan, workload);
	orphan_fill(&orphan, &orphan.index[hash], hash);
	for (uint32_t i = hash + 1; i < STORE_PLACES; i++)
		orphan.index[i] = 1;
	orphan_break(&orphan, lone_nop);
	if (!orphan.index[0] || orphan.index[1])
		return FAILED;
	orphan_live(&orphan);
	return comparison_run(&comparison, SEEDS);
}

/* Not in a full index: found out, and the end of it. */
static int absent_from_full_index(void *argument)
{
	struct orphan orphan;

	(void)argument;
	orphan_init(&orphan, workload);
	fill_index(&orphan);
	orphan_live(&orphan);
	((void (*)(void))own_int3)();
	return 0;
}

/* What a tool leaves that died in between: entries which are not in the index,
 * the site's own among them, and after a gap. No int3 is of such. */
static int with_unnamed_entries(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;
	uint32_t unnamed;

	(void)argument;
	comparison_init(&comparison, workload);
	orphan_init(&orphan, workload);
	orphan_break_all(&orphan, workload, workload_end);
	orphan.entries += 1000;
	orphan_fill(&orphan, &unnamed, 1);
	orphan_enter(&orphan, &unnamed)->site = (uint64_t)own_int3;
	orphan_live(&orphan);
	if (comparison_run(&comparison, SEEDS))
		return FAILED;
	((void (*)(void))own_int3)();
	return 0;
}

static void test_only_sites_in_the_index_survive(void **state)
{
	(void)state;
	expect_success(with_many_entries, NULL);
	expect_success(with_full_index, NULL);
	expect_success(around_the_end, NULL);
	expect_trapped(absent_from_full_index, NULL);
	expect_trapped(with_unnamed_entries, NULL);
}

/* Neighbours do not crowd: no site is far from its place in a dense program. */
static void test_hash_spreads_neighboring_sites(void **state)
{
	static uint8_t used[STORE_PLACES];
	uint64_t site = 0x555555554000, random = 1;
	uint32_t longest = 0;

	(void)state;
	memset(used, 0, sizeof(used));
	for (int i = 0; i < 100000; i++) {
		uint32_t place = store_hash(site), steps = 0;

		random = random * 6364136223846793005 + 1442695040888963407;
		site += 1 + (random >> 60);

		assert_true(place < STORE_PLACES);
		while (used[place]) {
			place = (place + 1) % STORE_PLACES;
			steps++;
		}
		used[place] = 1;
		if (steps > longest)
			longest = steps;
	}
	fprintf(stderr, "# 100000 sites: at most %u steps from their places\n",
		longest);
	assert_true(longest < 1000);
}

/* ---- what is not ours --------------------------------------------------- */

static int foreign_in_leader(void *argument)
{
	const struct foreign *foreign = argument;
	struct orphan orphan;

	orphan_for(&orphan, foreign);
	foreign->trap();
	return 0;
}

static void *trap_in_thread(void *argument)
{
	const struct foreign *foreign = argument;
	stack_t before = use_alternate_stack();

	foreign->trap();
	leave_alternate_stack(before);
	return NULL;
}

static int foreign_in_thread(void *argument)
{
	struct orphan orphan;
	pthread_t thread;

	orphan_for(&orphan, argument);
	orphan_must(!pthread_create(&thread, NULL, trap_in_thread, argument),
		    "pthread_create");
	pthread_join(thread, NULL);
	return 0;
}

static void test_foreign_traps_kill(void **state)
{
	(void)state;
	for (size_t i = 0; i < FOREIGNERS; i++) {
		void *foreign = (void *)&foreigners[i];

		fprintf(stderr, "# %s\n", foreigners[i].name);
		expect_trapped(foreign_in_leader, foreign);
		expect_trapped(foreign_in_thread, foreign);
	}
}

/* ---- when calls are denied ---------------------------------------------- */

/* From now on these two fail with EPERM, as in a container. */
static void deny(uint32_t first, uint32_t second)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]),
				     filter};

	orphan_must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs");
	orphan_must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
		    "seccomp");
}

static int foreign_with_filter(void *argument)
{
	const uint32_t *denied = argument;
	struct orphan orphan;

	orphan_for(&orphan, &foreigners[0]);
	deny(denied[0], denied[1]);
	call(own_int3);
	return 0;
}

static void test_foreign_traps_kill_if_calls_are_denied(void **state)
{
	static const uint32_t pairs[][2] = {
		{SYS_rt_sigaction, SYS_rt_sigaction},
		{SYS_rt_sigprocmask, SYS_rt_sigaction},
		{SYS_rt_tgsigqueueinfo, SYS_rt_tgsigqueueinfo},
		{SYS_rt_tgsigqueueinfo, SYS_tgkill},
		{SYS_getpid, SYS_gettid},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		expect_trapped(foreign_with_filter, (void *)pairs[i]);
}

/* ---- the init of a container -------------------------------------------- */

static int as_init(void *argument)
{
	static struct comparison comparison;
	struct orphan orphan;

	(void)argument;
	if (getpid() != 1)
		return FAILED;
	comparison_init(&comparison, workload);
	orphan_workload(&orphan);
	raise(SIGTRAP);
	kill(getpid(), SIGTRAP);
	if (!is_handled() || comparison_run(&comparison, SEEDS))
		return FAILED;
	call(own_int3);
	return FAILED;
}

#define NO_NAMESPACE 77

static int in_new_namespace(void *argument)
{
	int status;

	(void)argument;
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return NO_NAMESPACE;
	status = status_of(as_init, NULL);
	return !WIFSIGNALED(status) || WTERMSIG(status) != SIGTRAP;
}

/* It ignores what is sent to it, as by default, and dies of its own traps. */
static void test_foreign_traps_kill_init_of_a_container(void **state)
{
	int status = status_of(in_new_namespace, NULL);

	(void)state;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE) {
		/* (Of cmocka's skip(), prove makes a failure.) */
		fprintf(stderr, "# skipped: no pid namespaces for this user\n");
		return;
	}
	assert_int_equal(status, 0);
}

/* ---- what it costs ------------------------------------------------------ */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

#define COUNTED 100000

static int print_cost(void *argument)
{
	struct orphan orphan;
	double start;

	(void)argument;
	orphan_init(&orphan, workload);
	for (uint64_t i = 0; i < 1000; i++)
		orphan_fill(&orphan,
			    orphan_free_place(&orphan, 0x8000000000000000 + i),
			    i);
	orphan_break(&orphan, lone_nop);
	orphan_live(&orphan);
	start = now();
	for (int i = 0; i < COUNTED; i++)
		call(lone_nop);
	fprintf(stderr, "# an orphaned hit: %.2f us\n",
		(now() - start) / COUNTED / 1e3);
	return 0;
}

static void test_cost_of_an_orphaned_hit_is_printed(void **state)
{
	(void)state;
	expect_success(print_cost, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orphaned_program_computes_as_before),
		cmocka_unit_test(
			test_orphan_survives_with_alternate_stack_only),
		cmocka_unit_test(test_orphan_survives_hits_in_signal_handlers),
		cmocka_unit_test(test_threads_of_an_orphan_survive),
		cmocka_unit_test(test_children_of_an_orphan_survive),
		cmocka_unit_test(test_only_sites_in_the_index_survive),
		cmocka_unit_test(test_hash_spreads_neighboring_sites),
		cmocka_unit_test(test_foreign_traps_kill),
		cmocka_unit_test(test_foreign_traps_kill_if_calls_are_denied),
		cmocka_unit_test(test_foreign_traps_kill_init_of_a_container),
		cmocka_unit_test(test_cost_of_an_orphaned_hit_is_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
