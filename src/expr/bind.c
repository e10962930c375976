/*
 * bind.c - from a tree to code, for one place
 *
 * One walk over the tree finds the types and writes the code. Where an operand
 * needs a conversion that only the other one's type reveals, the conversion is
 * written after both (CODE_CONVERT with `under`), or, for `?:`, filled into
 * the jump that ends the first branch.
 */
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "names.h"
#include "perftool/base/alloc.h"

/* A string is read through the reader; what is longer is never equal. */
#define MAX_STRING 4096

struct binder {
	const struct expr_place *place;
	struct bound_expr *bound;
	unsigned stack; /* values on the stack at this point of the code */
};

static struct error *bind(struct binder *binder, const struct node *node,
			  struct type *type);

/* Append an instruction; the result is valid until the next. */
static struct instruction *emit(struct binder *binder, enum code code,
				const struct node *node, struct type type)
{
	struct bound_expr *bound = binder->bound;

	vec_push(&bound->code, (struct instruction){.code = (uint8_t)code,
						    .type = type,
						    .node = node});
	return &bound->code.data[bound->code.count - 1];
}

static struct error *push(struct binder *binder, const struct node *node)
{
	if (binder->stack == CODE_MAX_STACK)
		return error_create(ERROR_USAGE,
				    "column %zu: more than %d values are "
				    "pending here",
				    node->column, CODE_MAX_STACK);
	binder->stack++;
	return NULL;
}

static void convert(struct binder *binder, const struct node *node,
		    unsigned under, struct type from, struct type to)
{
	struct instruction *instruction;

	if (number_converts_freely(from, to))
		return;
	instruction = emit(binder, CODE_CONVERT, node, to);
	instruction->from = from;
	instruction->under = (uint8_t)under;
}

/* "'%' has no meaning for a double". */
static struct error *no_meaning(const struct node *node, struct type type,
				const char *hint)
{
	char name[TYPE_NAME_SIZE];

	return error_create(ERROR_USAGE,
			    "column %zu: '%s' cannot be used on a value of "
			    "type '%s'%s",
			    node->column, op_text(node->op),
			    type_name(type, name), hint);
}

#define CAST_HINT "; cast it first, as in (unsigned long) p"

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

static struct error *bind_name(struct binder *binder, const struct node *node,
			       struct type *type)
{
	struct instruction instruction = {.node = node};

	TRY(push(binder, node));
	if (node->kind == NODE_NAME)
		TRY(name_bind_variable(node, binder->place, &instruction));
	else
		TRY(name_bind_special(node, binder->place, &instruction));
	*type = instruction.type;
	vec_push(&binder->bound->code, instruction);
	return NULL;
}

static struct error *bind_number(struct binder *binder, const struct node *node,
				 struct type *type)
{
	TRY(push(binder, node));
	if (node->kind == NODE_COUNT) {
		*type = type_unsigned_long;
		emit(binder, CODE_COUNT, node, *type)->number = node->number;
	} else {
		*type = node->type;
		emit(binder, CODE_PUSH, node, *type)->number = node->number;
	}
	return NULL;
}

static struct error *bind_load(struct binder *binder, const struct node *node,
			       struct type *type)
{
	char name[TYPE_NAME_SIZE];

	if (!type_is_pointer(*type))
		return no_meaning(node, *type,
				  "; say what is there, as in *(int *) x");
	if (type->pointers == 1 && type->class == TYPE_VOID)
		return error_create(ERROR_USAGE,
				    "column %zu: what a '%s' points to has no "
				    "type; cast it, as in *(int *) x",
				    node->column, type_name(*type, name));
	if (type->pointers == 1 && type->class == TYPE_UNKNOWN)
		return error_create(ERROR_USAGE,
				    "column %zu: what this points to is not "
				    "supported in this version; cast it to a "
				    "basic type of C, as in *(int *) x",
				    node->column);
	*type = type_pointed(*type);
	emit(binder, CODE_LOAD, node, *type);
	return NULL;
}

static struct error *bind_unary(struct binder *binder, const struct node *node,
				struct type *type)
{
	struct type from;

	TRY(bind(binder, node->children[0], type));
	if (node->op == OP_MULTIPLY)
		return bind_load(binder, node, type);
	if (node->op == OP_NOT) {
		emit(binder, CODE_NOT, node, *type);
		*type = type_int;
		return NULL;
	}
	if (node->op == OP_COMPLEMENT)
		TRY(require_integer(node, *type));
	else
		TRY(require_arithmetic(node, *type));
	from = *type;
	*type = type_promote(from);
	convert(binder, node, 0, from, *type);
	if (node->op == OP_SUBTRACT)
		emit(binder, CODE_NEGATE, node, *type);
	else if (node->op == OP_COMPLEMENT)
		emit(binder, CODE_COMPLEMENT, node, *type);
	return NULL;
}

