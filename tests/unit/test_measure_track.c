/*
 * test_measure_track.c - `track' and `add': which legs a hit concerns, and what
 * is discarded when the mode changes
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

/* ---- track and add -------------------------------------------------- */

static void track_none_counts_nodes_only(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_track(measure, TRACK_NONE);
	measure_set_add_successor(measure, true);
	hit(1, 1, 10);
	hit(2, 1, 20);
	assert_int_equal(leg(id)->from_hits, 0);
	assert_null(measure_leg_at(measure, 1));
	assert_int_equal(measure_node(measure, 2)->count, 1);
}

static void track_successor_matches_the_next_hit_only(void **state)
{
	uint32_t one = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t two = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_track(measure, TRACK_SUCCESSOR);
	hit(1, 1, 10);
	hit(3, 2, 15); /* a hit of another thread */
	hit(2, 1, 20);
	/* this hit comes after one of node 2, and not of node 1 */
	hit(3, 1, 30);
	check_leg(one, 1, 10, 0, 0);
	check_leg(two, 0, 0, 0, 0);
	assert_null(measure_leg_at(measure, 2));
}

static void add_successor_enters_legs(void **state)
{
	const struct measure_leg *added;

	(void)state;
	measure_set_add_successor(measure, true);
	hit(1, 1, 10);
	hit(2, 1, 25);
	added = measure_leg_at(measure, 0);
	assert_int_equal(added->spec.from, 1);
	assert_int_equal(added->spec.to, 2);
	assert_int_equal(added->count, 1);
	assert_true(added->total == 15);
	hit(1, 1, 30);
	hit(2, 1, 50);
	assert_int_equal(added->count, 2);
	assert_int_equal(added->from_hits, 2);
	assert_int_equal(added->to_hits, 2);
	assert_int_equal(measure_leg_at(measure, 1)->spec.from, 2);
	assert_null(measure_leg_at(measure, 2));
	hit(2, 1, 60);
	/* the leg 2 -> 2 measures the period from its first hit on */
	hit(2, 1, 70);
	assert_int_equal(measure_leg_at(measure, 2)->count, 2);
	assert_true(measure_leg_at(measure, 2)->total == 20);
	assert_false(measure_leg_is_marked(measure_leg_at(measure, 2)));
}

/* While the mode is off, threads may count hits by themselves: the last hit
 * that was reported need not be the thread's last one. */
static void add_successor_begins_with_the_next_hit(void **state)
{
	(void)state;
	hit(1, 1, 10);
	measure_set_add_successor(measure, true);
	hit(2, 1, 20);
	assert_null(measure_leg_at(measure, 0));
	hit(3, 1, 30);
	assert_int_equal(leg(0)->spec.from, 2);
	assert_int_equal(leg(0)->spec.to, 3);
	measure_set_add_successor(measure, true); /* this is the present mode */
	hit(1, 1, 40);
	assert_int_equal(leg(1)->spec.from, 3);
	measure_set_add_successor(measure, false);
	hit(4, 1, 50);
	measure_set_add_successor(measure, true);
	hit(2, 1, 60);
	assert_null(measure_leg_at(measure, 2));
}

/* Under `track successor' every hit is reported, also with `add none'. */
static void the_last_hit_is_known_under_track_successor(void **state)
{
	(void)state;
	measure_set_track(measure, TRACK_SUCCESSOR);
	hit(1, 1, 10);
	measure_set_add_successor(measure, true);
	hit(2, 1, 25);
	assert_int_equal(leg(0)->spec.from, 1);
	assert_int_equal(leg(0)->count, 1);
	assert_true(leg(0)->total == 15);
}

static void successors_are_matched_as_set(void **state)
{
	const struct leg_spec spec = {.owner = OWNER_LEG, .match = MATCH_FIRST};

	(void)state;
	measure_set_successor_spec(measure, &spec);
	measure_set_add_successor(measure, true);
	hit(1, 1, 10);
	hit(2, 1, 25);
	assert_int_equal(leg(0)->spec.from, 1);
	assert_int_equal(leg(0)->spec.to, 2);
	assert_int_equal(leg(0)->spec.owner, OWNER_LEG);
	assert_int_equal(leg(0)->spec.match, MATCH_FIRST);
}

static void modes_are_kept_as_set(void **state)
{
	(void)state;
	assert_int_equal(measure_track(measure), TRACK_ALL);
	assert_false(measure_add_successor(measure));
	measure_set_track(measure, TRACK_SUCCESSOR);
	measure_set_add_successor(measure, true);
	assert_int_equal(measure_track(measure), TRACK_SUCCESSOR);
	assert_true(measure_add_successor(measure));
}

static void change_of_mode_discards_open_activations(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	measure_set_track(measure, TRACK_ALL); /* this is the present mode */
	measure_set_tracked(measure, 0, 0);
	assert_int_equal(leg(id)->open, 1);
	measure_set_tracked(measure, PID, 0);
	assert_int_equal(leg(id)->discarded, 1);
	hit(1, 1, 20);
	measure_set_track(measure, TRACK_SUCCESSOR);
	assert_int_equal(leg(id)->discarded, 2);
	measure_set_track(measure, TRACK_ALL);
	hit(1, 1, 30);
	measure_set_monitor(measure, false, 40);
	assert_int_equal(leg(id)->discarded, 3);
	measure_set_monitor(measure, true, 50);
	hit(2, 1, 60);
	check_leg(id, 0, 0, 0, 1);
}

static void exits_discard_open_activations(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 2, 10);
	hit(1, 3, 10);
	measure_thread_gone(measure, 2);
	assert_int_equal(leg(id)->discarded, 1);
	measure_thread_gone(measure, 99);
	measure_process_gone(measure, PID + 1);
	assert_int_equal(leg(id)->open, 2);
	measure_process_gone(measure, PID);
	assert_int_equal(leg(id)->discarded, 3);
	assert_int_equal(leg(id)->open, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(track_none_counts_nodes_only),
		RULE(track_successor_matches_the_next_hit_only),
		RULE(add_successor_enters_legs),
		RULE(add_successor_begins_with_the_next_hit),
		RULE(the_last_hit_is_known_under_track_successor),
		RULE(successors_are_matched_as_set),
		RULE(modes_are_kept_as_set),
		RULE(change_of_mode_discards_open_activations),
		RULE(exits_discard_open_activations),
	};

	return cmocka_run_group_tests_name("measure_track", tests, NULL, NULL);
}
