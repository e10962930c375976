/* scope_chain.c - see scope_chain.h */
#include "scope_chain.h"

#include "scopes.h"

/* The deepest nesting of blocks that the reader follows. A broken file could
 * nest them deeper. */
#define MAX_BLOCKS 128
/* The most times that the reader goes on from a copy to the DIE of which it is
 * a copy (DW_AT_abstract_origin). */
#define MAX_ORIGINS 8

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
	bool inside;

	die_ranges(file, block, &ranges);
	inside = range_list_has(&ranges, address);
	vec_free(&ranges);
	return inside;
}

/* ---- the variables of a scope -------------------------------------------- */

VEC_STRUCT(offset_list, uint64_t);

struct visiting {
	struct debugfile *file;
	struct visible *visible;
	uint64_t address;
	bool (*visit)(void *context, const struct visible *visible);
	void *context;
};

static bool is_block(unsigned tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block;
}

static bool visit_variable(const struct visiting *visiting,
			   const struct die *die, unsigned depth)
{
	struct visible *visible = visiting->visible;
	unsigned tag = die_tag(die);

	if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
		return true;
	visible->die = *die;
	visible->depth = depth;
	visible->name = die_name(visiting->file, die);
	return !visible->name || visiting->visit(visiting->context, visible);
}

/* Append the offset of the DIE of which `die` is a copy (its origin), the
 * offset of the origin's own origin, and so on. */
static void add_origins(struct debugfile *file, const struct die *die,
			struct offset_list *out)
{
	struct die copy = *die, origin;

	for (int i = 0;
	     i < MAX_ORIGINS &&
	     die_reference(file, &copy, DW_AT_abstract_origin, &origin);
	     i++) {
		vec_push(out, origin.offset);
		copy = origin;
	}
}

static bool is_among(const struct offset_list *list, uint64_t offset)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i] == offset)
			return true;
	return false;
}

/*
 * `origin` describes a function in the abstract; the scope is a copy of it.
 * Visit the variables of `origin` and of its blocks that have no copy in the
 * scope (`copies` has the offsets of DIEs with a copy). A block without a copy
 * has no code, so the address cannot tell whether its variables are visible.
 * They count as visible everywhere in the scope, after all other variables and
 * with the depth 0.
 */
static bool visit_rest(const struct visiting *visiting,
		       const struct die *origin,
		       const struct offset_list *copies, unsigned depth)
{
	struct die_walk walk;

	die_walk_init(&walk, visiting->file, origin);
	while (die_walk_next(&walk)) {
		bool has_copy = is_among(copies, walk.die.offset);

		if (is_block(die_tag(&walk.die)) && !has_copy)
			continue; /* Visit the variables in the block. */
		die_walk_skip(&walk);
		if (!has_copy && !visit_variable(visiting, &walk.die,
						 walk.depth == 1 ? depth : 0))
			return false;
	}
	return true;
}

/* Visit the variables of a function, an inlined call or a block, and of the
 * blocks in it that contain the address. A copy of a function lists only the
 * variables that the compiler has kept. The function's origin
 * (DW_AT_abstract_origin) describes the other variables. */
static bool visit_level(const struct visiting *visiting,
			const struct die *scope, unsigned depth)
{
	struct debugfile *file = visiting->file;
	struct offset_list copies = {0};
	struct die origin;
	struct die_walk walk;
	bool more = true;

	die_walk_init(&walk, file, scope);
	while (more && die_walk_next(&walk)) {
		die_walk_skip(&walk);
		add_origins(file, &walk.die, &copies);
		if (!is_block(die_tag(&walk.die)))
			more = visit_variable(visiting, &walk.die, depth);
		else if (depth < MAX_BLOCKS &&
			 contains(file, &walk.die, visiting->address))
			more = visit_level(visiting, &walk.die, depth + 1);
	}
	if (more && die_reference(file, scope, DW_AT_abstract_origin, &origin))
		more = visit_rest(visiting, &origin, &copies, depth);
	vec_free(&copies);
	return more;
}

/* ---- the scopes at an address -------------------------------------------- */

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
		if (out->begins == out->count &&
		    scopes_begin_at(out->scopes, index, address))
			out->begins++;
		out->list[out->count++] = index;
	}
	out->list[out->count++] = function;
	return true;
}

bool scope_chain_die(struct debugfile *file, const struct scope_chain *chain,
		     unsigned number, struct die *out)
{
	const struct scope *scope =
		&chain->scopes->list.data[chain->list[number]];

	return die_read(file, chain->unit, scope->die, out) && out->abbrev;
}

bool each_local_of(struct debugfile *file, const struct scope_chain *chain,
		   unsigned number, uint64_t address,
		   bool (*visit)(void *context, const struct visible *visible),
		   void *context)
{
	const struct scope *scope =
		&chain->scopes->list.data[chain->list[number]];
	struct visible visible = {.function = chain->function,
				  .inlined = scope->inlined,
				  .scope = scope->die};
	struct visiting visiting = {file, &visible, address, visit, context};
	struct die die;

	return !scope_chain_die(file, chain, number, &die) ||
	       visit_level(&visiting, &die, 1);
}

bool each_local(struct debugfile *file, uint64_t address, unsigned frame,
		bool (*visit)(void *context, const struct visible *visible),
		void *context)
{
	struct scope_chain chain;

	if (!scope_chain_at(file, address, &chain))
		return true;
	for (unsigned i = frame; i < chain.count; i++)
		if (!each_local_of(file, &chain, i, address, visit, context))
			return false;
	return true;
}

bool each_local_ahead(struct debugfile *file, uint64_t address, unsigned frame,
		      bool (*visit)(void *context,
				    const struct visible *visible),
		      void *context)
{
	struct scope_chain chain;

	if (!scope_chain_at(file, address, &chain) || frame > chain.begins)
		return true;
	for (unsigned i = frame; i-- > 0;)
		if (!each_local_of(file, &chain, i, address, visit, context))
			return false;
	return true;
}
