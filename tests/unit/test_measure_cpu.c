/*
 * test_measure_cpu.c - how much of a leg's time was on a CPU, and how much was
 * waiting
 *
 * Some tests check every figure by hand. Others simulate threads that compute,
 * sleep, wait for a CPU and are held at random, and that know for how long.
 *
 * tier: core
 * covers: measure/threads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "measure_rig.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/measure/thread_counts.h"

static void watch(uint32_t thread, uint64_t time)
{
	measure_watch(measure, thread, PID, time);
}

static void on(uint32_t thread, uint64_t time)
{
	measure_switch(measure, thread, time, true);
}

static void off(uint32_t thread, uint64_t time)
{
	measure_switch(measure, thread, time, false);
}

static void fast(uint32_t node, uint32_t thread, uint64_t time)
{
	fast_hit(node, thread, time, 5);
}

static void check_cpu(uint32_t id, uint64_t known, int64_t cpu, int64_t waiting)
{
	struct measure_cpu figures = measure_leg_cpu(leg(id));

	assert_int_equal(figures.count, known);
	assert_int_equal(figures.cpu, cpu);
	assert_int_equal(figures.waiting, waiting);
	assert_int_equal(leg(id)->cpu_unknown, leg(id)->count - known);
}

/* ---- by hand -------------------------------------------------------- */

static void sleep_is_waiting(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	off(1, 1300);
	on(1, 1700);
	fast(2, 1, 2000);
	/* each hit takes 5 ns before its time and 5 after it */
	check_leg(id, 1, 990, 0, 0);
	check_cpu(id, 1, 590, 400);
	/* what the thread did before the leg and after it does not matter */
	off(1, 2100);
	on(1, 2900);
	fast(1, 1, 3000);
	fast(2, 1, 3050);
	off(1, 3060);
	check_leg(id, 2, 990 + 40, 0, 0);
	check_cpu(id, 2, 590 + 40, 400);
}

/* Simulate an int3 that costs 40 ns. The thread is on its way into the kernel
 * for 4 ns, and the tool knows of the stop 6 ns later. After the tool has let
 * the thread go, the thread needs 20 ns to get a CPU, and 10 ns to come back to
 * the program. So the thread is on a CPU for 14 of the 40 ns. */
#define COST 40
#define ON_CPU 14

static void int3(uint32_t node, uint32_t thread, uint64_t arrival,
		 uint64_t resume)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = arrival,
			  .cost_before = COST / 2.0};

	off(thread, arrival - 6);
	measure_hit(measure, &now);
	measure_hold(measure, thread, PID, (int32_t)thread, arrival, resume,
		     COST / 2.0, COST / 2.0);
}

static int setup_int3(void **state)
{
	setup(state);
	measure_set_calibration(measure, HIT_INT3, COST, 1);
	measure_set_cpu_cost(measure, ON_CPU);
	return 0;
}

#define STOP_RULE(test)                                                        \
	cmocka_unit_test_setup_teardown(test, setup_int3, teardown)

static void stops_are_neither_on_cpu_nor_waiting(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	on(1, 1120); /* 1130: the program goes on */
	off(1, 1500);
	on(1, 1800);
	int3(2, 1, 2010, 2100); /* the thread reached the int3 at 2000 */
	check_leg(id, 1, 870, 0, 0);
	check_cpu(id, 1, 570, 300);
	on(1, 2120);
	int3(1, 1, 3000, 3100);
	on(1, 3120);
	int3(3, 1, 3410, 3500); /* the program runs from 3130 to 3400 */
	on(1, 3520);            /* and from 3530 to 3900 */
	int3(2, 1, 3910, 4000);
	check_leg(id, 2, 870 + 270 + 370, 0, 0);
	check_cpu(id, 2, 570 + 270 + 370, 300);
}

/* The same int3 on a busy machine, where the kernel has told when the thread
 * was taken off its CPU and given one: the tool sees the stop `late` ns after
 * the former. All that the tool does not know is for how long the thread is on
 * a CPU. */
static void late_int3(uint32_t node, uint32_t thread, uint64_t off_at,
		      uint64_t late, uint64_t on_at)
{
	struct hit now = {.node = node,
			  .thread = thread,
			  .pid = PID,
			  .tid = (int32_t)thread,
			  .time = off_at,
			  .is_off_known = true,
			  .cost_before = 4};

	assert_true(off_at + late < on_at);
	off(thread, off_at);
	measure_hit(measure, &now);
	measure_hold(measure, thread, PID, (int32_t)thread, off_at, on_at, 4,
		     ON_CPU - 4);
	on(thread, on_at);
}

