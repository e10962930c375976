/*
 * clock.h - the tool's clock, in nanoseconds
 *
 * The source is the processor's time-stamp counter where it can be trusted:
 * the kernel itself uses it as its clock, or the processor says that it is
 * invariant (runs at one rate at all times) and the kernel has not found it
 * wanting. Otherwise the source is the kernel's clock, CLOCK_MONOTONIC_RAW.
 *
 * The counter is related to CLOCK_MONOTONIC_RAW by readings of both. Between
 * two such pairs the clock is a straight line; the lines meet, so the clock
 * never jumps, and each line is as steep as leads back to what
 * CLOCK_MONOTONIC_RAW says by the time of the next pair.
 * Rule: spec of measurement, "Time"; spec of probes, "Resources and
 * surroundings".
 */
#ifndef PERFTOOL_BASE_CLOCK_H
#define PERFTOOL_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

/* What the choice of the source depends on. */
struct clock_inputs {
	const char *folder; /* the kernel's files current_clocksource and
			       available_clocksource */
	bool is_invariant;  /* CPUID says so of the counter */
	bool is_forbidden;  /* the tool was started with prctl(PR_SET_TSC):
			       its programs are killed when they read the
			       counter */
};

/* Those of this machine. */
struct clock_inputs clock_inputs(bool is_forbidden);

/* From this counter on, until the next line begins. */
struct clock_line {
	uint64_t tsc, ns;
	uint64_t mult; /* ns per tick, times 2^32; never 0 */
};

/* Lines that are kept: records of the past are converted by the line of their
 * time. */
#define CLOCK_PAST 8

struct clock {
	bool tsc;               /* else CLOCK_MONOTONIC_RAW */
	const char *problem;    /* why not the counter; NULL: it is used */
	char kernel[40];        /* the kernel's own source; "": unknown */
	char remark[128];       /* clock_remark() */
	uint64_t raw_base;      /* CLOCK_MONOTONIC_RAW at clock_init() */
	struct clock_line line; /* that of now */
	struct clock_line past[CLOCK_PAST]; /* before it, the latest first */
	size_t past_count;
	/* the pair from which the rate is measured, with the clock's time at
	 * it, and the last pair; both at the same moment at first */
	uint64_t first_tsc, first_raw, first_ns;
	uint64_t last_tsc, last_raw;
	double rate;             /* ns per tick, as measured between the two */
	uint64_t next, interval; /* when to take the next pair, ns */
	double resolution; /* ns between two readings that can differ; 0: not
			      settled yet */
};

/* Choose the source and take the first pair of readings. */
void clock_init(struct clock *clock, const struct clock_inputs *inputs);

/*
 * Settle the rate of the counter, from the time that went by since
 * clock_init(); waits until that is 8 ms, which keeps the rate's error below
 * some parts in a million. Needed once before the first clock_now().
 */
void clock_settle(struct clock *clock);

/*
 * Take another pair of readings if it is time for one: some times soon after
 * the clock was settled, then once a second. `now` is a time of this clock.
 * For the owner of the clock to call now and then; without it a clock drifts
 * by some microseconds a second.
 */
void clock_keep(struct clock *clock, uint64_t now);

/* What clock_keep() and clock_settle() do with a pair of readings that were
 * taken at the same moment. */
void clock_learn(struct clock *clock, uint64_t tsc, uint64_t raw);

/* For a counter before that of the line of now. */
uint64_t clock_from_past_tsc(const struct clock *clock, uint64_t tsc);
uint64_t clock_to_past_tsc(const struct clock *clock, uint64_t ns);

/* Counter ticks to ns since clock_init(). */
static inline uint64_t clock_from_tsc(const struct clock *clock, uint64_t tsc)
{
	const struct clock_line *line = &clock->line;
	unsigned __int128 ticks = tsc - line->tsc;

	if (__builtin_expect(tsc < line->tsc, 0))
		return clock_from_past_tsc(clock, tsc);
	return line->ns + (uint64_t)((ticks * line->mult) >> 32);
}

/* And back: a counter at which that is the time, or a little earlier. */
static inline uint64_t clock_to_tsc(const struct clock *clock, uint64_t ns)
{
	const struct clock_line *line = &clock->line;

	if (__builtin_expect(ns < line->ns, 0))
		return clock_to_past_tsc(clock, ns);
	return line->tsc +
	       (uint64_t)(((unsigned __int128)(ns - line->ns) << 32) /
			  line->mult);
}

/* How many ticks a short stretch of time lasts. */
static inline uint64_t clock_ticks(const struct clock *clock, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << 32) / clock->line.mult);
}

/* ns per tick. */
static inline double clock_tick(const struct clock *clock)
{
	return (double)clock->line.mult / 4294967296.0;
}

/* The time now, ns since clock_init(); never goes back within a thread. */
static inline uint64_t clock_now(const struct clock *clock)
{
	struct timespec now;

	if (clock->tsc)
		return clock_from_tsc(clock, __rdtsc());
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
	       clock->raw_base;
}

/*
 * Readings of CLOCK_MONOTONIC_RAW of late as times of the tool's clock, to some
 * tens of ns. A pair of readings of both is kept, and taken anew now and then;
 * all zero: there is none yet. The clock must be settled.
 */
struct clock_raw {
	uint64_t raw, ns; /* at the same moment */
	double skew; /* how much faster than CLOCK_MONOTONIC_RAW ours goes */
};
uint64_t clock_from_raw(const struct clock *clock, struct clock_raw *pair,
			uint64_t raw);

/* "tsc" or "monotonic_raw". */
const char *clock_source(const struct clock *clock);

/* What there is to be said of that choice: why it is the kernel's clock, or
 * which the kernel's is where that is not the counter. NULL: both are the
 * counter. */
const char *clock_remark(const struct clock *clock);

#endif
