/*
 * place.c - where things are: members, elements, what pointers point to
 *
 * What is known now is added up in an operand's offset; only what is known at a
 * hit becomes code. See bind.h.
 */
#include <string.h>

#include "classes.h"
#include "nearest.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* Anonymous members and base classes within each other. */
#define MAX_DEPTH 32

void operand_follow(struct binder *binder, const struct node *node,
		    struct operand *operand)
{
	struct instruction *load;

	if (type_kind(operand->type) != DEBUGTYPE_REFERENCE)
		return;
	if (operand->is_place) {
		load = emit(binder, CODE_LOAD, node, type_void_pointer);
		load->number.u = operand->offset;
	}
	*operand = (struct operand){
		.type = type_from_program(debugtype_target(operand->type.of)),
		.is_place = true,
		.reference = operand->type.of,
	};
}

/* What a pointer on the stack points to is the place. */
static void follow_pointer(struct binder *binder, const struct node *node,
			   struct type pointer, struct operand *out)
{
	*out = (struct operand){
		.type = type_pointed(pointer),
		.is_place = true,
	};
	operand_follow(binder, node, out);
}

struct error *bind_dereference(struct binder *binder, const struct node *node,
			       struct operand *out)
{
	char name[TYPE_NAME_SIZE];
	struct type type;

	TRY(bind_value(binder, node->children[0], &type));
	if (!type_is_pointer(type))
		return no_meaning(node, type,
				  type_is_scalar(type)
					  ? "; say what is there, as in "
					    "*(int *) x"
					  : "");
	if (type.pointers == 1 && type.class == TYPE_VOID)
		return error_create(ERROR_USAGE,
				    "column %zu: what a '%s' points to has no "
				    "type; cast it, as in *(int *) x",
				    node->column, type_name(type, name));
	follow_pointer(binder, node, type, out);
	return NULL;
}

/* A function's name is its address with `&` and without. */
static bool is_function(const struct binder *binder, const struct node *node)
{
	const struct bound_expr *bound = binder->bound;

	return node->kind == NODE_NAME && bound->code.count &&
	       bound->code.data[bound->code.count - 1].code == CODE_FUNCTION;
}

struct error *bind_address(struct binder *binder, const struct node *node,
			   struct operand *out)
{
	struct type type;

	binder->untyped_will_do = node->children[0]->kind == NODE_NAME;
	TRY(bind_operand(binder, node->children[0], out));
	if (!out->is_place && is_function(binder, node->children[0]))
		return NULL;
	if (!out->is_place)
		return error_create(
			ERROR_USAGE,
			"column %zu: '&': only what is somewhere has an "
			"address: a variable, a member, an element",
			node->column);
	if (out->bits.size)
		return error_create(ERROR_USAGE,
				    "column %zu: '&': a bit-field has no "
				    "address",
				    node->column);
	type = type_pointer_to(binder->place->file, out->type);
	if (out->offset)
		emit(binder, CODE_OFFSET, node, type)->number.u = out->offset;
	emit(binder, CODE_REAL, node, type);
	*out = (struct operand){.type = type};
	return NULL;
}

/* ---- members
 * ------------------------------------------------------------------ */

static bool has_members(struct type type)
{
	enum debugtype_kind kind = type_kind(type);

	return kind == DEBUGTYPE_STRUCT || kind == DEBUGTYPE_UNION;
}

static void consider_members(struct debugtype *type, struct nearest *nearest,
			     int depth)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count; i++) {
		if (members[i].name)
			nearest_consider(nearest, members[i].name);
		else if (depth < MAX_DEPTH)
			consider_members(members[i].type, nearest, depth + 1);
	}
}

static struct error *no_member(const struct node *node, struct type type)
{
	char name[TYPE_NAME_SIZE];
	struct nearest nearest;
	struct error *error;

	nearest_init(&nearest, node->text);
	consider_members(type.of, &nearest, 0);
	type_name(type, name);
	if (nearest.name)
		error = error_create(ERROR_NOT_FOUND,
				     "column %zu: no member '%s' in %s; is "
				     "'%s' what was meant?",
				     node->column, node->text, name,
				     nearest.name);
	else
		error = error_create(ERROR_NOT_FOUND,
				     "column %zu: no member '%s' in %s",
				     node->column, node->text, name);
	nearest_deinit(&nearest);
	return error;
}

/* Go to the class that has the member: `*name` without a scope is one that is
 * called so there. */
static struct error *take_owner(struct binder *binder, const struct node *node,
				const char **name, struct operand *out,
				struct base_found *found)
{
	struct debugtype *class = out->type.of;
	const char *scope = NULL;

