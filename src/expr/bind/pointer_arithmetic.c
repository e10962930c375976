/*
 * pointer_arithmetic.c - arithmetic with pointers, which counts in elements;
 * see binder.h
 */
#include "binder.h"
#include "perftool/debuginfo/debug_variables.h"

/* The size of the type to which a pointer points. Arithmetic with the pointer
 * counts in units of this size. */
static struct error *element_size(const struct node *node, struct type element,
				  int64_t *size)
{
	char name[TYPE_NAME_SIZE];

	*size = (int64_t)type_size(element);
	if (!type_is_pointer(element) &&
	    (element.class == TYPE_VOID ||
	     type_kind(element) == DEBUGTYPE_FUNCTION))
		*size = 1; /* the rule of GNU C */
	if (!*size)
		return error_create(ERROR_USAGE,
				    "column %zu: the size of '%s' is not "
				    "known; cast the pointer, as in (char *) p",
				    node->column, type_name(element, name));
	return NULL;
}

struct error *emit_scale(struct binder *binder, const struct node *node,
			 unsigned under, struct type element)
{
	struct instruction *instruction;
	int64_t size;

	TRY(element_size(node, element, &size));
	if (size == 1)
		return NULL;
	instruction = emit(binder, CODE_SCALE, node, type_long);
	instruction->under = (uint8_t)under;
	instruction->number.i = size;
	return NULL;
}

struct error *bind_pointers(struct binder *binder, const struct node *node,
			    struct type left, struct type right,
			    struct type *type)
{
	bool both = type_is_pointer(left) && type_is_pointer(right);
	struct type pointer = type_is_pointer(left) ? left : right;
	int64_t size;

	if (type_is_float(left) || type_is_float(right))
		return no_meaning(node, pointer, CAST_HINT);
	if (node->op >= OP_LESS && node->op <= OP_NOT_EQUAL) {
		emit(binder,
		     (enum code)(CODE_MULTIPLY + (node->op - OP_MULTIPLY)),
		     node, type_unsigned_long);
		*type = binder->language == LANGUAGE_C ? type_int : type_bool;
		return NULL;
	}
	if (node->op == OP_ADD && !both) {
		TRY(emit_scale(binder, node, type_is_pointer(left) ? 0 : 1,
			       type_pointed(pointer)));
		emit(binder, CODE_ADD, node, type_unsigned_long);
		*type = pointer;
		return NULL;
	}
	if (node->op != OP_SUBTRACT || !type_is_pointer(left))
		return no_meaning(node, pointer, CAST_HINT);
	if (!both) {
		TRY(emit_scale(binder, node, 0, type_pointed(left)));
		emit(binder, CODE_SUBTRACT, node, type_unsigned_long);
		*type = left;
		return NULL;
	}
	if (!type_equal(left, right))
		return error_create(ERROR_USAGE,
				    "column %zu: pointers to different types "
				    "cannot be subtracted",
				    node->column);
	TRY(element_size(node, type_pointed(left), &size));
	emit(binder, CODE_SUBTRACT, node, type_long);
	*type = type_long;
	TRY(push(binder, node));
	emit(binder, CODE_PUSH, node, type_long)->number.i = size;
	binder->stack--;
	emit(binder, CODE_DIVIDE, node, type_long);
	return NULL;
}
