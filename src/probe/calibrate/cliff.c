/*
 * cliff.c - telling the user, while the program runs, which breakpoint slows it
 * down
 *
 * A jump costs some nanoseconds and an int3 some microseconds. So a place that
 * cannot be a jump may turn a run of seconds into one of minutes, and the user
 * does not want to wait for the report at the end. Now and then perftool
 * compares how long int3s have held the processes and how much processor time
 * the processes had for their own work. If the int3s take too large a share,
 * perftool names the breakpoint that was reached most often.
 *
 * All processes are judged together: a server may have many, each of which does
 * little. A process that has ended does not count, because its processor time
 * is not known any more.
 *
 * These two times are compared with each other, and not with the time that has
 * passed by the clock, because on a busy machine most of that time goes to
 * other programs.
 */
#include <time.h>

#include "calibrate.h"
#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"
#include "perftool/probe/breakpoint_requests.h"
#include "probe/breakpoint.h"
#include "probe/fast/fast.h"
#include "probe/probe_state.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"

/* How long one look lasts, ns. */
#define LOOK 500000000u
/* The smallest share of int3s in the processes' time for which the user is
 * told. */
#define SHARE 0.5
/* The smallest share of int3s in the time that has passed for which the user is
 * told. A program that mostly sleeps is not slowed down. */
#define LEAST 0.01
/* A thread that is held for longer than this, ns, was not held for an int3
 * alone. A library was loaded, for example. */
#define LONG 1000000u
/* The smallest share of all stops that the named breakpoint must have. The
 * other stops may be at places that perftool itself watches, to learn where
 * jumps lead. */
#define SHARE_OF_ONE 0.1
/* The largest number of breakpoints that are named in a run, because a pattern
 * may stand for thousands. */
#define MOST_TOLD 5

/* The processor time of all threads of a process so far, ns; 0: the process has
 * ended. */
static uint64_t processor_time(pid_t process)
{
	clockid_t clock;

	return clock_getcpuclockid(process, &clock) ? 0 : nanoseconds_of(clock);
}

/* May the user be told of this breakpoint? The answer is no if the user was
 * told before, or if the user can do nothing about its int3. */
static bool may_be_told(const struct probe *probe, struct breakpoint *at)
{
	return at && at->enabled && at->slow && !at->is_told_of_cliff &&
	       fast_is_wanted(probe, at);
}

static void tell(struct probe *probe, struct breakpoint *at, double share,
		 uint64_t elapsed)
{
	double rate = (double)at->recent * 1e9 / (double)elapsed;
	const bool is_apart = at->id & PROBE_APART;
	CLEANUP(free_pointer)
	char *name = is_apart ? xstrdup("a breakpoint of the profile")
			      : xasprintf("breakpoint %u", at->id);

	at->is_told_of_cliff = true;
	probe->cliff.told++;
	note(probe,
	     "%s (%s) slows the program down: it is an int3 (%s) and is "
	     "reached %.0f times a second; int3s take %.0f %% of the program's "
	     "processor time. `help mechanisms' says more; %s",
	     name, at->location.text, at->slow, rate, share * 100,
	     is_apart ? "name fewer functions if you do not need it"
		      : "`disable' the breakpoint if you do not need it");
}

/* The processor time that the process had for its own work since the look
 * began. An int3 also takes processor time of the thread that hits it, before
 * and after the thread is held; that time is no work of the process. */
static double own_work(const struct cliff_share *share)
{
	double used =
		(double)processor_time(share->process) - (double)share->used;

	return used > share->around ? used - share->around : 0;
}

static void look(struct probe *probe, uint64_t elapsed)
{
	const struct cliff *cliff = &probe->cliff;
	double cost = 0, work = 0, share;
	struct breakpoint *most = NULL;

	if (cliff->told >= MOST_TOLD)
		return;
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct cliff_share *one = &probe->spaces.data[i]->cliff;

		if (one->look != cliff->look || !processor_time(one->process))
			continue;
		cost += one->held + one->around;
		work += own_work(one);
	}
	share = cost / (cost + work);
	if (!(share >= SHARE) || cost < LEAST * (double)elapsed)
		return;
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (may_be_told(probe, at) &&
		    (!most || at->recent > most->recent))
			most = at;
	}
	if (most && (double)most->recent >= SHARE_OF_ONE * cliff->stops)
		tell(probe, most, share, elapsed);
}

/* The share of a space in this look. */
static struct cliff_share *share_of(const struct cliff *cliff,
				    struct space *space)
{
	struct cliff_share *share = &space->cliff;
	pid_t pid = space->process ? space->process->pid : 0;

	if (share->look != cliff->look || share->process != pid)
		*share = (struct cliff_share){.look = cliff->look,
					      .process = pid,
					      .used = processor_time(pid)};
	return share;
}

static void begin(struct probe *probe, uint64_t time)
{
	struct cliff *cliff = &probe->cliff;

	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			probe->breakpoints.data[i]->recent = 0;
	cliff->look++;
	cliff->began = time;
	cliff->stops = 0;
	for (size_t i = 0; i < probe->spaces.count; i++)
		share_of(cliff, probe->spaces.data[i]);
}

void cliff_held(struct probe *probe, const struct finished_stop *finished)
{
	struct process *process =
		target_find_process(probe->target, finished->holder.pid);
	struct space *space = process ? space_of(process) : NULL;
	uint64_t held = finished->resume - finished->arrival;
	struct cliff_share *share;

	if (!space || !probe->cliff.began ||
	    (held >= LONG && !finished->is_stepped))
		return;
	share = share_of(&probe->cliff, space);
	probe->cliff.stops++;
	share->held += (double)held;
	share->around += finished->cost.before + finished->cost.after;
}

void cliff_hit(struct probe *probe, const struct site *site,
	       struct space *space, uint64_t time)
{
	struct cliff *cliff = &probe->cliff;

	if (!cliff->began)
		begin(probe, time);
	share_of(cliff, space);
	for (size_t i = 0; i < site->attachments.count; i++)
		site->attachments.data[i]->breakpoint->recent++;
	if (time < cliff->began + LOOK)
		return;
	look(probe, time - cliff->began);
	begin(probe, time);
}
