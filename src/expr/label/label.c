/*
 * label.c - the label that a value has as a row of a table
 *
 * A string is read only as far as the label shows it, and never beyond the page
 * that has its final zero, because the next page may not be mapped.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "label.h"
#include "perftool/debuginfo/frame_rules.h"

#define MOST 256

static bool is_character(struct type type)
{
	return type_is_integer(type) && type.class == TYPE_INTEGER &&
	       type.size == 1;
}

static bool is_string(struct type type)
{
	return type.pointers == 1 && is_character(type_pointed(type));
}

static bool is_array_of_characters(struct type type)
{
	return type_kind(type) == DEBUGTYPE_ARRAY &&
	       is_character(type_from_program(debugtype_target(type.of)));
}

bool bound_expr_is_number(const struct bound_expr *bound)
{
	struct type type = bound->type;

	return type_is_integer(type) && type.class == TYPE_INTEGER &&
	       type.size > 1 && !type_is_enumeration(type) &&
	       !type_is_wide(type) &&
	       type_origin(type) != DEBUGTYPE_CHARACTER &&
	       bound->form == FORM_VALUE;
}

bool bound_expr_is_string(const struct bound_expr *bound)
{
	return bound->is_text || is_string(bound->type) ||
	       is_array_of_characters(bound->type);
}

/*
 * Write as much of the string as fits. "..." at the end says that there is
 * more.
 */
static void write_string(const uint8_t *string, size_t length, bool whole,
			 char *buffer, size_t size)
{
	size_t last = 0; /* the length that leaves room for "..." */
	struct str shown = {0};

	for (size_t at = 0; at < length;) {
		at += print_character(&shown, string + at, length - at, '\0');
		if (shown.length >= size) {
			whole = false;
			break;
		}
		if (shown.length + 4 <= size)
			last = shown.length;
	}
	if (whole)
		snprintf(buffer, size, "%s", str_text(&shown));
	else
		snprintf(buffer, size, "%.*s...", (int)last, str_text(&shown));
	str_deinit(&shown);
}

/*
 * Write the string at `address` as the label. The string has at most `most`
 * bytes; if it has exactly `most` bytes, it needs no final zero.
 */
static struct error *label_string(const struct expr_input *input,
				  uint64_t address, size_t most, char *buffer,
				  size_t size)
{
	size_t wanted = size < MOST ? size : MOST, length;
	uint8_t string[MOST];

	if (!address) {
		snprintf(buffer, size, "NULL");
		return NULL;
	}
	if (wanted > most)
		wanted = most;
	if (!memory_read_string(&input->reader, address, wanted, string,
				&length))
		return error_create(ERROR_EVALUATE,
				    "cannot read the string at 0x%" PRIx64,
				    address);
	write_string(string, length, length < wanted || length == most, buffer,
		     size);
	return NULL;
}

/* Write the string of an object, such as std::string, that knows the length of
 * its string. */
static struct error *label_text(const struct bound_expr *bound,
				const struct expr_input *input, char *buffer,
				size_t size)
{
	size_t wanted = size < MOST ? size : MOST;
	uint64_t pointer = 0, length = 0;
	uint8_t string[MOST];
	union number number;

	TRY(code_run(bound, input, &number));
	if (!text_object_read(&bound->text, &input->reader, number.u, &pointer,
			      &length))
		return error_create(ERROR_EVALUATE,
				    "cannot read the string at 0x%" PRIx64,
				    number.u);
	if (wanted > length)
		wanted = (size_t)length;
	if (wanted && !frame_read(&input->reader, pointer, string, wanted))
		return error_create(ERROR_EVALUATE,
				    "cannot read the string at 0x%" PRIx64,
				    pointer);
	write_string(string, wanted, wanted == length, buffer, size);
	return NULL;
}

static void write_short(const struct str *text, char *buffer, size_t size)
{
	if (text->length < size)
		snprintf(buffer, size, "%s", str_text(text));
	else
		snprintf(buffer, size, "%.*s...", (int)size - 4,
			 str_text(text));
}

