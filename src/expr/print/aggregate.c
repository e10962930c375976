/*
 * aggregate.c - structures, unions and arrays, member by member
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "part.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"

/*
 * How many levels of structures are written, as in gdb. A broken file may nest
 * structures without end.
 */
#define MAX_DEPTH 20

/* The largest value that is printed, as in gdb. */
#define MAX_SIZE 65536

/* All bytes of a value. */
struct whole {
	uint8_t *bytes;
	bool *missing;
};

bool part_is_missing(const struct part *part, size_t size)
{
	if (part->size < size)
		return true;
	for (size_t i = 0; part->missing && i < size; i++)
		if (part->missing[i])
			return true;
	return false;
}

/* Are all bytes of the part missing? */
static bool is_gone(const struct part *part, size_t size)
{
	if (!size || (part->size >= size && !part->missing))
		return false;
	for (size_t i = 0; i < size && i < part->size; i++)
		if (!part->missing || !part->missing[i])
			return false;
	return true;
}

struct part part_of(const struct part *whole, struct debugtype *type,
		    uint64_t offset)
{
	struct part part = {.type = type, .address = whole->address + offset};

	if (offset <= whole->size) {
		part.bytes = whole->bytes + offset;
		part.size = whole->size - offset;
		if (whole->missing)
			part.missing = whole->missing + offset;
	}
	return part;
}

static void whole_deinit(struct whole *whole)
{
	free(whole->bytes);
	free(whole->missing);
}

/* Read a value. A value that is not in memory as a whole is in the scratch;
 * some of its bytes may be missing there, because they are optimized out. */
static bool whole_read(const struct printer *printer, uint64_t address,
		       uint64_t size, struct whole *whole)
{
	const struct frame_reader *reader = &printer->input->reader;

	*whole = (struct whole){0};
	if (size > MAX_SIZE)
		return false;
	whole->bytes = xcalloc(1, (size_t)size + 1);
	if (!size || frame_read(reader, address, whole->bytes, (size_t)size))
		return true;
	if (!scratch_has(address))
		return false;
	whole->missing = xcalloc(size, sizeof(*whole->missing));
	for (size_t i = 0; i < size; i++)
		whole->missing[i] =
			!frame_read(reader, address + i, whole->bytes + i, 1);
	return true;
}

bool append_at(const struct printer *printer, struct debugtype *type,
	       uint64_t address, int depth)
{
	struct whole whole;
	bool known = whole_read(printer, address, debugtype_size(type), &whole);
	struct part part = {.type = type,
			    .bytes = whole.bytes,
			    .missing = whole.missing,
			    .size = (size_t)debugtype_size(type),
			    .address = address};

	if (known)
		part_append(printer, &part, depth);
	whole_deinit(&whole);
	return known;
}

/* ---- structures ---- */

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

/*
 * Find the virtual base that is member number `index`; the object says where
 * the base is. False: the base was already written as part of another base
 * class.
 */
static bool take_virtual(const struct printer *printer,
			 const struct part *whole,
			 const struct debugmember *member, size_t index,
			 struct virtual_base *base)
{
	uint64_t offset = 0;

	error_destroy(debugtype_virtual_offset(whole->type, index,
					       &printer->input->reader,
					       whole->address, &offset));
	*base = (struct virtual_base){member->type, whole->address + offset};
	if (was_written(printer, base))
		return false;
	vec_push(printer->written, *base);
	return true;
}

/* Write a virtual base, which need not be among the bytes of the object. */
static void append_virtual(const struct printer *printer,
			   const struct virtual_base *base, int depth)
{
	str_printf(printer->out, "<%s> = ", debugtype_name(base->type));
	if (!append_at(printer, base->type, base->address, depth))
		str_append(printer->out, "<invalid address>");
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
	part_append(printer, &part, depth);
}

static bool was_seen(const struct printer *printer, struct debugtype *type)
{
	const struct debugtypes_seen *seen = printer->seen;

	for (size_t i = 0; i < seen->count; i++)
		if (seen->data[i] == type)
			return true;
	return false;
}

