/*
 * type.c - the types of values; see type.h
 */
#include "type.h"

#include <stdio.h>
#include <string.h>

#include "perftool/base/str.h"

const struct type type_int = {TYPE_INTEGER, 4, true, 0, NULL};
const struct type type_unsigned = {TYPE_INTEGER, 4, false, 0, NULL};
const struct type type_long = {TYPE_INTEGER, 8, true, 0, NULL};
const struct type type_unsigned_long = {TYPE_INTEGER, 8, false, 0, NULL};
const struct type type_bool = {TYPE_BOOL, 1, false, 0, NULL};
const struct type type_char = {TYPE_INTEGER, 1, true, 0, NULL};
const struct type type_float = {TYPE_FLOAT, 4, true, 0, NULL};
const struct type type_double = {TYPE_FLOAT, 8, true, 0, NULL};
const struct type type_long_double = {TYPE_FLOAT, 16, true, 0, NULL};
const struct type type_void_pointer = {TYPE_VOID, 0, false, 1, NULL};

enum debugtype_kind type_kind(struct type type)
{
	return type_is_scalar(type) ? DEBUGTYPE_VOID : type_origin(type);
}

/* The type at the end of a chain of pointers. */
static struct debugtype *end_of(struct type type)
{
	for (unsigned i = 0; i < type.pointers; i++)
		type.of = debugtype_target(type.of);
	return type.of;
}

bool type_equal(struct type a, struct type b)
{
	if (a.class != b.class || a.size != b.size ||
	    a.is_signed != b.is_signed || a.pointers != b.pointers)
		return false;
	return a.class != TYPE_PROGRAM ||
	       debugtype_is_same(end_of(a), end_of(b));
}

uint64_t type_size(struct type type)
{
	if (type_is_pointer(type))
		return 8;
	return type.class == TYPE_PROGRAM ? debugtype_size(type.of) : type.size;
}

/*
 * The type of numbers of a type of the program. Nothing can be computed with
 * numbers of other sizes.
 */
static struct type number(struct debugtype *program, enum type_class class)
{
	uint64_t size = debugtype_size(program);

	if (size == 1 || size == 2 || size == 4 || size == 8 ||
	    (class != TYPE_BOOL && size == 16))
		return (struct type){
			.class = (uint8_t) class,
			.size = (uint8_t)size,
			.is_signed = class == TYPE_FLOAT ||
				     debugtype_is_signed(program),
			.of = program,
		};
	return (struct type){.class = TYPE_PROGRAM, .of = program};
}

/* DWARF has no encoding for integers of 128 bits: their names tell. */
static bool is_wide_integer(struct debugtype *program)
{
	static const char *const words[] = {"int128", "_BitInt", "i128",
					    "u128"};
	const char *name = debugtype_name(debugtype_plain(program));

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return debugtype_size(program) == 16;
	return false;
}

static struct type scalar(struct debugtype *program)
{
	switch (debugtype_kind(program)) {
	case DEBUGTYPE_VOID:
		return (struct type){.class = TYPE_VOID, .of = program};
	case DEBUGTYPE_BOOL:
		return number(program, TYPE_BOOL);
	case DEBUGTYPE_FLOAT:
		return number(program, TYPE_FLOAT);
	case DEBUGTYPE_INTEGER:
	case DEBUGTYPE_CHARACTER:
	case DEBUGTYPE_ENUM:
		return number(program, TYPE_INTEGER);
	case DEBUGTYPE_OTHER:
		if (is_wide_integer(program))
			return number(program, TYPE_INTEGER);
		return (struct type){.class = TYPE_PROGRAM, .of = program};
	default:
		return (struct type){.class = TYPE_PROGRAM, .of = program};
	}
}

struct type type_from_program(struct debugtype *program)
{
	struct type type = {.class = TYPE_VOID};
	struct debugtype *end = program;
	uint8_t pointers = 0;

	while (debugtype_kind(end) == DEBUGTYPE_POINTER &&
	       pointers < TYPE_MAX_POINTERS) {
		pointers++;
		end = debugtype_target(end);
	}
	/*
	 * in a broken file, a pointer may point to itself: it then points to
	 * void
	 */
	if (debugtype_kind(end) != DEBUGTYPE_POINTER)
		type = scalar(end);
	type.pointers = pointers;
	if (pointers)
		type.of = program;
	return type;
}

struct type type_pointed(struct type pointer)
{
	if (pointer.of)
		return type_from_program(debugtype_target(pointer.of));
	pointer.pointers--;
	return pointer;
}

struct type type_pointer_to(struct debugfile *file, struct type type)
{
	if (type.of)
		type.of = debugfile_pointer_to(file, type.of);
	type.pointers++;
	return type;
}

struct type type_promote(struct type type)
{
	if (!type_is_integer(type))
		return type;
	if (type.size < 4)
		return type_int;
	type.of = NULL;
	return type;
}

struct type type_common(struct type a, struct type b)
{
	a.of = b.of = NULL;
	if (type_is_float(a) || type_is_float(b)) {
		if (!type_is_float(a))
			return b;
		if (!type_is_float(b))
			return a;
		return a.size >= b.size ? a : b;
	}
	a = type_promote(a);
	b = type_promote(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

static const char *base_name(struct type type)
{
	switch (type.class) {
	case TYPE_INTEGER:
		switch (type.size) {
		case 1:
			return type.is_signed ? "char" : "unsigned char";
		case 2:
			return type.is_signed ? "short" : "unsigned short";
		case 4:
			return type.is_signed ? "int" : "unsigned int";
		case 16:
			return type.is_signed ? "__int128"
					      : "unsigned __int128";
		default:
			return type.is_signed ? "long" : "unsigned long";
		}
	case TYPE_BOOL:
		return "_Bool";
	case TYPE_FLOAT:
		return type.size == 4   ? "float"
		       : type.size == 8 ? "double"
					: "long double";
	case TYPE_VOID:
		return "void";
	default:
		return "?";
	}
}

const char *type_name(struct type type, char buffer[static TYPE_NAME_SIZE])
{
	if (type.of)
		snprintf(buffer, TYPE_NAME_SIZE, "%s", debugtype_name(type.of));
	else
		snprintf(buffer, TYPE_NAME_SIZE, "%s%s%.*s", base_name(type),
			 type.pointers ? " " : "", type.pointers,
			 "****************");
	return buffer;
}
