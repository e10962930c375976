/*
 * tokenizer.c - see tokenizer.h. The tokenizer works on characters. It does not
 * know which commands there are.
 */
#include "tokenizer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

void words_deinit(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->data[i]);
	vec_free(words);
}

void tokens_deinit(struct tokens *tokens)
{
	words_deinit(&tokens->words);
	free(tokens->input);
	free(tokens->output);
	*tokens = (struct tokens){0};
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c) != 0;
}

const char *token_skip_blanks(const char *text)
{
	while (is_blank(*text))
		text++;
	return text;
}

bool token_is_comment(const char *text)
{
	if (*text == '#')
		return true;
	return text[0] == '-' && text[1] == '-' &&
	       (text[2] == '\0' || is_blank(text[2]));
}

size_t token_without_comment(const char *text)
{
	size_t end = 0;
	bool after_blank = true;
	char quote = '\0';

	for (size_t i = 0; text[i]; i++) {
		char c = text[i];

		if (!quote && after_blank && token_is_comment(&text[i]))
			break;
		if (quote && c == '\\' && text[i + 1])
			i++;
		else if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		after_blank = !quote && is_blank(text[i]);
		if (!after_blank)
			end = i + 1;
	}
	return end;
}

static struct error *unclosed(char quote)
{
	return error_create(ERROR_USAGE, "the quote %c is not closed", quote);
}

/* Appends the quoted part of a word to the word, and moves `*text` from the
 * opening quote past the closing quote. `keep`: the quotes and backslashes stay
 * in the word. */
static struct error *quoted(const char **text, bool keep, struct str *word)
{
	const char *at = *text;
	char quote = *at++;

	if (keep)
		str_append_char(word, quote);
	for (; *at != quote; at++) {
		if (*at == '\0')
			return unclosed(quote);
		if (*at == '\\' && at[1] && (keep || quote == '"')) {
			/* Without `keep`, the tokenizer removes a backslash in
			 * double quotes only before a character that the
			 * backslash protects. All other backslashes stay, for
			 * the code that reads the word later. */
			if (keep || !strchr("\"\\$`", at[1]))
				str_append_char(word, *at);
			at++;
		}
		str_append_char(word, *at);
	}
	if (keep)
		str_append_char(word, quote);
	*text = at + 1;
	return NULL;
}

/* ---- names with blanks ----------------------------------------------------
 */

/* Returns the length of the template arguments that begin with the `<` at
 * `text`, including both brackets. `start` is the beginning of the word that
 * contains the `<`. Returns 0 if the `<` is an operator and no bracket. */
static size_t template_length(const char *start, const char *text)
{
	static const char operator[] = "operator";
	size_t depth = 0, before = (size_t)(text - start);

	if (memchr(start, '=', before) ||
	    (before >= strlen(operator) &&
	     str_starts(text - strlen(operator), operator)))
		return 0;
	for (const char *at = text; *at && !strchr("\"'", *at); at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && at[-1] != '-' && --depth == 0)
			return (size_t)(at - text) + 1;
	}
	return 0;
}

static bool ends_in(const struct str *word, const char *end)
{
	size_t length = strlen(end);

	return word->length >= length &&
	       str_equal(word->data + word->length - length, end);
}

/* Does the word in `word` end in the text `end`, so that `end` is a whole word
 * of a name there? */
static bool ends_in_word(const struct str *word, const char *end)
{
	size_t before = word->length - strlen(end);

	if (!ends_in(word, end))
		return false;
	return before == 0 ||
	       !(isalnum((unsigned char)word->data[before - 1]) ||
		 word->data[before - 1] == '_');
}

/* Does the text after a blank still belong to the function name in `word`?
 * `next` is the text after the blank. */
static bool goes_on(const struct str *word, const char *next)
{
	if (*next == '\0')
		return false;
	if (ends_in_word(word, "operator") || ends_in(word, "[clone"))
		return true;
	if (str_starts(next, "[clone "))
		return true;
	if (ends_in_word(word, "operator<") || ends_in_word(word, "operator<<"))
		return *next == '<' || *next == '(';
	return ends_in(word, ")") &&
	       (str_starts(next, "const") || str_starts(next, "volatile") ||
		*next == '&');
}

/* ---- words --------------------------------------------------------------- */

/* Appends one word, which ends at a blank or at a redirection, and moves
 * `*text` past it. */
static struct error *read_word(const char **text, unsigned flags,
			       struct str *word)
{
	const char *at = *text, *start = at;
	bool shell = flags & TOKEN_SHELL;
	size_t depth = 0;

	for (; *at && (depth > 0 || !is_blank(*at));) {
		if (!depth && *at == '>' && (flags & TOKEN_OUTPUT))
			break;
		if (!depth && *at == '<' && (flags & TOKEN_INPUT))
			break;
		if (*at == '"' || *at == '\'') {
			TRY(quoted(&at, !shell && at != start, word));
			continue;
		}
		if (*at == '<' && (flags & TOKEN_NAMES) &&
		    template_length(start, at)) {
			size_t length = template_length(start, at);

			str_append_n(word, at, length);
			at += length;
			continue;
		}
		if (*at == '\\' && at[1] && shell)
			at++;
		else if (!shell && *at == '(')
			depth++;
		else if (!shell && *at == ')' && depth > 0)
			depth--;
		str_append_char(word, *at++);
	}
	*text = at;
	return NULL;
}

/* Appends the name of a function, which may consist of several words, with one
 * blank between two words. Moves `*text` past the name. */
static struct error *read_name(const char **text, unsigned flags,
			       struct str *word)
{
	TRY(read_word(text, flags, word));
	while ((flags & TOKEN_NAMES) && is_blank(**text) &&
	       goes_on(word, token_skip_blanks(*text))) {
		*text = token_skip_blanks(*text);
		str_append_char(word, ' ');
		TRY(read_word(text, flags, word));
	}
	return NULL;
}

/* Reads a redirection, `> FILE` or `< FILE`, from its sign at `*text`. */
static struct error *redirection(const char **text, unsigned flags,
				 struct str *word, char **target)
{
	char sign = *(*text)++;

	if (*target)
		return error_create(ERROR_USAGE, "more than one %c", sign);
	*text = token_skip_blanks(*text);
	TRY(read_word(text, flags, word));
	if (word->length == 0)
		return error_create(ERROR_USAGE, "no file name after %c", sign);
	*target = str_take(word);
	return NULL;
}

static struct error *tokenize_words(const char *text, unsigned flags,
				    struct str *word, struct tokens *out)
{
	for (;;) {
		text = token_skip_blanks(text);
		if (*text == '\0')
			return NULL;
		if ((flags & TOKEN_COMMENTS) && token_is_comment(text))
			return NULL;
		if (*text == '>' && (flags & TOKEN_OUTPUT)) {
			TRY(redirection(&text, flags, word, &out->output));
		} else if (*text == '<' && (flags & TOKEN_INPUT)) {
			TRY(redirection(&text, flags, word, &out->input));
		} else {
			TRY(read_name(&text, flags, word));
			vec_push(&out->words, str_take(word));
		}
	}
}

struct error *tokenize(const char *text, unsigned flags, struct tokens *out)
{
	struct tokens tokens = {0};
	struct str word = {0};
	struct error *error = tokenize_words(text, flags, &word, &tokens);

	str_deinit(&word);
	if (error)
		tokens_deinit(&tokens);
	else
		*out = tokens;
	return error;
}
