/*
 * cast.c - casts of C and of C++; see binder.h
 *
 * A cast between classes goes from a class to its base class or back, as
 * static_cast does. Where C allows no cast of a value, the result is what the
 * bytes at the value's place mean in the new type, as in gdb.
 */
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "subobject.h"

static struct error *cannot(const struct node *node, struct type from,
			    struct type to)
{
	char name[TYPE_NAME_SIZE], other[TYPE_NAME_SIZE];

	return error_create(
		ERROR_USAGE,
		"column %zu: a value of type '%s' cannot be cast to '%s'",
		node->column, type_name(from, name), type_name(to, other));
}

/* ---- classes: an address is on the stack ---- */

static bool is_class(struct type type)
{
	return type_kind(type) == DEBUGTYPE_STRUCT;
}

static bool points_to_class(struct type type)
{
	return type.pointers == 1 && type.of && is_class(type_pointed(type));
}

static void emit_dynamic(struct binder *binder, const struct node *node,
			 struct type to, bool or_null)
{
	struct instruction *instruction = emit(binder, CODE_DYNAMIC, node, to);

	instruction->file = binder->place->file;
	instruction->number.u = or_null ? DYNAMIC_OR_NULL : DYNAMIC_OR_ERROR;
}

static struct error *not_dynamic(const struct node *node, struct type from,
				 const char *why)
{
	char name[TYPE_NAME_SIZE];

	return error_create(ERROR_USAGE,
			    "column %zu: an object of class %s does not say "
			    "%s, because the class has no virtual functions",
			    node->column, type_name(from, name), why);
}

/* Cast from a class to its base class. */
static struct error *cast_up(struct binder *binder, const struct node *node,
			     struct type from, struct type to, bool *done)
{
	struct base_found found;

	find_base(from.of, to.of, &found);
	*done = found.count;
	if (found.count > 1)
		return ambiguous(node, debugtype_name(to.of), from.of, &found);
	base_found_deinit(&found);
	if (found.count)
		take_base_of_pointer(binder, node, &found.path);
	return NULL;
}

/*
 * Cast from a base class to a class that is derived from it. If the base is
 * virtual, only the object knows where the rest of the object is.
 */
static struct error *cast_down(struct binder *binder, const struct node *node,
			       struct type from, struct type to)
{
	struct base_found found;

	find_base(to.of, from.of, &found);
	if (found.count > 1)
		return ambiguous(node, debugtype_name(from.of), to.of, &found);
	base_found_deinit(&found);
	if (!found.count)
		return NULL;
	if (!path_is_virtual(&found.path)) {
		emit(binder, CODE_ADJUST, node, to)->number.u =
			-path_offset(&found.path);
		return NULL;
	}
	if (!is_dynamic(from.of))
		return not_dynamic(node, from, "what it is a virtual base of");
	emit_dynamic(binder, node, to, false);
	return NULL;
}

static struct error *cast_class(struct binder *binder, const struct node *node,
				struct type from, struct type to)
{
	bool done;

	if (node->cast == CAST_REINTERPRET)
		return NULL;
	TRY(cast_up(binder, node, from, to, &done));
	if (done)
		return NULL;
	if (node->cast != CAST_DYNAMIC)
		return cast_down(binder, node, from, to);
	if (!is_dynamic(from.of))
		return not_dynamic(node, from, "what it is part of");
	emit_dynamic(binder, node, to, !node->reference);
	return NULL;
}

/* ---- places ---- */

static struct debugtype *reference_to(const struct binder *binder,
				      const struct node *node,
				      struct debugtype *type)
{
	const char *of = debugtype_name(type);
	CLEANUP(free_pointer)
	char *name =
		xasprintf("%s%s%s", of, of[strlen(of) - 1] == '*' ? "" : " ",
			  node->reference > 1 ? "&&" : "&");

	return debugfile_make_type(binder->place->file, name,
				   DEBUGTYPE_REFERENCE, 8, false, type);
}

/* Make the operand the same place with the type `to`, so that its bytes are
 * read as a value of this type. */
static struct error *cast_place(struct binder *binder, const struct node *node,
				struct type to, struct operand *out)
{
	struct type from = out->type;

	if (!out->is_place || out->bits.size)
		return cannot(node, from, to);
	if (out->offset)
		emit(binder, CODE_OFFSET, node, type_unsigned_long)->number.u =
			out->offset;
	if (is_class(from) && is_class(to))
		TRY(cast_class(binder, node, from, to));
	else
		emit(binder, CODE_REAL, node, to);
	*out = (struct operand){.type = to, .is_place = true};
	return NULL;
}

static struct error *cast_reference(struct binder *binder,
				    const struct node *node, struct type to,
				    struct operand *out)
{
	struct debugfile *file = binder->place->file;

	if (!file)
		return cannot(node, out->type, to);
	TRY(cast_place(binder, node, to, out));
	out->reference = reference_to(binder, node, program_type(file, to));
	return NULL;
}

/* ---- values ---- */

/*
 * Check a dynamic_cast to a type that is no class. Only `void *` is allowed:
 * the result is the address of the complete object.
 */
static struct error *check_dynamic(struct binder *binder,
				   const struct node *node, struct type from,
				   struct type to)
{
	if (!points_to_class(from) || to.pointers != 1 || to.class != TYPE_VOID)
		return cannot(node, from, to);
	if (!is_dynamic(type_pointed(from).of))
		return not_dynamic(node, type_pointed(from),
				   "what it is part of");
	emit_dynamic(binder, node, type_pointed(to), true);
	return NULL;
}

struct error *bind_cast(struct binder *binder, const struct node *node,
			struct operand *out)
{
	struct type from, to;

	TRY(node_type(binder, node, &to));
	binder->untyped_will_do = node->children[0]->kind == NODE_NAME;
	TRY(bind_operand(binder, node->children[0], out));
	if (out->is_untyped) {
		/*
		 * the type of the variable is not known, so its bytes are read
		 * as a value of the type of the cast
		 */
		*out = (struct operand){.type = to, .is_place = true};
		operand_follow(binder, node, out);
		return NULL;
	}
	if (node->reference)
		return cast_reference(binder, node, to, out);
	if (!type_is_scalar(to))
		return type_equal(out->type, to)
			       ? NULL
			       : cast_place(binder, node, to, out);
	TRY(operand_to_value(binder, node, out, &from));
	if (!type_is_scalar(from) ||
	    (type_is_pointer(from) && type_is_float(to)) ||
	    (type_is_float(from) && type_is_pointer(to)))
		return cannot(node, from, to);
	if (points_to_class(from) && points_to_class(to))
		TRY(cast_class(binder, node, type_pointed(from),
			       type_pointed(to)));
	else if (node->cast == CAST_DYNAMIC)
		TRY(check_dynamic(binder, node, from, to));
	emit_conversion(binder, node, 0, from, to);
	*out = (struct operand){.type = to};
	return NULL;
}
