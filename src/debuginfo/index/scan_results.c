/*
 * scan_results.c - determines the name of a DIE that the scan has reached, and
 * stores the DIE
 *
 * If a DIE is a copy of another DIE or completes it, the other DIE may have the
 * name, and may be in another unit. A thread cannot read other units while
 * several threads scan. A unit with such a DIE is therefore scanned again later
 * (left_over).
 */
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/hash.h"
#include "scan_results.h"

#define MAX_HOPS 16 /* as in die.c */

/* ---- what DIEs are ------------------------------------------------------- */

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

uint64_t scan_hash(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash_byte(hash, (unsigned char)*text);
	return hash;
}

uint32_t scan_hash_end(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

/* ---- names --------------------------------------------------------------- */

const char *scan_lasting(struct scan *scan, const char *text)
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

/* The names of a DIE: its own names, or those that it inherits from other DIEs,
 * as die_inherited() does. */
struct naming {
	const char *name, *linkage, *old_linkage;
	bool external;
};

static void take(const char **known, const char *new)
{
	if (!*known)
		*known = new;
}

/* Read the names of a DIE. ELSEWHERE: the names that are missing in `out` may
 * be in another unit. */
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
		if (!scan_step_over(scan, &cursor, &scanned) ||
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
		const struct expected_names *expected = scan->shared->expected;

		vec_push(&scan->names, name);
		if (expected)
			vec_push(&scan->is_expected,
				 expected->matches(expected->context, name));
		number = scan->names.count;
		map_set(&scan->name_numbers, key, (void *)(uintptr_t)number);
	}
	return (uint32_t)(number - 1);
}

/* ---- what is found ------------------------------------------------------- */

/* The index in scan->names, + 1, of the name of a called function whose DIE is
 * at `offset` in this unit. 0: the function has no name. UINT32_MAX: its name
 * may be in another unit. */
static uint32_t read_origin(struct scan *scan, uint64_t offset)
{
	struct cursor cursor = scan_cursor(scan->unit, offset);
	struct scanned scanned;
	struct naming naming;
	enum found found;

	if (!scan_step_over(scan, &cursor, &scanned) || !scanned.program)
		return 0;
	found = read_naming(scan, &scanned, &naming);
	if (!naming.linkage && found == ELSEWHERE)
		return UINT32_MAX;
	take(&naming.linkage, naming.old_linkage);
	take(&naming.linkage, naming.name);
	if (!naming.linkage)
		return 0;
	return number_of_name(scan, scan_lasting(scan, naming.linkage)) + 1;
}

/* Read the sections that have range lists, unless another thread has read
 * them. */
static void have_lists(struct scan *scan)
{
	struct source *source = scan->file->dwarf->main;

	if (scan->lists_known)
		return;
	pthread_mutex_lock(&scan->shared->lock);
	source_section(source, SECTION_RANGES);
	source_section(source, SECTION_RNGLISTS);
	pthread_mutex_unlock(&scan->shared->lock);
	scan->lists_known = true;
}

/* Find the address at which the code of an inlined call begins. *address 0: the
 * call has no code in the file. False: the DIE has no attributes that give an
 * address. */
static bool read_entry(struct scan *scan, const struct scanned *scanned,
		       uint64_t *address)
{
	struct attribute low = {0}, high = {0}, ranges = {0}, entry;

	if (scan_value(scan, scanned, WHAT_RANGES, &ranges)) {
		have_lists(scan);
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
	/* By default the call begins at the first of its ranges. */
	*address = scan->ranges.data[0].low;
	if (scan_value(scan, scanned, WHAT_ENTRY, &entry)) {
		uint64_t said = *address;

		if (entry.class == ATTRIBUTE_ADDRESS)
			said = entry.number;
		else if (entry.class == ATTRIBUTE_UNSIGNED)
			said += entry.number;
		/* gcc's DW_AT_entry_pc may be the place that the call had
		 * before gcc moved its code. An entry outside of the call's
		 * ranges is therefore ignored. */
		if (range_list_has(&scan->ranges, said))
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
	if (number == UINT32_MAX) {
		vec_push(&scan->far_calls,
			 (struct scan_far_call){address, origin.number});
	} else if (number) {
		vec_push(&scan->calls, (struct scan_call){address, number - 1});
		scan->has_expected |= address && scan->shared->expected &&
				      scan->is_expected.data[number - 1];
	}
}

/* Read the name of the DIE at `offset` as read_naming() does. If no other
 * thread scans, look for the name in other units, too. */
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
	variable.name = scan_lasting(scan, naming.name);
	variable.external = naming.external;
	vec_push(&scan->variables, variable);
	return true;
}

/* Add a type to the results, and hash the name of a type or scope into *path,
 * which becomes the hash of the scopes around the DIE's children. False: the
 * name may be in another unit. */
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
	if (!naming.name &&
	    name_of(scan, scanned, offset, &naming) == ELSEWHERE)
		return false;
	if (!naming.name && tag == DW_TAG_namespace)
		naming.name = ANONYMOUS_NAMESPACE;
	if (!naming.name)
		return true;
	scoped = *path != SCAN_HASH;
	*path = scan_hash(*path, naming.name);
	if (is_named_type(tag)) {
		/* The type is declared in a scope and defined outside of this
		 * scope. Only the declaration's place gives the name with the
		 * right scopes, so use the hash of the declaration. */
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

/* Store the offset of an imported unit, if the unit is in the shared file.
 * Units of the shared file that no unit of this program imports belong to other
 * programs. */
static void add_import(struct scan *scan, const struct scanned *scanned)
{
	struct attribute unit;

	if (scan_value(scan, scanned, WHAT_IMPORT, &unit) &&
	    unit.class == ATTRIBUTE_DIE &&
	    unit.number >> SOURCE_SHIFT == SOURCE_SHARED)
		vec_push(&scan->imports, unit.number);
}

bool scan_add(struct scan *scan, const struct scanned *scanned, uint64_t offset,
	      unsigned look, uint64_t *path)
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

uint32_t scan_far_name(struct scan *scan, uint64_t origin)
{
	struct unit *unit = unit_of_die(scan->file, origin);
	const char *name = NULL;
	struct die die;

	if (unit && die_read(scan->file, unit, origin, &die) && die.abbrev)
		name = die_linkage_name(scan->file, &die);
	return name ? number_of_name(scan, name) + 1 : 0;
}
