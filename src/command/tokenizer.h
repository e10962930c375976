/*
 * tokenizer.h - a line, or the rest of one, as words
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
	TOKEN_COMMENTS = 1, /* `# ...` and `-- ...` end the line */
	TOKEN_OUTPUT = 2,   /* `> FILE` */
	TOKEN_INPUT = 4,    /* `< FILE` */
	/* Quotes go wherever they are, as in a shell. Without this they go only
	 * around a whole word: in `value=c=='x'` they are the expression's. */
	TOKEN_SHELL = 8,
	/* Words are names of functions, as C++ and Rust write them: blanks
	 * inside <> do not part them, nor those of `f(int) const', `operator
	 * new' and `f [clone .cold]'. */
	TOKEN_NAMES = 16,
};

struct tokens {
	struct words words;
	char *input, *output; /* of the redirections, or NULL */
};
void tokens_deinit(struct tokens *tokens);

/* Blanks inside parentheses do not part words, but for TOKEN_SHELL. */
struct error *tokenize(const char *text, unsigned flags, struct tokens *out);

/* Does a comment, or the end, start here? `first`: at a line's start, or after
 * a blank. */
bool token_is_comment(const char *text);

/* How much of `text` is left when a comment at its end, and blanks before it,
 * are taken off. Quotes hide the sign of a comment. */
size_t token_without_comment(const char *text);

/* Past blanks. */
const char *token_skip_blanks(const char *text);

#endif
