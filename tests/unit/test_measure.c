/*
 * test_measure.c - the rules of the spec of measurement, one test each
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "memo_session.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"

#define PID 100

static struct measure *measure;

static int setup(void **state)
{
	(void)state;
	measure = measure_create();
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	for (uint32_t node = 1; node <= 4; node++)
		measure_add_node(measure, node);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	measure_destroy(measure);
	return 0;
}

static uint32_t add_leg(struct leg_spec spec)
{
	uint32_t id = 0;
	bool existed = false;

	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	return id;
}

static uint32_t add_plain_leg(uint32_t from, uint32_t to, enum leg_owner owner,
			      enum leg_match match)
{
	return add_leg((struct leg_spec){
		.from = from, .to = to, .owner = owner, .match = match});
}

/* A function's leg from its entry, node 1, to its exits, node 2. */
static uint32_t add_call_leg(enum leg_match match)
{
	return add_leg((struct leg_spec){.from = 1,
					 .to = 2,
					 .match = match,
					 .by_frame = true,
					 .from_enters = true});
}

static void hit(uint32_t node, uint32_t thread, uint64_t time)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = time};

	measure_hit(measure, &now);
}

static void hit_frame(uint32_t node, uint64_t time, uint64_t frame,
		      uint64_t stack)
{
	struct hit now = {.node = node,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = time,
			  .frame = frame,
			  .stack = stack};

	measure_hit(measure, &now);
}

static void hit_key(uint32_t node, uint32_t thread, int32_t pid, uint64_t time,
		    struct value key)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = pid,
			  .tid = (int32_t)thread,
			  .time = time,
			  .keys = &key,
			  .key_count = 1};

	measure_hit(measure, &now);
}

/* A whole break with one hit. */
static void held_hit(uint32_t node, uint32_t thread, uint64_t arrival,
		     uint64_t resume, double before, double after)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = arrival,
			  .cost_before = before};

	measure_hit(measure, &now);
	measure_break(measure, thread, PID, (int32_t)thread, arrival, resume,
		      before, after);
}

static const struct measure_leg *leg(uint32_t id)
{
	const struct measure_leg *found = measure_leg(measure, id);

	assert_non_null(found);
	return found;
}

static void check_leg(uint32_t id, uint64_t count, int64_t total,
		      uint64_t ignored_from, uint64_t ignored_to)
{
	assert_int_equal(leg(id)->count, count);
	assert_true(leg(id)->total == total);
	assert_int_equal(leg(id)->ignored_from, ignored_from);
	assert_int_equal(leg(id)->ignored_to, ignored_to);
}

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

static void node_errors(void **state)
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

static void tracked_process_and_thread(void **state)
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
	hit(1, 1, 40); /* goes on as a node; the leg does not */
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
	assert_string_equal(error_message(error), "no node 77");
	error_destroy(error);
	measure_node_deleted(measure, 77);
	measure_node_error(measure, 2, "of no interest");
	assert_int_equal(measure_node(measure, 2)->errors, 0);
}

/* ---- legs ----------------------------------------------------------- */

static void leg_numbers(void **state)
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
	/* a number is not used again */
	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	assert_false(existed);
	assert_int_equal(id, 2);
	error = measure_delete_leg(measure, 0);
	assert_int_equal(error_code(error), ERROR_NOT_FOUND);
	error_destroy(error);
}

static void match_last(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(2, 1, 5); /* nothing open */
	hit(1, 1, 10);
	hit(1, 1, 20); /* replaces */
	hit(2, 1, 25);
	check_leg(id, 1, 5, 1, 1);
	assert_true(measure_leg_is_marked(leg(id)));
}

static void match_first(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_FIRST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 20);
	hit(2, 1, 25);
	hit(2, 1, 30);
	check_leg(id, 1, 15, 1, 1);
}

static void match_nested_by_order(void **state)
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

static void match_outermost_by_order(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_OUTERMOST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 20);
	hit(2, 1, 25);
	hit(2, 1, 40);
	check_leg(id, 1, 30, 1, 1);
}

