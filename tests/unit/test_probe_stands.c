/*
 * test_probe_stands.c - at which instruction a thread is whose pc the kernel
 * shows: an int3 of the tool leaves the pc behind itself
 *
 * tier: core
 * covers: probe
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"

#define PLACE 0x401000UL

/* Where does a thread with this pc stand if there is this site at PLACE? */
static uint64_t stands(struct site *site, uint64_t pc, bool in_kernel)
{
	struct space space = {.process = NULL};
	struct process process = {.owner = &space};
	uint64_t address;

	site->address = PLACE;
	map_set(&space.sites, PLACE, site);
	address = probe_stands_at(&process, pc, in_kernel);
	map_deinit(&space.sites);
	return address;
}

/* Behind the first byte of a longer instruction no other one begins. */
static void test_behind_an_int3_is_at_it(void **state)
{
	struct site site = {.insn.length = 5, .inserted = true};

	(void)state;
	assert_int_equal(stands(&site, PLACE + 1, false), PLACE);
	assert_int_equal(stands(&site, PLACE + 1, true), PLACE);
	/* the thread hit the int3 before the tool removed it */
	site.inserted = false;
	assert_int_equal(stands(&site, PLACE + 1, false), PLACE);
	assert_int_equal(stands(&site, PLACE + 1, true), PLACE);
}

static void test_elsewhere_is_where_the_pc_is(void **state)
{
	struct site site = {.insn.length = 5, .inserted = true};

	(void)state;
	assert_int_equal(stands(&site, PLACE, true), PLACE);
	assert_int_equal(stands(&site, PLACE + 2, true), PLACE + 2);
	assert_int_equal(stands(&site, PLACE + 5, true), PLACE + 5);
	assert_int_equal(stands(&site, PLACE - 1, true), PLACE - 1);
}

/* The next instruction begins right behind an int3 that displaces one byte: a
 * thread that executes the program may be at it. */
static void test_an_instruction_of_one_byte_needs_the_kernel(void **state)
{
	struct site site = {.insn.length = 1, .inserted = true};

	(void)state;
	assert_int_equal(stands(&site, PLACE + 1, true), PLACE);
	assert_int_equal(stands(&site, PLACE + 1, false), PLACE + 1);
	site.inserted = false;
	assert_int_equal(stands(&site, PLACE + 1, true), PLACE + 1);
	site.inserted = true;
	site.is_jump = true;
	assert_int_equal(stands(&site, PLACE + 1, true), PLACE + 1);
}

static void test_an_unknown_process_has_no_sites(void **state)
{
	const struct process process = {.owner = NULL};

	(void)state;
	assert_int_equal(probe_stands_at(NULL, PLACE, true), PLACE);
	assert_int_equal(probe_stands_at(&process, PLACE, true), PLACE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind_an_int3_is_at_it),
		cmocka_unit_test(test_elsewhere_is_where_the_pc_is),
		cmocka_unit_test(
			test_an_instruction_of_one_byte_needs_the_kernel),
		cmocka_unit_test(test_an_unknown_process_has_no_sites),
	};

	return cmocka_run_group_tests_name("probe_stands", tests, NULL, NULL);
}
