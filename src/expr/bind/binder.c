/*
 * binder.c - from a tree to code, for one place; see binder.h
 */
#include <stdlib.h>
#include <string.h>

#include "binder.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

/* ---- writing code ---- */

struct instruction *emit(struct binder *binder, enum code code,
			 const struct node *node, struct type type)
{
	struct bound_expr *bound = binder->bound;

	vec_push(&bound->code, (struct instruction){.code = (uint8_t)code,
						    .type = type,
						    .node = node});
	return &bound->code.data[bound->code.count - 1];
}

struct error *push(struct binder *binder, const struct node *node)
{
	if (binder->stack == CODE_MAX_STACK)
		return error_create(
			ERROR_USAGE,
			"column %zu: the expression is too complex: it needs "
			"more than %d values at once",
			node->column, CODE_MAX_STACK);
	binder->stack++;
	return NULL;
}

void emit_conversion(struct binder *binder, const struct node *node,
		     unsigned under, struct type from, struct type to)
{
	struct instruction *instruction;

	if (number_converts_freely(from, to))
		return;
	instruction = emit(binder, CODE_CONVERT, node, to);
	instruction->from = from;
	instruction->under = (uint8_t)under;
}

void rewind_code(struct binder *binder, size_t count, unsigned stack)
{
	struct bound_expr *bound = binder->bound;

	while (bound->code.count > count)
		instruction_destroy(&bound->code.data[--bound->code.count]);
	binder->stack = stack;
}

struct error *no_meaning(const struct node *node, struct type type,
			 const char *hint)
{
	char name[TYPE_NAME_SIZE];

	return error_create(ERROR_USAGE,
			    "column %zu: '%s' cannot be used on a value of "
			    "type '%s'%s",
			    node->column, op_text(node->op),
			    type_name(type, name), hint);
}

/* ---- operands ---- */

/*
 * A character literal is an int in C, as for the compiler, although gdb treats
 * it as a char. In C++ it is a char.
 */
static struct type literal_type(const struct binder *binder, struct type type)
{
	return binder->language == LANGUAGE_C ? type_promote(type) : type;
}

/*
 * Find the type of a wide character, whose name is the text of the node: the
 * program's type of this name or, if the program has none, a new type.
 */
static struct error *character_type(const struct binder *binder,
				    const struct node *node, struct type *type)
{
	const struct expr_place *place = binder->place;
	struct debugtype *found;

	*type = node->type;
	if (str_equal(node->text, "char") && binder->language != LANGUAGE_RUST)
		return error_create(ERROR_USAGE,
				    "column %zu: more than one byte between "
				    "the quotes; L'' is for a wchar_t",
				    node->column);
	if (!place->file)
		return NULL;
	found = find_type(place, node->text);
	if (!found || debugtype_size(found) != type->size)
		found = debugfile_make_type(place->file, node->text,
					    DEBUGTYPE_CHARACTER, type->size,
					    type->is_signed, NULL);
	*type = type_from_program(found);
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
		*type = literal_type(binder, node->type);
		if (node->text)
			TRY(character_type(binder, node, type));
		emit(binder, CODE_PUSH, node, *type)->number = node->number;
	}
	return NULL;
}

struct error *bind_operand(struct binder *binder, const struct node *node,
			   struct operand *out)
{
	*out = (struct operand){0};
	switch (node->kind) {
	case NODE_NUMBER:
	case NODE_COUNT:
		return bind_number(binder, node, &out->type);
	case NODE_NAME:
		TRY(bind_name(binder, node, out));
		if (type_kind(out->type) == DEBUGTYPE_ARRAY &&
		    !type_size(out->type))
			out->sized_by = node;
		return NULL;
	case NODE_SPECIAL:
		return bind_special(binder, node, out);
	case NODE_UNARY:
		return bind_unary(binder, node, out);
	case NODE_MEMBER:
		return bind_member(binder, node, out);
	case NODE_INDEX:
		return bind_index(binder, node, out);
	case NODE_CAST:
		return bind_cast(binder, node, out);
	case NODE_SIZEOF:
		return bind_sizeof(binder, node, out);
	case NODE_BINARY:
		return bind_binary(binder, node, &out->type);
	case NODE_CHOICE:
		return bind_choice(binder, node, &out->type);
	case NODE_STRING:
		break;
	}
	return error_create(ERROR_USAGE,
			    "column %zu: a string can only be compared, by == "
			    "or !=, with what a 'char *' points to",
			    node->column);
}

/* Emit the addition of the operand's offset to the address on the stack. The
 * operand is then no place any more, but this address. */
static void finish_address(struct binder *binder, const struct node *node,
			   struct operand *operand)
{
	if (operand->offset)
		emit(binder, CODE_OFFSET, node, type_unsigned_long)->number.u =
			operand->offset;
	operand->offset = 0;
	operand->variable = 0;
	operand->is_place = false;
}

struct error *operand_to_value(struct binder *binder, const struct node *node,
			       struct operand *operand, struct type *type)
{
	struct debugfile *file = binder->place->file;
	struct instruction *instruction;

	*type = operand->type;
	switch (type_kind(*type)) {
	case DEBUGTYPE_ARRAY:
		*type = type_pointer_to(
			file, type_from_program(debugtype_target(type->of)));
		finish_address(binder, node, operand);
		return NULL;
	case DEBUGTYPE_FUNCTION:
		*type = type_pointer_to(file, *type);
		finish_address(binder, node, operand);
		return NULL;
	default:
		break;
	}
	if (!operand->is_place)
		return NULL;
	if (!type_is_scalar(*type)) {
		finish_address(binder, node, operand);
		return NULL;
	}
	if (operand->variable && !type_is_long_double(*type) &&
	    !type_is_wide(*type)) {
		instruction = &binder->bound->code.data[operand->variable - 1];
		instruction->code = CODE_VARIABLE;
		instruction->type = *type;
	} else {
		instruction = emit(binder, CODE_LOAD, node, *type);
		instruction->number.u = operand->offset;
		instruction->bits = operand->bits;
	}
	operand->is_place = false;
	return NULL;
}

