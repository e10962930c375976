/*
 * format_object.c - structures, unions and arrays, member by member; and what
 * is printed on the whole
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "perftool/base/alloc.h"
#include "text.h"

/* Structures within structures, as in gdb; a broken file may have no end. */
#define MAX_DEPTH 20

/* More is not read for one print, as in gdb. */
#define MAX_SIZE 65536

/* A part of a value: what it is, where, and its bytes as far as they are known.
 */
struct part {
	struct debugtype *type;
	struct bits bits;
	const uint8_t *bytes;
	size_t size; /* of `bytes` */
	uint64_t address;
};

static void append_part(const struct printer *printer, const struct part *part,
			int depth);

static bool is_missing(const struct part *part, size_t size)
{
	return part->size < size;
}

/* A part that begins `offset` bytes behind the beginning of another. */
static struct part part_of(const struct part *whole, struct debugtype *type,
			   uint64_t offset)
{
	struct part part = {.type = type, .address = whole->address + offset};

	if (offset <= whole->size) {
		part.bytes = whole->bytes + offset;
		part.size = whole->size - offset;
	}
	return part;
}

/* ---- structures ------------------------------------------------------------
 */

static bool was_written(const struct printer *printer,
			const struct virtual_base *base)
{
	const struct virtual_bases *written = printer->written;

	for (size_t i = 0; i < written->count; i++)
		if (written->data[i].type == base->type &&
		    written->data[i].address == base->address)
			return true;
	return false;
}

/* Where the virtual base is that is member number `index`: the object knows.
 * False: another base has it, too, and it was written there. */
static bool take_virtual(const struct printer *printer,
			 const struct part *whole,
			 const struct debugmember *member, size_t index,
			 struct virtual_base *base)
{
	uint64_t offset = 0;

	error_destroy(debugtype_virtual_offset(
		whole->type, index, printer->reader, whole->address, &offset));
	*base = (struct virtual_base){member->type, whole->address + offset};
	if (was_written(printer, base))
		return false;
	vec_push(printer->written, *base);
	return true;
}

/* It may be in none of the bytes at hand. */
static void append_virtual(const struct printer *printer,
			   const struct virtual_base *base, int depth)
{
	uint64_t size = debugtype_size(base->type);
	struct part part = {.type = base->type,
			    .size = (size_t)size,
			    .address = base->address};
	uint8_t *bytes = size > MAX_SIZE ? NULL : xmalloc(size + 1);

	part.bytes = bytes;
	str_printf(printer->out, "<%s> = ", debugtype_name(base->type));
	if (bytes && frame_read(printer->reader, part.address, bytes, size))
		append_part(printer, &part, depth);
	else
		str_append(printer->out, "<invalid address>");
	free(bytes);
}

static void append_member(const struct printer *printer,
			  const struct part *whole,
			  const struct debugmember *member, int depth)
{
	struct part part = part_of(whole, member->type, member->offset);

	part.bits = (struct bits){member->bit_offset, member->bit_size};
	if (member->is_base)
		str_printf(printer->out,
			   "<%s> = ", debugtype_name(member->type));
	else if (member->name)
		str_printf(printer->out, "%s = ", member->name);
	append_part(printer, &part, depth);
}

static void append_members(const struct printer *printer,
			   const struct part *part, int depth)
{
	const struct debugmember *members;
	const char *separator = "";
	struct virtual_base base;
	size_t count;

	members = debugtype_members(part->type, &count);
	str_append_char(printer->out, '{');
	if (!count)
		str_append(printer->out, "<No data fields>");
	for (size_t i = 0; i < count; i++) {
		if (members[i].is_virtual &&
		    !take_virtual(printer, part, &members[i], i, &base))
			continue;
		str_append(printer->out, separator);
		separator = ", ";
		if (members[i].is_virtual)
			append_virtual(printer, &base, depth + 1);
		else
			append_member(printer, part, &members[i], depth + 1);
	}
	str_append_char(printer->out, '}');
}

/* ---- arrays ----------------------------------------------------------------
 */

static void append_text(const struct printer *printer, const struct part *part,
			struct type element, uint64_t count)
{
	struct text text = {
		.bytes = part->bytes,
		.count = (size_t)count,
		.width = element.size,
		.prefix = element.of ? text_prefix(debugtype_name(element.of))
				     : "",
	};
	uint32_t last = 0;

	/* the zero that ends the longest string is not shown */
	memcpy(&last, text.bytes + (count - 1) * text.width, text.width);
	if (!last)
		text.count--;
	text_append(printer->out, &text, false);
}

static void append_elements(const struct printer *printer,
			    const struct part *part, uint64_t count, int depth)
{
	struct debugtype *element = debugtype_target(part->type);
	size_t size = (size_t)debugtype_size(element), shown = 0, run;

	str_append_char(printer->out, '{');
	for (size_t i = 0; i < count; i += run) {
		struct part one = part_of(part, element, i * size);

		if (shown >= TEXT_MOST) {
			str_append(printer->out, "...");
			break;
		}
		if (i)
			str_append(printer->out, ", ");
		for (run = 1;
		     i + run < count &&
		     memcmp(one.bytes, one.bytes + run * size, size) == 0;)
			run++;
		append_part(printer, &one, depth + 1);
		if (run > TEXT_REPEATS) {
			str_printf(printer->out, " <repeats %zu times>", run);
			shown += TEXT_REPEATS;
		} else {
			run = 1;
			shown++;
		}
	}
	str_append_char(printer->out, '}');
}

