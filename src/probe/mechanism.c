/*
 * mechanism.c - which sites are fast (a jump to a trampoline, and no int3), and
 * when sites change from one to the other
 *
 * Every site begins as an int3, which can be inserted at any time. When all
 * threads that use the memory are STOPPED, the sites that can be jumps become
 * jumps. If the breakpoints of a jump need something else than before, its
 * trampoline is made again, or the jump becomes an int3. No thread is in a
 * trampoline then. There may be thousands of sites, so most updates look only
 * at those that may change (fast_is_outdated()).
 */
#include "breakpoint.h"
#include "perftool/base/monotonic.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/calibrate/calibrate.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

/* ---- the threads --------------------------------------------------------- */

static struct error *give_rings(struct probe *probe, struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			if (user->threads.data[i]->state == THREAD_STOPPED)
				TRY(ring_give(probe, space,
					      user->threads.data[i]));
	return NULL;
}

struct error *fast_leave_all(struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			if (user->threads.data[i]->state == THREAD_STOPPED)
				TRY(fast_leave(space, user->threads.data[i]));
	return NULL;
}

/* ---- all sites ----------------------------------------------------------- */

/* Does a thread write a record when it reaches the site: its hit, or the time
 * when it goes on from the site? */
static bool is_told(const struct probe *probe, const struct site *site)
{
	if (!site->inserted || site->purpose != SITE_USER || !site->has_slot)
		return false;
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (at->enabled && !breakpoint_stops(probe, at))
			return true;
	}
	return false;
}

static bool is_any_told(const struct probe *probe, struct space *space)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (is_told(probe, site))
			return true;
	return false;
}

/* Is there a site that would become a jump at an update? */
static bool is_any_fast(const struct probe *probe, struct space *space)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted && site->purpose == SITE_USER &&
		    !site_refuses_jump(probe, space, site))
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct site *const *x = a, *const *y = b;

	return ((*x)->address < (*y)->address) -
	       ((*x)->address > (*y)->address);
}

struct collected {
	VEC(struct site *) sites;
	struct map addresses; /* the same sites by address */
};

static void collect_one(struct collected *collected, struct site *site)
{
	if (map_get(&collected->addresses, site->address))
		return;
	map_set(&collected->addresses, site->address, site);
	vec_push(&collected->sites, site);
}

/* Adds all outdated sites, and the other sites whose jumps end in the bytes of
 * a site that is added. These have to be made again if that site changes. Of
 * functions of one byte each, such a row may be thousands of sites long. */
static void collect(struct space *space, struct collected *collected)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (fast_is_outdated(space, site))
			collect_one(collected, site);
	for (size_t i = 0; space->jumps && i < collected->sites.count; i++) {
		site = collected->sites.data[i];
		for (size_t back = 1; back < PATCH_MOST_SPAN; back++) {
			struct site *before =
				map_get(&space->sites, site->address - back);

			if (before && before->is_jump &&
			    before->patch.span > back)
				collect_one(collected, before);
		}
	}
}

/* Update all sites that are outdated, from higher addresses to lower ones.
 * site_patch.c gives the reason for this order. */
static struct error *update_sites_of_space(struct probe *probe,
					   struct space *space)
{
	struct collected collected = {0};
	size_t count;
	struct site **sites;
	struct error *error = NULL;

	collect(space, &collected);
	count = collected.sites.count;
	sites = collected.sites.data;
	if (count)
		qsort(sites, count, sizeof(*sites), compare);
	for (size_t i = 0; !error && i < count; i++) {
		probe_working(probe, "making jumps", i, count);
		if (fast_is_outdated(space, sites[i]))
			error = fast_update_site(probe, space, sites[i]);
	}
	probe_working(probe, "making jumps", count, count);
	vec_free(&collected.sites);
	map_deinit(&collected.addresses);
	return error;
}

/* The reason why the site could not be a jump if it had only this attachment;
 * NULL if it could. */
static const char *refuses_alone(const struct probe *probe, struct space *space,
				 const struct site *site,
				 struct attachment *attachment)
{
	struct site alone = *site;
	const char *refusal;

	alone.attachments =
		(struct attachment_list){.data = &attachment, .count = 1};
	refusal = breakpoints_refuse(probe, &alone);
	return refusal ? refusal : fast_site_refuses(probe, space, &alone);
}

/* The reason why this attachment has no jump. If the site is an int3 only
 * because of another breakpoint at the same address, that is the reason. */
