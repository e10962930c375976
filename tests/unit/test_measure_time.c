/*
 * test_measure_time.c - how long a leg took: holds, costs and pauses are
 * subtracted; and the figures of the summary
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "measure_rig.h"
#include "perftool/histogram.h"
#include "perftool/measure/measured_legs.h"

/* ---- time ----------------------------------------------------------- */

/* The tool subtracts the holds and the unseen costs of the thread's own breaks.
 */
static void holds_and_costs_of_own_breaks_are_subtracted(void **state)
{
	uint32_t id = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	held_hit(1, 1, 1000, 1100, 10, 20);
	held_hit(2, 1, 1200, 1300, 10, 20); /* a break during the leg */
	/* a hold that is no break */
	measure_hold(measure, 1, PID, 1, 1350, 1360, 10, 20);
	held_hit(2, 2, 1370, 1380, 10, 20); /* another thread */
	held_hit(3, 1, 1400, 1500, 10, 20);
	/* 1100+20 .. 1200-10, 1300+20 .. 1350-10, 1360+20 .. 1400-10 */
	check_leg(id, 1, 70 + 20 + 10, 0, 0);
}

static void compensation_off_subtracts_nothing(void **state)
{
	uint32_t id = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_compensation(measure, false);
	held_hit(1, 1, 1000, 1100, 10, 20);
	held_hit(2, 1, 1200, 1300, 10, 20);
	held_hit(3, 1, 1400, 1500, 10, 20);
	check_leg(id, 1, 400, 0, 0);
}

/* The leg begins in one thread and ends in another. It lasts from when the tool
 * has let the first thread go until the second thread reaches *to*. */
static void leg_across_threads_lasts_by_wall_clock(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	const struct value key = value_unsigned(5);

	(void)state;
	hit_key(1, 1, PID, 1000, key);
	measure_hold(measure, 1, PID, 1, 1000, 1100, 0, 20);
	/* the holds of this thread do not matter */
	held_hit(3, 1, 1130, 1180, 10, 20);
	hit_key(2, 2, PID, 1300, key);
	check_leg(id, 1, 1300 - 1100 - 20, 0, 0);
	/* if the same thread ends the leg, the leg has that thread's own time
	 */
	hit_key(1, 1, PID, 2000, key);
	measure_hold(measure, 1, PID, 1, 2000, 2100, 0, 20);
	held_hit(3, 1, 2200, 2250, 10, 20);
	hit_key(2, 1, PID, 2300, key);
	check_leg(id, 2, 180 + 200 - 20 - 50 - 30, 0, 0);
	/* the second thread reaches *to* while the first thread is still held:
	 * the leg takes no time */
	hit_key(1, 1, PID, 3000, key);
	hit_key(2, 2, PID, 3010, key);
	check_leg(id, 3, 180 + 100, 0, 0);
}

static void cost_before_the_closing_hit_is_subtracted(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	struct value key = value_unsigned(5);
	struct hit to = {.node = 2,
			 .thread = 2,
			 .pid = PID,
			 .tid = 2,
			 .time = 1300,
			 .cost_before = 15,
			 .keys = &key,
			 .key_count = 1};

	(void)state;
	hit_key(1, 1, PID, 1000, key);
	measure_hold(measure, 1, PID, 1, 1000, 1100, 10, 20);
	measure_hit(measure, &to);
	check_leg(id, 1, 1300 - 15 - 1100 - 20, 0, 0);
}

/* The clock stands still while the program is stopped. */
static void pauses_do_not_count(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;

	(void)state;
	held_hit(1, 1, 100, 110, 0, 0);
	measure_set_running(measure, false, 150);
	measure_set_running(measure, true, 1150);
	held_hit(2, 1, 1170, 1180, 0, 0);
	check_leg(id, 1, 60, 0, 0);
	measure_get_summary(measure, 1200, &summary);
	assert_int_equal(summary.elapsed, 200);
	assert_int_equal(summary.overhead, 20);
}

static void observe_interrupted(void *context,
				const struct execution *execution)
{
	*(bool *)context = execution->interrupted;
}

/* An execution that spans a stop counts with the time for which the program
 * ran. That time does not say how long an execution takes, so minimum, maximum
 * and percentiles leave it out. */