static struct error *bind_cast(struct binder *binder, const struct node *node,
			       struct type *type)
{
	struct type from;
	char name[TYPE_NAME_SIZE], to[TYPE_NAME_SIZE];

	TRY(bind(binder, node->children[0], &from));
	*type = node->type;
	if ((type_is_pointer(from) && type_is_float(*type)) ||
	    (type_is_float(from) && type_is_pointer(*type)))
		return error_create(
			ERROR_USAGE,
			"column %zu: a value of type '%s' cannot be cast to "
			"'%s'",
			node->column, type_name(from, name),
			type_name(*type, to));
	convert(binder, node, 0, from, *type);
	return NULL;
}

/* `name == "foo"`: one of the two is the string. */
static struct error *bind_string(struct binder *binder, const struct node *node,
				 struct type *type)
{
	bool first = node->children[0]->kind == NODE_STRING;
	const struct node *string = node->children[first ? 0 : 1];
	const struct node *pointer = node->children[first ? 1 : 0];
	char name[TYPE_NAME_SIZE];

	if (pointer->kind == NODE_STRING)
		return error_create(ERROR_USAGE,
				    "column %zu: two strings are compared",
				    node->column);
	if (string->length >= MAX_STRING ||
	    memchr(string->text, '\0', string->length))
		return error_create(ERROR_USAGE,
				    "column %zu: a string to compare with has "
				    "less than %d bytes, none of them zero",
				    string->column, MAX_STRING);
	TRY(bind(binder, pointer, type));
	if (type->pointers != 1 ||
	    !(type->class == TYPE_UNKNOWN ||
	      (type->class == TYPE_INTEGER && type->size == 1)))
		return error_create(
			ERROR_USAGE,
			"column %zu: a string is compared with a value of type "
			"'%s'; cast it to 'char *' if it points to one",
			node->column, type_name(*type, name));
	emit(binder, CODE_STRING, string, *type);
	*type = type_int;
	if (node->op == OP_NOT_EQUAL)
		emit(binder, CODE_NOT, node, *type);
	return NULL;
}

static struct error *bind_logical(struct binder *binder,
				  const struct node *node, struct type *type)
{
	bool and = node->op == OP_LOGICAL_AND;
	size_t jump;

	TRY(bind(binder, node->children[0], type));
	jump = binder->bound->code.count;
	emit(binder, and? CODE_AND_THEN : CODE_OR_ELSE, node, *type);
	binder->stack--;
	TRY(bind(binder, node->children[1], type));
	emit(binder, CODE_TRUTH, node, *type);
	*type = type_int;
	binder->bound->code.data[jump].number.u = binder->bound->code.count;
	return NULL;
}

static enum code code_of(enum op op)
{
	/* both lists are in the same order */
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

/* The size of what a pointer points to, to count in. */
static struct error *element_size(const struct node *node, struct type pointer,
				  int64_t *size)
{
	struct type element = type_pointed(pointer);

	if (!type_is_pointer(element) && element.class == TYPE_UNKNOWN)
		return error_create(ERROR_USAGE,
				    "column %zu: the size of what this points "
				    "to is not known in this version; cast it, "
				    "as in (char *) p",
				    node->column);
	*size = type_size(element);
	if (!type_is_pointer(element) && element.class == TYPE_VOID)
		*size = 1; /* GNU C */
	return NULL;
}

static void scale(struct binder *binder, const struct node *node,
		  unsigned under, int64_t size)
{
	struct instruction *instruction;

	if (size == 1)
		return;
	instruction = emit(binder, CODE_SCALE, node, type_long);
	instruction->under = (uint8_t)under;
	instruction->number.i = size;
}

/* An operator with a pointer on one side or both; both are on the stack. */
static struct error *bind_pointers(struct binder *binder,
				   const struct node *node, struct type left,
				   struct type right, struct type *type)
{
	bool both = type_is_pointer(left) && type_is_pointer(right);
	struct type pointer = type_is_pointer(left) ? left : right;
	int64_t size;

	if (type_is_float(left) || type_is_float(right))
		return no_meaning(node, pointer, CAST_HINT);
	if (is_comparison(node->op)) {
		emit(binder, code_of(node->op), node, type_unsigned_long);
		*type = type_int;
		return NULL;
	}
	if (node->op == OP_ADD && !both) {
		TRY(element_size(node, pointer, &size));
		scale(binder, node, type_is_pointer(left) ? 0 : 1, size);
		emit(binder, CODE_ADD, node, type_unsigned_long);
		*type = pointer;
		return NULL;
	}
	if (node->op != OP_SUBTRACT || !type_is_pointer(left))
		return no_meaning(node, pointer, CAST_HINT);
	TRY(element_size(node, left, &size));
	if (!both) {
		scale(binder, node, 0, size);
		emit(binder, CODE_SUBTRACT, node, type_unsigned_long);
		*type = left;
		return NULL;
	}
	if (!type_equal(left, right))
		return error_create(ERROR_USAGE,
				    "column %zu: pointers to different types "
				    "are subtracted",
				    node->column);
	emit(binder, CODE_SUBTRACT, node, type_long);
	*type = type_long;
	TRY(push(binder, node));
	emit(binder, CODE_PUSH, node, type_long)->number.i = size;
	binder->stack--;
	emit(binder, CODE_DIVIDE, node, type_long);
	return NULL;
}

static struct error *bind_binary(struct binder *binder, const struct node *node,
				 struct type *type)
{
	struct type left, right;

