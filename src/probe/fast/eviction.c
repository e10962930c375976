/*
 * eviction.c - eviction: an instruction behind a site makes room for the site's
 * jump
 *
 * The jump in place of a short instruction ends in bytes of the next
 * instruction, or of the two next ones, so that it can only lead to a few
 * addresses, or to a single one. If memory is free at none of these addresses,
 * one of the next instructions is evicted: it becomes a jump, too, to its own
 * out-of-line slot. The bytes of this second jump are chosen such that the
 * first jump can lead to free memory. A thread that reaches the evicted
 * instruction executes it in its slot, and nothing is recorded.
 *
 * If a breakpoint is at the next instruction, which is a jump already, nothing
 * is evicted: that jump gets another landing, so that its bytes suit.
 *
 * The second jump must stay in memory as long as the first one does. So both
 * are in one page, which the kernel can only drop as a whole (MADV_DONTNEED);
 * and patch_make_way() takes the first jump out before the second one changes.
 *
 * All threads are STOPPED during an eviction, and none is in a trampoline.
 */
#include <string.h>

#include "fast_site.h"
#include "probe/probe_state.h"
#include "probe/site/site.h"
#include "stand.h"

/* How many addresses for the landing of the second jump (memory to which it can
 * lead) are tried in each window of addresses. */
#define CANDIDATES 256
/* 2^32 divided by the golden ratio: the multiples of this number, modulo 2^32,
 * are spread evenly. */
#define SPREAD 0x9e3779b9u
/* How many instructions behind the site are considered for eviction. */
#define MOST_BEHIND 2

/* The state of an attempt to evict the instruction of `next` for the jump of
 * `site`, or, if `next` is a jump of the user's, to aim that jump anew. */
struct eviction {
	struct site *site, *next;
	/* the site of a jump between `site` and `next` that also ends in bytes
	 * of `next` */
	struct site *between;
	bool is_aimed; /* `next` is a jump of the user's */
	struct plan plan, next_plan, between_plan;
	/* a single address to which the second jump is to lead */
	struct patch_window window;
};

/* ---- may an instruction be evicted? -------------------------------------- */

/* Is it certain that an instruction begins at `next`, behind `insn`? Anything
 * may follow a return or a jump, and a call, which may never return. But where
 * a function begins, or where a branch of the function leads, there is code. */
static bool is_followed(struct space *space, const struct insn *insn,
			uint64_t next)
{
	return ((insn->kind == INSN_PLAIN || insn->kind == INSN_JUMP_IF) &&
		next == insn->address + insn->length) ||
	       begins_function(space, next) || is_branched_to(space, next);
}

static bool is_in_page(const struct site *site, uint64_t address)
{
	return (site->address ^ (address + PATCH_SIZE - 1)) < ARCH_PAGE;
}

/* Can the instruction be replaced by a jump and be executed elsewhere? */
static bool can_be_moved(struct space *space, const struct site *site,
			 const struct insn *insn)
{
	struct arch_slot slot;
	struct error *error;

	if ((insn->kind != INSN_PLAIN && insn->kind != INSN_JUMP_IF &&
	     insn->kind != INSN_JUMP && insn->kind != INSN_CALL &&
	     insn->kind != INSN_RETURN) ||
	    shadow_refuses_jump(space, insn))
		return false;
	/* The slot that the instruction would get is near this address. */
	error = arch_relocate(insn, site->slot.address, &slot);
	error_destroy(error);
	return !error;
}

/* Is there a breakpoint at the site, or is the site evicted for another jump?
 */
static bool is_taken(const struct site *site)
{
	return site->inserted || site_is_wanted(site);
}

/* Is the site a jump of the user's, whose landing may be chosen anew? The
 * landing determines bytes of the jump just as it does if the instruction is
 * evicted, but the jump leads to the site's trampoline. */
static bool can_be_aimed(const struct site *site)
{
	return site->purpose == SITE_USER && site->is_jump &&
	       !site->is_evicted && site->has_slot;
}

/* Did an eviction for this site fail earlier, and is the breakpoint that
 * prevented it still there? */
static bool is_hopeless(const struct space *space, const struct site *site)
{
	const struct site *by =
		site->blocked_by ? map_get(&space->sites, site->blocked_by)
				 : NULL;

	return site->cannot_evict && (!by || is_taken(by));
}

static struct error *read_insn(struct space *space, uint64_t address,
			       struct insn *out)
{
	uint8_t bytes[ARCH_MAX_INSN];
	size_t got;

	TRY(read_original(space, address, bytes, sizeof(bytes), &got));
	return arch_decode(bytes, got, address, out);
}

/* Find or make the site of the instruction that is to be evicted or aimed,
 * `eviction->next`. It is NULL if neither is possible. */
