/*
 * entry_value.c - see entry_value.h
 *
 * The tool unwinds to the caller, and finds in the caller's debug information
 * the call site with the return address. It evaluates the expression that the
 * call site has for the value that was passed. This value is right only if the
 * caller called this function itself. The caller may have called another
 * function that jumped here (a tail call). So the tool requires two things: the
 * call site names this function, and no chain of tail calls leads from the
 * function back to itself. gdb follows a chain of tail calls if only one chain
 * is possible; in this case the tool returns ERROR_EVALUATE.
 */
#include "entry_value.h"

#include <string.h>

#include "debuginfo/locations/locations.h"
#include "debuginfo/scopes/scopes.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

/* The most functions whose tail calls are followed for one function. */
#define MAX_FUNCTIONS 64

enum verdict { NOT_ASKED, CALLED_ONLY, TAIL_CALLED };

struct function_sites {
	enum verdict verdict;
	/* offsets of the DIEs of the function's tail calls */
	VEC(uint64_t) tail_calls;
};

struct call_site {
	/* offsets of the call site's DIE, and of the DIE of the function that
	 * contains the call */
	uint64_t die, function;
};

struct call_sites {
	/* by the address behind a call: struct call_site */
	struct map by_return;
	/* by the DIE of a function: struct function_sites */
	struct map by_function;
};

void call_sites_destroy(struct call_sites *sites)
{
	struct function_sites *function;
	struct call_site *site;
	size_t cursor = 0;

	if (!sites)
		return;
	while ((site = map_next(&sites->by_return, &cursor, NULL)))
		free(site);
	cursor = 0;
	while ((function = map_next(&sites->by_function, &cursor, NULL))) {
		vec_free(&function->tail_calls);
		free(function);
	}
	map_deinit(&sites->by_function);
	map_deinit(&sites->by_return);
	free(sites);
}

static struct error *unknown(const char *why)
{
	return error_create(ERROR_EVALUATE,
			    "optimized out: only its value at the function's "
			    "entry was known, and %s",
			    why);
}

/* ---- call sites ---------------------------------------------------------- */

static bool is_call_site(const struct die *die)
{
	return die_tag(die) == DW_TAG_call_site ||
	       die_tag(die) == DW_TAG_GNU_call_site;
}

static bool either(struct debugfile *file, const struct die *die, unsigned name,
		   unsigned gnu_name, struct attribute *out)
{
	return die_attribute(file, die, name, out) ||
	       die_attribute(file, die, gnu_name, out);
}

static void add_site(struct debugfile *file, struct function_sites *function,
		     uint64_t function_die, const struct die *die)
{
	struct map *by_return = &file->call_sites->by_return;
	struct attribute attribute;
	struct call_site *site;

	if (either(file, die, DW_AT_call_tail_call, DW_AT_GNU_tail_call,
		   &attribute)) {
		vec_push(&function->tail_calls, die->offset);
		return;
	}
	if (!either(file, die, DW_AT_call_return_pc, DW_AT_low_pc,
		    &attribute) ||
	    attribute.class != ATTRIBUTE_ADDRESS ||
	    map_get(by_return, attribute.number))
		return;
	site = xcalloc(1, sizeof(*site));
	*site = (struct call_site){die->offset, function_die};
	map_set(by_return, attribute.number, site);
}

/* The call sites of a function. They are read when they are first asked for,
 * and kept until the file is closed. */
static struct function_sites *sites_of(struct debugfile *file,
				       const struct die *die)
{
	struct function_sites *function;
	struct die_walk walk;

	if (!file->call_sites)
		file->call_sites = xcalloc(1, sizeof(*file->call_sites));
	function = map_get(&file->call_sites->by_function, die->offset);
	if (function)
		return function;
	function = xcalloc(1, sizeof(*function));
	map_set(&file->call_sites->by_function, die->offset, function);
	die_walk_init(&walk, file, die);
	while (die_walk_next(&walk)) {
		if (is_call_site(&walk.die)) {
			add_site(file, function, die->offset, &walk.die);
			die_walk_skip(&walk);
		} else if (die_tag(&walk.die) == DW_TAG_subprogram) {
			die_walk_skip(&walk);
		}
	}
	return function;
}

