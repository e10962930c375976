/*
 * test_probe_store.c - slots are given away only once
 *
 * The process whose memory has the slots is the test itself.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <unistd.h>

#include "probe/probe_state.h"
#include "probe/site/store.h"
#include "target/target_state.h"

#define LOW 0x10000000UL

static void take(struct space *space, uint64_t expected)
{
	uint64_t address = 0;

	assert_null(store_find_room(space, LOW, LOW + 1, 5, &address));
	assert_int_equal(address, expected);
	assert_null(store_take(space, address, 5));
}

/* One area is full, and the other one begins where it ends. */
static void test_adjacent_areas_are_kept_apart(void **state)
{
	const struct store_area full = {LOW, LOW + AREA_SIZE, AREA_SIZE};
	const struct store_area empty = {LOW + AREA_SIZE, LOW + 2 * AREA_SIZE,
					 0};
	struct store_header header = {0};
	struct target target = {0};
	struct process process = {.mem = open("/proc/self/mem", O_RDWR),
				  .target = &target};
	struct space space = {.process = &process,
			      .has_changed_amid_run = true};

	(void)state;
	space.store.address = (uintptr_t)&header;
	store_mirror_area(&space.store, &full);
	store_mirror_area(&space.store, &empty);
	take(&space, LOW + AREA_SIZE);
	take(&space, LOW + AREA_SIZE + 5 * ARCH_SLOT_SIZE);
	take(&space, LOW + AREA_SIZE + 10 * ARCH_SLOT_SIZE);
	assert_int_equal(header.areas[0].used, 0);
	assert_int_equal(header.areas[1].used, 15 * ARCH_SLOT_SIZE);
	store_deinit(&space.store);
	close(process.mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adjacent_areas_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
