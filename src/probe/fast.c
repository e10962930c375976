/*
 * fast.c - which sites are fast, and when they become so
 *
 * Every site begins as an int3, which can be put in at any time. When all
 * threads that use the memory are STOPPED, those that can be are made jumps,
 * and jumps whose breakpoints want something else are made anew, or int3s.
 * Nobody is in a trampoline then.
 */
#include "fast_site.h"
#include "internal.h"

/* ---- may it be one? --------------------------------------------------------
 */

static enum mechanism wanted_mechanism(const struct probe *probe,
				       const struct breakpoint *breakpoint)
{
	return breakpoint->mechanism == MECHANISM_AUTO ? probe->mechanism
						       : breakpoint->mechanism;
}

/* What its breakpoints say to it. */
static const char *breakpoints_refuse(const struct probe *probe,
				      const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (!at->enabled)
			continue;
		if (probe->ops.stops(probe->ops.context, at))
			return "it stops the program";
		if (wanted_mechanism(probe, at) == MECHANISM_INT3)
			return "as it was asked for";
	}
	return NULL;
}

/* What the program writes into an operand would become part of the jump. */
static bool is_changeable(struct space *space, const struct site *site)
{
	const struct mapping *mapping = store_mapping_at(space, site->address);

	return mapping && (!mapping->inode || mapping->writable);
}

static const char *refuses(const struct probe *probe, struct space *space,
			   const struct site *site)
{
	if (site->purpose != SITE_USER && site->purpose != SITE_FAST_FROM &&
	    site->purpose != SITE_FAST_TO)
		return "perftool itself has to stop there";
	if (space->fast.refusal)
		return space->fast.refusal;
	if (!site->has_slot)
		return "its instruction cannot be moved";
	if (shadow_refuses_jump(space, &site->insn))
		return shadow_refuses_jump(space, &site->insn);
	if (is_changeable(space, site))
		return "the program makes this code itself";
	return breakpoints_refuse(probe, site);
}

/* ---- one site --------------------------------------------------------------
 */

static void note_conditions(const struct site *site)
{
	for (size_t i = 0; i < site->fast->part_count; i++) {
		const struct fast_part *part = &site->fast->parts[i];

		part->attachment->breakpoint->misses_unknown |=
			part->has_condition;
	}
}

struct error *fast_make_jump(struct probe *probe, struct space *space,
			     struct site *site)
{
	uint32_t before = site->fast ? site->fast->number : 0;
	struct patch patch;

	TRY(fast_site_make(probe, space, site, &site->slow));
	if (site->slow)
		return patch_out(space, site);
	note_conditions(site);
	if (site->is_jump && site->fast->number == before)
		return NULL;
	/* it led to another trampoline */
	TRY(patch_out(space, site));
	TRY(find_patch(space, site, &patch, &site->slow));
	probe->had_jumps |= !site->slow;
	return site->slow ? fast_move(probe, space, site)
			  : patch_in(space, site, &patch);
}

struct error *fast_update_site(struct probe *probe, struct space *space,
			       struct site *site)
{
	if (!site->inserted)
		return NULL;
	site->slow = refuses(probe, space, site);
	if (!space->fast.has_rings)
		return NULL;
	if (fast_is_moved(site))
		return fast_update_moved(probe, space, site);
	return site->slow ? patch_out(space, site)
			  : fast_make_jump(probe, space, site);
}

/* ---- the threads -----------------------------------------------------------
 */

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

/* ---- all sites -------------------------------------------------------------
 */

/* Does a thread write something when it comes by: its hit, or when it goes on
 * from it? */
static bool is_told(const struct probe *probe, const struct site *site)
{
	if (!site->inserted || site->purpose != SITE_USER || !site->has_slot)
		return false;
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (at->enabled && !probe->ops.stops(probe->ops.context, at))
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

/* Is there a site that would be fast? */
static bool is_any_fast(const struct probe *probe, struct space *space)
{
	const struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted && site->purpose == SITE_USER &&
		    !refuses(probe, space, site))
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct site *const *x = a, *const *y = b;

	return (*x)->address < (*y)->address ? 1 : -1;
}

/* From higher addresses to lower ones: see fast_patch.c. */
static struct error *update_sites_of_space(struct probe *probe,
					   struct space *space)
{
	VEC(struct site *) sites = {0};
	struct error *error = NULL;
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		vec_push(&sites, site);
	if (sites.count)
		qsort(sites.data, sites.count, sizeof(struct site *), compare);
	for (size_t i = 0; !error && i < sites.count; i++)
		error = fast_update_site(probe, space, sites.data[i]);
	vec_free(&sites);
	return error;
}

/* Why there could be no jump for one of those that are there. */
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

/* The site's reason, if it is not a neighbour's. */
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
			return "another breakpoint at its place needs one";
	return own ? own : site->slow;
}

