/*
 * printer.c - the value of an expression as a whole, as gdb writes it; see
 * print.h
 */
#include <inttypes.h>
#include <string.h>

#include "printer.h"

/* Find the address that a reference refers to. */
static struct error *find_referred(const struct bound_expr *bound,
				   const struct expr_input *input,
				   uint64_t *address)
{
	struct bound_expr first = *bound;
	union number number;

	first.code.count = bound->referred;
	TRY(code_run(&first, input, &number));
	*address = number.u;
	return NULL;
}

/* The type of the value; an array of variable length has its present length. */
static struct debugtype *type_now(const struct bound_expr *bound,
				  const struct expr_input *input)
{
	const struct instruction *only = &bound->code.data[0];

	/* the last CODE_SIZE computed the size of this element */
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

static void print_member(const struct printer *printer,
			 const struct instruction *at)
{
	const char *name = at->node->children[0]->text;

	for (const char *next; (next = strstr(name, "::"));)
		name = next + 2;
	str_printf(printer->out, "&%s::%s",
		   debugtype_name(debugtype_plain(at->from.of)), name);
}

static void print_number(const struct printer *printer,
			 const struct bound_expr *bound,
			 const union number *number, bool top)
{
	static const char *const code[] = {[LANGUAGE_C] = "(void (*)()) ",
					   [LANGUAGE_C_PLUS_PLUS] =
						   "(void (*)(void)) ",
					   [LANGUAGE_RUST] = "(*mut fn ()) "};

	switch ((enum form)bound->form) {
	case FORM_CODE:
		if (top)
			str_append(printer->out, code[printer->language]);
		format_address(printer, number->u);
		break;
	case FORM_STACK:
		if (top)
			str_append(printer->out,
				   printer->language == LANGUAGE_RUST
					   ? "(*mut ()) "
					   : "(void *) ");
		str_printf(printer->out, "0x%" PRIx64, number->u);
		break;
	case FORM_MEMBER:
		print_member(printer, &bound->code.data[0]);
		break;
	case FORM_FLAGS:
		format_flags(printer->out, number->u);
		break;
	case FORM_VALUE:
		format_scalar(printer, bound->type, number, top);
		break;
	}
}

/* Write `...` for a value that has members, and whether it is in memory. */
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
	uint64_t address;

	if (printer->brief && !type_is_scalar(bound->type)) {
		print_brief(printer, bound, input);
		return NULL;
	}
	if (bound->reference) {
		TRY(find_referred(bound, input, &address));
		if (top)
			str_printf(printer->out, "(%s) ",
				   debugtype_name(bound->reference));
		format_reference(printer, address);
		str_append(printer->out, ": ");
	}
	TRY(code_run(bound, input, &number));
	if (type_is_scalar(bound->type)) {
		print_number(printer, bound, &number, top);
		return NULL;
	}
	if (type_kind(bound->type) != DEBUGTYPE_FUNCTION)
		return format_object(printer, type, number.u);
	if (top)
		str_printf(printer->out, "{%s} ", debugtype_name(type));
	format_address(printer, number.u);
	return NULL;
}

void print_of_number(const struct bound_expr *bound,
		     const struct expr_input *input, const union number *number,
		     struct str *out)
{
	struct printer printer = {
		.file = bound->file,
		.address = bound->address,
		.language = bound->language,
		.input = input,
		.out = out,
	};

	print_number(&printer, bound, number, false);
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
