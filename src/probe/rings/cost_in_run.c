/*
 * cost_in_run.c - what hits at jumps cost in the run, compared with what
 * calibration has found
 *
 * A calibration executes the same few instructions again and again. In the
 * program a hit costs more: its code and its data are often in no cache, and
 * the processor mispredicts more branches. To see how much more, the tool has
 * the kernel sample the pc of the threads (pc_samples.h). Each sample stands
 * for an interval of time on a CPU. So the samples that lie in trampolines, in
 * landings and in the counting code tell how long hits have taken. This time,
 * divided by the time that the same hits have taken according to calibration,
 * is a factor by which all calibrated costs of jumps are multiplied.
 *
 * Nothing is changed in the code of the program for this, and no hit is missed.
 * The time of displaced instructions is the program's: threads execute them in
 * slots, not in trampolines.
 *
 * A program changes what it does, and the user changes which hits it makes. So
 * older samples count less and less. And for a moment after all threads were
 * stopped, caches and predictors have nothing of the program in them, nor of
 * code that was changed; what hits cost then says nothing about later ones, and
 * neither samples nor hits are looked at.
 */
#include "cost_in_run.h"

#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "rings.h"

/* A thread is sampled once in this time on a CPU, ns. It is no divisor of the
 * intervals at which programs usually do things. */
#define INTERVAL 1009000u
/* The size of a log in pages, and how many logs there are at most: the memory
 * that all logs together may lock is limited, and the logs of context switches
 * need most of it. Some threads tell enough about all. */
#define PAGES 1
#define MOST_LOGS 16
/* How far, in relation to its size, the cost in a program is expected to differ
 * from the calibrated one before there are samples: the standard deviation. */
#define EXPECTED 0.15
/* With fewer samples at hits the factor says more about calibration than about
 * the program, and the user is not told of it. */
#define ENOUGH 100
/* With so many samples at hits, the sums are halved. */
#define MOST_AT_HITS 1024
/* For how long after a stop nothing is looked at, in ns. */
#define DISTURBED 20000000u
/* The costs are computed anew each time there are more samples by this part. */
#define MORE 0.2

double cost_in_run_factor(const struct probe *probe)
{
	double factor = probe->rings.cost_in_run.factor;

	return factor > 0 ? factor : 1;
}

double probe_cost_in_run(const struct probe *probe, uint64_t *samples)
{
	const struct cost_in_run *costs = &probe->rings.cost_in_run;

	*samples = costs->at_hits < ENOUGH ? 0 : costs->used + costs->earlier;
	return cost_in_run_factor(probe);
}

void cost_in_run_charge(struct probe *probe, struct ring *ring, double ns)
{
	ring->samples.was_hit = true;
	if (!ring->samples.log.page || probe->rings.cost_in_run.is_disturbed)
		return;
	ring->samples.charged += ns;
	probe->rings.cost_in_run.charged += ns;
}

/* Is the pc in code that a thread executes only for a hit? */
static bool is_at_hit(const struct space *space, uint64_t pc)
{
	return fast_site_at(space, pc) || counts_has(space, pc) ||
	       map_get(&space->fast.landings, pc);
}

static void read_samples(struct probe *probe, struct ring *ring)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;
	uint64_t pc;

	while (ring->samples.log.page &&
	       pc_samples_next(&ring->samples.log, &pc)) {
		if (!ring->space || !pc || costs->is_disturbed)
			continue;
		costs->samples++;
		costs->at_hits += is_at_hit(ring->space, pc);
	}
}

static void begin_samples(struct probe *probe, struct ring *ring)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;
	struct error *error;

	/* (A thread that only records when it goes on from int3s is not
	 * sampled: the kernel's timer would make each switch cost more.) */
	if (ring->samples.was_tried || !ring->samples.was_hit ||
	    !ring->thread || !ring->space || costs->logs >= MOST_LOGS)
		return;
	ring->samples.was_tried = true;
	/* If there can be no samples, the calibrated costs are used. */
	error = pc_samples_open(ring->thread->tid, INTERVAL, PAGES,
				&ring->samples.log);
	costs->logs += !error;
	error_destroy(error);
}

/* Compute the factor from the samples: the mean of 1, which calibration
 * expects, and of what the samples say, each weighted by how certain it is. */
static double compute_factor(const struct cost_in_run *costs)
{
	double hits = (double)costs->at_hits;
	double share = hits / (double)costs->samples;
	double seen = hits * INTERVAL / costs->charged;
	/* the variance of `seen`, in relation to its square */
	double variance = (1 - share + 1 / hits) / hits;
	double calibrated = 1 / (EXPECTED * EXPECTED);
	double sampled = 1 / variance;

	return (calibrated + sampled * seen) / (calibrated + sampled);
}

/* Report the difference between what was reported as overhead and what it
 * should have been. */
static void correct(const struct probe *probe, double difference)
{
	for (size_t i = 0; i < probe->rings.list.count; i++) {
		const struct ring *ring = probe->rings.list.data[i];

		if (ring->is_counted && ring->samples.charged > 0)
			emit(probe,
			     (struct probe_event){
				     .kind = PROBE_EVENT_COUNTED_OVERHEAD,
				     .counter = &ring->holder,
				     .taken = ring->samples.charged *
					      difference});
	}
}

/* Lets all samples until now count half as much as later ones. */
static void halve(struct probe *probe)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;

	costs->earlier += costs->samples - costs->samples / 2;
	costs->samples /= 2;
	costs->at_hits /= 2;
	costs->charged /= 2;
	costs->used /= 2;
	for (size_t i = 0; i < probe->rings.list.count; i++)
		probe->rings.list.data[i]->samples.charged /= 2;
}

static void use_samples(struct probe *probe)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;
	double before = cost_in_run_factor(probe);

	if (costs->charged <= 0 || !costs->at_hits ||
	    (double)(costs->samples - costs->used) <=
		    (double)costs->used * MORE)
		return;
	costs->used = costs->samples;
	costs->factor = compute_factor(costs);
	counts_set_costs(probe);
	correct(probe, costs->factor - before);
	if (costs->at_hits >= MOST_AT_HITS)
		halve(probe);
}

void cost_in_run_disturbed(struct probe *probe)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;

	costs->is_disturbed = true;
	costs->disturbed_until = clock_now(probe->clock) + DISTURBED;
}

void cost_in_run_read(struct probe *probe)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;

	for (size_t i = 0; i < probe->rings.list.count; i++) {
		struct ring *ring = probe->rings.list.data[i];

		counts_read_overhead(probe, ring);
		read_samples(probe, ring);
		begin_samples(probe, ring);
	}
	if (costs->is_disturbed)
		costs->is_disturbed =
			clock_now(probe->clock) < costs->disturbed_until;
	else
		use_samples(probe);
}

void cost_in_run_close(struct probe *probe, struct ring *ring)
{
	read_samples(probe, ring);
	probe->rings.cost_in_run.logs -= ring->samples.log.page != NULL;
	perf_log_close(&ring->samples.log);
	ring->samples = (struct ring_samples){0};
}

void cost_in_run_reset(struct probe *probe)
{
	struct cost_in_run *costs = &probe->rings.cost_in_run;

	for (size_t i = 0; i < probe->rings.list.count; i++)
		probe->rings.list.data[i]->samples.charged = 0;
	*costs = (struct cost_in_run){.logs = costs->logs};
}