/* Write the value as gdb's `print` writes it; of an array write the address. */
static struct error *label_value(const struct bound_expr *bound,
				 const struct expr_input *input, char *buffer,
				 size_t size)
{
	struct str text = {0};
	struct printer printer = {
		.file = bound->file,
		.address = bound->address,
		.language = bound->language,
		.input = input,
		.out = &text,
	};
	struct error *error = NULL;
	struct value value;

	TRY(bound_expr_require_label(bound));
	if (type_is_pointer(bound->type) || !type_is_scalar(bound->type)) {
		TRY(bound_expr_evaluate(bound, input, &value));
		if (!value.u) {
			snprintf(buffer, size, "NULL");
			return NULL;
		}
	}
	if (type_kind(bound->type) == DEBUGTYPE_ARRAY)
		str_printf(&text, "0x%" PRIx64, value.u);
	else
		error = format_value(&printer, bound, input, false);
	if (!error)
		write_short(&text, buffer, size);
	str_deinit(&text);
	return error;
}

static struct error *write_label(const struct bound_expr *bound,
				 const struct expr_input *input, char *buffer,
				 size_t size)
{
	struct type type = bound->type;
	struct str name = {0};
	struct value value;
	union number number;

	if (bound->is_text)
		return label_text(bound, input, buffer, size);
	if (bound->form == FORM_CALLER) {
		TRY(caller_run(bound, input, &number));
		bound_expr_label_of(bound, input, value_unsigned(number.u),
				    buffer, size);
		return NULL;
	}
	if (!is_string(type) && !is_array_of_characters(type) &&
	    !type_is_enumeration(type))
		return label_value(bound, input, buffer, size);
	TRY(bound_expr_evaluate(bound, input, &value));
	if (is_string(type))
		return label_string(input, value.u, SIZE_MAX, buffer, size);
	if (is_array_of_characters(type))
		return label_string(input, value.u, debugtype_size(type.of),
				    buffer, size);
	number.u = value.u;
	print_enumeration(type.of, &number, false, &name);
	snprintf(buffer, size, "%s", str_text(&name));
	str_deinit(&name);
	return NULL;
}

/* Is the value a pointer that is printed with its string? */
static bool points_to_characters(const struct bound_expr *bound)
{
	struct type pointed = type_pointed(bound->type);

	return is_string(bound->type) ||
	       print_is_character(bound->language, pointed);
}

bool bound_expr_label_is_of_value(const struct bound_expr *bound)
{
	struct type type = bound->type;

	if (bound->is_text || bound->reference || bound->form == FORM_FLAGS)
		return false;
	if (type_kind(type) == DEBUGTYPE_ARRAY)
		return !is_array_of_characters(type);
	return type_is_pointer(type)
		       ? !points_to_characters(bound)
		       : type_is_integer(type) && !type_is_wide(type);
}

size_t bound_expr_text_size(const struct bound_expr *bound)
{
	if (bound->is_text || bound->form == FORM_CALLER)
		return 0;
	if (is_string(bound->type))
		return SIZE_MAX;
	return is_array_of_characters(bound->type)
		       ? debugtype_size(bound->type.of)
		       : 0;
}

struct error *bound_expr_label_of_text(const struct bound_expr *bound,
				       const struct expr_input *input,
				       uint64_t address, char *buffer,
				       size_t size)
{
	return label_string(input, address, bound_expr_text_size(bound), buffer,
			    size);
}

void bound_expr_label_of(const struct bound_expr *bound,
			 const struct expr_input *input, struct value value,
			 char *buffer, size_t size)
{
	union number number = {.u = value.u};
	struct str text = {0};

	if (bound->form == FORM_CALLER)
		caller_print(bound, input, value.u, &text);
	else if (!type_is_integer(bound->type) && !value.u)
		str_append(&text, "NULL");
	else if (!type_is_scalar(bound->type)) /* an array: its address */
		str_printf(&text, "0x%" PRIx64, value.u);
	else if (type_is_enumeration(bound->type))
		print_enumeration(bound->type.of, &number, false, &text);
	else
		print_of_number(bound, input, &number, &text);
	write_short(&text, buffer, size);
	str_deinit(&text);
}

struct error *bound_expr_label(const struct bound_expr *bound,
			       const struct expr_input *input, char *buffer,
			       size_t size)
{
	struct expr_input own = *input;
	struct scratch scratch;

	/* the scratch must exist until the string in it has been read */
	if (!own.reader.scratch) {
		scratch.used = 0;
		own.reader.scratch = &scratch;
	}
	return write_label(bound, &own, buffer, size);
}