static const char *find_reason(const struct probe *probe, struct space *space,
			       const struct site *site,
			       struct attachment *attachment)
{
	const char *own;

	if (!site->slow || site->attachments.count == 1)
		return site->slow;
	own = refuses_alone(probe, space, site, attachment);
	for (size_t i = 0; !own && i < site->attachments.count; i++)
		if (refuses_alone(probe, space, site,
				  site->attachments.data[i]) == site->slow)
			return "another breakpoint at its address needs an "
			       "int3";
	return own ? own : site->slow;
}

/* A function whose calls are counted has an int3. Places where an unwinding or
 * the process ends belong to no function, nor do the places of other
 * breakpoints. */
static void note_called(const struct probe *probe, const struct site *site,
			const struct attachment *attachment,
			const struct breakpoint *breakpoint)
{
	if (attachment->breakpoint != breakpoint ||
	    attachment->role == ROLE_UNWIND ||
	    attachment->role == ROLE_PROCESS_END)
		return;
	if (breakpoint->is_of_calls && !site->is_jump && site->slow &&
	    attachment->called < probe->called.list.count)
		probe->called.list.data[attachment->called].by_int3 = true;
}

typedef void tell_fn(const struct probe *probe, struct space *space,
		     const struct site *site, struct attachment *attachment,
		     struct breakpoint *breakpoint);

static void count_site(const struct probe *probe, struct space *space,
		       const struct site *site, struct attachment *attachment,
		       struct breakpoint *breakpoint)
{
	if (breakpoint->counting != probe->fast.countings) {
		breakpoint->counting = probe->fast.countings;
		breakpoint->fast = breakpoint->int3 = 0;
		breakpoint->slow = NULL;
	}
	breakpoint->fast += site->is_jump;
	breakpoint->int3 += !site->is_jump;
	if (!site->is_jump)
		breakpoint->slow = find_reason(probe, space, site, attachment);
	note_called(probe, site, attachment, breakpoint);
}

/* Call `tell` for the breakpoints that wait for the end of a frame which is
 * left by the jump at this site. */
static void for_watchers(const struct probe *probe, struct space *space,
			 const struct site *site, struct attachment *attachment,
			 tell_fn *tell)
{
	const uint32_t *watchers;
	size_t count = 0;

	/* A jump of the program that no thread has taken is watched by an int3
	 * that no thread hits; a jump that was taken becomes a fast node at the
	 * next update. Neither slows the program down, so neither makes the
	 * breakpoint count as an int3. */
	if (attachment->role == ROLE_JUMP && !site->is_jump &&
	    (tails_is_untaken(space, attachment) || space->is_outdated))
		return;
	watchers = tails_watchers(space, attachment, &count);
	for (size_t i = 0; i < count; i++) {
		struct breakpoint *at = probe_find(probe, watchers[i]);

		if (at && at->enabled)
			tell(probe, space, site, attachment, at);
	}
}

/* Call `tell` for each breakpoint that is at the site. */
static void at_site(const struct probe *probe, struct space *space,
		    const struct site *site, tell_fn *tell)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct attachment *at = site->attachments.data[i];

		if (is_of_tails(at) && is_jump(at->role))
			for_watchers(probe, space, site, at, tell);
		if (at->breakpoint->enabled)
			tell(probe, space, site, at, at->breakpoint);
	}
}

static void count_sites(const struct probe *probe, struct space *space)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted)
			at_site(probe, space, site, count_site);
}

/* A breakpoint that has no site in memory any more, for example because the
 * program has ended, keeps its last numbers. */
void fast_count(struct probe *probe)
{
	probe->fast.countings++;
	for (size_t i = 0; i < probe->spaces.count; i++)
		count_sites(probe, probe->spaces.data[i]);
}

static void remember_site(const struct probe *probe, struct space *space,
			  const struct site *site,
			  struct attachment *attachment,
			  struct breakpoint *breakpoint)
{
	(void)space, (void)attachment;
	/* A breakpoint that stops the program is not measured. */
	if (breakpoint_stops(probe, breakpoint))
		return;
	note_called(probe, site, attachment, breakpoint);
	breakpoint->was_fast |= site->is_jump;
	breakpoint->was_int3 |= !site->is_jump;
	if (!site->is_jump)
		breakpoint->was_slow = site->slow;
}

