/*
 * variable_search.c - finds the variable that a name means at an address, and
 * where its value is
 */
#include <string.h>

#include "availability.h"
#include "debuginfo/frames/frames.h"
#include "debuginfo/locations/locations.h"
#include "debuginfo/scopes/scopes.h"
#include "debuginfo/types/types.h"
#include "declarations.h"
#include "globals.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "scope_variables.h"
#include "variable.h"

void variable_destroy(struct variable *variable)
{
	if (!variable)
		return;
	str_deinit(&variable->elsewhere);
	free(variable->declared);
	free(variable);
}

struct search {
	const char *name;
	bool found;
	struct visible best;
};

static bool match(void *context, const struct visible *visible)
{
	struct search *search = context;

	/*
	 * Take the variable from the first function or inlined call that has a
	 * variable of this name, and there from the innermost block. Variables
	 * in a block without code (depth 0) come last.
	 */
	if (search->found && search->best.depth &&
	    visible->scope != search->best.scope)
		return false;
	if (search->found &&
	    (!visible->depth || visible->depth < search->best.depth))
		return true;
	if (str_equal(visible->name, search->name)) {
		search->best = *visible;
		search->found = true;
	}
	return true;
}

static struct error *not_found(const char *name)
{
	return error_create(ERROR_NOT_FOUND, "no variable '%s' here", name);
}

static bool starts_with_register(struct bytes expression)
{
	return expression.size && ((expression.data[0] >= DW_OP_reg0 &&
				    expression.data[0] <= DW_OP_reg31) ||
				   expression.data[0] == DW_OP_regx);
}

/* Is the function a copy (.isra, .constprop, .part) whose parameters the
 * compiler may have changed? */
static bool is_special_copy(struct debugfile *file, uint64_t address)
{
	struct function function;

	return debugfile_function_at(file, address, &function) &&
	       function.name &&
	       (strstr(function.name, ".isra") ||
		strstr(function.name, ".constprop") ||
		strstr(function.name, ".part"));
}

/* Has clang optimized the function? In the debug information of an optimized
 * function clang says that all its calls are described. In a function that is
 * not optimized clang uses rbp as the frame base. */
static bool is_clang_optimized(struct debugfile *file,
			       const struct die *function)
{
	const char *producer = function->unit->producer;
	struct attribute attribute;

	if (!producer || !strstr(producer, "clang"))
		return false;
	return die_attribute(file, function, DW_AT_call_all_calls,
			     &attribute) ||
	       die_attribute(file, function, DW_AT_GNU_all_call_sites,
			     &attribute) ||
	       !die_attribute(file, function, DW_AT_frame_base, &attribute) ||
	       attribute.class != ATTRIBUTE_BLOCK ||
	       attribute.block.size != 1 ||
	       attribute.block.data[0] != DW_OP_reg6;
}

/*
 * May the compiler have changed the parameters of the function, so that its
 * callers do not pass this parameter as the ABI says? When clang optimizes, it
 * drops unused parameters from static functions, and lets callers pass
 * arbitrary values for unused parameters of other functions. The debug
 * information does not say so. `in_memory`: the parameter is always in memory.
 * The function then uses it, so clang has not dropped it.
 */
static bool is_changed(struct debugfile *file, uint64_t address,
		       const struct die *function, bool in_memory)
{
	return is_special_copy(file, address) ||
	       (!in_memory && is_clang_optimized(file, function));
}

/* Does `break FUNC` stop the program behind the function's entry, after a
 * prologue? */
static bool has_prologue(struct debugfile *file, uint64_t address)
{
	struct function function;
	uint64_t end = address;

	if (debugfile_function_at(file, address, &function))
		error_destroy(debugfile_skip_prologue(file, &function, &end));
	return end != address;
}

/* Make the error that says why a variable has no value at the function's entry
 * (`reason`), and where it has a value. `nowhere`: it is optimized out at the
 * entry. */
static struct error *none_at_entry(struct debugfile *file, uint64_t address,
				   const struct visible *visible, bool nowhere,
				   const char *reason)
{
	CLEANUP(str_deinit) struct str where = {0};

	elsewhere_describe(file, &visible->die, address, &where);
	if (!where.length && nowhere)
		return error_create(ERROR_EVALUATE, "optimized out");
	if (!where.length && has_prologue(file, address))
		str_append(&where, "; use `break FUNC`, after the prologue");
	return error_create(ERROR_EVALUATE, "%s%s", reason, str_text(&where));
}

