/*
 * signature_reader.h - the reader of a signature's text, shared by three
 * files: words (signature_words.c), types (signature_types.c), names
 * (signature.c)
 */
#ifndef PERFTOOL_DEBUGINFO_SIGNATURE_READER_H
#define PERFTOOL_DEBUGINFO_SIGNATURE_READER_H

#include <string.h>

#include "signature.h"

#define ANONYMOUS "(anonymous namespace)"

struct reader {
	const char *start, *at;
	struct str *out;
	int depth; /* nesting depth of templates */
};

/* Is the byte part of a word? Bytes beyond ASCII count as letters, because
 * Rust allows them in names. */
bool is_word(char c);
size_t word_length(const char *text);

static inline bool is_name(const char *word, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(word, name, length) == 0;
}

static inline void skip_blanks(struct reader *reader)
{
	while (*reader->at == ' ' || *reader->at == '\t')
		reader->at++;
}

/* These functions are in signature_types.c. */
/* Skip `__cxx11::` in `std::__cxx11::`. False: the reader is not at such an
 * inline namespace. */
bool skip_inline_scope(struct reader *reader, size_t length);
/* Copy the next byte as it is. */
void append_one(struct reader *reader);
/* Read `{...}`, as in the names of lambdas and of types without a name. */
void read_braces(struct reader *reader);
/* Read a type, up to a comma or to `close`, the end of the list that it is
 * in. */
void read_type(struct reader *reader, char close);
/* Read types separated by commas, to the end of the list. The opening bracket
 * has been read. */
void read_list(struct reader *reader, char close);
/* The template that a name in std stands for, and its argument. NULL: the name
 * is not such a name. */
const char *std_template(const struct reader *reader, size_t length,
			 const char **argument);
/* Read what follows the word `operator`, as in `operator new[]` and `operator
 * unsigned long`. */
void read_operator_word(struct reader *reader);

#endif
