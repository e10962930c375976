/* scopes.c - see scopes.h */
#include "scopes.h"

#include "perftool/base/alloc.h"
#include "scan.h"

const struct scopes *unit_scopes(struct debugfile *file, struct unit *unit)
{
	struct scopes *scopes = unit->scopes;
	struct range_list ranges = {0};
	VEC(uint32_t) open = {0}; /* by depth: the scope around, or NO_SCOPE */
	struct die_walk walk;
	struct die root;

	if (scopes)
		return scopes;
	scopes = unit->scopes = xcalloc(1, sizeof(*scopes));
	if (!die_read(file, unit, unit->root, &root) || !root.abbrev)
		return scopes;
	vec_push(&open, NO_SCOPE);
	die_walk_init(&walk, file, &root);
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
			die_ranges(file, &walk.die, &ranges);
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
	return scopes;
}

void scopes_destroy(struct scopes *scopes)
{
	if (!scopes)
		return;
	vec_free(&scopes->list);
	free(scopes);
}

static uint32_t deepest(const struct scopes *scopes, uint64_t address,
			bool inlined_too)
{
	uint32_t best = NO_SCOPE;

	for (uint32_t i = 0; i < scopes->list.count; i++) {
		const struct scope *scope = &scopes->list.data[i];

		if (address >= scope->low && address < scope->high &&
		    (inlined_too || !scope->inlined) &&
		    (best == NO_SCOPE ||
		     scope->depth >= scopes->list.data[best].depth))
			best = i;
	}
	return best;
}

uint32_t scopes_at(const struct scopes *scopes, uint64_t address)
{
	return deepest(scopes, address, true);
}

uint32_t scopes_function_at(const struct scopes *scopes, uint64_t address)
{
	return deepest(scopes, address, false);
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
			return false; /* it goes on there */
		begins |= list[index].low == address;
	}
	return begins;
}
