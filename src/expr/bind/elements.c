/*
 * elements.c - `[]` and sizeof, which need the size of an element; see binder.h
 */
#include "perftool/base/str.h"
#include "subobject.h"

/* Is the index written as a number? Such an index needs no code. */
static bool is_constant_index(const struct node *node, int64_t *index)
{
	bool negative = node->kind == NODE_UNARY && node->op == OP_SUBTRACT;

	if (negative)
		node = node->children[0];
	if (node->kind != NODE_NUMBER || !type_is_integer(node->type))
		return false;
	*index = (int64_t)(negative ? -node->number.u : node->number.u);
	return true;
}

/*
 * Push the size that an array of variable length, or an element of it, has at
 * the hit.
 */
static struct error *push_size(struct binder *binder,
			       const struct operand *array, uint8_t depth)
{
	struct instruction *instruction;
	struct operand again;

	TRY(bind_operand(binder, array->sized_by, &again));
	instruction = &binder->bound->code.data[again.variable - 1];
	instruction->code = CODE_SIZE;
	instruction->under = (uint8_t)(array->sized_depth + depth);
	return NULL;
}

/*
 * Push an index that is computed at the hit, above the address of the array.
 * `exchanged`: the index was bound first, and is below the address.
 */
static struct error *push_index(struct binder *binder, const struct node *node,
				const struct node *position, bool exchanged)
{
	struct type type;

	if (exchanged) {
		emit(binder, CODE_EXCHANGE, node, type_unsigned_long);
		return NULL;
	}
	TRY(bind_scalar(binder, node, position, &type));
	if (!type_is_integer(type))
		return no_meaning(node, type, ": an index is an integer");
	return NULL;
}

/*
 * Add the index on the stack, times the size of an element, to the address
 * below it.
 */
static struct error *add_index(struct binder *binder, const struct node *node,
			       const struct operand *array, struct type element)
{
	if (array->sized_by && !type_size(element)) {
		TRY(push_size(binder, array, 1));
		emit(binder, CODE_MULTIPLY, node, type_unsigned_long);
		binder->stack--;
	} else {
		TRY(emit_scale(binder, node, 0, element));
	}
	emit(binder, CODE_ADD, node, type_unsigned_long);
	binder->stack--;
	return NULL;
}

/* Bind an element of a std::deque. */
static struct error *bind_block(struct binder *binder, const struct node *node,
				const struct node *position, bool exchanged,
				struct operand *out)
{
	struct type element = type_pointed(out->type);

	if (out->offset)
		emit(binder, CODE_OFFSET, node, type_unsigned_long)->number.u =
			out->offset;
	TRY(push_index(binder, node, position, exchanged));
	if (!type_size(element))
		return no_meaning(node, element, "; its size is not known");
	emit(binder, CODE_BLOCKS, node, element)->number.u = type_size(element);
	binder->stack--;
	*out = (struct operand){.type = element, .is_place = true};
	operand_follow(binder, node, out);
	return NULL;
}

/*
 * Bind the array of a subscript. C also allows `3[array]` for `array[3]`: the
 * operand before the bracket may be the index, which only its type shows. Each
 * side is bound only once. A side can contain subscripts itself, and to bind it
 * twice at each level would take exponential time. *exchanged: the index is
 * already on the stack.
 */
static struct error *bind_array(struct binder *binder, const struct node *node,
				const struct node *base,
				const struct node *position,
				struct operand *out, bool *exchanged)
{
	struct type type;

	*exchanged = false;
	TRY(bind_operand(binder, base, out));
	if (!type_is_integer(out->type))
		return NULL;
	*exchanged = true;
	TRY(operand_to_value(binder, base, out, &type));
	TRY(bind_operand(binder, position, out));
	return type_is_integer(out->type) ? no_meaning(node, type, "") : NULL;
}

/*
 * If the operand is an object that has elements, go to the array or pointer
 * that they are in.
 */
static struct error *take_elements(struct binder *binder,
				   const struct node *node, struct operand *out,
				   bool *blocks)
{
	*blocks = false;
	for (size_t i = 0; element_rules[i]; i++)
		TRY(element_rules[i](binder, node, out, blocks));
	return NULL;
}

/*
 * Find the type of an element of the array or pointer `out`. If `out` is a
 * pointer, it becomes the place to which the pointer points.
 */
static struct error *take_element(struct binder *binder,
				  const struct node *node, struct operand *out,
				  struct type *element)
{
	struct type type;

	if (type_kind(out->type) == DEBUGTYPE_ARRAY) {
		*element = type_from_program(debugtype_target(out->type.of));
		return NULL;
	}
	TRY(operand_to_value(binder, node, out, &type));
	if (!type_is_pointer(type))
		return no_meaning(node, type,
				  type_kind(type) == DEBUGTYPE_STRUCT
					  ? "; its operator[] cannot be "
					    "called; use one of its members"
					  : "");
	*element = type_pointed(type);
	if (!type_is_pointer(*element) && element->class == TYPE_VOID)
		return no_meaning(node, type,
				  "; cast it, as in ((int *) x)[0]");
	*out = (struct operand){0};
	return NULL;
}

