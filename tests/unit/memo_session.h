/*
 * memo_session.h - the sample session of the Mesa memo, as hits
 *
 * The memo gives the figures but not the hits. These are made up to fit: 697
 * calls of AllocVM, each held twice by breaks that add up to 2.526278 s, with
 * values of `pages` and times in ticks of 38 us that fill the two histograms
 * as they are printed there.
 */
#ifndef TEST_MEMO_SESSION_H
#define TEST_MEMO_SESSION_H

#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"

#define MEMO_CALLS 697
#define MEMO_TICK 38000 /* ns */
#define MEMO_ELAPSED UINT64_C(69627210000)

/* The value of `pages` in call `i`. */
static inline uint64_t memo_pages(unsigned i)
{
	return i < 3 ? 1 : i < 193 ? 2 : i < 269 ? 3 : i < 566 ? 4 : 5;
}

/* The ticks of call `i`; their sum is 719,172. */
static inline uint64_t memo_ticks(unsigned i)
{
	if (i < 34)
		return 40;
	if (i < 133)
		return 100;
	if (i < 134)
		return 130;
	if (i < 135)
		return 600;
	/* 562 calls, 707,182 ticks in all */
	return i < 135 + 562 - 186 ? 1258 : 1259;
}

/* What break `i` of 1,394 took, ns. */
static inline uint64_t memo_hold(unsigned i)
{
	return UINT64_C(2526278000) / 1394 + (i < 2526278000u % 1394);
}

static inline uint64_t memo_break(struct measure *memo, unsigned number,
				  uint32_t node, uint64_t value, uint64_t now)
{
	struct hit hit = {.node = node,
			  .thread = 1,
			  .pid = 1000,
			  .tid = 1000,
			  .time = now,
			  .value = value_unsigned(value)};
	uint64_t resume = now + memo_hold(number);

	measure_hit(memo, &hit);
	measure_hold(memo, 1, 1000, 1000, now, resume, 0, 0);
	return resume;
}

/* The tables as they are at the end of the session, at MEMO_ELAPSED. */
static inline struct measure *memo_session(void)
{
	const struct histogram_spec linear = {.class = HISTOGRAM_LINEAR,
					      .scale = -1};
	struct measure *memo = measure_create();
	struct leg_spec spec = {.from = 1, .to = 2};
	uint64_t now = 0;
	uint32_t leg;
	bool existed;

	measure_add_node(memo, 1);
	measure_add_node(memo, 2);
	assert_null(measure_add_leg(memo, &spec, &leg, &existed));
	assert_null(measure_node_add_histogram(memo, 1, &linear));
	measure_set_monitor(memo, true, 0);
	measure_set_running(memo, true, 0);
	for (unsigned i = 0; i < MEMO_CALLS; i++) {
		now = memo_break(memo, 2 * i, 1, memo_pages(i), now);
		now += memo_ticks(i) * MEMO_TICK;
		now = memo_break(memo, 2 * i + 1, 2, 0, now);
	}
	measure_set_running(memo, false, MEMO_ELAPSED);
	return memo;
}

#endif