static struct error *find_next(struct probe *probe, struct space *space,
			       struct eviction *eviction,
			       const struct insn *insn)
{
	struct site *next = map_get(&space->sites, insn->address);
	struct error *error;

	eviction->next = NULL;
	eviction->is_aimed = false;
	if (!is_in_page(eviction->site, insn->address))
		return NULL;
	if (next && is_taken(next)) {
		eviction->site->blocked_by = next->address;
		eviction->is_aimed = can_be_aimed(next);
		eviction->next = eviction->is_aimed ? next : NULL;
		return NULL;
	}
	if (!can_be_moved(space, eviction->site, insn))
		return NULL;
	error = site_get(probe, space, insn->address, &next);
	if (error)
		return error_unless(error, ERROR_OTHER);
	if (next->has_slot)
		eviction->next = next;
	return NULL;
}

/* ---- where the second jump leads ----------------------------------------- */

/* Would the jump of `site`, which lies before the second jump, be able to lead
 * to free memory if the second jump led to the address `eviction->window`? */
static bool has_room(struct space *space, const struct eviction *eviction,
		     const struct site *site, const struct plan *plan)
{
	const struct site *next = eviction->next;
	size_t before = next->address - site->address - plan->room;
	struct patch_window windows[PATCH_WINDOWS];
	uint8_t following[sizeof(plan->following)];
	struct patch patch;
	size_t count;

	patch_in_window(&next->insn, eviction->next_plan.room,
			&eviction->window, eviction->window.low, &patch);
	memcpy(following, plan->following, sizeof(following));
	for (size_t i = 0; i < patch.length; i++)
		if (before + i < sizeof(following))
			following[before + i] = patch.bytes[i];
	count = plan_windows(site, plan->room, following, plan->following_count,
			     windows);
	for (size_t i = 0; i < count; i++)
		if (may_land(space, site, &windows[i]))
			return true;
	return false;
}

static struct error *make_jump(struct space *space, struct site *site)
{
	const char *refusal = NULL;
	struct patch patch;

	TRY(find_patch(space, site, &patch, &refusal));
	return refusal ? NULL : patch_in(space, site, &patch);
}

/* The second jump has not helped: remove it. One of the user's stays a jump,
 * wherever it leads. */
static struct error *undo(struct space *space, const struct eviction *eviction)
{
	struct site *next = eviction->next;

	TRY(patch_out(space, next));
	if (!eviction->is_aimed)
		return NULL;
	/* If that is not possible now, the next update tries it. */
	next->is_outdated = true;
	return make_jump(space, next);
}

/* Write the second jump, the jump between (if there is one) and the jump of the
 * site. They are written from higher addresses to lower ones, as in
 * site_patch.c. `*done` is set if the site is a jump afterwards. */
static struct error *try_it(struct space *space,
			    const struct eviction *eviction, bool *done)
{
	struct site *site = eviction->site, *next = eviction->next;
	struct site *between = eviction->between;
	const char *refusal = NULL;
	struct patch patch;

	TRY(make_patch(space, next, &eviction->next_plan, &eviction->window,
		       &patch, &refusal));
	if (refusal)
		return NULL;
	if (eviction->is_aimed)
		TRY(patch_out(space, next));
	else
		TRY(site_update(space, next));
	if (!next->inserted)
		return NULL;
	TRY(patch_in(space, next, &patch));
	if (between)
		TRY(make_jump(space, between));
	if (!between || between->is_jump)
		TRY(make_jump(space, site));
	*done = site->is_jump;
	return *done ? NULL : undo(space, eviction);
}

static struct error *try_at(struct space *space, struct eviction *eviction,
			    uint64_t landing, bool *done)
{
	eviction->window.low = eviction->window.high = landing;
	if (!has_room(space, eviction, eviction->site, &eviction->plan) ||
	    (eviction->between && !has_room(space, eviction, eviction->between,
					    &eviction->between_plan)) ||
	    !may_land(space, eviction->next, &eviction->window))
		return NULL;
	return try_it(space, eviction, done);
}

static struct error *try_window(struct space *space, struct eviction *eviction,
				const struct patch_window *window, bool *done)
{
	uint64_t last = (uintptr_t)map_get(&space->fast.landing_of,
					   eviction->next->address);
	uint64_t width = window->high - window->low + 1;
	uint64_t count = width < CANDIDATES ? width : CANDIDATES;

	eviction->window = *window;
	if (last >= window->low && last <= window->high)
		TRY(try_at(space, eviction, last, done));
	for (uint64_t i = 0; i < count && !*done; i++) {
		uint64_t at = width < CANDIDATES
				      ? i
				      : ((uint32_t)(i * SPREAD) * width) >> 32;

		TRY(try_at(space, eviction, window->low + at, done));
	}
	return NULL;
}