	if (node->op == OP_LOGICAL_AND || node->op == OP_LOGICAL_OR)
		return bind_logical(binder, node, type);
	if ((node->op == OP_EQUAL || node->op == OP_NOT_EQUAL) &&
	    (node->children[0]->kind == NODE_STRING ||
	     node->children[1]->kind == NODE_STRING))
		return bind_string(binder, node, type);
	TRY(bind(binder, node->children[0], &left));
	TRY(bind(binder, node->children[1], &right));
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
		convert(binder, node, 1, left, *type);
		emit(binder, code_of(node->op), node, *type)->from = right;
		return NULL;
	}
	*type = type_common(left, right);
	convert(binder, node, 1, left, *type);
	convert(binder, node, 0, right, *type);
	emit(binder, code_of(node->op), node, *type);
	if (is_comparison(node->op))
		*type = type_int;
	return NULL;
}

static struct error *choice_type(const struct node *node, struct type yes,
				 struct type no, struct type *type)
{
	if (!type_is_pointer(yes) && !type_is_pointer(no)) {
		*type = type_common(yes, no);
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

static struct error *bind_choice(struct binder *binder, const struct node *node,
				 struct type *type)
{
	struct instruction *code;
	size_t unless, jump;
	struct type yes, no;

	TRY(bind(binder, node->children[0], type));
	unless = binder->bound->code.count;
	emit(binder, CODE_UNLESS, node, *type);
	binder->stack--;
	TRY(bind(binder, node->children[1], &yes));
	jump = binder->bound->code.count;
	emit(binder, CODE_JUMP, node, yes);
	binder->stack--;
	binder->bound->code.data[unless].number.u = binder->bound->code.count;
	TRY(bind(binder, node->children[2], &no));
	TRY(choice_type(node, yes, no, type));
	convert(binder, node, 0, no, *type);
	code = binder->bound->code.data;
	code[jump].from = yes;
	code[jump].type = *type;
	code[jump].number.u = binder->bound->code.count;
	return NULL;
}

static struct error *bind(struct binder *binder, const struct node *node,
			  struct type *type)
{
	switch (node->kind) {
	case NODE_NUMBER:
	case NODE_COUNT:
		return bind_number(binder, node, type);
	case NODE_NAME:
	case NODE_SPECIAL:
		return bind_name(binder, node, type);
	case NODE_UNARY:
		return bind_unary(binder, node, type);
	case NODE_CAST:
		return bind_cast(binder, node, type);
	case NODE_BINARY:
		return bind_binary(binder, node, type);
	case NODE_CHOICE:
		return bind_choice(binder, node, type);
	case NODE_STRING:
		break;
	}
	return error_create(ERROR_USAGE,
			    "column %zu: a string can only be compared, by == "
			    "or !=, with what a 'char *' points to",
			    node->column);
}

/* Does the same value come out, whoever asks, whenever? */
static bool is_constant(const struct bound_expr *bound)
{
	for (size_t i = 0; i < bound->code.count; i++) {
		switch (bound->code.data[i].code) {
		case CODE_VARIABLE:
		case CODE_REGISTER:
		case CODE_ARGUMENT:
		case CODE_RETURN_VALUE:
		case CODE_PID:
		case CODE_TID:
		case CODE_COUNT:
		case CODE_LOAD:
		case CODE_STRING:
			return false;
		default:
			break;
		}
	}
	return true;
}

struct error *expr_bind(const struct expr *expr, const struct expr_place *place,
			struct bound_expr **out)
{
	struct binder binder = {
		.place = place,
		.bound = xcalloc(1, sizeof(*binder.bound)),
	};
	struct error *error;

	error = bind(&binder, expr->root, &binder.bound->type);
	if (error) {
		bound_expr_destroy(binder.bound);
		return error;
	}
	binder.bound->constant = is_constant(binder.bound);
	*out = binder.bound;
	return NULL;
}

void bound_expr_destroy(struct bound_expr *bound)
{
	if (!bound)
		return;
	for (size_t i = 0; i < bound->code.count; i++)
		if (bound->code.data[i].code == CODE_VARIABLE)
			variable_destroy(bound->code.data[i].variable);
	vec_free(&bound->code);
	free(bound);
}

bool bound_expr_is_constant(const struct bound_expr *bound)
{
	return bound->constant;
}