/*
 * Find the place that a variable, mostly a parameter, has at the function's
 * first instruction. The ABI says where a parameter is. The debug information
 * mostly says where it is after the prologue. It is used only if the ABI does
 * not tell, and if it is valid at this very address (it is a location list) or
 * for the parameter's whole life (it is a register).
 */
static struct error *find_at_entry(struct debugfile *file, uint64_t address,
				   const struct visible *visible, bool is_list,
				   struct variable *variable)
{
	bool in_register = starts_with_register(variable->location);
	bool nowhere = variable->source == SOURCE_NOWHERE;
	bool is_known = !nowhere && (is_list || in_register);
	const char *name = visible->name;
	struct error *error;

	if (location_is_static(variable->location))
		return NULL;
	if (visible->inlined ||
	    die_tag(&visible->die) != DW_TAG_formal_parameter) {
		/* If the variable belongs to a call that is inlined here, and
		 * its location does not use the frame base, it does not need
		 * the frame that the prologue will make. */
		bool is_frameless = visible->inlined && !nowhere &&
				    variable->location.data[0] != DW_OP_fbreg;

		if (is_frameless || (is_list && !nowhere))
			return NULL;
		return none_at_entry(file, address, visible, nowhere,
				     "no value yet at the function's entry");
	}
	if (is_changed(file, address, &visible->function,
		       !is_list && !in_register && !nowhere))
		error = none_at_entry(
			file, address, visible, nowhere,
			"optimized out at the function's entry, because the "
			"compiler changed the function's parameters");
	else
		error = entry_find(file, &visible->function, address, name,
				   &variable->entry);
	if (!error) {
		variable->source = SOURCE_ENTRY;
		return NULL;
	}
	if (!is_known)
		return error;
	error_destroy(error);
	return NULL;
}

/* Find the place of a static variable in a block of a copied or inlined
 * function. The debug information may give the place only in the original, for
 * all copies of the block. */
static bool find_shared(struct debugfile *file, const struct die *die,
			struct variable *variable)
{
	struct attribute location;
	struct die origin = *die;

	if (!die_inherited(file, die, DW_AT_location, &location) ||
	    location.class != ATTRIBUTE_BLOCK ||
	    !location_is_static(location.block) ||
	    !die_reference(file, die, DW_AT_abstract_origin, &origin))
		return false;
	variable->unit = origin.unit;
	variable->location = location.block;
	return true;
}

/*
 * Look up now what every read of the variable would need: the rule for the CFA,
 * and, if the place is the CFA plus a constant, this constant. Reads at a hit
 * then need not look up call frame information or run an expression. This works
 * for most variables of code that is not optimized.
 */
static void find_cfa(struct debugfile *file, uint64_t address,
		     struct variable *variable)
{
	struct cursor cursor = cursor_at(variable->location, 0);

	if (!debugfile_cfa_rule(file, address, &variable->cfa.rule))
		return;
	variable->cfa.file = file;
	variable->cfa.address = address;
	if (variable->source != SOURCE_LOCATION ||
	    variable->frame_base.size != 1 ||
	    variable->frame_base.data[0] != DW_OP_call_frame_cfa ||
	    cursor_u8(&cursor) != DW_OP_fbreg)
		return;
	variable->frame_offset = cursor_sleb(&cursor);
	variable->is_in_frame = !cursor.failed && !cursor_left(&cursor);
}

static struct error *locate(struct debugfile *file, uint64_t address,
			    bool at_entry, const struct visible *visible,
			    struct variable *variable)
{
	const struct die *die = &visible->die;
	bool is_list = false, frame_base_is_list;

	variable->source = SOURCE_LOCATION;
	if (!location_list_of(file, die, DW_AT_location, address,
			      &variable->location, &is_list) &&
	    !find_shared(file, die, variable)) {
		if (location_constant(file, die, &variable->constant)) {
			variable->source = SOURCE_CONSTANT;
			return NULL;
		}
		variable->source = SOURCE_NOWHERE;
	}
	if (variable->source == SOURCE_LOCATION && !variable->location.size)
		variable->source = SOURCE_NOWHERE;
	if (variable->source == SOURCE_NOWHERE && is_list)
		elsewhere_describe(file, die, address, &variable->elsewhere);
	if (!visible->function.abbrev)
		return NULL;
	if (at_entry)
		TRY(find_at_entry(file, address, visible, is_list, variable));
	location_list_of(file, &visible->function, DW_AT_frame_base, address,
			 &variable->frame_base, &frame_base_is_list);
	find_cfa(file, address, variable);
	return NULL;
}

