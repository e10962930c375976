/*
 * detail_costs.c - what adaptive detail costs the program
 *
 * The nodes of a function cost what their hits cost: as many as were counted,
 * each with the cost that the calibration has found for its mechanism. If the
 * samples of the program's threads say that hits at jumps cost more in this
 * run, they do. The whole is compared with the time that the program was on
 * CPUs meanwhile, without the part that the hits had in it.
 *
 * Where a function may go on in another one by a tail jump, the jumps and the
 * returns of that one cost as much as hits. The tool knows how many there were
 * in all. They are charged to the functions that do so, by their own hits.
 *
 * Besides, the program stands still while nodes come and go. The bound is that
 * of the whole: what it allows for the time so far, less what nodes, ticks and
 * stops have cost in it, is saved up, and a change waits until that is as much
 * as its stop will take.
 */
#include "adaptive_detail.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"

/* The part of the bound that nodes may use, and the part up to which functions
 * get nodes. The rest is for stops, and for what changes between two looks. */
#define NODES_PART 0.8
#define ROOM_PART 0.7
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

/* Returns for how long the processes were on CPUs in the last `elapsed` ns. The
 * kernel brings the time of a thread that runs up to date at its clock ticks
 * only, so that a difference may be wrong by a tick at either end. Over some
 * ms that is much; so it is spread over about SMOOTHED. `measured`: the
 * difference. */
static double time_on_cpu(struct adaptive_detail *detail, double measured,
			  double elapsed)
{
	struct cpu_use *use = &detail->cpu_use;

	use->on_cpu += measured;
	use->elapsed += elapsed;
	if (use->elapsed > SMOOTHED) {
		use->on_cpu *= SMOOTHED / use->elapsed;
		use->elapsed = SMOOTHED;
	}
	return use->on_cpu / use->elapsed * elapsed;
}

static double limit_of(const struct adaptive_detail *detail)
{
	return (double)detail->session->detail_cost / 1e8;
}

/* How many hits the user's nodes had that wait for the ends of frames which may
 * go on in other functions. */
