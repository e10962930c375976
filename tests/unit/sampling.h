/*
 * sampling.h - which cases of a test are tried
 *
 * A test of the tiers core and full (doc/CONTRIBUTING.md) tries a sample of its
 * cases in the first. Run by itself, it tries all.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Are all cases to be tried? */
static inline bool in_full(void)
{
	const char *tier = getenv("PERFTOOL_TIER");

	return !tier || strcmp(tier, "core") != 0;
}

/* The number of cases: `all`, or, in the tier core, `some`. */
static inline unsigned sampled(unsigned all, unsigned some)
{
	return in_full() ? all : some;
}

/* What chooses the sample: the day, or $PERFTOOL_SEED. */
static inline unsigned long seed_of_cases(void)
{
	const char *seed = getenv("PERFTOOL_SEED");

	return seed ? strtoul(seed, NULL, 10)
		    : (unsigned long)time(NULL) / 86400;
}

/* Is this case, of which `number` is the number, to be tried: always, or, in
 * the tier core, one of `of`? The sample changes from day to day; with
 * PERFTOOL_SEED it is that of the number. */
static inline bool one_in(unsigned of, size_t number)
{
	return in_full() || (number + seed_of_cases()) % of == 0;
}

/* For a loop over cases that have an order, of which the tier core tries one of
 * `of`: the first case, and the distance to the next one. */
static inline unsigned first_case(unsigned of)
{
	return in_full() ? 0 : (unsigned)(seed_of_cases() % of);
}
static inline unsigned next_case(unsigned of)
{
	return in_full() ? 1 : of;
}

#endif
