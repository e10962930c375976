/*
 * test_measure.c - the rules of doc/RULES.md on measurement, one test each:
 * what is counted, which hits a leg matches, what the tables keep
 *
 * Frames, the modes of tracking and the clock have test files of their own.
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
#include "memo_session.h"
#include "perftool/histogram.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

/* ---- nodes ---------------------------------------------------------- */

static void a_hit_enters_its_node(void **state)
{
	(void)state;
	hit(9, 1, 10);
	assert_int_equal(measure_node(measure, 9)->count, 1);
	assert_int_equal(measure_node_at(measure, 4)->id, 9);
	assert_null(measure_node_at(measure, 5));
	measure_add_node(measure, 7);
	assert_int_equal(measure_node_at(measure, 4)->id, 7);
	measure_add_node(measure, 9);
	assert_int_equal(measure_node(measure, 9)->count, 1);
}

static void node_errors_are_counted(void **state)
{
	(void)state;
	measure_node_error(measure, 2, "first");
	measure_node_error(measure, 2, "second");
	assert_int_equal(measure_node(measure, 2)->errors, 2);
	assert_string_equal(measure_node(measure, 2)->first_error, "first");
	assert_int_equal(measure_node(measure, 2)->count, 0);
	measure_set_monitor(measure, false, 10);
	measure_node_error(measure, 2, "third");
	assert_int_equal(measure_node(measure, 2)->errors, 2);
}

static void monitor_off_counts_nothing(void **state)
{
	struct measure_summary summary;

	(void)state;
	measure_set_monitor(measure, false, 10);
	held_hit(1, 1, 20, 30, 0, 0);
	assert_int_equal(measure_node(measure, 1)->count, 0);
	measure_get_summary(measure, 100, &summary);
	assert_int_equal(summary.breaks, 0);
	assert_int_equal(summary.elapsed, 10);
}

static void only_tracked_process_and_thread_are_counted(void **state)
{
	struct measure_summary summary;

	(void)state;
	measure_set_tracked(measure, PID + 1, 0);
	held_hit(1, 1, 20, 30, 0, 0);
	measure_set_tracked(measure, PID, 2);
	held_hit(1, 1, 40, 50, 0, 0);
	held_hit(1, 2, 60, 70, 0, 0);
	assert_int_equal(measure_node(measure, 1)->count, 1);
	measure_get_summary(measure, 100, &summary);
	assert_int_equal(summary.breaks, 1);
	assert_int_equal(summary.overhead, 10);
}