static void waits_for_a_cpu_at_stops_are_the_tools(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	/* The program reaches the first int3 at 1000 and goes on at 9010. It is
	 * taken off its CPU from 9300 to 9700, and reaches the second one at
	 * 9900. */
	late_int3(1, 1, 1004, 3000, 9000);
	off(1, 9300);
	on(1, 9700);
	late_int3(2, 1, 9904, 7000, 20000);
	check_leg(id, 1, 890, 0, 0);
	check_cpu(id, 1, 490, 400);
	/* the same with an int3 in between, and without the wait */
	late_int3(1, 1, 30004, 50, 31000);
	late_int3(3, 1, 31104, 400000, 500000);
	late_int3(2, 1, 500104, 1, 500200);
	check_leg(id, 2, 890 + 90 + 90, 0, 0);
	check_cpu(id, 2, 490 + 90 + 90, 400);
}

/* A calibration finds other figures while a thread is held. The part of the
 * break's cost for which the thread is on a CPU stays as it was when the break
 * began. */
static void new_calibration_leaves_begun_breaks_alone(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct hit now = {
		.node = 1, .thread = 1, .pid = PID, .tid = 1, .time = 10000};

	(void)state;
	watch(1, 100);
	on(1, 200);
	/* the calibration found a high cost, because other threads had the
	 * tool's CPU */
	measure_set_calibration(measure, HIT_INT3, 8 * COST, 1);
	measure_set_cpu_cost(measure, ON_CPU);
	now.cost_before = 4 * COST;
	off(1, now.time - 6);
	measure_hit(measure, &now);
	measure_set_calibration(measure, HIT_INT3, COST, 1);
	measure_set_cpu_cost(measure, ON_CPU);
	measure_hold(measure, 1, PID, 1, 10000, 10100, 4 * COST, 4 * COST);
	on(1, 10120 + 3 * COST);
	off(1, 11000);
	on(1, 11200);
	int3(2, 1, 12010, 12100);
	/* from 10100 to 12010, less 160 ns after the first break and 20 ns
	 * before the second one */
	check_leg(id, 1, 1910 - 180, 0, 0);
	/* the thread is on a CPU from 10240 on, for 760 and 804 ns; it waited
	 * 140 ns and not 160 */
	check_cpu(id, 1, 1564 - ON_CPU, 200 - 20);
	/* a cost is calibrated again, but not the part of it that is on a CPU
	 */
	measure_set_calibration(measure, HIT_INT3, 2 * COST, 1);
	on(1, 12120);
	now.cost_before = COST;
	now.time = 13000;
	off(1, now.time - 6);
	measure_hit(measure, &now);
	measure_hold(measure, 1, PID, 1, 13000, 13100, COST, COST);
	on(1, 13120);
	off(1, 13600);
	on(1, 13900);
	now.node = 2;
	now.time = 14010;
	off(1, now.time - 6);
	measure_hit(measure, &now);
	check_leg(id, 2, 1730 + 910 - 2 * COST, 0, 0);
	check_cpu(id, 2, 1550 + 480 + 104 - ON_CPU, 180 + 260);
}

/* Until the tool has found for which part of a break a thread is on a CPU, the
 * tool guesses nothing: the time on a CPU is not known. */
static void time_on_cpu_is_unknown_before_calibration(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	measure_set_calibration(measure, HIT_INT3, COST, 1);
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	on(1, 1120);
	measure_set_cpu_cost(measure, ON_CPU);
	int3(2, 1, 2010, 2100);
	check_cpu(id, 0, 0, 0);
	on(1, 2120);
	int3(1, 1, 3000, 3100);
	on(1, 3120);
	int3(2, 1, 4010, 4100);
	check_cpu(id, 1, 870, 0);
}

/* The tool lets the thread go, but other threads have its CPU. That time is
 * waiting. */
static void wait_for_a_cpu_is_waiting(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	on(1, 1100 + 20 + 5000);
	int3(2, 1, 7010, 7100);
	check_leg(id, 1, 5870, 0, 0);
	check_cpu(id, 1, 870, 5000);
}

/* The tool may learn of a stop before the thread is off its CPU, or much later.
 * That changes nothing in the time on a CPU. */
