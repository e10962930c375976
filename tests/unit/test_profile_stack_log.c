/*
 * test_profile_stack_log.c - the log of samples: each stack is kept once, and
 * names are asked for once
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "perftool/profile/stack_log.h"

/* What the namer of these tests was asked. */
struct asked {
	unsigned addresses, threads;
};

static void add_place(struct call_stacks *stacks,
		      struct call_place_list *places, const char *name,
		      const struct code_address *at, bool is_inlined)
{
	const struct procedure procedure = {.name = name, .module = "m"};
	const struct call_place place = {
		.procedure = procedures_number(&stacks->procedures, &procedure),
		.address = at->address - !at->is_exact,
		.is_inlined = is_inlined};

	vec_push(places, call_stacks_place(stacks, &place));
}

/* Addresses from 0x500 on have an inlined call, too. */
static void name(void *context, const struct code_address *at,
		 struct call_stacks *stacks, struct call_place_list *places)
{
	struct asked *asked = context;
	char text[32];

	asked->addresses++;
	snprintf(text, sizeof(text), "m%u.%x", at->module,
		 (unsigned)at->address);
	if (at->address >= 0x500)
		add_place(stacks, places, "inlined", at, true);
	add_place(stacks, places, text, at, false);
}

static uint32_t name_thread(void *context, uint32_t serial,
			    struct call_stacks *stacks)
{
	struct asked *asked = context;

	asked->threads++;
	return call_stacks_thread(
		stacks, &(struct sampled_thread){.tid = (pid_t)serial});
}

static void resolve(const struct stack_log *log, struct asked *asked,
		    struct call_stacks *out)
{
	const struct stack_namer namer = {asked, name, name_thread};

	*asked = (struct asked){0};
	*out = (struct call_stacks){0};
	stack_log_resolve(log, &namer, out);
}

#define FRAME(number, at, exact)                                               \
	{                                                                      \
		.module = (number), .address = (at), .is_exact = (exact)       \
	}

static uint32_t add(struct stack_log *log, const struct code_address *frames,
		    size_t depth, uint32_t thread, const char *wait)
{
	return stack_log_add(log, &(struct logged_stack){.frames = frames,
							 .depth = depth,
							 .thread = thread,
							 .wait = wait,
							 .weight = 1});
}

static void expect_stack(const struct call_stacks *stacks, uint32_t sample,
			 const char *expected)
{
	const struct call_stack *stack =
		&stacks->stacks.data[stacks->samples.data[sample].stack];
	char text[200] = "";
	size_t length = 0;

	for (size_t i = 0; i < stack->depth; i++)
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%s",
			i ? " " : "",
			stacks->procedures.list
				.data[call_stack_procedure(stacks, stack, i)]
				.name);
	assert_string_equal(text, expected);
}

