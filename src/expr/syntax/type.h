/*
 * type.h - the types of values: those of C, and those of the program
 *
 * Integers of 8 to 128 bits with or without sign, _Bool, floating types and
 * pointers are scalars. Structures, unions, arrays and functions are known to
 * the program only. The rules are those of C17 6.3 (conversions) for x86-64
 * Linux: int has 32 bits, long has 64, plain char is signed, and long double is
 * the x87's.
 */
#ifndef EXPR_TYPE_H
#define EXPR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/debugtype.h"

enum type_class {
	TYPE_INTEGER,
	TYPE_BOOL,
	TYPE_FLOAT,
	TYPE_VOID,    /* only behind pointers */
	TYPE_PROGRAM, /* anything else, for example a structure; `of` says what.
			 A value of the type is represented by its address. */
};

/*
 * Invariant: if the type comes from the program, `of` is the program's type,
 * which knows the name and whether it is a character or an enumeration. If the
 * type is one of C, as the results of most operators are, `of` is NULL.
 */
struct type {
	uint8_t class; /* enum type_class; of a pointer, that of the type at the
			  end of the chain of pointers */
	uint8_t size;  /* in bytes; of a pointer, that of the type at the end of
			  the chain; not used for TYPE_PROGRAM */
	bool is_signed;   /* of a pointer, that of the type at the end of the
			     chain */
	uint8_t pointers; /* how many `*` there are */
	struct debugtype *of;
};

extern const struct type type_int, type_unsigned, type_long, type_unsigned_long,
	type_bool, type_char, type_float, type_double, type_long_double,
	type_void_pointer;

#define TYPE_MAX_POINTERS 16

static inline bool type_is_pointer(struct type type)
{
	return type.pointers > 0;
}

static inline bool type_is_float(struct type type)
{
	return !type.pointers && type.class == TYPE_FLOAT;
}

static inline bool type_is_long_double(struct type type)
{
	return type_is_float(type) && type.size > 8;
}

static inline bool type_is_integer(struct type type)
{
	return !type.pointers && type.class <= TYPE_BOOL;
}

/* The kind of the program's type. DEBUGTYPE_VOID: the type is one of C. */
static inline enum debugtype_kind type_origin(struct type type)
{
	return type.of ? debugtype_kind(type.of) : DEBUGTYPE_VOID;
}

/* Is the type an integer of 128 bits? */
static inline bool type_is_wide(struct type type)
{
	return type_is_integer(type) && type.size > 8;
}

static inline bool type_is_enumeration(struct type type)
{
	return type_is_integer(type) && type_origin(type) == DEBUGTYPE_ENUM;
}

/* Is a value of the type a number or an address? */
static inline bool type_is_scalar(struct type type)
{
	return type.pointers || type.class <= TYPE_FLOAT;
}

/*
 * The kind of a type whose values are no scalars. DEBUGTYPE_VOID: the type is a
 * scalar.
 */
enum debugtype_kind type_kind(struct type type);

/* Do values of the two types have the same meaning? float and double do not. */
bool type_equal(struct type a, struct type b);

/* How many bytes a value of the type has; 0: not known. */
uint64_t type_size(struct type type);

/* The type that a pointer points to. */
struct type type_pointed(struct type pointer);

/*
 * The type of a pointer to the type. If the type is one of the program, the
 * pointer's type is created in `file`.
 */
struct type type_pointer_to(struct debugfile *file, struct type type);

/* The type of values of a type of the program. */
struct type type_from_program(struct debugtype *program);

/* The type after the integer promotions (C17 6.3.1.1). */
struct type type_promote(struct type type);

/*
 * The type that the usual arithmetic conversions (C17 6.3.1.8) give two
 * arithmetic types.
 */
struct type type_common(struct type a, struct type b);

/*
 * The name of the type for messages: "unsigned long", "char *", "struct point".
 */
#define TYPE_NAME_SIZE 128
const char *type_name(struct type type, char buffer[static TYPE_NAME_SIZE]);

#endif