static void late_news_of_a_stop_changes_no_time_on_cpu(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct hit now = {.node = 2,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = 1990,
			  .cost_before = COST / 2.0};

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	on(1, 1120);
	off(1, 2004);
	measure_hit(measure, &now);
	check_leg(id, 1, 850, 0, 0);
	check_cpu(id, 1, 870, -20);
	measure_hold(measure, 1, PID, 1, 1990, 2100, COST / 2.0, COST / 2.0);
	on(1, 2120);
	int3(1, 1, 3000, 3100);
	on(1, 3120);
	off(1, 4004);
	now.time = 4500;
	measure_hit(measure, &now);
	check_leg(id, 2, 850 + 1360, 0, 0);
	check_cpu(id, 2, 870 + 870, 470);
}

static void mixed_leg_pays_half_of_both_costs(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	on(1, 1120);
	off(1, 1500);
	on(1, 1800);
	fast(2, 1, 2000);
	/* half the cost of an int3 and half the cost of a jump */
	check_leg(id, 1, 900 - COST / 2 - 5, 0, 0);
	check_cpu(id, 1, 580 - ON_CPU / 2 - 5, 300 - (20 - 7 - 20));
}

static void compensation_off_subtracts_no_cpu_cost(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 800, 900);
	on(1, 920);
	measure_set_compensation(measure, false);
	/* the account so far was kept with compensation, so it does not apply
	 */
	int3(2, 1, 1000, 1100);
	check_leg(id, 1, 200, 0, 0);
	check_cpu(id, 0, 0, 0);
	on(1, 1120);
	int3(1, 1, 2000, 2100);
	on(1, 2120);
	off(1, 2500);
	on(1, 2800);
	int3(2, 1, 3010, 3100);
	check_leg(id, 2, 200 + 1010, 0, 0);
	/* the whole time on a CPU: from 2120 to 2500, and from 2800 to 3004 */
	check_cpu(id, 1, 380 + 204, 1010 - 380 - 204);
}

static void unwatched_thread_has_no_known_time_on_cpu(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	on(1, 10); /* a switch of a thread that the tool does not watch */
	fast(1, 1, 1000);
	fast(2, 1, 2000);
	check_leg(id, 1, 990, 0, 0);
	check_cpu(id, 0, 0, 0);
	assert_true(leg(id)->cpu_unknown_total == 990);
}

static void lost_switches_make_time_on_cpu_unknown(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	measure_switches_lost(measure, 1);
	on(1, 1500);
	fast(2, 1, 2000);
	check_cpu(id, 0, 0, 0);
	/* the account is known again from 1500 on */
	fast(1, 1, 2500);
	off(1, 2600);
	on(1, 2700);
	fast(2, 1, 3000);
	check_leg(id, 2, 990 + 490, 0, 0);
	check_cpu(id, 1, 390, 100);
	/* some switches are missing; the tool was not told so, but sees it */
	fast(1, 1, 4000);
	off(1, 4100);
	fast(2, 1, 5000);
	check_cpu(id, 1, 390, 100);
	on(1, 5100);
	fast(1, 1, 5200);
	on(1, 5300);
	fast(2, 1, 5400);
	check_cpu(id, 1, 390, 100);
	fast(1, 1, 5500);
	fast(2, 1, 5600);
	check_cpu(id, 2, 390 + 90, 100);
}

/* At an int3, a thread must have gone off its CPU since the tool let it go. If
 * no switch says so, switches were lost. */
static void stop_without_a_switch_means_lost_switches(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	struct hit now = {.node = 2,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = 2000,
			  .cost_before = COST / 2.0};

	(void)state;
	watch(1, 100);
	on(1, 200);
	int3(1, 1, 1000, 1100);
	measure_hit(measure, &now); /* the thread has been off since 994 */
	check_cpu(id, 0, 0, 0);
	measure_hold(measure, 1, PID, 1, 2000, 2100, COST / 2.0, COST / 2.0);
	on(1, 2120);
	int3(1, 1, 3000, 3100);
	on(1, 3120);
	now.time = 4000;
	measure_hit(measure, &now); /* the thread was not switched off at all */
	check_cpu(id, 0, 0, 0);
	assert_int_equal(leg(id)->count, 2);
}

/* If a leg begins in one thread and ends in another, it has no time on a CPU.
 */
