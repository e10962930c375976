/*
 * clock.h - the tool's clock, in nanoseconds
 *
 * The source of the clock is the processor's time-stamp counter if it can be
 * trusted. This is the case if the kernel itself uses the counter as its clock.
 * It is also the case if the processor says that the counter is invariant (runs
 * at one rate at all times) and the kernel has found no fault in it, or
 * computes CLOCK_MONOTONIC_RAW from it all the same. Otherwise the source is
 * the kernel's clock CLOCK_MONOTONIC_RAW.
 *
 * The tool reads the counter and CLOCK_MONOTONIC_RAW together from time to
 * time, to relate the one to the other. Between two such pairs of readings the
 * clock is a straight line. Each line begins where the line before it ends, so
 * the clock never jumps. The slope of each line is such that the clock agrees
 * with CLOCK_MONOTONIC_RAW again at the time of the next pair.
 *
 * Rule: doc/RULES.md, "Time" and "Resources and surroundings".
 */
#ifndef PERFTOOL_BASE_CLOCK_H
#define PERFTOOL_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Read the processor's counter. (<x86intrin.h>, which has __rdtsc(), brings
 * 50,000 lines of vector instructions into each file that includes it.) */
static inline uint64_t clock_read_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* What the choice of the source depends on. */
struct clock_inputs {
	const char *folder; /* the folder of the kernel's files
			       current_clocksource and available_clocksource */
	bool is_invariant;  /* CPUID says that the counter is invariant */
	bool is_raw_quick;  /* reading CLOCK_MONOTONIC_RAW takes no system call
			     */
	bool is_forbidden;  /* the tool was started under prctl(PR_SET_TSC): the
			       kernel kills the programs that it starts when they
			       read the counter */
	int64_t raw_offset; /* by how many ns the tool's CLOCK_MONOTONIC_RAW is
			       ahead of the kernel's own, because the tool is in
			       a time namespace (time_namespaces(7)) */
};

/* The inputs of this machine. `folder` is a constant. */
struct clock_inputs clock_inputs(bool is_forbidden);

/* A line of the clock. It is valid from the counter `tsc` on, until the next
 * line begins. */
struct clock_line {
	uint64_t tsc, ns;
	uint64_t mult; /* ns per tick, times 2^32; never 0 */
};

/* Number of past lines that the clock keeps. A record of the past is converted
 * by the line of its time. */
#define CLOCK_PAST 8

struct clock {
	/* the source is the counter; else it is CLOCK_MONOTONIC_RAW */
	bool tsc;
	const char *problem; /* why the source is not the counter; NULL: it is
				the counter */
	/* the source of the kernel's own clock; "": not known */
	char kernel[40];
	char remark[128];       /* clock_remark() */
	uint64_t raw_base;      /* CLOCK_MONOTONIC_RAW at clock_init() */
	int64_t raw_offset;     /* of struct clock_inputs */
	struct clock_line line; /* the present line */
	/* the lines before the present line, the latest first */
	struct clock_line past[CLOCK_PAST];
	size_t past_count;
	/* The first pair, from which the rate is measured, with the clock's
	 * time at this pair; and the last pair. At first both are the same
	 * pair. */
	uint64_t first_tsc, first_raw, first_ns;
	uint64_t last_tsc, last_raw;
	double rate; /* ns per tick, measured between the two pairs */
	uint64_t next, interval; /* when to take the next pair, and the distance
				    of pairs, in ns */
	double resolution; /* ns between two readings that can differ; 0: the
			      clock is not settled yet */
};

/* Choose the source and take the first pair of readings. clock_settle() must
 * follow. */
void clock_init(struct clock *clock, const struct clock_inputs *inputs);

/*
 * Determine the rate of the counter from the time that has passed since
 * clock_init(). The function waits until 8 ms have passed, which keeps the
 * error of the rate below some millionths. The caller must call it once before
 * the first clock_now().
 */
