/*
 * cost.c - what a break (a thread's stop at a site, or its way through a jump)
 * costs the thread, as far as calibration has found it
 *
 * Hits and stops are reported together with this cost, which calibration.c
 * measures.
 */
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "probe/probe_state.h"

/* The time from the first calibration to the next one after the tool and the
 * program were placed on other CPUs, ns. It is short, because at its first hits
 * a program is in another state than at its start. */
#define FIRST_INTERVAL 2000000u

/* An empty call that seems to take more hits than this was interrupted. */
#define MOST_OF_HIT 1.5

void cost_invalidate(struct probe *probe)
{
	probe->costs.sample_count = 0;
	probe->switches.sample_count = 0;
	probe->costs.next = 0;
	probe->costs.interval = FIRST_INTERVAL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

bool cost_summarise(const double samples[CALIBRATION_WINDOW], size_t count,
		    double *cost, double *spread)
{
	double sorted[CALIBRATION_WINDOW], sum = 0;
	size_t n = count < CALIBRATION_WINDOW ? count : CALIBRATION_WINDOW;
	size_t cut = n / 10;

	if (n < 8)
		return false;
	memcpy(sorted, samples, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = cut; i < n - cut; i++)
		sum += sorted[i];
	*cost = sum / (double)(n - 2 * cut);
	*spread = (sorted[n * 3 / 4] - sorted[n / 4]) / 2;
	return true;
}

bool cost_of_jumps(const struct jump_samples *samples, double *cost,
		   double *spread)
{
	double sorted[CALIBRATION_WINDOW], sum = 0;
	size_t n = samples->count < CALIBRATION_WINDOW ? samples->count
						       : CALIBRATION_WINDOW;
	size_t used = 0;

	if (n < 8)
		return false;
	memcpy(sorted, samples->values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare);
	/* Only what contains an interrupt is left out. Where the counter
	 * proceeds by steps, all samples have one of two or three values, and a
	 * mean without the highest and lowest tenth would not be their mean. */
	while (used < n && sorted[used] <= 2 * sorted[n / 2])
		sum += sorted[used++];
	*cost = sum / (double)used;
	*spread = (sorted[n * 3 / 4] - sorted[n / 4]) / 2;
	return true;
}

double cost_of_empty_call(double mean, double hit, double before)
{
	/* From its entry to its end, a call has the end of one hit and the
	 * beginning of another: about what a hit costs. */
	if (mean <= hit * MOST_OF_HIT)
		return mean;
	return before > 0 ? before : hit;
}

void cost_add_jump(struct jump_samples *samples, double ns)
{
	samples->values[samples->count++ % CALIBRATION_WINDOW] = ns;
}
