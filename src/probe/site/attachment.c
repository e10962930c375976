/*
 * attachment.c - attaching breakpoints to sites, and detaching them
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"
#include "spot.h"

void attachment_unref(struct attachment *attachment)
{
	if (--attachment->users)
		return;
	release_bound(&attachment->bound);
	module_unref(attachment->module);
	vec_free(&attachment->ranges);
	free(attachment);
}

struct attachment *attachment_at_home(struct space *space,
				      const struct attachment *attachment)
{
	struct attachment *new = xcalloc(1, sizeof(*new));

	new->users = 1;
	new->breakpoint = attachment->breakpoint;
	new->role = attachment->role;
	new->module = module_ref(attachment->module);
	new->function = attachment->function;
	new->address = attachment->address;
	new->target = attachment->target;
	new->frame = attachment->frame;
	new->called = attachment->called;
	new->thunk = attachment->thunk;
	memcpy(new->unless, attachment->unless, sizeof(new->unless));
	new->unless_count = attachment->unless_count;
	new->taken = attachment->taken;
	new->needs_argument = attachment->needs_argument;
	new->is_probe = attachment->is_probe;
	new->semaphore = attachment->semaphore;
	for (size_t i = 0; i < attachment->ranges.count; i++)
		vec_push(&new->ranges, attachment->ranges.data[i]);
	new->has_cfa = attachment->has_cfa;
	new->cfa = attachment->cfa;
	if (new->cfa.reg == CFA_RSP)
		new->cfa.offset -= attachment->sp_below;
	bind_attachment(space, new);
	return new;
}

/* Find the rule by which a hit computes the CFA of the function's frame. Legs
 * that match their hits by frame need the CFA. */
static void find_frame_rule(struct attachment *attachment, uint64_t address,
			    int8_t shift)
{
	struct debugfile *file =
		attachment->module ? module_file(attachment->module) : NULL;

	if (attachment->role == ROLE_UNWIND) {
		/* The "frame" of such a hit is the stack pointer behind the
		 * instruction. */
		attachment->has_cfa = true;
		attachment->cfa =
			(struct cfa_rule){.reg = CFA_RSP, .offset = 8 + shift};
	} else if (attachment->role != ROLE_PLACE &&
		   attachment->role != ROLE_CALL_INDIRECT) {
		/* At an entry, a return and a tail jump the return address is
		 * on top of the stack. */
		attachment->has_cfa = true;
		attachment->cfa =
			(struct cfa_rule){.reg = CFA_RSP, .offset = 8 + shift};
	} else if (file) {
		attachment->has_cfa = debugfile_cfa_rule(
			file, address - attachment->module->bias,
			&attachment->cfa);
	}
}

unsigned spot_frame(struct module *module, const struct spot *spot)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	if (!file || spot->inlined)
		return spot->frame;
	if (spot->file)
		return debugfile_frame_of_line(file, spot->address, spot->file,
					       spot->line);
	return debugfile_frames_begun(file, spot->address);
}

/* Has a breakpoint of the site changed? */
static bool is_any_changed(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (site->attachments.data[i]->breakpoint->is_changed)
			return true;
	return false;
}

/* Do both stand for the same at one place? Several patterns of functions whose
 * calls are counted may name one function, which is counted once. */
static bool is_like(const struct breakpoint *a, const struct breakpoint *b)
{
	return a == b ||
	       (a->is_of_calls && b->is_of_calls && a->kind == b->kind);
}

/* Does the list have an attachment of the breakpoint for this address, in this
 * role? (The tool's own breakpoint, which tails.c attaches, may have several
 * roles at one address.) */
static bool has_attachment(const struct attachment_list *list, uint64_t address,
			   const struct breakpoint *breakpoint, enum role role)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct attachment *at = list->data[i];

		if (is_like(at->breakpoint, breakpoint) &&
		    at->address == address &&
		    (at->role == role || !is_of_tails(at)))
			return true;
	}
	return false;
}

/* Is the breakpoint attached at the site, or at the site to which this site's
 * breakpoints were moved? */
static bool is_attached_at(const struct space *space, const struct site *site,
			   const struct breakpoint *breakpoint, enum role role)
{
	const struct site *stand =
		site->stand ? map_get(&space->sites, site->stand) : NULL;

	return has_attachment(&site->attachments, site->address, breakpoint,
			      role) ||
	       (stand && has_attachment(&stand->attachments, site->address,
					breakpoint, role));
}

/* Find the run-time ranges of a function's code. An indirect jump to an address
 * outside of them leaves the function. */
static struct error *find_ranges(struct module *module,
				 const struct function *function,
				 struct range_list *out)
{
	TRY(debugfile_function_ranges(module_file(module), function, out));
	for (size_t i = 0; i < out->count; i++) {
		out->data[i].low += module->bias;
		out->data[i].high += module->bias;
	}
	return NULL;
}