void fast_remember(const struct probe *probe, struct space *space,
		   const struct site *site)
{
	/* If the site is neither a jump nor has a reason to be an int3, its
	 * mechanism was not determined yet. */
	if (site->inserted && (site->is_jump || site->slow))
		at_site(probe, space, site, remember_site);
}

void fast_remember_nothing(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (!at)
			continue;
		at->was_fast = at->was_int3 = false;
		at->was_slow = NULL;
		at->is_told_of_cliff = false;
	}
	probe->cliff.began = probe->cliff.told = 0;
}

/* If the program is to outlive the tool, keep the names of the legs that
 * threads count from now on where the next tool finds them. */
static void name_new_legs(const struct probe *probe, const struct space *space,
			  const struct counted_legs *before)
{
	const struct counted_legs *legs = &space->fast.counted;

	for (size_t i = 0; space->fast.life && i < legs->list.count; i++) {
		uint32_t leg = legs->list.data[i].leg;
		struct str name = {0};

		if (counted_leg_find(before, leg))
			continue;
		probe->client.leg_name(probe->client.context, leg, &name);
		rings_name_leg(probe, space, leg, str_text(&name));
		str_deinit(&name);
	}
}

/* Tell what threads have open of legs that they were to count, but are not to
 * count any more. */
static void hand_over_uncounted(struct probe *probe, struct space *space,
				const struct counted_legs *before)
{
	const struct counted_legs *now = &space->fast.counted;

	for (size_t i = 0; i < before->list.count; i++)
		if (!before->list.data[i].is_refused &&
		    !counted_leg_find(now, before->list.data[i].leg))
			counts_hand_over(probe, space, &before->list.data[i]);
	for (size_t i = 0; i < now->list.count; i++)
		if (now->list.data[i].is_refused)
			counts_hand_over(probe, space, &now->list.data[i]);
}

/* Have call blocks for the threads of the space, in which they count calls. If
 * that fails, the threads record all hits, as those of other nodes. */
static bool has_call_blocks(struct space *space)
{
	struct error *error = rings_map_calls(space);
	bool has = !error;

	error_destroy(error);
	return has;
}

/* Update all sites, so that the threads of the space count the legs by
 * themselves that can be counted. When sites are updated, the tool makes hits
 * for some threads: it matches them itself as soon as threads do not count a
 * leg, so what they have open of it is told before the next update. */
static struct error *update_sites_and_counts(struct probe *probe,
					     struct space *space)
{
	struct counted_legs before = space->fast.counted;
	struct error *error = NULL;
	bool is_refused;

	counted_legs_plan(probe, space, &before);
	hand_over_uncounted(probe, space, &before);
	if ((space->fast.counted.list.count || space->fast.counts_calls) &&
	    space->fast.has_rings) {
		error = counts_write_code(space);
		if (!space->fast.counting_code ||
		    (space->fast.counts_calls && !has_call_blocks(space)))
			counted_legs_leave_calls(space);
		counts_prepare_all(probe, space);
		if (!error && space->fast.counting_code)
			error = calibrate_prepare_counting(probe, space);
		if (!error && space->fast.counts_calls)
			error = calibrate_prepare_calls(probe, space);
	}
	do {
		error = error_first(error, update_sites_of_space(probe, space));
		is_refused = !error && counted_legs_check(space);
		hand_over_uncounted(probe, space, &before);
	} while (is_refused);
	name_new_legs(probe, space, &before);
	counted_legs_deinit(&before);
	return error;
}

/* How many times longer an update takes that makes all sites than one that
 * looks at all and makes a few. */
#define ALL_TO_FEW 50

/* Note how long an update of few sites takes, as far as this one shows it. */
static void note_duration(struct space *space, uint64_t ns)
{
	bool is_of_few = !space->fast.updates_all && !space->fast.updates_int3s;

	space->fast.update_ns = is_of_few ? ns : ns / ALL_TO_FEW;
}

/* Make the update. All threads that use the memory stand still. */
static struct error *update_memory(struct probe *probe, struct space *space)
{
	struct error *error;

	space->fast.updates_all = space->is_all_outdated;
	space->fast.updates_int3s = space->is_memory_changed;
	space->is_outdated = space->is_all_outdated = false;
	space->is_memory_changed = false;
	store_begin(space);
	/* A jump may only be written over an int3 that is still in memory. */
	mend_sites(probe, space,
		   space->fast.updates_all || space->fast.updates_int3s);
	error = resumed_prepare(probe, space);
	if (!error)
		error = update_sites_and_counts(probe, space);
	error = error_first(error, store_end(space));
	/* Not all sites that were outdated may have been updated. */
	space->is_all_outdated |= error != NULL;
	return error;
}

