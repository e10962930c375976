/*
 * part.h - a part of a value that is being written
 */
#ifndef EXPR_PART_H
#define EXPR_PART_H

#include "printer.h"

/* What it is, where, and its bytes as far as they are known. */
struct part {
	struct debugtype *type;
	struct bits bits;
	const uint8_t *bytes;
	const bool *missing; /* which of them are optimized out; NULL: none */
	size_t size;         /* of `bytes` */
	uint64_t address;
};

/* A part that begins `offset` bytes behind the beginning of another. */
struct part part_of(const struct part *whole, struct debugtype *type,
		    uint64_t offset);

/* Is one of the first `size` bytes missing? */
bool part_is_missing(const struct part *part, size_t size);

/* Write it; `depth` structures are around it. */
void part_append(const struct printer *printer, const struct part *part,
		 int depth);

/* What is at an address; false: it cannot be read. */
bool append_at(const struct printer *printer, struct debugtype *type,
	       uint64_t address, int depth);

/* A pointer to a member of a class; false: it is none. */
bool member_pointer_append(const struct printer *printer,
			   const struct part *part);

/* rust_value.c: a structure, tuple, enumeration or slice of Rust's. */
void rust_append(const struct printer *printer, const struct part *part,
		 int depth);

#endif
