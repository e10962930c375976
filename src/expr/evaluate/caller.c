/*
 * caller.c - finding and naming the function that has called the function of a
 * frame; see caller.h
 */
#include "caller.h"

#include <inttypes.h>
#include <string.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

/* Read the return address where the rule for the CFA says that it is. */
static bool read_by_rule(const struct cfa_rule *rule,
			 const struct frame_reader *reader, uint64_t *out)
{
	uint64_t base;

	return arch_dwarf_register(rule->reg, reader->regs, &base) &&
	       frame_read(reader, base + (uint64_t)rule->offset - sizeof(*out),
			  out, sizeof(*out));
}

struct error *caller_address(const struct bound_expr *bound,
			     const struct instruction *at,
			     const struct expr_input *input, uint64_t *out)
{
	struct user_regs_struct caller;

	if (at->caller.frame) {
		*out = bound->address + input->reader.bias;
		return NULL;
	}
	if (!input->reader.regs)
		return error_create(ERROR_EVALUATE,
				    "column %zu: there is no thread whose "
				    "caller could be read",
				    at->node->column);
	if (at->caller.has_cfa &&
	    read_by_rule(&at->caller.cfa, &input->reader, out))
		return NULL;
	if (at->caller.has_cfa || !bound->file)
		return error_create(ERROR_EVALUATE,
				    "column %zu: the return address of the "
				    "frame cannot be read",
				    at->node->column);
	TRY(debugfile_unwind(bound->file, &input->reader, &caller));
	*out = caller.rip;
	return NULL;
}

/* `name` becomes NULL if nobody can tell which function it is. */
static void find(const struct instruction *at, const struct expr_input *input,
		 uint64_t address, struct expr_caller *out)
{
	const struct expr_modules *modules = &input->modules;

	*out = (struct expr_caller){.function = address};
	if (modules->caller)
		modules->caller(modules->context, address, at->caller.frame,
				out);
}

void caller_function(const struct instruction *at,
		     const struct expr_input *input, union number *number)
{
	struct expr_caller caller;

	find(at, input, number->u, &caller);
	number->u = caller.function;
}

/* A name of C++ or Rust may be given with or without its scope. */
static bool is_named(const char *name, const char *wanted)
{
	size_t length = strlen(name), end = strlen(wanted);

	if (length < end || !str_equal(name + length - end, wanted))
		return false;
	return length == end ||
	       (length >= end + 2 &&
		strncmp(name + length - end - 2, "::", 2) == 0);
}

void caller_compare(const struct instruction *at,
		    const struct expr_input *input, union number *number)
{
	struct expr_caller caller;

	find(at, input, number->u, &caller);
	number->u = caller.name && is_named(caller.name, at->node->text);
}

struct error *caller_run(const struct bound_expr *bound,
			 const struct expr_input *input, union number *out)
{
	return caller_address(bound, &bound->code.data[0], input, &out->u);
}

void caller_print(const struct bound_expr *bound,
		  const struct expr_input *input, uint64_t address,
		  struct str *out)
{
	struct expr_caller caller;

	find(&bound->code.data[0], input, address, &caller);
	if (caller.name)
		str_append(out, caller.name);
	else
		str_printf(out, "0x%" PRIx64, address);
}

uint64_t bound_expr_calling(const struct bound_expr *bound,
			    const struct expr_modules *modules,
			    uint64_t address)
{
	const struct expr_input input = {.modules = *modules};
	struct expr_caller caller;

	find(&bound->code.data[0], &input, address, &caller);
	return caller.function;
}