static void test_stacks_are_kept_once(void **state)
{
	const struct code_address deep[] = {FRAME(1, 0x30, true),
					    FRAME(1, 0x20, false),
					    FRAME(1, 0x10, false)};
	const struct code_address side[] = {FRAME(1, 0x40, true),
					    FRAME(1, 0x20, false),
					    FRAME(1, 0x10, false)};
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;
	uint32_t node = add(&log, deep, 3, 7, NULL);

	(void)state;
	assert_int_not_equal(node, 0);
	assert_int_equal(add(&log, deep, 3, 7, NULL), node);
	assert_int_equal(add(&log, deep, 3, 8, NULL), node);
	assert_int_not_equal(add(&log, side, 3, 7, NULL), node);
	/* the root, and a frame for each address */
	assert_int_equal(log.nodes.count, 1 + 4);
	assert_int_equal(log.stacks, 4);
	assert_int_equal(log.frames, 12);
	assert_int_equal(log.samples.count, 3);
	resolve(&log, &asked, &stacks);
	assert_int_equal(asked.addresses, 4);
	assert_int_equal(asked.threads, 2);
	assert_int_equal(stacks.samples.count, 3);
	assert_int_equal(stacks.samples.data[0].weight, 2);
	assert_int_equal(call_stacks_weight(&stacks), 4);
	expect_stack(&stacks, 0, "m1.30 m1.20 m1.10");
	expect_stack(&stacks, 2, "m1.40 m1.20 m1.10");
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

/* The same number of an address means different code in another module, and
 * other code again at a return address. */
static void test_addresses_are_told_apart(void **state)
{
	const struct code_address frames[] = {
		FRAME(1, 0x30, true), FRAME(2, 0x30, true),
		FRAME(1, 0x30, false), FRAME(0, 0x30, false)};
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		add(&log, &frames[i], 1, 1, NULL);
	resolve(&log, &asked, &stacks);
	assert_int_equal(asked.addresses, 4);
	assert_int_equal(stacks.stacks.count, 4);
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

static void test_waits_and_inlined_calls_are_frames(void **state)
{
	const struct code_address frames[] = {FRAME(1, 0x30, true),
					      FRAME(1, 0x500, false)};
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;

	(void)state;
	add(&log, frames, 2, 1, "read");
	add(&log, frames, 2, 1, "ML");
	add(&log, frames, 2, 1, "read");
	add(&log, NULL, 0, 1, "?");
	resolve(&log, &asked, &stacks);
	assert_int_equal(stacks.samples.count, 3);
	expect_stack(&stacks, 0, "waiting.read m1.30 inlined m1.500");
	expect_stack(&stacks, 1, "waiting.ML m1.30 inlined m1.500");
	expect_stack(&stacks, 2, "waiting.?");
	assert_int_equal(stacks.samples.data[0].weight, 2);
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

/* A stack that could not be unwound to its end is not the stack that ends
 * there. */
static void test_broken_stacks_are_marked(void **state)
{
	const struct code_address frames[] = {FRAME(1, 0x30, true),
					      FRAME(1, 0x20, false)};
	struct logged_stack stack = {
		.frames = frames, .depth = 2, .thread = 1, .weight = 1};
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;

	(void)state;
	stack_log_add(&log, &stack);
	stack.is_broken = true;
	stack_log_add(&log, &stack);
	assert_int_equal(log.broken, 1);
	resolve(&log, &asked, &stacks);
	assert_int_equal(stacks.stacks.count, 2);
	assert_false(
		stacks.stacks.data[stacks.samples.data[0].stack].is_broken);
	assert_true(stacks.stacks.data[stacks.samples.data[1].stack].is_broken);
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

/* What becomes of a mapping counts for the stack that made it, and is no stack
 * of its own. */
static void test_credit_counts_for_an_earlier_stack(void **state)
{
	const struct code_address maker = FRAME(1, 0x30, true);
	const struct code_address other = FRAME(1, 0x40, true);
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;
	uint32_t node;

	(void)state;
	node = stack_log_add(&log,
			     &(struct logged_stack){.frames = &maker,
						    .depth = 1,
						    .thread = 1,
						    .reason = SAMPLE_CREATED,
						    .weight = 1});
	add(&log, &other, 1, 2, NULL);
	for (int i = 0; i < 2; i++)
		stack_log_credit(&log, &(struct stack_log_sample){
					       .node = node,
					       .thread = 1,
					       .reason = SAMPLE_DELETED,
					       .weight = 1});
	assert_int_equal(log.stacks, 2);
	assert_int_equal(log.samples.count, 3);
	resolve(&log, &asked, &stacks);
	expect_stack(&stacks, 2, "m1.30");
	assert_int_equal(stacks.samples.data[2].reason, SAMPLE_DELETED);
	assert_int_equal(stacks.samples.data[2].weight, 2);
	assert_int_equal(stacks.samples.data[2].stack,
			 stacks.samples.data[0].stack);
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

/* No depth is too great. */
static void test_stacks_can_be_deep(void **state)
{
	enum { DEPTH = 100000 };
	static struct code_address frames[DEPTH];
	struct stack_log log = {0};
	struct call_stacks stacks;
	struct asked asked;

	(void)state;
	for (size_t i = 0; i < DEPTH; i++)
		frames[i] = (struct code_address)FRAME(1, 0x20 + i % 3, false);
	add(&log, frames, DEPTH, 1, NULL);
	add(&log, frames + 1, DEPTH - 1, 1, NULL);
	assert_int_equal(log.nodes.count, 1 + DEPTH);
	resolve(&log, &asked, &stacks);
	assert_int_equal(asked.addresses, 3);
	assert_int_equal(stacks.stacks.count, 2);
	assert_int_equal(stacks.stacks.data[0].depth, DEPTH);
	call_stacks_deinit(&stacks);
	stack_log_deinit(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_are_kept_once),
		cmocka_unit_test(test_addresses_are_told_apart),
		cmocka_unit_test(test_waits_and_inlined_calls_are_frames),
		cmocka_unit_test(test_broken_stacks_are_marked),
		cmocka_unit_test(test_credit_counts_for_an_earlier_stack),
		cmocka_unit_test(test_stacks_can_be_deep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