struct error *bind_value(struct binder *binder, const struct node *node,
			 struct type *type)
{
	struct operand operand;

	TRY(bind_operand(binder, node, &operand));
	TRY(operand_to_value(binder, node, &operand, type));
	/* int holds all values of a narrow bit-field (C17 6.3.1.1) */
	if (operand.bits.size && type_is_integer(*type) &&
	    operand.bits.size < (type->is_signed ? 33 : 32))
		*type = type_int;
	return NULL;
}

struct error *bind_scalar(struct binder *binder, const struct node *parent,
			  const struct node *node, struct type *type)
{
	TRY(bind_value(binder, node, type));
	return type_is_scalar(*type) ? NULL : no_meaning(parent, *type, "");
}

struct error *bind_type_only(struct binder *binder, const struct node *node,
			     struct operand *out)
{
	size_t count = binder->bound->code.count;
	unsigned stack = binder->stack;
	struct error *error = bind_operand(binder, node, out);

	rewind_code(binder, count, stack);
	return error;
}

/* ---- expressions ---- */

/*
 * Finish the code of the whole expression, which leaves a number, or the
 * address of a value that is no number.
 */
static struct error *finish(struct binder *binder, const struct node *node,
			    struct operand *operand)
{
	struct bound_expr *bound = binder->bound;
	struct type value;

	bound->type = operand->type;
	if (type_kind(operand->type) == DEBUGTYPE_STRUCT)
		bound->is_text = text_object_of(operand->type.of, &bound->text);
	if (operand->is_place && !operand->offset && !operand->bits.size)
		bound->reference = operand->reference;
	/* the printer also shows the address to which the reference refers, so
	 * the code must compute this address */
	if (bound->reference)
		operand->variable = 0;
	bound->referred = bound->code.count;
	bound->is_sized = operand->sized_depth;
	return operand_to_value(binder, node, operand, &value);
}

static struct error *bind_root(struct binder *binder, const struct node *node)
{
	struct operand operand;

	if (node->kind == NODE_STRING)
		return error_create(ERROR_USAGE,
				    "column 1: a string alone is not a value; "
				    "to quote an expression, put the quotes "
				    "around the whole word, as in 'by=n + 1'");
	TRY(bind_operand(binder, node, &operand));
	if (node->kind == NODE_SPECIAL)
		binder->bound->form = (uint8_t)special_form(node->text);
	if (binder->bound->code.count == 1 &&
	    binder->bound->code.data[0].code == CODE_PUSH &&
	    binder->bound->code.data[0].from.of)
		binder->bound->form = FORM_MEMBER;
	return finish(binder, node, &operand);
}

static struct bound_expr *create(const struct expr_place *place)
{
	struct bound_expr *bound = xcalloc(1, sizeof(*bound));

	bound->file = place->file;
	bound->address = place->address;
	bound->needs_registers = true;
	if (place->file)
		bound->language =
			debugfile_language(place->file, place->address);
	return bound;
}

static struct binder binder_of(struct bound_expr *bound,
			       const struct expr_place *place)
{
	return (struct binder){
		.place = place,
		.language = bound->language,
		.bound = bound,
	};
}

/* Does the name mean a type, and no variable? */
static bool names_type(const struct expr_place *place, const char *name)
{
	CLEANUP(free_pointer)
	char *whole = xasprintf("%s%s", place->no_code ? "::" : "", name);
	struct variable *variable;
	struct error *error = debugfile_find_variable_of(
		place->file, place->address, place->at_entry, place->inlined,
		whole, &variable);

	if (!error) {
		variable_destroy(variable);
		return false;
	}
	error_destroy(error);
	return find_type(place, name);
}

/*
 * Parse the text again if a doubtful NAME, as in `(NAME) - x`, is a type at the
 * place.
 */
static struct error *parse_again(const struct expr *expr,
				 const struct expr_place *place,
				 struct expr **out)
{
	VEC(char *) types = {0};
	struct error *error = NULL;

	for (size_t i = 0; place->file && i < expr->doubtful.count; i++)
		if (names_type(place, expr->doubtful.data[i]))
			vec_push(&types, expr->doubtful.data[i]);
	if (types.count)
		error = expr_parse_again(expr->text, types.data, types.count,
					 out);
	vec_free(&types);
	return error;
}

struct error *expr_bind(const struct expr *expr, const struct expr_place *place,
			struct bound_expr **out)
{
	struct bound_expr *bound = create(place);
	struct binder binder = binder_of(bound, place);
	struct error *error;

	bound->trusts_pointers = expr->trusts_pointers;
	error = parse_again(expr, place, &bound->again);
	if (!error)
		error = bind_root(&binder,
				  (bound->again ? bound->again : expr)->root);
	if (error) {
		bound_expr_destroy(bound);
		return error;
	}
	bound_expr_complete(bound);
	*out = bound;
	return NULL;
}

struct error *expr_bind_variable(const struct expr_place *place,
				 const char *name, struct variable *variable,
				 struct bound_expr **out)
{
	struct bound_expr *bound = create(place);
	struct binder binder = binder_of(bound, place);
	struct operand operand;
	struct error *error;

	/* messages take the name from the node */
	bound->again = expr_of_name(name);
	bind_variable(&binder, bound->again->root, variable, &operand);
	error = finish(&binder, bound->again->root, &operand);
	if (error) {
		bound_expr_destroy(bound);
		return error;
	}
	*out = bound;
	return NULL;
}
