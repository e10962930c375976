/*
 * identifier.c - what a name in an expression means at a place; see binder.h
 *
 * As in C++, the meanings of a name are tried in this order: a local variable;
 * in a method, a member of *this; any other variable; an enumerator of a type
 * that the place sees; a function.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "subobject.h"
#include "suggestion.h"

/* how many levels of base classes are searched */
#define MAX_DEPTH 32

/* Is the name written in capitals, as the names of macros usually are? */
static bool looks_like_macro(const char *name)
{
	return strlen(name) > 1 &&
	       strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
		       strlen(name);
}

static struct error *no_variable(const struct node *node,
				 const struct expr_place *place)
{
	struct arch_register reg;
	struct suggestion suggestion;

	if (arch_register_find(node->text, &reg))
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: there is no variable '%s' "
				    "here; the register is '$%s'",
				    node->column, node->text, node->text);
	if (!debugfile_facts(place->file)->has_dwarf)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: there is no debug information "
				    "that could tell where '%s' is; $arg1 to "
				    "$arg6 are the arguments",
				    node->column, node->text);
	suggestion_init(&suggestion, node->text);
	if (place->no_code)
		return suggestion_not_found(
			node,
			"the program is not being run, and outside of "
			"its functions no variable is called",
			&suggestion, "");
	debugfile_each_variable(place->file, place->address,
				suggestion_consider, &suggestion);
	if (!suggestion.name && looks_like_macro(node->text))
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: there is no variable here "
				    "that is called '%s'; if it is a macro, "
				    "write its value: debug information does "
				    "not have it",
				    node->column, node->text);
	return suggestion_not_found(node,
				    "there is no variable here that is called",
				    &suggestion, "");
}

/*
 * `crate::` of Rust stands for the crate of the code, which is the first
 * component of the names of its functions. Returns `name` with this component
 * in place of `crate`, for the caller to free. NULL: the name does not begin
 * with `crate::`, or the function at the place is not known.
 */
static char *without_crate(const struct binder *binder, const char *name)
{
	const struct expr_place *place = binder->place;
	CLEANUP(free_pointer) char *own = NULL;
	struct function function;
	const char *start, *end;

	if (binder->language != LANGUAGE_RUST || !str_starts(name, "crate::") ||
	    !debugfile_function_at(place->file, place->address, &function) ||
	    !function.name)
		return NULL;
	own = debuginfo_demangle(function.name);
	start = own + strspn(own, "<&"); /* <crate::Type as Trait>::f */
	end = strstr(start, "::");
	return end ? xasprintf("%.*s%s", (int)(end - start), start,
			       name + strlen("crate"))
		   : NULL;
}

/*
 * The name to look for in place of the name that the user wrote, for the caller
 * to free. NULL: the user's name is the one to look for.
 */
static char *whole_name(const struct binder *binder, const char *name)
{
	if (binder->place->no_code && !strstr(name, "::"))
		return xasprintf("::%s", name); /* the `::` excludes the
						   variables of functions */
	return without_crate(binder, name);
}

/* If another module may define the variable, replace it by that definition. */
static void resolve(struct binder *binder, struct variable **variable)
{
	const struct debugfile *file = variable_file(*variable);

	if (variable_is_local(*variable))
		return;
	if (variable_declared(*variable)) {
		binder->bound->uses_modules = true;
		resolve_declared(binder, variable);
	} else {
		resolve_copied(binder, variable);
	}
	binder->bound->uses_modules |= variable_file(*variable) != file;
}

/* Find a variable. NULL and no error: there is none. */
static struct error *find_variable(struct binder *binder,
				   const struct node *node, const char *name,
				   struct variable **out)
{
	CLEANUP(free_pointer) char *whole = whole_name(binder, name);
	const struct expr_place *place = binder->place;
	struct error *error;

	*out = NULL;
	if (whole)
		name = whole;
	error = debugfile_find_variable_of(place->file, place->address,
					   place->at_entry, place->inlined,
					   name, out);
	error = error_unless(error, ERROR_NOT_FOUND);
	if (error)
		return error_prefix(error, "column %zu: '%s'", node->column,
				    node->text);
	if (*out)
		resolve(binder, out);
	return NULL;
}

void bind_variable(struct binder *binder, const struct node *node,
		   struct variable *variable, struct operand *out)
{
	struct instruction *instruction;

	*out = (struct operand){
		.type = type_from_program(variable_debugtype(variable)),
		.is_place = true,
		.reference = variable_reference(variable),
	};
	instruction = emit(binder, CODE_ADDRESS, node, out->type);
	instruction->variable = variable;
	if (variable_file(variable) != binder->place->file)
		instruction->file = variable_file(variable);
	out->variable = binder->bound->code.count;
	operand_follow(binder, node, out);
}

/* ---- C++ ---- */

/* Has the class, or one of its base classes, a member of this name? */
static bool has_member(struct debugtype *class, const char *name)
{
	struct base_found found;

	find_base_with(class, name, &found);
	base_found_deinit(&found);
	return found.count;
}

/* If the place is in a method, and the class of *this has a member of this
 * name, bind the name as that member. */
static struct error *bind_implicit_member(struct binder *binder,
					  const struct node *node,
					  struct operand *out, bool *found)
{
	struct debugtype *class;
	struct variable *this;
	struct type type;

	*found = false;
	if (binder->language != LANGUAGE_C_PLUS_PLUS)
		return NULL;
	TRY(find_variable(binder, node, "this", &this));
	if (!this)
		return NULL;
	type = type_from_program(variable_debugtype(this));
	class = type.pointers == 1 && type.class == TYPE_PROGRAM
			? debugtype_target(type.of)
			: NULL;
	if (!class || !has_member(class, node->text)) {
		variable_destroy(this);
		return class ? bind_static_member(binder, node, class,
						  node->text, out, found)
			     : NULL;
	}
	bind_variable(binder, node, this, out);
	TRY(operand_to_value(binder, node, out, &type));
	*out = (struct operand){.type = type_pointed(type), .is_place = true};
	return operand_take_member(binder, node, node->text, out, found);
}

