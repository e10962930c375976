/*
 * test_profile_flat.c - the three flat listings against counts of random
 * samples
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perftool/profile/flat_profile.h"
#include "profile_model.h"

/* Ticks by procedure; the last element is that of no procedure. */
struct counts {
	uint64_t on_time[MODEL_MOST + 1], delayed[MODEL_MOST + 1];
};

/* Add a sample with a random stack, which may end in a wait, and count it. */
static void add_sample(struct model *model, uint32_t wait,
		       struct counts *counts)
{
	const bool is_delayed = model_random(model) % 3 == 0;
	const uint64_t weight = model_random(model) % 5;
	uint32_t places[4], procedures[4];
	size_t depth = 0, frames = 0;
	uint32_t charged = MODEL_MOST;
	struct call_sample sample = {.is_delayed = is_delayed,
				     .weight = weight};

	if (model_random(model) % 4 == 0)
		places[depth++] = call_stacks_place(
			&model->stacks,
			&(struct call_place){.procedure = wait});
	for (size_t left = model_random(model) % 4; left > 0 && depth < 4;
	     left--) {
		const uint32_t procedure =
			(uint32_t)(model_random(model) % MODEL_MOST);

		procedures[frames++] = procedure;
		places[depth++] = call_stacks_place(
			&model->stacks,
			&(struct call_place){.procedure = procedure});
	}
	sample.stack = call_stacks_stack(&model->stacks, places, depth, false);
	if (model_random(model) % 8 == 0)
		sample.reason = SAMPLE_BREAK;
	call_stacks_add(&model->stacks, &sample);
	if (frames)
		charged = procedures[is_delayed && frames > 1 ? 1 : 0];
	if (sample.reason == SAMPLE_TICK)
		(is_delayed ? counts->delayed : counts->on_time)[charged] +=
			weight;
}

static void check_listing(const struct flat_listing *listing,
			  const uint64_t *counts)
{
	uint64_t sum = 0;
	size_t rows = 0;

	for (size_t i = 0; i < listing->rows.count; i++) {
		const struct flat_row *row = &listing->rows.data[i];
		size_t at = row->procedure == NO_PROCEDURE ? MODEL_MOST
							   : row->procedure;

		assert_int_equal(row->ticks, counts[at]);
		assert_true(row->ticks > 0);
		if (i)
			assert_true(row[-1].ticks >= row->ticks);
	}
	for (size_t i = 0; i <= MODEL_MOST; i++) {
		sum += counts[i];
		rows += counts[i] != 0;
	}
	assert_int_equal(listing->rows.count, rows);
	assert_int_equal(listing->ticks, sum);
}

static void listings_have_the_ticks_of_each_procedure(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed < 3000; seed++) {
		struct model model = {.random = seed};
		struct flat_profile profile = {0};
		struct counts counts = {0};
		uint64_t all[MODEL_MOST + 1];
		uint32_t wait;

		model_procedures(&model, MODEL_MOST);
		wait = procedures_number(
			&model.stacks.procedures,
			&(struct procedure){.name = "waiting.read",
					    .module = "",
					    .is_wait = true});
		for (size_t left = model_random(&model) % 40; left > 0; left--)
			add_sample(&model, wait, &counts);
		for (size_t i = 0; i <= MODEL_MOST; i++)
			all[i] = counts.on_time[i] + counts.delayed[i];
		flat_profile_make(&model.stacks, &profile);
		check_listing(&profile.all, all);
		check_listing(&profile.on_time, counts.on_time);
		check_listing(&profile.delayed, counts.delayed);
		flat_profile_deinit(&profile);
		model_deinit(&model);
	}
}

/* Equal numbers are in the order of names, so that two listings of the same
 * profile are the same. */
static void equal_numbers_are_ordered_by_name(void **state)
{
	struct flat_profile profile = {0};
	struct call_stacks stacks = {0};
	static const char *const names[] = {"c", "a", "b"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct call_place place = {
			.procedure = procedures_number(
				&stacks.procedures,
				&(struct procedure){.name = names[i],
						    .module = "m"})};
		const uint32_t number = call_stacks_place(&stacks, &place);

		call_stacks_add(&stacks,
				&(struct call_sample){
					.stack = call_stacks_stack(
						&stacks, &number, 1, false),
					.weight = 2});
	}
	flat_profile_make(&stacks, &profile);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(profile.all.rows.data[i].procedure,
				 (i + 1) % 3);
	assert_int_equal(profile.delayed.rows.count, 0);
	flat_profile_deinit(&profile);
	call_stacks_deinit(&stacks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listings_have_the_ticks_of_each_procedure),
		cmocka_unit_test(equal_numbers_are_ordered_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
