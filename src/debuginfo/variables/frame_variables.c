/*
 * frame_variables.c - the parameters and locals of one source frame
 */
#include "debuginfo/scopes/scopes.h"
#include "perftool/debuginfo/debug_variables.h"
#include "variable.h"

/* A DIE for `extern int x;` in a block has no place of its own; it stands for
 * the global variable. */
bool variable_is_declaration(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_attribute(file, die, DW_AT_declaration, &attribute) &&
	       !die_attribute(file, die, DW_AT_location, &attribute);
}

VEC_STRUCT(visible_list, struct visible);

struct collecting {
	struct debugfile *file;
	struct visible_list list;
};

static bool collect(void *context, const struct visible *visible)
{
	struct collecting *collecting = context;

	vec_push(&collecting->list, *visible);
	return true;
}

static bool is_parameter(const struct visible *visible)
{
	return die_tag(&visible->die) == DW_TAG_formal_parameter;
}

/* Is `a` listed before `b`? Parameters come first. Then come locals, those of
 * the innermost block first. */
static bool comes_before(const struct visible *a, const struct visible *b)
{
	if (is_parameter(a) != is_parameter(b))
		return is_parameter(a);
	return !is_parameter(a) && a->depth > b->depth;
}

static void sort(struct visible_list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		struct visible moved = list->data[i];
		size_t at = i;

		for (; at && comes_before(&moved, &list->data[at - 1]); at--)
			list->data[at] = list->data[at - 1];
		list->data[at] = moved;
	}
}

void debugfile_each_frame_variable(struct debugfile *file, uint64_t address,
				   bool at_entry, unsigned frame,
				   debugfile_visit_variable_fn *visit,
				   void *context)
{
	struct collecting collecting = {.file = file};
	struct visible_list *list = &collecting.list;
	struct scope_chain chain;
	bool more = true;

	if (!scope_chain_at(file, address, &chain))
		return;
	if (frame < chain.count)
		each_local_of(file, &chain, frame, address, collect,
			      &collecting);
	sort(list);
	for (size_t i = 0; more && i < list->count; i++) {
		const struct visible *visible = &list->data[i];
		struct variable *variable = NULL;
		struct error *error;

		if (variable_is_declaration(file, &visible->die))
			continue;
		error = variable_create(file, address, at_entry, visible,
					&variable);
		more = visit(context, visible->name, is_parameter(visible),
			     variable, error);
	}
	vec_free(list);
}
