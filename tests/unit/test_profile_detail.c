/*
 * test_profile_detail.c - which functions get nodes under `set detail auto`
 *
 * tier: core
 * covers: profile
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perftool/profile/detail_choice.h"

#define SECOND 1000000000u

static const struct detail_rules ordinary = {.class = {50, 5, 0.05, 0.02},
					     .method = {50, 5, 0.05, 0.02},
					     .cost = 0.03,
					     .room = 0.026,
					     .most = 100,
					     .may_change = true};

/* A decision with the classes a.c and b.c, each with two functions. */
struct rig {
	struct detail_choice choice;
	struct detail_change_list changes;
	struct detail_rules rules;
	uint32_t a, b, a1, a2, b1, b2;
	uint64_t now;
};

static void rig_init(struct rig *rig)
{
	*rig = (struct rig){.rules = ordinary, .now = SECOND};
	rig->a = detail_choice_class(&rig->choice, "a.c");
	rig->b = detail_choice_class(&rig->choice, "b.c");
	rig->a1 = detail_choice_function(&rig->choice, "a1", rig->a);
	rig->a2 = detail_choice_function(&rig->choice, "a2", rig->a);
	rig->b1 = detail_choice_function(&rig->choice, "b1", rig->b);
	rig->b2 = detail_choice_function(&rig->choice, "b2", rig->b);
}

static void rig_deinit(struct rig *rig)
{
	vec_free(&rig->changes);
	detail_choice_deinit(&rig->choice);
}

/* Adds ticks in a function, and so in its class. */
static void tick(struct rig *rig, uint32_t function, uint32_t ticks)
{
	detail_choice_add(&rig->choice, ticks);
	detail_choice_add_class(&rig->choice,
				rig->choice.functions.data[function].class,
				ticks);
	detail_choice_add_function(&rig->choice, function, ticks);
}

static void decide(struct rig *rig)
{
	vec_clear(&rig->changes);
	detail_choice_decide(&rig->choice, &rig->rules, rig->now,
			     &rig->changes);
	rig->now += SECOND / 10;
}

/* Each slice has so many ticks in the function, and ends with a decision. */
static void run(struct rig *rig, uint32_t function, uint32_t ticks,
		size_t slices)
{
	for (size_t i = 0; i < slices; i++) {
		tick(rig, function, ticks);
		decide(rig);
		detail_choice_advance(&rig->choice);
	}
}

/* The nodes of the function cost this share. */
static void cost(struct rig *rig, uint32_t function, double share)
{
	const struct detail_cost cost = {
		.share = share, .cpu_rate = 2e5, .rate = 1e5};

	detail_choice_cost(&rig->choice, function, &cost);
}

static enum detail_state state(const struct rig *rig, uint32_t function)
{
	return rig->choice.functions.data[function].state;
}

static void numbers_are_found_again(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	assert_int_equal(detail_choice_class(&rig.choice, "b.c"), rig.b);
	assert_int_equal(detail_choice_function(&rig.choice, "a2", rig.a),
			 rig.a2);
	assert_int_equal(rig.choice.functions.count, 4);
	rig_deinit(&rig);
}

static void a_function_gets_nodes_after_enough_ticks(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	run(&rig, rig.a1, 25, 1);
	assert_int_equal(rig.changes.count, 0);
	tick(&rig, rig.a1, 25);
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	assert_int_equal(rig.changes.data[0].function, rig.a1);
	assert_true(rig.changes.data[0].in);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	/* It has them now. */
	decide(&rig);
	assert_int_equal(rig.changes.count, 0);
	rig_deinit(&rig);
}

static void most_ticks_come_first(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.b1, 40);
	tick(&rig, rig.a1, 60);
	rig.rules.most = 1;
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	assert_int_equal(rig.changes.data[0].function, rig.a1);
	rig.rules.most = 2;
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	assert_int_equal(rig.changes.data[0].function, rig.b1);
	rig_deinit(&rig);
}

static void phases_follow_each_other(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	run(&rig, rig.a1, 25, 20);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	/* After one slice of ten, b1 has 1/10 of the ticks. */
	tick(&rig, rig.b1, 25);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	detail_choice_advance(&rig.choice);
	run(&rig, rig.b1, 25, 8);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	/* Now no tick of a1 is in the window any more. */
	run(&rig, rig.b1, 25, 1);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	assert_int_equal(rig.changes.count, 1);
	assert_false(rig.changes.data[0].in);
	assert_false(rig.changes.data[0].is_dear);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	rig_deinit(&rig);
}

