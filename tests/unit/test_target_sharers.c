/*
 * test_target_sharers.c - others in the memory of a process that is attached
 * to: children that have it, too, and a thread that waits for its vfork child
 *
 * tier: core
 * covers: target/attach
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <sys/resource.h>

#include "perftool/target/target_events.h"
#include "target_rig.h"

/* Counters of: the program; a child; one whose parent is gone; a vfork child;
 * and of the thread that waited for that one. */
enum { PROGRAM, CHILD, ORPHAN, VFORKED, SHARERS, GONE_ON = SHARERS };

static char stacks[3][16384];
static pid_t program;

/* They share no parent with the test, and see themselves when it has ended. */
static void count_on(struct shared *shared, int which)
{
	for (unsigned n = 0; n % 4096 || kill(program, 0) == 0; n++)
		atomic_fetch_add(&shared->counters[which], 1);
}

static int be_child(void *shared)
{
	count_on(shared, CHILD);
	return 0;
}

static int be_orphan(void *shared)
{
	count_on(shared, ORPHAN);
	return 0;
}

static int leave_orphan(void *shared)
{
	_exit(clone(be_orphan, stacks[1] + sizeof(stacks[1]), CLONE_VM,
		    shared) < 0);
}

static void *be_vfork_parent(void *shared)
{
	if (vfork() == 0) {
		count_on(shared, VFORKED);
		_exit(0);
	}
	count_on(shared, GONE_ON);
	return NULL;
}

static void sharers(struct shared *shared)
{
	pthread_t thread;

	program = getpid();
	pthread_create(&thread, NULL, be_vfork_parent, shared);
	clone(be_child, stacks[0] + sizeof(stacks[0]), CLONE_VM | SIGCHLD,
	      shared);
	waitpid(clone(leave_orphan, stacks[2] + sizeof(stacks[2]),
		      CLONE_VM | SIGCHLD, shared),
		NULL, 0);
	for (int i = CHILD; i < SHARERS; i++)
		while (!atomic_load(&shared->counters[i]))
			sched_yield();
	atomic_store(&shared->ready, 1);
	count_on(shared, PROGRAM);
}

static bool all_count(struct rig *rig)
{
	for (int i = 0; i < SHARERS; i++)
		if (atomic_load(&rig->shared->counters[i]) <= rig->marks[i])
			return false;
	return true;
}

static void read_marks(struct rig *rig)
{
	for (int i = 0; i < SHARERS; i++)
		rig->marks[i] = atomic_load(&rig->shared->counters[i]);
}

/* The vfork child, and all of them counted. */
static struct process *find_sharers(struct rig *rig, size_t *count)
{
	struct process *process, *child = NULL;
	size_t cursor = 0;

	*count = 0;
	while ((process = target_next_process(rig->target, &cursor))) {
		struct process *parent =
			target_find_process(rig->target, rig->pid);

		*count += process->shares_memory;
		for (size_t j = 0; j < parent->threads.count; j++)
			if (parent->threads.data[j]->vfork_child ==
			    process->pid)
				child = process;
	}
	return child;
}

static void pass_event(struct rig *rig)
{
	struct event event;

	assert_ok(target_wait(rig->target, &event));
	if (event.kind == EVENT_SIGNAL)
		assert_ok(target_deliver(event.thread, event.signal, NULL));
}

static bool has_let_parent_go(struct rig *rig)
{
	return atomic_load(&rig->shared->counters[GONE_ON]) != 0;
}

static void let_sharers_go(struct rig *rig)
{
	struct process *other;
	size_t cursor = 0;

	while ((other = target_next_process(rig->target, &cursor)))
		if (other->shares_memory)
			target_let_go(other);
}

static void test_children_in_the_same_memory_go_on(void **state)
{
	struct process *process, *child;
	struct rig rig;
	size_t count;

	(void)state;
	process = rig_attach(&rig, sharers, rig_is_ready);
	child = find_sharers(&rig, &count);
	assert_int_equal(count, 3);
	assert_non_null(child);
	assert_int_equal(process->threads.count, 2);
	for (int i = 0; i < 20; i++) {
		read_marks(&rig);
		for (int j = 0; j < 10; j++)
			sched_yield();
		for (int j = 0; j < SHARERS; j++)
			assert_int_equal(atomic_load(&rig.shared->counters[j]),
					 rig.marks[j]);
		assert_ok(target_resume_all(rig.target));
		assert_true(rig_until(all_count, &rig));
		assert_ok(target_stop_all(rig.target));
		rig_settle(&rig);
	}
	/* its parent goes on, but not now */
	target_kill(child);
	assert_ok(target_resume_all(rig.target));
	assert_ok(target_stop_all(rig.target));
	while (find_sharers(&rig, &count))
		rig_settle(&rig);
	assert_int_equal(process->threads.data[0]->state, THREAD_STOPPED);
	assert_int_equal(process->threads.data[1]->state, THREAD_STOPPED);
	assert_ok(target_resume_all(rig.target));
	/* it was asked to stop again and again while it waited */
	target_set_tick(rig.target, 1000000);
	while (!has_let_parent_go(&rig))
		pass_event(&rig);
	assert_ok(target_stop_all(rig.target));
	rig_settle(&rig);
	let_sharers_go(&rig);
	target_detach(process);
	assert_int_equal(count_untraced(rig.pid), 2);
	assert_true(rig_counts(&rig));
	rig_end(&rig);
}

/* How often this process has given up the processor by itself, as it does to
 * let time pass. */
static long count_pauses(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_nvcsw;
}

/* Nobody stands still for a thread whose vfork child goes on. */
static void test_nobody_waits_for_a_vfork_parent(void **state)
{
	struct process *process;
	struct rig rig;
	long pauses;

	(void)state;
	process = rig_attach(&rig, sharers, rig_is_ready);
	assert_int_equal(process->threads.count, 2);
	let_sharers_go(&rig);
	pauses = count_pauses();
	target_await_parents(process);
	target_detach(process);
	assert_true(count_pauses() - pauses < 20);
	assert_true(target_release_waiting(rig.target));
	read_marks(&rig);
	assert_true(rig_until(all_count, &rig));
	assert_false(has_let_parent_go(&rig));
	rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_in_the_same_memory_go_on),
		cmocka_unit_test(test_nobody_waits_for_a_vfork_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