/* Find an enumerator whose enumeration is in a type unit. */
static bool find_in_type_units(struct debugfile *file, const struct unit *unit,
			       const char *name, struct die *out)
{
	struct source *source = unit ? unit->source : file_dwarf(file)->main;
	bool defined;

	source_complete(source);
	for (size_t i = 0; i < source->units.count; i++)
		if (source->units.data[i]->type == DW_UT_type &&
		    unit_find_global(file, source->units.data[i], name, out,
				     &defined))
			return true;
	return false;
}

/* Find a variable or enumerator outside functions. */
static bool find_global(struct debugfile *file, uint64_t address,
			const char *name, struct visible *out)
{
	struct unit *unit = unit_compiled_at(file, address), *other;
	const struct global *global;
	bool found, defined = false;
	struct die die;

	*out = (struct visible){.name = name};
	/* In a language with classes and namespaces, those around the function
	 * are searched first. */
	if (unit &&
	    (unit_is_c_plus_plus(unit) || unit->language == DW_LANG_Rust) &&
	    scoped_find_around(file, address, name, &out->die))
		return true;
	found = unit && unit_find_global(file, unit, name, &out->die, &defined);
	if (defined)
		return true;
	global = globals_find(file, name);
	/* If the unit declares the name (`extern`), the name does not mean a
	 * static variable of another unit. */
	if (unit && !found && (!global || !global->external) &&
	    declared_find(file, unit, name, &out->die))
		return true;
	other = global ? unit_of_die(file, global->die) : NULL;
	if (!other || !die_read(file, other, global->die, &die) || !die.abbrev)
		return found || find_in_type_units(file, unit, name, &out->die);
	out->die = die;
	return true;
}

/* The type of the variable's value. For an enumerator this is the enumeration
 * to which it belongs. */
static struct debugtype *value_type(struct debugfile *file,
				    const struct die *die)
{
	struct die root, around = {0};
	struct die_walk walk;

	if (die_tag(die) != DW_TAG_enumerator ||
	    !die_read(file, die->unit, die->unit->root, &root) || !root.abbrev)
		return debugtype_of(file, die);
	die_walk_init(&walk, file, &root);
	while (die_walk_next(&walk) && walk.die.offset < die->offset)
		if (die_tag(&walk.die) == DW_TAG_enumeration_type)
			around = walk.die;
	return around.abbrev ? debugtype_at(file, around)
			     : debugtype_of(file, die);
}

/* Find a parameter or local variable. If the name is declared in a block
 * (`extern int x;`), it means the global variable. `out` is then this
 * declaration, and the result is false. */
static bool find_local(struct debugfile *file, uint64_t address, unsigned frame,
		       const char *name, struct visible *out)
{
	struct search search = {.name = name};

	each_local(file, address, frame, match, &search);
	*out = search.best;
	return search.found && !variable_is_declaration(file, &search.best.die);
}

/* Find a variable of an inlined call that begins at this address, but counts as
 * not made yet. find_plain() tries this only if the name means nothing else. */
static bool find_ahead(struct debugfile *file, uint64_t address, unsigned frame,
		       const char *name, struct visible *out)
{
	struct search search = {.name = name};

	each_local_ahead(file, address, frame, match, &search);
	*out = search.best;
	return search.found && !variable_is_declaration(file, &search.best.die);
}

static bool find_plain(struct debugfile *file, uint64_t address, unsigned frame,
		       const char *name, struct visible *out)
{
	CLEANUP(free_pointer) char *symbol = NULL;
	struct visible declared;

	if (find_local(file, address, frame, name, out))
		return true;
	declared = *out;
	if (find_global(file, address, name, out))
		return true;
	if (!declared.die.abbrev && find_ahead(file, address, frame, name, out))
		return true;
	*out = (struct visible){.name = name, .die = declared.die};
	if (declared.die.abbrev)
		symbol = declared_symbol(file, &declared.die);
	return symbol != NULL;
}

static bool is_function_at(struct debugfile *file, uint64_t address,
			   const char *name)
{
	struct die function;
	const char *own = function_at(file, address, &function)
				  ? die_name(file, &function)
				  : NULL;

	return own && str_equal(own, name);
}

