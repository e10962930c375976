/*
 * subobject.c - code that goes from an object to its part of a base class; see
 * subobject.h
 */
#include "subobject.h"

struct error *ambiguous(const struct node *node, const char *what,
			struct debugtype *class, struct base_found *found)
{
	struct error *error = error_create(
		ERROR_USAGE, "column %zu: '%s' is ambiguous in %s: %s",
		node->column, what, debugtype_name(class),
		str_text(&found->candidates));

	base_found_deinit(found);
	return error;
}

static void emit_offset(struct binder *binder, const struct node *node,
			enum code code, uint64_t *offset)
{
	if (*offset)
		emit(binder, code, node, type_unsigned_long)->number.u =
			*offset;
	*offset = 0;
}

static void take(struct binder *binder, const struct node *node,
		 const struct base_path *path, enum code code, uint64_t *offset)
{
	for (unsigned i = 0; i < path->count; i++) {
		const struct debugmember *step = path_step(path, i);

		if (!step->is_virtual) {
			*offset += step->offset;
			continue;
		}
		emit_offset(binder, node, code, offset);
		emit(binder, CODE_VIRTUAL, node,
		     type_from_program(path->steps[i].class))
			->number.u = path->steps[i].index;
	}
}

void take_base_of_place(struct binder *binder, const struct node *node,
			const struct base_path *path, struct operand *out)
{
	if (!path->count)
		return;
	take(binder, node, path, CODE_OFFSET, &out->offset);
	out->type = type_from_program(path->end);
	out->variable = 0;
	out->reference = NULL;
}

void take_base_of_pointer(struct binder *binder, const struct node *node,
			  const struct base_path *path)
{
	uint64_t offset = 0;

	take(binder, node, path, CODE_ADJUST, &offset);
	emit_offset(binder, node, CODE_ADJUST, &offset);
}