static void a_node_that_was_disabled_ends_what_is_open(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t into = add_plain_leg(3, 1, OWNER_LEG, MATCH_FIRST);
	uint32_t other = add_plain_leg(3, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(3, 1, 20);
	measure_node_missed(measure, 1);
	assert_int_equal(leg(id)->discarded, 1);
	assert_int_equal(leg(into)->discarded, 1);
	assert_int_equal(leg(other)->discarded, 0);
	hit(2, 1, 40);
	check_leg(id, 0, 0, 0, 1);
	check_leg(other, 1, 20, 0, 0);
	measure_node_missed(measure, 77);
}

static void a_deleted_node_keeps_its_row(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct leg_spec spec = {.from = 3, .to = 2};
	struct error *error;
	bool existed;

	(void)state;
	hit(1, 1, 10);
	hit(2, 1, 20);
	hit(1, 1, 30);
	measure_node_deleted(measure, 2);
	assert_true(measure_node(measure, 2)->deleted);
	assert_int_equal(measure_node(measure, 2)->count, 1);
	assert_int_equal(leg(id)->discarded, 1);
	hit(1, 1, 40); /* the node still counts, the leg does not */
	hit(2, 1, 50);
	assert_int_equal(measure_node(measure, 1)->count, 3);
	assert_int_equal(measure_node(measure, 2)->count, 1);
	assert_int_equal(leg(id)->from_hits, 2);
	check_leg(id, 1, 10, 0, 0);
	error = measure_add_leg(measure, &spec, &id, &existed);
	assert_non_null(error);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	spec.to = 77;
	error = measure_add_leg(measure, &spec, &id, &existed);
	assert_string_equal(error_message(error), "there is no node 77");
	error_destroy(error);
	measure_node_deleted(measure, 77);
	measure_node_error(measure, 2, "of no interest");
	assert_int_equal(measure_node(measure, 2)->errors, 0);
}

static void a_node_that_was_taken_back_has_no_row(void **state)
{
	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	measure_add_node(measure, 3);
	measure_add_node(measure, 4);
	assert_true(measure_take_back_node(measure, 3));
	assert_null(measure_node(measure, 3));
	assert_int_equal(measure_node_at(measure, 2)->id, 4);
	assert_null(measure_node_at(measure, 3));
	measure_add_node(measure, 3);
	assert_int_equal(measure_node_at(measure, 2)->id, 3);
	hit(3, 1, 10);
	assert_false(measure_take_back_node(measure, 3)); /* it has counted */
	assert_int_equal(measure_node(measure, 3)->count, 1);
	assert_false(measure_take_back_node(measure, 2)); /* it has a leg */
	measure_node_error(measure, 4, "of no interest");
	assert_false(measure_take_back_node(measure, 4));
	assert_false(measure_take_back_node(measure, 77));
}

static void restored_nodes_count_on(void **state)
{
	const uint32_t one = 1, both[] = {2, 3};
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t other = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	measure_node_deleted(measure, 1);
	measure_node_deleted(measure, 2);
	hit(2, 1, 15);
	/* The other end of the first leg is still deleted. */
	measure_nodes_restored(measure, &one, 1);
	assert_false(measure_node(measure, 1)->deleted);
	hit(1, 1, 20);
	hit(2, 1, 30);
	hit(3, 1, 40);
	check_leg(id, 0, 0, 0, 0);
	check_leg(other, 1, 20, 0, 0);
	/* One that was not deleted changes nothing, nor does its leg. */
	measure_nodes_restored(measure, both, 2);
	hit(1, 1, 50);
	hit(2, 1, 60);
	hit(3, 1, 70);
	check_leg(id, 1, 10, 0, 0);
	check_leg(other, 2, 40, 0, 0);
}

/* ---- legs ----------------------------------------------------------- */

static void leg_numbers_are_never_used_again(void **state)
{
	struct leg_spec spec = {.from = 1, .to = 2};
	struct error *error;
	uint32_t id;
	bool existed;

	(void)state;
	assert_int_equal(add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST), 0);
	assert_int_equal(add_plain_leg(2, 1, OWNER_THREAD, MATCH_LAST), 1);
	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	assert_true(existed);
	assert_int_equal(id, 0);
	assert_null(measure_delete_leg(measure, 0));
	assert_null(measure_leg(measure, 0));
	assert_int_equal(measure_leg_at(measure, 0)->id, 1);
	/* the tool never uses a number again */
	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	assert_false(existed);
	assert_int_equal(id, 2);
	error = measure_delete_leg(measure, 0);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
}

static void match_last_replaces_the_open_start(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(2, 1, 5); /* no execution is open */
	hit(1, 1, 10);
	hit(1, 1, 20); /* replaces the open start */
	hit(2, 1, 25);
	check_leg(id, 1, 5, 1, 1);
	assert_true(measure_leg_is_marked(leg(id)));
}

static void match_first_keeps_the_open_start(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_FIRST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 20);
	hit(2, 1, 25);
	hit(2, 1, 30);
	check_leg(id, 1, 15, 1, 1);
}

static void match_nested_pairs_starts_and_ends(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_NESTED);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 20);
	assert_int_equal(leg(id)->open, 2);
	hit(2, 1, 25);
	check_leg(id, 1, 5, 0, 0);
	hit(2, 1, 40);
	check_leg(id, 2, 35, 0, 0);
	assert_false(measure_leg_is_marked(leg(id)));
}

static void match_outermost_counts_the_outer_pair_only(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_OUTERMOST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 20);
	hit(2, 1, 25);
	hit(2, 1, 40);
	check_leg(id, 1, 30, 1, 1);
}

/* A leg from a node to itself measures the period between hits. A thread's
 * first hit ends no execution, and its last hit begins one that never ends.
 * Neither is a sign of trouble, so neither marks the leg. */