/* The end of the process comes last: it ends the call that begins there. */
static void insert(struct site *site, struct attachment *attachment)
{
	size_t last = site->attachments.count;

	vec_push(&site->attachments, attachment);
	if (!last || attachment->role == ROLE_PROCESS_END ||
	    site->attachments.data[last - 1]->role != ROLE_PROCESS_END)
		return;
	site->attachments.data[last] = site->attachments.data[last - 1];
	site->attachments.data[last - 1] = attachment;
}

struct error *attach_at_spot(struct probe *probe, struct space *space,
			     struct breakpoint *breakpoint,
			     struct module *module, const struct spot *spot)
{
	uint64_t bias = module ? module->bias : 0;
	uint64_t address = spot->address + bias;
	struct attachment *attachment;
	struct range_list ranges = {0};
	struct error *error;
	struct site *site;

	TRY(site_get(probe, space, address, &site));
	if (is_attached_at(space, site, breakpoint, spot->role))
		return NULL;
	if (spot->role == ROLE_JUMP_INDIRECT && !spot->is_stub) {
		error = find_ranges(module, &spot->function, &ranges);
		if (error) {
			vec_free(&ranges);
			return error;
		}
	}
	attachment = xcalloc(1, sizeof(*attachment));
	attachment->users = 1;
	attachment->breakpoint = breakpoint;
	attachment->role = spot->role;
	attachment->module = module_ref(module);
	attachment->function = spot->function;
	attachment->address = address;
	attachment->target = spot->target ? spot->target + bias : 0;
	attachment->frame = breakpoint_is_shown_nowhere(breakpoint)
				    ? 0
				    : spot_frame(module, spot);
	attachment->ranges = ranges;
	if (breakpoint->is_of_calls && spot->role != ROLE_UNWIND &&
	    spot->role != ROLE_PROCESS_END)
		attachment->called =
			called_number(&probe->called, module, &spot->function);
	find_frame_rule(attachment, address, spot->shift);
	attachment->thunk = spot->thunk;
	for (size_t i = 0; i < spot->unless_count; i++)
		attachment->unless[i] =
			(struct range){spot->unless[i].low + bias,
				       spot->unless[i].high + bias};
	attachment->unless_count = spot->unless_count;
	attachment->taken = spot->taken;
	attachment->needs_argument = spot->needs_argument;
	attachment->is_probe = spot->is_probe;
	attachment->semaphore = spot->semaphore ? spot->semaphore + bias : 0;
	insert(site, attachment);
	bind_attachment(space, attachment);
	note_bound_anew(probe, breakpoint);
	if (breakpoint == probe->adding)
		vec_push(&probe->added, attachment);
	return site_update(space, site);
}

/* Detach `breakpoint`, or all breakpoints that are deleted if it is NULL, from
 * one site. Returns whether it was there. */
static bool detach_at(struct space *space, struct site *site,
		      const struct breakpoint *breakpoint)
{
	size_t count = site->attachments.count;

	for (size_t i = count; i-- > 0;) {
		struct attachment *at = site->attachments.data[i];

		if (breakpoint ? at->breakpoint != breakpoint
			       : !at->breakpoint->deleted)
			continue;
		space->is_outdated |= at->semaphore != 0;
		attachment_unref(at);
		vec_remove(&site->attachments, i);
	}
	return site->attachments.count < count;
}

static void detach_from(struct space *space,
			const struct breakpoint *breakpoint)
{
	bool together = space->process && space_is_at_rest(space);
	struct site *site;
	size_t cursor = 0;

	if (together)
		store_begin(space);
	/* Errors mean nothing here: if the memory is gone, there is no int3 to
	 * take out. */
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (detach_at(space, site, breakpoint))
			error_destroy(site_update(space, site));
	if (together)
		error_destroy(store_end(space));
}

void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		detach_from(probe->spaces.data[i], breakpoint);
}

void detach_deleted(struct probe *probe)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		detach_from(probe->spaces.data[i], NULL);
}

static bool has_semaphore(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (site->attachments.data[i]->semaphore)
			return true;
	return false;
}

static struct error *update_sites_of(struct space *space)
{
	struct error *error = NULL;
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (is_any_changed(site)) {
			error = error_first(error, site_update(space, site));
			space->is_outdated |= has_semaphore(site);
		}
	return error;
}

static struct error *update_together(struct space *space)
{
	struct error *error;

	if (!space->process || !space_is_at_rest(space))
		return update_sites_of(space);
	store_begin(space);
	error = update_sites_of(space);
	return error_first(error, store_end(space));
}

struct error *update_changed_sites(struct probe *probe)
{
	struct error *error = NULL;

	for (size_t i = 0; i < probe->spaces.count; i++)
		error = error_first(error,
				    update_together(probe->spaces.data[i]));
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			probe->breakpoints.data[i]->is_changed = false;
	probe->tails.breakpoint.is_changed = false;
	return error;
}
