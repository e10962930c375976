/*
 * transfer.c - moving breakpoints to another instruction, where their hits are
 * seen
 *
 * If the instruction of a place has no room for a jump, the breakpoints move to
 * another instruction that is reached equally often and where a jump has room,
 * a stand (stand.c). They become attachments of the stand's site, as copies
 * that know the address to which they belong (their home); their hits report
 * what would have been seen at their own place. They stay there as long as
 * possible, even as an int3. They go home when one of them must stop the
 * program, when one has an expression that cannot be evaluated at the stand, or
 * when another breakpoint is set between the stand and their home.
 *
 * All threads are STOPPED during a move, and none is in a trampoline. A thread
 * that is between the two addresses was either counted already, or would not be
 * counted any more: passage.h takes care of it.
 */
#include <stdlib.h>
#include <string.h>

#include "fast_site.h"
#include "passage.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "stand.h"

/* The address to which breakpoints of this site belong, if it is not the site's
 * own; 0 if all of them belong here. */
static uint64_t find_home(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (site->attachments.data[i]->address != site->address)
			return site->attachments.data[i]->address;
	return 0;
}

bool fast_is_moved(const struct site *site)
{
	return find_home(site) != 0;
}

/* A move from one site to another, for the breakpoints that belong at `home`,
 * which is the address of one of the two sites. */
struct way {
	struct site *from, *to;
	uint64_t home;
};

/* ---- breakpoints --------------------------------------------------------- */

static void move(struct space *space, const struct way *way, int32_t sp_below,
		 uint16_t changed)
{
	struct site *from = way->from;
	size_t kept = 0;

	for (size_t i = 0; i < from->attachments.count; i++) {
		struct attachment *old = from->attachments.data[i];
		struct attachment *new;

		if (old->address != way->home) {
			from->attachments.data[kept++] = old;
			continue;
		}
		/* Another process may share the attachment, so the attachment
		 * is copied. */
		new = attachment_at_home(space, old);
		new->sp_below = sp_below;
		new->changed = changed;
		if (new->cfa.reg == CFA_RSP)
			new->cfa.offset += sp_below;
		vec_push(&way->to->attachments, new);
		attachment_unref(old);
	}
	from->attachments.count = kept;
	site_outdate(space, from);
	site_outdate(space, way->to);
}

/* ---- threads on their way ------------------------------------------------ */

/* Is the thread between the two sites: has it passed the lower one, and not yet
 * the higher one? */
static struct error *find_on_way(struct thread *thread, const struct site *low,
				 const struct site *high,
				 struct user_regs_struct *regs, bool *is_on_way)
{
	bool was_in;

	TRY(target_get_regs(thread, regs));
	was_in = arch_slot_pc(&low->slot, regs);
	*is_on_way = regs->rip <= high->address &&
		     (regs->rip > low->address ||
		      (regs->rip == low->address && was_in));
	return NULL;
}

/* Count a thread between the two sites for the breakpoints of `home` at the
 * higher site, before the breakpoints move. If they move to the lower address,
 * this thread would not be counted any more. If they move to the higher
 * address, breakpoints of `home` that are there already would miss this thread,
 * because pass() leads it past that site. */
static struct error *count_passed(struct probe *probe, struct thread *thread,
				  const struct way *way, bool up)
{
	const struct site *low = up ? way->from : way->to;
	const struct site *high = up ? way->to : way->from;
	struct user_regs_struct regs;
	bool is_on_way;

	TRY(find_on_way(thread, low, high, &regs, &is_on_way));
	return is_on_way ? count_on_way(probe, thread, &regs, high, way->home)
			 : NULL;
}

/* The breakpoints have moved to the higher address. If the thread is between
 * the two addresses, it was counted already: lead it past the higher address,
 * so that it is not counted again. */
static struct error *pass(struct probe *probe, struct space *space,
			  struct thread *thread, const struct way *way)
{
	uint64_t from = way->from->address, to = way->to->address;
	struct user_regs_struct regs;
	bool is_on_way;