static struct error *try_windows(struct space *space, struct eviction *eviction,
				 bool *done)
{
	const struct plan *plan = &eviction->next_plan;
	struct patch_window windows[PATCH_WINDOWS];
	size_t count = plan_windows(eviction->next, plan->room, plan->following,
				    plan->following_count, windows);

	for (size_t i = 0; i < count && !*done; i++)
		TRY(try_window(space, eviction, &windows[i], done));
	for (size_t i = 0; i < count && !*done; i++) {
		windows[i].prefix = PATCH_OTHER_PREFIX;
		if (windows[i].prefixes)
			TRY(try_window(space, eviction, &windows[i], done));
	}
	return NULL;
}

/* ---- evicting an instruction, or aiming a jump --------------------------- */

/* The jump that is aimed has made room, or is as good as it was. */
static struct error *aim(struct space *space, struct eviction *eviction,
			 bool *done)
{
	TRY(try_windows(space, eviction, done));
	return eviction->between && !eviction->between->is_jump
		       ? make_jump(space, eviction->between)
		       : NULL;
}

static struct error *evict(struct space *space, struct eviction *eviction,
			   bool *done)
{
	struct site *site = eviction->site, *next = eviction->next;
	size_t mark = layout_attempt(&space->layout);
	bool was_outdated = space->is_outdated;
	struct error *error;

	site->evicts = next->address;
	next->is_evicted = true;
	error = try_windows(space, eviction, done);
	if (!*done)
		error = error_first(error, evict_no_more(space, site));
	layout_attempted(&space->layout, mark, *done || error);
	if (eviction->between && !eviction->between->is_jump)
		error = error_first(error, make_jump(space, eviction->between));
	/* The insertion of the evicted site has changed no breakpoint, so no
	 * update is due for it. */
	space->is_outdated = was_outdated;
	return error;
}

/* Does the jump of the site end in bytes that far away? The jump may have been
 * taken out in this update, because those bytes have changed. If it were not
 * made again with them, the two sites would take each other's jumps out at each
 * update. */
static bool ends_in(const struct site *site, uint64_t distance)
{
	return site->inserted && site->patch.span > distance &&
	       (site->is_jump || (site->fast && !site->slow));
}

/* Find a jump between the site and `next` that must be taken out when the bytes
 * of `next` change. At most one instruction lies between them. */
static void find_between(const struct space *space, struct eviction *eviction)
{
	uint64_t next = eviction->next->address;

	eviction->between = NULL;
	for (uint64_t at = eviction->site->address + 1; at < next; at++) {
		struct site *site = map_get(&space->sites, at);

		if (site && ends_in(site, next - at))
			eviction->between = site;
	}
}

static struct error *try_instruction(struct probe *probe, struct space *space,
				     struct eviction *eviction,
				     const struct insn *insn, bool *done)
{
	const char *refusal = NULL;

	TRY(find_next(probe, space, eviction, insn));
	if (!eviction->next)
		return NULL;
	TRY(plan_patch(space, eviction->next, &eviction->next_plan, &refusal));
	find_between(space, eviction);
	if (!refusal && eviction->between)
		TRY(plan_patch(space, eviction->between,
			       &eviction->between_plan, &refusal));
	if (refusal)
		return NULL;
	return eviction->is_aimed ? aim(space, eviction, done)
				  : evict(space, eviction, done);
}

/* Try to evict one of the next instructions, as far as the displacement of the
 * site's jump may reach. */
static struct error *try_instructions(struct probe *probe, struct space *space,
				      struct eviction *eviction, bool *done)
{
	const struct site *site = eviction->site;
	uint64_t next = site->address + eviction->plan.room;
	struct insn insn = site->insn;

	for (int i = 0;
	     i < MOST_BEHIND && !*done && is_followed(space, &insn, next) &&
	     next - site->address < PATCH_SIZE + site->insn.length - 1U;
	     i++) {
		struct error *error = read_insn(space, next, &insn);

		if (error)
			return error_unless(error, ERROR_OTHER);
		TRY(try_instruction(probe, space, eviction, &insn, done));
		next += insn.length;
	}
	return NULL;
}

struct error *fast_evict(struct probe *probe, struct space *space,
			 struct site *site)
{
	struct eviction eviction = {.site = site};
	const char *refusal = NULL;
	bool done = false;

	if (site->purpose != SITE_USER || is_hopeless(space, site) ||
	    fast_is_moved(site))
		return NULL;
	site->blocked_by = 0;
	TRY(plan_patch(space, site, &eviction.plan, &refusal));
	if (refusal)
		return NULL;
	TRY(try_instructions(probe, space, &eviction, &done));
	site->cannot_evict = !done;
	if (done) {
		site->slow = NULL;
		probe->fast.had_jumps = true;
	}
	return NULL;
}