static bool find_scoped(struct debugfile *file, uint64_t address,
			unsigned frame, const char *scope, const char *base,
			struct visible *out)
{
	/* If the scope is the function at `address`, the name may mean any of
	 * its variables, not only a static one. */
	if (is_function_at(file, address, scope) &&
	    find_local(file, address, frame, base, out))
		return true;
	*out = (struct visible){.name = base};
	return scoped_find(file, address, scope, base, &out->die);
}

static bool find_visible(struct debugfile *file, uint64_t address,
			 unsigned frame, const char *name, struct visible *out)
{
	const char *base;
	char *scope;
	bool found;

	if (!scoped_split(name, &scope, &base))
		return find_plain(file, address, frame, name, out);
	found = find_scoped(file, address, frame, scope, base, out);
	free(scope);
	/* Names in Rust may contain `::` themselves. */
	return found || find_global(file, address, name, out);
}

struct error *variable_create(struct debugfile *file, uint64_t address,
			      bool at_entry, const struct visible *visible,
			      struct variable **out)
{
	struct variable *variable = xcalloc(1, sizeof(*variable));
	struct attribute external;
	struct error *error;

	variable->file = file;
	variable->unit = visible->die.unit;
	variable->address = address;
	variable->is_local = visible->function.abbrev != NULL;
	variable->function = visible->function;
	variable->is_external =
		die_inherited(file, &visible->die, DW_AT_external, &external);
	variable->type = value_type(file, &visible->die);
	error = locate(file, address, at_entry, visible, variable);
	if (error) {
		variable_destroy(variable);
		return error;
	}
	if (variable->source == SOURCE_NOWHERE && !variable->is_local)
		variable->declared = declared_symbol(file, &visible->die);
	*out = variable;
	return NULL;
}

struct error *debugfile_find_variable_of(struct debugfile *file,
					 uint64_t address, bool at_entry,
					 unsigned frame, const char *name,
					 struct variable **out)
{
	struct visible visible;

	if (!find_visible(file, address, frame, name, &visible))
		return not_found(name);
	return variable_create(file, address, at_entry, &visible, out);
}

struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out)
{
	return debugfile_find_variable_of(file, address, at_entry, 0, name,
					  out);
}

/* The address that debugfile_find_global() passes to the search, because its
 * caller has no address. No code is at this address, so no local variable is
 * found. */
#define NO_PLACE UINT64_MAX

struct error *debugfile_find_global(struct debugfile *file, const char *name,
				    struct variable **out)
{
	struct variable *variable;

	TRY(debugfile_find_variable(file, NO_PLACE, false, name, &variable));
	if (!variable->declared) {
		*out = variable;
		return NULL;
	}
	variable_destroy(variable);
	return not_found(name);
}

/* ---- all variables ------------------------------------------------------- */

struct visiting {
	debugfile_visit_fn *visit;
	void *context;
	struct strmap seen;
};

static bool visit_name(struct visiting *visiting, const char *name)
{
	if (strmap_get(&visiting->seen, name))
		return true;
	strmap_set(&visiting->seen, name, visiting);
	return visiting->visit(visiting->context, name);
}

static bool visit_local(void *context, const struct visible *visible)
{
	return visit_name(context, visible->name);
}

static bool visit_global(void *context, const struct die *die, const char *name)
{
	(void)die;
	return visit_name(context, name);
}

void debugfile_each_variable(struct debugfile *file, uint64_t address,
			     debugfile_visit_fn *visit, void *context)
{
	struct visiting visiting = {.visit = visit, .context = context};
	struct unit *unit = unit_at(file, address);
	struct source *source = unit ? unit->source : file_dwarf(file)->main;
	const struct globals *globals;
	bool more = each_local(file, address, 0, visit_local, &visiting);

	if (more && unit)
		more = unit_each_global(file, unit, visit_global, &visiting);
	if (more)
		source_complete(source);
	for (size_t i = 0; more && i < source->units.count; i++)
		if (source->units.data[i]->type == DW_UT_type)
			more = unit_each_global(file, source->units.data[i],
						visit_global, &visiting);
	if (more) {
		globals = file_globals(file);
		for (size_t i = 0; more && i < globals->list.count; i++)
			more = visit_name(&visiting,
					  globals->list.data[i].name);
	}
	strmap_deinit(&visiting.seen);
}