static void leg_across_threads_has_no_time_on_cpu(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_KEY, MATCH_LAST);
	struct value key = value_unsigned(5);
	struct hit now = {.node = 1,
			  .thread = 1,
			  .pid = PID,
			  .tid = 1,
			  .time = 1000,
			  .mechanism = HIT_FAST,
			  .keys = &key,
			  .key_count = 1};

	(void)state;
	for (uint32_t thread = 1; thread <= 2; thread++) {
		watch(thread, 100);
		on(thread, 200);
	}
	measure_fast_hit(measure, &now);
	now.node = now.thread = 2;
	now.time = 2000;
	measure_fast_hit(measure, &now);
	check_leg(id, 1, 1000, 0, 0);
	check_cpu(id, 0, 0, 0);
	now.node = 1;
	now.time = 3000;
	measure_fast_hit(measure, &now);
	off(2, 3100);
	on(2, 3200);
	now.node = 2;
	now.time = 4000;
	measure_fast_hit(measure, &now);
	check_leg(id, 2, 2000, 0, 0);
	check_cpu(id, 1, 900, 100);
}

/* While the program is stopped, the clock of the measurements stands still.
 * That time is no waiting, either. */
static void pauses_are_no_waiting(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	off(1, 1400);
	measure_set_running(measure, false, 1500);
	measure_set_running(measure, true, 5000);
	on(1, 5100);
	fast(2, 1, 5300);
	check_leg(id, 1, 500 + 300 - 10, 0, 0);
	check_cpu(id, 1, 400 + 200 - 10, 200);
}

/* The tables are initialized, but what is known of the threads' switches stays
 * known. */
static void new_tables_keep_known_switches(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	measure_initialize(measure, 1100);
	measure_add_node(measure, 1);
	measure_add_node(measure, 2);
	id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);
	fast(1, 1, 2000);
	off(1, 2100);
	on(1, 2300);
	fast(2, 1, 3000);
	check_cpu(id, 1, 790, 200);
	measure_zero(measure, 3100);
	check_cpu(id, 0, 0, 0);
	fast(1, 1, 4000);
	fast(2, 1, 4100);
	check_cpu(id, 1, 90, 0);
	measure_thread_gone(measure, 1);
	fast(1, 1, 5000);
	fast(2, 1, 5100);
	check_cpu(id, 1, 90, 0);
}

static void slowest_executions_have_time_on_cpu(void **state)
{
	uint32_t id = add_plain_leg(1, 2, OWNER_THREAD, MATCH_LAST);

	(void)state;
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	off(1, 1300);
	on(1, 1700);
	fast(2, 1, 2000);
	fast(1, 2, 3000);
	fast(2, 2, 3100);
	assert_true(leg(id)->slowest.data[0].has_cpu);
	assert_int_equal(leg(id)->slowest.data[0].cpu, 590);
	assert_false(leg(id)->slowest.data[1].has_cpu);
}

static void successors_have_time_on_cpu(void **state)
{
	(void)state;
	measure_set_track(measure, TRACK_SUCCESSOR);
	measure_set_add_successor(measure, true);
	watch(1, 100);
	on(1, 200);
	fast(1, 1, 1000);
	off(1, 1300);
	on(1, 1700);
	fast(2, 1, 2000);
	check_leg(0, 1, 990, 0, 0);
	check_cpu(0, 1, 590, 400);
}

/* ---- at random ------------------------------------------------------ */

#define THREADS 4
#define NODES 4

/*
 * How long the parts of a stop take: the way into the kernel, until the tool
 * knows of the stop, from when the tool lets the thread go until the thread has
 * a CPU, and the way back. The two halves are equal, so that legs from a stop
 * to a jump are exact, too.
 */
#define WAY_IN 7
#define NOTICE 8
#define WAKE 8
#define WAY_BACK 7
#define JUMP 3

struct sim_thread {
	uint64_t now;
	uint64_t on, passed; /* the time of the program's own doing so far */
	uint64_t on_then[NODES + 1], passed_then[NODES + 1];
	/* the leg from this node to the next one is open */
	bool is_open[NODES + 1];
};

struct sim {
	unsigned short random[3];
	struct sim_thread threads[THREADS];
	uint64_t count[NODES + 1];
	int64_t cpu[NODES + 1], waiting[NODES + 1];
};

static unsigned pick(struct sim *sim, unsigned below)
{
	return (unsigned)nrand48(sim->random) % below;
}