	TRY(find_on_way(thread, way->from, way->to, &regs, &is_on_way));
	if (!is_on_way)
		return NULL;
	if (!is_way_shared(space, regs.rip + (regs.rip == from), to - 1,
			   way->home))
		return pass_on_way(thread, way->from, way->to);
	/* Other breakpoints between the two addresses must still count the
	 * thread, so it is not led past them. */
	pass_later(probe, thread, to);
	return NULL;
}

enum passage { COUNT_PASSED, PASS };

static struct error *settle_thread(struct probe *probe, struct space *space,
				   struct thread *thread, enum passage passage,
				   const struct way *way)
{
	bool up = way->from->address < way->to->address;

	if (thread->state != THREAD_STOPPED || thread->in_call)
		return NULL;
	if (passage == COUNT_PASSED)
		return count_passed(probe, thread, way, up);
	return up ? pass(probe, space, thread, way) : NULL;
}

static struct error *settle_threads(struct probe *probe, struct space *space,
				    enum passage passage, const struct way *way)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor))) {
		const struct thread_list *threads = &user->threads;
		struct error *error = NULL;

		for (size_t i = 0; !error && i < threads->count; i++)
			error = settle_thread(probe, space, threads->data[i],
					      passage, way);
		/* A thread that was killed does not have to be led anywhere. */
		TRY(error_unless(error, ERROR_GONE));
	}
	return NULL;
}

/* Has a signal interrupted a thread that was counted at this address, so that
 * its handler will return there? */
static bool is_awaited(const struct probe *probe, const struct space *space,
		       uint64_t address)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < probe->interrupted.count; i++)
			if (probe->interrupted.data[i].pid == user->pid &&
			    probe->interrupted.data[i].site == address)
				return true;
	return false;
}

/* ---- moving breakpoints -------------------------------------------------- */

static struct error *go(struct probe *probe, struct space *space,
			const struct way *way, int32_t sp_below,
			uint16_t changed)
{
	watch_amid(probe, space, way->home);
	TRY(settle_threads(probe, space, COUNT_PASSED, way));
	move(space, way, sp_below, changed);
	TRY(site_update(space, way->from));
	TRY(site_update(space, way->to));
	return settle_threads(probe, space, PASS, way);
}

static struct error *go_home(struct probe *probe, struct space *space,
			     struct site *site, struct site **home)
{
	struct way way = {.from = site, .home = find_home(site)};

	*home = way.to = map_get(&space->sites, way.home);
	way.to->stand = 0;
	return go(probe, space, &way, 0, 0);
}

static bool may_move(const struct probe *probe, const struct space *space,
		     const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (site->attachments.data[i]->role == ROLE_JUMP_IF ||
		    site->attachments.data[i]->role == ROLE_JUMP_INDIRECT ||
		    site->attachments.data[i]->role == ROLE_CALL_INDIRECT ||
		    site->attachments.data[i]->role == ROLE_UNWIND ||
		    site->attachments.data[i]->role == ROLE_PROCESS_END)
			return false;
	return site->purpose == SITE_USER && site->attachments.count &&
	       site->has_slot && !fast_is_moved(site) &&
	       !is_awaited(probe, space, site->address);
}

/* Can there be a jump at the stand? */
static struct error *is_possible(struct space *space, const struct site *site,
				 const struct stand *stand, bool *possible)
{
	struct site there = {.address = stand->address};
	uint8_t bytes[ARCH_MAX_INSN];
	const char *refusal = NULL;
	struct error *error;
	struct patch patch;
	size_t got;

	*possible = false;
	error = read_original(space, stand->address, bytes, sizeof(bytes),
			      &got);
	if (!error)
		error = arch_decode(bytes, got, stand->address, &there.insn);
	if (error)
		return error_unless(error, ERROR_OTHER);
	there.fast = site->fast;
	TRY(find_patch(space, &there, &patch, &refusal));
	*possible = !refusal;
	return NULL;
}

