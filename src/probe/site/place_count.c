/*
 * place_count.c - counting hits at the place where it was made
 */
#include "perftool/base/str.h"
#include "probe/breakpoint.h"
#include "probe/process/process.h"
#include "site.h"

static bool is_place_of(const struct attachment *attachment,
			const struct place *place)
{
	const struct module *module = attachment->module;

	if (!place->module || !module)
		return place->module == module &&
		       place->address == attachment->address;
	return place->address - place->module->bias ==
		       attachment->address - module->bias &&
	       (place->module == module ||
		str_equal(place->module->path, module->path));
}

/* Find the place that the attachment is at. NULL: it is none. */
static struct place *place_of(struct attachment *attachment)
{
	struct place_list *places = &attachment->breakpoint->places;
	const struct module *module = attachment->module;
	struct map *place_at = &attachment->breakpoint->place_at;
	size_t number = attachment->place;

	if (number && number <= places->count &&
	    is_place_of(attachment, &places->data[number - 1]))
		return &places->data[number - 1];
	number = (size_t)map_get_number(
		place_at, attachment->address - (module ? module->bias : 0));
	while (number && !is_place_of(attachment, &places->data[number - 1]))
		number = places->data[number - 1].next;
	attachment->place = number;
	return number ? &places->data[number - 1] : NULL;
}

void place_count(struct attachment *attachment, uint64_t count)
{
	struct place *place = place_of(attachment);

	if (place)
		place->hits += count;
}