static bool read_die(struct debugfile *file, uint64_t offset, struct die *out)
{
	struct unit *unit = unit_of_die(file, offset);

	return unit && die_read(file, unit, offset, out) && out->abbrev;
}

/* Find the call site that returns to `address`, and the function that contains
 * it. */
static bool find_site(struct debugfile *file, uint64_t address,
		      struct die *site, struct die *caller)
{
	const struct call_site *known = NULL;

	if (file->call_sites)
		known = map_get(&file->call_sites->by_return, address);
	if (!known && function_at(file, address - 1, caller)) {
		sites_of(file, caller);
		known = map_get(&file->call_sites->by_return, address);
	}
	return known && read_die(file, known->die, site) &&
	       read_die(file, known->function, caller);
}

/* ---- which function is called -------------------------------------------- */

/* Find the DIE from which all instances (copies, inlined calls) of a function
 * come. */
static struct die origin_of(struct debugfile *file, struct die die)
{
	struct die next;

	for (int hops = 0; hops < LOCATION_MAX_DEPTH; hops++) {
		if (!die_reference(file, &die, DW_AT_abstract_origin, &next) &&
		    !die_reference(file, &die, DW_AT_specification, &next))
			break;
		die = next;
	}
	return die;
}

static bool is_same_function(struct debugfile *file, const struct die *a,
			     const struct die *b)
{
	struct attribute external;
	const char *name, *other;

	if (origin_of(file, *a).offset == origin_of(file, *b).offset)
		return true;
	if (!die_inherited(file, a, DW_AT_external, &external) ||
	    !die_inherited(file, b, DW_AT_external, &external))
		return false;
	name = die_linkage_name(file, a);
	other = die_linkage_name(file, b);
	return name && other && str_equal(name, other);
}

static bool called_die(struct debugfile *file, const struct die *site,
		       struct die *out)
{
	return die_reference(file, site, DW_AT_call_origin, out) ||
	       die_reference(file, site, DW_AT_abstract_origin, out);
}

/* Find the target of the direct call instruction that ends at `address`. False:
 * there is no such instruction. */
static bool call_target(struct debugfile *file, uint64_t address,
			uint64_t *target)
{
	uint8_t code[5];
	int32_t displacement;

	if (debugfile_read(file, address - sizeof(code), code, sizeof(code)) !=
		    sizeof(code) ||
	    code[0] != 0xe8)
		return false;
	memcpy(&displacement, code + 1, sizeof(displacement));
	*target = address + (uint64_t)(int64_t)displacement;
	return true;
}

static bool begins_at(struct debugfile *file, const struct die *function,
		      uint64_t address)
{
	struct range_list ranges = {0};
	bool begins = false;

	die_ranges(file, function, &ranges);
	for (size_t i = 0; i < ranges.count; i++)
		begins |= ranges.data[i].low == address;
	vec_free(&ranges);
	return begins;
}

/* Return an error unless the call site, which returns to `address`, calls
 * `function` itself. `caller` is the context for expressions of the call
 * site. */
