/*
 * test_measure_inside.c - what the slowest executions of a leg keep: what their
 * threads recorded meanwhile, and how the threads came there
 *
 * tier: core
 * covers: measure
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure_rig.h"
#include "perftool/base/origin.h"
#include "perftool/base/str.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/process_share.h"

/* What the execution keeps: "leg1@3+4 .node4@5", a dot for each level, and
 * "+17" for 17 more. */
static const char *inside_of(uint32_t leg, size_t index)
{
	static char text[8192];
	const struct execution *execution =
		&measure_leg(measure, leg)->slowest.data[index];
	struct str out = {0};

	assert_true(index < measure_leg(measure, leg)->slowest.count);
	if (!execution->inside)
		return "none";
	for (size_t i = 0; i < execution->inside->entries.count; i++) {
		const struct inside_entry *at =
			&execution->inside->entries.data[i];

		if (i)
			str_append_char(&out, ' ');
		for (uint32_t j = 0; j < at->depth; j++)
			str_append_char(&out, '.');
		str_printf(&out, "%s%u@%" PRId64, at->is_hit ? "node" : "leg",
			   at->id, at->offset);
		if (!at->is_hit)
			str_printf(&out, "+%" PRId64, at->duration);
	}
	if (execution->inside->dropped)
		str_printf(&out, " +%" PRIu64, execution->inside->dropped);
	snprintf(text, sizeof(text), "%s", str_text(&out));
	str_deinit(&out);
	return text;
}

static int64_t duration_of(uint32_t leg, size_t index)
{
	return measure_leg(measure, leg)->slowest.data[index].duration;
}

static uint32_t outer, inner;

/* Leg 0 is from node 1 to node 2, leg 1 from node 3 to node 4. Node 5 has no
 * leg. */
static void add_legs(size_t most)
{
	measure_add_node(measure, 5);
	outer = add_plain_leg(1, 2, OWNER_THREAD, MATCH_NESTED);
	inner = add_plain_leg(3, 4, OWNER_THREAD, MATCH_NESTED);
	measure_set_inside(measure, most);
}

static void inner_legs_and_hits_are_kept(void **state)
{
	(void)state;
	add_legs(2);
	hit(3, 1, 100); /* before: not in it */
	hit(4, 1, 110);
	hit(1, 1, 200);
	hit(5, 1, 205);
	hit(3, 1, 210);
	hit(3, 1, 220);
	hit(5, 1, 230);
	hit(4, 1, 240);
	hit(4, 1, 270);
	hit(3, 1, 280);
	hit(4, 1, 290);
	hit(2, 1, 300);
	assert_string_equal(inside_of(outer, 0),
			    "node5@5 leg1@10+60 .leg1@20+20 ..node5@30 "
			    "leg1@80+10");
	assert_string_equal(inside_of(inner, 0), "leg1@10+20 .node5@20");
	assert_string_equal(inside_of(inner, 1), "node5@10");
	/* the third one is not among two */
	assert_string_equal(inside_of(inner, 2), "none");
}

static void other_threads_are_not_in_it(void **state)
{
	(void)state;
	add_legs(1);
	hit(1, 1, 200);
	hit(3, 2, 210);
	hit(5, 2, 215);
	hit(3, 1, 220);
	hit(4, 2, 230);
	hit(4, 1, 240);
	hit(2, 1, 300);
	assert_string_equal(inside_of(outer, 0), "leg1@20+20");
	/* that of thread 2 */
	assert_string_equal(inside_of(inner, 0), "node5@5");
}

