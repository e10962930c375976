/*
 * scan.c - see scan.h
 */
#include "scan.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "scan_program.h"

#define MAX_DEPTH 1024 /* as die.c has them */
#define MAX_HOPS 16

struct scan_frame {
	uint64_t path; /* hash of the scopes */
	uint8_t look;
};

/* ---- what DIEs are -------------------------------------------------------
 */

bool is_named_type(unsigned tag)
{
	switch (tag) {
	case DW_TAG_base_type:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef:
	case DW_TAG_unspecified_type:
		return true;
	default:
		return false;
	}
}

bool is_type_scope(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_interface_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_module;
}

bool holds_functions(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

uint64_t scan_hash(uint64_t hash, const char *text)
{
	for (; *text; text++) {
		hash ^= (unsigned char)*text;
		hash *= 0x100000001b3ULL; /* FNV-1a */
	}
	return hash;
}

uint32_t scan_hash_end(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* ---- names -----------------------------------------------------------------
 */

/* A string that may be among the unit's bytes, as one that stays. */
static const char *lasting(struct scan *scan, const char *text)
{
	uintptr_t place = (uintptr_t)text - (uintptr_t)scan->unit->data;
	char *copy;

	if (!scan->shared->copy_strings ||
	    place >= scan->unit->end - scan->unit->offset)
		return text;
	copy = xstrdup(text);
	vec_push(&scan->strings, copy);
	return copy;
}

enum found { FOUND, NOT_FOUND, ELSEWHERE };

/* What the names of a DIE are, its own or inherited ones (see dwarf.h). */
struct naming {
	const char *name, *linkage, *old_linkage;
	bool external;
};

static void take(const char **known, const char *new)
{
	if (!*known)
		*known = new;
}

/* ELSEWHERE: they are in another unit, as far as they are not here. */
static enum found read_naming(struct scan *scan, const struct scanned *first,
			      struct naming *out)
{
	struct scanned scanned = *first;

	*out = (struct naming){0};
	for (int hops = 0; hops < MAX_HOPS; hops++) {
		struct attribute next;
		struct cursor cursor;

		take(&out->name, scan_string(scan, &scanned, WHAT_NAME));
		take(&out->linkage, scan_string(scan, &scanned, WHAT_LINKAGE));
		take(&out->old_linkage,
		     scan_string(scan, &scanned, WHAT_OLD_LINKAGE));
		out->external |= (scanned.has & BIT(WHAT_EXTERNAL)) != 0;
		if (!scan_value(scan, &scanned, WHAT_ORIGIN, &next) &&
		    !scan_value(scan, &scanned, WHAT_SPECIFICATION, &next))
			return FOUND;
		if (next.class != ATTRIBUTE_DIE ||
		    next.number < scan->unit->root ||
		    next.number >= scan->unit->end)
			return ELSEWHERE;
		cursor = scan_cursor(scan->unit, next.number);
		if (!scan_step_over(scan, &cursor, LOOK_ANY, &scanned) ||
		    !scanned.program)
			return FOUND;
	}
	return FOUND;
}

static uint32_t number_of_name(struct scan *scan, const char *name)
{
	uint64_t key = (uint64_t)(uintptr_t)name;
	size_t number = (size_t)(uintptr_t)map_get(&scan->name_numbers, key);

	if (!number) {
		vec_push(&scan->names, name);
		number = scan->names.count;
		map_set(&scan->name_numbers, key, (void *)(uintptr_t)number);
	}
	return (uint32_t)(number - 1);
}

/* ---- what is found ---------------------------------------------------------
 */

/* The number of the name of an origin in this unit + 1, or 0: it has none;
 * UINT32_MAX: it is in another one. */
static uint32_t read_origin(struct scan *scan, uint64_t offset)
{
	struct cursor cursor = scan_cursor(scan->unit, offset);
	struct scanned scanned;
	struct naming naming;
	enum found found;

	if (!scan_step_over(scan, &cursor, LOOK_ANY, &scanned) ||
	    !scanned.program)
		return 0;
	found = read_naming(scan, &scanned, &naming);
	if (!naming.linkage && found == ELSEWHERE)
		return UINT32_MAX;
	take(&naming.linkage, naming.old_linkage);
	take(&naming.linkage, naming.name);
	if (!naming.linkage)
		return 0;
	return number_of_name(scan, lasting(scan, naming.linkage)) + 1;
}

static bool is_in(const struct range_list *ranges, uint64_t address)
{
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->data[i].low &&
		    address < ranges->data[i].high)
			return true;
	return false;
}

/* Where the code of a call begins, 0: none is left of it; false: it never had
 * any. */
static bool read_entry(struct scan *scan, const struct scanned *scanned,
		       uint64_t *address)
{
	struct attribute low = {0}, high = {0}, ranges = {0}, entry;

	if (scan_value(scan, scanned, WHAT_RANGES, &ranges)) {
		if (!scan->lists_known) {
			pthread_mutex_lock(&scan->shared->lock);
			source_section(scan->file->dwarf->main, SECTION_RANGES);
			source_section(scan->file->dwarf->main,
				       SECTION_RNGLISTS);
			pthread_mutex_unlock(&scan->shared->lock);
			scan->lists_known = true;
		}
	} else if (!scan_value(scan, scanned, WHAT_LOW, &low) ||
		   !scan_value(scan, scanned, WHAT_HIGH, &high)) {
		return false;
	}
	scan->ranges.count = 0;
	attribute_ranges(scan->file, scan->unit, &ranges, &low, &high,
			 &scan->range_budget, &scan->ranges);
	*address = 0;
	if (!scan->ranges.count)
		return true;
	*address = scan->ranges.data[0].low; /* the first one has the entry */
	if (scan_value(scan, scanned, WHAT_ENTRY, &entry)) {
		uint64_t said = *address;

		if (entry.class == ATTRIBUTE_ADDRESS)
			said = entry.number;
		else if (entry.class == ATTRIBUTE_UNSIGNED)
			said += entry.number;
		/* gcc says where the call was, though its code has moved */
		if (is_in(&scan->ranges, said))
			*address = said;
	}
	return true;
}

static void add_call(struct scan *scan, const struct scanned *scanned)
{
	const struct unit *unit = scan->unit;
	struct attribute origin;
	uint32_t number;
	uint64_t address;
	void *known;

	if (!scan_value(scan, scanned, WHAT_ORIGIN, &origin) ||
	    origin.class != ATTRIBUTE_DIE ||
	    !read_entry(scan, scanned, &address))
		return;
	if (origin.number < unit->root || origin.number >= unit->end) {
		vec_push(&scan->far_calls,
			 (struct scan_far_call){address, origin.number});
		return;
	}
	known = map_get(&scan->origins, origin.number);
	if (known) {
		number = (uint32_t)((uintptr_t)known - 1);
	} else {
		number = read_origin(scan, origin.number);
		map_set(&scan->origins, origin.number,
			(void *)((uintptr_t)number + 1));
	}
	if (number == UINT32_MAX)
		vec_push(&scan->far_calls,
			 (struct scan_far_call){address, origin.number});
	else if (number)
		vec_push(&scan->calls, (struct scan_call){address, number - 1});
}

/* The name of the DIE at `offset`, wherever it is; see read_naming(). */
static enum found name_of(struct scan *scan, const struct scanned *scanned,
			  uint64_t offset, struct naming *naming)
{
	enum found found = read_naming(scan, scanned, naming);
	struct attribute external;
	struct die die;

	if (found == FOUND || (naming->name && naming->external))
		return FOUND;
	if (!scan->alone)
		return ELSEWHERE;
	if (die_read(scan->file, scan->unit, offset, &die) && die.abbrev) {
		naming->name = die_name(scan->file, &die);
		naming->external = die_inherited(scan->file, &die,
						 DW_AT_external, &external);
	}
	return FOUND;
}

static bool add_variable(struct scan *scan, const struct scanned *scanned,
			 uint64_t offset)
{
	struct scan_variable variable = {.die = offset};
	struct naming naming;

	if (!(scanned->has & (BIT(WHAT_LOCATION) | BIT(WHAT_CONST))))
		return true;
	if (name_of(scan, scanned, offset, &naming) == ELSEWHERE)
		return false;
	if (!naming.name)
		return true;
	variable.name = lasting(scan, naming.name);
	variable.external = naming.external;
	vec_push(&scan->variables, variable);
	return true;
}

/* A type or a scope of types; *path becomes that of what is in it. */
static bool add_named(struct scan *scan, const struct scanned *scanned,
		      uint64_t offset, uint64_t *path)
{
	unsigned tag = scanned->program->tag;
	struct attribute declaration;
	struct naming naming = {0};
	struct scan_type type = {.die = offset, .tag = (uint16_t)tag};
	const void *known;
	bool scoped;

	naming.name = scan_string(scan, scanned, WHAT_NAME);
	if (!naming.name) {
		naming.external = true; /* which nobody asks for */
		if (name_of(scan, scanned, offset, &naming) == ELSEWHERE)
			return false;
	}
	if (!naming.name && tag == DW_TAG_namespace)
		naming.name = ANONYMOUS_NAMESPACE;
	if (!naming.name)
		return true;
	scoped = *path != SCAN_HASH;
	*path = scan_hash(*path, naming.name);
	if (is_named_type(tag)) {
		/* defined elsewhere than in its scope */
		if (scan_value(scan, scanned, WHAT_SPECIFICATION,
			       &declaration) &&
		    (known = map_get(&scan->declared, declaration.number)))
			*path = (uintptr_t)known;
		type.hash = scan_hash_end(*path);
		type.declaration = scan_value(scan, scanned, WHAT_DECLARATION,
					      &declaration);
		vec_push(&scan->types, type);
		if (type.declaration && scoped && *path)
			map_set(&scan->declared, offset,
				(void *)(uintptr_t)*path);
	}
	*path = scan_hash(*path, "::");
	return true;
}

/* Units of the shared file count if they are imported: others are parts of
 * other programs. */
static void add_import(struct scan *scan, const struct scanned *scanned)
{
	struct attribute unit;

	if (scan_value(scan, scanned, WHAT_IMPORT, &unit) &&
	    unit.class == ATTRIBUTE_DIE &&
	    unit.number >> SOURCE_SHIFT == SOURCE_SHARED)
		vec_push(&scan->imports, unit.number);
}

/* False: it has to be done again, alone. */
static bool add(struct scan *scan, const struct scanned *scanned,
		uint64_t offset, unsigned look, uint64_t *path)
{
	switch (scanned->program->is & look) {
	case LOOK_CODE:
		add_call(scan, scanned);
		return true;
	case LOOK_TYPES:
		return add_named(scan, scanned, offset, path);
	case LOOK_VARIABLES:
		return add_variable(scan, scanned, offset);
	case LOOK_IMPORTS:
		add_import(scan, scanned);
		return true;
	default:
		return true;
	}
}

/* ---- units -----------------------------------------------------------------
 */

/* What is looked for right below the root. */
static unsigned look_of(const struct unit *unit)
{
	return unit->type == DW_UT_type
		       ? LOOK_TYPES
		       : LOOK_CODE | LOOK_TYPES | LOOK_VARIABLES | LOOK_IMPORTS;
}

/* False: it has to be done again, alone. */
static bool scan_dies(struct scan *scan)
{
	const struct unit *unit = scan->unit;
	struct cursor cursor = scan_cursor(unit, unit->root);
	struct scan_frame frame = {SCAN_HASH, (uint8_t)look_of(unit)};
	struct scanned scanned;

	scan->frames.count = 0;
	if (!scan_step_over(scan, &cursor, 0, &scanned) || !scanned.program ||
	    !scanned.program->has_children)
		return true;
	vec_push(&scan->frames, frame);
	while (scan->frames.count) {
		uint64_t offset =
			unit->offset + (uint64_t)(cursor.at - unit->data);
		const struct scan_frame *around =
			&scan->frames.data[scan->frames.count - 1];

		if (!scan_step_over(scan, &cursor, around->look, &scanned))
			break;
		if (!scanned.program) {
			scan->frames.count--;
			continue;
		}
		frame = *around;
		if (scanned.program->is & around->look &&
		    !add(scan, &scanned, offset, around->look, &frame.path))
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

/* What was found before a unit was begun. */
struct counts {
	size_t calls, far_calls, types, variables;
};

static void set_unit(struct scan *scan, struct unit *unit)
{
	scan->unit = unit;
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

uint32_t scan_far_name(struct scan *scan, uint64_t origin)
{
	struct unit *unit = unit_of_die(scan->file, origin);
	const char *name = NULL;
	struct die die;

	if (unit && die_read(scan->file, unit, origin, &die) && die.abbrev)
		name = die_linkage_name(scan->file, &die);
	return name ? number_of_name(scan, name) + 1 : 0;
}

void scan_shared_init(struct scan_shared *shared, struct debugfile *file,
		      bool copy_strings)
{
	*shared = (struct scan_shared){
		.file = file,
		.copy_strings = copy_strings,
	};
	pthread_mutex_init(&shared->lock, NULL);
}

/* Have the sections that are needed to scan; one thread gets them for all. */
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

/* Read the unit's root and scan it, its abbreviations being there. */
static void scan_with_table(struct scan *scan, struct unit *unit)
{
	unit->abbrevs = scan_abbrevs(scan);
	if (unit_read_loaded_root(scan->file, unit)) {
		if (unit->name)
			unit->name = lasting(scan, unit->name);
		if (unit->directory)
			unit->directory = lasting(scan, unit->directory);
		if (unit->producer)
			unit->producer = lasting(scan, unit->producer);
		if (unit->dwo_name)
			unit->dwo_name = lasting(scan, unit->dwo_name);
		scan_loaded(scan, unit);
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
	if (scan->shared->copy_strings)
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
