/*
 * place_list.c - the list of a breakpoint's places, and how a place gets into
 * the list
 *
 * A pattern may have thousands of places. They are found by their offset in the
 * file (the run-time address minus the load bias), which is the same in each
 * process.
 */
#include "place_list.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/arrival/arrival.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

static uint64_t offset_of(const struct place *place)
{
	return place->address - (place->module ? place->module->bias : 0);
}

static void note_offset(struct breakpoint *breakpoint, size_t index)
{
	struct place *place = &breakpoint->places.data[index];
	uint64_t offset = offset_of(place);

	place->next = (size_t)map_get_number(&breakpoint->place_at, offset);
	map_set_number(&breakpoint->place_at, offset, index + 1);
}

static bool is_same_file(const struct module *a, const struct module *b)
{
	return a && b ? str_equal(a->path, b->path) : a == b;
}

struct place *places_find(struct breakpoint *breakpoint,
			  const struct module *module, uint64_t address)
{
	uint64_t offset = address - (module ? module->bias : 0);
	size_t number = (size_t)map_get_number(&breakpoint->place_at, offset);

	while (number) {
		struct place *place = &breakpoint->places.data[number - 1];

		if (is_same_file(place->module, module))
			return place;
		number = place->next;
	}
	return NULL;
}

void places_add(struct breakpoint *breakpoint, const struct place *place)
{
	if (breakpoint->places.count == 1)
		breakpoint->places.data[0].hits = breakpoint->hits;
	vec_push(&breakpoint->places, *place);
	note_offset(breakpoint, breakpoint->places.count - 1);
}

void places_replace(struct place *old, const struct place *place)
{
	size_t next = old->next;
	uint64_t hits = old->hits;

	module_unref((struct module *)old->module);
	*old = *place;
	old->next = next;
	old->hits = hits;
}

void places_clear(struct breakpoint *breakpoint)
{
	struct place_list *places = &breakpoint->places;

	for (size_t i = 0; i < places->count; i++)
		module_unref((struct module *)places->data[i].module);
	vec_clear(places);
	map_deinit(&breakpoint->place_at);
	map_deinit(&breakpoint->leads);
}

/* ---- a module is unmapped ------------------------------------------------ */

static bool is_elsewhere_too(const struct place_list *places,
			     const struct module *module)
{
	for (size_t i = 0; i < places->count; i++)
		if (places->data[i].module != module)
			return true;
	return false;
}

static void move_place(struct place *place, struct module *module)
{
	place->address += module->bias - place->module->bias;
	module_unref((struct module *)place->module);
	place->module = module_ref(module);
}

void places_move(struct breakpoint *breakpoint, const struct module *module,
		 struct module *twin)
{
	struct place_list *places = &breakpoint->places;

	for (size_t i = 0; i < places->count; i++)
		if (places->data[i].module == module)
			move_place(&places->data[i], twin);
}

void places_drop(struct breakpoint *breakpoint, const struct module *module)
{
	struct place_list *places = &breakpoint->places;
	bool others = is_elsewhere_too(places, module);
	size_t count = places->count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct place *place = &places->data[i];

		if (place->module != module) {
			places->data[kept++] = *place;
		} else if (!others && !kept) {
			/* The tables report a place of the breakpoint, so one
			 * place is kept. */
			place->gone = true;
			kept++;
		} else {
			module_unref((struct module *)place->module);
		}
	}
	if (kept == count)
		return;
	places->count = kept;
	map_deinit(&breakpoint->place_at);
	for (size_t i = 0; i < kept; i++)
		note_offset(breakpoint, i);
}

/* ---- from a spot to a place ---------------------------------------------- */

/* Find the line where a function begins. The line of its first instruction may
 * be that of a call that was inlined from elsewhere. */
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

/* Describe a place by its module and function alone, for breakpoints that are
 * shown nowhere: to look up the lines of thousands of places would read all
 * debug information of the program. */
static void describe_shortly(struct module *module, const struct spot *spot,
			     struct place *out)
{
	*out = (struct place){.address = spot->address +
					 (module ? module->bias : 0),
			      .module = module_ref(module),
			      .function = spot->function,
			      .is_jump = is_jump(spot->role),
			      .form = spot->form,
			      .marks = spot->marks};
}

void place_describe(struct module *module, const struct spot *spot,
		    struct place *out)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	describe_shortly(module, spot, out);
	out->inlined = spot->inlined;
	out->frame = spot_frame(module, spot);
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

/* Does a hit at the spot count for the breakpoint? At a tail jump it does not
 * count for a return breakpoint: the frame ends in another function, whose
 * returns tails.c watches. */
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
	/* Was the place found already, in another process or in an earlier
	 * run? */
	known = places_find(breakpoint, module, address);
	if (known && !known->gone &&
	    (!known->module || is_loaded(probe, known->module)))
		return NULL;
	if (breakpoint_is_shown_nowhere(breakpoint))
		describe_shortly(module, spot, &place);
	else
		place_describe(module, spot, &place);
	/* As in gdb, a stop at a line or an address shows the innermost
	 * frame. */
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
