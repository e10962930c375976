/*
 * label.h - values that are no structure and no array, as text: numbers,
 * pointers, enumerations, characters, strings
 *
 * This folder implements the labels of perftool/expr.h, which the rows of a
 * split table have. The text is that of gdb's `print`. The folder print, which
 * writes structures and arrays, uses the functions below for their parts.
 */
#ifndef EXPR_LABEL_H
#define EXPR_LABEL_H

#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/debug_variables.h"
#include "quotation.h"

struct virtual_bases;
struct debugtypes_seen;

/* The state of one printout. */
struct printer {
	struct debugfile *file; /* NULL: names of functions are not known */
	uint64_t address;       /* the address of the place in the file */
	enum debugfile_language language;
	const struct expr_input *input;
	struct str *out;
	/* for the folder print: see printer.h */
	struct virtual_bases *written;
	struct debugtypes_seen *seen;
	bool brief;
};

/*
 * Write a scalar. `top`: it is the whole value and no part of another, so that
 * a pointer is preceded by its type.
 */
void format_scalar(const struct printer *printer, struct type type,
		   const union number *number, bool top);

/* Write a complex number of two floating numbers of `size` bytes: `1 + 2i`. */
void format_complex(struct str *out, const uint8_t *bytes, uint8_t size);

/* Write an address: `0x401136 <main+4>`. */
void format_address(const struct printer *printer, uint64_t address);

/* Write the address of a C++ reference: `@0x7ffe0010`. */
void format_reference(const struct printer *printer, uint64_t address);

/* Write the flags of `$eflags`: `[ PF ZF ]`. */
void format_flags(struct str *out, uint64_t flags);

/*
 * Write the string at an address in quotes, or why it cannot be read. Each
 * character has `width` bytes.
 */
void format_string(const struct printer *printer, uint64_t address,
		   uint8_t width, const char *prefix);

/* Find the address that a reference of C++ refers to. */
struct error *find_referred(const struct bound_expr *bound,
			    const struct expr_input *input, uint64_t *address);

/* Write the address of a reference, as it precedes the value: `@0x7ffe0010: `.
 * If `top` is true, the type precedes the address. */
struct error *format_referred(const struct printer *printer,
			      const struct bound_expr *bound,
			      const struct expr_input *input, bool top);

/* Write the value of an expression that is a scalar or a function. */
struct error *format_value(const struct printer *printer,
			   const struct bound_expr *bound,
			   const struct expr_input *input, bool top);

/*
 * Append the text that the expression would have in a list of variables at a
 * hit at which its value, a scalar, is `number`.
 */
void print_of_number(const struct bound_expr *bound,
		     const struct expr_input *input, const union number *number,
		     struct str *out);

/*
 * Append the name of an enumerator, or `(A | B)` for flags, or else the number.
 * `scoped`: with the scopes that the names are in.
 */
void print_enumeration(struct debugtype *type, const union number *number,
		       bool scoped, struct str *out);

/* Are values of the type written as characters? */
bool print_is_character(enum debugfile_language language, struct type type);

#endif
