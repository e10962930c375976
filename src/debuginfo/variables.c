/*
 * variables.c - what a name means at an address
 */
#include <string.h>

#include "entry.h"
#include "globals.h"
#include "location_list.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "types.h"
#include "variable.h"
#include "visible.h"

void variable_destroy(struct variable *variable)
{
	if (!variable)
		return;
	free(variable->type_name);
	free(variable);
}

enum variable_kind variable_kind(const struct variable *variable)
{
	return variable->type.kind;
}

unsigned variable_size(const struct variable *variable)
{
	return variable->type.size > UINT32_MAX ? UINT32_MAX
						: (unsigned)variable->type.size;
}

const char *variable_type_name(const struct variable *variable)
{
	return variable->type_name;
}

struct search {
	const char *name;
	bool found;
	struct visible best;
};

static bool match(void *context, const struct visible *visible)
{
	struct search *search = context;

	/* the first scope that has it, and there the innermost block */
	if (search->found && visible->scope != search->best.scope)
		return false;
	if (search->found && visible->depth < search->best.depth)
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

/* DW_AT_const_value */
static bool set_constant(struct debugfile *file, const struct die *die,
			 struct variable *variable)
{
	struct attribute attribute;
	unsigned bits;
	uint64_t number;

	if (!die_inherited(file, die, DW_AT_const_value, &attribute))
		return false;
	if (attribute.class == ATTRIBUTE_BLOCK) {
		variable->source = SOURCE_BYTES;
		variable->bytes = attribute.block;
		return true;
	}
	if (attribute.class != ATTRIBUTE_UNSIGNED &&
	    attribute.class != ATTRIBUTE_SIGNED)
		return false;
	number = attribute.number;
	variable->source = SOURCE_CONSTANT;
	if (variable->type.kind == VARIABLE_SIGNED) {
		/* the form may have been too narrow to say the sign */
		bits = 64 - (unsigned)variable->type.size * 8;
		number = (uint64_t)((int64_t)(number << bits) >> bits);
		variable->constant = value_signed((int64_t)number);
	} else {
		variable->constant = value_unsigned(number);
	}
	return true;
}

/* The expression or list in DW_AT_location or DW_AT_frame_base; false: it has
 * none. A hole of a list is an empty expression. */
static bool find_expression(struct debugfile *file, const struct die *die,
			    unsigned name, uint64_t address, struct bytes *out,
			    bool *is_list)
{
	struct attribute attribute;

	*is_list = false;
	*out = (struct bytes){0};
	if (!die_attribute(file, die, name, &attribute))
		return false;
	if (attribute.class == ATTRIBUTE_BLOCK) {
		*out = attribute.block;
		return true;
	}
	if (attribute.class != ATTRIBUTE_OFFSET &&
	    attribute.class != ATTRIBUTE_INDEX &&
	    attribute.class != ATTRIBUTE_UNSIGNED)
		return false;
	*is_list = true;
	if (!location_list_find(file, die->unit, &attribute, address, out))
		*out = (struct bytes){0};
	return true;
}

static bool starts_with_register(struct bytes expression)
{
	return expression.size && ((expression.data[0] >= DW_OP_reg0 &&
				    expression.data[0] <= DW_OP_reg31) ||
				   expression.data[0] == DW_OP_regx);
}

static bool is_static(struct bytes expression)
{
	return expression.size && (expression.data[0] == DW_OP_addr ||
				   expression.data[0] == DW_OP_addrx ||
				   expression.data[0] == DW_OP_GNU_addr_index);
}

/* Is the function a copy whose calling convention the compiler changed? */
static bool is_special_copy(struct debugfile *file, uint64_t address)
{
	struct function function;

	return debugfile_function_at(file, address, &function) &&
	       function.name &&
	       (strstr(function.name, ".isra") ||
		strstr(function.name, ".constprop") ||
		strstr(function.name, ".part"));
}

/*
 * At a function's first instruction, debug information may only be believed
 * where it says so for this very address (a list of locations), or for the
 * whole life of a parameter (a register); else it means the time after the
 * prologue, and the ABI says where parameters are before it.
 */
static struct error *find_at_entry(struct debugfile *file, uint64_t address,
				   const struct visible *visible, bool is_list,
				   struct variable *variable)
{
	const char *name = visible->name;

	if (is_static(variable->bytes))
		return NULL;
	if (visible->inlined ||
	    die_tag(&visible->die) != DW_TAG_formal_parameter)
		return error_create(
			ERROR_EVALUATE,
			"'%s' has no value yet at the function's entry; use "
			"`break FUNC`, after the prologue",
			name);
	if ((is_list || starts_with_register(variable->bytes)) &&
	    variable->type.kind != VARIABLE_FLOAT)
		return NULL;
	if (is_special_copy(file, address))
		return error_create(
			ERROR_EVALUATE,
			"'%s' cannot be had at the entry of a function whose "
			"parameters the compiler changed; use `break FUNC`, "
			"after the prologue",
			name);
	TRY(entry_find(file, &visible->function, name, &variable->entry));
	variable->source = SOURCE_ENTRY;
	return NULL;
}

static struct error *locate(struct debugfile *file, uint64_t address,
			    bool at_entry, const struct visible *visible,
			    struct variable *variable)
{
	const struct die *die = &visible->die;
	bool is_list, frame_base_is_list;

	if (die_tag(die) == DW_TAG_enumerator)
		variable->type = (struct type_info){
			.kind = VARIABLE_SIGNED,
			.size = 8,
		};
	variable->source = SOURCE_LOCATION;
	if (!find_expression(file, die, DW_AT_location, address,
			     &variable->bytes, &is_list)) {
		if (set_constant(file, die, variable))
			return NULL;
		variable->source = SOURCE_NOWHERE;
	}
	if (variable->source == SOURCE_LOCATION && !variable->bytes.size)
		variable->source = SOURCE_NOWHERE;
	if (!visible->function.abbrev)
		return NULL;
	if (at_entry)
		TRY(find_at_entry(file, address, visible, is_list, variable));
	find_expression(file, &visible->function, DW_AT_frame_base, address,
			&variable->frame_base, &frame_base_is_list);
	return NULL;
}

/* A declaration in a block (`extern int x;`) means the global. */
static bool is_declaration(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_attribute(file, die, DW_AT_declaration, &attribute) &&
	       !die_attribute(file, die, DW_AT_location, &attribute);
}

/* An enumerator whose type is in a unit of its own. */
static bool find_in_type_units(struct debugfile *file, const char *name,
			       struct die *out)
{
	struct dwarf *dwarf = file_dwarf(file);
	bool defined;

	for (size_t i = 0; i < dwarf->unit_count; i++)
		if (dwarf->units[i].type == DW_UT_type &&
		    unit_find_global(file, &dwarf->units[i], name, out,
				     &defined))
			return true;
	return false;
}

/* A variable or enumerator outside functions. */
static bool find_global(struct debugfile *file, uint64_t address,
			const char *name, struct visible *out)
{
	struct unit *unit = unit_at(file, address);
	const struct global *global;
	bool found, defined = false;
	struct die die;

	*out = (struct visible){.name = name};
	found = unit && unit_find_global(file, unit, name, &out->die, &defined);
	if (defined)
		return true;
	global = globals_find(file, name);
	unit = global ? unit_of_die(file, global->die) : NULL;
	if (!unit || !die_read(file, unit, global->die, &die) || !die.abbrev)
		return found || find_in_type_units(file, name, &out->die);
	out->die = die;
	return true;
}

struct error *debugfile_find_variable(struct debugfile *file, uint64_t address,
				      bool at_entry, const char *name,
				      struct variable **out)
{
	struct search search = {.name = name};
	struct variable *variable;
	struct error *error;

	each_local(file, address, match, &search);
	if (search.found && is_declaration(file, &search.best.die))
		search.found = false;
	if (!search.found && !find_global(file, address, name, &search.best))
		return not_found(name);
	variable = xcalloc(1, sizeof(*variable));
	variable->file = file;
	variable->unit = search.best.die.unit;
	variable->type = type_of(file, &search.best.die);
	variable->type_name = type_name_of(file, &search.best.die);
	error = locate(file, address, at_entry, &search.best, variable);
	if (error) {
		variable_destroy(variable);
		return error;
	}
	*out = variable;
	return NULL;
}

/* ---- all of them ------------------------------------------------------ */

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
	const struct dwarf *dwarf = file_dwarf(file);
	const struct globals *globals;
	bool more = each_local(file, address, visit_local, &visiting);

	if (more && unit)
		more = unit_each_global(file, unit, visit_global, &visiting);
	for (size_t i = 0; more && i < dwarf->unit_count; i++)
		if (dwarf->units[i].type == DW_UT_type)
			more = unit_each_global(file, &dwarf->units[i],
						visit_global, &visiting);
	if (more) {
		globals = file_globals(file);
		for (size_t i = 0; more && i < globals->list.count; i++)
			more = visit_name(&visiting,
					  globals->list.data[i].name);
	}
	strmap_deinit(&visiting.seen);
}
