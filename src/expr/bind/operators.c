/*
 * operators.c - operators on values, by C's rules; see binder.h
 */
#include <string.h>

#include "binder.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

/* An expression can compare only with strings of fewer bytes than this. */
#define MAX_STRING 4096

/* The type of the result of a comparison: int in C, else bool. */
static struct type truth_type(const struct binder *binder)
{
	return binder->language == LANGUAGE_C ? type_int : type_bool;
}

static struct error *require_integer(const struct node *node, struct type type)
{
	if (type_is_integer(type))
		return NULL;
	return no_meaning(node, type, type_is_pointer(type) ? CAST_HINT : "");
}

static struct error *require_arithmetic(const struct node *node,
					struct type type)
{
	if (type_is_pointer(type))
		return no_meaning(node, type, CAST_HINT);
	return NULL;
}

struct error *bind_unary(struct binder *binder, const struct node *node,
			 struct operand *out)
{
	struct type from, *type = &out->type;

	if (node->op == OP_MULTIPLY)
		return bind_dereference(binder, node, out);
	if (node->op == OP_AND)
		return bind_address(binder, node, out);
	TRY(bind_scalar(binder, node, node->children[0], type));
	if (node->op == OP_NOT) {
		emit(binder, CODE_NOT, node, *type);
		*type = truth_type(binder);
		return NULL;
	}
	if (node->op == OP_COMPLEMENT)
		TRY(require_integer(node, *type));
	else
		TRY(require_arithmetic(node, *type));
	from = *type;
	*type = type_promote(from);
	emit_conversion(binder, node, 0, from, *type);
	if (node->op == OP_SUBTRACT)
		emit(binder, CODE_NEGATE, node, *type);
	else if (node->op == OP_COMPLEMENT)
		emit(binder, CODE_COMPLEMENT, node, *type);
	return NULL;
}

/* ---- operators with two operands ---- */

/*
 * How many bytes the array has. 0: the type is no array, or its size is not
 * known.
 */
static uint64_t array_bytes(struct type type)
{
	return type_kind(type) == DEBUGTYPE_ARRAY ? debugtype_size(type.of) : 0;
}

static struct error *finish_string(struct binder *binder,
				   const struct node *node, struct type *type)
{
	*type = truth_type(binder);
	if (node->op == OP_NOT_EQUAL)
		emit(binder, CODE_NOT, node, *type);
	return NULL;
}

static bool has_zero(const struct node *string)
{
	static const char zero[4];
	size_t width = string->type.size;

	for (size_t at = 0; at < string->length; at += width)
		if (memcmp(string->text + at, zero, width) == 0)
			return true;
	return false;
}

static bool is_caller(const struct node *node)
{
	return node->kind == NODE_SPECIAL && str_equal(node->text, "$caller");
}

/* Bind a comparison with a string, which is on either side: `name == "foo"`. */
static struct error *bind_string(struct binder *binder, const struct node *node,
				 struct type *type)
{
	bool first = node->children[0]->kind == NODE_STRING;
	const struct node *string = node->children[first ? 0 : 1];
	const struct node *pointer = node->children[first ? 1 : 0];
	char name[TYPE_NAME_SIZE];
	struct text_object text;
	struct operand operand;
	uint64_t bound;
	bool is_text;

	if (pointer->kind == NODE_STRING)
		return error_create(
			ERROR_USAGE,
			"column %zu: two strings cannot be compared; compare a "
			"string with a variable",
			node->column);
	if (string->length >= MAX_STRING || has_zero(string))
		return error_create(
			ERROR_USAGE,
			"column %zu: a string in a comparison must have fewer "
			"than %d bytes, none of them zero",
			string->column, MAX_STRING);
	TRY(bind_operand(binder, pointer, &operand));
	bound = array_bytes(operand.type);
	is_text = type_kind(operand.type) == DEBUGTYPE_STRUCT &&
		  string->type.size == 1 &&
		  text_object_of(operand.type.of, &text);
	TRY(operand_to_value(binder, pointer, &operand, type));
	if (is_caller(pointer) && string->type.size == 1) {
		struct instruction *last =
			&binder->bound->code
				 .data[binder->bound->code.count - 1];

		last->code = CODE_CALLED_BY;
		last->node = string;
		return finish_string(binder, node, type);
	}
	if (is_text) {
		emit(binder, CODE_TEXT, string, *type)->text = text;
		return finish_string(binder, node, type);
	}
	if (type->pointers != 1 || type->class != TYPE_INTEGER ||
	    type->size != string->type.size)
		return error_create(ERROR_USAGE,
				    "column %zu: a string cannot be compared "
				    "with a value of type '%s'; cast the value "
				    "to 'char *' if it points to a string",
				    node->column, type_name(*type, name));
	emit(binder, CODE_STRING, string, *type)->number.u = bound;
	return finish_string(binder, node, type);
}

