/* unit_source.c - reads the sections and finds the units of a source; see
 * unit_source.h */
#include "unit_source.h"

#include <string.h>
#include <unistd.h>

#include "abbrev.h"
#include "debuginfo/elf/elf.h"
#include "line_table.h"
#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "split_units.h"
#include "unit.h"

int source_take_failure(const struct source *source)
{
	return source ? image_take_failure(&source->separate.image) : 0;
}

struct source *source_create(struct debugfile *file, uint64_t number,
			     bool split, const struct separate *separate)
{
	struct source *source = xcalloc(1, sizeof(*source));

	source->file = file;
	source->split = split;
	source->base = number << SOURCE_SHIFT;
	if (separate) {
		source->separate = *separate;
	} else {
		source->is_main = true;
		source->separate.image.fd = -1;
	}
	return source;
}

static void destroy_units(struct source *source)
{
	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];

		if (unit->scopes)
			unit->destroy_scopes(unit->scopes);
		vec_free(&unit->imports);
		if (unit->owns_data)
			free((void *)unit->data);
		free(unit);
	}
	vec_free(&source->units);
}

void source_destroy(struct source *source)
{
	size_t cursor = 0;
	void *value;

	if (!source)
		return;
	destroy_units(source);
	packed_close(source->packed);
	free(source->recalled_texts);
	while ((value = map_next(&source->abbrev_tables, &cursor, NULL)))
		abbrev_table_destroy(value);
	map_deinit(&source->abbrev_tables);
	cursor = 0;
	while ((value = map_next(&source->line_tables, &cursor, NULL)))
		line_table_destroy(value);
	map_deinit(&source->line_tables);
	map_deinit(&source->types);
	map_deinit(&source->split_units);
	free(source->joined[0]);
	free(source->joined[1]);
	separate_deinit(&source->separate);
	free(source);
}

/* ---- sections --------------------------------------------------------------
 */

/*
 * The bytes of all sections with this name, one behind the other. A .dwo file
 * is an object file, and in an object file each type unit may be in a section
 * group, and so in a section of its own; these sections all have the same name.
 * If there are several sections, the bytes are in `*joined`, which the caller
 * frees.
 */
static struct bytes join(const struct image *image, const char *name,
			 uint8_t **joined)
{
	size_t index = image_find_section(image, name), next = index;
	struct bytes all = {0}, more;
	uint8_t *larger;

	while (next) {
		more = image_section_bytes(image, next);
		next = image_next_section(image, name, next);
		if (!all.data && !next)
			return more;
		if (!more.size)
			continue;
		larger = realloc(*joined, all.size + more.size);
		if (!larger)
			break;
		*joined = larger;
		memcpy(larger + all.size, more.data, more.size);
		all.data = larger;
		all.size += more.size;
	}
	return all;
}

static struct bytes find_section(struct source *source, enum section_id id)
{
	const struct image *image = &source->separate.image;
	struct bytes bytes;
	char name[64];

	if (source->is_main)
		return file_section(source->file, id);
	section_name(id, source->split, name, sizeof(name));
	if (id == SECTION_INFO || id == SECTION_TYPES)
		bytes = join(image, name, &source->joined[id == SECTION_TYPES]);
	else
		bytes = image_section_bytes(image,
					    image_find_section(image, name));
	return bytes.size < SOURCE_MAX_SIZE / 2 ? bytes : (struct bytes){0};
}

struct bytes source_section(struct source *source, enum section_id id)
{
	if (!source->known[id]) {
		source->sections[id] = find_section(source, id);
		source->known[id] = true;
	}
	return source->sections[id];
}

void source_read_all(struct source *source)
{
	for (enum section_id id = 0; id < SECTION_COUNT; id++)
		source_section(source, id);
	image_let_go(&source->separate.image);
}

struct bytes unit_section(const struct unit *unit, enum section_id id)
{
	struct source *source = unit->source;

	/* The linker writes addresses to these sections, so they are in the
	 * linked file and not in the file of the split unit. */
	if (source->split && (id == SECTION_ADDR || id == SECTION_RANGES))
		return file_section(source->file, id);
	return source_section(source, id);
}

/* ---- units -----------------------------------------------------------------
 */

struct unit *source_add_unit(struct source *source, const struct unit *unit)
{
	struct unit *copy = xmalloc(sizeof(*copy));

	*copy = *unit;
	vec_push(&source->units, copy);
	return copy;
}

