/*
 * test_sample_faults.c - page faults with their stacks: all of them
 *
 * tier: core
 * covers: sample target
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "target_rig.h"

#include "sample_rig.h"

#define NOINLINE __attribute__((noinline, used))

struct told {
	struct sample_rig *rig;
	size_t count, in_touch, major, broken;
};
static struct told told;

static void take(void *context, const struct sampled_stack *stack)
{
	(void)context;
	told.count++;
	told.major += stack->is_major;
	told.broken += stack->is_broken;
	if (stack->depth > 30 &&
	    strcmp(rig_name(told.rig, &stack->frames[0]), "touch") == 0)
		told.in_touch++;
}

#define PAGES 1000

static volatile unsigned char sink;

NOINLINE static void touch(volatile unsigned char *pages)
{
	for (size_t i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
}

/* Touch new pages, 30 frames deep, each of which faults once. */
NOINLINE static void repeat(struct shared *shared, int depth)
{
	if (depth) {
		repeat(shared, depth - 1);
		sink++;
		return;
	}
	atomic_store(&shared->ready, 1);
	while (!atomic_load(&shared->stop))
		;
	for (int i = 0; i < 50; i++) {
		unsigned char *pages =
			mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		madvise(pages, PAGES * 4096, MADV_NOHUGEPAGE);
		touch(pages);
		munmap(pages, PAGES * 4096);
	}
	atomic_store(&shared->counters[0], 1);
	while (atomic_load(&shared->stop))
		pause();
}

NOINLINE static void touch_subject(struct shared *shared)
{
	repeat(shared, 30);
}

static bool is_done(struct sample_rig *rig)
{
	return atomic_load(&rig->rig.shared->counters[0]) != 0;
}

static void each_fault_is_told(void **state)
{
	const struct sampling faults = {.event = SAMPLED_FAULTS};
	struct sampler_account account;
	struct sample_rig rig;
	double begin;

	(void)state;
	sample_rig_start(&rig, touch_subject);
	told = (struct told){.rig = &rig};
	assert_ok(sampler_start(rig.sampler, &faults, take, NULL));
	atomic_store(&rig.rig.shared->stop, 1);
	begin = rig_now();
	assert_true(rig_run(&rig, is_done));
	sampler_stop(rig.sampler);
	sampler_get_account(rig.sampler, &account);
	print_message("# %zu told, %zu in touch, %zu broken, %lu lost; %.0f a "
		      "second; %.1f us a stack\n",
		      told.count, told.in_touch, told.broken, account.lost,
		      (double)told.count / (rig_now() - begin),
		      account.unwind_ns / 1000 / (double)told.count);
	/* A machine that is busy with other things may lose some; it says how
	 * many. */
	assert_true(told.in_touch + account.lost >= 50 * PAGES);
	assert_true(told.in_touch > 0 && told.count <= 50 * PAGES + 200);

	/* the first ones, before it was known how much of the stack to copy */
	assert_true(told.broken <= told.count / 100);
	sample_rig_end(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_fault_is_told),
	};

	return cmocka_run_group_tests_name("sample_faults", tests, NULL, NULL);
}