struct error *fast_update(struct probe *probe, struct space *space)
{
	uint64_t from = nanoseconds_of(CLOCK_THREAD_CPUTIME_ID);
	struct error *error;

	if (!space->process || !space->is_outdated || !space_is_at_rest(space))
		return NULL;
	semaphores_update(space);
	if (!space_is_any_stopped(space))
		/* All threads are in the kernel, which they cannot leave now
		 * or, if the process ends, ever. None of them can map memory,
		 * so the sites stay int3s, and the update is made the next
		 * time. */
		return NULL;
	tails_look_for_int3s(probe);
	if (!space->fast.has_rings && !space_refuses_jumps(probe, space) &&
	    is_any_told(probe, space)) {
		if (!space_is_stopped(space))
			/* A thread that cannot be stopped now (it waits for its
			 * vfork child) would get no ring. The update is made
			 * the next time. */
			return NULL;
		error = give_rings(probe, space);
		if (error && error_code(error) == ERROR_GONE)
			return error;
		space->fast.has_rings = !error;
		space->is_all_outdated |= !error;
		space->fast.life = rings_life(space);
		if (error)
			space->fast.refusal = "perftool cannot give its "
					      "threads memory for records";
		error_destroy(error);
	}
	TRY(fast_leave_all(space));
	drain(probe, UINT64_MAX, true);
	probe_read_counts(probe);
	error = update_memory(probe, space);
	if (error && error_code(error) != ERROR_GONE && !space->fast.refusal) {
		/* In most cases the process may have no more memory, or make no
		 * system calls for the tool. Int3s need neither. */
		error_destroy(error);
		space->fast.refusal = "perftool could not make its jumps";
		error = update_memory(probe, space);
	}
	fast_count(probe);
	note_duration(space, nanoseconds_of(CLOCK_THREAD_CPUTIME_ID) - from);
	return error;
}

struct error *fast_update_soon(struct probe *probe, struct space *space)
{
	if (!space->is_outdated || target_is_stopping(probe->target))
		return NULL;
	if (!is_any_fast(probe, space) &&
	    (space->fast.has_rings || space_refuses_jumps(probe, space) ||
	     !is_any_told(probe, space)))
		return NULL;
	return stop_for_us(probe);
}

struct error *fast_give_up(struct probe *probe, struct space *space,
			   const char *refusal)
{
	space->fast.refusal = refusal;
	space_outdate(space);
	return target_is_stopping(probe->target) ? NULL : stop_for_us(probe);
}

struct error *probe_resume_all(struct probe *probe)
{
	/* A space that fails is removed from the list. */
	for (size_t i = probe->spaces.count; i-- > 0;) {
		struct space *space = probe->spaces.data[i];

		tails_leave_unneeded(probe, space);
		TRY(space_fail(probe, space, fast_update(probe, space)));
	}
	switches_watch_all(probe);
	/* What is written when the threads go on is part of the stop. A thread
	 * that calibrates then goes on at once. */
	TRY(error_unless(target_settle(probe->target), ERROR_GONE));
	own_stop_end(probe);
	TRY(calibrate_jumps(probe));
	cost_in_run_disturbed(probe);
	return target_resume_all(probe->target);
}

void probe_set_breakpoint_mechanism(struct probe *probe,
				    struct breakpoint *breakpoint,
				    enum mechanism mechanism)
{
	breakpoint->mechanism = mechanism;
	probe_stops_changed(probe);
}

void probe_want_thread(struct probe *probe, struct breakpoint *breakpoint)
{
	breakpoint->wants_thread = true;
	probe_stops_changed(probe);
}

void probe_set_mechanism(struct probe *probe, enum mechanism mechanism)
{
	probe->fast.mechanism = mechanism;
	probe_stops_changed(probe);
}

void probe_set_ordering(struct probe *probe, bool ordered)
{
	if (probe->fast.ordered == ordered)
		return;
	/* Hits that were recorded until now have cost what a hit costs with the
	 * earlier setting, so they are reported first. */
	drain(probe, UINT64_MAX, true);
	probe->fast.ordered = ordered;
	probe->costs.fast = (struct fast_costs){0};
	cost_in_run_reset(probe);
	probe_stops_changed(probe);
}

void probe_stops_changed(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		space_outdate(probe->spaces.data[i]);
}