static void read_headers(struct source *source, enum section_id id,
			 uint64_t base)
{
	struct bytes bytes = source_section(source, id);
	struct unit unit;

	for (uint64_t offset = 0; offset < bytes.size;
	     offset = unit.end - base) {
		struct bytes rest = {bytes.data + offset, bytes.size - offset};

		if (!unit_read_header(source, rest, rest.size, base + offset,
				      id == SECTION_TYPES, &unit))
			break;
		source_add_unit(source, &unit);
	}
}

void source_read_units(struct source *source)
{
	if (source->packed) {
		source->info_size = packed_size(source->packed);
		return;
	}
	source->info_size = source_section(source, SECTION_INFO).size;
	read_headers(source, SECTION_INFO, source->base);
	source_complete(source);
}

/* Ask for the units of a packed .debug_info that an earlier process has read.
 * True: the list has all units of this section. */
static bool recall_units(struct source *source)
{
	struct debugfile *file = source->file;

	if (!source->packed || source->recall_tried)
		return source->recalled;
	source->recall_tried = true;
	source->recalled = file->recall_units(file);
	return source->recalled;
}

void source_complete(struct source *source)
{
	if (source->complete)
		return;
	source->complete = true;
	/* The index needs all bytes of .debug_info, too. The function inflates
	 * the section once, and makes both the index and the list of units. */
	if (source->packed && !recall_units(source))
		source->file->read_compressed_units(source->file);
	if (source->info_size < SOURCE_MAX_SIZE / 2)
		read_headers(source, SECTION_TYPES,
			     source->base + source->info_size);
}

const uint8_t *source_unit_bytes(const struct unit *unit)
{
	struct source *source = unit->source;
	uint64_t place = unit->offset - source->base;

	if (place >= source->info_size)
		return source_section(source, SECTION_TYPES).data +
		       (place - source->info_size);
	return source->packed
		       ? NULL
		       : source_section(source, SECTION_INFO).data + place;
}

/* The index in source->units of the first unit that ends behind `offset`. */
static size_t find_unit(const struct source *source, uint64_t offset)
{
	size_t low;

	SEARCH_FIRST(low, source->units.count,
		     source->units.data[low]->end > offset);
	return low;
}

struct unit *source_unit(struct source *source, uint64_t offset)
{
	size_t number = find_unit(source, offset);

	if (number == source->units.count && !source->complete) {
		if (offset - source->base >= source->info_size)
			source_complete(source);
		else if (!recall_units(source))
			packed_units_to(source, offset);
		number = find_unit(source, offset);
	}
	return number < source->units.count ? source->units.data[number] : NULL;
}

size_t source_unit_number(const struct source *source, uint64_t offset)
{
	size_t number = find_unit(source, offset);

	return number < source->units.count &&
			       source->units.data[number]->offset == offset
		       ? number
		       : SIZE_MAX;
}

struct unit *source_type_unit(struct source *source, uint64_t signature)
{
	if (!source->types_known) {
		source->types_known = true;
		source_complete(source);
		/* Go backwards, because map_set() replaces an older entry: if
		 * several units have the same signature, the first unit
		 * remains. */
		for (size_t i = source->units.count; i--;) {
			struct unit *unit = source->units.data[i];

			if (unit->type == DW_UT_type)
				map_set(&source->types, unit->signature, unit);
		}
	}
	return map_get(&source->types, signature);
}

/* ---- of a file -------------------------------------------------------------
 */

struct source *file_shared_source(struct debugfile *file)
{
	struct dwarf *dwarf = file_dwarf(file);
	struct separate shared;

	if (dwarf->shared_sought)
		return dwarf->shared;
	dwarf->shared_sought = true;
	file_find_shared(file, &shared);
	if (!shared.path) {
		dwarf->shared_mismatch = shared.mismatch;
		image_close(&shared.image);
		return NULL;
	}
	dwarf->shared = source_create(file, SOURCE_SHARED, false, &shared);
	source_read_units(dwarf->shared);
	dwarf_add_budgets(dwarf, dwarf->shared);
	return dwarf->shared;
}

struct source *file_source(struct debugfile *file, uint64_t offset)
{
	struct dwarf *dwarf = file_dwarf(file);
	uint64_t number = offset >> SOURCE_SHIFT;

	switch (number) {
	case SOURCE_MAIN:
		return dwarf->main;
	case SOURCE_SHARED:
		return file_shared_source(file);
	default:
		return splits_source(dwarf->splits, number);
	}
}
