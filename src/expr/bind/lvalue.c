/*
 * lvalue.c - operands that have a place in memory: members, what pointers and
 * references point to; and the operator `&`
 *
 * What is known when the expression is bound is added to the offset of the
 * operand. Only what is known at a hit becomes code. See binder.h.
 */
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "subobject.h"
#include "suggestion.h"

/* how many levels of anonymous members are searched */
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

void operand_follow_pointer(struct binder *binder, const struct node *node,
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
					  ? "; cast it, as in *(int *) x"
					  : "");
	if (type.pointers == 1 && type.class == TYPE_VOID)
		return error_create(ERROR_USAGE,
				    "column %zu: what a '%s' points to has no "
				    "type; cast it, as in *(int *) x",
				    node->column, type_name(type, name));
	operand_follow_pointer(binder, node, type, out);
	return NULL;
}

/* The name of a function means its address, with `&` and without. */
static bool is_function(const struct binder *binder, const struct node *node)
{
	const struct bound_expr *bound = binder->bound;

	return node->kind == NODE_NAME && bound->code.count &&
	       bound->code.data[bound->code.count - 1].code == CODE_FUNCTION;
}

/* Bind `&Class::member`: the offset of the member in the class. */
static struct error *bind_member_offset(struct binder *binder,
					const struct node *node,
					struct operand *out, bool *found)
{
	const char *name = node->children[0]->text, *member = name;
	CLEANUP(free_pointer) char *scope = NULL;
	struct instruction *instruction;
	struct debugtype *class;
	struct base_found base;

	*found = false;
	for (const char *at = name; (at = strstr(at, "::")); at += 2)
		member = at;
	if (member == name)
		return NULL;
	scope = xstrndup(name, (size_t)(member - name));
	class = find_type(binder->place, scope);
	if (!class)
		return NULL;
	find_base_with(class, member + 2, &base);
	if (base.count > 1)
		return ambiguous(node, name, class, &base);
	base_found_deinit(&base);
	*found = base.count && !base.member.bit_size &&
		 !path_is_virtual(&base.path);
	if (!*found)
		return NULL;
	TRY(push(binder, node));
	*out = (struct operand){.type = type_long};
	instruction = emit(binder, CODE_PUSH, node, type_long);
	instruction->from = type_from_program(base.path.end);
	instruction->number.u = path_offset(&base.path) + base.member.offset;
	return NULL;
}

/*
 * Bind the operand of `&`. *member becomes true if the operand was
 * `Class::member`; the offset of the member in the class is then on the stack.
 */
static struct error *bind_address_of(struct binder *binder,
				     const struct node *node,
				     struct operand *out, bool *member)
{
	size_t count = binder->bound->code.count;
	unsigned stack = binder->stack;
	struct error *error, *other;

	*member = false;
	binder->untyped_will_do = node->children[0]->kind == NODE_NAME;
	error = bind_operand(binder, node->children[0], out);
	if (!error || node->children[0]->kind != NODE_NAME ||
	    binder->language != LANGUAGE_C_PLUS_PLUS)
		return error;
	rewind_code(binder, count, stack);
	other = bind_member_offset(binder, node, out, member);
	if (!other && !*member)
		return error;
	error_destroy(error);
	return other;
}

struct error *bind_address(struct binder *binder, const struct node *node,
			   struct operand *out)
{
	struct type type;
	bool member;

	TRY(bind_address_of(binder, node, out, &member));
	if (member)
		return NULL;
	if (!out->is_place && is_function(binder, node->children[0]))
		return NULL;
	if (!out->is_place)
		return error_create(ERROR_USAGE,
				    "column %zu: '&': only a variable, a "
				    "member or an element has an address",
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

/* ---- members ---- */

static bool has_members(struct type type)
{
	enum debugtype_kind kind = type_kind(type);

	return kind == DEBUGTYPE_STRUCT || kind == DEBUGTYPE_UNION;
}

static void consider_members(struct debugtype *type,
			     struct suggestion *suggestion, int depth)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count; i++) {
		if (members[i].name)
			suggestion_consider(suggestion, members[i].name);
		else if (depth < MAX_DEPTH)
			consider_members(members[i].type, suggestion,
					 depth + 1);
	}
}

static struct error *no_member(const struct node *node, struct type type)
{
	char name[TYPE_NAME_SIZE];
	struct suggestion suggestion;
	struct error *error;

	suggestion_init(&suggestion, node->text);
	consider_members(type.of, &suggestion, 0);
	type_name(type, name);
	if (suggestion.name)
		error = error_create(ERROR_NOT_FOUND,
				     "column %zu: no member '%s' in %s; is "
				     "'%s' what was meant?",
				     node->column, node->text, name,
				     suggestion.name);
	else
		error = error_create(ERROR_NOT_FOUND,
				     "column %zu: no member '%s' in %s",
				     node->column, node->text, name);
	suggestion_deinit(&suggestion);
	return error;
}

/*
 * Find the member in the class of `out` and in its base classes. If the name of
 * the member has a `scope::`, this names the class to look in: `out` first
 * becomes the part of the object that has this class, and `*name` loses the
 * `scope::`.
 */
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

/*
 * Bind the operand before `.` or `->`. `out` becomes the structure whose member
 * is meant. Both operators accept a structure as well as a pointer to one.
 */
static struct error *bind_owner(struct binder *binder, const struct node *node,
				struct operand *out)
{
	struct type type;

	TRY(bind_operand(binder, node->children[0], out));
	if (has_members(out->type)) {
		/* the value of a structure is its address */
		out->is_place = true;
		return NULL;
	}
	TRY(operand_to_value(binder, node, out, &type));
	if (type.pointers != 1 || !has_members(type_pointed(type)))
		return no_meaning(node, type, "; it has no members");
	operand_follow_pointer(binder, node, type, out);
	return NULL;
}

/*
 * Go to a variant of Rust's enumeration `out`, behind an instruction that
 * checks that the object is that variant.
 */
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

/*
 * Bind a member of an enumeration of Rust: the name of a variant, or a member
 * that only one of the variants has.
 */
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
	return error_create(
		found ? ERROR_USAGE : ERROR_NOT_FOUND,
		found ? "column %zu: several variants of %s have "
			"such a member; name one of them, as in "
			".%s.%s"
		      : "column %zu: %s has no variant or member of this name; "
			"one of its variants is %s%.0s",
		node->column, type_name(out->type, name),
		variants[index].member.name,
		str_starts(node->text, "__") ? node->text + 2 : node->text);
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
	/* a static member does not depend on the object before the `.` */
	type = out->type;
	rewind_code(binder, count, stack);
	TRY(push(binder, node));
	TRY(bind_static_member(binder, node, type.of, node->text, out, &found));
	return found ? NULL : no_member(node, type);
}