	for (const char *at = *name; (at = strstr(at, "::")); at += 2)
		scope = at;
	if (scope) {
		find_base_called(class, *name, (size_t)(scope - *name), found);
		if (found->count > 1)
			return ambiguous(node, *name, class, found);
		base_found_deinit(found);
		if (!found->count)
			return NULL;
		take_base_of_place(binder, node, &found->path, out);
		*name = scope + 2;
	}
	find_base_with(out->type.of, *name, found);
	if (found->count > 1)
		return ambiguous(node, *name, out->type.of, found);
	base_found_deinit(found);
	return NULL;
}

struct error *operand_take_member(struct binder *binder,
				  const struct node *node, const char *name,
				  struct operand *out, bool *found)
{
	struct base_found base;

	TRY(take_owner(binder, node, &name, out, &base));
	*found = base.count;
	if (!*found)
		return NULL;
	take_base_of_place(binder, node, &base.path, out);
	out->type = type_from_program(base.member.type);
	out->offset += base.member.offset;
	out->bits = (struct bits){base.member.bit_offset, base.member.bit_size};
	out->variable = 0;
	out->reference = NULL;
	operand_follow(binder, node, out);
	return NULL;
}

/* What is in front of `.` or `->`, whichever: a structure's place. */
static struct error *bind_owner(struct binder *binder, const struct node *node,
				struct operand *out)
{
	struct type type;

	TRY(bind_operand(binder, node->children[0], out));
	if (has_members(out->type)) {
		/* the value of one is its address, too */
		out->is_place = true;
		return NULL;
	}
	TRY(operand_to_value(binder, node, out, &type));
	if (type.pointers != 1 || !has_members(type_pointed(type)))
		return no_meaning(node, type, "; it has no members");
	follow_pointer(binder, node, type, out);
	return NULL;
}

/* Behind a check that it is that variant of Rust's enumeration `out`. */
static void take_variant(struct binder *binder, const struct node *node,
			 size_t index, struct operand *out)
{
	const struct debugvariant *variants;
	size_t count;

	variants = debugtype_variants(out->type.of, &count);
	if (out->offset)
		emit(binder, CODE_OFFSET, node, out->type)->number.u =
			out->offset;
	emit(binder, CODE_VARIANT, node, out->type)->number.u = index;
	*out = (struct operand){
		.type = type_from_program(variants[index].member.type),
		.is_place = true,
		.offset = variants[index].member.offset,
	};
}

/* A member of Rust's enumeration: a variant by its name, or what only one of
 * them has. */
static struct error *bind_variant(struct binder *binder,
				  const struct node *node, struct operand *out)
{
	const struct debugvariant *variants;
	size_t count, found = 0, index = 0;
	struct debugmember member;
	char name[TYPE_NAME_SIZE];
	bool has;

	variants = debugtype_variants(out->type.of, &count);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(variants[i].member.name, node->text)) {
			take_variant(binder, node, i, out);
			return NULL;
		}
		if (debugtype_find_member(variants[i].member.type, node->text,
					  &member)) {
			index = i;
			found++;
		}
	}
	if (found == 1) {
		take_variant(binder, node, index, out);
		return operand_take_member(binder, node, node->text, out, &has);
	}
	return error_create(found ? ERROR_USAGE : ERROR_NOT_FOUND,
			    found ? "column %zu: several variants of %s have "
				    "such a member; name one of them, as in "
				    ".%s.%s"
				  : "column %zu: no variant of %s is called "
				    "so, or has such a member; %s is one%.0s",
			    node->column, type_name(out->type, name),
			    variants[index].member.name,
			    str_starts(node->text, "__") ? node->text + 2
							 : node->text);
}

struct error *bind_member(struct binder *binder, const struct node *node,
			  struct operand *out)
{
	size_t variant_count, count = binder->bound->code.count;
	unsigned stack = binder->stack;
	struct type type;
	bool found;

	TRY(bind_owner(binder, node, out));
	debugtype_variants(out->type.of, &variant_count);
	if (variant_count)
		return bind_variant(binder, node, out);
	TRY(operand_take_member(binder, node, node->text, out, &found));
	if (found)
		return NULL;
	/* a static one is where it is, whatever object is in front */
	type = out->type;
	rewind_code(binder, count, stack);
	TRY(push(binder, node));
	TRY(bind_static_member(binder, node, type.of, node->text, out, &found));
	return found ? NULL : no_member(node, type);
}

/* ---- elements
 * ----------------------------------------------------------------- */

/* An index that is written as a number: no code is needed. */
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

/* How many bytes an array of variable length has now, or an element of it. */
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

