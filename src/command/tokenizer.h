/*
 * tokenizer.h - split a line, or the rest of a line, into words
 */
#ifndef COMMAND_TOKENIZER_H
#define COMMAND_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"

VEC_STRUCT(words, char *);
void words_deinit(struct words *words);

enum token_flags {
	/* a comment (`# ...` or `-- ...`) ends the line */
	TOKEN_COMMENTS = 1,
	TOKEN_OUTPUT = 2, /* `> FILE` is a redirection */
	TOKEN_INPUT = 4,  /* `< FILE` is a redirection */
	/* Are quotes removed wherever they stand, as a shell removes them?
	 * Without this flag the tokenizer removes only quotes around a whole
	 * word: in `value=c=='x'` the quotes belong to the expression. */
	TOKEN_SHELL = 8,
	/* Are words names of functions as C++ and Rust write them? Some blanks
	 * do not separate words then: blanks inside <>, and the blanks in
	 * `f(int) const', `operator new' and `f [clone .cold]'. */
	TOKEN_NAMES = 16,
};

struct tokens {
	struct words words;
	char *input, *output; /* the files of the redirections, or NULL */
};
void tokens_deinit(struct tokens *tokens);

/* Splits the text into words. Blanks inside parentheses do not separate words,
 * unless TOKEN_SHELL is set. Returns ERROR_USAGE for a quote that is not
 * closed, and for a wrong redirection. The caller frees `out` with
 * tokens_deinit(). */
struct error *tokenize(const char *text, unsigned flags, struct tokens *out);

/* Does a comment start at this text? The text must be at the beginning of a
 * line, or a blank must stand before it. */
bool token_is_comment(const char *text);

/* Returns the length of `text` without a comment at its end and without the
 * blanks before the comment. The sign of a comment (`#` or `--`) starts no
 * comment inside quotes. */
size_t token_without_comment(const char *text);

/* Returns the position of the first character that is no blank. */
const char *token_skip_blanks(const char *text);

#endif
