/*
 * layout.c - where sites have come or gone
 */
#include "layout.h"

#include "perftool/straight.h"

_Static_assert(LAYOUT_BYTES >= STRAIGHT_REACH,
	       "breakpoints are not moved further than this");

static void change(struct layout *layout, uint64_t address)
{
	map_set(&layout->changed, address / LAYOUT_BYTES,
		(void *)++layout->changes);
}

void layout_note(struct layout *layout, uint64_t address)
{
	if (layout->attempts)
		vec_push(&layout->attempted, address);
	else
		change(layout, address);
}

size_t layout_attempt(struct layout *layout)
{
	layout->attempts++;
	return layout->attempted.count;
}

void layout_attempted(struct layout *layout, size_t mark, bool kept)
{
	if (!kept)
		layout->attempted.count = mark;
	if (--layout->attempts)
		return;
	for (size_t i = 0; i < layout->attempted.count; i++)
		change(layout, layout->attempted.data[i]);
	vec_clear(&layout->attempted);
}

bool layout_has_changed(const struct layout *layout, uint64_t address,
			uintptr_t since)
{
	uint64_t at = address / LAYOUT_BYTES;

	for (uint64_t i = at - 1; i != at + 2; i++)
		if ((uintptr_t)map_get(&layout->changed, i) > since)
			return true;
	return false;
}

void layout_copy(const struct layout *from, struct layout *to)
{
	to->changes = from->changes;
	map_copy(&from->changed, &to->changed);
}

void layout_deinit(struct layout *layout)
{
	map_deinit(&layout->changed);
	vec_free(&layout->attempted);
	*layout = (struct layout){0};
}
