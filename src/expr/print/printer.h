/*
 * printer.h - what the files of the printer share: the state of one printout,
 * and the functions for each kind of value
 */
#ifndef EXPR_PRINTER_H
#define EXPR_PRINTER_H

#include "expr/evaluate/evaluate.h"
#include "expr/syntax/syntax.h"
#include "perftool/base/str.h"
#include "print.h"

/*
 * A virtual base that was written, and is not written again: several base
 * classes share it.
 */
struct virtual_base {
	struct debugtype *type;
	uint64_t address;
};
VEC_STRUCT(virtual_bases, struct virtual_base);

VEC_STRUCT(debugtypes_seen, struct debugtype *);

/* The state of one printout. */
struct printer {
	struct debugfile *file; /* NULL: names of functions are not known */
	uint64_t address;       /* the address of the place in the file */
	enum debugfile_language language;
	const struct expr_input *input;
	struct str *out;
	struct virtual_bases *written;
	/*
	 * classes whose static members were written, and are not written again
	 */
	struct debugtypes_seen *seen;
	bool brief; /* write `...` for a value that is no scalar */
};

/*
 * Write a scalar. `top`: it is the whole value and no part of another, so that
 * a pointer is preceded by its type.
 */
void format_scalar(const struct printer *printer, struct type type,
		   const union number *number, bool top);

/* Write a complex number of two floating numbers of `size` bytes: `1 + 2i`. */
void format_complex(struct str *out, const uint8_t *bytes, uint8_t size);

/* Write a value that is no scalar, and is at `address`. */
struct error *format_object(const struct printer *printer,
			    struct debugtype *type, uint64_t address);

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

#endif