static void begin_count(const struct probe *probe, struct space *space,
			const struct site *site, struct attachment *attachment)
{
	struct breakpoint *breakpoint = attachment->breakpoint;

	(void)probe, (void)space, (void)site;
	breakpoint->fast = breakpoint->int3 = 0;
	breakpoint->slow = NULL;
}

static void count_site(const struct probe *probe, struct space *space,
		       const struct site *site, struct attachment *attachment)
{
	struct breakpoint *breakpoint = attachment->breakpoint;

	breakpoint->fast += site->is_jump;
	breakpoint->int3 += !site->is_jump;
	if (!site->is_jump)
		breakpoint->slow = find_reason(probe, space, site, attachment);
}

/* Of each breakpoint, for each site that it is at. */
static void at_each_site(const struct probe *probe,
			 void (*tell)(const struct probe *probe,
				      struct space *space,
				      const struct site *site,
				      struct attachment *attachment))
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];
		const struct site *site;
		size_t cursor = 0;

		while ((site = map_next(&space->sites, &cursor, NULL)))
			for (size_t j = 0;
			     site->inserted && j < site->attachments.count; j++)
				if (site->attachments.data[j]
					    ->breakpoint->enabled)
					tell(probe, space, site,
					     site->attachments.data[j]);
	}
}

/* One that is nowhere now keeps what is known of where it was. */
void fast_count(struct probe *probe)
{
	at_each_site(probe, begin_count);
	at_each_site(probe, count_site);
}

void fast_remember(const struct probe *probe, const struct site *site)
{
	/* nobody has asked yet */
	if (!site->inserted || (!site->is_jump && !site->slow))
		return;
	for (size_t i = 0; i < site->attachments.count; i++) {
		struct breakpoint *at = site->attachments.data[i]->breakpoint;

		/* what stops the program is not measured */
		if (!at->enabled || probe->ops.stops(probe->ops.context, at))
			continue;
		at->was_fast |= site->is_jump;
		at->was_int3 |= !site->is_jump;
		if (!site->is_jump)
			at->was_slow = site->slow;
	}
}

void fast_remember_nothing(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (!at)
			continue;
		at->was_fast = at->was_int3 = false;
		at->was_slow = NULL;
	}
}

struct error *fast_update(struct probe *probe, struct space *space)
{
	struct error *error;

	if (!space->process || !space->fast.is_outdated ||
	    !space_is_at_rest(space))
		return NULL;
	if (!space->fast.has_rings && !space->fast.refusal &&
	    is_any_told(probe, space)) {
		if (!space_is_stopped(space))
			/* one has to wait for its ring: the next time */
			return NULL;
		error = give_rings(probe, space);
		if (error && error_code(error) == ERROR_GONE)
			return error;
		space->fast.has_rings = !error;
		if (error)
			space->fast.refusal = "its threads can have no memory "
					      "for records";
		error_destroy(error);
	}
	TRY(resumed_prepare(probe, space));
	drain(probe, UINT64_MAX, true);
	TRY(fast_leave_all(space));
	space->fast.is_outdated = false;
	store_begin(space);
	error = update_sites_of_space(probe, space);
	error = error_first(error, store_end(space));
	fast_count(probe);
	return error;
}

struct error *fast_update_soon(struct probe *probe, struct space *space)
{
	if (!space->fast.is_outdated || target_is_stopping(probe->target))
		return NULL;
	if (!is_any_fast(probe, space) &&
	    (space->fast.has_rings || space->fast.refusal ||
	     !is_any_told(probe, space)))
		return NULL;
	return stop_for_us(probe);
}

struct error *fast_give_up(struct probe *probe, struct space *space,
			   const char *refusal)
{
	space->fast.refusal = refusal;
	space->fast.is_outdated = true;
	return target_is_stopping(probe->target) ? NULL : stop_for_us(probe);
}

struct error *probe_resume_all(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		TRY(fast_update(probe, probe->spaces.data[i]));
	switches_watch_all(probe);
	TRY(calibrate_jumps(probe));
	return target_resume_all(probe->target);
}

void probe_set_breakpoint_mechanism(struct probe *probe,
				    struct breakpoint *breakpoint,
				    enum mechanism mechanism)
{
	breakpoint->mechanism = mechanism;
	probe_stops_changed(probe);
}

void probe_set_mechanism(struct probe *probe, enum mechanism mechanism)
{
	probe->mechanism = mechanism;
	probe_stops_changed(probe);
}

void probe_set_ordering(struct probe *probe, bool ordered)
{
	if (probe->ordered == ordered)
		return;
	/* what was hit until now has cost what it did */
	drain(probe, UINT64_MAX, true);
	probe->ordered = ordered;
	probe->fast_calibration = (struct fast_calibration){0};
	probe_stops_changed(probe);
}

void probe_stops_changed(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		probe->spaces.data[i]->fast.is_outdated = true;
}
