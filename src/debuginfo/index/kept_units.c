/*
 * kept_units.c - units of a compressed .debug_info, and the marks from which it
 * can be inflated, in a cache file; see index_cache.h
 */
#include <string.h>

#include "index_cache.h"
#include "perftool/base/alloc.h"

/* What is stored of a unit: what its header and its root DIE say. */
struct kept_unit {
	uint64_t offset, end, root, abbrev_offset;
	uint64_t signature, type_offset, dwo_id;
	uint64_t language, low_pc, line_offset;
	uint64_t addr_base, str_offsets_base, rnglists_base, loclists_base;
	uint64_t ranges_base;
	/* the numbers of the attributes of the same names, and their classes */
	uint64_t low, high, range_list;
	uint32_t name, directory, producer;
	uint8_t low_class, high_class, range_list_class;
	uint8_t version, address_size, offset_size, type, root_state;
	uint8_t unused[4];
};

struct kept_mark {
	uint64_t place, input;
};

struct units_foot {
	uint64_t units, marks, texts;
	uint64_t unused;
};

/* ---- writing ------------------------------------------------------------- */

/* Can the attribute be stored, as a number? */
static bool is_number(const struct attribute *attribute)
{
	return attribute->class != ATTRIBUTE_BLOCK &&
	       attribute->class != ATTRIBUTE_STRING;
}

static void keep_root(const struct unit *unit, struct kept_texts *texts,
		      struct kept_unit *out)
{
	out->name = kept_text(texts, unit->name);
	out->directory = kept_text(texts, unit->directory);
	out->producer = kept_text(texts, unit->producer);
	out->dwo_id = unit->dwo_id;
	out->language = unit->language;
	out->low_pc = unit->low_pc;
	out->line_offset = unit->line_offset;
	out->addr_base = unit->addr_base;
	out->str_offsets_base = unit->str_offsets_base;
	out->rnglists_base = unit->rnglists_base;
	out->loclists_base = unit->loclists_base;
	out->ranges_base = unit->ranges_base;
	out->low = unit->low.number;
	out->high = unit->high.number;
	out->range_list = unit->range_list.number;
	out->low_class = (uint8_t)unit->low.class;
	out->high_class = (uint8_t)unit->high.class;
	out->range_list_class = (uint8_t)unit->range_list.class;
}

static void keep_unit(struct cache_writer *writer, const struct unit *unit,
		      struct kept_texts *texts)
{
	struct kept_unit kept = {
		.offset = unit->offset,
		.end = unit->end,
		.root = unit->root,
		.abbrev_offset = unit->abbrev_offset,
		.signature = unit->signature,
		.type_offset = unit->type_offset,
		.dwo_id = unit->dwo_id,
		.version = unit->version,
		.address_size = unit->address_size,
		.offset_size = unit->offset_size,
		.type = unit->type,
		.root_state = (uint8_t)unit->root_state,
		.name = NO_TEXT,
		.directory = NO_TEXT,
		.producer = NO_TEXT,
	};

	if (unit->root_state == ROOT_GOOD) {
		if (is_number(&unit->low) && is_number(&unit->high) &&
		    is_number(&unit->range_list) && !unit->dwo_name)
			keep_root(unit, texts, &kept);
		else
			kept.root_state = ROOT_UNREAD;
	}
	cache_write(writer, &kept, sizeof(kept));
}

void keep_units(struct cache_writer *writer, struct source *source,
		struct kept_texts *texts)
{
	struct units_foot foot = {0};
	struct packed_mark mark;

	for (size_t i = 0; i < source->units.count; i++) {
		const struct unit *unit = source->units.data[i];

		/* Units of .debug_types are not compressed with the others. */
		if (unit->offset - source->base >= source->info_size)
			break;
		keep_unit(writer, unit, texts);
		foot.units++;
	}
	cache_align(writer);
	/* Each process makes the first mark itself. */
	for (size_t i = 1; packed_get_mark(source->packed, i, &mark); i++) {
		cache_write(writer, &(struct kept_mark){mark.place, mark.input},
			    sizeof(struct kept_mark));
		foot.marks++;
	}
	cache_align(writer);
	for (size_t i = 1; packed_get_mark(source->packed, i, &mark); i++)
		cache_write(writer, mark.state, packed_state_size());
	cache_align(writer);
	foot.texts = texts->own.length;
	cache_write(writer, texts->own.data, texts->own.length);
	cache_align(writer);
	cache_write(writer, &foot, sizeof(foot));
}

