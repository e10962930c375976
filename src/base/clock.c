/* clock.c - see clock.h */
#include "perftool/base/clock.h"

#include <stdio.h>
#include <string.h>

static uint64_t monotonic_raw(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel uses the counter as its clock only after watching it. */
static bool kernel_trusts_tsc(void)
{
	char name[32] = "";
	FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/"
			   "current_clocksource",
			   "re");

	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	return strcmp(name, "tsc\n") == 0;
}

/* A counter reading and the time at it: the tightest of some tries. */
static void pair(uint64_t *tsc, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t before = __rdtsc(), now = monotonic_raw(),
			 after = __rdtsc();

		if (after - before < best) {
			best = after - before;
			*tsc = before + (after - before) / 2;
			*ns = now;
		}
	}
}

void clock_init(struct clock *clock)
{
	*clock = (struct clock){.tsc = kernel_trusts_tsc()};
	if (clock->tsc)
		pair(&clock->tsc_base, &clock->ns_base);
	else
		clock->ns_base = monotonic_raw();
}

void clock_settle(struct clock *clock)
{
	const uint64_t enough = 8000000;
	struct timespec resolution;
	uint64_t tsc, ns;

	if (clock->resolution > 0)
		return;
	if (!clock->tsc) {
		clock_getres(CLOCK_MONOTONIC_RAW, &resolution);
		clock->resolution = (double)resolution.tv_nsec;
		return;
	}
	while (monotonic_raw() - clock->ns_base < enough) {
		struct timespec rest = {
			.tv_nsec = (long)(enough -
					  (monotonic_raw() - clock->ns_base) %
						  enough)};

		nanosleep(&rest, NULL);
	}
	pair(&tsc, &ns);
	clock->mult =
		(uint64_t)(((unsigned __int128)(ns - clock->ns_base) << 32) /
			   (tsc - clock->tsc_base));
	clock->resolution = (double)clock->mult / 4294967296.0;
}

/* ns from a pair of readings to the moments before the next pair. */
#define PAIR_LASTS 5000000

uint64_t clock_from_raw(const struct clock *clock, struct clock_raw *last,
			uint64_t raw)
{
	double skew;
	int64_t since;

	if (!clock->tsc)
		return raw - clock->ns_base;
	if (!last->raw || raw > last->raw + PAIR_LASTS) {
		uint64_t tsc;

		pair(&tsc, &last->raw);
		last->ns = clock_from_tsc(clock, tsc);
	}
	/* the tool's rate was found within some ms, this one in all the time
	 * since: the difference tells */
	since = (int64_t)(raw - last->raw);
	skew = (double)last->ns / (double)(last->raw - clock->ns_base) - 1;
	return last->ns + (uint64_t)since +
	       (uint64_t)(int64_t)((double)since * skew);
}

const char *clock_source(const struct clock *clock)
{
	return clock->tsc ? "tsc" : "monotonic_raw";
}