static void interrupted_time_is_not_in_minimum_and_percentiles(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	const struct measure_leg *leg = measure_leg(measure, id);
	bool marked = false;
	double value;

	(void)state;
	assert_null(measure_leg_add_histogram(measure, id, &hdr));
	measure_set_observer(measure, observe_interrupted, &marked);
	hit(1, 1, 100);
	measure_set_running(measure, false, 110);
	measure_set_running(measure, true, 1110);
	hit(2, 1, 1120);
	assert_true(marked);
	/* it is the only execution, so only its time is known */
	assert_int_equal(leg->interrupted, 1);
	assert_false(measure_leg_quantile(leg, 0.5, &value));
	assert_true(measure_leg_is_marked(leg));
	hit(1, 1, 1200);
	hit(2, 1, 1250);
	assert_false(marked);
	hit(1, 1, 1300);
	hit(2, 1, 1370);
	check_leg(id, 3, 20 + 50 + 70, 0, 0);
	assert_int_equal(leg->interrupted, 1);
	assert_int_equal(leg->min, 50);
	assert_int_equal(leg->max, 70);
	assert_int_equal(histogram_references(leg->record), 2);
	assert_int_equal(histogram_references(leg->histogram), 2);
	assert_true(measure_leg_quantile(leg, 0, &value));
	assert_true(value >= 50);
	/* the mean is the total divided by the count, as a reader expects */
	assert_true(fabs(leg->mean - 140.0 / 3) < 1e-9);
	assert_int_equal(leg->slowest.count, 3);
	assert_false(leg->slowest.data[0].interrupted);
	assert_true(leg->slowest.data[2].interrupted);
	measure_zero(measure, 1400);
	assert_int_equal(leg->interrupted, 0);
	assert_false(measure_leg_is_marked(leg));
}

/* An execution is also interrupted if it begins in one thread and ends in
 * another, and after any number of stops. */
static void stop_interrupts_legs_across_threads_too(void **state)
{
	uint32_t keyed = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	uint32_t outer = add_plain_leg(3, 4, OWNER_THREAD, MATCH_LAST);
	uint64_t now = 100;

	(void)state;
	hit(3, 1, now);
	hit_key(1, 1, PID, now, value_signed(1));
	for (int i = 0; i < 100; i++) {
		measure_set_running(measure, false, ++now);
		measure_set_running(measure, true, ++now);
	}
	hit_key(2, 2, PID, now + 5, value_signed(1));
	hit(4, 1, now + 5);
	assert_int_equal(measure_leg(measure, keyed)->interrupted, 1);
	assert_int_equal(measure_leg(measure, outer)->interrupted, 1);
	/* the tool learns late of an execution from before the last stops */
	hit(3, 2, now - 9);
	hit(4, 2, now - 8);
	assert_int_equal(measure_leg(measure, outer)->count, 2);
	assert_int_equal(measure_leg(measure, outer)->interrupted, 2);
}

/* The tool held the whole program. Nothing went on meanwhile, so no execution
 * is interrupted. */
static void hold_of_the_whole_program_interrupts_nothing(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;

	(void)state;
	hit(1, 1, 100);
	measure_skip(measure, 110, 1110);
	hit(2, 1, 1120);
	check_leg(id, 1, 20, 0, 0);
	assert_int_equal(measure_leg(measure, id)->interrupted, 0);
	measure_get_summary(measure, 1200, &summary);
	assert_int_equal(summary.elapsed, 200);
	/* measure_skip() does not start a clock that stands still */
	measure_set_running(measure, false, 1200);
	measure_skip(measure, 1300, 1400);
	measure_get_summary(measure, 1500, &summary);
	assert_int_equal(summary.elapsed, 200);
}

/* If the program is stopped in the middle of a hold, the time of the stop is
 * subtracted once, and is no overhead. */
static void pause_within_a_hold_is_subtracted_once(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;

	(void)state;
	hit(1, 1, 100);
	measure_set_running(measure, false, 130);
	measure_set_running(measure, true, 5000);
	measure_hold(measure, 1, PID, 1, 100, 5010, 0, 0);
	hit(2, 1, 5100);
	check_leg(id, 1, 90, 0, 0);
	measure_get_summary(measure, 5100, &summary);
	assert_int_equal(summary.elapsed, 230);
	assert_int_equal(summary.overhead, 40);
}