static void slower_ones_take_the_place(void **state)
{
	uint64_t at = 1000;

	(void)state;
	add_legs(2);
	for (uint64_t i = 1; i <= 5; i++, at += 1000) {
		hit(1, 1, at);
		hit(3, 1, at + i);
		hit(4, 1, at + 2 * i);
		hit(2, 1, at + 10 * i);
	}
	assert_int_equal(duration_of(outer, 0), 50);
	assert_string_equal(inside_of(outer, 0), "leg1@5+5");
	assert_string_equal(inside_of(outer, 1), "leg1@4+4");
	assert_string_equal(inside_of(outer, 2), "none");
	assert_string_equal(inside_of(outer, 4), "none");
	measure_set_inside(measure, 1);
	assert_string_equal(inside_of(outer, 0), "leg1@5+5");
	assert_string_equal(inside_of(outer, 1), "none");
	/* the same length does not push it out */
	hit(1, 1, at);
	hit(2, 1, at + 50);
	assert_string_equal(inside_of(outer, 0), "leg1@5+5");
	measure_set_inside(measure, 0);
	assert_string_equal(inside_of(outer, 0), "none");
	hit(1, 1, at + 100);
	hit(2, 1, at + 200);
	assert_string_equal(inside_of(outer, 0), "none");
}

static void hundreds_are_kept_of_a_hundred(void **state)
{
	uint64_t at = 1000;

	(void)state;
	add_legs(LEG_SLOWEST);
	for (uint64_t i = 1; i <= 250; i++, at += 10000) {
		hit(1, 1, at);
		hit(5, 1, at + 1);
		hit(2, 1, at + i);
	}
	assert_int_equal(measure_leg(measure, outer)->slowest.count,
			 LEG_SLOWEST);
	for (size_t i = 0; i < LEG_SLOWEST; i++)
		assert_string_equal(inside_of(outer, i), "node5@1");
}

/* The hit of a node ends two legs, of which the outer one was added first. */
static void legs_may_end_together(void **state)
{
	(void)state;
	outer = add_plain_leg(1, 4, OWNER_THREAD, MATCH_LAST);
	inner = add_plain_leg(3, 4, OWNER_THREAD, MATCH_LAST);
	measure_set_inside(measure, 1);
	hit(1, 1, 100);
	hit(3, 1, 130);
	hit(4, 1, 150);
	assert_string_equal(inside_of(outer, 0), "leg1@30+20");
	assert_string_equal(inside_of(inner, 0), "");
}

static void legs_may_overlap(void **state)
{
	(void)state;
	outer = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	inner = add_plain_leg(3, 4, OWNER_THREAD, MATCH_LAST);
	measure_set_inside(measure, 1);
	hit(1, 1, 100);
	hit(3, 1, 130);
	hit(2, 1, 150);
	hit(4, 1, 170);
	/* nothing ended in the first; the second has it, from before */
	assert_string_equal(inside_of(outer, 0), "");
	assert_string_equal(inside_of(inner, 0), "leg0@-30+50");
}

static void legs_may_follow_each_other(void **state)
{
	uint32_t whole, period, first, second;

	(void)state;
	whole = add_plain_leg(1, 4, OWNER_THREAD, MATCH_LAST);
	period = add_plain_leg(2, 2, OWNER_THREAD, MATCH_LAST);
	first = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	second = add_plain_leg(2, 3, OWNER_THREAD, MATCH_LAST);
	measure_set_inside(measure, 1);
	hit(1, 1, 100);
	hit(2, 1, 110);
	hit(2, 1, 120);
	hit(3, 1, 150);
	hit(4, 1, 170);
	assert_string_equal(inside_of(whole, 0),
			    "leg2@0+10 leg1@10+10 leg3@20+30");
	assert_string_equal(inside_of(period, 0), "");
	assert_string_equal(inside_of(first, 0), "");
	assert_string_equal(inside_of(second, 0), "");
}

/* What hits cost is in no time. */
static void times_are_the_threads_own(void **state)
{
	(void)state;
	add_legs(1);
	fast_hit(1, 1, 1000, 5);
	fast_hit(3, 1, 1100, 5);
	fast_hit(4, 1, 1200, 5);
	fast_hit(2, 1, 1300, 5);
	assert_int_equal(duration_of(outer, 0), 270);
	assert_string_equal(inside_of(outer, 0), "leg1@90+90");
}

