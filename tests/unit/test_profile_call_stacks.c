/*
 * test_profile_call_stacks.c - the tables of procedures, places, stacks and
 * samples: what has the same number, and what is added up
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "perftool/profile/call_stacks.h"

static void test_procedures_are_told_apart(void **state)
{
	struct procedures all = {0};
	char name[] = "parse";
	const struct procedure parse = {
		.name = name, .module = "m", .file = "a.c", .line = 3};
	struct procedure other = parse;
	uint32_t first;

	(void)state;
	first = procedures_number(&all, &parse);
	assert_int_equal(first, 0);
	/* the texts are copied */
	memset(name, 'x', 5);
	assert_string_equal(all.list.data[0].name, "parse");
	memcpy(name, "parse", 5);
	assert_int_equal(procedures_number(&all, &parse), first);
	/* the address does not matter where the file is known, and is kept if
	 * it comes later */
	other.address = 0x1000;
	assert_int_equal(procedures_number(&all, &other), first);
	assert_int_equal(all.list.data[0].address, 0x1000);
	assert_false(procedures_share_name(&all, first));
	/* a static function of the same name in another place */
	other.line = 4;
	assert_int_equal(procedures_number(&all, &other), 1);
	other.line = 3;
	other.file = "b.c";
	assert_int_equal(procedures_number(&all, &other), 2);
	other.file = "a.c";
	other.module = "libm";
	assert_int_equal(procedures_number(&all, &other), 3);
	assert_true(procedures_share_name(&all, first));
	assert_true(procedures_share_name(&all, 3));
	procedures_deinit(&all);
}

/* Without the file, functions of the same name differ by their addresses. */
static void test_procedures_without_file_differ_by_address(void **state)
{
	struct procedures all = {0};
	struct procedure one = {.name = "f", .module = "m", .address = 1};

	(void)state;
	assert_int_equal(procedures_number(&all, &one), 0);
	one.address = 2;
	assert_int_equal(procedures_number(&all, &one), 1);
	one.address = 1;
	assert_int_equal(procedures_number(&all, &one), 0);
	one.file = "f.c";
	assert_int_equal(procedures_number(&all, &one), 2);
	procedures_deinit(&all);
}

static void test_many_procedures_keep_their_numbers(void **state)
{
	struct procedures all = {0};

	(void)state;
	for (int turn = 0; turn < 2; turn++) {
		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(
				procedures_number(
					&all,
					&(struct procedure){.name = "f",
							    .module = "m",
							    .address = i + 1}),
				i);
	}
	procedures_deinit(&all);
}

static void test_places_and_stacks_have_one_number(void **state)
{
	struct call_stacks stacks = {0};
	struct call_place place = {
		.procedure = 0, .file = "a.c", .line = 7, .address = 0x10};
	uint32_t places[3];

	(void)state;
	places[0] = call_stacks_place(&stacks, &place);
	assert_int_equal(call_stacks_place(&stacks, &place), places[0]);
	place.is_inlined = true;
	places[1] = call_stacks_place(&stacks, &place);
	place.is_inlined = false;
	place.file = NULL;
	places[2] = call_stacks_place(&stacks, &place);
	assert_int_equal(stacks.places.count, 3);
	assert_int_equal(call_stacks_stack(&stacks, places, 3, false), 0);
	assert_int_equal(call_stacks_stack(&stacks, places, 2, false), 1);
	assert_int_equal(call_stacks_stack(&stacks, places, 3, true), 2);
	assert_int_equal(call_stacks_stack(&stacks, NULL, 0, false), 3);
	assert_int_equal(call_stacks_stack(&stacks, places, 3, false), 0);
	assert_int_equal(call_stacks_stack(&stacks, NULL, 0, false), 3);
	call_stacks_deinit(&stacks);
}

static void test_equal_samples_are_added_up(void **state)
{
	struct call_stacks stacks = {0};
	struct call_sample sample = {.reason = SAMPLE_TICK, .weight = 3};

	(void)state;
	call_stacks_add(&stacks, &sample);
	call_stacks_add(&stacks, &sample);
	assert_int_equal(stacks.samples.count, 1);
	assert_int_equal(stacks.samples.data[0].weight, 6);
	sample.is_delayed = true;
	call_stacks_add(&stacks, &sample);
	sample.reason = SAMPLE_FAULT_MAJOR;
	call_stacks_add(&stacks, &sample);
	sample.thread = 1;
	call_stacks_add(&stacks, &sample);
	sample.stack = 1;
	call_stacks_add(&stacks, &sample);
	assert_int_equal(stacks.samples.count, 5);
	assert_int_equal(call_stacks_weight(&stacks), 6 + 4 * 3);
	call_stacks_deinit(&stacks);
}

/* The innermost frames that are waits are passed over. */
static void test_innermost_frame_is_no_wait(void **state)
{
	struct call_stacks stacks = {0};
	uint32_t places[2];
	const struct call_stack *stack;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		const struct procedure procedure = {.name = i ? "main"
							      : "waiting.read",
						    .module = i ? "m" : "",
						    .is_wait = !i};
		const struct call_place place = {
			.procedure = procedures_number(&stacks.procedures,
						       &procedure)};

		places[i] = call_stacks_place(&stacks, &place);
	}
	call_stacks_stack(&stacks, places, 2, false);
	call_stacks_stack(&stacks, places, 1, false);
	stack = &stacks.stacks.data[0];
	assert_int_equal(call_stack_innermost(&stacks, stack), 1);
	assert_int_equal(call_stack_procedure(&stacks, stack, 1), 1);
	assert_int_equal(call_stack_innermost(&stacks, stack + 1), 1);
	call_stacks_deinit(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_procedures_are_told_apart),
		cmocka_unit_test(
			test_procedures_without_file_differ_by_address),
		cmocka_unit_test(test_many_procedures_keep_their_numbers),
		cmocka_unit_test(test_places_and_stacks_have_one_number),
		cmocka_unit_test(test_equal_samples_are_added_up),
		cmocka_unit_test(test_innermost_frame_is_no_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
