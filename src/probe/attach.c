/*
 * attach.c - breakpoints at sites, their expressions bound to the place
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

static void unbind(struct attachment *attachment)
{
	bound_expr_destroy(attachment->condition);
	bound_expr_destroy(attachment->value);
	for (size_t i = 0; i < attachment->keys.count; i++)
		bound_expr_destroy(attachment->keys.data[i]);
	vec_free(&attachment->keys);
	free(attachment->problem);
	attachment->condition = attachment->value = NULL;
	attachment->problem = NULL;
}

void attachment_destroy(struct attachment *attachment)
{
	unbind(attachment);
	vec_free(&attachment->ranges);
	free(attachment);
}

static bool is_exit(enum role role)
{
	return role != ROLE_PLACE && role != ROLE_ENTRY;
}

static struct error *bind_one(const struct expr *expr,
			      const struct expr_place *place,
			      struct bound_expr **out)
{
	*out = NULL;
	return expr ? expr_bind(expr, place, out) : NULL;
}

static struct error *bind(struct attachment *attachment, uint64_t address)
{
	struct breakpoint *breakpoint = attachment->breakpoint;
	struct module *module = attachment->module;
	struct expr_place place = {.file = module ? module_file(module) : NULL,
				   .address = address -
					      (module ? module->bias : 0),
				   .at_entry = attachment->role == ROLE_ENTRY,
				   .at_exit = is_exit(attachment->role)};
	struct bound_expr *key;

	unbind(attachment);
	TRY(bind_one(breakpoint->condition, &place, &attachment->condition));
	TRY(bind_one(breakpoint->value, &place, &attachment->value));
	for (size_t i = 0; i < breakpoint->keys.count; i++) {
		TRY(bind_one(breakpoint->keys.data[i], &place, &key));
		vec_push(&attachment->keys, key);
	}
	return NULL;
}

/* Where in the function's frame: for matching by frame. */
static void find_frame_rule(struct attachment *attachment, uint64_t address)
{
	struct debugfile *file =
		attachment->module ? module_file(attachment->module) : NULL;

	if (attachment->role != ROLE_PLACE) {
		/* at an entry, a return and a tail jump the return address is
		 * on top of the stack */
		attachment->has_cfa = true;
		attachment->cfa = (struct cfa_rule){.reg = 7, .offset = 8};
	} else if (file) {
		attachment->has_cfa = debugfile_cfa_rule(
			file, address - attachment->module->bias,
			&attachment->cfa);
	}
}

void place_describe(struct module *module, const struct spot *spot,
		    struct place *out)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	*out = (struct place){.address = spot->address +
					 (module ? module->bias : 0),
			      .module = module,
			      .function = spot->function};
	if (spot->file) {
		out->file = spot->file;
		out->line = spot->line;
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

static struct error *attach(struct probe *probe, struct space *space,
			    struct breakpoint *breakpoint,
			    struct module *module, const struct spot *spot,
			    uint64_t address)
{
	struct attachment *attachment;
	struct range_list ranges = {0};
	struct error *error;
	struct site *site;

	TRY(site_get(probe, space, space_stopped_thread(space), address,
		     &site));
	if (is_attached(site, breakpoint))
		return NULL;
	if (spot->role == ROLE_JUMP_INDIRECT) {
		error = find_ranges(module, &spot->function, &ranges);
		if (error) {
			vec_free(&ranges);
			return error;
		}
	}
	attachment = xcalloc(1, sizeof(*attachment));
	attachment->breakpoint = breakpoint;
	attachment->role = spot->role;
	attachment->module = module;
	attachment->function = spot->function;
	attachment->ranges = ranges;
	find_frame_rule(attachment, address);
	vec_push(&site->attachments, attachment);
	error = bind(attachment, address);
	if (error) {
		/* here it never counts; each hit says why */
		attachment->problem = xstrdup(error_message(error));
		error_destroy(error);
	}
	return site_update(space, site);
}

struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot)
{
	uint64_t address = spot->address + (module ? module->bias : 0);
	struct place_list *places = &breakpoint->places;
	struct place place;

	if (places->count && places->data[0].gone)
		vec_clear(places);
	for (size_t i = 0; i < breakpoint->places.count; i++)
		if (breakpoint->places.data[i].address == address)
			return NULL;
	if (space && space->process)
		TRY(attach(probe, space, breakpoint, module, spot, address));
	place_describe(module, spot, &place);
	vec_push(&breakpoint->places, place);
	breakpoint->was_found = true;
	return NULL;
}

void detach_breakpoint(struct probe *probe, struct breakpoint *breakpoint)
{
	struct space *space = probe->space;
	struct site *site;
	size_t cursor = 0;

	if (!space)
		return;
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = site->attachments.count; i-- > 0;) {
			struct attachment *at = site->attachments.data[i];

			if (at->breakpoint != breakpoint)
				continue;
			attachment_destroy(at);
			vec_remove(&site->attachments, i);
		}
		if (space->process)
			/* memory that is gone needs no int3 taken out */
			error_destroy(site_update(space, site));
	}
}

struct error *update_sites(struct probe *probe, struct breakpoint *breakpoint)
{
	struct space *space = probe->space;
	struct site *site;
	size_t cursor = 0;

	if (!space || !space->process)
		return NULL;
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (is_attached(site, breakpoint))
			TRY(site_update(space, site));
	return NULL;
}

/* Could it be bound at this place? */
static struct error *try_place(struct breakpoint *breakpoint,
			       const struct place *place)
{
	struct expr_place where = {
		.file = place->module ? module_file(place->module) : NULL,
		.address = place->address -
			   (place->module ? place->module->bias : 0),
		.at_exit = breakpoint->kind == REQUEST_EXIT};
	struct bound_expr *bound;

	where.at_entry = breakpoint->kind != REQUEST_EXIT &&
			 place->function.name &&
			 place->function.address == where.address;
	TRY(bind_one(breakpoint->condition, &where, &bound));
	bound_expr_destroy(bound);
	TRY(bind_one(breakpoint->value, &where, &bound));
	bound_expr_destroy(bound);
	for (size_t i = 0; i < breakpoint->keys.count; i++) {
		TRY(bind_one(breakpoint->keys.data[i], &where, &bound));
		bound_expr_destroy(bound);
	}
	return NULL;
}

/* Nothing runs, so nothing is attached; a mistake is told all the same. */
static struct error *try_binding(struct breakpoint *breakpoint)
{
	struct error *first = NULL;

	for (size_t i = 0; i < breakpoint->places.count; i++) {
		struct error *error =
			try_place(breakpoint, &breakpoint->places.data[i]);

		if (!error) {
			error_destroy(first);
			return NULL;
		}
		if (first)
			error_destroy(error);
		else
			first = error;
	}
	return first;
}

struct error *bind_breakpoint(struct probe *probe,
			      struct breakpoint *breakpoint)
{
	struct space *space = probe->space;
	struct error *first = NULL;
	bool bound = false;
	struct site *site;
	size_t cursor = 0;

	if (!space || !space->process)
		return try_binding(breakpoint);
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = 0; i < site->attachments.count; i++) {
			struct attachment *at = site->attachments.data[i];
			struct error *error;

			if (at->breakpoint != breakpoint)
				continue;
			error = bind(at, site->address);
			bound |= !error;
			if (!error)
				continue;
			at->problem = xstrdup(error_message(error));
			if (first)
				error_destroy(error);
			else
				first = error;
		}
	}
	/* one copy of several without the variable is no mistake */
	if (bound) {
		error_destroy(first);
		first = NULL;
	}
	return first;
}
