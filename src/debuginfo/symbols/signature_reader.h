/*
 * signature_reader.h - the reader that turns the text of a name into the one
 * spelling of signatures. Its code is in three files: words
 * (signature_words.c), types (signature_types.c), names (signature.c)
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
/* Skip an inline namespace of the C++ library, such as `__cxx11::` in
 * `std::__cxx11::`. `length` is the length of the word at the reader's
 * position. False: the word is not such a namespace. */
bool skip_inline_scope(struct reader *reader, size_t length);
/* Copy the next byte as it is. */
void append_one(struct reader *reader);
/* Read `{...}`, as in the names of lambdas and of types without a name. */
void read_braces(struct reader *reader);
/* Read a type, up to a comma or to `close`, which is the character that ends
 * the list around the type. */
void read_type(struct reader *reader, char close);
/* Read types separated by commas, up to and with `close`, which ends the list.
 * The caller has read the opening bracket. */
void read_list(struct reader *reader, char close);
/* If the word at the reader's position is a name in std that stands for an
 * instance of a template, as `string` stands for `basic_string<char>`, return
 * the template's name and set *argument. NULL: it is not such a name. */
const char *std_template(const struct reader *reader, size_t length,
			 const char **argument);
/* Read what follows the word `operator`, as in `operator new[]` and `operator
 * unsigned long`. */
void read_operator_word(struct reader *reader);

#endif
