/* scopes.c - see scopes.h */
#include "scopes.h"

#include "perftool/base/alloc.h"

static void order(struct scopes *scopes)
{
	struct innermost_list all = {0}, functions = {0};

	for (size_t i = 0; i < scopes->list.count; i++) {
		const struct scope *scope = &scopes->list.data[i];
		struct innermost_range range = {scope->low, scope->high,
						scope->depth, (uint32_t)i};

		vec_push(&all, range);
		if (!scope->inlined)
			vec_push(&functions, range);
	}
	innermost_make(&all, &scopes->innermost);
	innermost_make(&functions, &scopes->functions);
	vec_free(&all);
	vec_free(&functions);
}

const struct scopes *unit_scopes(struct debugfile *file, struct unit *unit)
{
	struct scopes *scopes = unit->scopes;
	struct range_list ranges = {0};
	/* by depth: the index of the scope around DIEs at this depth, or
	 * NO_SCOPE */
	VEC(uint32_t) open = {0};
	struct die_walk walk;

	if (scopes)
		return scopes;
	scopes = unit->scopes = xcalloc(1, sizeof(*scopes));
	unit->destroy_scopes = scopes_destroy;
	if (!die_walk_unit(&walk, file, unit))
		return scopes;
	vec_push(&open, NO_SCOPE);
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);
		uint32_t around;

		open.count = walk.depth < open.count ? walk.depth : open.count;
		around = open.data[open.count - 1];
		if (!holds_functions(tag)) {
			die_walk_skip(&walk);
			vec_push(&open, around);
			continue;
		}
		ranges.count = 0;
		if (tag == DW_TAG_subprogram ||
		    tag == DW_TAG_inlined_subroutine)
			die_read_ranges(file, &walk.die, &ranges);
		for (size_t i = 0; i < ranges.count; i++) {
			struct scope scope = {
				.low = ranges.data[i].low,
				.high = ranges.data[i].high,
				.die = walk.die.offset,
				.parent = around,
				.depth = (uint16_t)walk.depth,
				.inlined = tag == DW_TAG_inlined_subroutine,
			};

			vec_push(&scopes->list, scope);
		}
		vec_push(&open, ranges.count ? (uint32_t)scopes->list.count - 1
					     : around);
	}
	vec_free(&open);
	vec_free(&ranges);
	order(scopes);
	return scopes;
}

void scopes_destroy(struct scopes *scopes)
{
	if (!scopes)
		return;
	vec_free(&scopes->list);
	vec_free(&scopes->blocks);
	innermost_free(&scopes->innermost);
	innermost_free(&scopes->functions);
	innermost_free(&scopes->innermost_blocks);
	free(scopes);
}

uint32_t scopes_at(const struct scopes *scopes, uint64_t address)
{
	return innermost_at(&scopes->innermost, address);
}

uint32_t scopes_function_at(const struct scopes *scopes, uint64_t address)
{
	return innermost_at(&scopes->functions, address);
}

bool scopes_begin_at(const struct scopes *scopes, uint32_t index,
		     uint64_t address)
{
	const struct scope *list = scopes->list.data;
	uint64_t die = list[index].die;
	bool begins = false;

	while (index && list[index - 1].die == die)
		index--;
	for (; index < scopes->list.count && list[index].die == die; index++) {
		if (list[index].high == address)
			/* A range of this DIE ends at the address. A range that
			 * begins there only continues the code. */
			return false;
		begins |= list[index].low == address;
	}
	return begins;
}

/* Does a DIE with this tag declare a name in the block that contains the
 * DIE? */
static bool declares(unsigned tag)
{
	switch (tag) {
	case DW_TAG_variable:
	case DW_TAG_formal_parameter:
	case DW_TAG_label:
	case DW_TAG_typedef:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_imported_declaration:
	case DW_TAG_imported_module:
	case DW_TAG_subprogram:
		return true;
	default:
		return false;
	}
}

static void add_block(struct debugfile *file, struct unit *unit,
		      uint64_t offset, unsigned depth, struct scopes *scopes,
		      struct innermost_list *out)
{
	struct range_list ranges = {0};
	struct die die;

	if (die_read(file, unit, offset, &die) && die.abbrev)
		die_ranges(file, &die, &ranges);
	for (size_t i = 0; i < ranges.count; i++) {
		struct innermost_range range = {ranges.data[i].low,
						ranges.data[i].high, depth,
						(uint32_t)scopes->blocks.count};

		vec_push(&scopes->blocks, (struct block){offset, depth});
		vec_push(out, range);
	}
	vec_free(&ranges);
}

static void read_blocks(struct debugfile *file, struct unit *unit,
			struct scopes *scopes)
{
	/* by depth: the offset of a block that has declared nothing so far and
	 * is not in the list yet, or NO_OFFSET */
	VEC(uint64_t) open = {0};
	struct innermost_list found = {0};
	struct die_walk walk;
	struct die root;

	scopes->blocks_known = true;
	if (!die_read(file, unit, unit->root, &root) || !root.abbrev)
		return;
	vec_push(&open, NO_OFFSET);
	die_walk_init(&walk, file, &root);
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);
		uint64_t *around;

		open.count = walk.depth < open.count ? walk.depth : open.count;
		around = &open.data[open.count - 1];
		if (declares(tag) && *around != NO_OFFSET) {
			add_block(file, unit, *around, walk.depth - 1, scopes,
				  &found);
			*around = NO_OFFSET;
		}
		vec_push(&open, tag == DW_TAG_lexical_block ? walk.die.offset
							    : NO_OFFSET);
		if (!holds_functions(tag))
			die_walk_skip(&walk);
	}
	innermost_make(&found, &scopes->innermost_blocks);
	vec_free(&found);
	vec_free(&open);
}

uint64_t block_at(struct debugfile *file, struct unit *unit, uint64_t address)
{
	/* The cast is allowed: the scopes are part of `unit`, which is not
	 * const. */
	struct scopes *scopes = (struct scopes *)unit_scopes(file, unit);
	uint32_t index = scopes_at(scopes, address), block;
	const struct scope *around;

	if (index == NO_SCOPE)
		return NO_OFFSET;
	if (!scopes->blocks_known)
		read_blocks(file, unit, scopes);
	around = &scopes->list.data[index];
	block = innermost_at(&scopes->innermost_blocks, address);
	return block != INNERMOST_NONE &&
			       scopes->blocks.data[block].depth > around->depth
		       ? scopes->blocks.data[block].die
		       : around->die;
}

struct unit *unit_compiled_at(struct debugfile *file, uint64_t address)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes = unit ? unit_scopes(file, unit) : NULL;
	uint32_t index = scopes ? scopes_at(scopes, address) : NO_SCOPE;
	struct die die, origin, root;

	if (index == NO_SCOPE ||
	    !die_read(file, unit, scopes->list.data[index].die, &die) ||
	    !die.abbrev ||
	    !die_reference(file, &die, DW_AT_abstract_origin, &origin) ||
	    !die_read(file, origin.unit, origin.unit->root, &root) ||
	    !root.abbrev || die_tag(&root) != DW_TAG_compile_unit)
		return unit;
	return origin.unit;
}
