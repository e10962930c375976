/*
 * scan.c - walks through the DIEs of a unit, and gives the DIEs that callers
 * may ask for to scan_results.c; see scan.h
 */
#include "scan.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "scan_results.h"

#define MAX_DEPTH 1024 /* as in die.c */

struct scan_frame {
	uint64_t path; /* hash of the names of the scopes around the children */
	uint8_t look;
};

/* What to look for directly below the root DIE (LOOK_ bits). */
static unsigned look_of(const struct unit *unit)
{
	return unit->type == DW_UT_type
		       ? LOOK_TYPES
		       : LOOK_CODE | LOOK_TYPES | LOOK_VARIABLES | LOOK_IMPORTS;
}

/* Scan the unit's DIEs. False: the unit must be scanned again when no other
 * thread scans. */
static bool scan_dies(struct scan *scan)
{
	const struct unit *unit = scan->unit;
	struct cursor cursor = scan_cursor(unit, unit->root);
	struct scan_frame frame = {SCAN_HASH, (uint8_t)look_of(unit)};
	struct scanned scanned;

	scan->frames.count = 0;
	if (!scan_step_over(scan, &cursor, &scanned) || !scanned.program ||
	    !scanned.program->has_children)
		return true;
	vec_push(&scan->frames, frame);
	while (scan->frames.count) {
		const struct scan_frame *around =
			&scan->frames.data[scan->frames.count - 1];
		uint64_t offset;

		if (!scan_find(scan, &cursor, around->look, &offset, &scanned))
			break;
		if (!scanned.program) {
			scan->frames.count--;
			continue;
		}
		frame = *around;
		if (scanned.program->is & around->look &&
		    !scan_add(scan, &scanned, offset, around->look,
			      &frame.path))
			return false;
		if (!scanned.program->has_children)
			continue;
		frame.look &= scanned.program->enters;
		if (!frame.look) {
			if (!scan_skip_children(scan, &cursor, &scanned))
				break;
			continue;
		}
		if (scan->frames.count == MAX_DEPTH)
			break;
		vec_push(&scan->frames, frame);
	}
	return true;
}

/* The numbers of results that a scan had before it began with a unit. */
struct counts {
	size_t calls, far_calls, types, variables;
};

static void set_unit(struct scan *scan, struct unit *unit)
{
	scan->unit = unit;
	scan->has_expected = false;
	map_deinit(&scan->origins);
	map_deinit(&scan->declared);
}

static void scan_loaded(struct scan *scan, struct unit *unit)
{
	struct counts before = {scan->calls.count, scan->far_calls.count,
				scan->types.count, scan->variables.count};

	if (scan_dies(scan))
		return;
	scan->calls.count = before.calls;
	scan->far_calls.count = before.far_calls;
	scan->types.count = before.types;
	scan->variables.count = before.variables;
	vec_push(&scan->left_over, unit->offset);
}

void scan_again(struct scan *scan, struct unit *unit)
{
	set_unit(scan, unit);
	scan->alone = true;
	if (unit_read_root(scan->file, unit) && unit_load(scan->file, unit) &&
	    scan_find_table(scan) == TABLE_GOOD)
		scan_loaded(scan, unit);
	scan->alone = false;
}

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings, const struct expected_names *expected)
{
	*shared = (struct scan_shared){
		.file = file,
		.copy_strings = copy_strings,
		.expected = expected,
	};
	pthread_mutex_init(&shared->lock, NULL);
}

/* Read the sections that a scan needs, unless another thread has read them. The
 * lock makes the other threads wait. */
static void have_sections(struct scan *scan)
{
	static const enum section_id needed[] = {
		SECTION_ABBREV,      SECTION_STR,  SECTION_LINE_STR,
		SECTION_STR_OFFSETS, SECTION_ADDR,
	};
	struct dwarf *dwarf = scan->file->dwarf;
	struct source *shared;

	if (scan->sections_known)
		return;
	pthread_mutex_lock(&scan->shared->lock);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		source_section(dwarf->main, needed[i]);
	shared = file_shared_source(scan->file);
	for (size_t i = 0; shared && i < sizeof(needed) / sizeof(*needed); i++)
		source_section(shared, needed[i]);
	pthread_mutex_unlock(&scan->shared->lock);
	scan->sections_known = true;
}

/* Copy the unit's bytes to memory that the unit owns, because the caller will
 * read its inlined calls next. If there is no memory for the copy, the bytes
 * are inflated again later, which costs time. */
static void keep_unit(struct unit *unit)
{
	size_t size = (size_t)(unit->end - unit->offset);
	uint8_t *data = malloc(size);

	if (!data)
		return;
	memcpy(data, unit->data, size);
	unit->data = data;
	unit->owns_data = true;
}

/* Read the unit's root DIE and scan the unit. The table of scan programs for
 * its abbreviations has been made. */
static void scan_with_table(struct scan *scan, struct unit *unit)
{
	unit->abbrevs = scan_abbrevs(scan);
	if (unit_read_loaded_root(scan->file, unit)) {
		if (unit->name)
			unit->name = scan_lasting(scan, unit->name);
		if (unit->directory)
			unit->directory = scan_lasting(scan, unit->directory);
		if (unit->producer)
			unit->producer = scan_lasting(scan, unit->producer);
		if (unit->dwo_name)
			unit->dwo_name = scan_lasting(scan, unit->dwo_name);
		scan_loaded(scan, unit);
		if (scan->has_expected && scan->shared->copy_strings)
			keep_unit(unit);
	}
	unit->abbrevs = NULL;
}

void scan_unit(struct scan *scan, struct unit *unit)
{
	have_sections(scan);
	set_unit(scan, unit);
	switch (unit->root_state == ROOT_BAD ? TABLE_BAD
					     : scan_find_table(scan)) {
	case TABLE_GOOD:
		scan_with_table(scan, unit);
		break;
	case TABLE_LATER:
		vec_push(&scan->left_over, unit->offset);
		break;
	case TABLE_BAD:
		unit->root_state = ROOT_BAD;
		break;
	}
	if (scan->shared->copy_strings && !unit->owns_data)
		unit->data = NULL;
	vec_push(&scan->units, *unit);
}

void scan_init(struct scan *scan, struct scan_shared *shared)
{
	*scan = (struct scan){
		.shared = shared,
		.file = shared->file,
	};
}

void scan_deinit(struct scan *scan)
{
	for (size_t i = 0; i < scan->strings.count; i++)
		free(scan->strings.data[i]);
	vec_free(&scan->strings);
	vec_free(&scan->names);
	vec_free(&scan->is_expected);
	vec_free(&scan->calls);
	vec_free(&scan->far_calls);
	vec_free(&scan->types);
	vec_free(&scan->variables);
	vec_free(&scan->units);
	vec_free(&scan->left_over);
	vec_free(&scan->imports);
	map_deinit(&scan->name_numbers);
	scan_finish(scan);
}

void scan_finish(struct scan *scan)
{
	scan_clear_tables(scan);
	vec_free(&scan->frames);
	vec_free(&scan->ranges);
	map_deinit(&scan->origins);
	map_deinit(&scan->declared);
}
