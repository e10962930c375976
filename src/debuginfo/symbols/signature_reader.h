/*
 * signature_reader.h - what takes the text of a signature apart: its words
 * (signature_words.c), its types (signature_types.c), its names (signature.c)
 */
#ifndef PERFTOOL_DEBUGINFO_SIGNATURE_READER_H
#define PERFTOOL_DEBUGINFO_SIGNATURE_READER_H

#include <string.h>

#include "signature.h"

#define ANONYMOUS "(anonymous namespace)"

struct reader {
	const char *start, *at;
	struct str *out;
	int depth; /* of templates within templates */
};

/* Bytes beyond ASCII are letters, of Rust at least. */
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

/* signature_types.c */
/* Skip `__cxx11::` of `std::__cxx11::`. */
bool skip_inline_scope(struct reader *reader, size_t length);
/* The next byte, as it is. */
void append_one(struct reader *reader);
/* In `{...}`, of lambdas and of types without a name. */
void read_braces(struct reader *reader);
/* A type, up to a comma or the end of the list that it is in. */
void read_type(struct reader *reader, char close);
/* Types with commas between them, to the end of the list, whose beginning has
 * been read. */
void read_list(struct reader *reader, char close);
/* The template that a name of std's stands for; NULL: it is another name. */
const char *std_template(const struct reader *reader, size_t length,
			 const char **argument);
/* `operator new[]`, `operator unsigned long`: `operator` has been read. */
void read_operator_word(struct reader *reader);

#endif