static struct error *go_and_see(struct probe *probe, struct space *space,
				const struct way *way,
				const struct stand *stand)
{
	struct site *home;

	TRY(go(probe, space, way, stand->sp, stand->written));
	way->from->stand = way->to->address;
	TRY(fast_make_jump(probe, space, way->to));
	return way->to->is_jump ? NULL : go_home(probe, space, way->to, &home);
}

/* The breakpoints are back at home, and both sites are as they were. Neither
 * has to be updated because of the attempt: it would be made again at each
 * update, and fail again. */
static void forget_attempt(const struct way *way)
{
	way->from->is_outdated = false;
	way->to->is_outdated &= way->to->attachments.count != 0;
}

static struct error *try_stand(struct probe *probe, struct space *space,
			       struct site *site, const struct stand *stand)
{
	bool was_outdated = space->is_outdated, stays;
	size_t jumps = space->jumps, mark;
	struct error *error;
	struct site *there;
	struct way way;

	error = site_get(probe, space, stand->address, &there);
	if (error)
		return error_unless(error, ERROR_OTHER);
	way = (struct way){site, there, site->address};
	if (there->purpose != SITE_USER || !there->has_slot)
		return NULL;
	mark = layout_attempt(&space->layout);
	error = go_and_see(probe, space, &way, stand);
	stays = error || there->is_jump;
	layout_attempted(&space->layout, mark, stays);
	if (!stays) {
		forget_attempt(&way);
		/* The jumps that had to make way are made again. */
		space->is_outdated = was_outdated || there->is_outdated ||
				     space->jumps != jumps;
	}
	return error;
}

struct error *fast_move(struct probe *probe, struct space *space,
			struct site *site)
{
	struct stand stands[STRAIGHT_STANDS];
	const char *slow = site->slow;
	bool possible;
	size_t count;

	if (!may_move(probe, space, site))
		return NULL;
	count = find_stands(space, site, stands);
	for (size_t i = 0; i < count && site->attachments.count; i++) {
		TRY(is_possible(space, site, &stands[i], &possible));
		if (possible)
			TRY(try_stand(probe, space, site, &stands[i]));
	}
	site->slow = site->attachments.count ? slow : NULL;
	return NULL;
}

static bool stops(const struct probe *probe, const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++) {
		const struct breakpoint *at =
			site->attachments.data[i]->breakpoint;

		if (at->enabled && breakpoint_stops(probe, at))
			return true;
	}
	return false;
}

static bool has_neighbours(const struct space *space, const struct site *site)
{
	uint64_t home = find_home(site);

	return home < site->address
		       ? is_way_shared(space, home, site->address, home)
		       : is_way_shared(space, site->address, home, home);
}

/* Update the site at the higher address first: see site_patch.c. */
static struct error *update_both(struct probe *probe, struct space *space,
				 struct site *one, struct site *other)
{
	bool is_higher = one->address > other->address;

	TRY(fast_update_site(probe, space, is_higher ? one : other));
	return fast_update_site(probe, space, is_higher ? other : one);
}

struct error *fast_update_moved(struct probe *probe, struct space *space,
				struct site *site)
{
	const char *refusal = NULL;
	struct site *home;

	if (!site->slow && !has_neighbours(space, site)) {
		TRY(fast_make_jump(probe, space, site));
		refusal = site->slow;
	} else if (stops(probe, site) || has_neighbours(space, site)) {
		refusal = "it is elsewhere";
	} else {
		TRY(patch_out(space, site));
		refusal = fast_site_refuses(probe, space, site);
	}
	if (!refusal)
		return NULL;
	TRY(go_home(probe, space, site, &home));
	/* `site` is updated, too, because breakpoints that belong at its own
	 * address may still be there. */
	return update_both(probe, space, site, home);
}
