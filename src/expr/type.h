/*
 * type.h - C's types as far as expressions know them, and C's rules for them
 *
 * Integers of 8 to 64 bits with a sign, _Bool, floating types, and pointers to
 * these. The rules are those of C17 6.3 (conversions) for x86-64 Linux: int
 * has 32 bits, long 64, plain char is signed. A long double is computed with
 * as a double; only its size in memory differs.
 */
#ifndef EXPR_TYPE_H
#define EXPR_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "lexer.h"
#include "perftool/base/error.h"

enum type_class {
	TYPE_INTEGER,
	TYPE_BOOL,
	TYPE_FLOAT,
	TYPE_VOID,    /* only pointed to */
	TYPE_UNKNOWN, /* only pointed to: a type of the program */
};

struct type {
	uint8_t class; /* enum type_class; of what is pointed to, if a pointer
			*/
	uint8_t size;  /* bytes; as above */
	bool is_signed;
	uint8_t pointers; /* how many `*` */
};

extern const struct type type_int, type_unsigned, type_long, type_unsigned_long,
	type_float, type_double, type_void_pointer, type_unknown_pointer;

static inline bool type_is_pointer(struct type type)
{
	return type.pointers > 0;
}

static inline bool type_is_float(struct type type)
{
	return !type.pointers && type.class == TYPE_FLOAT;
}

static inline bool type_is_integer(struct type type)
{
	return !type.pointers && type.class <= TYPE_BOOL;
}

/* Are two types the same as far as values go (float and double are not)? */
static inline bool type_equal(struct type a, struct type b)
{
	return a.class == b.class && a.size == b.size &&
	       a.is_signed == b.is_signed && a.pointers == b.pointers;
}

/* Bytes of a value of the type; 0: not known. */
unsigned type_size(struct type type);

/* What a pointer points to. */
struct type type_pointed(struct type pointer);

/* The integer promotions (C17 6.3.1.1). */
struct type type_promote(struct type type);

/* The usual arithmetic conversions (C17 6.3.1.8) of two arithmetic types. */
struct type type_common(struct type a, struct type b);

/* "unsigned long", "char *": for messages. */
#define TYPE_NAME_SIZE 48
const char *type_name(struct type type, char buffer[static TYPE_NAME_SIZE]);

/* Does the current token begin the name of a type? */
bool type_begins(const struct lexer *lexer);

/*
 * Read a type's name, `unsigned long const *`, up to the first token that is
 * not part of it. ERROR_USAGE: no such type in C, or a type of the program.
 */
struct error *type_parse(struct lexer *lexer, struct type *out);

/* The type that `text` names, all of it; false when it is not one of C's. */
bool type_from_name(const char *text, struct type *out);

#endif