/* The period between hits; the first one ends nothing and is no trouble. */
static void leg_to_itself(void **state)
{
	uint32_t id = add_plain_leg(1, 1, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	hit(1, 1, 25);
	hit(1, 1, 50);
	check_leg(id, 2, 40, 0, 1);
	assert_int_equal(leg(id)->open, 1);
	assert_false(measure_leg_is_marked(leg(id)));
	hit(1, 2, 60); /* another thread's first */
	assert_false(measure_leg_is_marked(leg(id)));
	measure_thread_gone(measure, 2);
	assert_true(measure_leg_is_marked(leg(id)));
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

/* The memo's owner: the last to hit *from*; a *to* by another is ignored. */
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
	hit_key(2, 2, PID, 50, value_unsigned(UINT64_MAX)); /* is not -1 */
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
	hit(1, 1, 93);             /* no key at all */
	check_leg(id, 4, 0, 3, 3); /* no resume was told of */
	assert_int_equal(leg(id)->open, 0);
}

/* A key outlives the thread that opened it, but not its process. */
static void keys_and_exits(void **state)
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

/* ---- frames --------------------------------------------------------- */

static void recursion_by_frame(void **state)
{
	uint32_t nested = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(2, 30, 0x200, 1);
	hit_frame(2, 50, 0x300, 1);
	check_leg(nested, 2, 50, 0, 0);
	assert_int_equal(leg(nested)->unwound, 0);
}

/* longjmp past the inner frames, seen by an exit at a shallower CFA. */
static void unwound_at_an_exit(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 25, 0x100, 1);
	hit_frame(2, 50, 0x300, 1);
	check_leg(id, 1, 40, 0, 0);
	assert_int_equal(leg(id)->unwound, 2);
	assert_int_equal(leg(id)->open, 0);
}

/* ... or by an entry at an equal or shallower one. */
static void unwound_at_an_entry(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 30, 0x200, 1);
	assert_int_equal(leg(id)->unwound, 1);
	assert_int_equal(leg(id)->open, 2);
	hit_frame(1, 40, 0x280, 1);
	assert_int_equal(leg(id)->unwound, 2);
	hit_frame(2, 50, 0x280, 1);
	hit_frame(2, 60, 0x300, 1);
	check_leg(id, 2, 60, 0, 0);
}

/* Not at the entry: the same frame may well get there again. */
static void equal_frames_inside_a_function(void **state)
{
	uint32_t id = add_leg((struct leg_spec){
		.from = 1, .to = 2, .match = MATCH_NESTED, .by_frame = true});

	(void)state;
	hit_frame(1, 10, 0x200, 1);
	hit_frame(1, 20, 0x200, 1);
	assert_int_equal(leg(id)->open, 2);
	hit_frame(2, 30, 0x200, 1);
	check_leg(id, 1, 10, 0, 0);
	hit_frame(1, 40, 0x300, 1);
	assert_int_equal(leg(id)->unwound, 1);
}

/* On another stack, or an unknown one, depth says nothing. */
static void other_stacks(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0x100, 1);
	hit_frame(1, 20, 0x900, 2);
	hit_frame(1, 30, 0x800, 0);
	hit_frame(1, 40, 0xa00, 0);
	assert_int_equal(leg(id)->open, 4);
	assert_int_equal(leg(id)->unwound, 0);
	hit_frame(1, 50, 0x900, 3); /* but a CFA has one frame */
	assert_int_equal(leg(id)->discarded, 1);
	hit_frame(2, 60, 0x100, 1);
	hit_frame(2, 70, 0x900, 3);
	check_leg(id, 2, 70, 0, 0);
}

static void unknown_frames_match_by_order(void **state)
{
	uint32_t id = add_call_leg(MATCH_NESTED);

	(void)state;
	hit_frame(1, 10, 0, 0);
	hit_frame(1, 20, 0, 0);
	hit_frame(2, 30, 0x100, 1);
	hit_frame(2, 40, 0, 0);
	check_leg(id, 2, 40, 0, 0);
}

