/*
 * printer.h - values as gdb's `print` writes them
 */
#ifndef EXPR_PRINTER_H
#define EXPR_PRINTER_H

#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"
#include "perftool/base/str.h"
#include "print.h"

/* Where one was that is not written again: several bases share it. */
struct virtual_base {
	struct debugtype *type;
	uint64_t address;
};
VEC_STRUCT(virtual_bases, struct virtual_base);

VEC_STRUCT(debugtypes_seen, struct debugtype *);

/* What is needed on the way. */
struct printer {
	struct debugfile *file; /* NULL: no names of functions */
	uint64_t address;       /* in it, of the place */
	enum debugfile_language language;
	const struct expr_input *input;
	struct str *out;
	struct virtual_bases *written;
	/* classes whose static members are not written again */
	struct debugtypes_seen *seen;
	bool brief; /* `...` for what is no scalar */
};

/* A value that is a number; `top`: by itself, not a part of another: then a
 * pointer says its type. */
void format_scalar(const struct printer *printer, struct type type,
		   const union number *number, bool top);

/* A complex number, of two of so many bytes: `1 + 2i`. */
void format_complex(struct str *out, const uint8_t *bytes, uint8_t size);

/* What is no scalar, and is at `address`. */
struct error *format_object(const struct printer *printer,
			    struct debugtype *type, uint64_t address);

/* 0x401136 <main+4> */
void format_address(const struct printer *printer, uint64_t address);

/* @0x7ffe0010, of a C++ reference. */
void format_reference(const struct printer *printer, uint64_t address);

/* [ PF ZF ] */
void format_flags(struct str *out, uint64_t flags);

/* A string of characters of `width` bytes, in quotes, or why it cannot be read.
 */
void format_string(const struct printer *printer, uint64_t address,
		   uint8_t width, const char *prefix);

#endif
