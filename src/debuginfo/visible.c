/* visible.c - see visible.h */
#include "visible.h"

#include "lines.h"
#include "perftool/base/str.h"
#include "scopes.h"

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

/*
 * Has a call that begins at `address` been entered? The line is then one of its
 * own; where it is that of the call, the call is yet to be made.
 */
static bool is_entered(struct debugfile *file, struct unit *unit,
		       const struct scope *scope, uint64_t address)
{
	const char *path, *call_path;
	uint32_t line, call_line;
	struct die die;

	return debugfile_source_at(file, address, &path, &line) &&
	       die_read(file, unit, scope->die, &die) && die.abbrev &&
	       die_call_site(file, &die, &call_path, &call_line) &&
	       (line != call_line || !str_equal(path, call_path));
}

bool scope_chain_at(struct debugfile *file, uint64_t address,
		    struct scope_chain *out)
{
	uint32_t index, function;

	*out = (struct scope_chain){.unit = unit_at(file, address)};
	if (!out->unit)
		return false;
	out->scopes = unit_scopes(file, out->unit);
	function = scopes_function_at(out->scopes, address);
	if (function == NO_SCOPE ||
	    !die_read(file, out->unit, out->scopes->list.data[function].die,
		      &out->function) ||
	    !out->function.abbrev)
		return false;
	for (index = scopes_at(out->scopes, address);
	     index != NO_SCOPE && index != function &&
	     out->count < MAX_NESTED - 1;
	     index = out->scopes->list.data[index].parent) {
		if (!out->scopes->list.data[index].inlined)
			break;
		out->list[out->count++] = index;
		if (!scopes_begin_at(out->scopes, index, address))
			continue;
		out->begins = out->count;
		if (!is_entered(file, out->unit, &out->scopes->list.data[index],
				address))
			out->ahead = out->count;
	}
	out->list[out->count++] = function;
	return true;
}

bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned number, uint64_t address,
		   bool (*visit)(void *, const struct visible *), void *context)
{
	const struct scope *scope =
		&chain->scopes->list.data[chain->list[number]];
	struct visible visible = {.function = chain->function,
				  .inlined = scope->inlined,
				  .scope = scope->die};
	struct die die;

	if (!die_read(file, chain->unit, scope->die, &die) || !die.abbrev)
		return true;
	return visit_scope(file, &die, &visible, address, visit, context);
}

bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context)
{
	struct scope_chain chain;

	if (!scope_chain_at(file, address, &chain))
		return true;
	for (unsigned i = frame ? chain.ahead + frame : chain.begins;
	     i < chain.count; i++)
		if (!each_local_of(file, &chain, i, address, visit, context))
			return false;
	/* those that begin here come last */
	for (unsigned i = frame ? 0 : chain.begins; i--;)
		if (!each_local_of(file, &chain, i, address, visit, context))
			return false;
	return true;
}
