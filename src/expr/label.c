/* label.c - what a value is called as a row of a table */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code.h"
#include "format.h"
#include "perftool/base/alloc.h"
#include "text.h"

/* Of a string no more is read than a row can show. */
#define MOST 256

static void append_string(const struct expr_input *input, uint64_t address,
			  size_t most, struct str *out)
{
	uint8_t bytes[MOST];
	size_t count, at = 0;

	count = format_read_string(&input->reader, address,
				   most < MOST ? most : MOST, bytes);
	while (at < count)
		at += text_append_bytes(out, bytes + at, count - at, '\0');
}

static bool is_character(struct type type)
{
	return type_is_integer(type) && type.class == TYPE_INTEGER &&
	       type.size == 1;
}

static struct error *append_label(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct str *out)
{
	struct type type = bound->type;
	union number number;
	struct value value;
	char text[32];
	uint8_t first;

	TRY(bound_expr_evaluate(bound, input, &value));
	number.u = value.u;
	if (type_kind(type) == DEBUGTYPE_ARRAY &&
	    is_character(type_from_program(debugtype_target(type.of)))) {
		append_string(input, value.u, debugtype_size(type.of), out);
	} else if (type_is_pointer(type) && !value.u) {
		str_append(out, "NULL");
	} else if (type.pointers == 1 && is_character(type_pointed(type))) {
		if (!frame_read(&input->reader, value.u, &first, 1))
			return error_create(ERROR_EVALUATE,
					    "column 1: cannot read memory at "
					    "0x%" PRIx64,
					    value.u);
		append_string(input, value.u, MOST, out);
	} else if (!type_is_scalar(type) || type_is_pointer(type)) {
		str_printf(out, "0x%" PRIx64, value.u);
	} else if (type.of && debugtype_kind(type.of) == DEBUGTYPE_ENUM) {
		format_enumeration(type.of, &number, out);
	} else {
		str_append(out, value_format(value, text));
	}
	return NULL;
}

struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size)
{
	struct expr_input own = *input;
	struct str label = {0};
	struct scratch scratch;
	struct error *error;

	/* it must last until the string in it has been read */
	if (!own.reader.scratch) {
		scratch.used = 0;
		own.reader.scratch = &scratch;
	}
	error = append_label(bound, &own, &label);
	if (!error)
		snprintf(buffer, size, "%s", str_text(&label));
	str_deinit(&label);
	return error;
}