/* If several threads stop at once, some arrive after the pause began. */
static void hit_within_a_pause_has_the_time_of_its_beginning(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 100);
	measure_set_running(measure, false, 200);
	hit(2, 1, 250);
	check_leg(id, 1, 100, 0, 0);
	hit(1, 1, 300);
	measure_set_running(measure, true, 1000);
	hit(2, 1, 1050);
	check_leg(id, 2, 150, 0, 0);
	/* the tool learns of this hit after the clock went on, but the hit was
	 * before */
	hit(1, 2, 190);
	hit(2, 2, 1020);
	check_leg(id, 3, 150 + 30, 0, 0);
}

/* The resolution of a leg depends on the mechanisms of its hits. */
static void resolution_depends_on_mechanisms_of_hits(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_calibration(measure, HIT_INT3, 40, 400);
	measure_set_calibration(measure, HIT_FAST, 10, 2);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0);
	held_hit(1, 1, 1000, 1100, 20, 20);
	held_hit(2, 1, 1300, 1400, 20, 20);
	assert_true(measure_leg_resolution(measure, leg(id)) == 400);
	for (uint64_t time = 2000; time < 2000 + 98 * 200; time += 200) {
		fast_hit(1, 1, time, 5);
		fast_hit(2, 1, time + 110, 5);
	}
	/* one execution of 99 is by int3, the other 98 are by jumps */
	assert_true(fabs(measure_leg_resolution(measure, leg(id)) -
			 (400 + 98 * 2) / 99.0) < 1e-9);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	/* one end by int3 is enough */
	held_hit(1, 1, 30000, 30100, 20, 20);
	fast_hit(2, 1, 30500, 5);
	assert_true(fabs(measure_leg_resolution(measure, leg(id)) -
			 (2 * 400 + 98 * 2) / 100.0) < 1e-9);
	measure_set_compensation(measure, false);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0);
}

/* The time of a pause does not count. So the cost of a hit in a pause must not
 * be subtracted from the time that counts. */
static void costs_within_a_pause_are_not_subtracted(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;

	(void)state;
	held_hit(1, 1, 100, 100, 5, 5);
	measure_set_running(measure, false, 200);
	held_hit(2, 1, 250, 250, 5, 5);
	/* the time until the pause, less the cost of the first hit */
	check_leg(id, 1, 100 - 5, 0, 0);
	for (uint64_t time = 300; time < 900; time += 100) {
		fast_hit(1, 1, time, 5);
		fast_hit(2, 1, time + 50, 5);
	}
	check_leg(id, 7, 95, 0, 0);
	assert_int_equal(leg(id)->min, 0);
	assert_true(fabs(leg(id)->mean - 95.0 / 7) < 1e-9);
	/* a thread that is held until the clock goes on */
	hit(1, 1, 900);
	measure_set_running(measure, true, 1000);
	measure_hold(measure, 1, PID, 1, 900, 1030, 5, 5);
	hit(2, 1, 1100);
	check_leg(id, 8, 95 + 100 - 30 - 5, 0, 0);
	measure_get_summary(measure, 1100, &summary);
	assert_int_equal(summary.elapsed, 300);
	assert_int_equal(summary.overhead, 10 + 35);
	/* the tool learns of these hits late */
	fast_hit(1, 2, 250, 5);
	fast_hit(2, 2, 260, 5);
	check_leg(id, 9, 160, 0, 0);
}

static void overhead_is_a_union(void **state)
{
	struct measure_summary summary;

	(void)state;
	held_hit(1, 2, 110, 150, 5, 5);  /* from 105 to 155 */
	held_hit(1, 1, 100, 200, 10, 5); /* from 90 to 205 */
	held_hit(1, 3, 300, 310, 0, 0);
	measure_get_summary(measure, 1000, &summary);
	assert_int_equal(summary.breaks, 3);
	assert_int_equal(summary.overhead, 115 + 10);
	assert_int_equal(summary.added_overhead, 50 + 115 + 10);
	/* the total divided by the number of breaks, as a reader computes it */
	assert_true(summary.average_overhead == 125.0 / 3);
	assert_true(fabs(summary.overhead_percent - 12.5) < 1e-9);
	measure_zero(measure, 1000);
	measure_hold(measure, 1, PID, 1, 950, 1040, 0, 0);
	measure_get_summary(measure, 1100, &summary);
	assert_int_equal(summary.elapsed, 100);
	assert_int_equal(summary.overhead, 40);
}