struct error *bind_index(struct binder *binder, const struct node *node,
			 struct operand *out)
{
	const struct node *base = node->children[0];
	const struct node *position = node->children[1];
	struct operand array;
	struct type element;
	int64_t index;
	bool exchanged, blocks;

	/*
	 * a constant index needs no code, so the other operand is bound as the
	 * array
	 */
	if (is_constant_index(base, &index) &&
	    !is_constant_index(position, &index)) {
		base = node->children[1];
		position = node->children[0];
	}
	TRY(bind_array(binder, node, base, position, out, &exchanged));
	TRY(take_elements(binder, node, out, &blocks));
	if (blocks)
		return bind_block(binder, node, position, exchanged, out);
	TRY(take_element(binder, node, out, &element));
	array = *out;
	if (is_constant_index(position, &index) && type_size(element)) {
		out->offset += (uint64_t)index * type_size(element);
	} else {
		TRY(push_index(binder, node, position, exchanged));
		TRY(add_index(binder, node, &array, element));
	}
	if (!type_size(element) && out->sized_by)
		out->sized_depth++;
	else
		out->sized_by = NULL;
	out->type = element;
	out->is_place = true;
	out->variable = 0;
	out->reference = NULL;
	operand_follow(binder, node, out);
	return NULL;
}

/* ---- sizes ---- */

/*
 * Is the operand of sizeof the name of a type, or an array type such as
 * NAME[3]? The caller has found out that no variable has the name.
 */
static bool is_type(const struct binder *binder, const struct node *node,
		    struct type *out)
{
	struct debugtype *type;
	int64_t count;

	if (node->kind == NODE_INDEX &&
	    is_constant_index(node->children[1], &count) && count >= 0 &&
	    is_type(binder, node->children[0], out)) {
		*out = type_array_of(binder->place->file, *out,
				     (uint64_t)count);
		return true;
	}
	if (node->kind != NODE_NAME)
		return false;
	type = find_type(binder->place, node->text);
	if (type)
		*out = type_from_program(type);
	return type;
}

static struct error *measured_type(struct binder *binder,
				   const struct node *node, struct operand *out)
{
	const struct node *child = node->children[0];
	struct operand operand;
	struct error *error;

	*out = (struct operand){0};
	if (!child)
		return node_type(binder, node, &out->type);
	error = bind_type_only(binder, child, &operand);
	if (!error && operand.bits.size)
		return error_create(
			ERROR_USAGE,
			"column %zu: '%s' cannot be used on a bit-field",
			node->column,
			node->is_alignment ? "_Alignof" : "sizeof");
	if (!error) {
		*out = operand;
		return NULL;
	}
	if (!is_type(binder, child, &out->type))
		return error;
	error_destroy(error);
	return NULL;
}

/* The size that sizeof gives for the operand. 0: the size is only known at a
 * hit. */
static struct error *known_size(const struct node *node,
				const struct operand *measured, uint64_t *size)
{
	struct type type = measured->type;
	char name[TYPE_NAME_SIZE];
	uint64_t count;

	*size = type_size(type);
	if (!type_is_pointer(type) &&
	    (type.class == TYPE_VOID || type_kind(type) == DEBUGTYPE_FUNCTION))
		*size = 1; /* the rule of GNU C */
	if (*size || measured->sized_by ||
	    (type_kind(type) == DEBUGTYPE_ARRAY &&
	     debugtype_count(type.of, &count) && !count))
		return NULL;
	return error_create(ERROR_USAGE,
			    "column %zu: the size of '%s' is not known",
			    node->column, type_name(type, name));
}

static uint64_t alignment_of(struct type type)
{
	if (type_is_pointer(type))
		return sizeof(uint64_t);
	if (type.class == TYPE_PROGRAM)
		return debugtype_alignment(type.of);
	return type.class == TYPE_VOID ? 1 : type.size;
}

static struct error *bind_alignment(struct binder *binder,
				    const struct node *node,
				    struct operand *out)
{
	const struct node *child = node->children[0];
	struct operand measured = {.type = type_char};

	/* a string is an array of char, and has the alignment of char */
	if (!child || child->kind != NODE_STRING)
		TRY(measured_type(binder, node, &measured));
	TRY(push(binder, node));
	out->type = type_unsigned_long;
	emit(binder, CODE_PUSH, node, out->type)->number.u =
		alignment_of(measured.type);
	return NULL;
}

struct error *bind_sizeof(struct binder *binder, const struct node *node,
			  struct operand *out)
{
	struct operand measured = {0};
	uint64_t size;

	if (node->is_alignment)
		return bind_alignment(binder, node, out);
	if (node->children[0] && node->children[0]->kind == NODE_STRING) {
		size = node->children[0]->length + node->children[0]->type.size;
	} else {
		TRY(measured_type(binder, node, &measured));
		TRY(known_size(node, &measured, &size));
	}
	if (measured.sized_by) {
		TRY(push_size(binder, &measured, 0));
		*out = (struct operand){.type = type_unsigned_long};
		return NULL;
	}
	TRY(push(binder, node));
	out->type = type_unsigned_long;
	emit(binder, CODE_PUSH, node, out->type)->number.u = size;
	return NULL;
}
