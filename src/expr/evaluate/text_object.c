/*
 * text_object.c - objects that are strings; see text_object.h
 *
 * Such an object is recognised by the names of its members: those of libstdc++,
 * and those of Rust's library. In the latter, the names of inner members change
 * from version to version, but not the order of what they contain.
 */
#include "text_object.h"

#include <string.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

/* How many levels of structures are searched. */
#define MAX_DEPTH 8

static bool is_word(struct debugtype *type)
{
	return debugtype_kind(type) == DEBUGTYPE_INTEGER &&
	       debugtype_size(type) == 8;
}

/* Is the type a pointer to one byte? */
static bool is_pointer(struct debugtype *type)
{
	return debugtype_kind(type) == DEBUGTYPE_POINTER &&
	       debugtype_size(debugtype_target(type)) == 1;
}

/* Find the two words of the object by the names of their members. */
static bool take(struct debugtype *type, const char *pointer,
		 const char *length, struct text_object *out)
{
	struct debugmember first, second;

	if (!debugtype_find_member(type, pointer, &first) ||
	    !debugtype_find_member(type, length, &second) ||
	    !is_pointer(first.type) || !is_word(second.type))
		return false;
	*out = (struct text_object){(uint32_t)first.offset,
				    (uint32_t)second.offset};
	return true;
}

/* Find the offset of the first pointer in objects of the type, at any depth. */
static bool find_pointer(struct debugtype *type, int depth, uint64_t *offset)
{
	const struct debugmember *members;
	size_t count;

	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && depth < MAX_DEPTH; i++) {
		*offset = 0;
		if (!is_pointer(members[i].type) &&
		    !find_pointer(members[i].type, depth + 1, offset))
			continue;
		*offset += members[i].offset;
		return true;
	}
	return false;
}

/* std::basic_string<char> */
static bool take_string(struct debugtype *type, struct text_object *out)
{
	struct debugmember data, pointer, length;

	if (!debugtype_find_member(type, "_M_dataplus", &data) ||
	    !debugtype_find_member(data.type, "_M_p", &pointer) ||
	    !debugtype_find_member(type, "_M_string_length", &length) ||
	    !is_pointer(pointer.type) || !is_word(length.type))
		return false;
	*out = (struct text_object){(uint32_t)(data.offset + pointer.offset),
				    (uint32_t)length.offset};
	return true;
}

/* alloc::string::String is a vector of bytes. */
static bool take_rust_string(struct debugtype *type, struct text_object *out)
{
	struct debugmember vector, buffer, length;
	uint64_t pointer;

	if (!str_equal(debugtype_name(debugtype_plain(type)),
		       "alloc::string::String") ||
	    !debugtype_find_member(type, "vec", &vector) ||
	    !debugtype_find_member(vector.type, "buf", &buffer) ||
	    !debugtype_find_member(vector.type, "len", &length) ||
	    !is_word(length.type) || !find_pointer(buffer.type, 0, &pointer))
		return false;
	*out = (struct text_object){
		(uint32_t)(vector.offset + buffer.offset + pointer),
		(uint32_t)(vector.offset + length.offset)};
	return true;
}

/*
 * Is the type &str, Box<str> or the like? Other types of Rust that consist of a
 * pointer and a length are slices.
 */
static bool is_str(struct debugtype *type)
{
	static const char *const before[] = {"&mut ", "&", "*const ", "*mut "};
	const char *name = debugtype_name(debugtype_plain(type));

	if (str_starts(name, "alloc::boxed::Box<str"))
		return true;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (str_starts(name, before[i]))
			return str_equal(name + strlen(before[i]), "str");
	return false;
}

bool text_object_of(struct debugtype *type, struct text_object *out)
{
	if (debugtype_kind(type) != DEBUGTYPE_STRUCT)
		return false;
	return (is_str(type) && take(type, "data_ptr", "length", out)) ||
	       take_rust_string(type, out) || take_string(type, out) ||
	       take(type, "_M_str", "_M_len", out);
}

bool text_object_read(const struct text_object *object,
		      const struct frame_reader *reader, uint64_t address,
		      uint64_t *pointer, uint64_t *length)
{
	return frame_read(reader, address + object->pointer, pointer,
			  sizeof(*pointer)) &&
	       frame_read(reader, address + object->length, length,
			  sizeof(*length));
}