static struct error *check_target(const struct location_context *caller,
				  const struct die *site, uint64_t address,
				  const struct die *function)
{
	struct debugfile *file = caller->file;
	uint64_t bias = caller->reader->bias, target;
	struct attribute attribute;
	struct number number;
	struct die called;

	if (call_target(file, address, &target)) {
		if (begins_at(file, function, target))
			return NULL;
		/* The call leads to another function, or to an entry of the
		 * procedure linkage table. In the second case, the debug
		 * information must tell the function. */
		if (function_at(file, target, &called) &&
		    begins_at(file, &called, target))
			return unknown(
				"the function was reached by a tail call");
	}
	if (called_die(file, site, &called))
		return is_same_function(file, &called, function)
			       ? NULL
			       : unknown("the function was reached by a tail "
					 "call");
	if (!either(file, site, DW_AT_call_target, DW_AT_GNU_call_site_target,
		    &attribute) ||
	    attribute.class != ATTRIBUTE_BLOCK)
		return unknown("the debug information of the caller does not "
			       "say which function was called");
	TRY(location_number(caller, attribute.block, &number));
	return begins_at(file, function, (uint64_t)number.bits - bias)
		       ? NULL
		       : unknown("the function was reached by a tail call");
}

/* ---- tail calls ---------------------------------------------------------- */

/* Find the DIE that has the code of a called function. False: the code is not
 * in this file. */
static bool find_code(struct debugfile *file, const struct die *called,
		      struct die *out)
{
	struct function_list list = {0};
	struct range_list ranges = {0};
	const char *name;
	bool found;

	die_ranges(file, called, &ranges);
	found = ranges.count > 0;
	vec_free(&ranges);
	if (found) {
		*out = *called;
		return true;
	}
	name = die_linkage_name(file, called);
	if (!name)
		return false;
	error_destroy(debugfile_find_functions(file, name, &list));
	for (size_t i = 0; i < list.count && !found; i++)
		found = function_at(file, list.data[i].address, out) &&
			is_same_function(file, out, called);
	vec_free(&list);
	return found;
}

/* Follow the tail calls that `first` makes, then those that their targets make,
 * and so on. False: a tail call leads to `first` again, the target of a tail
 * call is not known, or there are too many functions. */
static bool follow_tail_calls(struct debugfile *file, const struct die *first)
{
	uint64_t found[MAX_FUNCTIONS] = {first->offset};
	unsigned count = 1;

	for (unsigned at = 0; at < count; at++) {
		struct function_sites *sites;
		struct die function;

		if (!read_die(file, found[at], &function))
			return false;
		sites = sites_of(file, &function);
		for (size_t i = 0; i < sites->tail_calls.count; i++) {
			struct die site, called, code;
			unsigned known = 0;

			if (!read_die(file, sites->tail_calls.data[i], &site) ||
			    !called_die(file, &site, &called) ||
			    is_same_function(file, &called, first))
				return false;
			if (!find_code(file, &called, &code))
				continue;
			while (known < count && found[known] != code.offset)
				known++;
			if (known < count)
				continue;
			if (count == MAX_FUNCTIONS)
				return false;
			found[count++] = code.offset;
		}
	}
	return true;
}

/* Could a chain of tail calls lead from the function back to itself? */
static bool is_tail_called(struct debugfile *file, const struct die *function)
{
	struct function_sites *sites = sites_of(file, function);

	if (sites->verdict == NOT_ASKED)
		sites->verdict = follow_tail_calls(file, function)
					 ? CALLED_ONLY
					 : TAIL_CALLED;
	return sites->verdict == TAIL_CALLED;
}

/* ---- what was passed ----------------------------------------------------- */

/* Find the register that an expression names. False: the expression is not just
 * a register. */
static bool register_of(struct bytes expression, uint64_t *number)
{
	struct cursor cursor = cursor_at(expression, 0);
	unsigned opcode = cursor_u8(&cursor);

	if (opcode >= DW_OP_reg0 && opcode <= DW_OP_reg31) {
		*number = opcode - DW_OP_reg0;
	} else if (opcode == DW_OP_regx) {
		*number = cursor_uleb(&cursor);
	} else if (opcode == DW_OP_regval_type ||
		   opcode == DW_OP_GNU_regval_type) {
		*number = cursor_uleb(&cursor);
		cursor_uleb(&cursor); /* skip the type */
	} else {
		return false;
	}
	return !cursor.failed && !cursor_left(&cursor);
}

