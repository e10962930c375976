/*
 * rust_vector.c - where the elements of a vector of Rust are
 *
 * Inside Vec, the names of the members change from version to version of Rust's
 * library. Two facts do not change: the first pointer inside its member `buf`,
 * at any depth, points to the elements; and the first argument of the type
 * Vec<T> is the type of an element.
 */
#include <string.h>

#include "containers.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define VECTOR "alloc::vec::Vec<"
#define MAX_DEPTH 8 /* levels of structures that are searched */

/* The first of the types in `A, B>`, for the caller to free. */
static char *first_argument(const char *text)
{
	int depth = 0;
	size_t length = 0;

	for (; text[length]; length++) {
		char c = text[length];

		if (depth == 0 && (c == ',' || c == '>'))
			break;
		depth += (c == '<' || c == '(' || c == '[') -
			 (c == '>' || c == ')' || c == ']');
	}
	return xstrndup(text, length);
}

static bool find_pointer(struct debugtype *type, int depth, uint64_t *offset)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++) {
		*offset = 0;
		if (debugtype_kind(members[i].type) != DEBUGTYPE_POINTER &&
		    !find_pointer(members[i].type, depth + 1, offset))
			continue;
		*offset += members[i].offset;
		return true;
	}
	return false;
}

static bool is_vector(struct type type)
{
	return type_kind(type) == DEBUGTYPE_STRUCT &&
	       str_starts(debugtype_name(debugtype_plain(type.of)), VECTOR);
}

/* Is the type a pointer to a vector? References of Rust are such pointers. An
 * index after the pointer names an element of the vector. */
static bool is_vector_reference(struct type type)
{
	return type.pointers == 1 && type.of && is_vector(type_pointed(type));
}

/*
 * Find a type by its name. A reference type has no name in the debug
 * information, so the type that it refers to is looked up.
 */
static bool find_element(const struct expr_place *place, const char *name,
			 struct type *out)
{
	struct debugtype *type = find_type(place, name);
	unsigned pointers = 0;

	while (!type && *name == '&') {
		name += str_starts(name, "&mut ") ? 5 : 1;
		pointers++;
		type = find_type(place, name);
	}
	if (!type)
		return false;
	*out = type_from_program(type);
	while (pointers--)
		*out = type_pointer_to(place->file, *out);
	return true;
}

/* Go from a vector to the pointer to its elements. Other objects stay as they
 * are. */
static void take_vector(struct binder *binder, struct operand *out)
{
	CLEANUP(free_pointer) char *argument = NULL;
	struct debugmember buffer;
	struct type element;
	uint64_t offset;

	if (!is_vector(out->type) ||
	    !debugtype_find_member(out->type.of, "buf", &buffer) ||
	    !find_pointer(buffer.type, 0, &offset))
		return;
	argument = first_argument(
		debugtype_name(debugtype_plain(out->type.of)) + strlen(VECTOR));
	if (!find_element(binder->place, argument, &element))
		return;
	out->type = type_pointer_to(binder->place->file, element);
	out->offset += buffer.offset + offset;
	out->variable = 0;
	out->reference = NULL;
}

struct error *rust_take_elements(struct binder *binder, const struct node *node,
				 struct operand *out, bool *blocks)
{
	struct type type;
	bool slice;

	(void)blocks;
	if (is_vector_reference(out->type)) {
		TRY(operand_to_value(binder, node, out, &type));
		operand_follow_pointer(binder, node, type, out);
	}
	if (type_kind(out->type) != DEBUGTYPE_STRUCT)
		return NULL;
	/* a slice of Rust is a pointer and a length */
	out->is_place = true;
	TRY(operand_take_member(binder, node, "data_ptr", out, &slice));
	if (!slice)
		take_vector(binder, out);
	return NULL;
}
