/*
 * type_names.c - the program's types by the names that an expression has
 */
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/*
 * As the debug information writes the arguments of templates: one blank behind
 * a comma, none elsewhere but between words. Whether `> >` or `>>` ends two, is
 * as the compiler likes.
 */
static char *canonical(const char *name, bool blank)
{
	struct str out = {0};

	for (; *name; name++) {
		char last = out.length ? out.data[out.length - 1] : '\0';

		if (*name == ' ' &&
		    (strchr("<, ", last) || strchr(",> ", name[1]) || !name[1]))
			continue;
		if (*name == '>' && last == '>' && blank)
			str_append_char(&out, ' ');
		if (*name == '*' && last != ' ' && last != '*')
			str_append_char(&out, ' ');
		str_append_char(&out, *name);
		if (*name == ',')
			str_append_char(&out, ' ');
	}
	return str_take(&out);
}

static struct debugtype *find(const struct expr_place *place, const char *name)
{
	struct debugtype *type =
		debugfile_find_type(place->file, place->address, name);

	if (type || !strchr(name, '<'))
		return type;
	for (int blank = 0; !type && blank < 2; blank++) {
		CLEANUP(free_pointer) char *tried = canonical(name, blank);

		type = debugfile_find_type(place->file, place->address, tried);
	}
	return type;
}

/* Cut the last component of a scope off; false: there was only one. */
static bool leave_scope(char *scope)
{
	int depth = 0;

	for (size_t i = strlen(scope); i-- > 1;) {
		depth += (scope[i] == '>' || scope[i] == ')') -
			 (scope[i] == '<' || scope[i] == '(');
		if (scope[i] == ':' && scope[i - 1] == ':' && depth <= 0) {
			scope[i - 1] = '\0';
			return true;
		}
	}
	return false;
}

/* What a function's name has in front: where its code looks for names. */
static char *scope_at(const struct expr_place *place)
{
	struct function function;
	char *name, *end;
	int depth = 0;

	if (!debugfile_function_at(place->file, place->address, &function) ||
	    !function.name)
		return NULL;
	name = debuginfo_demangle(function.name);
	for (end = name; *end && !(*end == '(' && depth == 0); end++)
		depth += (*end == '<') - (*end == '>');
	*end = '\0';
	return name;
}

struct debugtype *find_type(const struct expr_place *place, const char *name)
{
	CLEANUP(free_pointer) char *scope = NULL;
	const char *word = strchr(name, ' '), *rest = name;
	struct debugtype *type = NULL;

	if (!place->file)
		return NULL;
	/* behind `struct ` */
	if (word && !strchr(name, '<'))
		rest = word + 1;
	if (rest[0] != ':' &&
	    debugfile_language(place->file, place->address) != LANGUAGE_C)
		scope = scope_at(place);
	while (!type && scope && leave_scope(scope)) {
		CLEANUP(free_pointer)
		char *tried = xasprintf("%.*s%s::%s", (int)(rest - name), name,
					scope, rest);

		type = find(place, tried);
	}
	if (type)
		return type;
	if (rest[0] == ':' && rest == name)
		name += 2;
	return find(place, name);
}

/* As any other module has it. */
static struct debugtype *find_elsewhere(const struct expr_place *place,
					const char *name)
{
	struct debugfile *const *files;
	size_t count = modules_of(place, &files);
	struct debugtype *type = NULL;

	for (size_t i = 0; !type && i < count; i++)
		if (files[i] != place->file &&
		    debugfile_facts(files[i])->has_dwarf)
			type = debugfile_find_type(files[i], UINT64_MAX, name);
	return type;
}

/* The program's type of a node, or C's own, without its declarator. */
static struct error *named_type(const struct expr_place *place,
				const struct node *node, struct type *out)
{
	bool own = node->type.class != TYPE_PROGRAM;
	struct debugtype *type = NULL;
	struct type result;

	*out = node->type;
	if (!node->text || (own && !place->file))
		return NULL;
	if (!place->file)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: '%s' cannot be looked up: the "
				    "program is not known here",
				    node->column, node->text);
	type = find_type(place, node->text);
	if (!type && own)
		return NULL;
	if (!type)
		type = find_elsewhere(place, node->text);
	if (!type)
		return error_create(
			ERROR_NOT_FOUND,
			"column %zu: there is no type that is called '%s'",
			node->column, node->text);
	result = type_from_program(type);
	for (int i = 0; i < node->type.pointers; i++)
		result = type_pointer_to(place->file, result);
	*out = result;
	return NULL;
}

/* A type of C's own as if the program had it. */
static struct debugtype *made_type(struct debugfile *file, struct type type)
{
	static const enum debugtype_kind kinds[] = {
		[TYPE_INTEGER] = DEBUGTYPE_INTEGER,
		[TYPE_BOOL] = DEBUGTYPE_BOOL,
		[TYPE_FLOAT] = DEBUGTYPE_FLOAT,
		[TYPE_VOID] = DEBUGTYPE_VOID};
	struct type end = type;
	struct debugtype *made;
	char name[TYPE_NAME_SIZE];

	if (type.of)
		return type.of;
	end.pointers = 0;
	made = debugfile_make_type(file, type_name(end, name),
				   end.class == TYPE_INTEGER && end.size == 1
					   ? DEBUGTYPE_CHARACTER
					   : kinds[end.class],
				   end.size, end.is_signed, NULL);
	for (int i = 0; i < type.pointers; i++)
		made = debugfile_pointer_to(file, made);
	return made;
}

/* `int (*)[3]`, `int (*)(char)`: the pointers to what the suffix makes. */
static struct error *declared_type(const struct expr_place *place,
				   const struct node *node, struct type *type)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct debugtype *target, *made;
	bool array = *node->suffix == '[';
	uint64_t count = array ? strtoul(node->suffix + 1, NULL, 10) : 0;

	if (!place->file)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: such a type can only be used "
				    "where the program is known",
				    node->column);
	target = made_type(place->file, *type);
	if (array && !debugtype_size(target))
		return error_create(ERROR_USAGE,
				    "column %zu: the size of '%s' is not known",
				    node->column, debugtype_name(target));
	name = xasprintf("%s%s%s", debugtype_name(target),
			 type->pointers ? "" : " ", node->suffix);
	made = debugfile_make_type(place->file, name,
				   array ? DEBUGTYPE_ARRAY : DEBUGTYPE_FUNCTION,
				   count, false, target);
	*type = type_from_program(made);
	for (int i = 0; i < node->outer; i++)
		*type = type_pointer_to(place->file, *type);
	return NULL;
}

struct error *node_type(const struct binder *binder, const struct node *node,
			struct type *out)
{
	TRY(named_type(binder->place, node, out));
	return node->suffix ? declared_type(binder->place, node, out) : NULL;
}