static uint64_t hits_of_others(const struct adaptive_detail *detail)
{
	const struct session *session = detail->session;
	const struct breakpoint *breakpoint;
	uint64_t hits = 0;
	size_t cursor = 0;

	while ((breakpoint = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts =
			breakpoint_facts(breakpoint);
		const struct measure_node *node =
			measure_node(session->measure, facts.id);

		if (node && !facts.deleted && facts.enabled &&
		    !adaptive_made(detail, facts.id) &&
		    probe_frames_go_on(session->probe, facts.id))
			hits += node->count;
	}
	return hits;
}

/* How many hits the tool has only followed, ever. */
static uint64_t followed_hits(const struct session *session, uint64_t now)
{
	struct measure_summary summary;

	measure_get_summary(session->measure, now, &summary);
	return summary.followed;
}

void adaptive_begin_costs(struct adaptive_detail *detail, uint64_t now)
{
	detail->looked = now;
	detail->cpu = program_cpu(detail->session);
	detail->cpu_use = (struct cpu_use){0};
	if (!detail->began)
		detail->began = now;
	for (size_t i = 0; i < detail->functions.count; i++) {
		struct detailed_function *function = &detail->functions.data[i];

		if (function->is_armed)
			function->hits = adaptive_hits(detail, function);
	}
	detail->others = hits_of_others(detail);
	detail->followed = followed_hits(detail->session, now);
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
 * many there were. `goes_on`: its frames may go on in other functions. */
struct spent {
	double ns, hits;
	bool goes_on;
};
VEC_STRUCT(spent_list, struct spent);

/* `zero tables' sets the counts to 0. */
static double more_since(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

static bool may_go_on(const struct session *session,
		      const struct detailed_function *function)
{
	for (size_t i = 0; i < function->made.count; i++)
		if (probe_frames_go_on(session->probe,
				       function->made.data[i].exit_point))
			return true;
	return false;
}

/* Charges the functions whose frames may go on with the hits that were only
 * followed. Returns the sum of what it has charged. */
static double charge_followed(struct adaptive_detail *detail, double hit,
			      struct spent_list *list, uint64_t now)
{
	const uint64_t followed = followed_hits(detail->session, now);
	const uint64_t others = hits_of_others(detail);
	const double more = more_since(followed, detail->followed) * hit;
	double all = more_since(others, detail->others), sum = 0;

	detail->followed = followed;
	detail->others = others;
	for (size_t i = 0; i < list->count; i++)
		all += list->data[i].goes_on ? list->data[i].hits : 0;
	for (size_t i = 0; all > 0 && i < list->count; i++) {
		struct spent *spent = &list->data[i];
		double part = spent->goes_on ? more * spent->hits / all : 0;

		spent->ns += part;
		sum += part;
	}
	return sum;
}

/* Returns the sum of what was spent. */
static double read_spent(struct adaptive_detail *detail, uint64_t now,
			 struct spent_list *out)
{
	const struct hit_costs costs =
		program_hit_costs(detail->session, detail->session->measure);
	double sum = 0;

	for (size_t i = 0; i < detail->functions.count; i++) {
		struct detailed_function *function = &detail->functions.data[i];
		struct spent spent = {0};
		uint64_t hits;

		if (function->is_armed) {
			hits = adaptive_hits(detail, function);
			spent.hits = more_since(hits, function->hits);
			spent.ns = spent.hits * cost_of_hit(detail->session,
							    function, &costs);
			spent.goes_on = may_go_on(detail->session, function);
			function->hits = hits;
		}
		sum += spent.ns;
		vec_push(out, spent);
	}
	return sum + charge_followed(detail, costs.fast, out, now);
}

/* Changes `*value` so that it has only this weight beside the value before. */
static void mix(double *value, double before, double weight)
{
	*value = before + (*value - before) * weight;
}

/* Tells the decision what a function has spent. A figure is the mean of the
 * time since its nodes came, and after a while it changes slowly: a moment with
 * many calls is no reason to refuse a function. */
static void tell_cost(struct adaptive_detail *detail, uint32_t number,
		      const struct spent *spent,
		      const struct detail_own_time *own, double elapsed)
{
	const struct detail_function *known =
		&detail->choice.functions.data[number];
	struct detailed_function *function = &detail->functions.data[number];
	/* A call has two hits. */
	struct detail_cost cost =
		detail_cost_of(spent->hits / 2, spent->ns, own, elapsed);
	double weight;

	if (known->state == DETAIL_TRIED)
		function->measured = 0;
	function->measured += elapsed;
	weight = elapsed / (function->measured < SMOOTHED ? function->measured
							  : SMOOTHED);
	if (weight < 1) {
		mix(&cost.share, known->cost.share, weight);
		mix(&cost.cpu_rate, known->cost.cpu_rate, weight);
		mix(&cost.rate, known->cost.rate, weight);
	}
	detail_choice_cost(&detail->choice, number, &cost);
}

void adaptive_measure_costs(struct adaptive_detail *detail, uint64_t now)
{
	const double elapsed = (double)(now - detail->looked);
	struct spent_list list = {0};
	struct detail_own_time own;
	double on_cpu, all;
	struct program_cpu cpu;

	if (!detail->looked || now - detail->looked < SHORTEST)
		return;
	probe_catch_up(detail->session->probe);
	measure_sampling(detail);
	cpu = program_cpu(detail->session);
	/* Other processes than before are taken to have had one CPU. */
	if (!program_cpu_between(&detail->cpu, &cpu, &on_cpu))
		on_cpu = elapsed;
	on_cpu = time_on_cpu(detail, on_cpu, elapsed);
	all = read_spent(detail, now, &list);
	own = detail_own_time(on_cpu, elapsed, all, limit_of(detail));
	for (uint32_t i = 0; i < list.count; i++)
		if (detail->functions.data[i].is_armed)
			tell_cost(detail, i, &list.data[i], &own, elapsed);
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

static double share_of_bound(const struct adaptive_detail *detail, double part)
{
	const double share =
		limit_of(detail) * part - adaptive_sampling_share(detail);

	return share > 0 ? share : 0;
}

double adaptive_node_share(const struct adaptive_detail *detail)
{
	return share_of_bound(detail, NODES_PART);
}

double adaptive_room(const struct adaptive_detail *detail)
{
	return share_of_bound(detail, ROOM_PART);
}
