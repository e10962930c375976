/* visible.c - see visible.h */
#include "visible.h"

#include "scopes.h"

/* Inlined calls nest no deeper than that; a broken file could. */
#define MAX_NESTED 64

bool function_at(struct debugfile *file, uint64_t address, struct die *out)
{
	struct unit *unit = unit_at(file, address);
	const struct scopes *scopes = unit ? unit_scopes(file, unit) : NULL;
	uint32_t index =
		scopes ? scopes_function_at(scopes, address) : NO_SCOPE;

	return index != NO_SCOPE &&
	       die_read(file, unit, scopes->list.data[index].die, out) &&
	       out->abbrev;
}

static bool contains(struct debugfile *file, const struct die *block,
		     uint64_t address)
{
	struct range_list ranges = {0};
	bool inside = false;

	die_ranges(file, block, &ranges);
	for (size_t i = 0; i < ranges.count && !inside; i++)
		inside = address >= ranges.data[i].low &&
			 address < ranges.data[i].high;
	vec_free(&ranges);
	return inside;
}

/* The variables of one function or inlined call. */
static bool visit_scope(struct debugfile *file, const struct die *scope,
			struct visible *visible, uint64_t address,
			bool (*visit)(void *, const struct visible *),
			void *context)
{
	struct die_walk walk;

	die_walk_init(&walk, file, scope);
	while (die_walk_next(&walk)) {
		unsigned tag = die_tag(&walk.die);

		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		     tag == DW_TAG_catch_block) &&
		    contains(file, &walk.die, address))
			continue; /* go in */
		die_walk_skip(&walk);
		if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
			continue;
		visible->die = walk.die;
		visible->depth = walk.depth;
		visible->name = die_name(file, &walk.die);
		if (visible->name && !visit(context, visible))
			return false;
	}
	return true;
}

static bool visit_index(struct debugfile *file, struct unit *unit,
			const struct scopes *scopes, uint32_t index,
			const struct die *function, uint64_t address,
			bool (*visit)(void *, const struct visible *),
			void *context)
{
	const struct scope *scope = &scopes->list.data[index];
	struct visible visible = {.function = *function,
				  .inlined = scope->inlined,
				  .scope = scope->die};
	struct die die;

	if (!die_read(file, unit, scope->die, &die) || !die.abbrev)
		return true;
	return visit_scope(file, &die, &visible, address, visit, context);
}

bool each_local(struct debugfile *file, uint64_t address,
		bool (*visit)(void *context, const struct visible *visible),
		void *context)
{
	struct unit *unit = unit_at(file, address);
	uint32_t chain[MAX_NESTED], index, function;
	const struct scopes *scopes;
	unsigned count = 0, begins = 0;
	struct die die;

	if (!unit)
		return true;
	scopes = unit_scopes(file, unit);
	function = scopes_function_at(scopes, address);
	if (function == NO_SCOPE ||
	    !die_read(file, unit, scopes->list.data[function].die, &die) ||
	    !die.abbrev)
		return true;
	/* innermost first */
	for (index = scopes_at(scopes, address);
	     index != NO_SCOPE && index != function && count < MAX_NESTED - 1;
	     index = scopes->list.data[index].parent) {
		if (!scopes->list.data[index].inlined)
			break;
		if (scopes_begin_at(scopes, index, address))
			begins = count + 1;
		chain[count++] = index;
	}
	chain[count++] = function;
	/* those that begin here come last */
	for (unsigned i = begins; i < count; i++)
		if (!visit_index(file, unit, scopes, chain[i], &die, address,
				 visit, context))
			return false;
	for (unsigned i = begins; i--;)
		if (!visit_index(file, unit, scopes, chain[i], &die, address,
				 visit, context))
			return false;
	return true;
}