static void outermost_by_frame(void **state)
{
	uint32_t id = add_call_leg(MATCH_OUTERMOST);

	(void)state;
	hit_frame(1, 10, 0x300, 1);
	hit_frame(1, 20, 0x200, 1);
	hit_frame(1, 25, 0x100, 1);
	hit_frame(2, 30, 0x200, 1); /* 0x100 was left by a longjmp */
	hit_frame(2, 50, 0x300, 1);
	check_leg(id, 1, 40, 2, 1);
	hit_frame(1, 60, 0x100, 1);
	hit_frame(1, 70, 0x200, 1); /* 0x100 is gone: this one is outermost */
	assert_int_equal(leg(id)->unwound, 1);
	hit_frame(2, 75, 0x200, 1);
	check_leg(id, 2, 45, 2, 1);
}

/* A hundred thousand frames deep, and each hit is still cheap. */
static void deep_recursion(void **state)
{
	const uint64_t depth = 100000;
	uint32_t known = add_call_leg(MATCH_NESTED);

	(void)state;
	for (uint64_t stack = 0; stack <= 1; stack++) {
		for (uint64_t i = 1; i <= depth; i++)
			hit_frame(1, i, 0x10000000 - i * 16, stack);
		assert_int_equal(leg(known)->open, depth);
		for (uint64_t i = depth; i >= 1; i--)
			hit_frame(2, depth + 1, 0x10000000 - i * 16, stack);
		assert_int_equal(leg(known)->open, 0);
	}
	assert_int_equal(leg(known)->count, 2 * depth);
	assert_false(measure_leg_is_marked(leg(known)));
}

/* Keys, `last` and `first` match by order, whatever the frames say. */
static void frames_do_not_matter_elsewhere(void **state)
{
	uint32_t id = add_leg((struct leg_spec){.from = 1,
						.to = 2,
						.match = MATCH_LAST,
						.by_frame = true,
						.from_enters = true});

	(void)state;
	hit_frame(1, 10, 0x100, 1);
	hit_frame(2, 20, 0x300, 1);
	check_leg(id, 1, 10, 0, 0);
	assert_int_equal(leg(id)->unwound, 0);
}

/* ---- track and add -------------------------------------------------- */

static void track_none(void **state)
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

static void track_successor(void **state)
{
	uint32_t one = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	uint32_t two = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_track(measure, TRACK_SUCCESSOR);
	hit(1, 1, 10);
	hit(3, 2, 15); /* another thread */
	hit(2, 1, 20);
	hit(3, 1, 30); /* after 2, not after 1 */
	check_leg(one, 1, 10, 0, 0);
	check_leg(two, 0, 0, 0, 0);
	assert_null(measure_leg_at(measure, 2));
}

static void add_successor(void **state)
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
	hit(2, 1, 70); /* 2 -> 2: the period, from its first */
	assert_int_equal(measure_leg_at(measure, 2)->count, 2);
	assert_true(measure_leg_at(measure, 2)->total == 20);
	assert_false(measure_leg_is_marked(measure_leg_at(measure, 2)));
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

static void modes(void **state)
{
	(void)state;
	assert_int_equal(measure_track(measure), TRACK_ALL);
	assert_false(measure_add_successor(measure));
	measure_set_track(measure, TRACK_SUCCESSOR);
	measure_set_add_successor(measure, true);
	assert_int_equal(measure_track(measure), TRACK_SUCCESSOR);
	assert_true(measure_add_successor(measure));
}