static void two_thresholds_are_a_hysteresis(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	/* 3 % is between the two thresholds. */
	for (int i = 0; i < 20; i++) {
		tick(&rig, rig.b1, 3);
		run(&rig, rig.a1, 97, 1);
	}
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	for (int i = 0; i < 20; i++) {
		tick(&rig, rig.b1, 6);
		run(&rig, rig.a1, 94, 1);
	}
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	for (int i = 0; i < 20; i++) {
		tick(&rig, rig.b1, 3);
		run(&rig, rig.a1, 97, 1);
	}
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	for (int i = 0; i < 20; i++) {
		tick(&rig, rig.b1, 1);
		run(&rig, rig.a1, 99, 1);
	}
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	rig_deinit(&rig);
}

static void a_method_needs_its_class(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	/* a1 is on many stacks, but the ticks are those of class b. */
	detail_choice_add(&rig.choice, 100);
	detail_choice_add_class(&rig.choice, rig.b, 100);
	detail_choice_add_function(&rig.choice, rig.a1, 100);
	detail_choice_add_function(&rig.choice, rig.b1, 100);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	/* A system class is detailed no more, and its functions neither. */
	rig.choice.classes.data[rig.b].is_system = true;
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	rig_deinit(&rig);
}

static void minimum_counts(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	rig.rules.method.minimum = 30;
	tick(&rig, rig.a1, 70);
	tick(&rig, rig.a2, 29);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	assert_int_equal(state(&rig, rig.a2), DETAIL_OUT);
	tick(&rig, rig.a2, 1);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a2), DETAIL_TRIED);
	rig_deinit(&rig);
}

static void an_idle_program_keeps_its_nodes(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	run(&rig, rig.a1, 25, 20);
	for (size_t i = 0; i < 2 * DETAIL_SLICES; i++) {
		decide(&rig);
		detail_choice_advance(&rig.choice);
	}
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	/* A few ticks of another function say nothing yet. */
	run(&rig, rig.b1, 1, 19);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	run(&rig, rig.b1, 1, 1);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	rig_deinit(&rig);
}

static void the_window_grows_where_ticks_are_few(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	run(&rig, rig.a1, 2, 24);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	run(&rig, rig.a1, 2, 1);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	assert_true(detail_choice_share(&rig.choice, rig.a1) == 1);
	/* These 25 slices are in the window together with the next five. */
	run(&rig, rig.b1, 2, 5);
	assert_true(detail_choice_share(&rig.choice, rig.a1) > 0.7);
	rig_deinit(&rig);
}

static void a_dear_function_is_refused_for_longer_each_time(void **unused)
{
	uint64_t wait = 10u * (uint64_t)SECOND;
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	for (int i = 0; i < 3; i++, wait *= 2) {
		uint64_t refused;

		tick(&rig, rig.a1, 100);
		decide(&rig);
		assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
		cost(&rig, rig.a1, 2.5);
		refused = rig.now;
		decide(&rig);
		assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
		assert_int_equal(rig.changes.count, 1);
		assert_true(rig.changes.data[0].is_dear);
		assert_int_equal(rig.choice.functions.data[rig.a1].refusals,
				 i + 1);
		assert_true(rig.choice.functions.data[rig.a1].refused.share ==
			    2.5);
		rig.now = refused + wait - 1;
		decide(&rig);
		assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
		rig.now = refused + wait;
	}
	rig_deinit(&rig);
}

static void the_dearest_for_its_ticks_goes(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.a1, 80);
	tick(&rig, rig.b1, 20);
	decide(&rig);
	assert_int_equal(rig.changes.count, 2);
	/* Together they cost too much. b1 costs less, but more for each of its
	 * ticks. */
	cost(&rig, rig.a1, 0.02);
	cost(&rig, rig.b1, 0.015);
	assert_int_equal(state(&rig, rig.a1), DETAIL_IN);
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	assert_int_equal(rig.changes.data[0].function, rig.b1);
	assert_true(rig.changes.data[0].is_dear);
	assert_true(detail_choice_total_cost(&rig.choice) == 0.02);
	rig_deinit(&rig);
}

