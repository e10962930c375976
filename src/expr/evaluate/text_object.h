/*
 * text_object.h - objects that are strings: C++'s std::string, Rust's &str ...
 */
#ifndef EXPR_TEXT_OBJECT_H
#define EXPR_TEXT_OBJECT_H

#include "perftool/debuginfo.h"
#include "perftool/debugtype.h"

/* Where in such an object its two words are. */
struct text_object {
	uint32_t pointer; /* to the first byte */
	uint32_t length;  /* in bytes, without a zero */
};

/* False: it is no such type. */
bool text_object_of(struct debugtype *type, struct text_object *out);

/* Read the two words; false: they cannot be read. */
bool text_object_read(const struct text_object *object,
		      const struct frame_reader *reader, uint64_t address,
		      uint64_t *pointer, uint64_t *length);

#endif
