/*
 * source_frames.c - one frame of the machine as the frames of the source: the
 * calls that were inlined where its pc is, and the function around them
 */
#include <stdlib.h>

#include "line_table.h"
#include "lines.h"
#include "perftool/base/alloc.h"
#include "scopes.h"

/* Inlined calls nest no deeper than that; a broken file could. */
#define MAX_NESTED 64

void source_frames_clear(struct source_frame_list *frames)
{
	for (size_t i = 0; i < frames->count; i++)
		free(frames->data[i].name);
	vec_free(frames);
	*frames = (struct source_frame_list){0};
}

static uint64_t number_of(struct debugfile *file, const struct die *die,
			  unsigned name)
{
	struct attribute attribute;

	if (!die_attribute(file, die, name, &attribute) ||
	    (attribute.class != ATTRIBUTE_UNSIGNED &&
	     attribute.class != ATTRIBUTE_SIGNED))
		return 0;
	return attribute.number;
}

/* Where the call that was inlined is written. */
static void call_site(struct debugfile *file, const struct die *call,
		      struct source_frame *out)
{
	struct line_table *table = unit_lines(file, call->unit);
	uint64_t index = number_of(file, call, DW_AT_call_file);
	uint64_t line = number_of(file, call, DW_AT_call_line);

	if (!table || index > UINT32_MAX || line > UINT32_MAX)
		return;
	out->file =
		line_table_path(table, (uint32_t)index, call->unit->directory);
	out->line = (uint32_t)line;
}

/* Add the inlined calls at `address`, innermost first; `*place` is where the
 * innermost of the frames that are yet to come is at. */
static void add_inlined(struct debugfile *file, uint64_t address,
			struct source_frame *place,
			struct source_frame_list *out)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes;
	const struct scope *scope;
	uint32_t index;

	if (!unit)
		return;
	scopes = unit_scopes(file, unit);
	index = scopes_at(scopes, address);
	for (unsigned i = 0; index != NO_SCOPE && i < MAX_NESTED; i++) {
		const char *name;
		struct die die;

		scope = &scopes->list.data[index];
		if (!scope->inlined ||
		    !die_read(file, unit, scope->die, &die) || !die.abbrev)
			return;
		index = scope->parent;
		/* where it just begins, it is yet to be called (so does gdb) */
		if (!out->count && scope->low == address)
			continue;
		name = die_linkage_name(file, &die);
		place->name = name ? debuginfo_demangle(name) : NULL;
		place->inlined = true;
		vec_push(out, *place);
		*place = (struct source_frame){0};
		call_site(file, &die, place);
	}
}

void debugfile_source_frames(struct debugfile *file, uint64_t address,
			     struct source_frame_list *out)
{
	struct source_frame place = {0};
	struct function function;

	debugfile_source_at(file, address, &place.file, &place.line);
	add_inlined(file, address, &place, out);
	if (debugfile_function_at(file, address, &function) && function.name)
		place.name = debuginfo_demangle(function.name);
	vec_push(out, place);
}