/* ---- reading ------------------------------------------------------------- */

static bool take_attribute(uint64_t number, uint8_t class,
			   struct attribute *out)
{
	out->class = class;
	out->number = number;
	return class <= ATTRIBUTE_INDEX && is_number(out);
}

static bool take_root(const struct recalled *recalled,
		      const struct kept_unit *kept, struct unit *out)
{
	out->language = kept->language;
	out->low_pc = kept->low_pc;
	out->line_offset = kept->line_offset;
	out->addr_base = kept->addr_base;
	out->str_offsets_base = kept->str_offsets_base;
	out->rnglists_base = kept->rnglists_base;
	out->loclists_base = kept->loclists_base;
	out->ranges_base = kept->ranges_base;
	return recalled_text(recalled, kept->name, &out->name) &&
	       recalled_text(recalled, kept->directory, &out->directory) &&
	       recalled_text(recalled, kept->producer, &out->producer) &&
	       take_attribute(kept->low, kept->low_class, &out->low) &&
	       take_attribute(kept->high, kept->high_class, &out->high) &&
	       take_attribute(kept->range_list, kept->range_list_class,
			      &out->range_list);
}

/* Make a unit of what was stored. It must begin at `offset`, where the unit
 * before it ends. */
static bool take_unit(const struct recalled *recalled, struct source *source,
		      const struct kept_unit *kept, uint64_t offset,
		      struct unit *out)
{
	*out = (struct unit){
		.source = source,
		.offset = kept->offset,
		.end = kept->end,
		.root = kept->root,
		.abbrev_offset = kept->abbrev_offset,
		.signature = kept->signature,
		.type_offset = kept->type_offset,
		.dwo_id = kept->dwo_id,
		.version = kept->version,
		.address_size = kept->address_size,
		.offset_size = kept->offset_size,
		.type = kept->type,
		.root_state = kept->root_state,
	};
	return kept->offset == offset && kept->end > offset &&
	       kept->end - source->base <= source->info_size &&
	       kept->root_state <= ROOT_BAD &&
	       (kept->root_state == ROOT_BAD ||
		(kept->root > offset && kept->root <= kept->end)) &&
	       (kept->root_state != ROOT_GOOD ||
		take_root(recalled, kept, out));
}

static bool take_marks(const struct kept_mark *marks, const uint8_t *states,
		       uint64_t count, struct packed *packed)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (marks[i].place <= last ||
		    marks[i].place > packed_size(packed))
			return false;
		last = marks[i].place;
	}
	for (uint64_t i = 0; i < count; i++)
		if (!packed_put_mark(packed,
				     &(struct packed_mark){
					     marks[i].place, marks[i].input,
					     states + i * packed_state_size()}))
			break;
	return true;
}

bool take_units(struct recalled *recalled, struct source *source)
{
	const struct units_foot *foot = recalled_foot(recalled, sizeof(*foot));
	uint64_t offset = source->base, taken = 0;
	const struct kept_mark *marks;
	const struct kept_unit *kept;
	const uint8_t *states;
	struct unit *units;
	char *texts;

	if (!foot ||
	    !(kept = recalled_table(recalled, foot->units, sizeof(*kept))) ||
	    !(marks = recalled_table(recalled, foot->marks, sizeof(*marks))) ||
	    !(states = recalled_table(recalled, foot->marks,
				      packed_state_size())) ||
	    !recalled_texts(recalled, foot->texts))
		return false;
	texts = recalled_own_texts(recalled);
	units = xcalloc(foot->units + 1, sizeof(*units));
	while (taken < foot->units &&
	       take_unit(recalled, source, &kept[taken], offset, &units[taken]))
		offset = units[taken++].end;
	if (taken < foot->units || offset - source->base != source->info_size ||
	    !take_marks(marks, states, foot->marks, source->packed)) {
		free(units);
		free(texts);
		return false;
	}
	for (uint64_t i = 0; i < taken; i++)
		source_add_unit(source, &units[i]);
	source->recalled_texts = texts;
	free(units);
	return true;
}
