/*
 * places.c - where a breakpoint is, for whoever asks
 *
 * A pattern may have thousands: they are found by their offset in the file,
 * which is the same in each process.
 */
#include "internal.h"
#include "perftool/base/str.h"

static uint64_t offset_of(const struct place *place)
{
	return place->address - (place->module ? place->module->bias : 0);
}

static void *boxed(size_t number)
{
	return (void *)(uintptr_t)number;
}

static void note_offset(struct breakpoint *breakpoint, size_t index)
{
	struct place *place = &breakpoint->places.data[index];
	uint64_t offset = offset_of(place);

	place->next = (size_t)(uintptr_t)map_get(&breakpoint->place_at, offset);
	map_set(&breakpoint->place_at, offset, boxed(index + 1));
}

static bool is_same_file(const struct module *a, const struct module *b)
{
	return a && b ? str_equal(a->path, b->path) : a == b;
}

struct place *places_find(struct breakpoint *breakpoint,
			  const struct module *module, uint64_t address)
{
	uint64_t offset = address - (module ? module->bias : 0);
	size_t number =
		(size_t)(uintptr_t)map_get(&breakpoint->place_at, offset);

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
	vec_push(&breakpoint->places, *place);
	note_offset(breakpoint, breakpoint->places.count - 1);
}

void places_replace(struct place *old, const struct place *place)
{
	size_t next = old->next;

	module_unref((struct module *)old->module);
	*old = *place;
	old->next = next;
}

void places_clear(struct breakpoint *breakpoint)
{
	struct place_list *places = &breakpoint->places;

	for (size_t i = 0; i < places->count; i++)
		module_unref((struct module *)places->data[i].module);
	vec_clear(places);
	map_deinit(&breakpoint->place_at);
}

/* ---- a module goes ---------------------------------------------------------
 */

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
			/* the tables are to tell of one */
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