static uint32_t serial(const struct sim *sim, const struct sim_thread *thread)
{
	return (uint32_t)(thread - sim->threads) + 1;
}

static void compute(struct sim_thread *thread, uint64_t ns)
{
	thread->now += ns;
	thread->on += ns;
	thread->passed += ns;
}

static void wait(struct sim *sim, struct sim_thread *thread, uint64_t ns)
{
	off(serial(sim, thread), thread->now);
	thread->now += ns;
	thread->passed += ns;
	on(serial(sim, thread), thread->now);
}

/* The thread reaches the node now. Add up what the legs that end here take, and
 * begin the leg that begins here. */
static void reach(struct sim *sim, struct sim_thread *thread, uint32_t node)
{
	for (uint32_t from = 1; from <= NODES; from++) {
		if (from % NODES + 1 != node || !thread->is_open[from])
			continue;
		thread->is_open[from] = false;
		sim->count[from]++;
		sim->cpu[from] += (int64_t)(thread->on - thread->on_then[from]);
		sim->waiting[from] +=
			(int64_t)(thread->passed - thread->passed_then[from]) -
			(int64_t)(thread->on - thread->on_then[from]);
	}
	thread->is_open[node] = true;
	thread->on_then[node] = thread->on;
	thread->passed_then[node] = thread->passed;
}

static void make_hit(struct sim *sim, struct sim_thread *thread, uint32_t node,
		     enum hit_mechanism mechanism, double cost)
{
	struct hit now = {.node = node,
			  .thread = serial(sim, thread),
			  .pid = PID,
			  .tid = 1,
			  .time = thread->now,
			  .mechanism = mechanism,
			  .cost_before = cost};

	if (mechanism == HIT_FAST)
		measure_fast_hit(measure, &now);
	else
		measure_hit(measure, &now);
}

static void jump_at(struct sim *sim, struct sim_thread *thread, uint32_t node)
{
	reach(sim, thread, node);
	thread->now += JUMP;
	make_hit(sim, thread, node, HIT_FAST, JUMP);
	thread->now += JUMP;
}

/* The thread is held at an int3. Other threads may have its CPU when the tool
 * lets it go. If `node` is 0, the stop is no break but a signal, for example.
 */
static void stop_at(struct sim *sim, struct sim_thread *thread, uint32_t node)
{
	const double cost = (WAY_IN + NOTICE + WAKE + WAY_BACK) / 2.0;
	uint64_t busy = pick(sim, 3) ? 0 : pick(sim, 5000), arrival, resume;

	if (node)
		reach(sim, thread, node);
	thread->now += WAY_IN;
	off(serial(sim, thread), thread->now);
	arrival = thread->now += NOTICE;
	if (node)
		make_hit(sim, thread, node, HIT_INT3, cost);
	resume = thread->now += 1 + pick(sim, 4000);
	measure_hold(measure, serial(sim, thread), PID, 1, arrival, resume,
		     cost, cost);
	thread->now += WAKE + busy;
	thread->passed += busy;
	on(serial(sim, thread), thread->now);
	thread->now += WAY_BACK;
}

static void step(struct sim *sim)
{
	struct sim_thread *thread = &sim->threads[pick(sim, THREADS)];
	uint32_t node = 1 + pick(sim, NODES);

	compute(thread, 1 + pick(sim, 2000));
	switch (pick(sim, 6)) {
	case 0:
	case 1:
		jump_at(sim, thread, node);
		break;
	case 2:
	case 3:
		stop_at(sim, thread, node);
		break;
	case 4:
		wait(sim, thread, pick(sim, 3000));
		break;
	default:
		stop_at(sim, thread, 0);
	}
}

static void check_figures(const struct sim *sim)
{
	for (uint32_t from = 1; from <= NODES; from++) {
		const struct measure_leg *at = leg(from - 1);
		struct measure_cpu cpu = measure_leg_cpu(at);

		assert_int_equal(at->count, sim->count[from]);
		assert_int_equal(at->cpu_unknown, 0);
		assert_true(at->total == cpu.cpu + cpu.waiting);
		assert_int_equal(cpu.cpu, sim->cpu[from]);
		assert_int_equal(cpu.waiting, sim->waiting[from]);
	}
}

