/*
 * test_target_told.c - system calls that are told (target_tell_calls()): each
 * of those that were named, with its arguments and its result, and no other
 *
 * tier: core
 * covers: target
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <sys/syscall.h>

#include "perftool/target/target_events.h"
#include "target_rig.h"

#define MAPS 200

static void wait_for_stop(struct shared *shared)
{
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		sched_yield();
}

/* Maps and unmaps, fails to, and makes other calls between them. */
static void maps(struct shared *shared)
{
	wait_for_stop(shared);
	for (unsigned long i = 1; i <= MAPS; i++) {
		void *memory = mmap(NULL, i * 4096, PROT_READ,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		getppid();
		if (i % 2)
			munmap(memory, i * 4096);
		mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
}

static void *maps_in_thread(void *shared)
{
	maps(shared);
	return NULL;
}

static void maps_in_threads(struct shared *shared)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, maps_in_thread, shared);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* What was told. */
struct told {
	unsigned maps, failed, unmaps, others;
	uint64_t
		mapped; /* bytes, of calls that were not for a thread's stack */
};

static void note_call(struct told *told, const struct thread_call *call)
{
	if (call->number == SYS_munmap) {
		told->unmaps++;
	} else if (call->number != SYS_mmap) {
		told->others++;
	} else if (call->result < 0 && call->result >= -4095) {
		told->failed++;
		assert_int_equal(call->args[1], 0);
		assert_int_equal(call->result, -EINVAL);
	} else {
		told->maps++;
		if (call->args[2] == PROT_READ)
			told->mapped += call->args[1];
	}
}

static void listen(struct rig *rig, struct told *told)
{
	struct event event;

	*told = (struct told){0};
	for (;;) {
		assert_ok(target_wait(rig->target, &event));
		if (event.kind == EVENT_EMPTY)
			return;
		if (event.kind == EVENT_CALL) {
			note_call(told, &event.thread->call);
			assert_ok(target_resume(event.thread));
		} else if (event.kind == EVENT_THREAD_NEW) {
			assert_ok(target_resume(event.thread));
			assert_ok(target_resume(event.parent));
		} else if (event.kind == EVENT_SIGNAL ||
			   event.kind == EVENT_TRAP) {
			assert_ok(target_deliver(event.thread, event.signal,
						 NULL));
		}
	}
}

static void run(subject_fn *subject, const int *numbers, size_t count,
		struct told *told)
{
	struct rig rig;

	rig_attach(&rig, subject, rig_is_ready);
	target_tell_calls(rig.target, numbers, count);
	atomic_store(&rig.shared->stop, 1);
	assert_ok(target_resume_all(rig.target));
	listen(&rig, told);
	rig_end(&rig);
}

static const int both[] = {SYS_mmap, SYS_munmap};
/* the sum of the numbers up to MAPS, in pages */
#define BYTES (UINT64_C(4096) * MAPS * (MAPS + 1) / 2)

static void test_named_calls_are_told(void **state)
{
	struct told told;

	(void)state;
	run(maps, both, 2, &told);
	assert_int_equal(told.maps, MAPS);
	assert_int_equal(told.failed, MAPS);
	assert_int_equal(told.unmaps, MAPS / 2);
	assert_int_equal(told.others, 0);
	assert_int_equal(told.mapped, BYTES);
}

static void test_other_calls_are_not_told(void **state)
{
	struct told told;

	(void)state;
	run(maps, both + 1, 1, &told);
	assert_int_equal(told.maps + told.failed + told.others, 0);
	assert_int_equal(told.unmaps, MAPS / 2);
	run(maps, NULL, 0, &told);
	assert_int_equal(told.maps + told.failed + told.unmaps + told.others,
			 0);
}

static void test_calls_of_all_threads_are_told(void **state)
{
	struct told told;

	(void)state;
	run(maps_in_threads, both, 2, &told);
	assert_int_equal(told.failed, 4 * MAPS);
	assert_int_equal(told.mapped, 4 * BYTES);
	assert_true(told.unmaps >= 4 * MAPS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_calls_are_told),
		cmocka_unit_test(test_other_calls_are_not_told),
		cmocka_unit_test(test_calls_of_all_threads_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
