/*
 * resolution.c - how far the mean of a leg may be off
 *
 * A calibration measures the spread of a break's cost with a clock that
 * advances in ticks. If all measured values lie between two ticks, the spread
 * is 0. Still the cost is known no better than to one tick. Rule: doc/RULES.md,
 * "Overhead".
 */
#include "measure_state.h"
#include "perftool/measure/measured_legs.h"

void measure_set_clock_resolution(struct measure *measure, double ns)
{
	measure->clock_resolution = ns;
}

/* Returns how far the calibrated cost of one break by this mechanism may be
 * off, in ns. 0: there was no calibration. */
static double spread_of(const struct measure *measure, size_t mechanism)
{
	const struct measure_calibration *at = &measure->calibration[mechanism];

	if (at->cost <= 0 && at->spread <= 0)
		return 0;
	return at->spread > measure->clock_resolution
		       ? at->spread
		       : measure->clock_resolution;
}

/* Returns the largest spread among the mechanisms of a set, which has one bit
 * for each mechanism. */
static double largest_spread(const struct measure *measure, size_t mechanisms)
{
	double largest = 0;

	for (size_t i = 0; i < HIT_MECHANISMS; i++)
		if (mechanisms >> i & 1 && spread_of(measure, i) > largest)
			largest = spread_of(measure, i);
	return largest;
}

double measure_leg_resolution(const struct measure *measure,
			      const struct measure_leg *leg)
{
	double sum = 0;

	if (!measure->compensation || !leg->count)
		return 0;
	for (size_t i = 0; i < 1 << HIT_MECHANISMS; i++)
		sum += (double)leg->by_mechanisms[i] *
		       largest_spread(measure, i);
	sum += leg->inside * MEASURE_UNCERTAIN;
	return sum / (double)leg->count;
}

bool measure_leg_below_resolution(const struct measure *measure,
				  const struct measure_leg *leg)
{
	double resolution = measure_leg_resolution(measure, leg);

	return leg->count && resolution > 0 && leg->mean < resolution;
}