static void leg_to_itself_measures_the_period(void **state)
{
	uint32_t id = add_plain_leg(1, 1, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 25);
	hit(1, 1, 50);
	check_leg(id, 2, 40, 0, 1);
	assert_int_equal(leg(id)->open, 1);
	assert_false(measure_leg_is_marked(leg(id)));
	hit(1, 2, 60); /* the first hit of another thread */
	assert_false(measure_leg_is_marked(leg(id)));
	measure_thread_gone(measure, 2);
	assert_int_equal(leg(id)->discarded, 1);
	assert_false(measure_leg_is_marked(leg(id)));
}

static void threads_own_their_activations(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 2, 20);
	hit(2, 1, 30);
	hit(2, 2, 60);
	check_leg(id, 2, 60, 0, 0);
}

/* With the memo's owner, the leg itself, the activation belongs to the thread
 * that has hit *from* last. A *to* of another thread is ignored. */
static void a_leg_owns_its_activation(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_LEG, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 2, 20);
	hit(2, 1, 30);
	check_leg(id, 0, 0, 1, 1);
	hit(2, 2, 60);
	check_leg(id, 1, 40, 1, 1);
	hit(1, 2, 70);
	measure_thread_gone(measure, 2);
	assert_int_equal(leg(id)->discarded, 1);
	assert_int_equal(leg(id)->open, 0);
}

static void keys_own_activations(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);

	(void)state;
	hit_key(1, 1, PID, 10, value_unsigned(7));
	hit_key(1, 1, PID, 20, value_signed(-1));
	hit_key(1, 1, PID, 30, value_float(7));
	hit_key(2, 2, PID, 40, value_signed(7)); /* the same number */
	assert_int_equal(leg(id)->count, 1);
	hit_key(2, 2, PID, 50, value_unsigned(UINT64_MAX)); /* this is not -1 */
	hit_key(2, 2, PID + 1, 60, value_float(7)); /* another process */
	assert_int_equal(leg(id)->ignored_to, 2);
	hit_key(2, 2, PID, 70, value_signed(-1));
	hit_key(2, 2, PID, 80, value_float(7));
	assert_int_equal(leg(id)->count, 3);
	hit_key(1, 1, PID, 81, value_float(0.0));
	hit_key(2, 2, PID, 82, value_float(-0.0)); /* the same number, too */
	assert_int_equal(leg(id)->count, 4);
	hit_key(1, 1, PID, 90, (struct value){.kind = VALUE_NONE});
	hit_key(1, 1, PID, 91, value_float(NAN));
	hit_key(2, 1, PID, 92, (struct value){.kind = VALUE_NONE});
	hit(1, 1, 93); /* no key at all */
	/* the total is 0, because the test told of no resume, so that each
	 * thread counts as held all the time */
	check_leg(id, 4, 0, 3, 3);
	assert_int_equal(leg(id)->open, 0);
}

/* An activation with a key outlives the thread that began it, but not its
 * process. */
static void keyed_activation_ends_with_its_process(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);

	(void)state;
	hit_key(1, 1, PID, 10, value_unsigned(7));
	hit_key(1, 1, PID + 1, 15, value_unsigned(7));
	measure_thread_gone(measure, 1);
	assert_int_equal(leg(id)->open, 2);
	hit_key(2, 2, PID, 40, value_unsigned(7));
	assert_int_equal(leg(id)->count, 1);
	measure_process_gone(measure, PID + 1);
	assert_int_equal(leg(id)->open, 0);
	assert_int_equal(leg(id)->discarded, 1);
}

/* ---- executions ----------------------------------------------------- */

static void keep_last(void *context, const struct execution *execution)
{
	*(struct execution *)context = *execution;
}

