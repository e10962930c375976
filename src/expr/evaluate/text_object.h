/*
 * text_object.h - objects that are strings: C++'s std::string, Rust's &str and
 * the like
 */
#ifndef EXPR_TEXT_OBJECT_H
#define EXPR_TEXT_OBJECT_H

#include "perftool/debuginfo.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debugtype.h"

/* The offsets of two words in such an object. */
struct text_object {
	uint32_t pointer; /* the word that points to the first byte */
	uint32_t length;  /* the word that holds the length, in bytes without a
			     final zero */
};

/* Find where objects of the type have the two words. False: objects of the type
 * are no strings. */
bool text_object_of(struct debugtype *type, struct text_object *out);

/* Read the two words of the object at `address`. False: they cannot be read. */
bool text_object_read(const struct text_object *object,
		      const struct frame_reader *reader, uint64_t address,
		      uint64_t *pointer, uint64_t *length);

#endif
