/*
 * type_lookup.c - the program's types by the names that an expression uses
 */
#include <stdlib.h>
#include <string.h>

#include "binder.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

/*
 * Write the arguments of templates as debug information does: with one blank
 * behind a comma and between words, and no others. Compilers differ in whether
 * `> >` or `>>` ends two lists of arguments: `blank` chooses.
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

/* Is the word one of the words that, in any order, make up the name of an
 * integer type? */
static bool is_integer_word(const char *word, size_t length)
{
	static const char *const words[] = {"long",  "int",    "unsigned",
					    "short", "signed", "char"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == length &&
		    memcmp(words[i], word, length) == 0)
			return true;
	return false;
}

static size_t word_length(const char *at)
{
	return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			  "0123456789_");
}

/*
 * Append the name of an integer type, as g++ or clang writes it. `count` says
 * how often each word is in the name, by the first letter of the word (`g` for
 * `signed`).
 */
static void append_integer(struct str *out, const unsigned count[128],
			   bool clang)
{
	bool is_unsigned = count['u'] > 0;
	const char *sign = is_unsigned ? "unsigned " : "";

	if (count['c'])
		str_printf(out, "%schar", count['g'] ? "signed " : sign);
	else if (clang)
		str_printf(out, "%s%s", sign,
			   count['s']       ? "short"
			   : count['l'] > 1 ? "long long"
			   : count['l']     ? "long"
					    : "int");
	else if (count['s'])
		str_printf(out, "short %sint", sign);
	else if (count['l'])
		str_printf(out, "%s%sint",
			   count['l'] > 1 ? "long long " : "long ", sign);
	else
		str_printf(out, "%sint", sign);
}

/*
 * The name with its integer types renamed as the compiler writes them: `long
 * int` or `long`, whatever the user wrote.
 */
static char *renamed(const char *name, bool clang)
{
	struct str out = {0};

	while (*name) {
		size_t length = word_length(name);
		unsigned count[128] = {0}, words = 0;

		while (length && is_integer_word(name, length)) {
			/* `signed` and `short` begin with the same letter */
			count[str_starts(name, "si") ? 'g' : (size_t)*name]++;
			words++;
			name += length;
			length = *name == ' ' ? word_length(name + 1) : 0;
			if (length && !is_integer_word(name + 1, length))
				length = 0;
			name += length > 0;
		}
		if (words) {
			append_integer(&out, count, clang);
			continue;
		}
		length = length ? length : 1;
		str_append_n(&out, name, length);
		name += length;
	}
	return str_take(&out);
}

static struct debugtype *find(const struct expr_place *place, const char *name)
{
	struct debugtype *type =
		debugfile_find_type(place->file, place->address, name);

	if (type || !strchr(name, '<'))
		return type;
	for (int i = 0; !type && i < 4; i++) {
		CLEANUP(free_pointer) char *spaced = canonical(name, i & 1);
		CLEANUP(free_pointer) char *tried = renamed(spaced, i & 2);

		type = debugfile_find_type(place->file, place->address, tried);
	}
	return type;
}

/* Cut the last component of a scope off. False: the scope has only one
 * component. */
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

/*
 * The name of the function at the place, with its namespaces and classes but
 * without parameters. The code of the function looks for names in these
 * namespaces and classes. The caller frees the name.
 */
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
	/* the part of the name behind `struct ` */
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

/* Find a type in any other module. */
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

/*
 * The type that `node`, a node of the syntax tree, names: with the `*` directly
 * behind the name, but without what may follow, such as `[3]` or `(*)[3]`
 * (declared_type()). It is a type of the program, or one of C.
 */
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
				    "column %zu: '%s' cannot be looked up: no "
				    "program is chosen (`file PROGRAM' chooses "
				    "one), or this code is in no file that "
				    "perftool could open",
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

struct debugtype *program_type(struct debugfile *file, struct type type)
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

struct type type_array_of(struct debugfile *file, struct type element,
			  uint64_t count)
{
	struct debugtype *of = program_type(file, element);
	const char *name = debugtype_name(of);
	/* the new dimension of an array of arrays comes first */
	const char *inner = type_kind(element) == DEBUGTYPE_ARRAY
				    ? strchr(name, '[')
				    : name + strlen(name);
	CLEANUP(free_pointer) char *whole = NULL;
	bool blank = inner > name && inner[-1] != ' ' && inner[-1] != '*';

	if (!inner)
		inner = name + strlen(name);
	whole = xasprintf("%.*s%s[%lu]%s", (int)(inner - name), name,
			  blank ? " " : "", (unsigned long)count, inner);
	return type_from_program(debugfile_make_type(
		file, whole, DEBUGTYPE_ARRAY, count, false, of));
}

/*
 * The type of an array with several dimensions, `[2][3]`: the last dimension is
 * that of the elements.
 */
static struct type type_array_of_all(struct debugfile *file,
				     struct type element, const char *suffix)
{
	const char *next = strchr(suffix + 1, '[');

	if (next)
		element = type_array_of_all(file, element, next);
	return type_array_of(file, element, strtoul(suffix + 1, NULL, 10));
}

/*
 * The type of a declarator, `int (*)[3]` or `int (*)(char)`: pointers to the
 * type that the suffix makes of `*type`.
 */
static struct error *declared_type(const struct expr_place *place,
				   const struct node *node, struct type *type)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct debugtype *target, *made;

	if (!place->file)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: the type of an array or a "
				    "function cannot be used: no program is "
				    "chosen (`file PROGRAM' chooses one), or "
				    "this code is in no file that perftool "
				    "could open",
				    node->column);
	target = program_type(place->file, *type);
	if (*node->suffix == '[') {
		if (!debugtype_size(target))
			return error_create(
				ERROR_USAGE,
				"column %zu: the size of '%s' is not known",
				node->column, debugtype_name(target));
		*type = type_array_of_all(place->file, *type, node->suffix);
	} else {
		name = xasprintf("%s%s%s", debugtype_name(target),
				 type->pointers ? "" : " ", node->suffix);
		made = debugfile_make_type(place->file, name,
					   DEBUGTYPE_FUNCTION, 0, false,
					   target);
		*type = type_from_program(made);
	}
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