static void observer_gets_each_execution(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	struct execution last = {0};

	(void)state;
	measure_set_observer(measure, keep_last, &last);
	measure_set_running(measure, false, 500);
	measure_set_running(measure, true, 1500);
	hit_key(1, 1, PID, 1600, value_signed(-3));
	measure_hold(measure, 1, PID, 1, 1600, 1610, 0, 0);
	hit_key(2, 8, PID, 1700, value_signed(-3));
	assert_int_equal(last.leg, id);
	assert_int_equal(last.pid, PID);
	assert_int_equal(last.tid, 8);
	assert_int_equal(last.start, 600);
	assert_int_equal(last.duration, 90);
	assert_true(value_equal(last.key, value_signed(-3)));
	measure_set_observer(measure, NULL, NULL);
	hit_key(1, 1, PID, 1800, value_signed(-3));
	hit_key(2, 8, PID, 1900, value_signed(-3));
	assert_int_equal(last.duration, 90);
}

static void the_slowest_are_kept(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	const struct execution_list *slowest = &leg(id)->slowest;

	(void)state;
	for (uint64_t i = 0; i < 500; i++) {
		hit(1, 1, i * 1000);
		hit(2, 1, i * 1000 + i * 7 % 500);
	}
	assert_int_equal(slowest->count, LEG_SLOWEST);
	for (size_t i = 0; i < slowest->count; i++)
		assert_int_equal(slowest->data[i].duration, 499 - (int)i);
}

/* ---- zero and initialize -------------------------------------------- */

static void zero_clears_all_figures(void **state)
{
	const struct histogram_spec spec = {.class = HISTOGRAM_LOG,
					    .scale = -1};
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;
	double value;

	(void)state;
	assert_null(measure_leg_add_histogram(measure, id, &spec));
	assert_null(measure_node_add_histogram(measure, 1, &spec));
	measure_node_error(measure, 1, "reason");
	held_hit(2, 1, 5, 6, 0, 0);
	held_hit(1, 1, 10, 20, 0, 0);
	held_hit(2, 1, 30, 40, 0, 0);
	held_hit(1, 1, 50, 60, 0, 0);
	measure_zero(measure, 100);
	check_leg(id, 0, 0, 0, 0);
	assert_int_equal(leg(id)->from_hits + leg(id)->to_hits, 0);
	assert_int_equal(leg(id)->open + leg(id)->discarded, 0);
	assert_int_equal(leg(id)->slowest.count, 0);
	assert_false(measure_leg_quantile(leg(id), 0.5, &value));
	assert_int_equal(histogram_references(leg(id)->histogram), 0);
	assert_int_equal(measure_node(measure, 1)->count, 0);
	assert_int_equal(measure_node(measure, 1)->errors, 0);
	assert_null(measure_node(measure, 1)->first_error);
	assert_non_null(measure_node(measure, 1)->histogram);
	hit(2, 1, 120); /* what was open before is not open any more */
	check_leg(id, 0, 0, 0, 1);
	measure_get_summary(measure, 150, &summary);
	assert_int_equal(summary.elapsed, 50);
	assert_int_equal(summary.breaks, 1);
	assert_int_equal(summary.overhead, 0);
}

static void initialize_removes_nodes_and_legs(void **state)
{
	struct measure_summary summary;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	held_hit(1, 1, 10, 20, 0, 0);
	measure_initialize(measure, 100);
	assert_null(measure_node_at(measure, 0));
	assert_null(measure_leg_at(measure, 0));
	assert_true(measure_monitor(measure));
	measure_hold(measure, 1, PID, 1, 90, 110, 0, 0);
	measure_get_summary(measure, 150, &summary);
	assert_int_equal(summary.elapsed, 50);
	assert_int_equal(summary.overhead, 10);
	measure_add_node(measure, 1);
	assert_int_equal(add_plain_leg(1, 1, OWNER_THREAD, MATCH_LAST), 0);
}

/* ---- histograms ----------------------------------------------------- */