static void append_array(const struct printer *printer, const struct part *part,
			 int depth)
{
	struct type element = type_from_program(debugtype_target(part->type));
	bool characters = format_is_character(printer, element);
	uint64_t size = type_size(element), count;

	if (!debugtype_count(part->type, &count) || !count || !size) {
		/* of no known length: where it is */
		str_printf(printer->out, "0x%" PRIx64, part->address);
		if (characters && element.size == 1) {
			str_append_char(printer->out, ' ');
			format_string(printer, part->address);
		}
		return;
	}
	if (count > part->size / size)
		str_append(printer->out, "<optimized out>");
	else if (characters)
		append_text(printer, part, element, count);
	else
		append_elements(printer, part, count, depth);
}

/* ---- all -------------------------------------------------------------------
 */

static void append_wide_integer(struct str *out, const uint8_t *bytes,
				bool is_unsigned)
{
	unsigned __int128 value;
	char digits[40], *at = digits + sizeof(digits);
	bool negative;

	memcpy(&value, bytes, sizeof(value));
	negative = !is_unsigned && (value >> 127);
	if (negative)
		value = -value;
	*--at = '\0';
	do
		*--at = (char)('0' + (int)(value % 10));
	while (value /= 10);
	str_printf(out, "%s%s", negative ? "-" : "", at);
}

static void append_other(const struct printer *printer, const struct part *part)
{
	const char *name = debugtype_name(part->type);

	if (debugtype_size(part->type) == 16 && part->size >= 16 &&
	    strstr(name, "int128"))
		append_wide_integer(printer->out, part->bytes,
				    strstr(name, "unsigned"));
	else
		str_append(printer->out, "{...}");
}

static void append_reference(const struct printer *printer,
			     const struct part *part)
{
	uint64_t address = 0;

	if (is_missing(part, sizeof(address))) {
		str_append(printer->out, "<optimized out>");
		return;
	}
	memcpy(&address, part->bytes, sizeof(address));
	str_printf(printer->out, "@0x%" PRIx64, address);
}

static void append_scalar(const struct printer *printer,
			  const struct part *part, struct type type)
{
	size_t size = part->bits.size ? bits_bytes(&part->bits)
				      : (size_t)type_size(type);
	union number number;

	if (is_missing(part, size)) {
		str_append(printer->out, "<optimized out>");
		return;
	}
	number_from_memory(&number, type, &part->bits, part->bytes);
	format_scalar(printer, type, &number, false);
}

static void append_part(const struct printer *printer, const struct part *part,
			int depth)
{
	struct type type = type_from_program(part->type);

	if (depth > MAX_DEPTH) {
		str_append(printer->out, "{...}");
		return;
	}
	if (type_is_scalar(type)) {
		append_scalar(printer, part, type);
		return;
	}
	switch (type_kind(type)) {
	case DEBUGTYPE_STRUCT:
	case DEBUGTYPE_UNION:
		append_members(printer, part, depth);
		return;
	case DEBUGTYPE_ARRAY:
		append_array(printer, part, depth);
		return;
	case DEBUGTYPE_REFERENCE:
		append_reference(printer, part);
		return;
	default:
		append_other(printer, part);
		return;
	}
}

void format_object(const struct printer *printer, struct debugtype *type,
		   const uint8_t *bytes, size_t size, uint64_t address)
{
	struct part part = {
		.type = type, .bytes = bytes, .size = size, .address = address};

	append_part(printer, &part, 0);
}

static struct error *print_object(const struct printer *printer,
				  struct debugtype *type, uint64_t address)
{
	CLEANUP(free_pointer) uint8_t *bytes = NULL;
	uint64_t size = debugtype_size(type);

	if (debugtype_kind(type) == DEBUGTYPE_FUNCTION) {
		str_printf(printer->out, "0x%" PRIx64, address);
		return NULL;
	}
	if (size > MAX_SIZE)
		return error_create(ERROR_EVALUATE,
				    "column 1: %" PRIu64 " bytes are too much "
				    "to print; one element, or member, is not",
				    size);
	bytes = xmalloc(size + 1);
	if (size && !frame_read(printer->reader, address, bytes, size))
		return error_create(ERROR_EVALUATE,
				    scratch_has(address)
					    ? "column 1: partly optimized out"
					    : "column 1: cannot read memory at "
					      "0x%" PRIx64,
				    address);
	format_object(printer, type, bytes, size, address);
	return NULL;
}

struct error *bound_expr_print(const struct bound_expr *bound,
			       const struct expr_input *input, struct str *out)
{
	struct expr_input own = *input;
	struct virtual_bases written = {0};
	struct error *error = NULL;
	struct printer printer = {
		.file = bound->file,
		.language = bound->language,
		.reader = &own.reader,
		.out = out,
		.written = &written,
	};
	struct scratch scratch;
	union number number;

	if (!own.reader.scratch) {
		scratch.used = 0;
		own.reader.scratch = &scratch;
	}
	TRY(code_run(bound, &own, &number));
	if (type_is_scalar(bound->type))
		format_scalar(&printer, bound->type, &number, true);
	else
		error = print_object(&printer, bound->type.of, number.u);
	vec_free(&written);
	return error;
}
