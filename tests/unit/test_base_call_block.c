/*
 * test_base_call_block.c - the header that the tool has of a block to which a
 * program may write
 *
 * tier: core
 * covers: base
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include <stdlib.h>
#include <string.h>

#include "perftool/base/call_block.h"

static const struct call_block_size size = {
	.functions = 16, .open = 64, .arcs = 512};

struct pair {
	struct call_block *origin, mirror;
};

static int make(void **state)
{
	struct pair *pair = test_calloc(1, sizeof(*pair));
	size_t bytes = call_block_bytes(&size);

	pair->origin = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	if (!pair->origin)
		return -1;
	memset(pair->origin, 0, bytes);
	call_block_init(pair->origin, &size);
	call_block_mirror(pair->origin, &pair->mirror);
	*state = pair;
	return 0;
}

static int destroy(void **state)
{
	struct pair *pair = *state;

	free(pair->origin);
	test_free(pair);
	return 0;
}

/* Both have the same arrays. */
static void test_has_the_arrays(void **state)
{
	struct pair *pair = *state;
	struct call_block *a = pair->origin, *b = &pair->mirror;

	assert_ptr_equal(call_block_open(a, 3), call_block_open(b, 3));
	assert_ptr_equal(call_block_arc(a, 3), call_block_arc(b, 3));
	assert_ptr_equal(call_block_cold(a, 3), call_block_cold(b, 3));
	assert_ptr_equal(call_block_index(a), call_block_index(b));
	assert_ptr_equal(call_block_depth(a, 3), call_block_depth(b, 3));
}

/* What the thread and the tool do in turns is seen by both, also if the index
 * grows meanwhile. */
static void test_is_in_step(void **state)
{
	struct pair *pair = *state;

	for (uint32_t i = 1; i < 400; i++) {
		struct call_block *block = i % 2 ? pair->origin : &pair->mirror;

		call_block_load(block);
		assert_int_equal(call_block_find_arc(block, i, 1, 2), i);
		call_block_store(block);
	}
	call_block_load(&pair->mirror);
	for (uint32_t i = 1; i < 400; i++) {
		assert_int_equal(call_block_find_arc(pair->origin, i, 1, 2), i);
		assert_int_equal(call_block_find_arc(&pair->mirror, i, 1, 2),
				 i);
	}
}

/* The program has written over its header and the first activation. */
static void test_is_never_led_astray(void **state)
{
	struct pair *pair = *state;
	const struct call_block before = pair->mirror;

	memset(pair->origin, 0xff, sizeof(*pair->origin));
	memset(call_block_open(&pair->mirror, 0), 0,
	       sizeof(struct call_activation));
	call_block_load(&pair->mirror);
	assert_int_equal(pair->mirror.top, 0);
	assert_int_equal(pair->mirror.arc_count, 1);
	assert_int_equal(pair->mirror.arcs, before.arcs);
	assert_int_equal(pair->mirror.most_arcs, size.arcs);
	assert_true(call_block_open(&pair->mirror, 0)->frame == UINT64_MAX);
	call_block_store(&pair->mirror);
	assert_int_equal(pair->origin->top, 0);
	assert_int_equal(pair->origin->arc_count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_has_the_arrays, make,
						destroy),
		cmocka_unit_test_setup_teardown(test_is_in_step, make, destroy),
		cmocka_unit_test_setup_teardown(test_is_never_led_astray, make,
						destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