static void hits_and_legs_enter_their_histograms(void **state)
{
	const struct histogram_spec spec = {.class = HISTOGRAM_LINEAR,
					    .scale = -1};
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct hit valued = {.node = 1,
			     .thread = 1,
			     .pid = PID,
			     .tid = 1,
			     .time = 10,
			     .value = value_signed(3)};
	struct error *error;

	(void)state;
	assert_null(measure_node_add_histogram(measure, 1, &spec));
	assert_null(measure_leg_add_histogram(measure, id, &spec));
	measure_hit(measure, &valued);
	valued.value = (struct value){.kind = VALUE_NONE};
	measure_hit(measure, &valued);
	hit(2, 1, 14);
	assert_int_equal(
		histogram_references(measure_node(measure, 1)->histogram), 1);
	assert_true(histogram_sum(leg(id)->histogram) == 4);
	/* a new histogram replaces the old one */
	assert_null(measure_node_add_histogram(measure, 1, &spec));
	assert_int_equal(
		histogram_references(measure_node(measure, 1)->histogram), 0);
	assert_null(measure_node_delete_histogram(measure, 1));
	assert_null(measure_node(measure, 1)->histogram);
	error = measure_node_delete_histogram(measure, 1);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	assert_null(measure_leg_delete_histogram(measure, id));
	error = measure_leg_delete_histogram(measure, id);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	error = measure_leg_add_histogram(measure, 99, &spec);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
	error = measure_node_add_histogram(measure, 99, &spec);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
}

/* ---- the memo's session, and a large one ---------------------------- */

static void session_of_the_memo_is_reproduced(void **state)
{
	struct measure *session = memo_session();
	const struct measure_leg *memo_leg = measure_leg(session, 0);
	struct measure_summary summary;

	(void)state;
	measure_get_summary(session, MEMO_ELAPSED, &summary);
	assert_int_equal(summary.elapsed, INT64_C(69627210000));
	assert_int_equal(summary.overhead, INT64_C(2526278000));
	assert_int_equal(summary.breaks, 1394);
	assert_int_equal((int64_t)summary.average_overhead / 1000, 1812);
	assert_int_equal(measure_node(session, 1)->count, 697);
	assert_int_equal(memo_leg->count, 697);
	assert_true(memo_leg->total == INT64_C(27328536000));
	assert_false(measure_leg_is_marked(memo_leg));
	measure_destroy(session);
}

/* There are ten thousand threads and thousands of legs. A hit must look only at
 * the legs of its own node. */
static void hits_look_only_at_the_legs_of_their_node(void **state)
{
	const uint32_t threads = 10000, legs = 4000;

	(void)state;
	for (uint32_t i = 0; i < legs; i++) {
		measure_add_node(measure, 100 + 2 * i);
		measure_add_node(measure, 101 + 2 * i);
		add_plain_leg(100 + 2 * i, 101 + 2 * i, OWNER_THREAD,
			      MATCH_NESTED);
	}
	for (uint32_t i = 0; i < threads; i++)
		hit(100 + 2 * (i % legs), i + 1, i);
	for (uint32_t i = 0; i < threads; i++)
		hit(101 + 2 * (i % legs), i + 1, threads + i);
	for (uint32_t i = 0; i < legs; i++)
		assert_int_equal(leg(i)->count,
				 threads / legs + (i < threads % legs));
	for (uint32_t i = 0; i < threads; i++)
		measure_thread_gone(measure, i + 1);
	assert_int_equal(leg(0)->discarded, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(a_hit_enters_its_node),
		RULE(node_errors_are_counted),
		RULE(monitor_off_counts_nothing),
		RULE(only_tracked_process_and_thread_are_counted),
		RULE(a_node_that_was_disabled_ends_what_is_open),
		RULE(a_deleted_node_keeps_its_row),
		RULE(a_node_that_was_taken_back_has_no_row),
		RULE(restored_nodes_count_on),
		RULE(leg_numbers_are_never_used_again),
		RULE(match_last_replaces_the_open_start),
		RULE(match_first_keeps_the_open_start),
		RULE(match_nested_pairs_starts_and_ends),
		RULE(match_outermost_counts_the_outer_pair_only),
		RULE(leg_to_itself_measures_the_period),
		RULE(threads_own_their_activations),
		RULE(a_leg_owns_its_activation),
		RULE(keys_own_activations),
		RULE(keyed_activation_ends_with_its_process),
		RULE(observer_gets_each_execution),
		RULE(the_slowest_are_kept),
		RULE(zero_clears_all_figures),
		RULE(initialize_removes_nodes_and_legs),
		RULE(hits_and_legs_enter_their_histograms),
		RULE(session_of_the_memo_is_reproduced),
		RULE(hits_look_only_at_the_legs_of_their_node),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