void clock_settle(struct clock *clock);

/*
 * Take another pair of readings if the last pair is old enough. The interval is
 * short after clock_settle(), and grows to one second. `now` is a time of this
 * clock. The owner of the clock must call this from time to time, because
 * otherwise the clock drifts by some microseconds per second.
 */
void clock_keep(struct clock *clock, uint64_t now);

/* Apply a pair of readings that were taken at the same moment. clock_keep() and
 * clock_settle() call this. */
void clock_learn(struct clock *clock, uint64_t tsc, uint64_t raw);

/* clock_step.c: by how many ticks the processor's counter proceeds at once.
 * clock_find_step() finds it from differences between readings at irregular
 * intervals; 1: there is no such step, or it is small. */
unsigned clock_find_step(const uint64_t *differences, size_t count);
unsigned clock_read_step(void);

/* Do the conversions of clock_from_tsc() and clock_to_tsc() for a time before
 * the beginning of the present line (`line` of struct clock), by the past line
 * of that time. */
uint64_t clock_from_past_tsc(const struct clock *clock, uint64_t tsc);
uint64_t clock_to_past_tsc(const struct clock *clock, uint64_t ns);

/* Convert a value of the counter to ns since clock_init(). */
static inline uint64_t clock_from_tsc(const struct clock *clock, uint64_t tsc)
{
	const struct clock_line *line = &clock->line;
	unsigned __int128 ticks = tsc - line->tsc;

	if (__builtin_expect(tsc < line->tsc, 0))
		return clock_from_past_tsc(clock, tsc);
	return line->ns + (uint64_t)((ticks * line->mult) >> 32);
}

/* Convert ns since clock_init() to a value of the counter. The result is the
 * value at this time, or a little earlier. */
static inline uint64_t clock_to_tsc(const struct clock *clock, uint64_t ns)
{
	const struct clock_line *line = &clock->line;

	if (__builtin_expect(ns < line->ns, 0))
		return clock_to_past_tsc(clock, ns);
	return line->tsc +
	       (uint64_t)(((unsigned __int128)(ns - line->ns) << 32) /
			  line->mult);
}

/* Convert a short duration in ns to ticks of the counter. */
static inline uint64_t clock_ticks(const struct clock *clock, uint64_t ns)
{
	return (uint64_t)(((unsigned __int128)ns << 32) / clock->line.mult);
}

/* The present rate, in ns per tick. */
static inline double clock_tick(const struct clock *clock)
{
	return (double)clock->line.mult / 4294967296.0;
}

/* The present time in ns since clock_init(). Within a thread it never goes
 * back. */
static inline uint64_t clock_now(const struct clock *clock)
{
	struct timespec now;

	if (clock->tsc)
		return clock_from_tsc(clock, clock_read_tsc());
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec -
	       clock->raw_base;
}

/*
 * Convert a recent time of CLOCK_MONOTONIC_RAW that the kernel has noted, in a
 * record of an event, to a time of the tool's clock, exact to some tens of ns.
 * The kernel's records know no time namespaces. `pair` keeps a pair of readings
 * of both clocks, and the function takes a new pair from time to time. Before
 * the first call `pair` must be all zero. The clock must be settled.
 */
struct clock_raw {
	/* the readings of the two clocks at the same moment */
	uint64_t raw, ns;
	double skew; /* relative excess of the rate of the tool's clock over
			that of CLOCK_MONOTONIC_RAW */
};
uint64_t clock_from_raw(const struct clock *clock, struct clock_raw *pair,
			uint64_t raw);

/* The name of the source: "tsc" or "monotonic_raw". The caller must not free
 * it. */
const char *clock_source(const struct clock *clock);

/* A remark about the choice of the source: why the source is the kernel's
 * clock, or which source the kernel uses if that is not the counter. Returns
 * NULL if both are the counter. The clock owns the text. */
const char *clock_remark(const struct clock *clock);

#endif
