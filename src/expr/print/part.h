/*
 * part.h - a part of a value that is being written: a member or an element, or
 * the whole
 */
#ifndef EXPR_PART_H
#define EXPR_PART_H

#include "printer.h"

/* The type of the part, its address, and its bytes as far as they are known. */
struct part {
	struct debugtype *type;
	struct bits bits;
	const uint8_t *bytes;
	const bool
		*missing; /* which of the bytes are optimized out; NULL: none */
	size_t size;      /* number of `bytes` */
	uint64_t address;
};

/* The part of `whole` that begins `offset` bytes behind its beginning, with the
 * type `type`. */
struct part part_of(const struct part *whole, struct debugtype *type,
		    uint64_t offset);

/* Is any of the first `size` bytes of the part missing? */
bool part_is_missing(const struct part *part, size_t size);

/* Write the part, which is inside of `depth` other structures or arrays. */
void part_append(const struct printer *printer, const struct part *part,
		 int depth);

/* Write the value at an address. False: it cannot be read. */
bool append_at(const struct printer *printer, struct debugtype *type,
	       uint64_t address, int depth);

/*
 * member_pointer.c: write a pointer to a member of a class. False: the part is
 * no pointer to a member.
 */
bool member_pointer_append(const struct printer *printer,
			   const struct part *part);

/* rust_value.c: write a structure, tuple, enumeration or slice of Rust. */
void rust_append(const struct printer *printer, const struct part *part,
		 int depth);

#endif