/* Lets a1 and b1 be tried, of which b1 is refused for want of room. */
static void refuse_b1(struct rig *rig)
{
	tick(rig, rig->a1, 80);
	tick(rig, rig->b1, 20);
	decide(rig);
	cost(rig, rig->a1, 0.02);
	cost(rig, rig->b1, 0.015);
	decide(rig);
	assert_int_equal(state(rig, rig->b1), DETAIL_OUT);
	assert_true(detail_is_refused(&rig->choice.functions.data[rig->b1],
				      rig->now));
}

/* A function that was refused because of what others cost comes back when it
 * fits beside them, and at once. */
static void a_refused_function_waits_until_it_fits(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	refuse_b1(&rig);
	rig.now += 100u * (uint64_t)SECOND;
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	cost(&rig, rig.a1, 0.01);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	rig_deinit(&rig);
}

static void what_is_refused_for_others_waits_for_no_time(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	for (int i = 0; i < 5; i++) {
		refuse_b1(&rig);
		assert_int_equal(rig.choice.functions.data[rig.b1].refusals, 0);
		/* as soon as there is room, a tenth of a second later */
		cost(&rig, rig.a1, 0.01);
		decide(&rig);
		assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
		assert_false(detail_is_refused(
			&rig.choice.functions.data[rig.b1], rig.now));
	}
	rig_deinit(&rig);
}

/* Between what lets functions in and what makes them go nothing changes: costs
 * vary. */
static void little_more_or_less_changes_nothing(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.a1, 80);
	tick(&rig, rig.b1, 20);
	decide(&rig);
	cost(&rig, rig.a1, 0.016);
	cost(&rig, rig.b1, 0.012);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_IN);
	cost(&rig, rig.a1, 0.019);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	cost(&rig, rig.a1, 0.016);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	cost(&rig, rig.a1, 0.0139);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	rig_deinit(&rig);
}

/* Two functions that fit one by one do not both come. */
static void room_is_given_once(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.a1, 80);
	tick(&rig, rig.a2, 30);
	tick(&rig, rig.b1, 20);
	decide(&rig);
	cost(&rig, rig.a1, 0.02);
	cost(&rig, rig.a2, 0.015);
	cost(&rig, rig.b1, 0.015);
	decide(&rig);
	assert_int_equal(rig.changes.count, 2);
	cost(&rig, rig.a1, 0.01);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a2), DETAIL_TRIED);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	assert_true(detail_choice_total_cost(&rig.choice) == 0.025);
	rig_deinit(&rig);
}

/* What has come to matter more gets the place of what costs far more for its
 * ticks. */
static void a_function_with_more_ticks_displaces_another(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	refuse_b1(&rig);
	tick(&rig, rig.b1, 20);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_OUT);
	tick(&rig, rig.b1, 160);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_TRIED);
	cost(&rig, rig.b1, 0.015);
	decide(&rig);
	assert_int_equal(state(&rig, rig.b1), DETAIL_IN);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	rig_deinit(&rig);
}

/* ---- what the nodes cost ------------------------------------------------- */

static bool is_near(double value, double wanted)
{
	return value > wanted * 0.999999 && value < wanted * 1.000001;
}

/* The same calls cost the same, whatever other nodes cost meanwhile, and
 * whatever part of the time the program had a CPU. */
static void costs_are_rates_times_costs_of_calls(void **unused)
{
	const double calls = 1e4, call = 40;
	struct detail_own_time own;
	struct detail_cost of;

	(void)unused;
	/* 10 ms of its own: 10,000 calls of 40 ns are 4 % */
	own = detail_own_time(10.4e6, 10.4e6, 0.4e6, 0.03);
	of = detail_cost_of(calls, calls * call, &own, 10.4e6);
	assert_true(is_near(of.share, 0.04) && is_near(of.cpu_rate, 1e6));
	assert_false(of.is_least);
	/* beside others that cost 5 ms, and with a CPU in half of the time */
	own = detail_own_time(15.4e6, 30.8e6, 5.4e6, 0.03);
	of = detail_cost_of(calls, calls * call, &own, 30.8e6);
	assert_true(is_near(of.share, 0.04) && is_near(of.cpu_rate, 1e6));
	assert_true(is_near(of.share, of.cpu_rate * call / 1e9));
	assert_true(is_near(of.rate, 1e4 * 1e9 / 30.8e6));
}

