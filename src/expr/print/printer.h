/*
 * printer.h - declarations that the files of the printer share: what one
 * printout has written already, and format_object()
 */
#ifndef EXPR_PRINTER_H
#define EXPR_PRINTER_H

#include "expr/label/label.h"
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

/* Classes whose static members were written, and are not written again. */
VEC_STRUCT(debugtypes_seen, struct debugtype *);

/* The member `brief` of struct printer (label.h): write `...` for a value that
 * is no scalar. */

/* Write a value that is no scalar, and is at `address`. */
struct error *format_object(const struct printer *printer,
			    struct debugtype *type, uint64_t address);

#endif