/* Add an index that is to be computed to the address on the stack. */
static struct error *add_index(struct binder *binder, const struct node *node,
			       const struct node *child,
			       const struct operand *array, struct type element)
{
	struct type type;

	TRY(bind_scalar(binder, node, child, &type));
	if (!type_is_integer(type))
		return no_meaning(node, type, ": an index is an integer");
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

/* An element of a std::deque. */
static struct error *bind_block(struct binder *binder, const struct node *node,
				const struct node *position,
				struct operand *out)
{
	struct type element = type_pointed(out->type), type;

	if (out->offset)
		emit(binder, CODE_OFFSET, node, type_unsigned_long)->number.u =
			out->offset;
	TRY(bind_scalar(binder, node, position, &type));
	if (!type_is_integer(type))
		return no_meaning(node, type, ": an index is an integer");
	if (!type_size(element))
		return no_meaning(node, element, "; its size is not known");
	emit(binder, CODE_BLOCKS, node, element)->number.u = type_size(element);
	binder->stack--;
	*out = (struct operand){.type = element, .is_place = true};
	operand_follow(binder, node, out);
	return NULL;
}

static bool is_number(struct binder *binder, const struct node *node)
{
	struct operand operand;
	struct error *error = bind_type_only(binder, node, &operand);

	error_destroy(error);
	return !error && type_is_integer(operand.type);
}

struct error *bind_index(struct binder *binder, const struct node *node,
			 struct operand *out)
{
	const struct node *base = node->children[0];
	const struct node *position = node->children[1];
	struct type type, element;
	struct operand array;
	int64_t index;
	bool slice, blocks;

	/* C's `3[array]` is `array[3]` */
	if (is_number(binder, base) && !is_number(binder, position)) {
		base = node->children[1];
		position = node->children[0];
	}
	TRY(bind_operand(binder, base, out));
	if (is_vector_reference(out->type)) {
		TRY(operand_to_value(binder, node, out, &type));
		follow_pointer(binder, node, type, out);
	}
	/* Rust's slices are a pointer and a length */
	if (type_kind(out->type) == DEBUGTYPE_STRUCT) {
		out->is_place = true;
		TRY(operand_take_member(binder, node, "data_ptr", out, &slice));
		if (!slice)
			operand_take_vector(binder, out);
	}
	if (type_kind(out->type) == DEBUGTYPE_STRUCT) {
		TRY(operand_take_container(binder, node, out, &blocks));
		if (blocks)
			return bind_block(binder, node, position, out);
	}
	if (type_kind(out->type) == DEBUGTYPE_ARRAY) {
		element = type_from_program(debugtype_target(out->type.of));
	} else {
		TRY(operand_to_value(binder, node, out, &type));
		if (!type_is_pointer(type))
			return no_meaning(node, type,
					  type_kind(type) == DEBUGTYPE_STRUCT
						  ? "; its operator[] cannot "
						    "be called: what is a "
						    "member of it can be used"
						  : "");
		element = type_pointed(type);
		if (!type_is_pointer(element) && element.class == TYPE_VOID)
			return no_meaning(node, type,
					  "; cast it, as in ((int *) x)[0]");
		*out = (struct operand){0};
	}
	array = *out;
	if (is_constant_index(position, &index) && type_size(element))
		out->offset += (uint64_t)index * type_size(element);
	else
		TRY(add_index(binder, node, position, &array, element));
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

/* ---- sizes
 * -------------------------------------------------------------------- */

/* The name of a type, where no variable is called so, or that of an array. */
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
		return error_create(ERROR_USAGE,
				    "column %zu: 'sizeof': a bit-field has no "
				    "size in bytes",
				    node->column);
	if (!error) {
		*out = operand;
		return NULL;
	}
	if (!is_type(binder, child, &out->type))
		return error;
	error_destroy(error);
	return NULL;
}

/* 0: only when it runs. */
static struct error *known_size(const struct node *node,
				const struct operand *measured, uint64_t *size)
{
	struct type type = measured->type;
	char name[TYPE_NAME_SIZE];
	uint64_t count;

	*size = type_size(type);
	if (!type_is_pointer(type) &&
	    (type.class == TYPE_VOID || type_kind(type) == DEBUGTYPE_FUNCTION))
		*size = 1; /* GNU C */
	if (*size || measured->sized_by ||
	    (type_kind(type) == DEBUGTYPE_ARRAY &&
	     debugtype_count(type.of, &count) && !count))
		return NULL;
	return error_create(ERROR_USAGE,
			    "column %zu: the size of '%s' is not known",
			    node->column, type_name(type, name));
}

struct error *bind_sizeof(struct binder *binder, const struct node *node,
			  struct operand *out)
{
	struct operand measured = {0};
	uint64_t size;

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
