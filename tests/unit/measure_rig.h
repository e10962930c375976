/*
 * measure_rig.h - hits told to a table of nodes and legs, by hand
 *
 * Each test has a measure of its own, with nodes 1 to 4, that is running:
 * RULE(test) sets it up and takes it down. Included by one test program, after
 * cmocka's header.
 */
#ifndef MEASURE_RIG_H
#define MEASURE_RIG_H

#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

#define PID 100

static struct measure *measure;

static inline int setup(void **state)
{
	(void)state;
	measure = measure_create();
	measure_set_monitor(measure, true, 0);
	measure_set_running(measure, true, 0);
	for (uint32_t node = 1; node <= 4; node++)
		measure_add_node(measure, node);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	measure_destroy(measure);
	return 0;
}

static inline uint32_t add_leg(struct leg_spec spec)
{
	uint32_t id = 0;
	bool existed = false;

	assert_null(measure_add_leg(measure, &spec, &id, &existed));
	return id;
}

static inline uint32_t add_plain_leg(uint32_t from, uint32_t to,
				     enum leg_owner owner, enum leg_match match)
{
	return add_leg((struct leg_spec){
		.from = from, .to = to, .owner = owner, .match = match});
}

/* A function's leg from its entry, node 1, to its exits, node 2. */
static inline uint32_t add_call_leg(enum leg_match match)
{
	return add_leg((struct leg_spec){.from = 1,
					 .to = 2,
					 .match = match,
					 .by_frame = true,
					 .from_enters = true});
}

static inline void hit_of(int32_t pid, uint32_t thread, uint32_t node,
			  uint64_t time)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = pid,
			  .tid = (int32_t)thread,
			  .time = time};

	measure_hit(measure, &now);
}

static inline void hit(uint32_t node, uint32_t thread, uint64_t time)
{
	hit_of(PID, thread, node, time);
}

static inline void hit_frame(uint32_t node, uint64_t time, uint64_t frame,
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

static inline void hit_key(uint32_t node, uint32_t thread, int32_t pid,
			   uint64_t time, struct value key)
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

/* A hit of a fast node, which costs it `cost` before and after. */
static inline void fast_hit(uint32_t node, uint32_t thread, uint64_t time,
			    double cost)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = time,
			  .mechanism = HIT_FAST,
			  .cost_before = cost};

	measure_fast_hit(measure, &now);
}

/* A whole break with one hit. */
static inline void held_hit(uint32_t node, uint32_t thread, uint64_t arrival,
			    uint64_t resume, double before, double after)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = arrival,
			  .cost_before = before};

	measure_hit(measure, &now);
	measure_hold(measure, thread, PID, (int32_t)thread, arrival, resume,
		     before, after);
}

static const struct measure_leg *leg(uint32_t id)
{
	const struct measure_leg *found = measure_leg(measure, id);

	assert_non_null(found);
	return found;
}

static inline void check_leg(uint32_t id, uint64_t count, int64_t total,
			     uint64_t ignored_from, uint64_t ignored_to)
{
	assert_int_equal(leg(id)->count, count);
	assert_true(leg(id)->total == total);
	assert_int_equal(leg(id)->ignored_from, ignored_from);
	assert_int_equal(leg(id)->ignored_to, ignored_to);
}

#define RULE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
