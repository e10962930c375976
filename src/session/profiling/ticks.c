/* ticks.c - the ticks of the profiler: see perftool/session/ticks.h */
#include "perftool/session/ticks.h"

#include "recorded_profiles.h"

/* SPIN's clock ticked every millisecond. */
#define DEFAULT_RATE 1000
#define MOST_RATE 10000

void tick_profile_init(struct tick_profile *ticks, struct session *session)
{
	*ticks = (struct tick_profile){.rate = DEFAULT_RATE};
	recorder_init(&ticks->recorder, session);
}

void tick_profile_deinit(struct tick_profile *ticks)
{
	recorder_deinit(&ticks->recorder);
}

static struct tick_profile *ticks_of(const struct session *session)
{
	return &session->recorded->ticks;
}

struct error *session_ticks_on(struct session *session, struct str *out)
{
	struct tick_profile *ticks = ticks_of(session);
	const struct sampling sampling = {.event = SAMPLED_TICKS,
					  .rate = ticks->rate,
					  .tells_delay = true};

	if (ticks->recorder.is_on) {
		str_append(out, "The ticks are on already.\n");
		return NULL;
	}
	TRY(stand_still(session));
	TRY(recorder_start(&ticks->recorder, &sampling));
	ticks->were_on = true;
	session->recorded->ticks_seen = false;
	str_printf(out,
		   "The profiler takes %g ticks a second of each thread's CPU "
		   "time; `print flat'\nshows them.\n",
		   ticks->rate);
	return NULL;
}

struct error *session_ticks_off(struct session *session)
{
	struct tick_profile *ticks = ticks_of(session);

	if (!ticks->recorder.is_on)
		return NULL;
	TRY(stand_still(session));
	recorder_stop(&ticks->recorder);
	return NULL;
}

bool session_ticks_are_on(const struct session *session)
{
	return ticks_of(session)->recorder.is_on;
}

bool session_ticks_were_on(const struct session *session)
{
	return ticks_of(session)->were_on;
}

struct error *session_ticks_flush(struct session *session)
{
	struct tick_profile *ticks = ticks_of(session);

	recorder_flush(&ticks->recorder);
	ticks->were_on = ticks->recorder.is_on;
	return NULL;
}

struct error *session_ticks_rate(struct session *session, double hz)
{
	struct tick_profile *ticks = ticks_of(session);

	if (ticks->recorder.is_on)
		return error_create(ERROR_OTHER,
				    "the ticks are on; `profile off' first");
	if (!(hz >= 0.1 && hz <= MOST_RATE))
		return error_create(ERROR_USAGE,
				    "the rate is from 0.1 to %d ticks a second "
				    "(1ms, or 1000hz)",
				    MOST_RATE);
	ticks->rate = hz;
	return NULL;
}

void session_ticks_facts(const struct session *session, struct ticks_facts *out)
{
	const struct tick_profile *ticks = ticks_of(session);
	struct sampler_account account;

	recorder_get_account(&ticks->recorder, &account);
	*out = (struct ticks_facts){.rate = ticks->rate,
				    .elapsed =
					    recorder_elapsed(&ticks->recorder),
				    .ticks = account.ticks,
				    .in_tool = ticks->recorder.in_tool,
				    .missed = account.missed,
				    .lost = account.lost,
				    .stacks = ticks->recorder.log.stacks,
				    .broken = ticks->recorder.log.broken,
				    .by_kernel = account.by_kernel,
				    .why = account.why};
}

void session_ticks_stacks(struct session *session, struct call_stacks *out)
{
	recorder_resolve(&ticks_of(session)->recorder, out);
}
