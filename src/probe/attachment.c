/*
 * attachment.c - breakpoints at sites
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "tails.h"

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
	new->thunk = attachment->thunk;
	new->unless = attachment->unless;
	for (size_t i = 0; i < attachment->ranges.count; i++)
		vec_push(&new->ranges, attachment->ranges.data[i]);
	new->has_cfa = attachment->has_cfa;
	new->cfa = attachment->cfa;
	if (new->cfa.reg == CFA_RSP)
		new->cfa.offset -= attachment->sp_below;
	bind_attachment(space, new);
	return new;
}

/* Where in the function's frame: for matching by frame. */
static void find_frame_rule(struct attachment *attachment, uint64_t address,
			    int8_t shift)
{
	struct debugfile *file =
		attachment->module ? module_file(attachment->module) : NULL;

	if (attachment->role != ROLE_PLACE) {
		/* at an entry, a return and a tail jump the return address is
		 * on top of the stack */
		attachment->has_cfa = true;
		attachment->cfa =
			(struct cfa_rule){.reg = CFA_RSP, .offset = 8 + shift};
	} else if (file) {
		attachment->has_cfa = debugfile_cfa_rule(
			file, address - attachment->module->bias,
			&attachment->cfa);
	}
}

/* The line where a function begins, though what begins it may be a call that
 * was inlined from elsewhere. */
static void find_opening(struct debugfile *file, const struct spot *spot,
			 struct place *out)
{
	struct source_frame_list frames = {0};

	if (debugfile_opening(file, &spot->function, &out->file, &out->line))
		return;
	debugfile_source_frames(file, spot->address, 0, &frames);
	out->file = frames.data[frames.count - 1].file;
	out->line = frames.data[frames.count - 1].line;
	source_frames_clear(&frames);
}

/* The frame that a spot is about: expressions use its names. */
static unsigned frame_of(struct module *module, const struct spot *spot)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	if (!file || spot->inlined)
		return spot->frame;
	if (spot->file)
		return debugfile_frame_of_line(file, spot->address, spot->file,
					       spot->line);
	return debugfile_frames_begun(file, spot->address);
}

void place_describe(struct module *module, const struct spot *spot,
		    struct place *out)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	*out = (struct place){.address = spot->address +
					 (module ? module->bias : 0),
			      .module = module_ref(module),
			      .function = spot->function,
			      .inlined = spot->inlined,
			      .frame = frame_of(module, spot),
			      .is_jump = is_jump(spot->role)};
	if (spot->file) {
		out->file = spot->file;
		out->line = spot->line;
	} else if (file && spot->role == ROLE_ENTRY) {
		find_opening(file, spot, out);
	} else if (file) {
		debugfile_source_at(file, spot->address, &out->file,
				    &out->line);
	}
}

static bool is_attached(const struct site *site,
			const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (site->attachments.data[i]->breakpoint == breakpoint)
			return true;
	return false;
}

/* Is there an attachment of the breakpoint for what is at the address, in that
 * role? (What tails.c attaches may have several.) */
static bool has_attachment(const struct attachment_list *list, uint64_t address,
			   const struct breakpoint *breakpoint, enum role role)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct attachment *at = list->data[i];

		if (at->breakpoint == breakpoint && at->address == address &&
		    (at->role == role || !is_of_tails(at)))
			return true;
	}
	return false;
}

/* There, or where its breakpoints are instead. */
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

/* Where a function's code is, at run time: an indirect jump to elsewhere
 * leaves it. */
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
	attachment->frame = frame_of(module, spot);
	attachment->ranges = ranges;
	find_frame_rule(attachment, address, spot->shift);
	attachment->thunk = spot->thunk;
	if (spot->unless.high)
		attachment->unless = (struct range){spot->unless.low + bias,
						    spot->unless.high + bias};
	vec_push(&site->attachments, attachment);
	bind_attachment(space, attachment);
	breakpoint->is_bound_anew = true;
	return site_update(space, site);
}

static bool is_loaded(const struct probe *probe, const struct module *module)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0; j < space->modules.count; j++)
			if (space->modules.data[j].module == module)
				return true;
	}
	return false;
}

/* A jump is no end of a frame: tails.c has those of other functions' returns.
 */
static bool counts_by_itself(const struct breakpoint *breakpoint,
			     const struct spot *spot)
{
	return breakpoint->kind != REQUEST_RETURN || !is_jump(spot->role);
}

struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot)
{
	uint64_t address = spot->address + (module ? module->bias : 0);
	struct place place, *known;

	if (space->process && breakpoint->kind == REQUEST_RETURN)
		TRY(tails_watch(probe, space, breakpoint, module, spot));
	if (space->process && counts_by_itself(breakpoint, spot))
		TRY(attach_at_spot(probe, space, breakpoint, module, spot));
	breakpoint->was_found = true;
	breakpoint->is_of_program |= !space->foreign;
	/* of another process, or of an earlier one */
	known = places_find(breakpoint, module, address);
	if (known && !known->gone &&
	    (!known->module || is_loaded(probe, known->module)))
		return NULL;
	place_describe(module, spot, &place);
	/* as in gdb, a line and an address mean the innermost */
	if (breakpoint->location.kind == LOCATION_FUNCTION)
		place.stop_frame = place.frame;
	if (known) {
		places_replace(known, &place);
		return NULL;
	}
	if (breakpoint->places.count && breakpoint->places.data[0].gone)
		places_clear(breakpoint);
	places_add(breakpoint, &place);
	return NULL;
}

static void detach_from(struct space *space, struct breakpoint *breakpoint)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = site->attachments.count; i-- > 0;) {
			struct attachment *at = site->attachments.data[i];

			if (at->breakpoint != breakpoint)
				continue;
			attachment_unref(at);
			vec_remove(&site->attachments, i);
		}
		/* memory that is gone needs no int3 taken out */
		error_destroy(site_update(space, site));
	}
}

void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		detach_from(probe->spaces.data[i], breakpoint);
}

static struct error *update_sites_of(struct space *space,
				     struct breakpoint *breakpoint)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (is_attached(site, breakpoint))
			TRY(site_update(space, site));
	return NULL;
}

struct error *update_sites(struct probe *probe, struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		TRY(update_sites_of(probe->spaces.data[i], breakpoint));
	return NULL;
}
