/*
 * rust_value.c - structures, tuples, enumerations and slices, as gdb writes
 * those of Rust
 */
#include "part.h"
#include "perftool/debuginfo/frame_rules.h"

/* The debug information has this name for the first member of a tuple. */
#define FIRST_OF_TUPLE "__0"

static bool is_tuple_like(const struct debugmember *members, size_t count)
{
	return count && members[0].name &&
	       str_equal(members[0].name, FIRST_OF_TUPLE);
}

/* Write the members: `(1, 2)` or `{x: 1, y: 2}`. */
static void append_members(const struct printer *printer,
			   const struct part *part, int depth)
{
	const struct debugmember *members;
	size_t count;
	bool tuple;

	members = debugtype_members(part->type, &count);
	tuple = is_tuple_like(members, count);
	str_append_char(printer->out, tuple ? '(' : '{');
	for (size_t i = 0; i < count; i++) {
		struct part member =
			part_of(part, members[i].type, members[i].offset);

		if (i)
			str_append(printer->out, ", ");
		if (!tuple && members[i].name)
			str_printf(printer->out, "%s: ", members[i].name);
		part_append(printer, &member, depth + 1);
	}
	str_append_char(printer->out, tuple ? ')' : '}');
}

static void append_variant(const struct printer *printer,
			   const struct part *part, int depth)
{
	const struct debugvariant *variants;
	struct part variant;
	size_t count, index;

	variants = debugtype_variants(part->type, &count);
	if (!debugtype_active_variant(part->type, &printer->input->reader,
				      part->address, &index)) {
		str_append(printer->out,
			   part_is_missing(part, debugtype_size(part->type))
				   ? "<optimized out>"
				   : "<none of its variants>");
		return;
	}
	variant = part_of(part, variants[index].member.type,
			  variants[index].member.offset);
	str_append(printer->out, debugtype_name(variant.type));
	debugtype_members(variant.type, &count);
	if (count)
		append_members(printer, &variant, depth);
}

/* Write a slice, `&[u16] [2, 3]`, which is a pointer and a length. */
static bool append_slice(const struct printer *printer, const struct part *part,
			 int depth)
{
	struct debugmember data, length;
	uint64_t pointer, count, size;
	const char *name = debugtype_name(part->type);
	const struct frame_reader *reader = &printer->input->reader;
	struct debugtype *element;

	if (!str_starts(name, "&[") && !str_starts(name, "&mut ["))
		return false;
	if (!debugtype_find_member(part->type, "data_ptr", &data) ||
	    !debugtype_find_member(part->type, "length", &length) ||
	    !frame_read(reader, part->address + data.offset, &pointer,
			sizeof(pointer)) ||
	    !frame_read(reader, part->address + length.offset, &count,
			sizeof(count)))
		return false;
	element = debugtype_target(data.type);
	size = element ? debugtype_size(element) : 0;
	str_printf(printer->out, "%s [", name);
	for (uint64_t i = 0; i < count && size; i++) {
		if (i)
			str_append(printer->out, ", ");
		if (i == TEXT_MOST) {
			str_append(printer->out, "...");
			break;
		}
		if (!append_at(printer, element, pointer + i * size,
			       depth + 1)) {
			str_append(printer->out,
				   "<error: Cannot access memory>");
			break;
		}
	}
	str_append_char(printer->out, ']');
	return true;
}

void rust_append(const struct printer *printer, const struct part *part,
		 int depth)
{
	const char *name = debugtype_name(part->type);
	size_t count;

	debugtype_variants(part->type, &count);
	if (count) {
		append_variant(printer, part, depth);
		return;
	}
	if (append_slice(printer, part, depth))
		return;
	debugtype_members(part->type, &count);
	if (*name != '(') {
		str_append(printer->out, name);
		if (!count)
			return;
		str_append_char(printer->out, ' ');
	}
	append_members(printer, part, depth);
}