/* If nearly all of the time went to hits, or more than there was, only a least
 * cost is known: twice the limit, and the time of the program itself. */
static void what_is_left_beside_many_hits_is_not_known(void **unused)
{
	struct detail_own_time own;
	struct detail_cost of;

	(void)unused;
	for (double spent = 6e6; spent < 20e6; spent += 1e6) {
		own = detail_own_time(10e6, 10e6, spent, 0.03);
		of = detail_cost_of(spent / 40, spent, &own, 10e6);
		assert_true(of.is_least && of.share > 1 && of.share < 2.07);
		assert_true(is_near(of.share, of.cpu_rate * 40 / 1e9));
	}
	/* where more is allowed, more is measured */
	own = detail_own_time(10e6, 10e6, 6e6, 1);
	of = detail_cost_of(1000, 6e6, &own, 10e6);
	assert_true(!of.is_least && is_near(of.share, 1.5));
	/* an idle program has hardly been measured */
	own = detail_own_time(1e3, 10e6, 500, 0.03);
	assert_true(own.ns == 1e5);
}

static void without_allowance_only_dear_functions_change(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.a1, 60);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	rig.rules.may_change = false;
	tick(&rig, rig.b1, 60);
	decide(&rig);
	assert_int_equal(rig.changes.count, 0);
	cost(&rig, rig.a1, 1);
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	assert_int_equal(rig.changes.data[0].function, rig.a1);
	rig_deinit(&rig);
}

static void a_barred_function_gets_nothing(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	detail_choice_bar(&rig.choice, rig.a1, true);
	tick(&rig, rig.a1, 100);
	decide(&rig);
	assert_int_equal(rig.changes.count, 0);
	detail_choice_bar(&rig.choice, rig.a1, false);
	decide(&rig);
	assert_int_equal(state(&rig, rig.a1), DETAIL_TRIED);
	/* What the user has made meanwhile. */
	detail_choice_bar(&rig.choice, rig.a1, true);
	assert_int_equal(state(&rig, rig.a1), DETAIL_OUT);
	decide(&rig);
	assert_int_equal(rig.changes.count, 0);
	rig_deinit(&rig);
}

static void forgotten_ticks_are_gone(void **unused)
{
	struct rig rig;

	(void)unused;
	rig_init(&rig);
	tick(&rig, rig.a1, 49);
	detail_choice_forget_ticks(&rig.choice);
	tick(&rig, rig.a1, 49);
	decide(&rig);
	assert_int_equal(rig.changes.count, 0);
	tick(&rig, rig.a1, 1);
	decide(&rig);
	assert_int_equal(rig.changes.count, 1);
	rig_deinit(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_found_again),
		cmocka_unit_test(a_function_gets_nodes_after_enough_ticks),
		cmocka_unit_test(most_ticks_come_first),
		cmocka_unit_test(phases_follow_each_other),
		cmocka_unit_test(two_thresholds_are_a_hysteresis),
		cmocka_unit_test(a_method_needs_its_class),
		cmocka_unit_test(minimum_counts),
		cmocka_unit_test(an_idle_program_keeps_its_nodes),
		cmocka_unit_test(the_window_grows_where_ticks_are_few),
		cmocka_unit_test(
			a_dear_function_is_refused_for_longer_each_time),
		cmocka_unit_test(the_dearest_for_its_ticks_goes),
		cmocka_unit_test(a_refused_function_waits_until_it_fits),
		cmocka_unit_test(what_is_refused_for_others_waits_for_no_time),
		cmocka_unit_test(little_more_or_less_changes_nothing),
		cmocka_unit_test(room_is_given_once),
		cmocka_unit_test(a_function_with_more_ticks_displaces_another),
		cmocka_unit_test(costs_are_rates_times_costs_of_calls),
		cmocka_unit_test(what_is_left_beside_many_hits_is_not_known),
		cmocka_unit_test(without_allowance_only_dear_functions_change),
		cmocka_unit_test(a_barred_function_gets_nothing),
		cmocka_unit_test(forgotten_ticks_are_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
