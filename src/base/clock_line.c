/*
 * clock_line.c - how the counter is related to CLOCK_MONOTONIC_RAW
 *
 * This file only computes with pairs of readings; it reads no clock.
 *
 * The rate is measured between the first pair and the last pair, so that it
 * becomes more exact with time. When a line ends, it has a small error. The
 * next line corrects the error, evenly over its whole length: see clock.h.
 */
#include <math.h>
#include <string.h>

#include "perftool/base/clock.h"

/* ns from one pair of readings to the next. The interval is short at first,
 * because the first rate is measured over some ms only, and then doubles with
 * each pair until it reaches LAST_INTERVAL. */
#define FIRST_INTERVAL UINT64_C(16000000)
#define LAST_INTERVAL UINT64_C(1000000000)

/* The largest plausible relative error of the rate. The counter of a machine
 * that runs without interruption is never off by more. If it is, the machine
 * was suspended, or a virtual machine was moved to another host. */
#define JUMP 1e-3
/* The largest relative difference between the slope of a line and the rate.
 * Within this limit a line corrects the error of the line before it. */
#define SLEW 1e-4

static double least(double a, double b)
{
	return a < b ? a : b;
}

static uint64_t mult_of(double rate)
{
	uint64_t mult = (uint64_t)(rate * 4294967296.0);

	return mult ? mult : 1;
}

/* End the present line, which becomes a past line, and begin a new line. */
static void begin_line(struct clock *clock, uint64_t tsc, uint64_t ns,
		       double rate)
{
	memmove(clock->past + 1, clock->past,
		sizeof(clock->past) - sizeof(clock->past[0]));
	clock->past[0] = clock->line;
	if (clock->past_count < CLOCK_PAST)
		clock->past_count++;
	clock->line = (struct clock_line){
		.tsc = tsc, .ns = ns, .mult = mult_of(rate)};
}

/* Begin a new measurement of the rate at this pair. The clock goes on by the
 * time that has passed on CLOCK_MONOTONIC_RAW. */
static void begin_anew(struct clock *clock, uint64_t tsc, uint64_t raw)
{
	uint64_t ns = clock_from_tsc(clock, clock->last_tsc) +
		      (raw - clock->last_raw);

	clock->past_count = 0;
	begin_line(clock, tsc, ns, clock->rate);
	/* Values that the counter had before cannot be converted any more. */
	clock->past_count = 0;
	clock->first_tsc = clock->last_tsc = tsc;
	clock->first_raw = clock->last_raw = raw;
	clock->first_ns = ns;
	clock->interval = FIRST_INTERVAL;
	clock->next = ns + clock->interval;
}

/* Does this pair of readings contradict the measured rate? Then the machine
 * was suspended or moved, and the counter before and after that cannot be
 * compared. */
static bool is_jump(const struct clock *clock, uint64_t tsc, uint64_t raw)
{
	double since = (double)(raw - clock->last_raw);

	return tsc <= clock->last_tsc ||
	       fabs((double)(tsc - clock->last_tsc) * clock->rate - since) >
		       JUMP * since;
}

void clock_learn(struct clock *clock, uint64_t tsc, uint64_t raw)
{
	bool is_first = !clock->interval;
	double wrong, slew;
	uint64_t ns;

	/* A pair that is not later than the last pair tells nothing about the
	 * rate. */
	if (raw <= clock->last_raw || (is_first && tsc <= clock->first_tsc))
		return;
	if (!is_first && is_jump(clock, tsc, raw)) {
		begin_anew(clock, tsc, raw);
		return;
	}
	clock->last_tsc = tsc;
	clock->last_raw = raw;
	clock->rate = (double)(raw - clock->first_raw) /
		      (double)(tsc - clock->first_tsc);
	if (is_first) {
		clock->line.mult = mult_of(clock->rate);
		clock->interval = FIRST_INTERVAL;
		clock->next = raw - clock->raw_base + clock->interval;
		return;
	}
	if (clock->interval < LAST_INTERVAL)
		clock->interval *= 2;
	ns = clock_from_tsc(clock, tsc);
	wrong = (double)(int64_t)(clock->first_ns + (raw - clock->first_raw) -
				  ns);
	/* The next line corrects the error of the present line by the time
	 * of the next pair, unless its slope would differ too much from the
	 * rate. */
	slew = wrong / (double)clock->interval;
	slew = slew > 0 ? least(slew, SLEW) : -least(-slew, SLEW);
	begin_line(clock, tsc, ns, clock->rate * (1 + slew));
	clock->next = ns + clock->interval;
}

/* ---- the past ------------------------------------------------------------ */

uint64_t clock_from_past_tsc(const struct clock *clock, uint64_t tsc)
{
	const struct clock_line *line = &clock->line;

	for (size_t i = 0; i < clock->past_count && tsc < line->tsc; i++)
		line = &clock->past[i];
	if (tsc >= line->tsc)
		return line->ns +
		       (uint64_t)(((unsigned __int128)(tsc - line->tsc) *
				   line->mult) >>
				  32);
	return line->ns -
	       (uint64_t)(((unsigned __int128)(line->tsc - tsc) * line->mult) >>
			  32);
}

uint64_t clock_to_past_tsc(const struct clock *clock, uint64_t ns)
{
	const struct clock_line *line = &clock->line;

	for (size_t i = 0; i < clock->past_count && ns < line->ns; i++)
		line = &clock->past[i];
	if (ns >= line->ns)
		return line->tsc +
		       (uint64_t)(((unsigned __int128)(ns - line->ns) << 32) /
				  line->mult);
	return line->tsc -
	       (uint64_t)(((unsigned __int128)(line->ns - ns) << 32) /
			  line->mult);
}