static void changes_discard_what_is_open(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	hit(1, 1, 10);
	measure_set_track(measure, TRACK_ALL); /* as it was */
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

static void exits_discard(void **state)
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

/* ---- time ----------------------------------------------------------- */

/* Holds and unseen costs of the thread's own breaks do not count. */
static void compensation(void **state)
{
	uint32_t id = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	held_hit(1, 1, 1000, 1100, 10, 20);
	held_hit(2, 1, 1200, 1300, 10, 20);                    /* in between */
	measure_break(measure, 1, PID, 1, 1350, 1360, 10, 20); /* no hit */
	held_hit(2, 2, 1370, 1380, 10, 20); /* another thread */
	held_hit(3, 1, 1400, 1500, 10, 20);
	/* 1100+20 .. 1200-10, 1300+20 .. 1350-10, 1360+20 .. 1400-10 */
	check_leg(id, 1, 70 + 20 + 10, 0, 0);
}

static void compensation_off(void **state)
{
	uint32_t id = add_plain_leg(1, 3, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_compensation(measure, false);
	held_hit(1, 1, 1000, 1100, 10, 20);
	held_hit(2, 1, 1200, 1300, 10, 20);
	held_hit(3, 1, 1400, 1500, 10, 20);
	check_leg(id, 1, 400, 0, 0);
}

/* From thread to thread: let go there, to reached here. */
static void wall_clock_between_threads(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	const struct value key = value_unsigned(5);

	(void)state;
	hit_key(1, 1, PID, 1000, key);
	measure_break(measure, 1, PID, 1, 1000, 1100, 0, 20);
	held_hit(3, 1, 1130, 1180, 10, 20); /* its holds do not matter */
	hit_key(2, 2, PID, 1300, key);
	check_leg(id, 1, 1300 - 1100 - 20, 0, 0);
	/* the same thread closes: its own time */
	hit_key(1, 1, PID, 2000, key);
	measure_break(measure, 1, PID, 1, 2000, 2100, 0, 20);
	held_hit(3, 1, 2200, 2250, 10, 20);
	hit_key(2, 1, PID, 2300, key);
	check_leg(id, 2, 180 + 200 - 20 - 50 - 30, 0, 0);
	/* reached while the one that began is still held: no time at all */
	hit_key(1, 1, PID, 3000, key);
	hit_key(2, 2, PID, 3010, key);
	check_leg(id, 3, 180 + 100, 0, 0);
}

static void costs_of_the_closing_thread(void **state)
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
	measure_break(measure, 1, PID, 1, 1000, 1100, 10, 20);
	measure_hit(measure, &to);
	check_leg(id, 1, 1300 - 15 - 1100 - 20, 0, 0);
}

/* The clock stands still while the program is stopped. */
static void pauses(void **state)
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

/* A stop in the middle of a hold counts neither twice nor as a hold. */
static void pause_within_a_hold(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;

	(void)state;
	hit(1, 1, 100);
	measure_set_running(measure, false, 130);
	measure_set_running(measure, true, 5000);
	measure_break(measure, 1, PID, 1, 100, 5010, 0, 0);
	hit(2, 1, 5100);
	check_leg(id, 1, 90, 0, 0);
	measure_get_summary(measure, 5100, &summary);
	assert_int_equal(summary.elapsed, 230);
	assert_int_equal(summary.overhead, 40);
}

/* Several threads stop at once: some arrive after the pause began. */
static void hits_within_a_pause(void **state)
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
	/* told of after the clock went on, but from before */
	hit(1, 2, 190);
	hit(2, 2, 1020);
	check_leg(id, 3, 150 + 30, 0, 0);
}

static void overhead_is_a_union(void **state)
{
	struct measure_summary summary;

	(void)state;
	held_hit(1, 2, 110, 150, 5, 5);  /* 105 .. 155 */
	held_hit(1, 1, 100, 200, 10, 5); /* 90 .. 205 */
	held_hit(1, 3, 300, 310, 0, 0);
	measure_get_summary(measure, 1000, &summary);
	assert_int_equal(summary.breaks, 3);
	assert_int_equal(summary.overhead, 115 + 10);
	assert_true(summary.average_overhead == (50.0 + 115 + 10) / 3);
	assert_true(fabs(summary.overhead_percent - 12.5) < 1e-9);
	measure_zero(measure, 1000);
	measure_break(measure, 1, PID, 1, 950, 1040, 0, 0);
	measure_get_summary(measure, 1100, &summary);
	assert_int_equal(summary.elapsed, 100);
	assert_int_equal(summary.overhead, 40);
}

/* Totals and means stay unbiased; min and percentiles stop at 0. */
static void below_nothing(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	double median;

	(void)state;
	measure_set_calibration(measure, 40, 10);
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
	measure_set_calibration(measure, 0, 0);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
}

