/*
 * value_text.c - the value of an expression that is a scalar or a function, as
 * text
 */
#include <inttypes.h>
#include <string.h>

#include "label.h"
#include "perftool/debuginfo/debug_variables.h"

struct error *find_referred(const struct bound_expr *bound,
			    const struct expr_input *input, uint64_t *address)
{
	struct bound_expr first = *bound;
	union number number;

	first.code.count = bound->referred;
	TRY(code_run(&first, input, &number));
	*address = number.u;
	return NULL;
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
	case FORM_CALLER:
		caller_print(bound, printer->input, number->u, printer->out);
		break;
	case FORM_VALUE:
		format_scalar(printer, bound->type, number, top);
		break;
	}
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

struct error *format_referred(const struct printer *printer,
			      const struct bound_expr *bound,
			      const struct expr_input *input, bool top)
{
	uint64_t address;

	TRY(find_referred(bound, input, &address));
	if (top)
		str_printf(printer->out, "(%s) ",
			   debugtype_name(bound->reference));
	format_reference(printer, address);
	str_append(printer->out, ": ");
	return NULL;
}

struct error *format_value(const struct printer *printer,
			   const struct bound_expr *bound,
			   const struct expr_input *input, bool top)
{
	union number number;

	if (bound->reference)
		TRY(format_referred(printer, bound, input, top));
	if (bound->form == FORM_CALLER)
		TRY(caller_run(bound, input, &number));
	else
		TRY(code_run(bound, input, &number));
	if (type_is_scalar(bound->type)) {
		print_number(printer, bound, &number, top);
		return NULL;
	}
	if (top)
		str_printf(printer->out, "{%s} ",
			   debugtype_name(bound->type.of));
	format_address(printer, number.u);
	return NULL;
}