/* Find a static member in the class, then in its base classes. */
static struct error *find_static(struct binder *binder, const struct node *node,
				 struct debugtype *class, const char *name,
				 int depth, struct variable **out)
{
	CLEANUP(free_pointer)
	char *whole = xasprintf("%s::%s", debugtype_name(class), name);
	const struct debugmember *members;
	size_t count;

	TRY(find_variable(binder, node, whole, out));
	members = debugtype_members(class, &count);
	for (size_t i = 0; !*out && depth < MAX_DEPTH && i < count; i++)
		if (members[i].is_base)
			TRY(find_static(binder, node, members[i].type, name,
					depth + 1, out));
	return NULL;
}

struct error *bind_static_member(struct binder *binder, const struct node *node,
				 struct debugtype *type, const char *name,
				 struct operand *out, bool *found)
{
	struct variable *variable = NULL;

	*found = false;
	if (binder->language == LANGUAGE_C)
		return NULL;
	TRY(find_static(binder, node, type, name, 0, &variable));
	if (!variable)
		return NULL;
	*found = true;
	bind_variable(binder, node, variable, out);
	return NULL;
}

/* ---- other names ---- */

/* Is `name` the whole name of the function, and not only its last component? */
static bool is_exactly(const struct function *function, const char *name)
{
	CLEANUP(free_pointer) char *demangled = NULL;
	size_t length = strlen(name);

	if (str_equal(function->name, name))
		return true;
	demangled = debuginfo_demangle(function->name);
	return str_starts(demangled, name) &&
	       (!demangled[length] || demangled[length] == '(');
}

/*
 * The operand becomes the place of the function or, if the type of the function
 * is not known, its address.
 */
struct error *bind_function(struct binder *binder, const struct node *node,
			    struct debugfile *file, struct operand *out,
			    bool *found)
{
	struct function_list functions = {0};
	struct instruction *instruction;
	struct error *error = NULL;
	size_t count = 0;

	*found = false;
	if (str_is_glob(node->text))
		return NULL;
	error = debugfile_find_functions(file, node->text, &functions);
	for (size_t i = 0; !error && i < functions.count; i++)
		if (is_exactly(&functions.data[i], node->text))
			functions.data[count++] = functions.data[i];
	if (count > 1)
		error = error_create(ERROR_USAGE,
				     "column %zu: there are %zu functions that "
				     "are called '%s'; write the linkage name "
				     "(_Z...) of one, or its address",
				     node->column, count, node->text);
	if (count == 1) {
		uint64_t address = functions.data[0].address;
		struct debugtype *type = debugfile_function_type(file, address);

		*found = true;
		*out = (struct operand){.type = type ? type_from_program(type)
						     : type_void_pointer,
					.is_place = type != NULL};
		instruction = emit(binder, CODE_FUNCTION, node, out->type);
		instruction->number.u = address;
		if (file != binder->place->file)
			instruction->file = file;
	}
	vec_free(&functions);
	return error;
}

/*
 * Bind a name that the place's own file does not have. If the name is that of a
 * type at the place, it cannot mean a variable in some library.
 */
static struct error *bind_other(struct binder *binder, const struct node *node,
				bool untyped_will_do, struct operand *out)
{
	bool found = false;

	if (!find_type(binder->place, node->text))
		TRY(bind_elsewhere(binder, node, out, &found));
	if (!found)
		return no_variable(node, binder->place);
	if (out->is_untyped && !untyped_will_do)
		return error_create(ERROR_USAGE,
				    "column %zu: '%s' has unknown type; cast "
				    "it to its declared type",
				    node->column, node->text);
	return NULL;
}

/*
 * Is the variable declared but defined nowhere? The name is then as good as
 * unknown. A static member of a class is different: it counts as optimized out.
 */
static bool is_undefined(const struct variable *variable,
			 const struct node *node)
{
	return variable && variable_declared(variable) &&
	       str_equal(variable_declared(variable), node->text);
}

struct error *bind_name(struct binder *binder, const struct node *node,
			struct operand *out)
{
	bool found = false, untyped_will_do = binder->untyped_will_do;
	struct variable *variable;

	binder->untyped_will_do = false;

	if (!binder->place->file)
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: '%s' cannot be looked up: no "
				    "program is chosen (`file PROGRAM' chooses "
				    "one), or this code is in no file that "
				    "perftool could open; a running program's "
				    "registers ($rax, $arg1) can be used",
				    node->column, node->text);
	TRY(push(binder, node));
	TRY(find_variable(binder, node, node->text, &variable));
	if (is_undefined(variable, node)) {
		variable_destroy(variable);
		return error_create(ERROR_NOT_FOUND,
				    "column %zu: '%s' is only declared here, "
				    "and nothing that is loaded defines it",
				    node->column, node->text);
	}
	if (variable && variable_is_local(variable)) {
		bind_variable(binder, node, variable, out);
		return NULL;
	}
	if (node->text[0] != ':' && !str_equal(node->text, "this")) {
		struct error *error;

		error = bind_implicit_member(binder, node, out, &found);
		if (error || found) {
			variable_destroy(variable);
			return error;
		}
	}
	if (variable) {
		bind_variable(binder, node, variable, out);
		return NULL;
	}
	TRY(bind_function(binder, node, binder->place->file, out, &found));
	return found ? NULL : bind_other(binder, node, untyped_will_do, out);
}
