/*
 * module_symbols.c - names that another module of the program defines; see
 * binder.h
 *
 * Modules can share a variable by its name. The shared variable is that of the
 * program, if it has one (a copy relocation gives it one), else that of the
 * first module which exports the name. Several modules may have debug
 * information for the variable. Its address is decided by symbols, as the
 * run-time linker decides it.
 */
#include <stdlib.h>
#include <string.h>

#include "binder.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"

size_t modules_of(const struct expr_place *place, struct debugfile *const **out)
{
	const struct expr_modules *modules = &place->modules;

	*out = &place->file;
	return modules->files ? modules->files(modules->context, out) : 1;
}

/* ---- symbols ---- */

/*
 * Find the symbol as the run-time linker does: in the program, then in `own`,
 * the file that uses the name, then in any other module.
 */
static struct debugfile *find_symbol(const struct binder *binder,
				     struct debugfile *own, const char *name,
				     struct data_symbol *out)
{
	struct debugfile *const *files;
	size_t count = modules_of(binder->place, &files);

	if (count && files[0] != own &&
	    debugfile_find_data(files[0], name, DATA_EXPORTED, out))
		return files[0];
	if (debugfile_find_data(own, name, DATA_GLOBAL, out))
		return own;
	for (size_t i = 1; i < count; i++)
		if (files[i] != own &&
		    debugfile_find_data(files[i], name, DATA_EXPORTED, out))
			return files[i];
	/* the linker has made a hidden symbol a local one */
	return debugfile_find_data(own, name, DATA_LOCAL, out) ? own : NULL;
}

/* Is only the name of the type known? */
static bool is_incomplete(struct debugtype *type)
{
	size_t count;

	if (debugtype_size(type))
		return false;
	if (debugtype_kind(type) == DEBUGTYPE_STRUCT ||
	    debugtype_kind(type) == DEBUGTYPE_UNION)
		return !debugtype_members(type, &count) || !count;
	return false;
}

/*
 * If the type is incomplete, take the type that the module which defines the
 * variable has for it.
 */
static struct debugtype *complete_type(struct debugfile *file, const char *name,
				       struct debugtype *type)
{
	struct variable *variable;
	struct error *error;

	if (!is_incomplete(type))
		return type;
	error = debugfile_find_global(file, name, &variable);
	if (error) {
		error_destroy(error);
		return type;
	}
	type = variable_debugtype(variable);
	variable_destroy(variable);
	return type;
}

void resolve_declared(const struct binder *binder, struct variable **variable)
{
	const char *name = variable_declared(*variable);
	struct data_symbol symbol;
	struct debugfile *file;
	struct debugtype *type;

	if (!name)
		return;
	file = find_symbol(binder, variable_file(*variable), name, &symbol);
	if (!file)
		return;
	type = variable_reference(*variable);
	if (!type)
		type = complete_type(file, name, variable_debugtype(*variable));
	variable_destroy(*variable);
	*variable = debugfile_variable_at(file, &symbol, type);
}

void resolve_copied(const struct binder *binder, struct variable **variable)
{
	struct debugfile *const *files;
	struct data_symbol symbol;
	struct debugtype *type;
	bool found = false;
	char *name;

	if (!modules_of(binder->place, &files) ||
	    files[0] == variable_file(*variable))
		return;
	for (size_t i = 0; !found && (name = variable_exported(*variable, i));
	     i++) {
		found = debugfile_find_data(files[0], name, DATA_EXPORTED,
					    &symbol);
		free(name);
	}
	if (!found)
		return;
	type = variable_reference(*variable);
	if (!type)
		type = variable_debugtype(*variable);
	variable_destroy(*variable);
	*variable = debugfile_variable_at(files[0], &symbol, type);
}

/* ---- names ---- */

struct search {
	const struct binder *binder;
	const char *name;
	bool is_plain;
	/* Search only the modules that have a symbol of the name: the debug
	 * information of the others need not be read. */
	bool has_symbol;
	struct debugfile *const *files;
	size_t count;
	struct variable *external, *local;
};

/*
 * Search the debug information of the other modules, until one of them has a
 * variable that other modules see (`external`). The first variable that only
 * its own file sees becomes `local`.
 */
static struct error *find_described(struct search *search)
{
	struct error *error = NULL;

	for (size_t i = 0; !error && !search->external && i < search->count;
	     i++) {
		struct debugfile *file = search->files[i];
		struct variable *variable = NULL;

		if (file == search->binder->place->file ||
		    !debugfile_facts(file)->has_dwarf ||
		    (search->has_symbol &&
		     !debugfile_has_data(file, search->name)))
			continue;
		error = error_unless(
			debugfile_find_global(file, search->name, &variable),
			ERROR_NOT_FOUND);
		if (!variable)
			continue;
		if (variable_is_external(variable))
			search->external = variable;
		else if (!search->local)
			search->local = variable;
		else
			variable_destroy(variable);
	}
	return error;
}

