/*
 * place.c - where things are: members, elements, what pointers point to
 *
 * What is known now is added up in an operand's offset; only what is known at a
 * hit becomes code. See bind.h.
 */
#include <string.h>

#include "bind.h"
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

/* Is it the class that `scope::` is in front of a member? */
static bool is_called(struct debugtype *type, const char *scope, size_t length)
{
	const char *name = debugtype_name(type);
	size_t whole = strlen(name);

	return whole >= length &&
	       memcmp(name + whole - length, scope, length) == 0 &&
	       (whole == length || name[whole - length - 1] == ':');
}

/* `Base::member`: in that base class, or the class itself. */
static bool find_scoped(struct debugtype *type, const char *scope,
			size_t length, const char *name, int depth,
			struct debugmember *out)
{
	const struct debugmember *members;
	size_t count;

	if (is_called(type, scope, length))
		return debugtype_find_member(type, name, out);
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++) {
		if (!members[i].is_base || members[i].is_virtual ||
		    !find_scoped(members[i].type, scope, length, name,
				 depth + 1, out))
			continue;
		out->offset += members[i].offset;
		return true;
	}
	return false;
}

static bool find_member(struct debugtype *type, const char *name,
			struct debugmember *out)
{
	const char *scope = NULL;

	for (const char *at = name; (at = strstr(at, "::")); at += 2)
		scope = at;
	if (!scope)
		return debugtype_find_member(type, name, out);
	return find_scoped(type, name, (size_t)(scope - name), scope + 2, 0,
			   out);
}

/* In a virtual base, at any distance: what it is, not where. */
static bool find_virtual(struct debugtype *type, const char *name, int depth,
			 struct debugmember *out)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++)
		if (members[i].is_base &&
		    (debugtype_find_member(members[i].type, name, out) ||
		     find_virtual(members[i].type, name, depth + 1, out)))
			return true;
	return false;
}

bool operand_take_member(struct binder *binder, const struct node *node,
			 const char *name, struct operand *out)
{
	struct debugmember member;

	if (!find_member(out->type.of, name, &member)) {
		if (!find_virtual(out->type.of, name, 0, &member))
			return false;
		if (out->offset)
			emit(binder, CODE_OFFSET, node, out->type)->number.u =
				out->offset;
		emit(binder, CODE_MEMBER, node, out->type);
		out->offset = 0;
		member.offset = 0;
	}
	out->type = type_from_program(member.type);
	out->offset += member.offset;
	out->bits = (struct bits){member.bit_offset, member.bit_size};
	out->variable = 0;
	out->reference = NULL;
	operand_follow(binder, node, out);
	return true;
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
		operand_take_member(binder, node, node->text, out);
		return NULL;
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
	if (operand_take_member(binder, node, node->text, out))
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

/* Add an index that is to be computed to the address on the stack. */
static struct error *add_index(struct binder *binder, const struct node *node,
			       struct type element)
{
	const struct node *child = node->children[1];
	struct type type;

	TRY(bind_scalar(binder, node, child, &type));
	if (!type_is_integer(type))
		return no_meaning(node, type, ": an index is an integer");
	TRY(emit_scale(binder, node, 0, element));
	emit(binder, CODE_ADD, node, type_unsigned_long);
	binder->stack--;
	return NULL;
}

struct error *bind_index(struct binder *binder, const struct node *node,
			 struct operand *out)
{
	struct type type, element;
	int64_t index;

	TRY(bind_operand(binder, node->children[0], out));
	if (is_vector_reference(out->type)) {
		TRY(operand_to_value(binder, node, out, &type));
		follow_pointer(binder, node, type, out);
	}
	/* Rust's slices are a pointer and a length */
	if (type_kind(out->type) == DEBUGTYPE_STRUCT) {
		out->is_place = true;
		if (!operand_take_member(binder, node, "data_ptr", out))
			operand_take_vector(binder, out);
	}
	if (type_kind(out->type) == DEBUGTYPE_ARRAY) {
		element = type_from_program(debugtype_target(out->type.of));
	} else {
		TRY(operand_to_value(binder, node, out, &type));
		if (!type_is_pointer(type))
			return no_meaning(node, type, "");
		element = type_pointed(type);
		if (!type_is_pointer(element) && element.class == TYPE_VOID)
			return no_meaning(node, type,
					  "; cast it, as in ((int *) x)[0]");
		*out = (struct operand){0};
	}
	if (is_constant_index(node->children[1], &index) && type_size(element))
		out->offset += (uint64_t)index * type_size(element);
	else
		TRY(add_index(binder, node, element));
	out->type = element;
	out->is_place = true;
	out->variable = 0;
	out->reference = NULL;
	operand_follow(binder, node, out);
	return NULL;
}

/* ---- sizes
 * -------------------------------------------------------------------- */

/* The name of a type, where no variable is called so. */
static bool is_type(const struct binder *binder, const struct node *node,
		    struct type *out)
{
	struct debugtype *type;

	if (node->kind != NODE_NAME)
		return false;
	type = find_type(binder->place, node->text);
	if (type)
		*out = type_from_program(type);
	return type;
}

static struct error *measured_type(struct binder *binder,
				   const struct node *node, struct type *out)
{
	const struct node *child = node->children[0];
	struct operand operand;
	struct error *error;

	if (!child)
		return node_type(binder, node, out);
	error = bind_type_only(binder, child, &operand);
	if (!error && operand.bits.size)
		return error_create(ERROR_USAGE,
				    "column %zu: 'sizeof': a bit-field has no "
				    "size in bytes",
				    node->column);
	if (!error) {
		*out = operand.type;
		return NULL;
	}
	if (!is_type(binder, child, out))
		return error;
	error_destroy(error);
	return NULL;
}

struct error *bind_sizeof(struct binder *binder, const struct node *node,
			  struct operand *out)
{
	char name[TYPE_NAME_SIZE];
	struct type type;
	uint64_t size;

	if (node->children[0] && node->children[0]->kind == NODE_STRING) {
		size = node->children[0]->length + 1;
	} else {
		TRY(measured_type(binder, node, &type));
		size = type_size(type);
		if (!type_is_pointer(type) &&
		    (type.class == TYPE_VOID ||
		     type_kind(type) == DEBUGTYPE_FUNCTION))
			size = 1; /* GNU C */
		if (!size)
			return error_create(ERROR_USAGE,
					    "column %zu: the size of '%s' is "
					    "not known",
					    node->column,
					    type_name(type, name));
	}
	TRY(push(binder, node));
	out->type = type_unsigned_long;
	emit(binder, CODE_PUSH, node, out->type)->number.u = size;
	return NULL;
}