/* A stop at which no hit counts is overhead, but it is no break. */
static void breaks_are_hits_that_count(void **state)
{
	struct measure_summary summary;

	(void)state;
	held_hit(1, 1, 100, 110, 0, 0);
	measure_pass(measure, PID, 1);
	measure_hold(measure, 1, PID, 1, 200, 230, 0, 0);
	measure_follow(measure, PID, 1, HIT_FAST);
	measure_follow(measure, PID, 1, HIT_INT3);
	fast_hit(2, 1, 300, 5);
	/* two breakpoints have the same place */
	hit(1, 1, 400);
	hit(2, 1, 400);
	measure_hold(measure, 1, PID, 1, 400, 410, 0, 0);
	measure_node_deleted(measure, 2);
	held_hit(2, 1, 500, 510, 0, 0);
	measure_set_tracked(measure, PID, 2);
	held_hit(1, 1, 600, 610, 0, 0);
	measure_pass(measure, PID, 1);
	measure_follow(measure, PID, 1, HIT_INT3);
	measure_set_tracked(measure, 0, 0);
	measure_set_monitor(measure, false, 700);
	held_hit(1, 1, 710, 720, 0, 0);
	measure_pass(measure, PID, 1);
	measure_follow(measure, PID, 1, HIT_INT3);
	measure_get_summary(measure, 800, &summary);
	assert_int_equal(summary.breaks, 4);
	assert_int_equal(summary.breaks,
			 measure_node(measure, 1)->count +
				 measure_node(measure, 2)->count);
	assert_int_equal(summary.passed, 1);
	assert_int_equal(summary.followed, 2);
	assert_int_equal(summary.followed_int3, 1);
	assert_int_equal(summary.overhead, 10 + 30 + 10 + 10 + 10);
	assert_true(summary.average_overhead == 70.0 / 4);
	measure_zero(measure, 800);
	measure_get_summary(measure, 800, &summary);
	assert_int_equal(summary.breaks + summary.passed + summary.followed, 0);
}

/* Totals and means are sums of signed durations, so that they are not biased.
 * The minimum and the percentiles are never below 0. */
static void totals_can_be_negative_but_minima_cannot(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	double median;

	(void)state;
	measure_set_calibration(measure, HIT_INT3, 40, 10);
	held_hit(1, 1, 1000, 1100, 20, 20);
	held_hit(2, 1, 1130, 1200, 20, 20); /* 30 - 40 */
	held_hit(1, 1, 2000, 2100, 20, 20);
	held_hit(2, 1, 2146, 2200, 20, 20); /* 46 - 40 */
	check_leg(id, 2, -4, 0, 0);
	assert_true(leg(id)->mean == -2);
	assert_int_equal(leg(id)->min, 0);
	assert_int_equal(leg(id)->max, 6);
	assert_true(fabs(measure_leg_stddev(leg(id)) - sqrt(128)) < 1e-9);
	assert_true(measure_leg_quantile(leg(id), 0.5, &median));
	assert_true(median == 0);
	assert_true(measure_leg_below_resolution(measure, leg(id)));
	measure_set_calibration(measure, HIT_INT3, 0, 0);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
}

/* What the hits inside an execution cost is not known exactly. */
static void hits_inside_make_the_resolution_worse(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_calibration(measure, HIT_FAST, 10, 2);
	fast_hit(1, 1, 1000, 5);
	for (uint64_t time = 1010; time < 1010 + 100 * 12; time += 12)
		fast_hit(3, 1, time, 5);
	fast_hit(2, 1, 1010 + 100 * 12, 5);
	assert_true(leg(id)->inside == 1000);
	check_leg(id, 1, 200, 0, 0);
	assert_true(fabs(measure_leg_resolution(measure, leg(id)) -
			 (2 + 1000 * MEASURE_UNCERTAIN)) < 1e-9);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	/* an execution with nothing inside */
	fast_hit(1, 1, 5000, 5);
	fast_hit(2, 1, 5020, 5);
	assert_true(leg(id)->inside == 1000);
}