static void run(unsigned seed)
{
	struct sim sim = {.random = {0x330e, (unsigned short)seed, 3}};

	for (uint32_t from = 1; from <= NODES; from++)
		add_plain_leg(from, from % NODES + 1, OWNER_THREAD, MATCH_LAST);
	measure_set_calibration(measure, HIT_INT3,
				WAY_IN + NOTICE + WAKE + WAY_BACK, 1);
	measure_set_cpu_cost(measure, WAY_IN + WAY_BACK);
	for (unsigned i = 0; i < THREADS; i++) {
		struct sim_thread *thread = &sim.threads[i];

		thread->now = 1000 + i;
		watch(serial(&sim, thread), thread->now);
		on(serial(&sim, thread), ++thread->now);
	}
	for (unsigned i = 0; i < 3000; i++) {
		step(&sim);
		if (i % 100 == 0)
			check_figures(&sim);
	}
	check_figures(&sim);
}

static void time_on_cpu_agrees_with_simulated_threads(void **state)
{
	for (unsigned seed = 0; seed < 100; seed++) {
		setup(state);
		run(seed);
		teardown(state);
	}
}

/* Random events in random order. An execution must be either known or unknown
 * as a whole, and the known and unknown times must add up to the total of the
 * leg. */
static void random_events_keep_sums_of_time_on_cpu(void **state)
{
	unsigned short random[3] = {0x330e, 7, 7};
	uint64_t now = 1000, known = 0, unknown = 0;

	setup(state);
	for (uint32_t from = 1; from <= NODES; from++)
		add_plain_leg(from, from % NODES + 1,
			      (enum leg_owner)(from % 2), MATCH_LAST);
	measure_set_calibration(measure, HIT_INT3, COST, 1);
	measure_set_cpu_cost(measure, ON_CPU);
	for (unsigned i = 0; i < 200000; i++) {
		uint32_t thread = 1 + (uint32_t)nrand48(random) % 3;
		uint32_t node = 1 + (uint32_t)nrand48(random) % NODES;

		now += (uint64_t)nrand48(random) % 100;
		switch (nrand48(random) % 8) {
		case 0:
			off(thread, now);
			break;
		case 1:
			on(thread, now);
			break;
		case 2:
			int3(node, thread, now + 10, now + 100);
			on(thread, now += 120);
			break;
		case 3:
			if (nrand48(random) % 10 == 0)
				measure_switches_lost(measure, thread);
			break;
		case 4:
			if (nrand48(random) % 10 == 0)
				watch(thread, now);
			break;
		default:
			fast(node, thread, now);
		}
	}
	for (uint32_t id = 0; id < NODES; id++) {
		struct measure_cpu cpu = measure_leg_cpu(leg(id));

		assert_int_equal(cpu.count + leg(id)->cpu_unknown,
				 leg(id)->count);
		assert_true(cpu.cpu + cpu.waiting +
				    leg(id)->cpu_unknown_total ==
			    leg(id)->total);
		known += cpu.count;
		unknown += leg(id)->cpu_unknown;
	}
	assert_true(known > 1000 && unknown > 1000);
	teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		RULE(sleep_is_waiting),
		STOP_RULE(stops_are_neither_on_cpu_nor_waiting),
		STOP_RULE(waits_for_a_cpu_at_stops_are_the_tools),
		STOP_RULE(new_calibration_leaves_begun_breaks_alone),
		RULE(time_on_cpu_is_unknown_before_calibration),
		STOP_RULE(wait_for_a_cpu_is_waiting),
		STOP_RULE(late_news_of_a_stop_changes_no_time_on_cpu),
		STOP_RULE(mixed_leg_pays_half_of_both_costs),
		STOP_RULE(compensation_off_subtracts_no_cpu_cost),
		RULE(unwatched_thread_has_no_known_time_on_cpu),
		RULE(lost_switches_make_time_on_cpu_unknown),
		STOP_RULE(stop_without_a_switch_means_lost_switches),
		RULE(leg_across_threads_has_no_time_on_cpu),
		RULE(pauses_are_no_waiting),
		RULE(new_tables_keep_known_switches),
		RULE(slowest_executions_have_time_on_cpu),
		RULE(successors_have_time_on_cpu),
		cmocka_unit_test(time_on_cpu_agrees_with_simulated_threads),
		cmocka_unit_test(random_events_keep_sums_of_time_on_cpu),
	};

	return cmocka_run_group_tests_name("measure_cpu", tests, NULL, NULL);
}