/* What the tool looks for in the caller's call site: the value that the caller
 * passed in a register, or the value for a parameter that the compiler has
 * removed from the function. */
struct asked {
	bool in_register;
	uint64_t number;    /* DWARF number of the register */
	uint64_t parameter; /* else: offset of the parameter's DIE */
};

static bool is_asked(struct debugfile *file, const struct die *passed,
		     const struct asked *asked)
{
	struct attribute location;
	struct die parameter;
	uint64_t number;

	if (asked->in_register)
		return die_attribute(file, passed, DW_AT_location, &location) &&
		       location.class == ATTRIBUTE_BLOCK &&
		       register_of(location.block, &number) &&
		       number == asked->number;
	return (die_reference(file, passed, DW_AT_call_parameter, &parameter) ||
		die_reference(file, passed, DW_AT_abstract_origin,
			      &parameter)) &&
	       parameter.offset == asked->parameter;
}

/* Find the expression that the call site has for the value that is asked for.
 * False: it has none. */
static bool find_passed(struct debugfile *file, const struct die *site,
			const struct asked *asked, struct attribute *out)
{
	struct die_walk walk;

	die_walk_init(&walk, file, site);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if ((die_tag(&walk.die) == DW_TAG_call_site_parameter ||
		     die_tag(&walk.die) == DW_TAG_GNU_call_site_parameter) &&
		    is_asked(file, &walk.die, asked))
			return either(file, &walk.die, DW_AT_call_value,
				      DW_AT_GNU_call_site_value, out) &&
			       out->class == ATTRIBUTE_BLOCK;
	}
	return false;
}

static struct error *ask(const struct location_context *context,
			 const struct asked *asked, struct number *out)
{
	struct debugfile *file = context->file;
	struct location_context outer = *context;
	struct frame_reader reader = *context->reader;
	struct user_regs_struct regs;
	struct die function, caller, site;
	struct attribute value;
	uint64_t address;
	bool is_list;

	if (!location_enter(&outer))
		return unknown(
			"perftool would have to look at too many callers");
	if (context->function)
		function = *context->function;
	else if (!function_at(file, context->address, &function))
		return unknown("the function is not known");
	TRY(debugfile_unwind(file, context->reader, &regs));
	address = regs.rip - reader.bias;
	if (!file_is_code(file, address - 1) ||
	    !find_site(file, address, &site, &caller))
		return unknown("the debug information of the caller does not "
			       "say what was passed");
	/* rip is the return address. Use an address in the call instruction
	 * instead, because the code behind the call may belong to another scope
	 * or function. */
	regs.rip--;
	reader.regs = &regs;
	/* A call does not preserve the vector registers. */
	reader.read_vectors = NULL;
	outer.reader = &reader;
	outer.unit = caller.unit;
	outer.address = address - 1;
	outer.function = &caller;
	outer.in_frame_base = false;
	location_list_of(file, &caller, DW_AT_frame_base, address - 1,
			 &outer.frame_base, &is_list);
	TRY(check_target(&outer, &site, address, &function));
	if (is_tail_called(file, &function))
		return unknown(
			"the function may have been reached by a tail call");
	if (!find_passed(file, &site, asked, &value))
		return unknown("the debug information of the caller does not "
			       "say what was passed");
	return location_number(&outer, value.block, out);
}

struct error *entry_value_find(const struct location_context *context,
			       struct bytes entry, struct number *out)
{
	struct asked asked = {.in_register = true};

	if (!register_of(entry, &asked.number))
		return unknown("the description of that value is of a kind "
			       "that is not supported");
	return ask(context, &asked, out);
}

struct error *entry_value_of_parameter(const struct location_context *context,
				       uint64_t die, struct number *out)
{
	struct asked asked = {.parameter = die};

	return ask(context, &asked, out);
}
