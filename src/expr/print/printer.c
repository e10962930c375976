/*
 * printer.c - the value of an expression as a whole, as gdb writes it; see
 * print.h
 */
#include <inttypes.h>
#include <string.h>

#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "printer.h"

/* The type of the value; an array of variable length has its present length. */
static struct debugtype *type_now(const struct bound_expr *bound,
				  const struct expr_input *input)
{
	const struct instruction *only = &bound->code.data[0];

	/* the last CODE_SIZE computes the size of the value, an element */
	for (size_t i = bound->code.count; bound->is_sized && i--;)
		if (bound->code.data[i].code == CODE_SIZE)
			return code_sized_type(&bound->code.data[i],
					       &input->reader);
	if (bound->code.count == 1 && only->code == CODE_ADDRESS &&
	    type_kind(bound->type) == DEBUGTYPE_ARRAY &&
	    bound->type.of == variable_debugtype(only->variable) && !only->file)
		return variable_current_type(only->variable, &input->reader);
	return bound->type.of;
}

/* Write `...` for a value that has members. If the value is that of a reference
 * to an object that is not in memory, say so first. */
static void print_brief(const struct printer *printer,
			const struct bound_expr *bound,
			const struct expr_input *input)
{
	struct error *error;
	uint64_t address;

	if (bound->reference) {
		error = find_referred(bound, input, &address);
		if (!error && scratch_has(address))
			format_reference(printer, address);
		error_destroy(error);
	}
	str_append(printer->out, "...");
}

static struct error *print_value(const struct printer *printer,
				 const struct bound_expr *bound,
				 const struct expr_input *input, bool top)
{
	struct debugtype *type = type_now(bound, input);
	union number number;

	if (printer->brief && !type_is_scalar(bound->type)) {
		print_brief(printer, bound, input);
		return NULL;
	}
	if (type_is_scalar(bound->type) ||
	    type_kind(bound->type) == DEBUGTYPE_FUNCTION)
		return format_value(printer, bound, input, top);
	if (bound->reference)
		TRY(format_referred(printer, bound, input, top));
	TRY(code_run(bound, input, &number));
	return format_object(printer, type, number.u);
}

static struct error *print(const struct bound_expr *bound,
			   const struct expr_input *input, bool top, bool brief,
			   struct str *out)
{
	struct expr_input own = *input;
	struct virtual_bases written = {0};
	struct debugtypes_seen seen = {0};
	struct str text = {0};
	struct printer printer = {
		.file = bound->file,
		.address = bound->address,
		.language = bound->language,
		.input = &own,
		.out = &text,
		.written = &written,
		.seen = &seen,
		.brief = brief,
	};
	struct scratch scratch;
	struct error *error;

	if (!own.reader.scratch) {
		scratch.used = 0;
		own.reader.scratch = &scratch;
	}
	error = print_value(&printer, bound, &own, top);
	vec_free(&written);
	vec_free(&seen);
	/* text that an error cuts short is not written */
	if (!error)
		str_append_n(out, str_text(&text), text.length);
	str_deinit(&text);
	return error;
}

struct error *bound_expr_print(const struct bound_expr *bound,
			       const struct expr_input *input, struct str *out)
{
	return print(bound, input, true, false, out);
}

struct error *bound_expr_print_plain(const struct bound_expr *bound,
				     const struct expr_input *input, bool brief,
				     struct str *out)
{
	return print(bound, input, false, brief, out);
}
