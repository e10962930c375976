/*
 * type.h - the types of values: C's own, and those of the program
 *
 * Integers of 8 to 128 bits with a sign, _Bool, floating types, pointers, and
 * what only the program knows: structures, unions, arrays, functions. The rules
 * are those of C17 6.3 (conversions) for x86-64 Linux: int has 32 bits, long
 * 64, plain char is signed, long double is the x87's.
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
	TYPE_VOID,    /* only pointed to */
	TYPE_PROGRAM, /* all else: `of` says what. A value is its address */
};

/*
 * Invariant: `of` is the type itself, as the program has it, of all that come
 * from the program: what it is called, and whether it is a character or an
 * enumeration. NULL of C's own, which results have.
 */
struct type {
	uint8_t class;    /* enum type_class; of a pointer, what it points to in
			     the end */
	uint8_t size;     /* bytes; as above; not of TYPE_PROGRAM */
	bool is_signed;   /* as above */
	uint8_t pointers; /* how many `*` */
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

/* Of what kind is the program's type? DEBUGTYPE_VOID: it is C's own. */
static inline enum debugtype_kind type_origin(struct type type)
{
	return type.of ? debugtype_kind(type.of) : DEBUGTYPE_VOID;
}

/* Of 128 bits. */
static inline bool type_is_wide(struct type type)
{
	return type_is_integer(type) && type.size > 8;
}

static inline bool type_is_enumeration(struct type type)
{
	return type_is_integer(type) && type_origin(type) == DEBUGTYPE_ENUM;
}

/* Is a value of it a number, or an address that is one? */
static inline bool type_is_scalar(struct type type)
{
	return type.pointers || type.class <= TYPE_FLOAT;
}

/* Of what kind is a value that is none? DEBUGTYPE_VOID: it is a scalar. */
enum debugtype_kind type_kind(struct type type);

/* Are two types the same as far as values go (float and double are not)? */
bool type_equal(struct type a, struct type b);

/* Bytes of a value of the type; 0: not known. */
uint64_t type_size(struct type type);

/* What a pointer points to. */
struct type type_pointed(struct type pointer);

/* The pointer to it; the type of the program is made in `file`. */
struct type type_pointer_to(struct debugfile *file, struct type type);

/* The type that a type of the program is here. */
struct type type_from_program(struct debugtype *program);

/* The integer promotions (C17 6.3.1.1). */
struct type type_promote(struct type type);

/* The usual arithmetic conversions (C17 6.3.1.8) of two arithmetic types. */
struct type type_common(struct type a, struct type b);

/* "unsigned long", "char *", "struct point": for messages. */
#define TYPE_NAME_SIZE 128
const char *type_name(struct type type, char buffer[static TYPE_NAME_SIZE]);

#endif