/* Write a static member, which is a variable of its own. */
static void append_static(const struct printer *printer,
			  struct debugtype *class, const char *name, int depth)
{
	CLEANUP(free_pointer)
	char *whole = xasprintf("%s::%s", debugtype_name(class), name);
	struct variable *variable = NULL;
	struct debugtype *type;
	struct error *error;
	uint64_t address;
	bool known = false;

	str_printf(printer->out, "static %s = ", name);
	error = debugfile_find_variable(printer->file, printer->address, false,
					whole, &variable);
	if (!error)
		error = variable_address(variable, &printer->input->reader,
					 &address);
	if (!error) {
		type = debugtype_plain(variable_debugtype(variable));
		if (debugtype_kind(type) == DEBUGTYPE_STRUCT &&
		    was_seen(printer, type)) {
			str_append(printer->out, "<same as static member of an "
						 "already seen type>");
			known = true;
		} else {
			vec_push(printer->seen, type);
			known = append_at(printer, variable_debugtype(variable),
					  address, depth);
		}
	}
	if (!known)
		str_append(printer->out, "<optimized out>");
	error_destroy(error);
	variable_destroy(variable);
}

static void append_members(const struct printer *printer,
			   const struct part *part, int depth)
{
	struct debugtype *class = debugtype_plain(part->type);
	size_t count, static_count, next = 0;
	const struct debugstatic *statics;
	const struct debugmember *members;
	const char *separator = "";
	struct virtual_base base;

	members = debugtype_members(class, &count);
	statics = debugtype_statics(class, &static_count);
	str_append_char(printer->out, '{');
	if (!count && !static_count)
		str_append(printer->out, "<No data fields>");
	for (size_t i = 0; i <= count; i++) {
		while (next < static_count && statics[next].before == i) {
			str_append(printer->out, separator);
			separator = ", ";
			append_static(printer, class, statics[next++].name,
				      depth + 1);
		}
		if (i == count ||
		    (members[i].is_virtual &&
		     !take_virtual(printer, part, &members[i], i, &base)))
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

/* ---- arrays ---- */

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

	/* a string that fills the array ends with a zero, which is not shown */
	memcpy(&last, text.bytes + (count - 1) * text.width, text.width);
	if (!last)
		text.count--;
	text_append(printer->out, &text, false);
}

/* Has the element that is `run` elements behind `one` the same bytes? */
static bool is_repeated(const struct part *one, size_t run, size_t size)
{
	return memcmp(one->bytes, one->bytes + run * size, size) == 0 &&
	       (!one->missing ||
		memcmp(one->missing, one->missing + run * size, size) == 0);
}

static void append_elements(const struct printer *printer,
			    const struct part *part, uint64_t count, int depth)
{
	struct debugtype *element = debugtype_target(part->type);
	size_t size = (size_t)debugtype_size(element), shown = 0, run;
	bool rust = printer->language == LANGUAGE_RUST;

	str_append_char(printer->out, rust ? '[' : '{');
	for (size_t i = 0; i < count; i += run) {
		struct part one = part_of(part, element, i * size);

		if (shown >= TEXT_MOST) {
			str_append(printer->out, "...");
			break;
		}
		if (i)
			str_append(printer->out, ", ");
		for (run = 1; i + run < count && is_repeated(&one, run, size);)
			run++;
		part_append(printer, &one, depth + 1);
		if (run > TEXT_REPEATS) {
			str_printf(printer->out, " <repeats %zu times>", run);
			shown += TEXT_REPEATS;
		} else {
			run = 1;
			shown++;
		}
	}
	str_append_char(printer->out, rust ? ']' : '}');
}

static void append_array(const struct printer *printer, const struct part *part,
			 int depth)
{
	struct type element = type_from_program(debugtype_target(part->type));
	bool characters = print_is_character(printer->language, element);
	uint64_t size = type_size(element), count;

	if (!debugtype_count(part->type, &count) || !count || !size) {
		/* the length is not known: only the address is written */
		format_address(printer, part->address);
		if (characters && element.size == 1) {
			str_append_char(printer->out, ' ');
			format_string(printer, part->address, 1, "");
		}
		return;
	}
	if (count > part->size / size)
		str_append(printer->out, "<optimized out>");
	else if (characters && !part_is_missing(part, (size_t)(count * size)))
		append_text(printer, part, element, count);
	else
		append_elements(printer, part, count, depth);
}

/* Write an object that is a string, like std::string or &str. */
static bool append_text_object(const struct printer *printer,
			       const struct part *part)
{
	struct text_object object;
	uint64_t pointer, length;
	struct text text = {.width = 1, .prefix = ""};
	uint8_t bytes[TEXT_MOST];

	if (!text_object_of(part->type, &object) ||
	    !text_object_read(&object, &printer->input->reader, part->address,
			      &pointer, &length))
		return false;
	text.bytes = bytes;
	text.count = length < TEXT_MOST ? (size_t)length : TEXT_MOST;
	/*
	 * an object that is not constructed yet, or no longer, is written with
	 * its members
	 */
	if (text.count &&
	    !frame_read(&printer->input->reader, pointer, bytes, text.count))
		return false;
	text_append(printer->out, &text, length > text.count);
	return true;
}

/* ---- values of any type ---- */

/* Is the part a complex number, of two floats, doubles or long doubles? */
static bool is_complex(const struct part *part)
{
	uint64_t size = debugtype_size(part->type);

	return strstr(debugtype_name(debugtype_plain(part->type)), "omplex") &&
	       (size == 8 || size == 16 || size == 32) &&
	       !part_is_missing(part, (size_t)size);
}

static void append_other(const struct printer *printer, const struct part *part)
{
	const char *name = debugtype_name(part->type);

	if (str_equal(name, "()")) /* the empty type of Rust */
		str_append(printer->out, name);
	else if (is_complex(part))
		format_complex(printer->out, part->bytes,
			       (uint8_t)(debugtype_size(part->type) / 2));
	else if (!member_pointer_append(printer, part))
		str_append(printer->out, "{...}");
}

static void append_reference(const struct printer *printer,
			     const struct part *part)
{
	uint64_t address = 0;

	if (part_is_missing(part, sizeof(address))) {
		str_append(printer->out, "<optimized out>");
		return;
	}
	memcpy(&address, part->bytes, sizeof(address));
	format_reference(printer, address);
}

static void append_scalar(const struct printer *printer,
			  const struct part *part, struct type type)
{
	size_t size = part->bits.size ? bits_bytes(&part->bits)
				      : (size_t)type_size(type);
	union number number;

	if (part_is_missing(part, size)) {
		str_append(printer->out, "<optimized out>");
		return;
	}
	number_from_memory(&number, type, &part->bits, part->bytes);
	format_scalar(printer, type, &number, false);
}

void part_append(const struct printer *printer, const struct part *part,
		 int depth)
{
	struct type type = type_from_program(part->type);

	if (depth > MAX_DEPTH) {
		str_append(printer->out, "{...}");
		return;
	}
	/* the outermost value is always written with its members */
	if (depth && is_gone(part, (size_t)debugtype_size(part->type))) {
		str_append(printer->out, "<optimized out>");
		return;
	}
	if (type_is_scalar(type)) {
		append_scalar(printer, part, type);
		return;
	}
	switch (type_kind(type)) {
	case DEBUGTYPE_STRUCT:
		if (append_text_object(printer, part))
			return;
		if (printer->language == LANGUAGE_RUST) {
			rust_append(printer, part, depth);
			return;
		}
		append_members(printer, part, depth);
		return;
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

struct error *format_object(const struct printer *printer,
			    struct debugtype *type, uint64_t address)
{
	uint64_t size = debugtype_size(type);

	if (size > MAX_SIZE)
		return error_create(ERROR_EVALUATE,
				    "column 1: %" PRIu64
				    " bytes are too much to print; print one "
				    "element or member",
				    size);
	if (append_at(printer, type, address, 0))
		return NULL;
	return error_create(ERROR_EVALUATE,
			    "column 1: cannot read memory at 0x%" PRIx64,
			    address);
}
