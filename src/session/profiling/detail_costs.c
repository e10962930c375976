/*
 * detail_costs.c - what adaptive detail costs the program
 *
 * The nodes of a function cost what their hits cost: as many as were counted,
 * each with the cost that the calibration has found for its mechanism. If the
 * samples of the program's threads say that hits at jumps cost more in this
 * run, they do. The whole is compared with the time that the program was on
 * CPUs meanwhile, without the part that the hits had in it.
 *
 * Besides, the program stands still while nodes come and go. The bound is that
 * of the whole: what it allows for the time so far, less what nodes, ticks and
 * stops have cost in it, is saved up, and a change waits until that is as much
 * as its stop will take.
 */
#include <time.h>

#include "adaptive_detail.h"
#include "perftool/base/alloc.h"

/* The part of the bound that nodes may use. The rest is for stops, and for what
 * changes between two looks. */
#define NODES_PART 0.7
/* The most that is saved up, in ns. */
#define MOST_ALLOWANCE 100e6
/* How long a first change is taken to stop the program for, in ns: the process
 * is prepared for nodes. And a later one, before there was any. */
#define FIRST_PAUSE 40e6
#define LATER_PAUSE 5e6
/* The most that is to be saved up again before something may change, in ns. A
 * stop that took longer, because the machine is busy, does not keep functions
 * from having nodes for longer than some seconds. */
#define MOST_DEBT 20e6
/* Costs are not measured in a shorter time than this, in ns. */
#define SHORTEST 8000000u
/* Within so many ns a smoothed cost becomes a new one. */
#define SMOOTHED 300e6
/* The part of the time on CPUs that is the program's own, at least. */
#define LEAST_OWN 0.01

static double since_began(const struct adaptive_detail *detail)
{
	return detail->looked > detail->began
		       ? (double)(detail->looked - detail->began)
		       : 0;
}

double adaptive_pause_share(const struct adaptive_detail *detail)
{
	const double elapsed = since_began(detail);

	return elapsed > 0 ? detail->paused / elapsed : 0;
}

double adaptive_sampling_share(const struct adaptive_detail *detail)
{
	const double elapsed = since_began(detail);

	return elapsed > 0 ? detail->sampled / elapsed : 0;
}

/* Returns for how long the processes were on CPUs, in ns. */
static uint64_t cpu_of_all(const struct session *session)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < session->followed.count; i++) {
		struct timespec time;
		clockid_t clock;

		if (clock_getcpuclockid(session->followed.data[i].pid,
					&clock) ||
		    clock_gettime(clock, &time))
			continue;
		sum += (uint64_t)time.tv_sec * 1000000000u +
		       (uint64_t)time.tv_nsec;
	}
	return sum;
}

/* Are the processes those of the last look? If not, their time on CPUs cannot
 * be compared. */
static bool are_same(struct adaptive_detail *detail)
{
	const struct session *session = detail->session;
	const size_t processes = session->followed.count;
	int64_t pids = 0;
	bool same;

	for (size_t i = 0; i < processes; i++)
		pids += session->followed.data[i].pid;
	same = processes == detail->processes && pids == detail->pids;
	detail->processes = processes;
	detail->pids = pids;
	return same;
}

static double limit_of(const struct adaptive_detail *detail)
{
	return (double)detail->session->detail_cost / 1e8;
}

void adaptive_begin_costs(struct adaptive_detail *detail, uint64_t now)
{
	detail->looked = now;
	detail->cpu = cpu_of_all(detail->session);
	are_same(detail);
	if (!detail->began)
		detail->began = now;
	for (size_t i = 0; i < detail->functions.count; i++) {
		struct detailed_function *function = &detail->functions.data[i];

		if (function->is_armed)
			function->hits = adaptive_hits(detail, function);
	}
}

/* What a hit of each mechanism costs, in ns. */
struct hit_costs {
	double fast, int3;
};

static struct hit_costs hit_costs(const struct session *session, uint64_t now)
{
	struct measure_summary summary;
	uint64_t samples;
	double factor = probe_cost_in_run(session->probe, &samples);

	measure_get_summary(session->measure, now, &summary);
	return (struct hit_costs){.fast = summary.calibration[HIT_FAST].cost *
					  (samples && factor > 1 ? factor : 1),
				  .int3 = summary.calibration[HIT_INT3].cost};
}

static bool has_int3(const struct session *session, uint32_t id)
{
	const struct breakpoint *breakpoint = probe_find(session->probe, id);

	return breakpoint && breakpoint_facts(breakpoint).int3;
}

static double cost_of_hit(const struct session *session,
			  const struct detailed_function *function,
			  const struct hit_costs *costs)
{
	for (size_t i = 0; i < function->made.count; i++)
		if (has_int3(session, function->made.data[i].entry) ||
		    has_int3(session, function->made.data[i].exit_point))
			return costs->int3;
	return costs->fast;
}

/* Ticks that the tool takes by stopping threads cost what they have held them.
 */