static void only_the_longest_are_kept(void **state)
{
	uint64_t at = 1000, most = 0;
	const struct inside *inside;

	(void)state;
	add_legs(1);
	hit(1, 1, at);
	for (uint64_t i = 0; i < 50000; i++) {
		/* one of a hundred takes long, in the first half */
		uint64_t length = i % 100 == 7 && i < 25000 ? 900 : 1 + i % 5;

		hit(3, 1, at + 10);
		hit(4, 1, at + 10 + length);
		at += 1000;
		most += length == 900;
	}
	hit(2, 1, at);
	inside = measure_leg(measure, outer)->slowest.data[0].inside;
	assert_int_equal(most, 250);
	assert_int_equal(inside->entries.count, INSIDE_MOST);
	assert_int_equal(inside->dropped, 50000 - INSIDE_MOST);
	for (size_t i = 0; i < inside->entries.count; i++) {
		assert_int_equal(inside->entries.data[i].duration, 900);
		assert_int_equal(inside->entries.data[i].depth, 0);
		assert_true(!i || inside->entries.data[i].offset >
					  inside->entries.data[i - 1].offset);
	}
	/* one with few entries has them all, although the log was full */
	hit(1, 1, at);
	hit(3, 1, at + 1);
	hit(4, 1, at + 2);
	hit(5, 1, at + 3);
	hit(2, 1, at + 1000000000);
	assert_string_equal(inside_of(outer, 0), "leg1@1+1 node5@3");
}

/* Executions that were long ago do not fill the log. */
static void what_is_over_makes_room(void **state)
{
	uint64_t at = 1000;

	(void)state;
	add_legs(1);
	for (int i = 0; i < 10000; i++) {
		hit(3, 1, at);
		hit(4, 1, at + 900);
		at += 1000;
	}
	hit(1, 1, at);
	for (uint64_t i = 0; i < 1000; i++)
		hit(5, 1, at + i);
	hit(3, 1, at + 1000);
	hit(4, 1, at + 1001);
	hit(2, 1, at + 100000);
	assert_int_equal(
		measure_leg(measure, outer)->slowest.data[0].inside->dropped,
		1001 - INSIDE_MOST);
}

static void keys_keep_what_one_thread_did(void **state)
{
	const struct value key = value_signed(7);

	(void)state;
	measure_add_node(measure, 5);
	outer = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	inner = add_plain_leg(3, 4, OWNER_THREAD, MATCH_LAST);
	measure_set_inside(measure, 2);
	hit_key(1, 1, PID, 100, key);
	hit(3, 1, 110);
	hit(4, 1, 120);
	hit_key(2, 1, PID, 130, key);
	assert_string_equal(inside_of(outer, 0), "leg1@10+10");
	/* begun by one thread and ended by another */
	hit_key(1, 1, PID, 200, key);
	hit(3, 1, 210);
	hit(4, 1, 220);
	hit_key(2, 2, PID, 300, key);
	assert_string_equal(inside_of(outer, 0), "leg1@10+10");
	assert_string_equal(inside_of(outer, 1), "none");
}

static void nothing_is_countable(void **state)
{
	struct measure_countable countable;
	uint32_t leg;

	(void)state;
	leg = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	assert_true(measure_is_countable(measure, 1, &countable));
	measure_set_inside(measure, 3);
	assert_false(measure_is_countable(measure, 1, &countable));
	measure_set_inside(measure, 0);
	assert_true(measure_is_countable(measure, 1, &countable));
	assert_int_equal(countable.leg, leg);
}

static void tables_may_be_emptied(void **state)
{
	(void)state;
	add_legs(3);
	hit(1, 1, 100);
	hit(3, 1, 110);
	hit(4, 1, 120);
	hit(1, 1, 130);
	measure_zero(measure, 140);
	hit(2, 1, 150);
	assert_int_equal(measure_leg(measure, outer)->slowest.count, 0);
	hit(1, 1, 160);
	hit(5, 1, 165);
	hit(2, 1, 170);
	assert_string_equal(inside_of(outer, 0), "node5@5");
	measure_initialize(measure, 200);
	for (uint32_t node = 1; node <= 4; node++)
		measure_add_node(measure, node);
	add_legs(3);
	hit(1, 1, 300);
	hit(3, 1, 310);
	hit(4, 1, 320);
	hit(2, 1, 330);
	assert_string_equal(inside_of(outer, 0), "leg1@10+10");
	assert_null(measure_delete_leg(measure, outer));
	measure_thread_gone(measure, 1);
}