static void no_executions(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct measure_summary summary;
	double value;

	(void)state;
	measure_set_calibration(measure, 40, 10);
	assert_false(measure_leg_quantile(leg(id), 0.5, &value));
	assert_true(measure_leg_stddev(leg(id)) == 0);
	assert_false(measure_leg_below_resolution(measure, leg(id)));
	assert_false(measure_leg_is_marked(leg(id)));
	measure_get_summary(measure, 0, &summary);
	assert_int_equal(summary.elapsed, 0);
	assert_true(summary.overhead_percent == 0);
}

static void quantiles_lie_within(void **state)
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

/* ---- executions ----------------------------------------------------- */

static void keep_last(void *context, const struct execution *execution)
{
	*(struct execution *)context = *execution;
}

static void executions(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	struct execution last = {0};

	(void)state;
	measure_set_observer(measure, keep_last, &last);
	measure_set_running(measure, false, 500);
	measure_set_running(measure, true, 1500);
	hit_key(1, 1, PID, 1600, value_signed(-3));
	measure_break(measure, 1, PID, 1, 1600, 1610, 0, 0);
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

static void zero(void **state)
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
	hit(2, 1, 120); /* what was open is not */
	check_leg(id, 0, 0, 0, 1);
	measure_get_summary(measure, 150, &summary);
	assert_int_equal(summary.elapsed, 50);
	assert_int_equal(summary.breaks, 0);
	assert_int_equal(summary.overhead, 0);
}

static void initialize(void **state)
{
	struct measure_summary summary;

	(void)state;
	add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	held_hit(1, 1, 10, 20, 0, 0);
	measure_initialize(measure, 100);
	assert_null(measure_node_at(measure, 0));
	assert_null(measure_leg_at(measure, 0));
	assert_true(measure_monitor(measure));
	measure_break(measure, 1, PID, 1, 90, 110, 0, 0);
	measure_get_summary(measure, 150, &summary);
	assert_int_equal(summary.elapsed, 50);
	assert_int_equal(summary.overhead, 10);
	measure_add_node(measure, 1);
	assert_int_equal(add_plain_leg(1, 1, OWNER_THREAD, MATCH_LAST), 0);
}

/* ---- histograms ----------------------------------------------------- */

static void histograms(void **state)
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
	/* another one takes its place */
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

static void memo(void **state)
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

/* Ten thousand threads, thousands of legs: a hit looks at its node's only. */
static void many(void **state)
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
#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		RULE(a_hit_enters_its_node),
		RULE(node_errors),
		RULE(monitor_off_counts_nothing),
		RULE(tracked_process_and_thread),
		RULE(a_deleted_node_keeps_its_row),
		RULE(leg_numbers),
		RULE(match_last),
		RULE(match_first),
		RULE(match_nested_by_order),
		RULE(match_outermost_by_order),
		RULE(leg_to_itself),
		RULE(threads_own_their_activations),
		RULE(a_leg_owns_its_activation),
		RULE(keys_own_activations),
		RULE(keys_and_exits),
		RULE(recursion_by_frame),
		RULE(unwound_at_an_exit),
		RULE(unwound_at_an_entry),
		RULE(equal_frames_inside_a_function),
		RULE(other_stacks),
		RULE(unknown_frames_match_by_order),
		RULE(outermost_by_frame),
		RULE(deep_recursion),
		RULE(frames_do_not_matter_elsewhere),
		RULE(track_none),
		RULE(track_successor),
		RULE(add_successor),
		RULE(successors_are_matched_as_set),
		RULE(modes),
		RULE(changes_discard_what_is_open),
		RULE(exits_discard),
		RULE(compensation),
		RULE(compensation_off),
		RULE(wall_clock_between_threads),
		RULE(costs_of_the_closing_thread),
		RULE(pauses),
		RULE(pause_within_a_hold),
		RULE(hits_within_a_pause),
		RULE(overhead_is_a_union),
		RULE(below_nothing),
		RULE(no_executions),
		RULE(quantiles_lie_within),
		RULE(executions),
		RULE(the_slowest_are_kept),
		RULE(zero),
		RULE(initialize),
		RULE(histograms),
		RULE(memo),
		RULE(many),
	};

	return cmocka_run_group_tests_name("measure", tests, NULL, NULL);
}