static struct error *bind_logical(struct binder *binder,
				  const struct node *node, struct type *type)
{
	bool and = node->op == OP_LOGICAL_AND;
	size_t jump;

	TRY(bind_scalar(binder, node, node->children[0], type));
	jump = binder->bound->code.count;
	emit(binder, and? CODE_AND_THEN : CODE_OR_ELSE, node, *type);
	binder->stack--;
	TRY(bind_scalar(binder, node, node->children[1], type));
	emit(binder, CODE_TRUTH, node, *type);
	*type = truth_type(binder);
	binder->bound->code.data[jump].number.u = binder->bound->code.count;
	return NULL;
}

static enum code code_of(enum op op)
{
	/* enum code and enum op have the binary operators in the same order */
	return (enum code)(CODE_MULTIPLY + (op - OP_MULTIPLY));
}

_Static_assert(CODE_OR - CODE_MULTIPLY == OP_OR - OP_MULTIPLY,
	       "a code for each binary operator");
_Static_assert(CODE_LESS - CODE_MULTIPLY == OP_LESS - OP_MULTIPLY,
	       "in the same order");

static bool is_comparison(enum op op)
{
	return op >= OP_LESS && op <= OP_NOT_EQUAL;
}

struct error *bind_binary(struct binder *binder, const struct node *node,
			  struct type *type)
{
	struct type left, right;

	if (node->op == OP_LOGICAL_AND || node->op == OP_LOGICAL_OR)
		return bind_logical(binder, node, type);
	if ((node->op == OP_EQUAL || node->op == OP_NOT_EQUAL) &&
	    (node->children[0]->kind == NODE_STRING ||
	     node->children[1]->kind == NODE_STRING))
		return bind_string(binder, node, type);
	TRY(bind_scalar(binder, node, node->children[0], &left));
	TRY(bind_scalar(binder, node, node->children[1], &right));
	binder->stack--;
	if (type_is_pointer(left) || type_is_pointer(right))
		return bind_pointers(binder, node, left, right, type);
	switch (node->op) {
	case OP_REMAINDER:
	case OP_AND:
	case OP_XOR:
	case OP_OR:
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
		TRY(require_integer(node, left));
		TRY(require_integer(node, right));
		break;
	default:
		break;
	}
	if (node->op == OP_SHIFT_LEFT || node->op == OP_SHIFT_RIGHT) {
		*type = type_promote(left);
		emit_conversion(binder, node, 1, left, *type);
		emit(binder, code_of(node->op), node, *type)->from = right;
		return NULL;
	}
	*type = type_common(left, right);
	emit_conversion(binder, node, 1, left, *type);
	emit_conversion(binder, node, 0, right, *type);
	emit(binder, code_of(node->op), node, *type);
	if (is_comparison(node->op))
		*type = truth_type(binder);
	return NULL;
}

static struct error *choice_type(const struct node *node, struct type yes,
				 struct type no, struct type *type)
{
	if (!type_is_pointer(yes) && !type_is_pointer(no)) {
		/* two values of one enumeration have its type */
		*type = type_is_enumeration(yes) && yes.of == no.of
				? yes
				: type_common(yes, no);
		return NULL;
	}
	if (type_is_float(yes) || type_is_float(no))
		return no_meaning(node, type_is_pointer(yes) ? yes : no,
				  CAST_HINT);
	if (!type_is_pointer(no) || type_equal(yes, no))
		*type = yes;
	else if (!type_is_pointer(yes))
		*type = no;
	else
		*type = type_void_pointer;
	return NULL;
}

struct error *bind_choice(struct binder *binder, const struct node *node,
			  struct type *type)
{
	struct instruction *code;
	size_t unless, jump;
	struct type yes, no;

	TRY(bind_scalar(binder, node, node->children[0], type));
	unless = binder->bound->code.count;
	emit(binder, CODE_UNLESS, node, *type);
	binder->stack--;
	TRY(bind_scalar(binder, node, node->children[1], &yes));
	jump = binder->bound->code.count;
	emit(binder, CODE_JUMP, node, yes);
	binder->stack--;
	binder->bound->code.data[unless].number.u = binder->bound->code.count;
	TRY(bind_scalar(binder, node, node->children[2], &no));
	TRY(choice_type(node, yes, no, type));
	emit_conversion(binder, node, 0, no, *type);
	code = binder->bound->code.data;
	code[jump].from = yes;
	code[jump].type = *type;
	code[jump].number.u = binder->bound->code.count;
	return NULL;
}