static void successors_have_nothing_in_them(void **state)
{
	(void)state;
	add_legs(3);
	measure_set_track(measure, TRACK_SUCCESSOR);
	hit(1, 1, 100);
	hit(2, 1, 110);
	hit(3, 1, 120);
	hit(4, 1, 140);
	assert_string_equal(inside_of(outer, 0), "");
	assert_string_equal(inside_of(inner, 0), "");
}

/* ---- origins ------------------------------------------------------------- */

static int alive, kept;

static void destroy_origin(struct origin *origin)
{
	alive--;
	free(origin);
}

static void keep_origin(void *context, struct origin *origin)
{
	assert_ptr_equal(context, &kept);
	assert_true(origin->references > 0);
	kept++;
}

static void hit_from(uint32_t node, uint64_t time)
{
	struct origin *origin = calloc(1, sizeof(*origin));
	struct hit now = {.node = node,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = time,
			  .origin = origin};

	assert_non_null(origin);
	origin->references = 1;
	origin->destroy = destroy_origin;
	alive++;
	measure_hit(measure, &now);
	origin_release(origin);
}

static void origins_live_as_long_as_something_needs_them(void **state)
{
	uint64_t at = 1000;
	uint32_t leg;

	(void)state;
	alive = kept = 0;
	leg = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	measure_set_keeper(measure, keep_origin, &kept);
	hit_from(1, 100); /* ignored: it is replaced */
	assert_int_equal(alive, 1);
	hit_from(1, 110);
	assert_int_equal(alive, 1);
	hit_from(2, 130); /* no leg begins there */
	assert_int_equal(alive, 1);
	assert_int_equal(kept, 1);
	assert_non_null(measure_leg(measure, leg)->slowest.data[0].origin);
	/* a hundred and some that become slower and slower */
	for (uint64_t i = 1; i <= 150; i++, at += 1000) {
		hit_from(1, at);
		hit(2, 1, at + 20 + i);
	}
	assert_int_equal(kept, 151);
	assert_int_equal(alive, LEG_SLOWEST);
	/* one that is not slow is not kept */
	hit_from(1, at);
	hit(2, 1, at + 1);
	assert_int_equal(kept, 151);
	assert_int_equal(alive, LEG_SLOWEST);
	/* one that is open, and that the end of its thread discards */
	hit_from(1, at + 10);
	assert_int_equal(alive, LEG_SLOWEST + 1);
	measure_thread_gone(measure, 1);
	assert_int_equal(alive, LEG_SLOWEST);
	measure_zero(measure, at + 20);
	assert_int_equal(alive, 0);
}

static void one_origin_serves_two_legs(void **state)
{
	uint32_t first, second;

	(void)state;
	alive = kept = 0;
	first = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	second = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);
	assert_true(measure_begins_leg(measure, 1));
	assert_false(measure_begins_leg(measure, 2));
	assert_false(measure_begins_leg(measure, 77));
	hit_from(1, 100);
	hit(2, 1, 110);
	hit(3, 1, 120);
	assert_int_equal(alive, 1);
	assert_ptr_equal(measure_leg(measure, first)->slowest.data[0].origin,
			 measure_leg(measure, second)->slowest.data[0].origin);
	assert_null(measure_delete_leg(measure, first));
	assert_int_equal(alive, 1);
	measure_initialize(measure, 200);
	assert_int_equal(alive, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(inner_legs_and_hits_are_kept),
		RULE(other_threads_are_not_in_it),
		RULE(slower_ones_take_the_place),
		RULE(hundreds_are_kept_of_a_hundred),
		RULE(legs_may_end_together),
		RULE(legs_may_overlap),
		RULE(legs_may_follow_each_other),
		RULE(times_are_the_threads_own),
		RULE(only_the_longest_are_kept),
		RULE(what_is_over_makes_room),
		RULE(keys_keep_what_one_thread_did),
		RULE(nothing_is_countable),
		RULE(tables_may_be_emptied),
		RULE(successors_have_nothing_in_them),
		RULE(origins_live_as_long_as_something_needs_them),
		RULE(one_origin_serves_two_legs),
	};

	return cmocka_run_group_tests_name("measure_inside", tests, NULL, NULL);
}