/* ISO C (7.5) says that errno is an int. */
static bool is_errno(const struct search *search,
		     const struct data_symbol *symbol)
{
	return symbol->is_thread_local && symbol->size == 4 &&
	       str_equal(search->name, "errno");
}

/*
 * The type of a variable by one of its names, as the debug information of any
 * module has it.
 */
static struct debugtype *type_of_name(const struct search *search,
				      const char *name)
{
	struct variable *variable = NULL;
	struct debugtype *type;

	for (size_t i = 0; !variable && i < search->count; i++)
		if (debugfile_facts(search->files[i])->has_dwarf &&
		    debugfile_has_data(search->files[i], name))
			error_destroy(debugfile_find_global(search->files[i],
							    name, &variable));
	if (!variable)
		return NULL;
	type = variable_is_external(variable) ? variable_debugtype(variable)
					      : NULL;
	variable_destroy(variable);
	return type;
}

/*
 * Find the type of a symbol by another symbol of the same address: `environ`
 * has the address of __environ. If that fails, take the type from a declaration
 * in the module that has the symbol; the program has such declarations of the
 * variables that it has copies of. NULL: no module knows the type.
 */
static struct debugtype *type_of_alias(const struct search *search,
				       struct debugfile *file,
				       const struct data_symbol *symbol)
{
	struct debugtype *type = NULL;
	char *name;

	for (size_t i = 0;
	     !type && !symbol->is_thread_local &&
	     (name = debugfile_exported_at(file, symbol->address, i));
	     i++) {
		type = type_of_name(search, name);
		free(name);
	}
	if (!type && search->is_plain && debugfile_facts(file)->has_dwarf)
		type = debugfile_declared_type(file, search->name);
	return type;
}

static void bind_symbol(struct binder *binder, const struct node *node,
			const struct search *search, struct debugfile *file,
			const struct data_symbol *symbol, struct operand *out)
{
	struct debugtype *type = type_of_alias(search, file, symbol);

	bind_variable(binder, node, debugfile_variable_at(file, symbol, type),
		      out);
	out->is_untyped = !type && !is_errno(search, symbol);
	if (type || out->is_untyped)
		return;
	out->type = type_int;
	out->variable = 0; /* the value must be read as an int, and not with the
			      unknown type of the variable */
}

/* Find a symbol in any module. Exported symbols were searched before. */
static struct debugfile *find_anywhere(const struct search *search,
				       enum data_scope scope,
				       struct data_symbol *out)
{
	for (size_t i = 0; i < search->count; i++)
		if (debugfile_find_data(search->files[i], search->name, scope,
					out))
			return search->files[i];
	return NULL;
}

static struct error *find(struct search *search, struct binder *binder,
			  const struct node *node, struct operand *out,
			  bool *found)
{
	struct data_symbol symbol;
	struct debugfile *file;
	bool function = false;

	*found = false;
	TRY(find_described(search));
	if (search->external) {
		resolve_copied(binder, &search->external);
		bind_variable(binder, node, search->external, out);
		search->external = NULL;
		*found = true;
		return NULL;
	}
	file = find_symbol(binder, binder->place->file, search->name, &symbol);
	if (!file)
		file = find_anywhere(search, DATA_GLOBAL, &symbol);
	for (size_t i = 0; !file && !function && i < search->count; i++)
		if (search->files[i] != binder->place->file)
			TRY(bind_function(binder, node, search->files[i], out,
					  &function));
	if (function) {
		*found = true;
		return NULL;
	}
	if (!file && search->local) {
		bind_variable(binder, node, search->local, out);
		search->local = NULL;
		*found = true;
		return NULL;
	}
	if (!file)
		file = find_anywhere(search, DATA_LOCAL, &symbol);
	if (!file && search->has_symbol) {
		/* A compiler leaves no symbol of a static variable that is a
		 * constant. */
		search->has_symbol = false;
		return find(search, binder, node, out, found);
	}
	if (!file)
		return NULL;
	bind_symbol(binder, node, search, file, &symbol, out);
	*found = true;
	return NULL;
}

struct error *bind_elsewhere(struct binder *binder, const struct node *node,
			     struct operand *out, bool *found)
{
	struct search search = {
		.binder = binder,
		.name = node->text,
		.is_plain = !strstr(node->text, "::"),
	};
	struct error *error;

	search.has_symbol = search.is_plain;
	search.count = modules_of(binder->place, &search.files);
	binder->bound->uses_modules = true;
	error = find(&search, binder, node, out, found);
	variable_destroy(search.external);
	variable_destroy(search.local);
	return error;
}
