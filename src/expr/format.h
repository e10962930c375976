/*
 * format.h - values as gdb's `print` writes them
 */
#ifndef EXPR_FORMAT_H
#define EXPR_FORMAT_H

#include "code.h"
#include "perftool/base/str.h"

/* Where one was that is not written again: several bases share it. */
struct virtual_base {
	struct debugtype *type;
	uint64_t address;
};
VEC_STRUCT(virtual_bases, struct virtual_base);

/* What is needed on the way. */
struct printer {
	struct debugfile *file; /* NULL: no names of functions */
	enum debugfile_language language;
	const struct frame_reader *reader;
	struct str *out;
	struct virtual_bases *written;
};

/* A value that is a number; `top`: by itself, not a part of another: then a
 * pointer says its type. */
void format_scalar(const struct printer *printer, struct type type,
		   const union number *number, bool top);

/* An enumerator's name, `(A | B)` of flags, else the number. */
void format_enumeration(struct debugtype *type, const union number *number,
			struct str *out);

/* What is no scalar: its `size` bytes, which are at `address`. */
void format_object(const struct printer *printer, struct debugtype *type,
		   const uint8_t *bytes, size_t size, uint64_t address);

/* A string of characters of 1 byte, in quotes, or why it cannot be read. */
void format_string(const struct printer *printer, uint64_t address);

/* Read up to `most` bytes or a zero, which is not counted. False: not even the
 * first can be read. */
bool format_read_string(const struct frame_reader *reader, uint64_t address,
			size_t most, uint8_t *bytes, size_t *length);

/* Is it one of the types of characters, which are written as such? */
bool format_is_character(const struct printer *printer, struct type type);

#endif