/* If the whole measured cost of a break lies between two ticks of the clock,
 * the cost is not known better than to one tick. */
static void cost_is_known_no_better_than_to_a_tick(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_clock_resolution(measure, 0.4);
	held_hit(1, 1, 1000, 1100, 5, 5);
	held_hit(2, 1, 1110, 1200, 5, 5);
	/* no cost was calibrated, so nothing uncertain was subtracted */
	assert_true(measure_leg_resolution(measure, leg(id)) == 0);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	measure_set_calibration(measure, HIT_INT3, 10, 0);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0.4);
	assert_true(measure_leg_below_resolution(measure, leg(id)));
	measure_set_calibration(measure, HIT_INT3, 10, 0.2);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0.4);
	measure_set_calibration(measure, HIT_INT3, 10, 0.5);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0.5);
	measure_set_calibration(measure, HIT_INT3, 10, 0);
	/* a mean that is not below 0 is not known better */
	held_hit(1, 1, 2000, 2100, 5, 5);
	held_hit(2, 1, 2110, 2200, 5, 5);
	held_hit(1, 1, 3000, 3100, 5, 5);
	held_hit(2, 1, 3111, 3200, 5, 5);
	assert_true(leg(id)->mean > 0.3 && leg(id)->mean < 0.4);
	assert_true(measure_leg_below_resolution(measure, leg(id)));
	held_hit(1, 1, 4000, 4100, 5, 5);
	held_hit(2, 1, 4111, 4200, 5, 5);
	assert_true(leg(id)->mean == 0.5);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	measure_set_compensation(measure, false);
	assert_true(measure_leg_resolution(measure, leg(id)) == 0);
}

static void leg_without_executions_has_no_figures(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;
	double value;

	(void)state;
	measure_set_calibration(measure, HIT_INT3, 40, 10);
	assert_false(measure_leg_quantile(leg(id), 0.5, &value));
	assert_true(measure_leg_stddev(leg(id)) == 0);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	assert_false(measure_leg_is_marked(leg(id)));
	measure_get_summary(measure, 0, &summary);
	assert_int_equal(summary.elapsed, 0);
	assert_true(summary.overhead_percent == 0);
}

static void quantiles_are_within_the_range_of_times(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	double value;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		hit(1, 1, i * 1000000);
		hit(2, 1, i * 1000000 + 100000 + i * 100);
	}
	assert_true(measure_leg_quantile(leg(id), 0, &value));
	assert_true(value >= 100000 && value <= 101000);
	assert_true(measure_leg_quantile(leg(id), 0.5, &value));
	assert_true(fabs(value - 149900) <= 1499);
	assert_true(measure_leg_quantile(leg(id), 1, &value));
	assert_true(value <= 199900 && value >= 199900 * 0.99);
	assert_true(fabs(measure_leg_stddev(leg(id)) - 28881.94) < 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(holds_and_costs_of_own_breaks_are_subtracted),
		RULE(compensation_off_subtracts_nothing),
		RULE(leg_across_threads_lasts_by_wall_clock),
		RULE(cost_before_the_closing_hit_is_subtracted),
		RULE(pauses_do_not_count),
		RULE(interrupted_time_is_not_in_minimum_and_percentiles),
		RULE(stop_interrupts_legs_across_threads_too),
		RULE(hold_of_the_whole_program_interrupts_nothing),
		RULE(pause_within_a_hold_is_subtracted_once),
		RULE(hit_within_a_pause_has_the_time_of_its_beginning),
		RULE(resolution_depends_on_mechanisms_of_hits),
		RULE(costs_within_a_pause_are_not_subtracted),
		RULE(overhead_is_a_union),
		RULE(breaks_are_hits_that_count),
		RULE(totals_can_be_negative_but_minima_cannot),
		RULE(hits_inside_make_the_resolution_worse),
		RULE(cost_is_known_no_better_than_to_a_tick),
		RULE(leg_without_executions_has_no_figures),
		RULE(quantiles_are_within_the_range_of_times),
	};

	return cmocka_run_group_tests_name("measure_time", tests, NULL, NULL);
}