static void measure_sampling(struct adaptive_detail *detail)
{
	struct sampler_account account;

	if (!sampler_is_on(detail->recorder.sampler))
		return;
	sampler_get_account(detail->recorder.sampler, &account);
	if (!account.by_kernel)
		detail->sampled = account.stopped_ns;
}

static void limit_allowance(struct adaptive_detail *detail)
{
	if (detail->allowance > MOST_ALLOWANCE)
		detail->allowance = MOST_ALLOWANCE;
	if (detail->allowance < -MOST_DEBT)
		detail->allowance = -MOST_DEBT;
}

/* Saves up what the bound allows for the last `elapsed` ns, and was not used.
 */
static void save_up(struct adaptive_detail *detail, double elapsed)
{
	double used = detail_choice_total_cost(&detail->choice) +
		      adaptive_sampling_share(detail);

	detail->allowance += (limit_of(detail) - used) * elapsed;
	limit_allowance(detail);
}

/* What the hits of a function since the last look have cost, in ns, and how
 * many there were. */
struct spent {
	double ns, hits;
};
VEC_STRUCT(spent_list, struct spent);

/* Returns the sum of what was spent. */
static double read_spent(struct adaptive_detail *detail, uint64_t now,
			 struct spent_list *out)
{
	const struct hit_costs costs = hit_costs(detail->session, now);
	double sum = 0;

	for (size_t i = 0; i < detail->functions.count; i++) {
		struct detailed_function *function = &detail->functions.data[i];
		struct spent spent = {0};
		uint64_t hits;

		if (function->is_armed) {
			hits = adaptive_hits(detail, function);
			/* `zero tables' sets the counts to 0. */
			spent.hits = hits > function->hits
					     ? (double)(hits - function->hits)
					     : 0;
			spent.ns = spent.hits * cost_of_hit(detail->session,
							    function, &costs);
			function->hits = hits;
		}
		sum += spent.ns;
		vec_push(out, spent);
	}
	return sum;
}

/* Tells the decision what a function has spent. A figure is the mean of the
 * time since its nodes came, and after a while it changes slowly: a moment with
 * many calls is no reason to refuse a function. */
static void tell_cost(struct adaptive_detail *detail, uint32_t number,
		      const struct spent *spent, double own, double elapsed)
{
	const struct detail_function *known =
		&detail->choice.functions.data[number];
	struct detailed_function *function = &detail->functions.data[number];
	/* A call has two hits. */
	double cost = spent->ns / own, rate = spent->hits / 2 * 1e9 / elapsed;
	double weight;

	if (known->state == DETAIL_TRIED)
		function->measured = 0;
	function->measured += elapsed;
	weight = elapsed / (function->measured < SMOOTHED ? function->measured
							  : SMOOTHED);
	if (weight < 1) {
		cost = known->cost + (cost - known->cost) * weight;
		rate = known->rate + (rate - known->rate) * weight;
	}
	detail_choice_cost(&detail->choice, number, cost, rate);
}

void adaptive_measure_costs(struct adaptive_detail *detail, uint64_t now)
{
	const double elapsed = (double)(now - detail->looked);
	struct spent_list list = {0};
	double own, all;
	uint64_t cpu;

	if (!detail->looked || now - detail->looked < SHORTEST)
		return;
	probe_catch_up(detail->session->probe);
	measure_sampling(detail);
	cpu = cpu_of_all(detail->session);
	/* Of other processes than before, it is taken for one CPU. */
	own = are_same(detail) && cpu >= detail->cpu
		      ? (double)(cpu - detail->cpu)
		      : elapsed;
	all = read_spent(detail, now, &list);
	own = own - all > own * LEAST_OWN ? own - all : own * LEAST_OWN;
	/* A program that was hardly on a CPU has hardly been measured. */
	own = own > elapsed * LEAST_OWN ? own : elapsed * LEAST_OWN;
	for (uint32_t i = 0; i < list.count; i++)
		if (detail->functions.data[i].is_armed)
			tell_cost(detail, i, &list.data[i], own, elapsed);
	vec_free(&list);
	save_up(detail, elapsed);
	detail->looked = now;
	detail->cpu = cpu;
}

bool adaptive_may_change(const struct adaptive_detail *detail)
{
	double pause = !detail->is_prepared      ? FIRST_PAUSE
		       : detail->later_pause > 0 ? detail->later_pause
						 : LATER_PAUSE;

	return detail->allowance >= pause;
}

void adaptive_charge_pause(struct adaptive_detail *detail, double ns)
{
	detail->paused += ns;
	detail->allowance -= ns;
	limit_allowance(detail);
	if (detail->is_prepared)
		detail->later_pause = ns < MOST_DEBT ? ns : MOST_DEBT;
	detail->is_prepared = true;
}

double adaptive_node_share(const struct adaptive_detail *detail)
{
	const double share =
		limit_of(detail) * NODES_PART - adaptive_sampling_share(detail);

	return share > 0 ? share : 0;
}
