/*
 * debugtype.c - see perftool/debugtype.h: a type's kind, size and name
 */
#include "types.h"

#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "type_chain.h"
#include "type_naming.h"

/* The deepest nesting of types that is followed for a size, a name or a
 * comparison. A broken file may nest types without end. */
#define MAX_DEPTH 32

struct debugtype *debugtype_plain(struct debugtype *type)
{
	return type->plain;
}

enum debugtype_kind debugtype_kind(const struct debugtype *type)
{
	return type->kind;
}

bool debugtype_is_signed(const struct debugtype *type)
{
	return type->plain->is_signed;
}

bool debugtype_count(const struct debugtype *type, uint64_t *count)
{
	*count = type->plain->count;
	return type->plain->has_count;
}

static bool has_target(const struct debugtype *type)
{
	return type->kind == DEBUGTYPE_POINTER ||
	       type->kind == DEBUGTYPE_REFERENCE ||
	       type->kind == DEBUGTYPE_ARRAY ||
	       type->kind == DEBUGTYPE_FUNCTION;
}

struct debugtype *debugtype_target(struct debugtype *type)
{
	type = type->plain;
	if (type->target || !has_target(type))
		return type->target;
	type->target = type->kind == DEBUGTYPE_ARRAY
			       ? debugtype_element(type)
			       : debugtype_of(type->file, &type->die);
	return type->target;
}

static uint64_t size_of(struct debugtype *type, int depth)
{
	uint64_t size;

	type = type->plain;
	if (type->kind != DEBUGTYPE_ARRAY || type->size_known)
		return type->size;
	if (depth == MAX_DEPTH || !type->has_count ||
	    __builtin_mul_overflow(size_of(debugtype_target(type), depth + 1),
				   type->count, &size))
		size = 0;
	type->size = size;
	type->size_known = true;
	return size;
}

uint64_t debugtype_size(struct debugtype *type)
{
	return size_of(type, 0);
}

/* Append the brackets of this dimension of an array, and of all dimensions
 * after it, to the declarator. Return the type of the elements of the last
 * dimension. */
static struct debugtype *append_dimensions(struct debugtype *array,
					   struct str *declarator)
{
	char *inner = str_take(declarator);

	str_printf(declarator, *inner ? "(%s)" : "%s", inner);
	free(inner);
	for (int hops = 0; array->kind == DEBUGTYPE_ARRAY && hops < MAX_DEPTH;
	     hops++) {
		if (array->has_count)
			str_printf(declarator, "[%lu]", array->count);
		else
			str_append(declarator, "[]");
		array = debugtype_target(array);
	}
	return array;
}

/* The name of a pointer to `type`, which the tool has made with a name and
 * without a DIE. `declarator` is the `*`s of the pointer. In the name of an
 * array or function they stand in parentheses before the brackets or
 * parameters. */
static char *around(const struct debugtype *type, const char *declarator)
{
	const char *suffix = NULL;

	if (type->kind == DEBUGTYPE_ARRAY)
		suffix = strchr(type->name, '[');
	else if (type->kind == DEBUGTYPE_FUNCTION)
		suffix = strchr(type->name, '(');
	if (!suffix)
		return xasprintf("%s %s", type->name, declarator);
	return xasprintf("%.*s(%s)%s", (int)(suffix - type->name), type->name,
			 declarator, suffix);
}

/* Make the name of a type. Pointers that the tool made, and arrays that are
 * elements of arrays, have no DIE of their own. For them the function writes a
 * declarator (type_naming.h), and then the name of the type that has a DIE
 * around this declarator. */
static char *make_name(struct debugtype *type)
{
	struct str declarator = {0};
	const struct die *die;
	char *name;

	for (int hops = 0; type->kind == DEBUGTYPE_POINTER &&
			   !type->die.abbrev && hops < MAX_DEPTH;
	     hops++) {
		str_append_char(&declarator, '*');
		type = debugtype_target(type);
	}
	if (!type->die.abbrev && type->name) {
		name = around(type, str_text(&declarator));
		str_deinit(&declarator);
		return name;
	}
	if (type->dimension)
		type = append_dimensions(type, &declarator);
	if (type->plain != type)
		die = &type->written;
	else
		die = type->die.abbrev ? &type->die : NULL;
	name = type_name_at(type->file, die, str_text(&declarator));
	str_deinit(&declarator);
	return name;
}

const char *debugtype_name(struct debugtype *type)
{
	if (!type->name)
		type->name = make_name(type);
	return type->name;
}

const char *debugtype_scope(struct debugtype *type)
{
	struct attribute is_class;
	struct str scope = {0};

	type = type->plain;
	if (type->scope)
		return type->scope;
	if (type->die.abbrev && (unit_is_c_plus_plus(type->die.unit) ||
				 type->die.unit->language == DW_LANG_Rust)) {
		append_scopes(type->file, &type->die, &scope);
		if (die_attribute(type->file, &type->die, DW_AT_enum_class,
				  &is_class))
			str_printf(&scope,
				   "%s::", die_name(type->file, &type->die));
	}
	type->scope = str_take(&scope);
	return type->scope;
}

static bool is_same(struct debugtype *a, struct debugtype *b, int depth)
{
	a = a->plain;
	b = b->plain;
	if (a == b)
		return true;
	if (depth == MAX_DEPTH || a->kind != b->kind ||
	    debugtype_size(a) != debugtype_size(b) ||
	    a->is_signed != b->is_signed || a->has_count != b->has_count ||
	    a->count != b->count)
		return false;
	if (has_target(a))
		return is_same(debugtype_target(a), debugtype_target(b),
			       depth + 1);
	return str_equal(debugtype_name(a), debugtype_name(b));
}

bool debugtype_is_same(struct debugtype *a, struct debugtype *b)
{
	return is_same(a, b, 0);
}
