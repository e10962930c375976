/*
 * test_probe_store.c - slots are given away only once, and an entry says that
 * an int3 is out of memory only when it is
 *
 * The process whose memory has the slots is the test itself.
 *
 * tier: core
 * covers: probe/site
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perftool/base/error.h"
#include "probe/probe_state.h"
#include "probe/site/store.h"
#include "target/target_state.h"

#define LOW 0x10000000UL

static void take(struct space *space, uint64_t expected)
{
	uint64_t address = 0;

	assert_null(
		store_find_room(space, STORE_SLOT, LOW, LOW + 1, 5, &address));
	assert_int_equal(address, expected);
	assert_null(store_take(space, address, 5));
}

/* One area is full, and the other one begins where it ends. */
static void test_adjacent_areas_are_kept_apart(void **state)
{
	const struct store_area full = {LOW, LOW + AREA_SIZE, AREA_SIZE, 0};
	const struct store_area empty = {LOW + AREA_SIZE, LOW + 2 * AREA_SIZE,
					 0, 0};
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

/* ---- sites that leave -----------------------------------------------------
 */

struct leaving {
	struct target target;
	struct process process;
	struct space space;
	struct site site;
	uint8_t *store, *code;
};

/* A site with an int3 in memory, and its entry in the store. */
static void begin(struct leaving *at)
{
	static const uint8_t nop = 0x90;

	*at = (struct leaving){0};
	at->store = mmap(NULL, STORE_SLOTS, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	at->code = mmap(NULL, ARCH_PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(at->store, MAP_FAILED);
	assert_ptr_not_equal(at->code, MAP_FAILED);
	at->process = (struct process){.mem = open("/proc/self/mem", O_RDWR),
				       .pid = getpid(),
				       .target = &at->target};
	at->space = (struct space){.process = &at->process,
				   .has_changed_amid_run = true};
	at->space.store.address = (uintptr_t)at->store;
	at->code[100] = ARCH_INT3;
	at->site = (struct site){.address = (uintptr_t)at->code + 100,
				 .has_slot = true,
				 .slot.address = LOW,
				 .inserted = true};
	at->site.insn.length = 1;
	at->site.insn.bytes[0] = nop;
	map_set(&at->space.sites, at->site.address, &at->site);
	assert_null(store_enter(&at->space, &at->site));
}

static void end(struct leaving *at)
{
	space_forget_maps(&at->space);
	map_deinit(&at->space.sites);
	store_deinit(&at->space.store);
	close(at->process.mem);
	munmap(at->store, STORE_SLOTS);
	munmap(at->code, ARCH_PAGE);
}

/* Is the int3 in memory, as the entry says? */
static unsigned length_of(const struct leaving *at)
{
	struct store_entry entry;

	assert_true(store_peek(&at->space, at->space.process, at->site.address,
			       &entry));
	return entry.length;
}

static void take_out(struct leaving *at)
{
	assert_null(target_write(&at->process, at->site.address,
				 at->site.insn.bytes, 1));
	at->site.inserted = false;
	assert_null(store_leave(&at->space, &at->site));
}

static void test_entry_says_at_last_that_the_int3_is_out(void **state)
{
	struct leaving at;

	(void)state;
	begin(&at);
	assert_int_equal(length_of(&at), 1);
	store_begin(&at.space);
	take_out(&at);
	/* Nothing is written yet. */
	assert_int_equal(at.code[100], ARCH_INT3);
	assert_int_equal(length_of(&at), 1);
	assert_null(store_end(&at.space));
	assert_int_equal(at.code[100], 0x90);
	assert_int_equal(length_of(&at), 0);
	end(&at);
}

static void test_site_that_comes_back_keeps_its_entry(void **state)
{
	static const uint8_t int3 = ARCH_INT3;
	struct leaving at;

	(void)state;
	begin(&at);
	store_begin(&at.space);
	take_out(&at);
	at.site.inserted = true;
	assert_null(store_enter(&at.space, &at.site));
	assert_null(target_write(&at.process, at.site.address, &int3, 1));
	assert_null(store_end(&at.space));
	assert_int_equal(at.code[100], ARCH_INT3);
	assert_int_equal(length_of(&at), 1);
	end(&at);
}

/* The int3 cannot be taken out, so no entry may say that it is. */
static void test_entry_of_an_int3_that_stays_says_so(void **state)
{
	struct error *error;
	struct leaving at;

	(void)state;
	begin(&at);
	store_begin(&at.space);
	take_out(&at);
	munmap(at.code, ARCH_PAGE);
	error = store_end(&at.space);
	assert_non_null(error);
	error_destroy(error);
	assert_int_equal(length_of(&at), 1);
	end(&at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adjacent_areas_are_kept_apart),
		cmocka_unit_test(test_entry_says_at_last_that_the_int3_is_out),
		cmocka_unit_test(test_site_that_comes_back_keeps_its_entry),
		cmocka_unit_test(test_entry_of_an_int3_that_stays_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
